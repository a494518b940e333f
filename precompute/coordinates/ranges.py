"""What ends the way of a coordinate from the design position: the mechanism locks, or the coordinate fails.

A limit has one of two causes.  At a dead centre the loop Jacobian phi_q keeps its rank and only the block of the chosen
coordinates is singular: the wrong input, the mechanism could move on with another.  Where phi_q itself loses rank
(a change point, a branch point) no choice of coordinates helps.  With s the singular values,

    s_n([phi_q; c_q]) <= s_r(phi_q),  r = n - nz                             (1)

so at a loss of rank both vanish together, and at a dead centre the left one alone.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from precompute.arrays import Array
from precompute.kinematics.coefficients import Closure, factorize
from precompute.kinematics.loops import SPIN

TRAVEL = math.pi
"""Lengths are followed up to this many reference lengths, or longest springs, each way, angles half a turn."""

Limit = Literal["none", "dead centre", "loss of rank"]

RANK_KEPT = 10.0
"""The loops keep their rank if s_r of (1) exceeds s_n by this factor where a walk stopped short of the singularity."""


@dataclass(frozen=True)
class Feasible:
    """The range found for one coordinate, the others at design."""

    lower: float
    upper: float
    lower_singular: bool  # False: nothing stopped it there
    upper_singular: bool
    full_turn: bool  # an angle that goes round and comes back to the same configuration
    lower_cause: str  # of each end by itself, never empty; where nothing stopped it, how far it was followed
    upper_cause: str
    lower_limit: Limit = "none"  # what kind of singularity stopped it
    upper_limit: Limit = "none"


@dataclass(frozen=True, eq=False)
class OneWay:
    """The end of a walk in one direction."""

    q: Array  # (nq,)
    value: float
    stopped: bool
    cause: str
    limit: Limit = "none"
    samples: Array = field(default_factory=lambda: np.zeros((0, 0)))  # (n, nq) of the way, the first where it began


def kind_of_limit(closure: Closure, q: Array) -> Limit:
    """Whether the loops themselves lose rank near the singular configuration q (nq,), or only the coordinates fail."""
    A = closure.matrix(closure.poses(q)) * closure.rate_weight
    nz = len(closure.coordinates)
    rank = A.shape[1] - nz
    phi_q = A[: A.shape[0] - nz]
    if rank == 0:
        return "dead centre"
    s_r = np.linalg.svd(phi_q, compute_uv=False)[rank - 1]
    s_n = np.linalg.svd(A, compute_uv=False)[-1]
    return "dead centre" if s_r > RANK_KEPT * s_n else "loss of rank"


MEANING: dict[Limit, str] = {
    "none": "",
    "dead centre": "a dead centre of the chosen input; the loops keep their rank, another coordinate could go on",
    "loss of rank": "the loops themselves lose rank, a change or branch point for any coordinate",
}
"""Of each kind of limit, in plain words."""


def singular_cause(closure: Closure, q: Array) -> str:
    """What locks at q, in words, and which joint to constrain where the loops lose rank."""
    factor = factorize(closure, closure.matrix(closure.poses(q)))
    limit, (loop, joint) = kind_of_limit(closure, q), locking(closure, q)
    unless = f" unless joint '{joint}' is constrained" if limit == "loss of rank" else ""
    condition = f"(condition number {float(factor.condition):.2g}: {MEANING[limit]}{unless})"
    rows, blocked = np.array(closure.row_names), np.abs(factor.U[:, -1])
    spin = next((r for r in rows if r.startswith(SPIN) and blocked[rows == r][0] ** 2 > 0.5), None)
    if spin:
        return (
            f"the lock of the idle {spin} fails {condition}, since it has swung by 180 deg from design; make it a rod, "
            "or one of its balls a universal joint"
        )
    if loop:
        return f"loop '{loop}' locks at joint '{joint}' {condition}"
    still = closure.coordinates[int(np.argmax(blocked[len(blocked) - len(closure.coordinates) :]))]
    return (
        f"{still.name} has a dead centre: it stands still while joint '{joint}' moves; another coordinate could go on"
    )


def locking(closure: Closure, q: Array) -> tuple[str, str]:
    """The loop that locks at q, if there are any, and the joint that would move while the coordinates stand still.

    The left singular vector of the smallest singular value lives on the loop that locks and the loops before it, the
    right one on that loop and the ones driven by it: the loop that has most of both is the one.
    """
    m, t = closure.mechanism, closure.topology
    factor = factorize(closure, closure.matrix(closure.poses(q)))
    moving = [float(np.linalg.norm(factor.Vt[-1][s])) for s in t.v_slices]
    blocked = np.abs(factor.U[:, -1])
    rows = np.array(closure.row_names)
    names = [j.name for j in m.joints]
    around = [t.loop_joints(m, i) for i in range(t.n_loops)]
    if not around:
        return "", names[int(np.argmax(moving))]

    def share(loop: tuple[str, ...]) -> float:
        motion = sum(moving[names.index(j)] ** 2 for j in loop if j in names)
        return motion * float(np.sum(blocked[rows == loop[0]] ** 2))

    loop = max(around, key=share)
    return loop[0], max((j for j in loop if j in names), key=lambda j: moving[names.index(j)])


def same_pose(closure: Closure, q_a: Array, q_b: Array) -> bool:
    """Whether two configurations put every body in the same place."""
    A, B = closure.poses(q_a), closure.poses(q_b)
    return all(
        np.abs(a.R - b.R).max() < 1e-8 and np.abs(a.p - b.p).max() < 1e-8 * closure.length
        for a, b in zip(A.X, B.X, strict=True)
    )
