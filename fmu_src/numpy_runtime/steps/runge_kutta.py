"""Explicit Runge-Kutta methods."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ...model.reduced_model import Array


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
