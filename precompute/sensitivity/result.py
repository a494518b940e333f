"""Which design variable does what to a metric, over a case of the rig."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from precompute.arrays import Array
from precompute.design import Design, Variable
from precompute.errors import PrecomputeError
from precompute.kc.display import is_angular, shown
from precompute.kc.metric import Metric, MissingError
from precompute.kc.record import Choices
from precompute.kc.registry import METRICS
from precompute.model.mechanism import Mechanism
from precompute.reduction.rest_laws import laws_of
from precompute.rig.cases import Case, acting, left_out
from precompute.rig.curves import bounds, early_ends
from precompute.rig.gradients import quietly
from precompute.rig.march import march
from precompute.rig.quantities import INPUTS, gradient_shown, ranges_from
from precompute.rig.ranges import roll_range, usual_ranges
from precompute.rig.records import axle_record
from precompute.rig.stand import Stand, stand
from precompute.sensitivity.analytic import Followed, Found, analytic, column_of, unfollowed
from precompute.sensitivity.differences import Progress, differences
from precompute.sensitivity.effects import Effect, Effects
from precompute.sensitivity.naming import axle_named, case_named, column_named
from precompute.sensitivity.tables import write_csv, write_json
from precompute.sensitivity.text import summary
from precompute.sensitivity.variables import kind_of, matching, per
from precompute.sheets.result import ranges_si
from precompute.threads import one_thread
from precompute.units import Units

if TYPE_CHECKING:  # slow to import
    from matplotlib.figure import Figure


@dataclass(frozen=True, eq=False)
class Sensitivity(Effects):
    """The result that users get: `found["point.outer.z"].values` is a curve over the case."""

    def to_csv(self, path: str | Path) -> Path:
        """A line for each variable and point, with units and errors."""
        return write_csv(self, Path(path))

    def to_json(self, path: str | Path) -> Path:
        """The same as JSON."""
        return write_json(self, Path(path))

    def plot(self, path: str | Path | None = None) -> Figure:
        """Bars of the largest, and their curves over the case; saved if there is a path."""
        from precompute.sensitivity.picture import picture  # matplotlib takes a third of a second to import

        return picture(self, None if path is None else Path(path))

    def __repr__(self) -> str:
        return summary(self)

    def __str__(self) -> str:
        return repr(self)


@one_thread
def sensitivity(
    mechanism: Mechanism,
    metric: str,
    *,
    over: str = "travel",
    between: float | tuple[float, float] | None = None,
    points: int = 13,
    variables: Sequence[str] | None = None,
    axle: str | None = None,
    choices: Choices | None = None,
    elastic: bool = True,
    progress: Progress | None = None,
) -> Sensitivity:
    """Which design variable changes a metric by how much, at every point of a case.

    Args:
        mechanism: with [wheels].
        metric: "wheel.fl.toe", "axle.front.roll_centre_height", or a column of `kc`: "toe.left".
        over: an input or a case of `kc`: "travel", "steer", "roll", "lateral", "single_bump", ...
        between: its range [mm, deg, N, N m]: two ends, or one number for both; by default that of `kc`.
        points: of the range.
        variables: patterns ("point.*.z") or beginnings ("point.outer"); by default all.
        axle: which one, if the metric does not say it; by default the first.
        choices: what definitions leave open.
        elastic: whether bushings give way; otherwise they are locked.
        progress: is told how many variables are done, of how many, where that takes long.

    Raises:
        PrecomputeError: there is no such metric, case or variable, the mechanism does not stand on the rig, or the
            metric is not defined at any point.
    """
    design = Design.of(mechanism)
    chosen = matching(design, variables)
    on = measured_apart(stand(mechanism, axle or axle_named(metric, mechanism), choices, elastic))
    case = acting(case_named(over), on)
    if why := left_out(on, case):
        raise PrecomputeError(f"the case {case.name} is left out: {why}")
    column = _column(on, metric)
    course = march(on, [case], [_inputs(on, case, between, points)])[0]
    if not course.values.size:
        raise PrecomputeError(f"no point of the case {case.name} was reached")
    followed = Followed(on, case, course.values, course.rest, course.setting)
    values = _values(followed, METRICS[column.partition(".")[0]], column)
    if not np.isfinite(values).any():
        raise PrecomputeError(
            f"{column} is not defined at any point of the case {case.name}; choose another range or case"
        )
    found = _found(followed, design, chosen, column, progress or (lambda done, of: None))
    return _shown(followed, chosen, design.units, (column, values), found, early_ends(course))


def measured_apart(on: Stand) -> Stand:
    """With a measure for every element: a variable may move one of two that measure the same."""
    bench = on.rig.bench
    laws = laws_of(bench.mechanism, bench.closure.poses(bench.q), apart=True)
    return replace(on, rig=replace(on.rig, laws=laws))


def _column(on: Stand, metric: str) -> str:
    """The column of a metric's name."""
    record = axle_record(on, on.rest, on.still(1))
    columns, missing = quietly(record)
    numbers = [name for name, value in columns.items() if value.ndim == 1]
    return column_named(metric, on, numbers, missing)


def _inputs(on: Stand, case: Case, between: float | tuple[float, float] | None, points: int) -> Array:
    """Values of the input [SI]."""
    if points < 1:
        raise PrecomputeError(f"{points} points are none; ask for one or more")
    if points == 1 and between is not None:
        raise PrecomputeError(
            "one point is no range: ask for two or more, or leave the range out for the design itself"
        )
    if between is None:
        ranges = usual_ranges(on)
        ranges.setdefault("roll", roll_range(on, ranges["travel"]))
    else:
        ranges = ranges_si(on, ranges_from({case.range: between}))
    low, high = bounds(case, ranges)
    return np.linspace(low, high, points) if points > 1 else np.zeros(1)


def _found(
    on: Followed, design: Design, variables: Sequence[Variable], column: str, progress: Progress
) -> tuple[Found, list[str], str]:
    """Derivatives by all variables, by which method each, and how slopes were found."""
    metric = METRICS[column.partition(".")[0]]
    lost = unfollowed(on, design, variables)
    nothing = np.full((len(variables), len(on.values)), np.nan)
    found, methods = Found(nothing, nothing.copy(), nothing.copy(), nothing.copy()), [""] * len(variables)
    left = [k for k, variable in enumerate(variables) if variable.name not in lost]
    slope_method = "differences"
    if given_by_states(on, metric, column):
        way = "exact" if on.kinematic and metric.order != "statics" else "implicit"
        slope_method = "exact" if on.straight and metric.order == "position" else "implicit"
        found.put(left, analytic(on, design, [variables[k] for k in left], metric, column))
        for k in left:
            methods[k] = way
        wanted = np.isfinite(column_of(metric, column, on.record))
        left = [k for k in left if not np.isfinite(found.values[k, wanted]).all()]
    found.put(left, differences(on, design, [variables[k] for k in left], metric, column, progress))
    for k in left:
        methods[k] = "differences" if np.isfinite(found.values[k]).any() else ""
    return found, methods, slope_method


def given_by_states(on: Followed, metric: Metric, column: str) -> bool:
    """Whether a metric follows from how states of rest change: not if it needs compliances or third derivatives."""
    if metric.order == "velocity" and not on.prescribed:
        return False
    try:
        column_of(metric, column, on.record)
    except MissingError:
        return False
    return True


def _shown(
    on: Followed,
    variables: Sequence[Variable],
    units: Units,
    what: tuple[str, Array],
    found: tuple[Found, list[str], str],
    remarks: tuple[str, ...],
) -> Sensitivity:
    """In units that people quote; `what` is the column and its values."""
    (column, values), (derivatives, methods, slope_method) = what, found
    case, metric = on.case, METRICS[column.partition(".")[0]]
    design = axle_record(on.stand, on.stand.rest, on.stand.still(1), second=False, compliance=False)
    unit = shown(metric, is_angular(metric, column, design.left))
    slope = gradient_shown(unit, case.unit, case.range == "travel")
    effects = {}
    for k, variable in enumerate(variables):
        if not methods[k]:
            continue
        by = per(variable, units)
        effects[variable.name] = Effect(
            variable=variable,
            kind=kind_of(variable, units),
            per=by,
            method=methods[k],
            values=unit.factor * by.amount * derivatives.values[k],
            error=unit.factor * by.amount * largest(derivatives.value_errors[k]),
            slopes=slope.factor * by.amount * derivatives.slopes[k],
            slope_errors=slope.factor * by.amount * derivatives.slope_errors[k],
        )
    return Sensitivity(
        mechanism=on.stand.mechanism.name,
        axle=on.stand.axle.name,
        column=column,
        definition=metric.definition,
        unit=unit.unit,
        slope_unit=slope.unit,
        case=case,
        input=INPUTS[case.unit].factor * on.values,
        input_unit=INPUTS[case.unit].unit,
        metric=unit.factor * values,
        slope_method=slope_method,
        effects=effects,
        unfollowed=tuple(v.name for v, method in zip(variables, methods, strict=True) if not method),
        remarks=remarks,
    )


def _values(on: Followed, metric: Metric, column: str) -> Array:
    """(n,) the metric itself."""
    record = axle_record(on.stand, on.rest, on.setting, metric.order == "velocity", metric.order == "statics")
    return column_of(metric, column, record)


def largest(errors: Array) -> float:
    """Of those that are known."""
    return float(np.abs(errors[np.isfinite(errors)]).max(initial=0.0))
