"""Measures of which the full model knows the value alone: enough to read them, not to act on them.

`Measure`, `FullState` -> value, from where the bodies are; and its rate, from where they are a moment before and after.
Others have forms with exact gradients, see `measures`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from precompute.arrays import Array
from precompute.errors import PrecomputeError
from precompute.model.mechanism import BushingDeflection, Measure, Mechanism
from precompute.reference.bodies import Bodies, FullState, turned
from precompute.reference.bushings import cardan_angles, rotation_vectors
from precompute.reference.measures import all_measures, has_form, measure_motion

STEP = 1e-3  # motion from one state to the next, for the rate [rad, or size of the mechanism]
WEIGHTS = {-2: 1.0, -1: -8.0, 1: 8.0, 2: -1.0}  # of differences of fourth order, times 12


@dataclass(frozen=True, eq=False)
class Where:
    """The bodies of a state, seen from the ground."""

    bodies: Bodies
    state: FullState

    def rotation(self, body: str) -> Array:
        """(3, 3) of a body since design."""
        return self.state.chassis.R.T @ self.state.R[self.bodies.index(body)]

    def point(self, body: str, p: Array) -> Array:
        """(3,) where the point of a body is that was at p at design [m]."""
        chassis, number = self.state.chassis, self.bodies.index(body)
        if number == len(self.bodies.names):
            return p
        centre = chassis.R.T @ (self.state.r[number] - chassis.p)
        return centre + self.rotation(body) @ (p - self.bodies.com[number])


def bushing_deflection(mechanism: Mechanism, at: Where, of: BushingDeflection) -> float:
    """Along an axis of the parent, or a component of the rotation vector, or a Cardan angle."""
    bushing, axis = mechanism.bushing(of.bushing), of.index % 3
    if of.index < 3:
        gap = at.point(bushing.child, bushing.p) - at.point(bushing.parent, bushing.p)
        return float((at.rotation(bushing.parent) @ bushing.R)[:, axis] @ gap)
    if bushing.law == "cardan":
        E = at.rotation(bushing.parent) @ bushing.R
        return float(cardan_angles((E.T @ at.rotation(bushing.child) @ bushing.R)[None])[0, axis])
    parent, child = (np.array([at.bodies.index(body)]) for body in (bushing.parent, bushing.child))
    return float(bushing.R[:, axis] @ rotation_vectors(at.state, parent, child)[0])


METRICS: dict[type[Measure], Callable[[Mechanism, Where, Any], float]] = {
    BushingDeflection: bushing_deflection,
}
"""The value of each kind of measure that has no form."""


def metric_value(mechanism: Mechanism, bodies: Bodies, state: FullState, measure: Measure) -> float:
    """The value of a measure that has no form, or of which a term has none [m or rad]."""
    return sum(factor * term_value(mechanism, bodies, state, term) for factor, term in measure.terms)


def term_value(mechanism: Mechanism, bodies: Bodies, state: FullState, term: Measure) -> float:
    """The value of one term of a measure; an angle between -pi and pi."""
    if has_form(term):
        single = all_measures(mechanism, bodies, [term])
        principal = replace(state, angles=np.zeros(single.angles.shape[1]))
        return float(measure_motion(single, principal).values[0])
    if type(term) not in METRICS:
        raise PrecomputeError(f"the full model does not know how to measure the {term.name}")
    return METRICS[type(term)](mechanism, Where(bodies, state), term)


def metric_rate(mechanism: Mechanism, bodies: Bodies, state: FullState, measure: Measure, size: float) -> float:
    """Its rate, by differences along the motion [m/s or rad/s].

    Args:
        mechanism: whose measure it is.
        bodies: of the full model.
        state: the state.
        measure: the measure.
        size: of the mechanism [m].
    """
    c = state.chassis
    speeds = (np.abs(state.w), np.abs(c.twist[:3]), np.abs(state.v) / size, np.abs(c.twist[3:]) / size)
    fastest = max(float(x.max(initial=0.0)) for x in speeds)
    if fastest == 0.0:
        return 0.0
    h = STEP / fastest
    values = {k: metric_value(mechanism, bodies, later(state, k * h), measure) for k in WEIGHTS}
    return sum(weight * values[k] for k, weight in WEIGHTS.items()) / (12.0 * h)


def later(state: FullState, t: float) -> FullState:
    """Where all is after a time t [s], each body and the ground at constant velocity."""
    c = state.chassis
    there = replace(c, p=c.p + t * c.velocity, quaternion=turned(c.quaternion[None], t * c.twist[None, :3])[0])
    return replace(state, r=state.r + t * state.v, quaternion=turned(state.quaternion, t * state.w), chassis=there)
