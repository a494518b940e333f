"""What is written from the lists in `model/law_parts.py`: the header of the kernel's laws, and docs/force-laws.md.

python -m fmu_src.build.law_files        writes both
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from ..model.law_parts import ARGUMENTS, CURVES, SIDES, Curve, argument_unit, parameter_unit
from .compile import KERNEL

HEADER = KERNEL / "laws_list.h"
PAGE = Path(__file__).parents[2] / "docs" / "force-laws.md"


def header() -> str:
    """The lists as X-macros in C, in the order in which model files number them."""
    sides = [f"X({side.name.upper()}, {side.name})" for side in SIDES.values()]
    arguments = [f"X({argument.name.upper()}, {argument.name})" for argument in ARGUMENTS.values()]
    curves = [
        f"X({c.name.upper()}, {c.name}, {len(c.single)}, {int(c.table)}, {int(c.linear)})" for c in CURVES.values()
    ]
    return f"""/* What force laws are made of; written by law_files.py from law_parts.py, change that instead. */
#ifndef KINETAB_LAWS_LIST_H
#define KINETAB_LAWS_LIST_H

{_macro("KT_ARGUMENTS", arguments)}

{_macro("KT_SIDES", sides)}

/* Single parameters, whether a table follows them, whether the curve is a straight line. */
{_macro("KT_CURVES", curves)}

#endif
"""


def _macro(name: str, entries: Iterable[str]) -> str:
    return " \\\n    ".join((f"#define {name}(X)", *entries))


def page() -> str:
    """The page about force laws."""
    arguments = (
        f"| `{a.name}` | {a.formula} | {'-' if a.sign < 0.0 else '+'}c(v) | {'none' if a.rate else 'integral of c'} |"
        for a in ARGUMENTS.values()
    )
    sides = (f"| `{side.name}` | {side.formula} |" for side in SIDES.values())
    curves = (
        f"| `{c.name}` | {c.formula} | {_parameters(c, 'extension')} | {_parameters(c, 'rate')} | "
        f"{'yes' if c.linear else 'no'} |"
        for c in CURVES.values()
    )
    preloaded = " and ".join(f"`{c.name}`" for c in CURVES.values() if c.inverse)
    return PAGE_TEXT.format(*("\n".join(rows) for rows in (arguments, sides, curves)), preloaded)


def _parameters(curve: Curve, argument: str) -> str:
    """Names and units, for a measure in m."""
    single = [f"`{symbol}` [{parameter_unit('m', argument, power)}]" for symbol, power in curve.single]
    table = [f"`x[i]` [{argument_unit('m', argument)}]", "`f[i]` [N]"] if curve.table else []
    return ", ".join(single + table)


PAGE_TEXT = """# Force laws

This page is written by `python -m fmu_src.build.law_files` from `fmu_src/model/law_parts.py`; change that instead.

A force law acts on one measure s: a length, a joint coordinate, a direction of a bushing. A positive force makes s
grow. Laws of one element add up. A law has three attributes: its *argument* u, the *side* of it that counts, and a
*curve* c.

| Argument | u | Force | Potential |
|---|---|---|---|
{0}

`s_ref` is a parameter of the law, or zero, or the value of s at design. Of an argument that falls as s grows the force
is +c, so that every potential V is the integral of c over u and f = −dV/ds, and every slope is −c′.

| Side | v |
|---|---|
{1}

| Curve | c(v) | Parameters over s [m] | Parameters over ds/dt [m/s] | Straight |
|---|---|---|---|---|
{2}

Where s is an angle, m is rad and N is N.m. All parameters are tunable. Straight curves on both sides are added up once,
when parameters change; the others are evaluated in every step.

## Preload

A law may be given by a parameter p, the force at design, in place of `s_ref`. Its curve is then entered at the
deflection x where c(x) = p, of several the one nearest zero, and u is counted from design:

    c_p(v) = p + c(x + v) - c(x)

So the force at design is p whatever the other parameters are, and V is zero there. Straight lines need no x: their
force is p + k u, also with k = 0. The curves {3} can have a preload; a table that never has the force
p is refused.

## Which element has which law

| Element | Argument | Side | Reference |
|---|---|---|---|
| spring with `free_length` | compression | both | `free_length` |
| spring with `preload` | compression, with this preload | both | design |
| its `bump_stop` | compression | beyond | `at` |
| its `rebound_stop` | extension | beyond | `at` |
| damper | rate | both | |
| constant force | compression, constant | both | design |
| bushing, one direction: stiffness or table | extension | both | zero |
| bushing, one direction: damping | rate | both | |
| bushing, one direction: preload | compression, constant | both | zero |

Which curves a spring, stop, damper or constant force can have is said where `precompute/model/forces.py` describes it;
their keys in the mechanism file, their parameters in the FMU and the reading and writing of both follow from that.

## A new curve

1. `fmu_src/model/law_parts.py`: an entry of `CURVES` with value, integral and slope; an inverse, if springs have it.
2. `fmu_src/kernel/laws.c`: the same functions, called after it.
3. `precompute/model/forces.py`: a key for the elements that can have it.
4. `precompute/reference/forces.py`: the same force in the full model, which shares no code with this.
5. `docs/mechanism-file.md`: the key.

Then `python -m fmu_src.build.law_files` and `python -m precompute.mechanism_file.json_schema` write the rest: the
kernel's list, this page, the JSON Schema. `docs/extending/law.patch` is an example that a test applies and runs.
"""


def main() -> None:
    """Write both files."""
    HEADER.write_text(header(), encoding="utf-8")
    PAGE.write_text(page(), encoding="utf-8")


if __name__ == "__main__":
    main()
