"""Derivatives of metrics along the input of a case, at the design position.

A metric of position changes with the places of wheels and elements alone, which go along the tangent of the state of
rest: a complex step is exact.  So it is with a metric of velocity, where second derivatives are known: in cases that
change no load and tilt no road.  A metric of statics changes with places, loads and the compliance of the axle; how
these two change comes from exact states of rest nearby, and a complex step goes through the rest.  What is left,
velocities under changing loads, are differences between such states.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from precompute.arrays import Array
from precompute.kc.metric import Order
from precompute.kc.record import AxleRecord, Complex
from precompute.kc.registry import METRICS, STEP, Values, evaluate_all, moved
from precompute.rig.balance import HEIGHTS, flat, flattened, newton, tangent
from precompute.rig.cases import Case, setting, setting_rate, tilts
from precompute.rig.march import joined_settings, march, repeated
from precompute.rig.mechanics import load_forces, tilt_forces
from precompute.rig.rates import Looked, Rates, looked, stand_axes
from precompute.rig.records import axle_record, recorded
from precompute.rig.stand import Stand

STEPS = {"m": 1e-3, "rad": 2e-3, "N": 40.0, "N.m": 4.0}
"""Of differences between states of rest, by the unit of the input."""

SHARES = np.array([-4.0, -2.0, -1.0, 1.0, 2.0, 4.0])
WEIGHTS = np.array([-1.0, 40.0, -256.0, 256.0, -40.0, 1.0]) / 360.0
"""Where, in steps, values are taken, and their weights in a derivative of order six: Richardson, twice."""


def path(stand: Stand, found: Looked, case: Case, values: Array) -> Rates:
    """Change of states of rest per change of the input of a case, as the only rate."""
    rate = setting_rate(stand, case, values)
    solved = tangent(stand.rig, found.at, found.K, rate.A_u, rate.A_F)
    n, pads = len(values), flattened(found.rest.pads)
    Q, _ = load_forces(found.at, flat(rate.loads), np.zeros_like(pads))
    tilting, heights = tilt_forces(stand.rig.bench, found.at, flat(found.setting.loads), pads, flattened(rate.road))
    kind = HEIGHTS.index("patch")
    b = rate.b - np.einsum("nwcj,ncj->nw", rate.A_u[:, :, :, kind], heights.reshape(found.rest.pads.shape))
    rhs = np.concatenate([(Q + tilting).reshape(n, -1), b, rate.held.reshape(n, -1)], axis=-1)
    z, pads, _ = solved.split(solved.solve(rhs)[..., None])
    return Rates(z, pads)


def design_gradients(stand: Stand, cases: Sequence[Case], record: AxleRecord) -> list[dict[str, float]]:
    """Derivatives of all columns along cases at the design position [SI units over that of the input].

    Args:
        stand: the axle.
        cases: the cases.
        record: at the design position, one point, with second derivatives.
    """
    if not cases:
        return []
    near, here = nearby(stand, cases), looked(stand, stand.rest, stand.still(1))
    return [
        {name: float(value[0]) for name, value in along_case(stand, here, near, number, record).items()}
        for number in range(len(cases))
    ]


def along_case(stand: Stand, here: Looked, near: Nearby, number: int, record: AxleRecord) -> Values:
    """Of all metrics along the case of a number, from the design position."""
    case = near.cases[number]
    zero = np.zeros(1)
    along, tilt = path(stand, here, case, zero), setting_rate(stand, case, zero).road
    seen = [tilt[:, side.copy] @ stand_axes(stand, side).T for side in stand.sides]
    there = complex_step(recorded(stand, here, along), np.ones((1, 1)), seen)
    found = imaginary(there, "position") | imaginary(near.stepped(number, record, there), "statics")
    if case.pads != "load" and not tilts(stand, case):
        return found | imaginary(complex_step(record, travels(stand, along)), "velocity")
    return found | near.velocities(number)


def travels(stand: Stand, along: Rates) -> Array:
    """(n, rates) a path as changes of both travels and of the steering."""
    columns = [along.z[:, side.copy, side.wheel, 0] for side in stand.sides]
    if stand.steering is not None:
        columns.append(along.z[:, 0, stand.steering, 0])
    return np.stack(columns, axis=-1)


def complex_step(record: AxleRecord, a: Array, tilt: Sequence[Array | None] = (None, None)) -> AxleRecord:
    """The record a complex step farther along a (n, rates), the road as each wheel sees it tilting by (n, 3)."""
    return replace(record, left=moved(record.left, a, tilt[0]), right=moved(record.right, a, tilt[1]))


def imaginary(there: AxleRecord, order: Order) -> Values:
    """Derivatives of metrics of an order, at a record that went a complex step."""
    values, _ = quietly(there, [name for name, metric in METRICS.items() if metric.order == order])
    return {name: value.imag / STEP for name, value in values.items() if value.ndim == 1}


@dataclass(frozen=True, eq=False)
class Nearby:
    """Records at states of rest beside the design position, along the inputs of cases."""

    cases: Sequence[Case]
    record: AxleRecord  # at `SHARES` of a step, case after case
    steps: Array  # (cases,) nan where a state was not found

    def slope(self, number: int, values: Array) -> Array:
        """Derivative (1, ...) along a case at the design position, of order six; values (6 cases, ...)."""
        own = values[number * len(SHARES) : (number + 1) * len(SHARES)]
        return np.tensordot(WEIGHTS, own, axes=1)[None] / self.steps[number]

    def stepped(self, number: int, design: AxleRecord, there: AxleRecord) -> AxleRecord:
        """A record that went a complex step along a case, with compliance and loads that went it as well."""

        def farther(own: Complex | None, beside: Complex | None) -> Complex | None:
            return None if own is None or beside is None else own + 1j * STEP * self.slope(number, beside)

        near = self.record
        return replace(
            there,
            left=replace(there.left, load=farther(design.left.load, near.left.load)),
            right=replace(there.right, load=farther(design.right.load, near.right.load)),
            compliance=farther(design.compliance, near.compliance),
            compliance_without_bars=farther(design.compliance_without_bars, near.compliance_without_bars),
        )

    @cached_property
    def _velocities(self) -> Values:
        return quietly(self.record, [name for name, metric in METRICS.items() if metric.order == "velocity"])[0]

    def velocities(self, number: int) -> Values:
        """Derivatives of metrics of velocity along a case, by differences of the metrics themselves."""
        with np.errstate(invalid="ignore"):
            return {name: self.slope(number, column) for name, column in self._velocities.items()}


def nearby(stand: Stand, cases: Sequence[Case]) -> Nearby:
    """States of rest beside the design position, all found together."""
    made = joined_settings([setting(stand, case, STEPS[case.unit] * SHARES) for case in cases])
    rest, good = newton(stand.rig, repeated(stand.rest, len(SHARES) * len(cases)), made)
    found = good.reshape(len(cases), -1).all(axis=1)
    steps = np.where(found, [STEPS[case.unit] for case in cases], np.nan)
    return Nearby(cases, axle_record(stand, rest, made, second=False), steps)


def secants(stand: Stand, case: Case, h: float) -> dict[str, float]:
    """Slopes of all columns from one step before the design position to one after it; from it on where only that goes.

    None of them where a point cannot be reached.
    """
    ends = np.array([0.0, h] if case.one_sided else [-h, h])
    course = march(stand, [case], [ends])[0]
    if course.values.size < 2:
        return {}
    columns, _ = quietly(axle_record(stand, course.rest, course.setting, second=False))
    return {name: float((x[1] - x[0]) / (ends[1] - ends[0])) for name, x in columns.items() if x.ndim == 1}


def quietly(record: AxleRecord, names: list[str] | None = None) -> tuple[Values, dict[str, str]]:
    """All metrics of a record, and why some are missing; what is not defined at a point is nan, without a warning."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return evaluate_all(record, list(METRICS) if names is None else names)
