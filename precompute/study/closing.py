"""Closing the loops of many designs at once, each from the closed configuration of the mechanism at the same point.

    q <- q - A_0^+ [phi(q); c(q) - z]                                       (1)
    A_0^+ A B = A_0^+ [0; C]                                                (2)

A_0^+ is that of the mechanism, one for each point: (1) converges by a factor of the size of the change over that of
the mechanism, at a hundredth of the cost of factoring anew.  Its product with A of the design, K, tells whether a
singularity lies between the two, and gives the velocities B along z by (2).  Where (1) does not converge, A is
factored for each design.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from precompute.arrays import Array
from precompute.kinematics.coefficients import Closure, solver
from precompute.kinematics.continuation import least_part, same_side
from precompute.kinematics.correcting import ENOUGH, ROUND_OFF, inverse_at
from precompute.kinematics.poses import Poses

CHORDS = 30
"""Steps of (1) before A is factored for each design."""

NEWTON = 12
"""Steps with factors of their own; half as many are usual."""

NEAR = 0.9
"""|K - 1| below which nothing singular can lie between."""


@dataclass(frozen=True, eq=False)
class Anchor:
    """Closed configurations of the mechanism."""

    q: Array  # (m, nq)
    inverse: Array  # (m, nv, ne) A_0^+

    @classmethod
    def of(cls, closure: Closure, q: Array) -> Anchor:
        """At q (m, nq)."""
        return cls(q, inverse_at(closure, q))


@dataclass(frozen=True, eq=False)
class Closed:
    """Configurations of n designs at m points."""

    q: Array  # (n, m, nq)
    found: NDArray[np.bool_]  # (n, m)


def close(closure: Closure, anchor: Anchor, z: Array, anew: bool = False) -> Closed:
    """Loops closed with the coordinates at z (n, m, nz), by (1); or by Newton's method, with factors of its own."""
    q = np.array(np.broadcast_to(anchor.q, (*z.shape[:-1], anchor.q.shape[-1])))
    return stepped(closure, q, z, None if anew else anchor.inverse, NEWTON if anew else CHORDS)


def stepped(closure: Closure, q: Array, z: Array, inverse: Array | None, most: int) -> Closed:
    """At most so many steps of (1) from q (n, m, nq), with a given inverse, or one of each configuration."""
    tolerance, size = closure.gap_tolerance, np.full(q.shape[:-1], np.inf)
    for _ in range(most):
        P = closure.poses(q)
        r = closure.error(P, z)
        before, size = size, np.abs(r).max(axis=-1)
        done = (size < ROUND_OFF * tolerance) | ((size < tolerance) & (size > ENOUGH * before)) | ~np.isfinite(size)
        if done.all():
            break
        own = solver(closure, closure.matrix(P)).inverse if inverse is None else inverse
        step = -(own @ r[..., None])[..., 0]
        way = np.linalg.norm(step / closure.rate_weight, axis=-1)
        step *= np.minimum(1.0, closure.length / np.maximum(way, 1e-300))[..., None]
        q = closure.move(q, np.where(done[..., None], 0.0, step))
    return Closed(q, size < tolerance)


@dataclass(frozen=True, eq=False)
class Moving:
    """Closed configurations with velocities."""

    places: Poses  # of (n, m) configurations
    B: Array  # (n, m, nv, k) along k combinations of the coordinates
    regular: NDArray[np.bool_]  # (n, m)


def moving(closure: Closure, anchor: Anchor, q: Array, columns: Array) -> Moving:
    """Velocities at closed configurations q (n, m, nq) along combinations (nz, k) of the coordinates, by (2)."""
    P = closure.poses(q)
    K = anchor.inverse @ closure.matrix(P)
    regular = on_the_same_side(closure, K)
    nz, ne = len(columns), anchor.inverse.shape[-1]
    right = np.zeros((ne, columns.shape[1]))
    right[ne - nz :] = closure.coordinate_weight[:, None] * columns
    K = np.where(regular[..., None, None], K, np.eye(K.shape[-1]))
    right = np.broadcast_to(anchor.inverse @ right, (*K.shape[:-1], columns.shape[1]))
    return Moving(P, np.asarray(np.linalg.solve(K, right)), regular)


def on_the_same_side(closure: Closure, K: Array) -> NDArray[np.bool_]:
    """Whether nothing singular lies between the configuration of the mechanism and that of the design: (n, m).

    x^T K x >= (1 - |K - 1|) |x|^2; where that says nothing, its eigenvalues do.
    """
    weighted = K * (closure.rate_weight / closure.rate_weight[:, None])
    away = weighted - np.eye(K.shape[-1])
    good = np.einsum("...ij,...ij->...", away, away) < NEAR**2
    doubtful = np.nonzero(~good & np.isfinite(weighted).all(axis=(-2, -1)))
    if len(doubtful[0]):
        some = weighted[doubtful]
        good[doubtful] = same_side(some, least_part(some))
    return good
