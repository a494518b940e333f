"""Bushings of the full model as force elements: deflection, rate, force, and the wrench on both bodies.

d = E^T (x_C - x_P),   theta = rotation vector of R_P^T R_C, both in the bushing's axes E = R_P R_b         (1)
thetadot = L E^T (w_C - w_P),   L = (h cot h) 1 + (1 - h cot h) n n^T - skew(theta)/2,   h = |theta|/2       (2)
f = preload - K delta - C d(delta)/dt,   a table at delta_i in place of its row of K delta                  (3)
on the child at x_C: force E f_d, moment E L^T f_theta; the opposite on the parent at the same place        (4)
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from precompute.arrays import Array
from precompute.mechanism import Bushing
from precompute.reference.bodies import Bodies, FullState, quaternion_product, rotations
from precompute.reference.forces import table_energy, table_force

SMALL = 1e-2  # angle [rad] below which a series replaces the quotient in (2)


@dataclass(frozen=True, eq=False)
class BushingState:
    """A bushing at one instant."""

    deflection: Array  # (6,) [m, rad]
    rate: Array  # (6,) [m/s, rad/s]
    force: Array  # (6,) on the deflection [N, N m]
    on_child: tuple[Array, Array]  # (4): force [N] and moment [N m] at `point`, in G
    point: Array  # (3,) of the child, in G [m]


@dataclass(frozen=True, eq=False)
class _Motion:
    """Position, rotation and rates of a body, in G."""

    r: Array
    R: Array
    quaternion: Array
    v: Array
    w: Array


def _motion(state: FullState, body: int) -> _Motion:
    if body == len(state.r):
        c = state.chassis
        return _Motion(c.p, c.R, c.quaternion, c.velocity, c.R @ c.twist[:3])
    R = rotations(state.quaternion[body][None])[0]
    return _Motion(state.r[body], R, state.quaternion[body], state.v[body], R @ state.w[body])


def bushing_state(bodies: Bodies, state: FullState, bushing: Bushing) -> BushingState:
    """Deflection, rate and force of a bushing."""
    i, j = bodies.index(bushing.parent), bodies.index(bushing.child)
    P, C = _motion(state, i), _motion(state, j)
    com = np.vstack([bodies.com, np.zeros(3)])
    x_P, x_C = P.r + P.R @ (bushing.p - com[i]), C.r + C.R @ (bushing.p - com[j])
    E = P.R @ bushing.R
    theta = bushing.R.T @ rotation_vector(P.quaternion, C.quaternion)
    L = rotation_rate_matrix(theta)
    slip = C.v + np.cross(C.w, x_C - C.r) - P.v - np.cross(P.w, x_C - P.r)
    deflection = np.concatenate([E.T @ (x_C - x_P), theta])
    rate = np.concatenate([E.T @ slip, L @ (E.T @ (C.w - P.w))])
    force = bushing_force(bushing, deflection, rate)
    return BushingState(deflection, rate, force, (E @ force[:3], E @ (L.T @ force[3:])), x_C)


def rotation_vector(parent: Array, child: Array) -> Array:
    """(3,) axis times angle, up to half a turn, of the child's rotation seen from the parent [rad]."""
    inverse = parent * [1.0, -1.0, -1.0, -1.0]
    e = quaternion_product(inverse[None], child[None])[0]
    e = -e if e[0] < 0.0 else e
    sine = float(np.linalg.norm(e[1:]))
    return 2.0 * e[1:] / e[0] if sine < 1e-9 * e[0] else 2.0 * np.arctan2(sine, e[0]) / sine * e[1:]


def rotation_rate_matrix(theta: Array) -> Array:
    """(3, 3) L of (2)."""
    t2 = float(theta @ theta)
    t = np.sqrt(t2)
    c = 1.0 / 12.0 + t2 / 720.0 + t2**2 / 30240.0 if t < SMALL else (1.0 - 0.5 * t / np.tan(0.5 * t)) / t2
    x, y, z = theta
    half = 0.5 * np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    return (1.0 - c * t2) * np.eye(3) + c * np.outer(theta, theta) - half


def bushing_force(bushing: Bushing, deflection: Array, rate: Array) -> Array:
    """(6,) force on the deflection, by (3) [N, N m]."""
    force = bushing.preload - bushing.stiffness @ deflection - bushing.damping @ rate
    for i, table in enumerate(bushing.tables):
        if table is not None:
            force[i] -= table_force(table, float(deflection[i]))
    return force


def bushing_energy(bushing: Bushing, deflection: Array) -> float:
    """1/2 delta^T K delta - preload^T delta, and the integrals of the tables [J]."""
    tables = sum(
        table_energy(table, float(x)) for table, x in zip(bushing.tables, deflection, strict=True) if table is not None
    )
    return 0.5 * float(deflection @ bushing.stiffness @ deflection) - float(bushing.preload @ deflection) + tables


def bushing_forces(bodies: Bodies, state: FullState, bushings: tuple[Bushing, ...]) -> Array:
    """(6 nb + 6,) generalized forces of all bushings on all bodies, those on the ground last [N m, N]."""
    Q = np.zeros((len(bodies.names) + 1, 6))
    for bushing in bushings:
        at = bushing_state(bodies, state, bushing)
        force, moment = at.on_child
        for body, sign in ((bodies.index(bushing.child), 1.0), (bodies.index(bushing.parent), -1.0)):
            motion = _motion(state, body)
            Q[body, :3] += sign * motion.R.T @ (moment + np.cross(at.point - motion.r, force))
            Q[body, 3:] += sign * force
    return Q.ravel()
