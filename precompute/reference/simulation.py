"""Integration of the full model in time.

The method is DOP853; where elements make states or bodies follow so fast that its steps would be bound by that, it is
Radau's, whose estimate of its error is of third order where its solution is of fifth: so it gets a tolerance less
tight.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy.integrate import DOP853, Radau

from precompute.arrays import Array, frozen_array
from precompute.errors import NoResponseError, PrecomputeError
from precompute.reference.assembly import projected, rank_of
from precompute.reference.bodies import FullState, quaternion_rate, split_rates
from precompute.reference.cams.passing import holding, passed
from precompute.reference.chassis import ChassisState, TwistHistory
from precompute.reference.devices.swift import swiftest
from precompute.reference.dynamics import answered, body_accelerations
from precompute.reference.inputs import Drive, Inputs, LoadHistory
from precompute.reference.least_motion import least_motion
from precompute.reference.measures import measure_motion
from precompute.reference.model import FullModel, coordinate_units, jacobian, moved, rigid, violation
from precompute.reference.recording import FullMotion, recorded
from precompute.reference.states import carried

RTOL = 1e-11  # relative tolerance of the integrator
ATOL = 1e-12  # absolute tolerance, times the size of the mechanism for lengths
DRIFT = 1e-10  # constraint error at which positions and velocities are projected, between output times too
STIFF = 2e4  # rate [1/s] at which elements make states or bodies follow, above which the method is Radau's
ITS_SHARE = 0.75  # exponent of a tolerance that makes it Radau's
FARTHEST = 0.5  # of any body in a step of the integrator [size of the mechanism, or rad]
CHATTER, PAUSE = 300, 1e-8  # so many steps in a row that are this short on average [s] end at no time


@dataclass(frozen=True, eq=False)
class Piece:
    """A stretch of time over which inputs are smooth; they may jump where the next begins."""

    start: float  # [s]
    end: float
    inputs: Inputs


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
    first = unpacked(model, packed(state), inputs, float(t[0]), state.guess)
    states = [settled(model, first, inputs, float(t[0]), usual_rank(model, first, inputs, float(t[0])))]
    for t0, t1 in zip(t[:-1], t[1:], strict=True):
        states.append(advanced(model, states[-1], float(t0), float(t1), inputs, rtol))
    return recorded(model, t, states, inputs)


def followed(model: FullModel, state: FullState, pieces: Iterable[Piece], rtol: float = RTOL) -> Iterator[FullState]:
    """The states at the ends of pieces that follow one another, from an assembled state at the start of the first.

    Where a piece begins, driven coordinates are where its inputs say; all others, and all rates relative to the
    chassis, stay as they are.

    Raises:
        PrecomputeError: the integrator gave up, with the time.
    """
    for piece in pieces:
        state = entered(model, state, piece.inputs, piece.start)
        state = advanced(model, state, piece.start, piece.end, piece.inputs, rtol)
        yield state


def entered(model: FullModel, state: FullState, inputs: Inputs, t: float) -> FullState:
    """A state under other inputs: on the chassis that moves as they say, with drives where they say.

    What drives leap by is a motion, and what their rates leap by a velocity, of the mechanism with its stiff directions
    locked: so deflections stay as they are but for a share of the leap as small as they are themselves.
    """
    state = carried(state, *inputs.twist(t))
    if not inputs.drives:
        return state
    held, rates, _ = driven_values(model, inputs, t)
    measured, own = measure_motion(model.measures, state), slice(model.first_coordinate, None)
    held, rates = (
        np.where(np.isnan(given), now[own], given) for given, now in ((held, measured.values), (rates, measured.rates))
    )
    locked = rigid(model)
    most, none = rank_of(locked, model.design, held), np.zeros(len(locked.labels))

    def leap(state: FullState, by: Array) -> Array:
        right = np.concatenate([none, by * coordinate_units(model)])
        return least_motion(jacobian(locked, state, held), right, most=most)

    state = moved(model, state, leap(state, held - measured.values[own]))
    w, v = split_rates(state.u + leap(state, rates - measured.rates[own]) * model.unit)
    return projected(model, replace(state, v=v, w=w), held, rates, rank_of(model, model.design, held))


# -- integration ------------------------------------------------------------------------------------------------------


def advanced(model: FullModel, state: FullState, t0: float, t1: float, inputs: Inputs, rtol: float) -> FullState:
    """The state at t1, projected on the constraints there and wherever the drift asks for it."""
    rank, model = usual_rank(model, state, inputs, t0), holding(model, state)
    while t0 < t1:
        rates = _Rates(model, inputs, rank, state.guess)
        driven = driven_values(model, inputs, t0)[2]
        swift = swiftest(model, state, inputs.load(t0), driven, rank, STIFF)
        longest, stiff = longest_step(model, state), swift > STIFF
        method, own = (Radau, rtol**ITS_SHARE) if stiff else (DOP853, rtol)
        solver = method(rates, t0, packed(state), t1, max_step=longest, rtol=own, atol=own / rtol * tolerances(model))
        begun, steps, on = t0, 0, None
        while solver.status == "running":
            message = solver.step()
            steps += 1
            if steps % CHATTER == 0:
                check_progress(model, solver, begun)
                begun = solver.t
            there = remembered(model, rates.state(solver.t, solver.y), inputs, solver.t)
            if on := passed(model, solver, rates.state):
                break
            state = replace(state, guess=there.guess)
            rates.guess = there.guess
            if violation(model, there, driven_values(model, inputs, solver.t)[0]) > DRIFT:
                break
            solver.max_step = longest_step(model, there)
        if solver.status == "failed":
            raise PrecomputeError(
                f"mechanism '{model.mechanism.name}': the full model stopped at t = {solver.t:.9g} s of {t1:.9g} s, "
                f"step {solver.step_size or 0.0:.3g} s: {message}{rates.refused} Look for a dead point or a force that "
                "jumps."
            )
        t0, there, model = on or (solver.t, there, model)
        state = settled(model, there, inputs, t0, rank)
    return state


@dataclass(eq=False)
class _Rates:
    """What an integrator integrates: the time derivative of the packed state, nan where a formula has no value."""

    model: FullModel
    inputs: Inputs
    rank: int
    guess: Array  # (nu,) where to look for unknowns
    refused: str = ""  # why a step that was tried had no derivative: it is taken shorter

    def state(self, t: float, y: Array) -> FullState:
        """That with some numbers."""
        return unpacked(self.model, y, self.inputs, t, self.guess)

    def __call__(self, t: float, y: Array) -> Array:
        """At a state that is tried."""
        if not np.isfinite(y).all():
            if self.refused:  # by an earlier stage of the step
                return np.full(y.size, np.nan)
            raise PrecomputeError(f"mechanism '{self.model.mechanism.name}': the full model diverged at t = {t:.9g} s")
        try:
            return state_rate(self.model, self.state(t, y), self.inputs, t, self.rank)
        except NoResponseError as error:
            self.refused = f" {error}."
            return np.full(y.size, np.nan)


def check_progress(model: FullModel, solver: DOP853 | Radau, before: float) -> None:
    """Raise an error where the time has hardly gone on since `CHATTER` steps."""
    if solver.t < solver.t_bound and solver.t - before < CHATTER * PAUSE:
        raise PrecomputeError(
            f"mechanism '{model.mechanism.name}': the full model does not get on at t = {solver.t:.9g} s, step "
            f"{solver.step_size or 0.0:.3g} s. Look for a force that jumps against the motion, such as "
            "if(s_rate > 0, -F, F): sign(s_rate, width) rounds it."
        )


def remembered(model: FullModel, state: FullState, inputs: Inputs, t: float) -> FullState:
    """The state, with its unknowns where they are: near them they are sought from then on."""
    if not state.guess.size:
        return state
    measured, driven = measure_motion(model.measures, state), driven_values(model, inputs, t)[2]
    return replace(state, guess=answered(model, state, measured, inputs.load(t), driven).unknowns)


def usual_rank(model: FullModel, state: FullState, inputs: Inputs, t: float) -> int:
    """Rank that the constraints have when they are closed: at this state or, if it is a singular one, at design."""
    held = driven_values(model, inputs, t)[0]
    return max(rank_of(model, state, held), rank_of(model, model.design, held))


def longest_step(model: FullModel, state: FullState) -> float:
    """So long that no body turns or goes farther than a part of a turn or of the size [s]."""
    relative = np.abs(state.v - state.chassis.velocity).max(initial=0.0) / model.size
    fastest = max(float(np.abs(state.w).max(initial=0.0)), float(relative))
    return FARTHEST / fastest if fastest > 0.0 else np.inf


def driven_values(model: FullModel, inputs: Inputs, t: float) -> Array:
    """(3, nc) value, rate and acceleration of driven coordinates, nan for the others."""
    return inputs.driven(t, [c.name for c in model.coordinates])


def settled(model: FullModel, state: FullState, inputs: Inputs, t: float, rank: int) -> FullState:
    """The state projected on constraints and drives."""
    held, rates, _ = driven_values(model, inputs, t)
    return projected(model, state, held, rates, rank)


def state_rate(model: FullModel, state: FullState, inputs: Inputs, t: float, rank: int | None = None) -> Array:
    """(13 nb + 7 + na + nx,) time derivative of the packed state; angles are integrated to count their turns."""
    measured, load = measure_motion(model.measures, state), inputs.load(t)
    driven = driven_values(model, inputs, t)[2]
    response = answered(model, state, measured, load, driven, rank)
    wd, vd = split_rates(body_accelerations(model, state, measured, load, driven, response, rank))
    angle_rates = measured.angle_rates
    c = state.chassis
    turning = quaternion_rate(c.quaternion[None], c.twist[None, :3])
    moving = (state.v, quaternion_rate(state.quaternion, state.w), vd, wd, c.velocity, turning)
    return np.concatenate([part.ravel() for part in (*moving, angle_rates, response.rate)])


def packed(state: FullState) -> Array:
    """(13 nb + 7 + na + nx,) all numbers of a state that are integrated."""
    c = state.chassis
    parts = (state.r, state.quaternion, state.v, state.w, c.p, c.quaternion, state.angles, state.devices)
    return np.concatenate([x.ravel() for x in parts])


def unpacked(model: FullModel, y: Array, inputs: Inputs, t: float, guess: Array) -> FullState:
    """The state with these numbers, on the chassis that moves as the inputs say; and where to look for unknowns."""
    nb, na = len(model.bodies.names), model.measures.angles.shape[1]
    ends = np.cumsum([3 * nb, 4 * nb, 3 * nb, 3 * nb, 3, 4, na])
    r, quaternion, v, w, p, turn, angles, devices = np.split(y, ends)
    r, v, w = (x.reshape(nb, 3) for x in (r, v, w))
    chassis = ChassisState(p, turn / np.linalg.norm(turn), *inputs.twist(t))
    return FullState(r, quaternion.reshape(nb, 4), v, w, angles, chassis, devices, guess)


def tolerances(model: FullModel) -> Array:
    """(13 nb + 7 + na + nx,) absolute tolerances of the packed state."""
    nb, na = len(model.bodies.names), model.measures.angles.shape[1]
    kinds = [model.size, 1.0, model.size, 1.0, model.size, 1.0, 1.0, 1.0]
    return ATOL * np.repeat(kinds, [3 * nb, 4 * nb, 3 * nb, 3 * nb, 3, 4, na, len(model.devices.states)])
