"""Joints of the full model as constraint equations phi = 0 between points and directions of two bodies.

`Mechanism`, `Bodies` -> `FeatureRows`.  Four building blocks, as in Haug, Computer Aided Kinematics and Dynamics of
Mechanical Systems:

    point on point      p_j - p_i = 0                   three rows [m]
    dot-1               a_i . b_j - cosine = 0          one row [1]
    dot-2               a_i . (p_j - p_i) = 0           one row [m]
    distance            (|p_j - p_i|^2 - l^2)/(2 l) = 0 one row [m]

Every row is an instance of one bilinear form of four features a, b, c, d (see `Features`),

    phi = scale (x_a - x_b) . (x_c - x_d) - constant                                    (1)

so that the Jacobian and the acceleration right-hand side of all rows are three lines of array code.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from precompute.arrays import Array, frozen_array
from precompute.model.mechanism import (
    Constraint,
    ConstraintKind,
    Joint,
    Mechanism,
    Primitive,
    Rod,
    named_direction,
    plane_axes,
)
from precompute.reference.bodies import AXES, ZERO, Bodies, FeatureList, FeatureMotion, Features, IntArray, body_row

End = tuple[int, Array]  # a body and a point of it, (3,) at design in G


@dataclass(frozen=True, eq=False)
class FeatureRows:
    """Scalar functions of the configuration, each of the form (1), with the features they speak of."""

    features: Features
    number: IntArray  # (4, m) features a, b, c, d of each row
    scale: Array  # (m,)
    constant: Array  # (m,)
    is_length: Array  # (m,) 1 where phi is in metres, 0 where it has no unit
    labels: tuple[str, ...]  # (m) the joint each row belongs to


class RowList:
    """Collects rows and features while a model is built."""

    def __init__(self, bodies: Bodies):
        """Start without rows."""
        self.features = FeatureList(bodies)
        self.items: list[tuple[tuple[int, int, int, int], float, float, float, str]] = []
        self.label = ""

    def add(self, number: tuple[int, int, int, int], length: bool, scale: float = 1.0, constant: float = 0.0) -> None:
        """One row of the form (1)."""
        self.items.append((number, scale, constant, float(length), self.label))

    def rows(self) -> FeatureRows:
        """All of them, as arrays."""
        number = np.array([item[0] for item in self.items], dtype=np.int64).reshape(-1, 4).T
        scale, constant, is_length = (frozen_array([item[k] for item in self.items]) for k in (1, 2, 3))
        return FeatureRows(
            self.features.features(), number, scale, constant, is_length, tuple(i[4] for i in self.items)
        )


# -- evaluation -------------------------------------------------------------------------------------------------------


def row_values(rows: FeatureRows, motion: FeatureMotion) -> Array:
    """(m,) values phi of (1) [m or 1]."""
    a, b, c, d = motion.x[rows.number]
    return rows.scale * ((a - b) * (c - d)).sum(axis=1) - rows.constant


def row_jacobian(rows: FeatureRows, motion: FeatureMotion, nb: int) -> Array:
    """(m, 6 nb) phi_u with d phi/dt = phi_u u, if the ground rests; see `full_jacobian`."""
    return full_jacobian(rows, motion, nb)[:, : 6 * nb]


def full_jacobian(rows: FeatureRows, motion: FeatureMotion, nb: int) -> Array:
    """(m, 6 nb + 6) phi_u with d phi/dt = phi_u [u; u of the ground].

    d phi = scale [(x_c - x_d) . (dx_a - dx_b) + (x_a - x_b) . (dx_c - dx_d)]       (2)
    """
    m = rows.scale.size
    a, b, c, d = motion.x[rows.number]
    left, right = rows.scale[:, None] * (a - b), rows.scale[:, None] * (c - d)
    terms = body_row(rows.features, motion, rows.number.ravel(), np.concatenate([right, -right, left, -left]))
    phi_u = np.zeros((m, nb + 1, 6))
    every = np.arange(m)
    for number, term in zip(rows.number, terms.reshape(4, m, 6), strict=True):
        phi_u[every, rows.features.body[number]] += term
    return phi_u.reshape(m, 6 * nb + 6)


def row_gamma(rows: FeatureRows, motion: FeatureMotion) -> Array:
    """(m,) right-hand side of the acceleration constraint phi_u du/dt = gamma, without the ground [m/s2 or 1/s2].

    gamma = -scale [(xdd_a - xdd_b) . (x_c - x_d) + (x_a - x_b) . (xdd_c - xdd_d)
                    + 2 (xd_a - xd_b) . (xd_c - xd_d)]                              (3)
    """
    (a, b, c, d), (ad, bd, cd, dd), (add, bdd, cdd, ddd) = (x[rows.number] for x in (motion.x, motion.xd, motion.xdd))
    terms = (add - bdd) * (c - d) + (a - b) * (cdd - ddd) + 2.0 * (ad - bd) * (cd - dd)
    return -rows.scale * terms.sum(axis=1)


# -- the four building blocks -----------------------------------------------------------------------------------------


def coincide(rows: RowList, p_i: int, p_j: int) -> None:
    """Point on point, three rows in G: p_j - p_i = 0."""
    for axis in AXES:
        rows.add((axis, ZERO, p_j, p_i), length=True)


def keep_angle(rows: RowList, a_i: int, b_j: int, cosine: float = 0.0) -> None:
    """Dot-1: a_i . b_j = cosine."""
    rows.add((a_i, ZERO, b_j, ZERO), length=False, constant=cosine)


def stay_in_plane(rows: RowList, a_i: int, p_i: int, p_j: int) -> None:
    """Dot-2: a_i . (p_j - p_i) = 0."""
    rows.add((a_i, ZERO, p_j, p_i), length=True)


def keep_distance(rows: RowList, p_i: int, p_j: int, length: float) -> None:
    """Distance: (|p_j - p_i|^2 - l^2)/(2 l) = 0, which for small errors is the error of the distance."""
    rows.add((p_j, p_i, p_j, p_i), length=True, scale=0.5 / length, constant=0.5 * length)


# -- joints ----------------------------------------------------------------------------------------------------------


#
# Each takes the joint's origin on the parent i and on the child j, and the axes it speaks of, (3,) at design in G.


def point(rows: RowList, end_i: End, end_j: End) -> None:
    """The joint's origin is the same point of bodies i and j."""
    coincide(rows, rows.features.point(*end_i), rows.features.point(*end_j))


def parallel(rows: RowList, end_i: End, end_j: End, axis: Array) -> None:
    """The axis is the same direction on bodies i and j."""
    across = [rows.features.direction(end_i[0], a) for a in plane_axes(axis)]
    n_j = rows.features.direction(end_j[0], axis)
    for a_i in across:
        keep_angle(rows, a_i, n_j)


def same_orientation(rows: RowList, end_i: End, end_j: End, axis: Array) -> None:
    """Bodies i and j do not turn against each other."""
    parallel(rows, end_i, end_j, axis)
    u, v = plane_axes(axis)
    keep_angle(rows, rows.features.direction(end_i[0], u), rows.features.direction(end_j[0], v))


def on_line(rows: RowList, end_i: End, end_j: End, axis: Array) -> None:
    """The origin on j is on the line of body i along the axis."""
    for a in plane_axes(axis):
        in_plane(rows, end_i, end_j, a)


def in_plane(rows: RowList, end_i: End, end_j: End, axis: Array) -> None:
    """The origin on j is in the plane of body i to which the axis is normal."""
    a_i = rows.features.direction(end_i[0], axis)
    stay_in_plane(rows, a_i, rows.features.point(*end_i), rows.features.point(*end_j))


def angle(rows: RowList, end_i: End, end_j: End, a: Array, b: Array) -> None:
    """The direction a of body i and the direction b of body j keep their angle."""
    a_i, b_j = rows.features.direction(end_i[0], a), rows.features.direction(end_j[0], b)
    keep_angle(rows, a_i, b_j, cosine=float(a @ b))


HOLD: dict[ConstraintKind, Callable[..., None]] = {
    "point": point,
    "parallel": parallel,
    "same_orientation": same_orientation,
    "on_line": on_line,
    "in_plane": in_plane,
    "angle": angle,
}
"""What a kind of joint may list as its constraints."""


def standard_rows(rows: RowList, joint: Joint, i: int, j: int) -> None:
    """The constraints of every kind of joint but a sequence; i is the parent, j the child."""
    for constraint in joint.type.constraints:
        axes = [named_direction(name, joint.axes) for name in constraint.axes]
        HOLD[constraint.kind](rows, (i, joint.p_P), (j, joint.p_C), *axes)


def primitive_rows(rows: RowList, primitive: Primitive, end_i: End, end_j: End) -> None:
    """One rotation, translation or ball between bodies i and j."""
    if primitive.axis is None:
        point(rows, end_i, end_j)
    elif primitive.kind == "rotation":
        point(rows, end_i, end_j)
        parallel(rows, end_i, end_j, primitive.axis)
    else:
        same_orientation(rows, end_i, end_j, primitive.axis)
        on_line(rows, end_i, end_j, primitive.axis)


def sequence_ends(joint: Joint, chain: tuple[int, ...]) -> list[End]:
    """The bodies of a chain with the joint's origin on each; k and k + 1 are joined by the k-th primitive walked."""
    return [*((body, joint.p_P) for body in chain[:-1]), (chain[-1], joint.p_C)]


def sequence_rows(rows: RowList, joint: Joint, chain: tuple[int, ...]) -> None:
    """A chain of massless bodies, one primitive between two neighbours."""
    ends = sequence_ends(joint, chain)
    for number, end_i, end_j in zip(joint.walk, ends[:-1], ends[1:], strict=True):
        primitive_rows(rows, joint.primitives[number], end_i, end_j)


def lock_rows(rows: RowList, joint: Joint, chain: tuple[int, ...]) -> None:
    """No deflection of the stiff primitives of a chain."""
    ends = sequence_ends(joint, chain)
    for number, end_i, end_j in zip(joint.walk, ends[:-1], ends[1:], strict=True):
        if joint.primitives[number].stiff:
            point(rows, end_i, end_j)
            same_orientation(rows, end_i, end_j, np.eye(3)[2])


def rod_rows(rows: RowList, rod: Rod, bodies: Bodies) -> None:
    """The distance between the two ends of a rod."""
    p_i = rows.features.point(bodies.index(rod.parent), rod.p_P)
    p_j = rows.features.point(bodies.index(rod.child), rod.p_C)
    keep_distance(rows, p_i, p_j, rod.length)


def constraint_row(rows: RowList, held: Constraint, bodies: Bodies) -> None:
    """A point or direction of the child that the parent keeps."""
    i, j = (bodies.index(body) for body in (held.parent, held.child))
    if held.kind == "point_on_plane":
        in_plane(rows, (i, held.p_P), (j, held.p_C), held.axis)
    elif held.kind == "point_on_line":
        on_line(rows, (i, held.p_P), (j, held.p_C), held.axis)
    else:
        across = plane_axes(held.axis) if held.kind == "parallel" else (held.axis,)
        cosine = float(held.axis @ held.axis2) if held.kind == "equal_angle" else 0.0
        b_j = rows.features.direction(j, held.axis2)
        for a in across:
            keep_angle(rows, rows.features.direction(i, a), b_j, cosine)


def constraint_rows(mechanism: Mechanism, bodies: Bodies, rigid: bool = False) -> FeatureRows:
    """The constraints of all joints and rods, and those of the file; `rigid` adds that no stiff direction deflects."""
    rows = RowList(bodies)
    for joint in mechanism.joints:
        rows.label = joint.name
        chain = bodies.chains[joint.name]
        if bodies.is_chain(joint):
            sequence_rows(rows, joint, chain)
            if rigid:
                lock_rows(rows, joint, chain)
        elif rigid or joint.name not in bodies.loose:
            standard_rows(rows, joint, *chain)
    for rod in mechanism.rods:
        rows.label = rod.name
        rod_rows(rows, rod, bodies)
    for held in mechanism.constraints:
        rows.label = f"constraint.{held.name}"
        constraint_row(rows, held, bodies)
    return rows.rows()
