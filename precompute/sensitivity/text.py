"""What `kinetab sensitivity` says."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from precompute.report.run_text import table
from precompute.sensitivity.effects import METHODS, SLOPE_METHODS, Effect, Effects
from precompute.sensitivity.variables import Kind
from precompute.sheets.text import told, wrapped

MOST = 20
"""Variables of a kind that are listed, unless all are asked for."""

ROUNDING = 1e-14
"""An error below this share is none."""

KINDS: dict[Kind, str] = {
    "point": "Hardpoints, per mm",
    "length": "Other lengths, per mm",
    "angle": "Angles, per deg",
    "other": "Others, per % of what they are",
}


def summary(found: Effects, everything: bool = False) -> str:
    """Ranked: hardpoints, other lengths, angles, others."""
    lines = [*heading(found)]
    for kind, title in KINDS.items():
        ranked = found.ranked(kind)
        if ranked:
            shown = ranked if everything else ranked[:MOST]
            rest = "" if len(shown) == len(ranked) else f" (the {len(shown)} largest of {len(ranked)})"
            lines += ["", f"{title}{rest}", table(titles(found), [row(found, effect) for effect in shown])]
    return "\n".join([*lines, "", *foot(found)])


def heading(found: Effects) -> list[str]:
    """What was asked for, and what the metric is."""
    at, n = found.at_design, len(found.input)
    over = f"{found.case.input} {found.input[0]:.4g} to {found.input[-1]:.4g} {found.input_unit}, {n} points"
    over = over if n > 1 else f"{found.case.input} {found.input[0]:.4g} {found.input_unit}"
    ends = f"{told(float(np.nanmin(found.metric)))} to {told(float(np.nanmax(found.metric)))} {found.unit}"
    return [
        f"{found.mechanism}, axle '{found.axle}': what changes {found.column} over {over} ({found.case.title.lower()})",
        wrapped(f"{found.column} is {told(float(found.metric[at]))} {found.unit} at {told(float(found.input[at]))} "
                f"{found.input_unit}, {ends} in all. {found.definition}"),
    ]  # fmt: skip


def titles(found: Effects) -> Sequence[str]:
    """Of the columns."""
    at = f"{told(float(found.input[found.at_design]))} {found.input_unit}"
    unit = found.unit
    return ("variable", "is", f"largest [{unit}]", f"at [{found.input_unit}]", f"at {at}", "how, error",
            f"slope there [{found.slope_unit}]", "error")  # fmt: skip


def row(found: Effects, effect: Effect) -> tuple[str, ...]:
    """Of one variable."""
    k, at = int(np.nanargmax(np.abs(effect.values))), found.at_design
    per = "" if effect.per.unit in ("mm", "deg", "%") else f" (per {effect.per.unit})"
    error = effect.method + (f" {effect.error:.0e}" if effect.error > ROUNDING * effect.size else "")
    slope = float(effect.slopes[at])
    slope_error = "" if math.isnan(slope) else f"{effect.slope_errors[at]:.0e}"
    numbers = (told(float(effect.values[k])), told(float(found.input[k])), told(float(effect.values[at])))
    return (f"{effect.name}{per}", effect.variable.shown, *numbers, error, told(slope), slope_error)


def foot(found: Effects) -> list[str]:
    """How it was found, and what was not."""
    used = {effect.method for effect in found.effects.values()}
    lines = [f"Derivatives, {METHODS[method]}." for method in METHODS if method in used]
    lines.append(f"Slopes: {SLOPE_METHODS[found.slope_method]}; the error is that of order four against order six.")
    moved = {effect.name for effect in found.ranked()}
    still = len([name for name in found.effects if name not in moved])
    if still:
        more = "more " if moved else ""
        lines.append(f"{still} {more}variable{'s' * (still > 1)} change{'s' * (still == 1)} nothing.")
    if found.unfollowed:
        names = ", ".join(found.unfollowed[:6]) + (" ..." if len(found.unfollowed) > 6 else "")
        lines.append(f"Not to be changed alone, since the mechanism cannot follow ({len(found.unfollowed)}): {names}")
    lines += [f"Note: {remark}" for remark in found.remarks]
    lines.append(
        "What is held, such as the steering, stays where it is drawn; travel counts from the moved wheel centre."
    )
    return [wrapped(line) for line in lines]
