"""Closing the loops at given values of the coordinates, from a guess nearby: Newton's method on a batch."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from precompute.arrays import Array
from precompute.kinematics.coefficients import Closure, solver
from precompute.kinematics.poses import Poses, move


@dataclass(frozen=True, eq=False)
class Corrected:
    """Result of Newton's method at given z, for a batch of n."""

    q: Array  # (n, nq)
    converged: Array  # (n,) bool
    moved: Array  # (n,) size of the total correction [m]
    poses: Poses


def correct(closure: Closure, q: Array, z: Array, max_iterations: int = 12) -> Corrected:
    """Newton's method for phi(q) = 0, c(q) = z, on a batch.

    Args:
        closure: the equations.
        q: (n, nq) guesses.
        z: (n, nz) values of the independent coordinates.
        max_iterations: a sample that has not converged by then has failed.
    """
    m, t = closure.mechanism, closure.topology
    q = np.array(q)
    tolerance = closure.gap_tolerance
    moved = np.zeros(len(q))
    previous = np.full(len(q), np.inf)
    for iteration in range(max_iterations + 1):
        P = closure.poses(q)
        r = closure.error(P, z)
        size = np.abs(r).max(axis=-1)
        # done: closed, and either at round-off level or no longer improving
        done = (size < tolerance) & ((size < 1e-3 * tolerance) | (size > 0.1 * previous))
        if done.all() or iteration == max_iterations:
            break
        step = solver(closure, closure.matrix(P)).solve(-r[..., None])[..., 0]
        step[done] = 0.0
        length = np.linalg.norm(step / closure.rate_weight, axis=-1)
        step *= np.minimum(1.0, closure.length / np.maximum(length, 1e-300))[:, None]
        moved += np.minimum(length, closure.length)
        q = move(m, t, q, step)
        previous = size
    converged = np.isfinite(size) & (size < tolerance)
    return Corrected(q, converged, moved, P)
