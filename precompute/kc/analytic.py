"""Vectors over any leading batch axes, by functions that are analytic: a complex step goes through all of them.

No absolute values, no norms and no conjugates; where a branch is chosen, the real part chooses it.
"""

from __future__ import annotations

import numpy as np

from precompute.geometry import spatial
from precompute.kc.record import Complex


def dot(a: Complex, b: Complex) -> Complex:
    """(..., 3) each -> (...); nothing is conjugated."""
    return np.asarray(np.sum(a * b, axis=-1))


def cross(a: Complex, b: Complex) -> Complex:
    """(..., 3) each -> (..., 3)."""
    return spatial.cross(a, b)


def unit(a: Complex) -> Complex:
    """A vector (..., 3) over its length."""
    return a / np.sqrt(dot(a, a))[..., None]


def times(A: Complex, x: Complex) -> Complex:
    """Matrix times vector.  (..., m, n), (..., n) -> (..., m)."""
    return np.asarray((A @ x[..., None])[..., 0])


def along(x: Complex, H: Complex, y: Complex) -> Complex:
    """x^T H y.  (..., n), (..., n, n), (..., n) -> (...)."""
    return dot(x, times(H, y))


def ratio(a: Complex, b: Complex) -> Complex:
    """a/b, infinite or not a number where b is zero: an instant centre far away is no error."""
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        return np.asarray(a / b)


def solved(A: Complex, b: Complex) -> Complex:
    """x of A x = b, not a number where A is singular.  (..., n, n), (..., n) -> (..., n)."""
    try:
        return np.linalg.solve(A, b[..., None])[..., 0]
    except np.linalg.LinAlgError:
        out = np.full(b.shape, np.nan, dtype=np.result_type(A, b))
        for at in np.ndindex(b.shape[:-1]):
            if np.linalg.matrix_rank(A[at]) == A.shape[-1]:
                out[at] = np.linalg.solve(A[at], b[at])
        return out


def where_real(condition: Complex, yes: Complex, no: Complex) -> Complex:
    """Yes where a condition (...) holds, else no, both (...) or (..., 3)."""
    return np.where(condition if np.ndim(yes) == np.ndim(condition) else condition[..., None], yes, no)
