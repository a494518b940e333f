"""What `kinetab run` says."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np

from precompute.report.plain_names import label, plain_names, shown
from precompute.verify.simulation import Run
from precompute.verify.step_error import StepError


def ran(run: Run, files: Sequence[Path]) -> str:
    """How long it took."""
    per_step = f"{significant(1e6 * run.seconds / run.steps)} us per step"
    speed = f"{significant(float(run.time[-1]) / run.seconds)} x real time"
    where = f" -> {', '.join(map(str, files))}" if files else ""
    return f"{run.name}: {run.time[-1]:g} s in {run.steps} steps, {per_step}, {speed}{where}"


def kept(run: Run, files: Sequence[Path]) -> str:
    """What is left of a run that failed."""
    if not files:
        return "--csv and --plot would keep the samples before that"
    samples = f"the {len(run.time)} samples up to then are" if len(run.time) > 1 else "the sample of the start is"
    return f"{samples} in {' and '.join(map(str, files))}"


def ranges(run: Run, names: Iterable[str]) -> str:
    """Smallest, largest and last value of some quantities, a line each."""
    rows = []
    plain = plain_names(run.values)
    for name in names:
        unit, factor = shown(run.units[name])
        low, high, last = (factor * float(f(run.values[name])) for f in (np.min, np.max, lambda v: v[-1]))
        numbers = [f"{value:.5g}" for value in (low, high, last)]
        rows.append((label(plain[name]), *numbers, unit))
    return table(("", "smallest", "largest", "at the end", ""), rows)


def step_error_text(found: StepError, run: Run) -> str:
    """The differences, and what they say of the error."""
    plain = plain_names(run.values)
    head = [
        f"Error of time integration: a run in steps of {0.5e3 * found.step:.4g} ms against this one in steps of "
        f"{1e3 * found.step:.4g} ms.",
        f"The method has order {found.order}, so the error of this run is about {found.factor:.3g} x the difference, "
        "where forces are smooth.",
    ]
    rows = []
    for name, change in found.changes.items():
        unit, factor = shown(run.units[name])
        numbers = [f"{factor * change.difference:.2e}", f"{factor * found.factor * change.difference:.2e}"]
        rows.append((label(plain[name]), *numbers, unit, f"at {change.time:.4g} s"))
    lines = [*head, table(("", "difference", "error", "", ""), rows)]
    if found.held:
        lines.append(
            f"Inputs over time are held over communication steps of {1e3 * found.communication:.4g} ms; with "
            f"{0.5e3 * found.communication:.4g} ms the outputs change by (error: twice that):"
        )
        rows = []
        for name, change in found.held.items():
            unit, factor = shown(run.units[name])
            numbers = [f"{factor * change.difference:.2e}", f"{2.0 * factor * change.difference:.2e}"]
            rows.append((label(plain[name]), *numbers, unit, f"at {change.time:.4g} s"))
        lines.append(table(("", "difference", "error", "", ""), rows))
    return "\n".join(lines)


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
