"""A moving ground: what its motion does to the mechanism, and the mechanism to it.

The ground is a chassis with the twist V = [w; v] of its origin, in its own axes; Vd are the derivatives of these six
components (so the inertial acceleration of the origin is vd + w x v).  With the tables N (momentum per unit rate), S
(first moment) and I (inertia tensor about the origin), all relative to the chassis, the kinetic energy is

    T = 1/2 w.I w + w.(S x v) + 1/2 m v.v + V^T N zd + 1/2 zd^T J zd                                  (1)

V is a given function of time, so Lagrange's equations of the z are the ordinary ones.  They add to Q - c

    -N^T Vd - sum_j (d_j N)^T V zd_j + V^T (d_k N) zd + 1/2 w.(d_k I) w + (d_k S).(v x w)             (2)

and with the momentum h = [I w + S x v; m v + w x S] + N zd the mechanism exerts on the chassis, at its origin,

    -(hdot + [w x h_a + v x h_l; w x h_l] - F_ext),   F_ext = gravity and loads of the ports          (3)

`u` below is zd with zeros for coordinates without inertia (quasi-static ones); it is zd otherwise.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..model.reduced_model import Array
from ..model.rows import Rows

SYMMETRIC = np.array([[0, 3, 4], [3, 1, 5], [4, 5, 2]])
"""Where the entries of I lie among xx, yy, zz, xy, xz, yz."""


class Ground(NamedTuple):
    """Tables that couple the mechanism to its ground, at one z."""

    mass: float  # [kg]
    S: Array  # (3,) [kg m]
    dS: Array  # (nz, 3)
    tensor: Array  # (3, 3) I [kg m2]
    dtensor: Array  # (nz, 3, 3)
    N: Array  # (6, nz)
    dN: Array  # (nz, 6, nz), dN[k] = dN/dz_k


def ground_at(rows: Rows, value: Array, slopes: Array, mass: float) -> Ground:
    """The tables from rows (nr,) and their slopes (nz, nr)."""
    nz, S = len(slopes), list(rows.S)
    N, tensor = slice(rows.N, rows.N + 6 * nz), slice(rows.I, rows.I + 6)
    return Ground(
        mass=mass,
        S=value[S],
        dS=slopes[:, S],
        tensor=value[tensor][SYMMETRIC],
        dtensor=slopes[:, tensor][:, SYMMETRIC],
        N=value[N].reshape(6, nz),
        dN=slopes[:, N].reshape(nz, 6, nz),
    )


def frame_force(ground: Ground, V: Array, Vd: Array, zd: Array, u: Array) -> Array:
    """Generalized forces (nz,) of equation (2) [N or N.m]."""
    w, v = V[:3], V[3:]
    turned = V @ ground.dN  # (nz, nz), [j, k] = V^T d_j N_k
    force: Array = turned @ u - zd @ turned - Vd @ ground.N
    return force + 0.5 * (ground.dtensor @ w @ w) + ground.dS @ cross(v, w)


def chassis_wrench(ground: Ground, V: Array, Vd: Array, zd: Array, u: Array, zdd: Array, external: Array) -> Array:
    """Moment about the origin and force that the mechanism exerts on the chassis, (6,), equation (3).

    Args:
        ground: the tables.
        V: (6,) twist.
        Vd: (6,) derivatives of its components.
        zd: (nz,) rates.
        u: (nz,) rates of the coordinates that have inertia.
        zdd: (nz,) accelerations; zero for the others.
        external: (6,) moment about the origin and force of gravity and loads on the mechanism.
    """
    mass, S, tensor, N = ground.mass, ground.S, ground.tensor, ground.N
    Sdot, tensor_dot, Ndot = zd @ ground.dS, np.tensordot(zd, ground.dtensor, 1), np.tensordot(zd, ground.dN, 1)
    h = momentum(mass, S, tensor, N, V, u)
    hdot = momentum(mass, S, tensor, N, Vd, zdd) + momentum(0.0, Sdot, tensor_dot, Ndot, V, u)
    w, v = V[:3], V[3:]
    turning = np.concatenate((cross(w, h[:3]) + cross(v, h[3:]), cross(w, h[3:])))
    return external - hdot - turning


def momentum(mass: float, S: Array, tensor: Array, N: Array, V: Array, u: Array) -> Array:
    """h, (6,): angular momentum about the origin [kg m2/s], linear momentum [kg m/s]."""
    w, v = V[:3], V[3:]
    return np.concatenate((tensor @ w + cross(S, v), mass * v + cross(w, S))) + N @ u


def cross(a: Array, b: Array) -> Array:
    """Vector product of two 3-vectors, without the overhead of the library's."""
    (a1, a2, a3), (b1, b2, b3) = a.tolist(), b.tolist()
    return np.array((a2 * b3 - a3 * b2, a3 * b1 - a1 * b3, a1 * b2 - a2 * b1))
