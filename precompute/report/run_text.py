"""What `kinetab run` says."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np

from precompute.report.plain_names import label, plain_names, shown
from precompute.running.samples import Samples
from precompute.running.simulation import Run
from precompute.running.step_error import HELD_ORDER, Change, StepComparison, richardson

ERROR = "solver.error"
"""The output that is negative while the errors of steps are not measured."""

UNCHECKED = np.array([-1.0])


def ran(run: Run, files: Sequence[Path]) -> str:
    """How long it took, and what that is the time of."""
    checked = " and its error measured" if run.outputs.get(ERROR, UNCHECKED)[-1] >= 0.0 else ""
    what = f"{len(run.outputs)} outputs read{checked}"
    per_step = f"{significant(1e6 * run.seconds / run.steps)} us per step with {what}"
    speed = f"{significant(float(run.time[-1]) / run.seconds)} x real time"
    where = f" -> {', '.join(map(str, files))}" if files else ""
    return f"{run.name}: {run.time[-1]:g} s in {run.steps} steps, {per_step}, {speed}{where}"


def kept(run: Run, files: Sequence[Path]) -> str:
    """What is left of a run that failed."""
    if not files:
        return "--csv and --plot would keep the samples before that"
    samples = f"the {len(run.time)} samples up to then are" if len(run.time) > 1 else "the sample of the start is"
    return f"{samples} in {' and '.join(map(str, files))}"


def ranges(run: Samples, names: Iterable[str]) -> str:
    """Smallest, largest and last value of some quantities, a line each."""
    rows = []
    plain = plain_names(run.values)
    for name in names:
        unit, factor = shown(run.units[name])
        low, high, last = (factor * float(f(run.values[name])) for f in (np.min, np.max, lambda v: v[-1]))
        numbers = [f"{value:.5g}" for value in (low, high, last)]
        rows.append((label(plain[name]), *numbers, unit))
    return table(("", "smallest", "largest", "at the end", ""), rows)


def step_error_text(found: StepComparison, run: Run) -> str:
    """The differences, and what they say of the error."""
    lines = [
        f"Error of time integration: this run in steps of {1e3 * found.step:.4g} ms against one in steps of "
        f"{0.5e3 * found.step:.4g} ms. The method has order {found.order}: the error is about "
        f"{richardson(found.order):.3g} x the difference, where forces are smooth."
    ]
    if found.held:
        lines.append(
            f"Error of inputs over time, which are held at their means over communication steps: these of "
            f"{1e3 * found.communication:.4g} ms against {0.5e3 * found.communication:.4g} ms, of order {HELD_ORDER}."
        )
    plain, rows = plain_names(run.values), []
    for name, change in found.changes.items():
        unit, factor = shown(run.units[name])
        cells = [*change_cells(change, factor, found.order), unit]
        if found.held:
            cells += [*change_cells(found.held[name], factor, HELD_ORDER), unit]
        rows.append((label(plain[name]), *cells))
    head = ["", "difference", "error", "at [s]", ""]
    if found.held:
        head += ["by inputs", "error", "at [s]", ""]
    return "\n".join([*lines, table(head, rows)])


def change_cells(change: Change, factor: float, order: int) -> tuple[str, str, str]:
    """Difference, error and when."""
    size = factor * change.difference
    return f"{size:.1e}", f"{richardson(order) * size:.1e}", f"{change.time:.4g}"


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Columns under their heads, the first and those behind the numbers to the left."""
    widths = [max(len(row[i]) for row in [head, *rows]) for i in range(len(head))]
    lines = []
    for row in [head, *rows]:
        numbers = [f"{cell:>{width}}" for cell, width in zip(row[1:-1], widths[1:-1], strict=True)]
        lines.append("  " + "  ".join([f"{row[0]:<{widths[0]}}", *numbers, row[-1]]).rstrip())
    return "\n".join(lines)


def significant(value: float, digits: int = 3) -> str:
    """A number with that many significant digits, and no exponent."""
    if value == 0.0 or not math.isfinite(value):
        return f"{value:g}"
    places = digits - 1 - math.floor(math.log10(abs(value)))
    return f"{round(value, places):.{max(places, 0)}f}"
