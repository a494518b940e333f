"""What `kinetab fit` says."""

from __future__ import annotations

import math

import numpy as np

from precompute.fitting.certainty import told
from precompute.fitting.fitted import Fitted
from precompute.report.run_text import table
from precompute.sheets.text import wrapped

MOST = 30
"""Curves that are listed."""

NEGLIGIBLE = 1.0
"""A curve that is off by more than what counts one, at its worst, is told where."""


def summary(found: Fitted) -> str:
    """Variables before and after, curves, what the data determine."""
    curves = found.curves
    n, m = len(curves.variables), len(curves.wanted)
    head = (
        f"{curves.design.mechanism.name}: {counted(n, 'variable')} from {counted(m, 'number')} of "
        f"{counted(len(curves.targets), 'curve')} of {found.source}, {counted(found.tried, 'design')} tried"
    )
    titles = ("variable", "before", "after", "change", "95 %", "at most", "")
    lines = [head, "", *table(titles, [variable_row(found, k) for k in range(n)]).splitlines()]
    shown = worst_curves(found)
    few = "" if len(shown) == len(curves.targets) else f" (the {len(shown)} worst of {len(curves.targets)})"
    titles = (f"curve{few}", "points", "counts 1", "rms before", "after", "largest", "at")
    lines += ["", *table(titles, [curve_row(found, k) for k in shown]).splitlines()]
    return "\n".join([*lines, "", *(wrapped(line) for line in remarks(found))])


def worst_curves(found: Fitted) -> list[int]:
    """Numbers of the curves that are listed, in their order: the farthest off, if there are many."""
    off = [float(np.abs(found.errors(t, found.after)).max() / t.scale) for t in found.curves.targets]
    return sorted(sorted(range(len(off)), key=lambda k: -off[k])[:MOST])


def counted(n: int, what: str) -> str:
    """How many."""
    return f"{n} {what}{'s' * (n != 1)}"


def variable_row(found: Fitted, k: int) -> tuple[str, ...]:
    """Of one variable."""
    v, most = found.curves.variables[k], float(found.ranges[k])
    change = found.value(v) - v.value
    before, after = (f"{v.scale.back(x):.7g}" for x in (v.value, found.value(v)))
    interval = found.intervals[v.name]
    sure = f"+-{v.scale.back(interval):.2g}" if math.isfinite(interval) else "-"
    end = "at bound" if found.at_bound[k] else f"+-{v.scale.back(most):.4g}"
    return v.name, before, after, f"{v.scale.back(change):+.6g}", sure, end, v.unit


def curve_row(found: Fitted, k: int) -> tuple[str, ...]:
    """Of one curve."""
    target, factor = found.curves.targets[k], found.curves.targets[k].shown.factor
    before, after = (found.errors(target, at) * factor for at in (found.before, found.after))
    worst = int(np.argmax(np.abs(after)))
    rms = (f"{float(np.sqrt(np.mean(e**2))):.3g}" for e in (before, after))
    points, unit = str(len(target.values)), target.shown.unit
    scale = f"{factor * target.scale:.3g} {unit}"
    return target.name, points, scale, *rms, f"{after[worst]:+.3g} {unit}", target.place(worst)


def remarks(found: Fitted) -> list[str]:
    """What the data determine, what is at a bound, and what was left out."""
    lines = [
        f"Condition number {found.certainty.condition:.3g}: variables count by the way that they may go at most, "
        "curves by what counts 1. Intervals of 95 % follow from the scatter that is left."
    ]
    lines += loose_lines(found) + bound_lines(found)
    if not found.settled:
        lines.append(f"Not settled after {found.tried} designs: the nearest so far; fit again from the new file.")
    for target in found.curves.targets:
        if gone := target.rows - len(target.values):
            has = "has" if gone == 1 else "have"
            lines.append(f"Note: {gone} of {target.rows} rows {has} no number for {target.name}.")
    return lines


def loose_lines(found: Fitted) -> list[str]:
    """Combinations that are not determined, each by its largest way."""
    out = []
    names = [v.name for v in found.curves.variables]
    for direction in found.certainty.loose:
        way = direction / np.abs(direction).max()
        amounts = [v.change(float(x)) for v, x in zip(found.curves.variables, way * found.ranges, strict=True)]
        effect = found.certainty.effect(direction)
        words = told(way, names, amounts)
        change = "together change" if "," in words else "changes"
        out.append(f"Not determined: {words} {change} no curve by more than {effect:.2g} of what counts 1.")
    return out


def bound_lines(found: Fitted) -> list[str]:
    """Variables that would go farther, and how near the targets were reached."""
    at = [v.name for v, bound in zip(found.curves.variables, found.at_bound, strict=True) if bound]
    if not at:
        return []
    off = [(float(np.abs(found.errors(t, found.after)).max() / t.scale), t) for t in found.curves.targets]
    size, target = max(off, key=lambda pair: pair[0])
    errors = found.errors(target, found.after)
    worst = int(np.argmax(np.abs(errors)))
    near = (
        f"the closest that was reached leaves {target.told(float(errors[worst]))} of {target.name} at "
        f"{target.place(worst)}"
    )
    reached = f"; {near}" if size > NEGLIGIBLE else ""
    plural = len(at) > 1
    return [
        f"At {'their bounds' if plural else 'its bound'}: {', '.join(at)}{reached}. "
        f"A wider --within would let {'them' if plural else 'it'} go farther."
    ]
