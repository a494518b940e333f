"""Time integration with a fixed step.

Without stiff coordinates: explicit Runge-Kutta, chart after chart, unless devices are too fast for that.  With them:
linearly implicit, `rosenbrock` or `midpoint`.  Where they are quasi-static: Runge-Kutta for the axes, with the
deflections found in every evaluation.  `methods` has a step of each.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from ...errors import FmuError, StepError, TableRangeError
from ...interface.inputs import held, take_drives
from ...model.reduced_model import Array
from ..dynamics import Runtime
from ..handover import border_ahead, hand_over, settled
from ..quasistatic import relax
from ..state import State
from .borders import step_over
from .methods import method_of
from .step_end import beyond, check_end, over_charts, without_inertia
from .step_error import measured

Watch = Callable[[State, State, float], None]
"""Gets the states before, with its time, and after a substep, and its size [s]."""

MOST_SUBSTEPS = 1_000_000
"""More than this many substeps in one communication step is a mistake in `solver.step`, not a wish."""


def advance(
    charts: Sequence[Runtime],
    state: State,
    step: float,
    parameters: Sequence[float],
    inputs: Array,
    longest: float,
    check: bool = False,
    watch: Watch | None = None,
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
        watch: looks at each substep.

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

    def plain(state: State, h: float, tau: float) -> State:
        return _substep(charts, state, h, parameters, held(slots, inputs, tau))

    def substep(state: State, h: float, tau: float) -> State:
        return step_over(charts[0], plain, state, h, tau)

    with np.errstate(all="ignore"):  # what is not finite is found below and said in words
        for i in range(count):
            try:
                before, state = state, substep(state, h, i * h)
            except FmuError as error:
                time = start + i * h
                raise type(error)(f"between t = {time:.9g} s and {time + h:.9g} s: {error}") from None
            if watch is not None:
                watch(replace(before, time=start + i * h), state, h)
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
    relaxed = relax(runtime, runtime.equations, state.z, state.zd, parameters, inputs, state.memory)
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
    try:
        moved = method_of(runtime)(runtime, state, h, parameters, inputs)
        check_end(runtime, moved.z, moved.zd, h)
    except TableRangeError as left:
        raise beyond(runtime, left, state.z, h) from None
    except StepError as error:
        raise without_inertia(error) from None
    return moved


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
