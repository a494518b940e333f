"""Metrics of an axle in any number of designs: together where that can be done, one by one where it cannot."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from precompute.arrays import Array
from precompute.design.moved import Design
from precompute.errors import PrecomputeError
from precompute.kc.display import Shown, is_angular, shown
from precompute.kc.record import Choices
from precompute.kc.registry import METRICS
from precompute.model.mechanism import Mechanism
from precompute.rig.cases import Case, acting, left_out
from precompute.rig.curves import bounds
from precompute.rig.quantities import Range
from precompute.rig.ranges import roll_range, usual_ranges
from precompute.rig.records import axle_record
from precompute.rig.stand import Stand, stand
from precompute.sensitivity.naming import axle_named, case_named, column_named
from precompute.study.alone import One, Setup, alone, columns_of
from precompute.study.designs import Together
from precompute.study.many import NotMany
from precompute.threads import one_thread

SAME = 1e-9
"""How far columns of the mechanism itself may differ, computed alone and together, over 1 + the largest of each."""


@dataclass(frozen=True, eq=False)
class Results:
    """Columns of n designs over m points, and what went wrong."""

    columns: Mapping[str, Array]  # (n, m) each, SI units, ISO 8855; nan where there is none
    failures: Mapping[int, str]  # number of a design -> why it has no values, or not at all points


@dataclass(frozen=True, eq=False)
class Engine:
    """A case of an axle, ready for any changes of some design variables."""

    design: Design
    names: tuple[str, ...]  # of the variables
    setup: Setup
    case: Case
    columns: tuple[str, ...]
    units: Mapping[str, Shown]  # of the columns, as people quote them
    unchanged: Mapping[str, Array]  # (m,) each, of the mechanism itself
    together: Together | None
    why: str  # designs are computed one by one; empty if they are not

    @classmethod
    @one_thread
    def of(
        cls,
        mechanism: Mechanism,
        names: Sequence[str],
        metrics: Sequence[str],
        case: str = "bump",
        between: Range | None = None,
        points: int = 41,
        axle: str | None = None,
        choices: Choices | None = None,
        elastic: bool = True,
    ) -> Engine:
        """Made once for any number of designs.

        Args:
            mechanism: with wheels.
            names: of design variables.
            metrics: "wheel.fl.toe", "axle.front.roll_centre_height", or columns of `kc`: "toe.left".
            case: a case or an input of `kc`: "bump", "travel", "steer", ...
            between: range of its input [SI]; that of `kc` by default.
            points: of the curve.
            axle: which one, where there are several.
            choices: what definitions leave open.
            elastic: whether bushings give way.

        Raises:
            PrecomputeError: a name is unknown, a metric is none of this axle, or the mechanism itself cannot be led
                through the case.
        """
        design = Design.of(mechanism)
        if not names:
            raise PrecomputeError("name at least one design variable, as 'point.NAME.x'")
        design.chosen(names)
        axle = axle or next(filter(None, (axle_named(name, mechanism) for name in metrics)), None)
        on = stand(mechanism, axle, choices, elastic)
        chosen = acting(case_named(case), on)
        if reason := left_out(on, chosen):
            raise PrecomputeError(f"the case {chosen.name} is left out: {reason}")
        setup = Setup(chosen.name, values_of(on, chosen, between, points), axle, on.choices, elastic)
        wanted = metrics_of(metrics)
        _, course = setup.on_the_rig(mechanism)
        one, missing = columns_of(on, course, setup, wanted)
        if one.remarks:
            raise PrecomputeError(f"'{mechanism.name}' as it is: {one.remarks[0]}; ask for a smaller range")
        columns = columns_named(metrics, on, one.columns, missing)
        try:
            together: Together | None = agreeing(Together.of(design, names, on, course, wanted), one, columns)
            why = ""
        except NotMany as reason:
            together, why = None, str(reason)
        unchanged = {name: one.columns[name] for name in columns}
        rest = axle_record(on, on.rest, on.still(1), second=False, compliance=False).left
        units = {}
        for name in columns:
            metric = METRICS[name.partition(".")[0]]
            units[name] = shown(metric, is_angular(metric, name, rest))
        return cls(design, tuple(names), setup, chosen, columns, units, unchanged, together, why)

    @one_thread
    def results(self, changes: Array) -> Results:
        """Of designs with these changes (n, number of variables) of the variables [SI]."""
        changes = np.asarray(changes, dtype=float)
        if self.together is None:
            out = {name: np.full((len(changes), len(self.setup.values)), np.nan) for name in self.columns}
            left = np.arange(len(changes))
        else:
            found = self.together.columns(changes)
            out = {name: np.array(found.columns[name]) for name in self.columns}
            left = np.flatnonzero(~found.found.all(axis=1))
        failures = {}
        for number in left.tolist():
            if text := self._alone(changes[number], number, out):
                failures[number] = text
        return Results(out, failures)

    def _alone(self, change: Array, number: int, out: Mapping[str, Array]) -> str:
        """Writes the columns of one design; why it has not all, if so."""
        try:
            mechanism = self.design.moved(dict(zip(self.names, change.tolist(), strict=True)))
            one, missing = alone(mechanism, self.setup, metrics_of(self.columns))
        except PrecomputeError as error:
            for column in out.values():
                column[number] = np.nan
            return str(error)
        for name, column in out.items():
            column[number] = one.columns.get(name, np.nan)
        return "; ".join((*one.remarks, *missing.values()))


def columns_named(
    metrics: Sequence[str], on: Stand, known: Iterable[str], missing: Mapping[str, str]
) -> tuple[str, ...]:
    """Columns of metrics, each once.

    Raises:
        PrecomputeError: with all that are none.
    """
    found, known, problems = list[str](), [*known], list[str]()
    for name in metrics:
        try:
            found.append(column_named(name, on, known, missing))
        except PrecomputeError as error:
            problems.append(str(error))
    if problems:
        raise PrecomputeError("\n".join(problems))
    return tuple(dict.fromkeys(found))


def values_of(on: Stand, case: Case, between: Range | None, points: int) -> Array:
    """(points,) of the input of a case."""
    if points < 2:
        raise PrecomputeError(f"a curve of {points} point{'s' * (points != 1)} is none; ask for two or more")
    ranges = usual_ranges(on)
    ranges["roll"] = roll_range(on, ranges["travel"])
    if between is not None:
        ranges[case.range] = between
    return np.linspace(*bounds(case, ranges), points)


def metrics_of(names: Sequence[str]) -> list[str]:
    """The metrics that names may be of; what is none of them is told with the columns."""
    words = (name.split(".")[2:] if name.startswith(("wheel.", "axle.")) else name.split(".") for name in names)
    return [name for name in dict.fromkeys(word[0] for word in words if word) if name in METRICS]


def agreeing(together: Together, one: One, columns: Sequence[str]) -> Together:
    """What computes the mechanism itself as it is alone.

    Raises:
        NotMany: it does not, or something that varies has no form for many designs.
    """
    variables = len(together.origins.variables)
    found = together.columns(np.zeros((1, variables)))
    together.columns(np.full((1, variables), 1e-6))  # says what has no such form
    for name in columns:
        if name not in found.columns:
            raise NotMany(f"'{name}' needs second derivatives of the motion")
        here, there = one.columns[name], found.columns[name][0]
        finite = np.isfinite(here)
        size = SAME * (1.0 + np.abs(here[finite]).max(initial=0.0))
        if (finite != np.isfinite(there)).any() or (np.abs(here - there)[finite] > size).any():
            raise NotMany(f"'{name}' of the mechanism itself is not the same")
    return together
