"""Closing the loops from anywhere: many random starts at once, each led home by Levenberg and Marquardt's method.

With r the gaps and what the coordinates miss, A their Jacobian over weighted rates and y the step, all in metres,

    (A^T A + lambda) y = -A^T r                                              (1)

lambda falls where the step makes |r| smaller and grows where it does not.  No start is close to anything, so nothing is
lost by starting many; on the mechanisms shipped nearly all of them arrive.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from precompute.arrays import Array
from precompute.kinematics.coefficients import Closure
from precompute.kinematics.correcting import correct
from precompute.kinematics.poses import ball_slices

RESTARTS = 400
"""Starts of one search for all assemblies."""

MANY_RATES = 40
"""Mechanisms with more joint rates are closed from fewer starts, for they take longer: as the inverse square, ..."""

FEWEST = 40
"""... but from so many at least."""

SEED = 17
"""The same starts every time: what is found does not change from one call to the next."""

TRAVEL = 2.0
"""Slides start up to so many reference lengths from design."""

ITERATIONS = 100
"""Of one start; most need 10 to 20, a double root 40."""

FIRST_LAMBDA, LEAST_LAMBDA, MOST_LAMBDA = 1e-2, 1e-12, 1e6
EASIER, HARDER = 0.1, 8.0
"""lambda of (1), beyond which a start has got stuck, and its factors after a good and a bad step."""

ROUND_OFF = 1e-3
"""A start is at rest below this share of the gap tolerance, which only a single root reaches."""


@dataclass(frozen=True, eq=False)
class Settled:
    """Where a batch of starts came to rest."""

    q: Array  # (n, nq)
    missed: Array  # (n,) largest gap, or miss of a coordinate [m]
    closed: NDArray[np.bool_]  # (n,)


def restarts_of(closure: Closure) -> int:
    """How many starts a mechanism is given to close it at all."""
    return max(FEWEST, int(RESTARTS * min(1.0, (MANY_RATES / closure.topology.nv) ** 2)))


def from_anywhere(closure: Closure, z: Array, count: int = RESTARTS) -> Settled:
    """Close the loops with the coordinates at z (nz,), from `count` random configurations."""
    return settle(closure, scatter(closure, z, count), z)


def scatter(closure: Closure, z: Array, count: int) -> Array:
    """Random configurations (count, nq): any angle, any orientation of balls; stiff directions at zero.

    A joint coordinate that is to be z (nz,) has that value already.
    """
    m, t = closure.mechanism, closure.topology
    rng = np.random.default_rng(SEED)
    q = np.zeros((count, t.nq))
    for (name, number), (iq, iv) in t.scalars.items():
        turns = m.joint(name).primitives[number].kind == "rotation"
        random = rng.uniform(-np.pi, np.pi, count) if turns else rng.uniform(-TRAVEL, TRAVEL, count) * closure.length
        held = [value for c, value in zip(closure.coordinates, z, strict=True) if c.primitive_of(name) == number]
        q[:, iq] = 0.0 if iv in t.locked else held[0] if held else random
    for _, own in ball_slices(m, t):
        e = rng.standard_normal((count, 4))
        q[:, own] = e / np.linalg.norm(e, axis=1, keepdims=True)
    return q


def settle(closure: Closure, q: Array, z: Array) -> Settled:
    """Lead a batch q (n, nq) to where the loops are closed and the coordinates are z (nz,), by (1)."""
    q = np.array(q)
    A, r = _equations(closure, q, z)
    lam = np.full(len(q), FIRST_LAMBDA)
    going = np.arange(len(q))
    for _ in range(ITERATIONS):
        if not going.size:
            break
        At = np.swapaxes(A[going], -1, -2)
        H = At @ A[going] + lam[going, None, None] * np.eye(closure.topology.nv)
        step = -np.linalg.solve(H, At @ r[going][..., None])[..., 0]
        trial = closure.move(q[going], closure.rate_weight * step)
        A_trial, r_trial = _equations(closure, trial, z)
        better = np.linalg.norm(r_trial, axis=-1) < np.linalg.norm(r[going], axis=-1)
        moved = going[better]
        q[moved], A[moved], r[moved] = trial[better], A_trial[better], r_trial[better]
        lam[going] = np.where(better, np.maximum(EASIER * lam[going], LEAST_LAMBDA), HARDER * lam[going])
        still = np.abs(r[going]).max(axis=-1) > ROUND_OFF * closure.gap_tolerance
        going = going[still & (lam[going] < MOST_LAMBDA)]
    return _polished(closure, q, np.abs(r).max(axis=-1), z)


def _equations(closure: Closure, q: Array, z: Array) -> tuple[Array, Array]:
    """A (n, ne, nv) over weighted rates and r (n, ne) of (1)."""
    P = closure.poses(q)
    return closure.matrix(P) * closure.rate_weight, closure.error(P, z)


def _polished(closure: Closure, q: Array, missed: Array, z: Array) -> Settled:
    """The same with what is closed at round-off, as sweeps find it; a double root stays as it is."""
    closed = missed < closure.gap_tolerance
    if closed.any():
        near = float(np.sqrt(closure.gap_tolerance * closure.length))
        best = correct(closure, q[closed], np.repeat(z[None], int(closed.sum()), 0), near)
        q[closed] = np.where(best.converged[:, None], best.q, q[closed])
    return Settled(q, missed, closed)
