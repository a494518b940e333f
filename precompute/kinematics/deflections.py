"""The six deflections of a bushing as measures: values, gradients and second derivatives.

With E = R_P R_b the bushing's axes carried by the parent and p the child's point,

    d = E^T (p - p_P),   theta = log(E^T R_C R_b)                                           (1)
    ddot_i = e_i . (v_C - v_P at p),   thetadot = L(theta) E^T (w_C - w_P)                  (2)

where v_P at p is the velocity of the parent's material at the child's point: it contains the turning of the axes.
"""

from __future__ import annotations

import numpy as np

from precompute.arrays import Array
from precompute.geometry.rotation_vectors import inverse_left_jacobian, inverse_left_jacobian_derivative
from precompute.geometry.spatial import point_acceleration, point_velocity, so3_log
from precompute.kinematics.poses import Poses
from precompute.kinematics.topology import Topology
from precompute.model.mechanism import Bushing


def value(topology: Topology, P: Poses, bushing: Bushing, index: int) -> Array:
    """Deflection `index` by (1).  -> (...) [m or rad]."""
    parent, child = ends(topology, bushing)
    E, p = axes(P, parent, bushing), P.X[child].point(bushing.p)
    if index >= 3:
        return rotation_vector(P, parent, child, bushing)[..., index - 3]
    return np.einsum("...c,...c->...", E[..., :, index], p - P.X[parent].point(bushing.p))


def row(topology: Topology, P: Poses, bushing: Bushing, index: int) -> Array:
    """Gradient with respect to the joint rates, by (2).  -> (..., nv)."""
    parent, child = ends(topology, bushing)
    E, p = axes(P, parent, bushing), P.X[child].point(bushing.p)
    if index >= 3:
        L = inverse_left_jacobian(rotation_vector(P, parent, child, bushing))
        moment = (E @ L[..., index - 3, :, None])[..., 0]
        wrench = np.concatenate([moment, np.zeros_like(moment)], axis=-1)
    else:
        e = E[..., :, index]
        wrench = np.concatenate([np.cross(p, e), e], axis=-1)
    signs = topology.reach[child] - topology.reach[parent]
    return signs * (wrench[..., None, :] @ P.S)[..., 0, :]


def second(topology: Topology, P: Poses, W: Array, dW: Array, bushing: Bushing, index: int) -> Array:
    """Second derivatives along z, given velocities W and their derivatives dW.  -> (..., nz, nz)."""
    parent, child = ends(topology, bushing)
    V_P, V_C, dV_P, dV_C = W[..., parent, :, :], W[..., child, :, :], dW[..., parent, :, :, :], dW[..., child, :, :, :]
    E = axes(P, parent, bushing)
    if index >= 3:
        theta, dw = rotation_vector(P, parent, child, bushing), (dV_C - dV_P)[..., :3, :, :]
        return rotation_second(theta, E, V_C[..., :3, :], V_P[..., :3, :], dw)[..., index - 3, :, :]
    p = P.X[child].point(bushing.p)
    v = point_velocity(V_C, p)
    u = v - point_velocity(V_P, p)
    parent_ij = dV_P[..., 3:, :, :] + np.cross(dV_P[..., :3, :, :], p[..., None, None], axis=-3)
    parent_ij = parent_ij + np.cross(V_P[..., :3, :, None], v[..., :, None, :], axis=-3)  # p moves with the child
    u_ij = point_acceleration(V_C, dV_C, p) - parent_ij
    e = E[..., :, index]
    e_j = np.cross(V_P[..., :3, :], e[..., None], axis=-2)
    return np.einsum("...c,...cij->...ij", e, u_ij) + np.einsum("...ci,...cj->...ij", u, e_j)


def rotation_second(theta: Array, E: Array, w_C: Array, w_P: Array, dw: Array) -> Array:
    """Second derivatives of theta along z: d_j (L Omega_i) with Omega_i = E^T (w_C - w_P)_i.   -> (..., 3, nz, nz).

    d_j Omega_i = E^T (d_j (w_C - w_P)_i - w_P,j x (w_C - w_P)_i),   d_j L = dL/d(theta) L Omega_j     (3)
    """
    L, dL = inverse_left_jacobian(theta), inverse_left_jacobian_derivative(theta)
    relative = w_C - w_P
    carried = np.cross(w_P[..., :, None, :], relative[..., :, :, None], axis=-3)
    Omega = np.swapaxes(E, -1, -2) @ relative
    dOmega = np.einsum("...kc,...kij->...cij", E, dw - carried)
    turned = np.einsum("...abk,...kj,...bi->...aij", dL, L @ Omega, Omega)
    return np.einsum("...ab,...bij->...aij", L, dOmega) + turned


def ends(topology: Topology, bushing: Bushing) -> tuple[int, int]:
    """Numbers of parent and child."""
    return topology.bodies.index(bushing.parent), topology.bodies.index(bushing.child)


def axes(P: Poses, parent: int, bushing: Bushing) -> Array:
    """The bushing's axes in G, as columns.  -> (..., 3, 3)."""
    return P.X[parent].R @ bushing.R


def rotation_vector(P: Poses, parent: int, child: int, bushing: Bushing) -> Array:
    """theta of (1).  -> (..., 3) [rad]."""
    E = axes(P, parent, bushing)
    return so3_log(np.swapaxes(E, -1, -2) @ P.X[child].R @ bushing.R)
