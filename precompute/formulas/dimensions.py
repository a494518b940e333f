"""Units of formulas, as far as they are known: sums, comparisons and results must have the same on both sides.

A dimension is a mapping from SI base units to powers; angles count as numbers, since arcs are lengths.  None stands for
what is not known: a parameter without a unit, and a product with a number in the text, which may have a unit of its own
(-40*s_rate is a force if 40 is meant to be N s/m).  In sums a number takes the unit of the other side.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from fmu_src.model.units import exponents
from precompute.formulas.syntax import COMPARISONS, NEGATIVE, Call, FormulaError, Name, Number, Tree

Dimension = Mapping[str, float]

ONE: Dimension = {}


class _Literal(dict[str, float]):
    """The dimension of a number in the text."""


def dimension_of(unit: str) -> Dimension | None:
    """Of a unit such as "N.s/m"; None if that is empty or cannot be read."""
    found = exponents(unit) if unit else None
    return None if found is None else {base: float(n) for base, n in found.items() if base != "rad"}


USUAL = ("N", "N.m", "W", "Pa", "V", "Ohm", "H", "N/m", "N.s/m", "N/s", "N.m/s", "Pa/s", "V/s")
"""Units that messages know by name."""


def shown(dimension: Dimension) -> str:
    """As messages name it: "N.s/m", or "kg m2"."""
    if known := next((unit for unit in USUAL if dimension_of(unit) == dict(dimension)), None):
        return known
    above = " ".join(_power(base, n) for base, n in sorted(dimension.items()) if n > 0)
    below = " ".join(_power(base, -n) for base, n in sorted(dimension.items()) if n < 0)
    return f"{above or '1'}/({below})" if " " in below else f"{above or '1'}/{below}" if below else above or "1"


def _power(base: str, n: float) -> str:
    return base if n == 1 else f"{base}{n:g}"


def check(tree: Tree, known: Callable[[str], Dimension | None], result: Dimension | None) -> list[FormulaError]:
    """What does not fit in a formula.

    Args:
        tree: the formula.
        known: the dimension of a symbol or of a table's values.
        result: what the formula must have.
    """
    problems: list[FormulaError] = []
    found = _follow(tree, known, problems)
    if found is not None and result is not None and not isinstance(found, _Literal) and dict(found) != dict(result):
        problems.append(FormulaError(f"has the unit {shown(found)}, but {shown(result)} is needed", tree.column))
    return problems


def _follow(tree: Tree, known: Callable[[str], Dimension | None], problems: list[FormulaError]) -> Dimension | None:
    if isinstance(tree, Number):
        return _Literal()
    if isinstance(tree, Name):
        return known(tree.name)
    own = [_follow(argument, known, problems) for argument in tree.arguments]
    match tree.function:
        case "*" | "/":
            return _product(own, 1.0 if tree.function == "*" else -1.0)
        case "^":
            return _power_of(tree, own, problems)
        case function if function in (NEGATIVE, "abs"):
            return own[0]
        case "sqrt":
            return None if own[0] is None else _scaled(own[0], 0.5)
        case "+" | "-" | "min" | "max" | "atan2" | "sign":
            same = _same(tree, own, problems)
            return ONE if tree.function in ("atan2", "sign") else same
        case "if":
            return _same(tree, own[1:], problems)
        case "exp" | "log" | "sin" | "cos" | "tanh":
            if own[0]:
                problems.append(
                    FormulaError(f"{tree.function}() takes a number without a unit, not {shown(own[0])}", tree.column)
                )
            return ONE
        case function if function in COMPARISONS:
            return _same(tree, own, problems)
        case table:
            return known(table)


def _product(own: list[Dimension | None], sign: float) -> Dimension | None:
    a, b = own
    if a is None or b is None or isinstance(a, _Literal) != isinstance(b, _Literal):
        return None
    total = dict(a)
    for base, n in b.items():
        total[base] = total.get(base, 0.0) + sign * n
    found = {base: n for base, n in total.items() if n}
    return _Literal(found) if isinstance(a, _Literal) and isinstance(b, _Literal) else found


def _scaled(dimension: Dimension, factor: float) -> Dimension:
    found = {base: factor * n for base, n in dimension.items()}
    return _Literal(found) if isinstance(dimension, _Literal) else found


def _power_of(tree: Call, own: list[Dimension | None], problems: list[FormulaError]) -> Dimension | None:
    exponent = tree.arguments[1]
    if own[1] and not isinstance(own[1], _Literal):
        problems.append(FormulaError(f"a power has an exponent without a unit, not {shown(own[1])}", exponent.column))
        return None
    sign = 1.0
    if isinstance(exponent, Call) and exponent.function == NEGATIVE:
        exponent, sign = exponent.arguments[0], -1.0
    if own[0] is None:
        return None
    if isinstance(exponent, Number):
        return _scaled(own[0], sign * exponent.value) if exponent.value else ONE
    return None if own[0] else ONE


def _same(tree: Call, own: list[Dimension | None], problems: list[FormulaError]) -> Dimension | None:
    """Of a sum; the first dimension that is known."""
    sure = [d for d in own if d is not None and not isinstance(d, _Literal)]
    for other in sure[1:]:
        if dict(other) != dict(sure[0]):
            what = f"{tree.function}()" if tree.function.isalnum() else f"'{tree.function}'"
            problems.append(FormulaError(f"{what} joins {shown(sure[0])} and {shown(other)}", tree.column))
            return None
    if sure:
        return sure[0]
    return None if None in own else _Literal()
