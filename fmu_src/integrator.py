"""Time integration: explicit Runge-Kutta with a fixed step.

The state of a model is one contiguous block of float64, [t, z (nz), zd (nz)], so saving it is a copy.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from .dynamics import Runtime, acceleration
from .errors import FmuError, StepError
from .reduced_model import Array

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
    runtime: Runtime, state: Array, step: float, parameters: Sequence[float], inputs: Array, longest: float
) -> Array:
    """Advance a state by one communication step, in equal substeps not longer than `longest`.

    Args:
        runtime: the model.
        state: (1 + 2 nz,) block [t, z, zd]; not changed.
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
    h = step / count
    nz = runtime.nz

    def rates(y: Array) -> Array:
        return np.concatenate((y[nz:], acceleration(runtime, y[:nz], y[nz:], parameters, inputs)))

    y = state[1:]
    with np.errstate(all="ignore"):  # what is not finite is found below and said in words
        for i in range(count):
            time = float(state[0]) + i * h
            try:
                y = rk_step(rates, y, h)
                _check_finite(runtime, y)
            except FmuError as error:
                raise type(error)(f"between t = {time:.9g} s and {time + h:.9g} s: {error}") from None
    return np.concatenate(((state[0] + step,), y))


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
    name = runtime.model.coordinates[bad % runtime.nz].name
    what = "rate" if bad >= runtime.nz else "value"
    raise StepError(
        f"the motion diverged: the {what} of '{name}' is {y[bad]}; reduce 'solver.step' or check the forces"
    )
