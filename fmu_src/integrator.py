"""Time integration: explicit Runge-Kutta with a fixed step, chart after chart."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from .dynamics import Runtime, acceleration
from .errors import FmuError, StepError, TableRangeError
from .handover import border_ahead, hand_over, settled
from .reduced_model import Array
from .state import State

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


def rk_step(rates: Callable[[Array], Array], y: Array, h: float, tableau: Tableau = RK4) -> Array:
    """One step of an explicit Runge-Kutta method for ydot = rates(y).

    Args:
        rates: the right-hand side.
        y: (n,) state at the start of the step.
        h: step [s].
        tableau: the method.

    Returns:
        (n,) state at the end.
    """
    k = np.empty((len(tableau.b), y.size))
    for i, row in enumerate(tableau.a):
        k[i] = rates(y + h * (np.array(row) @ k[:i]) if row else y)
    return y + h * (np.array(tableau.b) @ k)


def advance(
    charts: Sequence[Runtime], state: State, step: float, parameters: Sequence[float], inputs: Array, longest: float
) -> State:
    """Advance a state by one communication step, in equal substeps not longer than `longest`.

    Args:
        charts: the model.
        state: at the start of the step.
        step: communication step [s].
        parameters: values of all model parameters, constant over the step.
        inputs: (nz + 6 np,) constant over the step.
        longest: longest substep [s].

    Returns:
        The state at the end of the step.

    Raises:
        StepError: a step size is not positive, or the motion diverged.
        TableRangeError: a coordinate has left its table.
    """
    count = substeps(step, longest)
    h, start = step / count, state.time
    with np.errstate(all="ignore"):  # what is not finite is found below and said in words
        for i in range(count):
            try:
                state = _substep(charts, state, h, parameters, inputs)
            except FmuError as error:
                time = start + i * h
                raise type(error)(f"between t = {time:.9g} s and {time + h:.9g} s: {error}") from None
    return replace(state, time=start + step)


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
            raise left from None
    return settled(charts, moved, parameters)


def _step_in_chart(runtime: Runtime, state: State, h: float, parameters: Sequence[float], inputs: Array) -> State:
    nz = runtime.nz

    def rates(y: Array) -> Array:
        return np.concatenate((y[nz:], acceleration(runtime, y[:nz], y[nz:], parameters, inputs, state.lap)))

    y = rk_step(rates, np.concatenate((state.z, state.zd)), h)
    _check_finite(runtime, y)
    return replace(state, z=y[:nz], zd=y[nz:])


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
            f"more than {MOST_SUBSTEPS}; enlarge 'solver.step'"
        )
    return max(1, math.ceil(ratio * (1.0 - 1e-9)))  # a ratio of 1 + rounding is one substep


def _check_finite(runtime: Runtime, y: Array) -> None:
    if math.isfinite(y.sum()) or np.isfinite(y).all():
        return
    bad = int(np.flatnonzero(~np.isfinite(y))[0])
    name = runtime.names[bad % runtime.nz]
    what = "rate" if bad >= runtime.nz else "value"
    raise StepError(
        f"the motion diverged: the {what} of '{name}' is {y[bad]}; reduce 'solver.step' or check the forces"
    )
