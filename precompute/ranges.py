"""How far each coordinate can go from the design position before the mechanism locks or the coordinate fails."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from precompute import measures
from precompute.arrays import Array
from precompute.coefficients import Closure, factorize
from precompute.continuation import follow

STEPS_PER_HALF_TURN = 72
"""2.5 deg per step; lengths take as many steps over the same share of the reference length."""

TRAVEL = math.pi
"""Lengths are followed up to this many reference lengths each way, angles half a turn each way."""


@dataclass(frozen=True)
class Feasible:
    """The range found for one coordinate, the others at design."""

    lower: float
    upper: float
    lower_singular: bool  # False: nothing stopped it there
    upper_singular: bool
    full_turn: bool  # an angle that goes round and comes back to the same configuration
    lower_cause: str
    upper_cause: str
    worst_condition: float


def feasible_range(closure: Closure, q: Array, z: Array, k: int) -> Feasible:
    """Follow coordinate k both ways from the closed configuration q (nq,) at z (nz,)."""
    angle = measures.is_angle(closure.mechanism, closure.coordinates[k])
    reach = math.pi if angle else TRAVEL * closure.length
    down = follow_one_way(closure, q, z, k, -reach)
    up = follow_one_way(closure, q, z, k, +reach)
    full_turn = angle and not down.stopped and not up.stopped and same_pose(closure, down.q, up.q)
    return Feasible(
        lower=down.value, upper=up.value, lower_singular=down.stopped, upper_singular=up.stopped, full_turn=full_turn,
        lower_cause=down.cause, upper_cause=up.cause, worst_condition=max(down.condition, up.condition),
    )  # fmt: skip


@dataclass(frozen=True, eq=False)
class OneWay:
    """The end of a walk in one direction."""

    q: Array  # (nq,)
    value: float
    stopped: bool
    cause: str
    condition: float  # worst on the way


def follow_one_way(closure: Closure, q: Array, z: Array, k: int, reach: float) -> OneWay:
    """Walk coordinate k by `reach` in small steps; stop where continuation fails."""
    q, z = q[None], z[None].copy()
    start, worst = float(z[0, k]), 0.0
    for target in np.linspace(start, start + reach, STEPS_PER_HALF_TURN + 1)[1:]:
        z_to = z.copy()
        z_to[0, k] = target
        step = follow(closure, q, z, z_to)
        q, z, worst = step.q, step.z, max(worst, float(step.condition[0]))
        if not step.reached[0]:
            return OneWay(q[0], float(z[0, k]), True, singular_cause(closure, q[0]), worst)
    return OneWay(q[0], float(z[0, k]), False, "no limit found", worst)


def singular_cause(closure: Closure, q: Array) -> str:
    """The loop that locks at q and the joint that would move while the coordinates stand still."""
    m, t = closure.mechanism, closure.topology
    factor = factorize(closure, closure.matrix(closure.poses(q)))
    idle = np.abs(factor.Vt[-1])
    joint = max(range(len(m.joints)), key=lambda j: float(np.linalg.norm(idle[t.v_slices[j]])))
    name = m.joints[joint].name
    loops = [t.loop_joints(m, i) for i in range(t.n_loops)]
    touching = [names[0] for names in loops if name in names]
    where = f"loop '{touching[0]}'" if touching else "the mechanism"
    return f"{where} locks at joint '{name}' (condition number {float(factor.condition):.2g})"


def same_pose(closure: Closure, q_a: Array, q_b: Array) -> bool:
    """Whether two configurations put every body in the same place."""
    A, B = closure.poses(q_a), closure.poses(q_b)
    return all(
        np.abs(a.R - b.R).max() < 1e-8 and np.abs(a.p - b.p).max() < 1e-8 * closure.length
        for a, b in zip(A.X, B.X, strict=True)
    )
