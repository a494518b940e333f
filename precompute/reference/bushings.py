"""Bushings of the full model as force elements: deflection, rate, force, and the wrench on both bodies.

    d = E^T (x_C - x_P),   theta = rotation vector of R_P^T R_C, both in the bushing's axes E = R_P R_b         (1)
    thetadot = L E^T (w_C - w_P),   L = (h cot h) 1 + (1 - h cot h) n n^T - skew(theta)/2,   h = |theta|/2       (2)
    f = preload - K delta - C d(delta)/dt,   a table at delta_i in place of its row of K delta                  (3)
    on the child at x_C: force E f_d, moment E L^T f_theta; the opposite on the parent at the same place        (4)

All bushings of a model are computed together.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from precompute.arrays import Array
from precompute.model.mechanism import Bushing
from precompute.reference.bodies import Bodies, FullState, IntArray, cross, quaternion_product
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
    laws: tuple[Bushing, ...]


@dataclass(frozen=True, eq=False)
class BushingState:
    """All bushings at one instant."""

    deflection: Array  # (n, 6) [m, rad]
    rate: Array  # (n, 6) [m/s, rad/s]
    force: Array  # (n, 6) on the deflection [N, N m]
    on_child: Array  # (n, 2, 3) of (4): force [N] and moment [N m] at `point`, in G
    point: Array  # (n, 3) of the child, in G [m]


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
        laws=tuple(bushings),
    )


def bushing_state(bushings: Bushings, state: FullState) -> BushingState:
    """Deflections, rates and forces of all bushings."""
    R, r, v, w = body_motions(state)
    i, j = bushings.bodies
    x_P, x_C = ((R[b] @ s[..., None])[..., 0] + r[b] for b, s in zip(bushings.bodies, bushings.s, strict=True))
    E = R[i] @ bushings.R
    theta = across(bushings.R, rotation_vectors(state, i, j))
    L = rotation_rate_matrices(theta)
    slip = v[j] + cross(w[j], x_C - r[j]) - v[i] - cross(w[i], x_C - r[i])
    deflection = np.hstack([across(E, x_C - x_P), theta])
    rate = np.hstack([across(E, slip), (L @ across(E, w[j] - w[i])[..., None])[..., 0]])
    force = bushing_forces(bushings, deflection, rate)
    along = np.stack([force[:, :3], across(L, force[:, 3:])], axis=1)
    return BushingState(deflection, rate, force, along @ np.swapaxes(E, 1, 2), x_C)


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


def bushing_forces(bushings: Bushings, deflection: Array, rate: Array) -> Array:
    """(n, 6) forces on the deflections, by (3) [N, N m]."""
    elastic = (bushings.stiffness @ deflection[..., None])[..., 0]
    force = bushings.preload - elastic - (bushings.damping @ rate[..., None])[..., 0]
    for k, bushing in enumerate(bushings.laws):
        for i, table in enumerate(bushing.tables):
            if table is not None:
                force[k, i] -= table_force(table, float(deflection[k, i]))
    return force


def bushing_energy(bushings: Bushings, deflection: Array) -> float:
    """1/2 delta^T K delta - preload^T delta, and the integrals of the tables, of all bushings [J]."""
    elastic = (bushings.stiffness @ deflection[..., None])[..., 0]
    tables = sum(
        table_energy(table, float(x))
        for bushing, row in zip(bushings.laws, deflection, strict=True)
        for table, x in zip(bushing.tables, row, strict=True)
        if table is not None
    )
    return float(((0.5 * elastic - bushings.preload) * deflection).sum()) + tables


def bushing_loads(bushings: Bushings, state: FullState) -> Array:
    """(6 nb + 6,) generalized forces of all bushings on all bodies, those on the ground last [N m, N]."""
    at = bushing_state(bushings, state)
    R, r, _, _ = body_motions(state)
    Q = np.zeros((len(r), 6))
    force, moment = at.on_child[:, 0], at.on_child[:, 1]
    for body, sign in zip(bushings.bodies, (-1.0, 1.0), strict=True):
        turning = across(R[body], moment + cross(at.point - r[body], force))
        np.add.at(Q, body, sign * np.hstack([turning, force]))
    return Q.ravel()
