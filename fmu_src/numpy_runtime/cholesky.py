"""Solving with a positive definite inertia."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from ..errors import StepError
from ..model.reduced_model import Array

MOST_BY_HAND = 4
"""Up to this size plain Python is faster than a library call."""


def solve_inertia(J: Array, right: Array, names: Sequence[str]) -> Array:
    """Solve J x = right.

    Args:
        J: (n, n) symmetric.
        right: (n,).
        names: of the n coordinates, for the error.

    Raises:
        StepError: J is not positive definite, naming the coordinate where that shows.
    """
    if right.size > MOST_BY_HAND:
        try:
            np.linalg.cholesky(J)
        except np.linalg.LinAlgError:
            pass  # found once more by hand, with the name
        else:
            return np.asarray(np.linalg.solve(J, right), dtype=float)
    return np.array(_by_hand(J.tolist(), right.tolist(), names))


def _by_hand(J: list[list[float]], right: list[float], names: Sequence[str]) -> list[float]:
    """The same in plain Python, which also finds where J fails."""
    n = len(right)
    L = [[0.0] * n for _ in range(n)]
    x = list(right)
    for i in range(n):
        for j in range(i):
            L[i][j] = (J[i][j] - sum(L[i][k] * L[j][k] for k in range(j))) / L[j][j]
        pivot = J[i][i] - sum(L[i][k] * L[i][k] for k in range(i))
        if not 0.0 < pivot < math.inf:
            raise StepError(
                f"the inertia of '{names[i]}' is {pivot:.6g} with {', '.join(names)} as coordinates: it must be "
                "positive; a coordinate is too far outside its table, or the bodies that it moves have no mass",
                (names[i], pivot),
            )
        L[i][i] = math.sqrt(pivot)
        x[i] = (x[i] - sum(L[i][k] * x[k] for k in range(i))) / L[i][i]
    for i in reversed(range(n)):
        x[i] = (x[i] - sum(L[k][i] * x[k] for k in range(i + 1, n))) / L[i][i]
    return x
