"""Bushings of the full model as force elements: deflection, rate, force, and the wrench on both bodies.

    d = E^T (x_C - x_P),   theta = rotation vector of R_P^T R_C, both in the bushing's axes E = R_P R_b         (1)
    thetadot = L E^T (w_C - w_P),   L = (h cot h) 1 + (1 - h cot h) n n^T - skew(theta)/2,   h = |theta|/2       (2)
    f = preload - K delta - C d(delta)/dt,   a table at delta_i in place of its row of K delta                  (3)
    on the child at x_C: force E f_d, moment E L^T f_theta; the opposite on the parent at the same place        (4)

By the law "cardan" theta are angles about axis 2, then 3, then 1, (2) is theirs, and the moment is that of (3) itself:

    R_b^T R_P^T R_C R_b = R_2(theta_2) R_3(theta_3) R_1(theta_1),                                               (5)
    f = preload - K delta - C [ddot; E^T (w_C - w_P)],   moment E f_theta                                       (6)

All bushings of a model are computed together.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from precompute.arrays import Array
from precompute.model.mechanism import Bushing
from precompute.reference.bodies import Bodies, BoolArray, FullState, IntArray, cross, quaternion_product
from precompute.reference.forces import table_energy, table_force

SMALL = 1e-2  # angle [rad] below which a series replaces the quotient in (2)


@dataclass(frozen=True, eq=False)
class Bushings:
    """n bushings as arrays."""

    bodies: IntArray  # (2, n) parents, children
    s: Array  # (2, n, 3) their points, in body axes from the centre of mass [m]
    R: Array  # (n, 3, 3) axes at design
    stiffness: Array  # (n, 6, 6)
    damping: Array  # (n, 6, 6)
    preload: Array  # (n, 6)
    cardan: BoolArray  # (n,) which have this law
    laws: tuple[Bushing, ...]


@dataclass(frozen=True, eq=False)
class BushingState:
    """All bushings at one instant."""

    deflection: Array  # (n, 6) [m, rad]
    rate: Array  # (n, 6) [m/s, rad/s]
    force: Array  # (n, 6) on the deflection, or about the axes [N, N m]
    on_child: Array  # (n, 2, 3) of (4): force [N] and moment [N m] at `point`, in G
    point: Array  # (n, 3) of the child, in G [m]
    E: Array  # (n, 3, 3) of (1)
    L: Array  # (n, 3, 3) of (2)

    def pushed(self, force: Array) -> Array:
        """(n, 2, 3) force and moment on the children of other forces (n, 6) on the deflections, by (4)."""
        along = np.stack([force[:, :3], across(self.L, force[:, 3:])], axis=1)
        return np.asarray(along @ np.swapaxes(self.E, 1, 2))


def all_bushings(bodies: Bodies, bushings: Sequence[Bushing]) -> Bushings:
    """The arrays of a model's bushings."""
    n = len(bushings)
    number = np.array([[bodies.index(b.parent), bodies.index(b.child)] for b in bushings], dtype=np.int64)
    number = number.reshape(n, 2).T
    com = np.vstack([bodies.com, np.zeros(3)])
    return Bushings(
        bodies=number,
        s=np.array([b.p for b in bushings]).reshape(n, 3) - com[number],
        R=np.array([b.R for b in bushings]).reshape(n, 3, 3),
        stiffness=np.array([b.stiffness for b in bushings]).reshape(n, 6, 6),
        damping=np.array([b.damping for b in bushings]).reshape(n, 6, 6),
        preload=np.array([b.preload for b in bushings]).reshape(n, 6),
        cardan=np.array([b.law == "cardan" for b in bushings], dtype=bool),
        laws=tuple(bushings),
    )


def bushing_state(bushings: Bushings, state: FullState) -> BushingState:
    """Deflections, rates and forces of all bushings."""
    R, r, v, w = body_motions(state)
    i, j = bushings.bodies
    x_P, x_C = ((R[b] @ s[..., None])[..., 0] + r[b] for b, s in zip(bushings.bodies, bushings.s, strict=True))
    E = R[i] @ bushings.R
    cardan = bushings.cardan[:, None]
    turned = across(bushings.R, rotation_vectors(state, i, j))
    theta = np.where(cardan, cardan_angles(np.swapaxes(E, 1, 2) @ R[j] @ bushings.R), turned)
    L = np.where(cardan[..., None], cardan_rate_matrices(theta), rotation_rate_matrices(theta))
    slip = v[j] + cross(w[j], x_C - r[j]) - v[i] - cross(w[i], x_C - r[i])
    deflection = np.hstack([across(E, x_C - x_P), theta])
    spin = across(E, w[j] - w[i])
    rate = np.hstack([across(E, slip), (L @ spin[..., None])[..., 0]])
    force = bushing_forces(bushings, deflection, np.where(cardan, np.hstack([rate[:, :3], spin]), rate))
    along = np.stack([force[:, :3], np.where(cardan, force[:, 3:], across(L, force[:, 3:]))], axis=1)
    return BushingState(deflection, rate, force, along @ np.swapaxes(E, 1, 2), x_C, E, L)


def body_motions(state: FullState) -> tuple[Array, Array, Array, Array]:
    """Rotation (nb + 1, 3, 3), position, velocity and angular velocity (nb + 1, 3) of all bodies, in G; ground last."""
    chassis, R = state.chassis, state.R
    r, v = np.vstack([state.r, chassis.p]), np.vstack([state.v, chassis.velocity])
    return R, r, v, (R @ np.vstack([state.w, chassis.twist[:3]])[..., None])[..., 0]


def across(R: Array, x: Array) -> Array:
    """(n, 3) vectors R^T x."""
    return (x[:, None, :] @ R)[:, 0]


def rotation_vectors(state: FullState, parents: IntArray, children: IntArray) -> Array:
    """(n, 3) axis times angle, up to half a turn, of each child's rotation seen from its parent [rad]."""
    quaternion = np.vstack([state.quaternion, state.chassis.quaternion])
    e = quaternion_product(quaternion[parents] * [1.0, -1.0, -1.0, -1.0], quaternion[children])
    e = np.where(e[:, :1] < 0.0, -e, e)
    sine = np.linalg.norm(e[:, 1:], axis=1, keepdims=True)
    tiny = sine < 1e-9 * e[:, :1]
    factor = np.where(tiny, 1.0 / np.where(tiny, e[:, :1], 1.0), np.arctan2(sine, e[:, :1]) / np.where(tiny, 1.0, sine))
    return 2.0 * factor * e[:, 1:]


def rotation_rate_matrices(theta: Array) -> Array:
    """(n, 3, 3) L of (2)."""
    t2 = (theta**2).sum(axis=1)[:, None, None]
    t = np.sqrt(t2)
    small = t < SMALL
    large = np.where(small, 1.0, t)
    quotient = (1.0 - 0.5 * large / np.tan(0.5 * large)) / large**2
    c = np.where(small, 1.0 / 12.0 + t2 / 720.0 + t2**2 / 30240.0, quotient)
    half = cross(np.eye(3), 0.5 * theta[:, None, :])  # rows e_i x theta/2: the matrix of theta/2 x
    return (1.0 - c * t2) * np.eye(3) + c * theta[:, :, None] * theta[:, None, :] - half


def cardan_angles(M: Array) -> Array:
    """(n, 3) angles of (5): M carries its first axis to e, of which they are two, and turns about e by the other."""
    e, f = M[:, :, 0], M[:, :, 2]
    second, third = np.arctan2(-e[:, 2], e[:, 0]), np.arcsin(np.clip(e[:, 1], -1.0, 1.0))
    x, z, o = np.sin(second), np.cos(second), np.zeros_like(second)
    level = np.stack([x, o, z], axis=1)  # axis 3 after the first turn, across e
    across_both = cross(level, e)  # axis 2 after two turns
    first = np.arctan2(-(f * across_both).sum(axis=1), (f * level).sum(axis=1))
    return np.stack([first, second, third], axis=1)


def cardan_rate_matrices(theta: Array) -> Array:
    """(n, 3, 3) L of (2) for the angles of (5): the inverse of the axes of the three turns, as columns.

    theta_1 turns about e = R_2 R_3 e_1, theta_2 about e_2, theta_3 about R_2 e_3.
    """
    (_, s2, s3), (_, c2, c3) = np.sin(theta).T, np.cos(theta).T
    o, i = np.zeros_like(s2), np.ones_like(s2)
    return np.linalg.inv(np.array([[c2 * c3, o, s2], [s3, i, o], [-s2 * c3, o, c2]]).transpose(2, 0, 1))


def bushing_forces(bushings: Bushings, deflection: Array, rate: Array) -> Array:
    """(n, 6) forces by (3) or (6), with the rates of the one or the other [N, N m]."""
    elastic = (bushings.stiffness @ deflection[..., None])[..., 0]
    force = bushings.preload - elastic - (bushings.damping @ rate[..., None])[..., 0]
    for k, bushing in enumerate(bushings.laws):
        for i, table in enumerate(bushing.tables):
            if table is not None:
                force[k, i] -= table_force(table, float(deflection[k, i]))
    return force


def bushing_energy(bushings: Bushings, deflection: Array) -> float:
    """1/2 delta^T K delta - preload^T delta, and the integrals of the tables, of all bushings [J].

    No potential of the moments of (6), but what they store to second order.
    """
    elastic = (bushings.stiffness @ deflection[..., None])[..., 0]
    tables = sum(
        table_energy(table, float(x))
        for bushing, row in zip(bushings.laws, deflection, strict=True)
        for table, x in zip(bushing.tables, row, strict=True)
        if table is not None
    )
    return float(((0.5 * elastic - bushings.preload) * deflection).sum()) + tables


def bushing_loads(bushings: Bushings, state: FullState, more: Array | None = None) -> Array:
    """(6 nb + 6,) generalized forces of all bushings on all bodies, those on the ground last [N m, N].

    Args:
        bushings: all of them.
        state: at which they are.
        more: (n, 6) forces on their deflections besides their own.
    """
    at = bushing_state(bushings, state)
    R, r, _, _ = body_motions(state)
    Q = np.zeros((len(r), 6))
    on_child = at.on_child if more is None else at.on_child + at.pushed(more)
    force, moment = on_child[:, 0], on_child[:, 1]
    for body, sign in zip(bushings.bodies, (-1.0, 1.0), strict=True):
        turning = across(R[body], moment + cross(at.point - r[body], force))
        np.add.at(Q, body, sign * np.hstack([turning, force]))
    return Q.ravel()
