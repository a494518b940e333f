"""The whole motion of a mechanism as samples, found without coordinates.

From the design position the null space of the loop Jacobian is followed both ways in small steps, each closed again
with least-norm corrections.  One freedom: the whole curve, until its two ends meet, it loses rank, or a slide has gone
too far.  Several: a fixed set of curves that go on as straight as they can, in directions drawn once and for all.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from precompute.arrays import Array
from precompute.coordinates.ranges import TRAVEL
from precompute.kinematics.coefficients import Closure
from precompute.kinematics.continuation import MAX_CORRECTION, least_part, same_side
from precompute.kinematics.mobility import reclose
from precompute.kinematics.poses import Poses

STEP = np.deg2rad(5.0)
"""The joint that moves most turns by this much per step, or slides by this share of the reference length."""

SMALLEST_STEP = STEP / 256.0
"""A step that must be cut further has come to a loss of rank."""

STEPS_ONE = 360
"""Steps each way of a mechanism with one freedom; most curves close on themselves before."""

STEPS_SEVERAL = 12
"""Steps each way with several freedoms: 60 deg of the joint that moves most."""

DIRECTIONS = 4
"""Directions per freedom, each followed both ways."""

LOST_RANK = 1e-5
"""Smallest singular value that belongs to the rank, over the largest, below which rank counts as lost."""

CLOSED, LOST, LIMIT, ENOUGH = "closed on itself", "loss of rank", "limit of travel", "sampled far enough"


@dataclass(frozen=True, eq=False)
class Path:
    """Configurations from the design (first) onward along one direction."""

    q: Array  # (k, nq)
    N: Array  # (k, nv, f) weighted null space, orthonormal, its orientation carried along
    s: Array  # (k,) weighted length of the way from design [m]
    end: str  # why it ends


@dataclass(frozen=True, eq=False)
class Front:
    """Where the paths that are still being walked have come to."""

    q: Array  # (n, nq)
    N: Array  # (n, nv, f)
    t: Array  # (n, nv) weighted unit direction
    inverse: Array  # (n, nv, nc) pseudo-inverse of the weighted loop Jacobian

    def at(self, i: NDArray[np.int64]) -> Front:
        """Some of them."""
        return Front(self.q[i], self.N[i], self.t[i], self.inverse[i])


def explore(closure: Closure, q: Array, dof: int) -> tuple[Path, ...]:
    """Paths from the closed configuration q (nq,) of a mechanism with `dof` freedoms."""
    _, N, _, inverse = allowed(closure, closure.poses(q[None]), dof)
    rng = np.random.default_rng(3)
    towards = np.eye(1) if dof == 1 else rng.standard_normal((DIRECTIONS * dof, dof))
    t = np.concatenate([towards, -towards]) @ N[0].T
    t /= np.linalg.norm(t, axis=1, keepdims=True)
    n = len(t)
    front = Front(np.repeat(q[None], n, 0), np.repeat(N, n, 0), t, np.repeat(inverse, n, 0))
    found: list[list[tuple[Array, Array, float]]] = [[(q, N[0], 0.0)] for _ in range(n)]
    ends = [ENOUGH] * n
    alive, h = np.arange(n), np.full(n, STEP)
    for _ in range(STEPS_ONE if dof == 1 else STEPS_SEVERAL):
        new, ok, length = advance(closure, front.at(alive), h[alive], dof)
        h[alive] = np.where(ok, np.minimum(2.0 * h[alive], STEP), 0.25 * h[alive])
        for k, i in enumerate(alive):
            if ok[k]:
                found[i].append((new.q[k], new.N[k], found[i][-1][2] + length[k]))
                front.q[i], front.N[i], front.t[i], front.inverse[i] = new.q[k], new.N[k], new.t[k], new.inverse[k]
        for i in alive[h[alive] < SMALLEST_STEP]:
            ends[i] = LOST
        for i in alive[too_far(closure, q, front.q[alive])]:
            ends[i] = LIMIT
        if dof == 1 and min(map(len, found)) > 8 and meet(closure, front.q):
            ends = [CLOSED] * n
        alive = np.array([i for i in alive if ends[i] == ENOUGH], dtype=np.int64)
        if not alive.size:
            break
    return tuple(as_path(rows, end) for rows, end in zip(found, ends, strict=True))


def as_path(rows: list[tuple[Array, Array, float]], end: str) -> Path:
    """The rows found, stacked."""
    q, N, s = zip(*rows, strict=True)
    return Path(np.array(q), np.array(N), np.array(s), end)


def weighted_jacobian(closure: Closure, P: Poses) -> Array:
    """Loop Jacobians (n, nc, nv), all in metres per metre."""
    return closure.matrix(P)[..., : len(closure.row_names) - len(closure.coordinates), :] * closure.rate_weight


def allowed(closure: Closure, P: Poses, dof: int) -> tuple[Array, Array, Array, Array]:
    """What the loops allow at some poses.

    Returns:
        A: (n, nc, nv) weighted loop Jacobian.
        N: (n, nv, dof) its null space.
        regular: (n,) how far it is from losing rank.
        inverse: (n, nv, nc) its pseudo-inverse.
    """
    A = weighted_jacobian(closure, P)
    (n, nc, nv), rank = A.shape, A.shape[-1] - dof
    if not nc:
        return A, np.repeat(np.eye(nv)[None], n, 0), np.ones(n), np.zeros((n, nv, 0))
    U, s, Vt = np.linalg.svd(A, full_matrices=nc < nv)
    V = np.swapaxes(Vt, -1, -2)
    inverse = (V[..., :rank] / np.maximum(s[..., None, :rank], 1e-300)) @ np.swapaxes(U[..., :rank], -1, -2)
    return A, V[..., rank:], s[..., rank - 1] / s[..., 0] if rank else np.ones(n), inverse


def advance(closure: Closure, front: Front, h: Array, dof: int) -> tuple[Front, NDArray[np.bool_], Array]:
    """One step of each path; which were accepted; how long they were [m]."""
    length = h * closure.length / np.abs(front.t).max(axis=1)
    guess = closure.move(front.q, closure.rate_weight * front.t * length[:, None])
    q, closed, moved = reclose(closure, guess, iterations=8)
    A, N, regular, inverse = allowed(closure, closure.poses(q), dof)
    ok = closed & (moved <= MAX_CORRECTION * length + 1e-9 * closure.length) & (regular > LOST_RANK)
    turn = np.swapaxes(front.N, -1, -2) @ N
    flip = np.where(np.linalg.det(turn) < 0.0, -1.0, 1.0)
    N = np.concatenate([N[..., :1] * flip[:, None, None], N[..., 1:]], axis=-1)
    ahead = (N @ (np.swapaxes(N, -1, -2) @ front.t[..., None]))[..., 0]
    size = np.linalg.norm(ahead, axis=1, keepdims=True)
    ok &= size[:, 0] > 0.5
    # the old null space as coordinates must not become singular on the way: then a branch point was passed
    K = front.inverse @ A + front.N @ np.swapaxes(front.N, -1, -2)  # [A; N^T]^+ = [A^+, N]
    ok &= same_side(K, least_part(K))
    return Front(q, N, ahead / np.maximum(size, 1e-300), inverse), ok, length


def too_far(closure: Closure, design: Array, q: Array) -> NDArray[np.bool_]:
    """Which of q (n, nq) have a slide further from the design than lengths are followed."""
    slides = [
        closure.topology.scalars[j.name, i][0]
        for j in closure.mechanism.joints
        for i, p in enumerate(j.primitives)
        if p.kind == "translation"
    ]
    return np.abs(q - design)[:, slides].max(axis=1, initial=0.0) > TRAVEL * closure.length


def meet(closure: Closure, q: Array) -> bool:
    """Whether two ends q (2, nq) that left in opposite directions have come to the same place, but for a step."""
    P = closure.poses(q)
    near = 3.0 * STEP  # both ends move by up to a step, and a body by more than its joint
    return all(
        np.abs(X.R[0] - X.R[1]).max() < near and np.abs(X.p[0] - X.p[1]).max() < near * closure.length for X in P.X[1:]
    )
