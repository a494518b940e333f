"""Metrics over the cases of an axle, in SI units and by ISO 8855."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from precompute.arrays import Array
from precompute.errors import PrecomputeError
from precompute.kc.record import AxleRecord
from precompute.model.mechanism import nearest
from precompute.rig.cases import CASES, Case, acting, left_out
from precompute.rig.gradients import design_gradients, quietly
from precompute.rig.march import Course, march
from precompute.rig.quantities import INPUTS, Range
from precompute.rig.ranges import roll_range, usual_ranges
from precompute.rig.records import axle_record
from precompute.rig.stand import Stand
from precompute.threads import one_thread


@dataclass(frozen=True, eq=False)
class Curve:
    """One case."""

    case: Case
    inputs: Array  # (n,) ascending
    columns: Mapping[str, Array]  # (n,) each
    gradients: Mapping[str, float]  # along the input, at design
    remarks: tuple[str, ...]  # why it ends where it was not asked to


@dataclass(frozen=True, eq=False)
class Curves:
    """All cases of an axle."""

    stand: Stand
    record: AxleRecord  # at design, one point
    design: Mapping[str, Array]  # columns there, numbers () and matrices
    curves: tuple[Curve, ...]
    missing: Mapping[str, str]  # metrics that there are none of, and why
    left_out: Mapping[str, str]  # cases, and why


@one_thread
def measured(
    stand: Stand, given: Mapping[str, Range] | None = None, cases: Sequence[str] | None = None, points: int = 41
) -> Curves:
    """Take an axle through its cases.

    Args:
        stand: the axle.
        given: ranges by name ("travel", "roll", "steer", "lateral", ...); others are usual ones.
        cases: names of those that are wanted; None for all that are possible.
        points: of each curve.

    Raises:
        PrecomputeError: there is no equilibrium at design, or no case of such a name.
    """
    if points < 2:
        raise PrecomputeError(f"a curve of {points} point{'s' * (points != 1)} is none; ask for two or more")
    chosen = [acting(case, stand) for case in named_cases(cases)]
    why = {case.name: reason for case in chosen if (reason := left_out(stand, case))}
    chosen = [case for case in chosen if case.name not in why]
    ranges = {**usual_ranges(stand), **(given or {})}
    ranges.setdefault("roll", roll_range(stand, ranges["travel"]))
    record = axle_record(stand, stand.rest, stand.still(1))
    design, missing = quietly(record)
    courses = march(stand, chosen, [np.linspace(*bounds(case, ranges), points) for case in chosen])
    curves = tuple(curve(stand, course, record) for course in courses)
    return Curves(stand, record, {name: value[0] for name, value in design.items()}, curves, missing, why)


def named_cases(names: Sequence[str] | None) -> list[Case]:
    """The cases of these names, in our order; all without names."""
    known = [case.name for case in CASES]
    for name in names or ():
        if name not in known:
            raise PrecomputeError(f"there is no case '{name}'; {nearest(name, known)}")
    return [case for case in CASES if names is None or case.name in names]


def bounds(case: Case, ranges: Mapping[str, Range]) -> Range:
    """Of a case; one that goes one way only begins at zero."""
    low, high = ranges[case.range]
    return (max(low, 0.0), high) if case.one_sided and high > 0.0 else (low, high)


def curve(stand: Stand, course: Course, record: AxleRecord) -> Curve:
    """The metrics of a case."""
    case, shown = course.case, INPUTS[course.case.unit]
    remarks = tuple(
        f"{case.name} ends at {shown.factor * last:.4g} {shown.unit}: {shown.factor * beyond:.4g} {shown.unit} cannot "
        "be reached, since the linkage does not follow or nothing balances the forces there"
        for last, beyond in course.ends
    )
    remarks += hanging(stand, course)
    columns: dict[str, Array] = {}
    if course.values.size:
        found, _ = quietly(axle_record(stand, course.rest, course.setting, second=case.pads != "load"))
        columns = {name: value for name, value in found.items() if value.ndim == 1}
    return Curve(case, course.values, columns, design_gradients(stand, case, record), remarks)


def hanging(stand: Stand, course: Course) -> tuple[str, ...]:
    """A remark where pads pull their wheels: on a road these would have lifted off."""
    shown = INPUTS[course.case.unit]
    found: dict[str, list[str]] = {}
    for name, side in zip(("left", "right"), stand.sides, strict=True):
        pulled = shown.factor * course.values[course.rest.pads[:, side.copy, side.wheel] < 0.0]
        if pulled.size and stand.has_forces:
            low, high = f"{pulled.min():.4g}", f"{pulled.max():.4g}"
            found.setdefault(low if low == high else f"{low} to {high}", []).append(name)
    return tuple(
        f"{course.case.name}: {' and '.join(names)} wheel{'s' * (len(names) > 1)} would lift off at {where} "
        f"{shown.unit}; the rig pulls there"
        for where, names in found.items()
    )
