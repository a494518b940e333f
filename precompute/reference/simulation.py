"""Integration of the full model in time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.integrate import DOP853

from precompute.arrays import Array, frozen_array
from precompute.errors import PrecomputeError
from precompute.reference.assembly import projected
from precompute.reference.bodies import FullState, feature_motion, quaternion_rate, split_rates
from precompute.reference.dynamics import (
    LoadHistory,
    Loads,
    body_accelerations,
    kinetic_energy,
    law_forces,
    potential_energy,
)
from precompute.reference.measures import measure_motion
from precompute.reference.model import FullModel, violation

RTOL = 1e-11  # relative tolerance of the integrator
ATOL = 1e-12  # absolute tolerance, times the size of the mechanism for lengths
DRIFT = 1e-10  # constraint error at which positions and velocities are projected, between output times too


@dataclass(frozen=True, eq=False)
class MarkerMotion:
    """Motion of a marker in G."""

    p: Array  # (nt, 3) position [m]
    R: Array  # (nt, 3, 3) R_GM
    v: Array  # (nt, 3) velocity [m/s]
    w: Array  # (nt, 3) angular velocity [rad/s]


@dataclass(frozen=True, eq=False)
class ScalarMotion:
    """History of a measure, and of the force on it."""

    value: Array  # (nt,) [m or rad]; angles counted over whole turns
    rate: Array  # (nt,) [m/s or rad/s]
    force: Array  # (nt,) [N or N m], positive if it makes the measure grow; of a coordinate, zero


@dataclass(frozen=True, eq=False)
class FullMotion:
    """Result of a simulation at nt output times."""

    t: Array  # (nt,) [s]
    states: tuple[FullState, ...]
    markers: dict[str, MarkerMotion]
    springs: dict[str, ScalarMotion]
    dampers: dict[str, ScalarMotion]
    coordinates: dict[str, ScalarMotion]
    kinetic: Array  # (nt,) [J]
    potential: Array  # (nt,) [J] springs with stops, gravity
    residual: Array  # (nt,) largest constraint error [size of the mechanism, or rad]

    @property
    def energy(self) -> Array:
        """(nt,) kinetic and potential energy [J]."""
        return self.kinetic + self.potential


def simulate(
    model: FullModel,
    state: FullState,
    times: Sequence[float] | Array,
    loads: LoadHistory | None = None,
    rtol: float = RTOL,
) -> FullMotion:
    """Integrate the equations of motion.

    Args:
        model: the full model.
        state: an assembled state with consistent velocity, at the first of the times.
        times: (nt,) output times, ascending [s].  Where loads jump in time there should be one.
        loads: external loads over time.
        rtol: relative tolerance of the integrator.

    Raises:
        PrecomputeError: the integrator gave up, with the time.
    """
    t = frozen_array(times, what="times")
    if t.ndim != 1 or t.size == 0 or not (np.diff(t) > 0.0).all():
        raise ValueError("the output times must be one or more numbers that ascend")
    states = [projected(model, state)]
    for t0, t1 in zip(t[:-1], t[1:], strict=True):
        states.append(advanced(model, states[-1], float(t0), float(t1), loads, rtol))
    return recorded(model, t, states)


# -- integration ------------------------------------------------------------------------------------------------------


def advanced(
    model: FullModel, state: FullState, t0: float, t1: float, loads: LoadHistory | None, rtol: float
) -> FullState:
    """The state at t1, projected on the constraints there and wherever the drift asks for it."""

    def derivative(t: float, y: Array) -> Array:
        return state_rate(model, unpacked(model, y), Loads() if loads is None else loads(t))

    while t0 < t1:
        solver = DOP853(derivative, t0, packed(state), t1, rtol=rtol, atol=tolerances(model))
        while solver.status == "running":
            message = solver.step()
            if violation(model, unpacked(model, solver.y)) > DRIFT:
                break
        if solver.status == "failed":
            raise PrecomputeError(
                f"mechanism '{model.mechanism.name}': the full model stopped at t = {solver.t:.9g} s of {t1:.9g} s, "
                f"step {solver.step_size or 0.0:.3g} s: {message} Look for a dead point or a force that jumps."
            )
        t0, state = solver.t, projected(model, unpacked(model, solver.y))
    return state


def state_rate(model: FullModel, state: FullState, load: Loads) -> Array:
    """(13 nb + na,) time derivative of the packed state; angles are integrated to count their turns."""
    measured = measure_motion(model.measures, state)
    wd, vd = split_rates(body_accelerations(model, state, measured, load))
    angle_rates = (measured.gradients @ state.u)[model.measures.is_angle]
    parts = (state.v, quaternion_rate(state.quaternion, state.w), vd, wd, angle_rates)
    return np.concatenate([part.ravel() for part in parts])


def packed(state: FullState) -> Array:
    """(13 nb + na,) all numbers of a state."""
    return np.concatenate([x.ravel() for x in (state.r, state.quaternion, state.v, state.w, state.angles)])


def unpacked(model: FullModel, y: Array) -> FullState:
    """The state with these numbers."""
    nb = len(model.bodies.names)
    r, quaternion, v, w, angles = np.split(y, np.array([3, 7, 10, 13]) * nb)
    return FullState(r.reshape(nb, 3), quaternion.reshape(nb, 4), v.reshape(nb, 3), w.reshape(nb, 3), angles)


def tolerances(model: FullModel) -> Array:
    """(13 nb + na,) absolute tolerances of the packed state."""
    nb, na = len(model.bodies.names), int(model.measures.is_angle.sum())
    size = np.repeat([model.size, 1.0, model.size, 1.0, 1.0], [3 * nb, 4 * nb, 3 * nb, 3 * nb, na])
    return ATOL * size


# -- results ----------------------------------------------------------------------------------------------------------


def recorded(model: FullModel, t: Array, states: Sequence[FullState]) -> FullMotion:
    """All outputs at all states."""
    springs, dampers = model.mechanism.springs, model.mechanism.dampers
    names = [s.name for s in springs] + [d.name for d in dampers] + [c.name for c in model.coordinates]
    named = list(zip(names, scalar_motions(model, states), strict=True))
    return FullMotion(
        t=t,
        states=tuple(states),
        markers=marker_motions(model, states),
        springs=dict(named[: len(springs)]),
        dampers=dict(named[len(springs) : model.first_coordinate]),
        coordinates=dict(named[model.first_coordinate :]),
        kinetic=np.array([kinetic_energy(model, state) for state in states]),
        potential=np.array([potential_energy(model, state) for state in states]),
        residual=np.array([violation(model, state) for state in states]),
    )


def scalar_motions(model: FullModel, states: Sequence[FullState]) -> list[ScalarMotion]:
    """Value, rate and force of every measure: springs, dampers, coordinates."""
    measured = [measure_motion(model.measures, state) for state in states]
    value = np.array([m.values for m in measured])
    rate = np.array([m.gradients @ state.u for m, state in zip(measured, states, strict=True)])
    force = np.zeros_like(value)
    for k, (m, state) in enumerate(zip(measured, states, strict=True)):
        force[k, : model.first_coordinate] = law_forces(model, state, m)
    return [ScalarMotion(value[:, i], rate[:, i], force[:, i]) for i in range(value.shape[1])]


def marker_motions(model: FullModel, states: Sequence[FullState]) -> dict[str, MarkerMotion]:
    """Pose and velocity of every marker."""
    motions = [feature_motion(model.markers, state) for state in states]
    result: dict[str, MarkerMotion] = {}
    for number, marker in enumerate(model.mechanism.markers, start=4):
        body = int(model.markers.body[number])
        R = np.array([m.R[number] for m in motions])
        w_B = np.array([np.vstack([state.w, np.zeros(3)])[body] for state in states])
        result[marker.name] = MarkerMotion(
            p=np.array([m.x[number] for m in motions]),
            R=R @ marker.R,
            v=np.array([m.xd[number] for m in motions]),
            w=(R @ w_B[..., None])[..., 0],
        )
    return result
