"""Metrics over the cases of an axle, in SI units and by ISO 8855."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from precompute.arrays import Array
from precompute.errors import PrecomputeError
from precompute.kc.record import AxleRecord
from precompute.model.mechanism import nearest
from precompute.progress import Progress, stages, unheard
from precompute.rig.cases import CASES, Case, acting, left_out
from precompute.rig.gradients import design_gradients, quietly, secants
from precompute.rig.march import Course, joined, joined_settings, march
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
    course: Course  # its states of rest


@dataclass(frozen=True, eq=False)
class Curves:
    """All cases of an axle."""

    stand: Stand
    record: AxleRecord  # at design, one point
    design: Mapping[str, Array]  # columns there, numbers () and matrices
    curves: tuple[Curve, ...]
    missing: Mapping[str, str]  # metrics that there are none of, and why
    left_out: Mapping[str, str]  # cases, and why
    secants: Mapping[str, float]  # steps of gradients that are none at a point but secants, by range


SHARES = (0.5, 0.1, 0.4)
"""About what of the whole equilibria, gradients and metrics take."""


@one_thread
def measured(
    stand: Stand,
    given: Mapping[str, Range] | None = None,
    cases: Sequence[str] | None = None,
    points: int = 41,
    secant: Mapping[str, float] | None = None,
    progress: Progress = unheard,
) -> Curves:
    """Take an axle through its cases.

    Args:
        stand: the axle.
        given: ranges by name ("travel", "roll", "steer", "lateral", ...); others are usual ones.
        cases: names of those that are wanted; None for all that are possible.
        points: of each curve.
        secant: steps by name of range, where gradients are to be secants; tangents elsewhere.
        progress: called with what is being done, and which share of all is done.

    Raises:
        PrecomputeError: there is no equilibrium at design, or no case of such a name.
    """
    if not isinstance(points, int | np.integer):
        raise PrecomputeError(f"the number of points is {points!r}; give a whole number")
    if points < 2:
        raise PrecomputeError(f"a curve of {points} point{'s' * (points != 1)} is none; ask for two or more")
    chosen = [acting(case, stand) for case in named_cases(cases)]
    why = {case.name: reason for case in chosen if (reason := left_out(stand, case))}
    chosen = [case for case in chosen if case.name not in why]
    ranges = {**usual_ranges(stand), **(given or {})}
    ranges.setdefault("roll", roll_range(stand, ranges["travel"]))
    record = axle_record(stand, stand.rest, stand.still(1))
    design, missing = quietly(record)
    resting, sloping, measuring = stages(progress, SHARES)
    resting("equilibria", 0.0)
    courses = march(stand, chosen, [np.linspace(*bounds(case, ranges), points) for case in chosen], resting)
    sloping("gradients", 0.0)
    steps = {} if secant is None else dict(secant)
    tangents = iter(design_gradients(stand, [case for case in chosen if case.range not in steps], record))
    gradients = [secants(stand, case, steps[case.range]) if case.range in steps else next(tangents) for case in chosen]
    found = columns_of(stand, courses, measuring)
    curves = tuple(
        Curve(
            course.case,
            course.values,
            columns,
            slopes,
            (*early_ends(course), *hanging(stand, course), *no_secant(course.case, steps, slopes)),
            course,
        )
        for course, columns, slopes in zip(courses, found, gradients, strict=True)
    )
    return Curves(stand, record, {name: value[0] for name, value in design.items()}, curves, missing, why, steps)


def named_cases(names: Sequence[str] | None) -> list[Case]:
    """The cases of these names, in our order; all without names."""
    known = [case.name for case in CASES]
    names = [names] if isinstance(names, str) else names
    for name in names or ():
        if name not in known:
            raise PrecomputeError(f"there is no case '{name}'; {nearest(name, known)}")
    return [case for case in CASES if names is None or case.name in names]


def bounds(case: Case, ranges: Mapping[str, Range]) -> Range:
    """Of a case; one that goes one way only begins at zero."""
    low, high = ranges[case.range]
    return (max(low, 0.0), high) if case.one_sided and high > 0.0 else (low, high)


def columns_of(stand: Stand, courses: Sequence[Course], progress: Progress) -> list[dict[str, Array]]:
    """All metrics that are numbers along courses; those where loads change at one go, without second derivatives."""
    found: list[dict[str, Array]] = [{} for _ in courses]
    loaded = [k for k, course in enumerate(courses) if course.case.pads == "load"]
    groups = [[k] for k in range(len(courses)) if k not in loaded] + [loaded]
    for number, together in enumerate(groups):
        progress("metrics", number / len(groups))
        ends = np.cumsum([courses[k].values.size for k in together])
        if not ends.size or not ends[-1]:
            continue
        rest = joined([courses[k].rest for k in together])
        made = joined_settings([courses[k].setting for k in together])
        values, _ = quietly(axle_record(stand, rest, made, second=together is not loaded))
        for name, column in values.items():
            if column.ndim == 1:
                for k, part in zip(together, np.split(column, ends[:-1]), strict=True):
                    found[k][name] = part
    return found


def early_ends(course: Course) -> tuple[str, ...]:
    """Remarks where a course did not go as far as it was asked to."""
    shown = INPUTS[course.case.unit]
    return tuple(
        f"{course.case.name} ends at {shown.factor * last:.4g} {shown.unit}: {shown.factor * beyond:.4g} {shown.unit} "
        "cannot be reached, since the linkage does not follow or nothing balances the forces there"
        for last, beyond in course.ends
    )


def no_secant(case: Case, steps: Mapping[str, float], slopes: Mapping[str, float]) -> tuple[str, ...]:
    """A remark where a secant has no ends."""
    if slopes or case.range not in steps:
        return ()
    shown = INPUTS[case.unit]
    return (f"{case.name} has no gradients: a step of {shown.factor * steps[case.range]:.4g} {shown.unit} is too far",)


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
