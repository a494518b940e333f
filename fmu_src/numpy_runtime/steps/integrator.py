"""Time integration with a fixed step.

Without stiff coordinates: explicit Runge-Kutta, chart after chart.  With them: linearly implicit, `rosenbrock` or
`midpoint`.
Where they are quasi-static: Runge-Kutta for the axes, with the deflections found in every evaluation.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from ...errors import FmuError, StepError, TableRangeError
from ...interface.inputs import drive_acceleration, held, take_drives
from ...model.reduced_model import Array
from ..dynamics import Runtime, acceleration, acceleration_at, mechanics, moving_force
from ..handover import border_ahead, hand_over, settled
from ..quasistatic import Relaxed, relax, relaxed_acceleration
from ..state import State
from ..tangent import linear_motion, near_motion
from .midpoint import midpoint_step, other_slopes, worn
from .rosenbrock import rosenbrock_step
from .step_end import beyond, check_end, over_charts, without_inertia
from .step_error import measured

MOST_SUBSTEPS = 1_000_000
"""More than this many substeps in one communication step is a mistake in `solver.step`, not a wish."""


@dataclass(frozen=True)
class Tableau:
    """Butcher tableau of an explicit method: k_i = f(y + h sum_j a_ij k_j), y + h sum_i b_i k_i."""

    a: tuple[tuple[float, ...], ...]  # row i has i entries
    b: tuple[float, ...]
    order: int


RK4 = Tableau(
    a=((), (1 / 2,), (0.0, 1 / 2), (0.0, 0.0, 1.0)),
    b=(1 / 6, 1 / 3, 1 / 3, 1 / 6),
    order=4,
)

MIDPOINT = Tableau(a=((), (1 / 2,)), b=(0.0, 1.0), order=2)

METHODS = {"rk4": RK4, "midpoint": MIDPOINT}


def rk_step(rates: Callable[[float, Array], Array], y: Array, h: float, tableau: Tableau = RK4) -> Array:
    """One step of an explicit Runge-Kutta method for ydot = rates(tau, y).

    Args:
        rates: the right-hand side; tau is the time after the start of the step [s].
        y: (n,) state at the start of the step.
        h: step [s].
        tableau: the method.

    Returns:
        (n,) state at the end.
    """
    k = np.empty((len(tableau.b), y.size))
    for i, row in enumerate(tableau.a):
        k[i] = rates(h * sum(row), y + h * (np.array(row) @ k[:i]) if row else y)
    return y + h * (np.array(tableau.b) @ k)


def advance(
    charts: Sequence[Runtime],
    state: State,
    step: float,
    parameters: Sequence[float],
    inputs: Array,
    longest: float,
    check: bool = False,
) -> State:
    """Advance a state by one communication step, in equal substeps not longer than `longest`.

    Args:
        charts: the model.
        state: at the start of the step.
        step: communication step [s].
        parameters: values of all model parameters, constant over the step.
        inputs: at the start of the step, held as `inputs` says.
        longest: longest substep [s].
        check: whether the error of the step is to be measured, which changes nothing else.

    Returns:
        The state at the end of the step.

    Raises:
        StepError: a step size is not positive, or the motion diverged.
        TableRangeError: a coordinate has left its table.
    """
    count = substeps(step, longest)
    h, start, slots = step / count, state.time, charts[0].slots
    z, zd = take_drives(slots, state.z, state.zd, inputs)
    state = replace(state, z=z, zd=zd, error=0.0 if check else -1.0, pace=state.pace if check else 0.0)

    def substep(state: State, h: float, tau: float) -> State:
        return _substep(charts, state, h, parameters, held(slots, inputs, tau))

    with np.errstate(all="ignore"):  # what is not finite is found below and said in words
        for i in range(count):
            try:
                before, state = state, substep(state, h, i * h)
            except FmuError as error:
                time = start + i * h
                raise type(error)(f"between t = {time:.9g} s and {time + h:.9g} s: {error}") from None
            if check:
                half = partial(_half, substep, h, i * h)
                state = measured(charts[state.chart], before, state, h, half)
    return replace(state, time=start + step)


def _half(substep: Callable[[State, float, float], State], h: float, start: float, state: State, tau: float) -> State:
    """Half of the substep of the size h that starts at the time `start` [s], from a state in it at tau [s]."""
    return substep(state, 0.5 * h, start + tau)


def relaxed_state(charts: Sequence[Runtime], state: State, parameters: Sequence[float], inputs: Array) -> State:
    """The state with the deflections that its forces ask for, where these are quasi-static."""
    runtime = charts[state.chart]
    if not runtime.model.quasistatic:
        return state
    relaxed = relax(runtime, runtime.equations, state.z, state.zd, parameters, inputs)
    return replace(state, z=relaxed.at.z, zd=relaxed.zd)


def _substep(charts: Sequence[Runtime], state: State, h: float, parameters: Sequence[float], inputs: Array) -> State:
    """One step in the state's chart; where that leaves its table, in the chart ahead if that one reaches here."""
    try:
        moved = _step_in_chart(charts[state.chart], state, h, parameters, inputs)
    except TableRangeError as left:
        ahead = border_ahead(charts[state.chart], state.zd)
        if ahead is None:
            raise
        try:
            moved = hand_over(charts, state, ahead, parameters)
            moved = _step_in_chart(charts[moved.chart], moved, h, parameters, inputs)
        except TableRangeError:
            raise over_charts(charts[state.chart], left, h) from None
    return settled(charts, moved, parameters)


def _step_in_chart(runtime: Runtime, state: State, h: float, parameters: Sequence[float], inputs: Array) -> State:
    """One step of the model's method; its end is one that can be used."""
    if runtime.model.quasistatic:
        step = _quasistatic_step
    elif runtime.model.stiff:
        step = _midpoint_step if runtime.model.method == "midpoint" else _implicit_step
    else:
        step = _explicit_step
    try:
        moved = step(runtime, state, h, parameters, inputs)
        check_end(runtime, moved.z, moved.zd, h)
    except TableRangeError as left:
        raise beyond(runtime, left, state.z, h) from None
    except StepError as error:
        raise without_inertia(error) from None
    return moved


def _explicit_step(runtime: Runtime, state: State, h: float, parameters: Sequence[float], inputs: Array) -> State:
    nz = runtime.nz

    def rates(tau: float, y: Array) -> Array:
        now = held(runtime.slots, inputs, tau)
        return np.concatenate((y[nz:], acceleration(runtime, y[:nz], y[nz:], parameters, now, state.lap)))

    y = rk_step(rates, np.concatenate((state.z, state.zd)), h, METHODS[runtime.model.method])
    return replace(state, z=y[:nz], zd=y[nz:])


def _implicit_step(runtime: Runtime, state: State, h: float, parameters: Sequence[float], inputs: Array) -> State:
    def zdd(tau: float, z: Array, zd: Array) -> Array:
        return acceleration(runtime, z, zd, parameters, held(runtime.slots, inputs, tau))

    at = mechanics(runtime, state.z)
    first = acceleration_at(runtime, at, state.zd, parameters, inputs)
    linear = linear_motion(runtime, at, state.zd, parameters, inputs)
    z, zd = rosenbrock_step(zdd, first, linear, state.z, state.zd, h)
    return replace(state, z=z, zd=zd)


def _midpoint_step(runtime: Runtime, state: State, h: float, parameters: Sequence[float], inputs: Array) -> State:
    zdd, before = (np.zeros(runtime.nz) if a is None else a for a in (state.zdd, state.zdd_before))
    inputs, zd = held(runtime.slots, inputs, 0.5 * h), state.zd + 0.5 * h * zdd
    at = mechanics(runtime, state.z + 0.5 * h * state.zd)
    force = moving_force(runtime, at, zd, parameters, inputs)
    force[runtime.driven] = drive_acceleration(runtime.slots, at.z, zd, inputs)
    now, then = near_motion(runtime, at, zd, parameters), None
    if not worn(runtime, state, at.z) and state.z_then is not None and state.zd_then is not None:
        there = mechanics(runtime, state.z_then)
        if not other_slopes(runtime, there, state.zd_then, at, zd, parameters):
            then = near_motion(runtime, there, state.zd_then, parameters)
    if then is None:
        state = replace(state, age=0, z_then=at.z, zd_then=zd)
    else:
        force -= (now.M - then.M) @ (2.0 * zdd - before)  # (2a)
    z1, zd1 = midpoint_step(force, then or now, state.z, state.zd, zdd, h)
    return replace(state, z=z1, zd=zd1, zdd=(zd1 - state.zd) / h, zdd_before=zdd, age=state.age + 1)


def _quasistatic_step(runtime: Runtime, state: State, h: float, parameters: Sequence[float], inputs: Array) -> State:
    """Runge-Kutta for the axes; the deflections at the end are in equilibrium with the inputs held so long."""
    nf, last = runtime.nf, state.z[runtime.nf :]

    def relaxed(tau: float, y: Array) -> tuple[Relaxed, Array]:
        nonlocal last
        now = held(runtime.slots, inputs, tau)
        z, zd = np.concatenate((y[:nf], last)), np.concatenate((y[nf:], np.zeros(last.size)))
        found = relax(runtime, runtime.equations, z, zd, parameters, now)
        last = found.at.z[nf:]
        return found, now

    def rates(tau: float, y: Array) -> Array:
        found, now = relaxed(tau, y)
        return np.concatenate((y[nf:], relaxed_acceleration(runtime, found, parameters, now)[0]))

    y = rk_step(rates, np.concatenate((state.z[:nf], state.zd[:nf])), h, METHODS[runtime.model.method])
    end = relaxed(h, y)[0]
    return replace(state, z=end.at.z, zd=end.zd)


def substeps(step: float, longest: float) -> int:
    """How many equal substeps a communication step needs.

    Raises:
        StepError: a step size is not positive and finite, or there would be absurdly many substeps.
    """
    if not (0.0 < step < math.inf):
        raise StepError(f"the communication step is {step:.9g} s; it must be positive and finite")
    if not (0.0 < longest < math.inf):
        raise StepError(f"parameter 'solver.step' is {longest:.9g} s; it must be positive and finite")
    ratio = step / longest
    if ratio > MOST_SUBSTEPS:
        raise StepError(
            f"a communication step of {step:.9g} s needs {ratio:.3g} substeps of 'solver.step' = {longest:.9g} s, "
            f"more than {MOST_SUBSTEPS}; take shorter communication steps, or enlarge 'solver.step'"
        )
    return max(1, math.ceil(ratio * (1.0 - 1e-9)))  # a ratio of 1 + rounding is one substep
