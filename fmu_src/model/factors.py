"""Coefficients of splines as factors, which take a fraction of their place: see "How tables are stored" in the docs.

    coefficients[i, j, c] = sum_ab bases[0][i, a] bases[1][j, b] core[a, b, c]                                  (1)

and the same with one axis or three.  Without bases the core is the coefficients.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def expanded(core: Array, bases: tuple[Array, ...]) -> Array:
    """The coefficients (n_1, ..., n_nb, nc), read-only, of a core (r_1, ..., r_nb, nc) and bases (n_k, r_k); (1)."""
    if not bases:
        return core
    for k, basis in enumerate(bases):
        core = times_along(core, basis, k)
    found = np.ascontiguousarray(core)
    found.flags.writeable = False
    return found


def times_along(tensor: Array, matrix: Array, k: int) -> Array:
    """A tensor (..., r, ...) times a matrix (n, r) along axis k: (..., n, ...)."""
    return np.moveaxis(np.tensordot(matrix, tensor, (1, k)), 0, k)
