"""Degrees of freedom, and small motions of the closed mechanism that need no coordinates."""

from __future__ import annotations

import numpy as np
import scipy.linalg
from numpy.typing import NDArray

from precompute.arrays import Array
from precompute.errors import SingularityError, TopologyError
from precompute.kinematics.assembly import RANK_TOLERANCE, Configuration
from precompute.kinematics.clashes import why_it_cannot_move
from precompute.kinematics.coefficients import Closure, factorize
from precompute.kinematics.topology import Topology
from precompute.model.mechanism import Mechanism

PERTURBATION = 0.02
"""How far off the design the rank is decided, over the reference length: enough to leave a special position."""

RECLOSINGS = 20
"""Newton steps until a configuration nearby is closed, or given up."""


def mobility(mechanism: Mechanism, topology: Topology, design: Configuration) -> tuple[int, Array]:
    """Degrees of freedom at a general position near the design, and the weighted null space at design (nv, n).

    Raises:
        TopologyError: nothing can move.
        SingularityError: the design position is one of a kind, with more freedoms than its neighbours.
    """
    closure = Closure(mechanism, topology)
    null = null_space(closure, design.q)
    if null.shape[1] == 0:
        raise TopologyError(f"'{mechanism.name}' cannot move: {why_it_cannot_move(closure, design.q)}")
    rng = np.random.default_rng(2)
    steps = rng.standard_normal((3, null.shape[1])) @ null.T
    steps *= PERTURBATION * closure.length / np.linalg.norm(steps, axis=1, keepdims=True)
    q, closed, _ = reclose(closure, closure.move(design.q, closure.rate_weight * steps))
    beside = min([null_space(closure, x).shape[1] for x in q[closed]], default=null.shape[1])
    if beside < null.shape[1]:
        raise SingularityError(
            f"the design position of '{mechanism.name}' is singular: it has {null.shape[1]} freedoms there "
            f"but {beside} beside it (links in line, or a change point). Move the design position off it."
        )
    return null.shape[1], null


def null_space(closure: Closure, q: Array) -> Array:
    """Orthonormal basis of the allowed motions in weighted rates (nv, n): metres for every joint."""
    A = closure.matrix(closure.poses(q)) * closure.rate_weight
    return scipy.linalg.null_space(A, rcond=RANK_TOLERANCE) if A.shape[0] else np.eye(A.shape[1])


def reclose(closure: Closure, q: Array, iterations: int = RECLOSINGS) -> tuple[Array, NDArray[np.bool_], Array]:
    """Close the loops of a batch q (n, nq) from nearby with least-norm steps.

    Returns:
        q: (n, nq) closed where it succeeded.
        closed: (n,)
        moved: (n,) weighted length of the corrections [m].
    """
    moved = np.zeros(len(q))
    for _ in range(iterations):
        P = closure.poses(q)
        gap = closure.gap(P)
        closed = np.abs(gap).max(axis=-1, initial=0.0) < closure.gap_tolerance
        if closed.all():
            break
        step = factorize(closure, closure.matrix(P)).solve(-gap[..., None], RANK_TOLERANCE)[..., 0]
        length = np.linalg.norm(step / closure.rate_weight, axis=-1)
        length = np.where(closed, 0.0, length)
        step *= (np.minimum(length, closure.length) / np.maximum(length, 1e-300))[:, None]
        moved += np.minimum(length, closure.length)
        q = closure.move(q, step)
    return q, closed, moved
