"""Linear systems of constraints that may be redundant and leave motions open: solved by singular values."""

from __future__ import annotations

import numpy as np

from precompute.arrays import Array

RANK = 1e-8  # singular values below this share of the largest count as zero: drift is below, real levers are above


def least_motion(J: Array, rhs: Array, damping: float = 0.0, most: int | None = None) -> Array:
    """The shortest x that solves J x = rhs in the sense of least squares, singular values below RANK left out.

    x = V diag(sigma/(sigma^2 + damping)) U^T rhs

    Args:
        J: (m, n).
        rhs: (m,).
        damping: see above.
        most: how many singular values to take at most.
    """
    U, sigma, Vt = np.linalg.svd(J, full_matrices=False)
    keep = slice(0, numerical_rank(sigma, most))
    gain = sigma[keep] / (sigma[keep] ** 2 + damping)
    return Vt[keep].T @ (gain * (U[:, keep].T @ rhs))


def numerical_rank(sigma: Array, most: int | None = None) -> int:
    """How many of the singular values (n,), descending, count: those above RANK times the largest, and not too many."""
    rank = int((sigma > RANK * max(sigma.max(initial=0.0), np.finfo(float).tiny)).sum())
    return rank if most is None else min(rank, most)
