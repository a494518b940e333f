"""Integration of the full model in time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from scipy.integrate import DOP853

from precompute.arrays import Array, frozen_array
from precompute.errors import PrecomputeError
from precompute.reference.assembly import projected
from precompute.reference.bodies import FullState, quaternion_rate, split_rates
from precompute.reference.chassis import ChassisState, TwistHistory
from precompute.reference.dynamics import body_accelerations
from precompute.reference.inputs import Drive, Inputs, LoadHistory
from precompute.reference.measures import measure_motion
from precompute.reference.model import FullModel, violation
from precompute.reference.recording import FullMotion, recorded

RTOL = 1e-11  # relative tolerance of the integrator
ATOL = 1e-12  # absolute tolerance, times the size of the mechanism for lengths
DRIFT = 1e-10  # constraint error at which positions and velocities are projected, between output times too


def simulate(
    model: FullModel,
    state: FullState,
    times: Sequence[float] | Array,
    loads: LoadHistory | None = None,
    rtol: float = RTOL,
    chassis: TwistHistory | None = None,
    drives: Mapping[str, Drive] | None = None,
) -> FullMotion:
    """Integrate the equations of motion.

    On a moving chassis the state is that of `on_chassis`; its pose is integrated from the twist.

    Args:
        model: the full model.
        state: an assembled state with consistent velocity, at the first of the times.
        times: (nt,) output times, ascending [s].  Where loads jump in time there should be one.
        loads: external loads over time.
        rtol: relative tolerance of the integrator.
        chassis: twist of the chassis and its derivative over time, in chassis axes; None: at rest.
        drives: values, rates and accelerations of driven coordinates over time, by name.

    Raises:
        PrecomputeError: the integrator gave up, with the time.
    """
    t = frozen_array(times, what="times")
    if t.ndim != 1 or t.size == 0 or not (np.diff(t) > 0.0).all():
        raise ValueError("the output times must be one or more numbers that ascend")
    inputs = Inputs(loads, chassis, drives or {})
    states = [settled(model, unpacked(model, packed(state), inputs, float(t[0])), inputs, float(t[0]))]
    for t0, t1 in zip(t[:-1], t[1:], strict=True):
        states.append(advanced(model, states[-1], float(t0), float(t1), inputs, rtol))
    return recorded(model, t, states, inputs)


# -- integration ------------------------------------------------------------------------------------------------------


def advanced(model: FullModel, state: FullState, t0: float, t1: float, inputs: Inputs, rtol: float) -> FullState:
    """The state at t1, projected on the constraints there and wherever the drift asks for it."""

    def derivative(t: float, y: Array) -> Array:
        return state_rate(model, unpacked(model, y, inputs, t), inputs, t)

    while t0 < t1:
        solver = DOP853(derivative, t0, packed(state), t1, rtol=rtol, atol=tolerances(model))
        while solver.status == "running":
            message = solver.step()
            held = driven_values(model, inputs, solver.t)[0]
            if violation(model, unpacked(model, solver.y, inputs, solver.t), held) > DRIFT:
                break
        if solver.status == "failed":
            raise PrecomputeError(
                f"mechanism '{model.mechanism.name}': the full model stopped at t = {solver.t:.9g} s of {t1:.9g} s, "
                f"step {solver.step_size or 0.0:.3g} s: {message} Look for a dead point or a force that jumps."
            )
        t0, state = solver.t, settled(model, unpacked(model, solver.y, inputs, solver.t), inputs, solver.t)
    return state


def driven_values(model: FullModel, inputs: Inputs, t: float) -> Array:
    """(3, nc) value, rate and acceleration of driven coordinates, nan for the others."""
    return inputs.driven(t, [c.name for c in model.coordinates])


def settled(model: FullModel, state: FullState, inputs: Inputs, t: float) -> FullState:
    """The state projected on constraints and drives."""
    held, rates, _ = driven_values(model, inputs, t)
    return projected(model, state, held, rates)


def state_rate(model: FullModel, state: FullState, inputs: Inputs, t: float) -> Array:
    """(13 nb + 7 + na,) time derivative of the packed state; angles are integrated to count their turns."""
    measured = measure_motion(model.measures, state)
    driven = driven_values(model, inputs, t)[2]
    wd, vd = split_rates(body_accelerations(model, state, measured, inputs.load(t), driven))
    angle_rates = measured.angle_rates
    c = state.chassis
    turning = quaternion_rate(c.quaternion[None], c.twist[None, :3])
    parts = (state.v, quaternion_rate(state.quaternion, state.w), vd, wd, c.velocity, turning, angle_rates)
    return np.concatenate([part.ravel() for part in parts])


def packed(state: FullState) -> Array:
    """(13 nb + 7 + na,) all numbers of a state that are integrated."""
    c = state.chassis
    parts = (state.r, state.quaternion, state.v, state.w, c.p, c.quaternion, state.angles)
    return np.concatenate([x.ravel() for x in parts])


def unpacked(model: FullModel, y: Array, inputs: Inputs, t: float) -> FullState:
    """The state with these numbers, on the chassis that moves as the inputs say."""
    nb = len(model.bodies.names)
    ends = np.cumsum([3 * nb, 4 * nb, 3 * nb, 3 * nb, 3, 4])
    r, quaternion, v, w, p, turn, angles = np.split(y, ends)
    shape = (nb, 3)
    chassis = ChassisState(p, turn / np.linalg.norm(turn), *inputs.twist(t))
    return FullState(r.reshape(shape), quaternion.reshape(nb, 4), v.reshape(shape), w.reshape(shape), angles, chassis)


def tolerances(model: FullModel) -> Array:
    """(13 nb + 7 + na,) absolute tolerances of the packed state."""
    nb, na = len(model.bodies.names), model.measures.angles.shape[1]
    kinds = [model.size, 1.0, model.size, 1.0, model.size, 1.0, 1.0]
    return ATOL * np.repeat(kinds, [3 * nb, 4 * nb, 3 * nb, 3 * nb, 3, 4, na])
