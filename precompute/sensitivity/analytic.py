"""Derivatives of a metric by design variables from exact kinematics, at states of rest along a case.

The record goes a complex step along a variable, and the metric with it.  Its slope along the case is a mixed second
derivative.  Where travels are prescribed, records are known with their mixed derivatives, and the slope of a metric of
position comes from the metric alone, a real step along the motion on top of the complex one; otherwise derivatives are
differenced between states of rest beside.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from precompute.arrays import Array
from precompute.design import Design, Dimensioned, Variable
from precompute.kc.metric import Metric
from precompute.kc.record import AxleRecord
from precompute.kc.registry import STEP, evaluate
from precompute.kc.registry import moved as farther
from precompute.rig.balance import Rest, Setting, newton
from precompute.rig.cases import Case, setting
from precompute.rig.gradients import SHARES, STEPS, WEIGHTS, path, travels
from precompute.rig.march import joined, joined_settings, repeated
from precompute.rig.rates import Looked, Rates, looked, rates
from precompute.rig.records import recorded
from precompute.rig.stand import Stand
from precompute.sensitivity.drawn import drawn_values
from precompute.sensitivity.laws import LawChanges, law_changes
from precompute.sensitivity.partials import Partials
from precompute.sensitivity.states import design_moves, moves, set_changes
from precompute.sensitivity.stepped import AxleChange, side_change

CHUNK = 24
"""Variables at once: their dimensions make the loop equations longer."""

FOURTH = np.array([0.0, 1.0, -8.0, 8.0, -1.0, 0.0]) / 12.0
"""Weights of a difference of order four at `SHARES`: its distance from that of order six is the error of the former."""


@dataclass(frozen=True, eq=False)
class Followed:
    """A case, as far as it goes."""

    stand: Stand
    case: Case
    values: Array  # (n,) of its input [SI]
    rest: Rest
    setting: Setting

    @cached_property
    def found(self) -> Looked:
        """All that is known of its states."""
        return looked(self.stand, self.rest, self.setting)

    @cached_property
    def rates(self) -> Rates:
        """Along travels and steering."""
        return rates(self.stand, self.found)

    @cached_property
    def record(self) -> AxleRecord:
        """Without second derivatives and compliance."""
        return recorded(self.stand, self.found, self.rates)

    @property
    def prescribed(self) -> bool:
        """Whether travels and what is held are all coordinates that there are."""
        bench = self.stand.rig.bench
        return bench.z.size == len(bench.wheels) + len(bench.held)

    @property
    def kinematic(self) -> bool:
        """Whether no force has to do with where it is."""
        return self.prescribed and not self.setting.A_F.any()

    @property
    def straight(self) -> bool:
        """Whether coordinates are prescribed in proportion to the input, whatever the design is."""
        return self.prescribed and self.case.pads == "travel" and self.stand.choices.travel == "centre"

    @cached_property
    def beside(self) -> Followed:
        """States at `SHARES` of a step to both sides of each of its own, point after point; nan where there is none."""
        values = (self.values[:, None] + STEPS[self.case.unit] * SHARES).ravel()
        start = self.rest.some(np.repeat(np.arange(len(self.values)), len(SHARES)))
        there = setting(self.stand, self.case, values)
        rest, good = newton(self.stand.rig, start, there)
        return Followed(self.stand, self.case, np.where(good, values, np.nan), rest, there)

    def slope(self, at_sides: Array) -> tuple[Array, Array]:
        """Slopes along the input, and their errors, (..., n) each, of what has values (..., 6 n) beside."""
        own = at_sides.reshape(*at_sides.shape[:-1], len(self.values), len(SHARES)) / STEPS[self.case.unit]
        own = np.where(np.isnan(self.beside.values.reshape(own.shape[-2:])), np.nan, own)
        return own @ WEIGHTS, np.abs(own @ (WEIGHTS - FOURTH))


@dataclass(frozen=True, eq=False)
class Found:
    """Derivatives of one metric by np variables, over the n values of a case [SI]."""

    values: Array  # (np, n)
    value_errors: Array  # (np, n) estimated; zero where they are exact
    slopes: Array  # (np, n) of them along the input of the case
    slope_errors: Array  # (np, n)

    def put(self, numbers: Sequence[int], other: Found) -> None:
        """Write over some variables."""
        for name in ("values", "value_errors", "slopes", "slope_errors"):
            getattr(self, name)[numbers] = getattr(other, name)


def unfollowed(on: Followed, design: Design, variables: Sequence[Variable]) -> set[str]:
    """Names of those that the mechanism cannot follow."""
    q = on.rest.q.reshape(-1, on.rest.q.shape[-1])
    closure, out = on.stand.rig.bench.closure, set[str]()
    for some in in_chunks(variables):
        out |= {*Dimensioned.of(closure, design, [v.name for v in some]).at(q).unfollowed}
    return out


def in_chunks(variables: Sequence[Variable]) -> list[Sequence[Variable]]:
    """Some at a time."""
    return [variables[k : k + CHUNK] for k in range(0, len(variables), CHUNK)]


def analytic(on: Followed, design: Design, variables: Sequence[Variable], metric: Metric, column: str) -> Found:
    """By all variables, some at a time; nan by those whose laws are not comparable."""
    parts = [_chunk(on, design, own, metric, column) for own in in_chunks(variables)]
    shape = (0, len(on.values))
    joint = [
        np.concatenate([np.zeros(shape), *(getattr(part, name) for part in parts)])
        for name in ("values", "value_errors", "slopes", "slope_errors")
    ]
    return Found(joint[0], joint[1], joint[2], joint[3])


def _chunk(on: Followed, design: Design, variables: Sequence[Variable], metric: Metric, column: str) -> Found:
    made = Dimensioned.of(on.stand.rig.bench.closure, design, [variable.name for variable in variables])
    loads = metric.order == "statics"
    by_motion = on.straight and metric.order == "position"
    states = on if by_motion else joined_states(on, on.beside)
    laws = None if on.kinematic and not loads else law_changes(on.stand, design, variables)
    change, error = axle_change(states, made, laws, velocities=metric.order == "velocity" or by_motion)
    values = np.stack([column_of(metric, column, change.step(k)) for k in range(len(variables))]).imag / STEP
    n = len(on.values)
    if by_motion:
        slopes, slope_errors = _along_motion(on, change, metric, column, len(variables))
    else:
        slopes, slope_errors = on.slope(values[:, n:])
    return Found(values[:, :n], error[:, None] * np.abs(values[:, :n]), slopes, slope_errors)


def joined_states(on: Followed, beside: Followed) -> Followed:
    """Both as one."""
    rest, made = joined([on.rest, beside.rest]), joined_settings([on.setting, beside.setting])
    return Followed(on.stand, on.case, np.concatenate([on.values, beside.values]), rest, made)


def column_of(metric: Metric, column: str, record: AxleRecord) -> Array:
    """(n,) of one column."""
    with np.errstate(divide="ignore", invalid="ignore"):
        found = evaluate(metric, record)[column]
    return np.broadcast_to(found, np.shape(record.left.centre)[:-1])


def axle_change(on: Followed, made: Dimensioned, laws: LawChanges | None, velocities: bool) -> tuple[AxleChange, Array]:
    """How the records of states change with variables; without laws, where no force matters.

    Returns:
        The change; relative errors (np,) of how the laws change.
    """
    stand = on.stand
    partials, Q_p, h_p, error = _explicit(on, made, laws)
    b_p = np.zeros((len(on.values), on.setting.b.shape[1], len(made.names)))
    if on.case.pads != "travel":
        still = Followed(stand, on.case, np.zeros(1), repeated(stand.rest, 1), stand.still(1))
        own, forces, _, _ = _explicit(still, made, laws)
        first = moves(own, forces, np.zeros((1, *b_p.shape[1:])), h_p)
        b_p = set_changes(stand, on.case, on.values, design_moves(own, first))
    change = moves(partials, Q_p, b_p, h_p)
    along = on.rates.z
    sides = [side_change(partials, change, side, along[:, side.copy] if velocities else None) for side in stand.sides]
    return AxleChange(on.record, (sides[0], sides[1]), laws is not None), error


def _explicit(on: Followed, made: Dimensioned, laws: LawChanges | None) -> tuple[Partials, Array, Array, Array]:
    """What changes while z stays: derivatives, Q_p, h_p; relative errors (np,)."""
    stand, nz = on.stand, made.nz
    q = on.rest.q.reshape(-1, on.rest.q.shape[-1])
    partials, h_p = Partials(stand, on.found, made.at(q, range(nz))), drawn_values(stand, made)
    if laws is None:
        return partials, np.zeros((len(q), nz, len(made.names))), h_p, np.zeros(len(made.names))
    law_p, error = laws.forces(on.found.at.s)
    return partials, partials.forces(law_p, laws.masses), h_p, error


def _along_motion(on: Followed, change: AxleChange, metric: Metric, column: str, count: int) -> tuple[Array, Array]:
    """Slopes (np, n) and errors of a metric of position, by real steps of the record along the motion."""
    a = travels(on.stand, path(on.stand, on.found, on.case, on.values))
    size = STEPS[on.case.unit]
    out = np.zeros((count, len(on.values), len(SHARES)))
    for k in range(count):
        here = change.step(k)
        for i, share in enumerate(SHARES):
            sides = [farther(side, a, step=size * share) for side in here.wheels]
            there = type(here)(here.name, sides[0], sides[1], here.end, here.vehicle, here.mirrored)
            out[k, :, i] = column_of(metric, column, there).imag / STEP / size
    return out @ WEIGHTS, np.abs(out @ (WEIGHTS - FOURTH))
