"""Curves that a mechanism is to have, in SI units and by ISO 8855, and what an error of one counts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from precompute.arrays import Array
from precompute.errors import PrecomputeError
from precompute.hints import nearest
from precompute.kc.conventions import CONVENTIONS, Convention
from precompute.kc.display import DEG, Shown, is_angular, shown
from precompute.kc.metric import Metric
from precompute.kc.registry import METRICS
from precompute.rig.cases import CASES, Case, acting, left_out
from precompute.rig.gradients import quietly
from precompute.rig.quantities import INPUTS
from precompute.rig.records import axle_record
from precompute.rig.stand import Stand
from precompute.sensitivity.naming import column_named
from precompute.sheets.columns import Sheet
from precompute.sheets.measured import Measured, read_measured

SHARE = 0.01
"""What counts one: this share of what a curve spans."""

LEAST = {"rad": 1e-3 / DEG, "m": 1e-6}
"""But at least 0.001 deg, 0.001 mm: a flat curve spans nothing."""

LEAST_SHARE = 1e-3
"""And of all else at least this share of its largest value."""


@dataclass(frozen=True, eq=False)
class Target:
    """One curve."""

    case: Case
    metric: Metric
    column: str
    inputs: Array  # (n,) of the case [SI]
    values: Array  # (n,) [SI]
    scale: float  # what counts one [SI]
    shown: Shown
    rows: int  # of the case, also those that have no number here

    @property
    def name(self) -> str:
        """As messages call it."""
        return f"{self.column} of {self.case.name}"

    def told(self, value: float) -> str:
        """A value in the unit that is shown."""
        return f"{self.shown.factor * value:.4g} {self.shown.unit}"

    def place(self, k: int) -> str:
        """A point of it in words."""
        unit = INPUTS[self.case.unit]
        return f"{self.case.input} {unit.factor * self.inputs[k]:.4g} {unit.unit}"


Source = Measured | Sheet | str | Path
"""Curves: a table, a result of `kc`, or a CSV file."""


def measured_of(source: Source) -> Measured:
    """As a table."""
    if isinstance(source, Sheet):
        cases = {
            name: {column.name: (column.input, column.values) for column in case.columns.values()}
            for name, case in source.cases.items()
        }
        finite = {name: {c: _known(x, y) for c, (x, y) in own.items()} for name, own in cases.items()}
        kept = {name: {c: pair for c, pair in own.items() if pair[0].size} for name, own in finite.items()}
        return Measured(source.name, kept, source.convention, {name: len(c.input) for name, c in source.cases.items()})
    return source if isinstance(source, Measured) else read_measured(source)


def _known(x: Array, y: Array) -> tuple[Array, Array]:
    good = np.isfinite(y)
    return x[good], y[good]


def targets_of(
    source: Measured, on: Stand, metrics: Sequence[str] | None = None, convention: Convention | None = None
) -> tuple[Target, ...]:
    """All curves of a table.

    Args:
        source: the table.
        on: the axle that is to have them.
        metrics: those that count; None for all that the table has.
        convention: of its signs; None for what it says, or "iso".

    Raises:
        PrecomputeError: there is no such metric, or not here; all of them are told.
    """
    convention = convention or source.convention or "iso"
    if convention not in CONVENTIONS:
        raise PrecomputeError(f"there is no convention '{convention}'; choose {', '.join(CONVENTIONS)}")
    wanted = chosen_columns(source, metrics)
    record = axle_record(on, on.rest, on.still(1))
    columns, missing = quietly(record)
    numbers = [name for name, value in columns.items() if value.ndim == 1]
    found, problems = [], []
    for case in (acting(case, on) for case in CASES if case.name in source.cases):
        own = [name for name in source.cases[case.name] if name in wanted]
        if own and (why := left_out(on, case)):
            problems.append(f"'{source.name}' has curves of {case.name}, which is left out: {why}")
            continue
        for name in own:
            try:
                column = column_named(name, on, numbers, missing)
            except PrecomputeError as error:
                problems.append(f"'{source.name}', column '{name}': {error}")
                continue
            metric = METRICS[column.partition(".")[0]]
            as_shown = shown(metric, is_angular(metric, column, record.left))
            found.append(_target(source, case, convention, (name, column, metric, as_shown)))
    if problems:
        raise PrecomputeError("\n".join(dict.fromkeys(problems)))
    return tuple(found)


def chosen_columns(source: Measured, metrics: Sequence[str] | None) -> list[str]:
    """Names of the columns of a table that count.

    Raises:
        PrecomputeError: one is no metric, or a metric that is asked for is not there.
    """
    every = list(dict.fromkeys(name for own in source.cases.values() for name in own))
    if metrics is None:
        bad = [name for name in every if name.partition(".")[0] not in METRICS]
        text = [
            f"'{source.name}', column '{name}': there is no metric '{name}'; {nearest(name, METRICS)} "
            "(`kinetab kc --list` has all; --metrics says which columns count)"
            for name in bad
        ]
        wanted = every
    else:
        words = [metrics] if isinstance(metrics, str) else metrics
        fits = {word: [name for name in every if word in (name, name.partition(".")[0])] for word in words}
        none = [word for word, own in fits.items() if not own]
        text = [f"'{source.name}' has no numbers of '{word}'; {nearest(word, every)}" for word in none]
        wanted = [name for own in fits.values() for name in own]
    if text:
        raise PrecomputeError("\n".join(text))
    return wanted


def _target(source: Measured, case: Case, convention: Convention, column: tuple[str, str, Metric, Shown]) -> Target:
    """One curve in SI."""
    name, own, metric, as_shown = column
    x, y = source.cases[case.name][name]
    inputs = case.sign.factor(convention) * x / INPUTS[case.unit].factor
    values = metric.sign.factor(convention) * y / as_shown.factor
    least = LEAST.get(metric.unit) or LEAST_SHARE * float(np.abs(values).max()) or 1.0 / as_shown.factor
    scale = max(SHARE * float(np.ptp(values)), least)
    rows = source.rows.get(case.name, len(x))
    return Target(case, metric, own, inputs, values, scale, as_shown, rows)
