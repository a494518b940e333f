"""Bushings between two bodies seen as one equivalent joint: projections at design, in SI units and radians.

A control arm on two bushings is one body on one joint with stiff directions.  At design the rates qdot of the joint
give each bushing k between the same bodies the deflection rates B_k qdot, and the work of all of them is that of one
equivalent bushing in the joint's coordinates,

    B_k = E_k^T [v; w] of the joint's motion axes at the bushing's point                    (1), for 5.8.3.15
    K = sum_k B_k^T K_k B_k,   C = sum_k B_k^T C_k B_k                                      (2), 5.8.3.10

with E_k the bushing's axes.  Large free motions are not for these linear maps but for the measures themselves.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from precompute.arrays import Array
from precompute.geometry.spatial import Transform, quaternion_exp, quaternion_rotation, rotation, so3_log
from precompute.model.forces import Bushing, Spring
from precompute.model.joint_types import DIRECTIONS, Direction
from precompute.model.joints import Joint

UNHELD = 1e-12
"""Stiffness of a direction, over the stiffest of its joint, below which nothing holds it."""

LOCKED_MOTION = 1e-9
"""A deflection [rad], or over the distance of bushing and joint, that is none where the joint moves far."""


@dataclass(frozen=True, eq=False)
class EquivalentBushing:
    """All bushings across one joint, in the joint's coordinates at design."""

    joint: Joint
    bushings: tuple[Bushing, ...]
    B: Array  # (nk, 6, nj) deflection rates of each bushing per unit rate of each joint coordinate
    stiffness: Array  # (nj, nj) [N/m, N/rad, N m/rad]
    damping: Array  # (nj, nj) [N s/m, ...]

    def deflections(self, q: Array) -> Array:
        """Deflections of each bushing (..., nk, 6) under joint displacements q (..., nj), to first order [m, rad]."""
        return np.einsum("kij,...j->...ki", self.B, q)

    def forces(self, q: Array, qdot: Array) -> Array:
        """Forces of each bushing on its deflections (..., nk, 6), to first order [N, N m]."""
        preload = np.array([b.preload for b in self.bushings]).reshape(-1, 6)
        K = np.array([b.linear_stiffness for b in self.bushings]).reshape(-1, 6, 6)
        C = np.array([b.damping for b in self.bushings]).reshape(-1, 6, 6)
        elastic = np.einsum("kij,...kj->...ki", K, self.deflections(q))
        return preload - elastic - np.einsum("kij,...kj->...ki", C, self.deflections(qdot))


def bushings_across(joint: Joint, bushings: Iterable[Bushing]) -> tuple[Bushing, ...]:
    """The bushings between the two bodies that the joint joins."""
    return tuple(b for b in bushings if {b.parent, b.child} == {joint.parent, joint.child})


def equivalent_bushing(joint: Joint, bushings: Iterable[Bushing]) -> EquivalentBushing:
    """Project all bushings across a joint onto the joint, by (1) and (2)."""
    across = bushings_across(joint, bushings)
    n = motion_axes(joint, joint.p_P).shape[1]
    B = np.array([deflection_rates(joint, b) for b in across]).reshape(len(across), 6, n)
    K, C = np.zeros((n, n)), np.zeros((n, n))
    for B_k, bushing in zip(B, across, strict=True):
        K += B_k.T @ bushing.linear_stiffness @ B_k
        C += B_k.T @ bushing.damping @ B_k
    return EquivalentBushing(joint, across, B, K, C)


def motion_axes(joint: Joint, point: Array) -> Array:
    """[v; w] of the child relative to the parent at a point, per unit rate at design, (6, nj), in G."""
    columns = []
    for primitive in joint.primitives:
        turning = primitive.kind != "translation"
        for axis in np.eye(3) if primitive.axis is None else [primitive.axis]:
            v = np.cross(axis, point - joint.p_P) if turning else axis
            columns.append(np.concatenate([v, axis if turning else np.zeros(3)]))
    return np.array(columns).reshape(-1, 6).T


def deflection_rates(joint: Joint, bushing: Bushing) -> Array:
    """B_k of (1): (6, nj).  A bushing whose parent is the joint's child sees the opposite motion."""
    V = motion_axes(joint, bushing.p)
    sign = 1.0 if bushing.parent == joint.parent else -1.0
    return sign * np.concatenate([bushing.R.T @ V[:3], bushing.R.T @ V[3:]])


def locked_directions(joint: Joint, bushing: Bushing) -> tuple[Direction, ...]:
    """Directions of a bushing across a joint that stay at zero however far the joint moves, stiff directions included.

    Looked at by some random motions: what does not move in any of them is locked.
    """
    rng = np.random.default_rng(4)
    reach = float(np.linalg.norm(bushing.p - joint.p_P)) or 1.0
    largest = np.zeros(6)
    for _ in range(4):
        X = moved_child(joint, rng.uniform(-0.7, 0.7, (len(joint.primitives), 3)), reach)
        X = X if bushing.parent == joint.parent else X.inverse()
        moved, turned = (X.point(bushing.p) - bushing.p) / reach, so3_log(X.R)
        largest = np.maximum(largest, np.abs(np.concatenate([bushing.R.T @ moved, bushing.R.T @ turned])))
    return tuple(direction for direction, size in zip(DIRECTIONS, largest, strict=True) if size < LOCKED_MOTION)


def moved_child(joint: Joint, amounts: Array, reach: float) -> Transform:
    """Where the child of a joint is, seen from its parent, both at G at design.

    Args:
        joint: the joint.
        amounts: (number of primitives, 3) rotation vector of a ball; of any other the first, an angle or a travel.
        reach: of a unit travel [m].
    """
    X = Transform(np.eye(3), joint.p_P)
    for i in joint.walk:
        primitive, amount = joint.primitives[i], amounts[i]
        if primitive.axis is None:
            X = X @ Transform(quaternion_rotation(quaternion_exp(amount)), np.zeros(3))
        elif primitive.kind == "rotation":
            X = X @ Transform(rotation(primitive.axis, amount[0]), np.zeros(3))
        else:
            X = X @ Transform(np.eye(3), amount[0] * reach * primitive.axis)
    return X @ Transform(np.eye(3), -joint.p_P)


def unheld_directions(joint: Joint, bushings: Iterable[Bushing], springs: Iterable[Spring]) -> list[str]:
    """Stiff directions that no bushing across the joint and no spring on the joint holds.

    Directions are compared over the length to the farthest bushing.  A joint without bushings is not looked at: what
    holds it may be anywhere.
    """
    equivalent = equivalent_bushing(joint, bushings)
    if not joint.stiff or not equivalent.bushings:
        return []
    K = np.array(equivalent.stiffness)
    rate = np.cumsum([0, *(p.rates for p in joint.primitives)])
    for spring in springs:
        if (number := spring.on.primitive_of(joint.name)) is not None:
            at = rate[number]
            K[at, at] += spring.table.slope(0.0) if spring.table is not None else spring.stiffness or 0.0
    reach = max(float(np.linalg.norm(b.p - joint.p_P)) for b in equivalent.bushings) or 1.0
    unit = np.array([1.0 if joint.primitives[i].kind == "translation" else 1.0 / reach for i in joint.stiff])
    stiff = rate[list(joint.stiff)]
    values, vectors = np.linalg.eigh(K[np.ix_(stiff, stiff)] * unit[:, None] * unit)
    loose = vectors[:, values <= UNHELD * max(float(values[-1]), 0.0)]
    weakest = sorted({int(np.abs(column).argmax()) for column in loose.T})
    return [joint.stiff_directions[i] or f"[{joint.stiff[i] + 1}]" for i in weakest]
