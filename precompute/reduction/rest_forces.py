"""Forces at rest and their exact derivatives along z, at a batch of closed configurations.

With the measures s, their exact gradients s_i and second derivatives s_ij along z, the generalized force of all laws is

    Q_i = sum_k f_k s_k,i                                                                   (1)
    K_ij = -dQ_i/dz_j = -sum_kl s_k,i (df_k/ds_l) s_l,j - sum_k f_k s_k,ij                  (2)

and a force F at a point of a body with the velocity v_i along z_i, or a moment M, adds

    Q_i += F . v_i + M . w_i,    K_ij -= F . d_j v_i + M . d_j w_i                          (3)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from precompute.arrays import Array
from precompute.geometry.spatial import point_acceleration, point_velocity
from precompute.kinematics.coefficients import Closure, coefficient_derivatives, solver, velocity_coefficients
from precompute.kinematics.motion import Motion
from precompute.model.mechanism import Port
from precompute.reduction.rest_laws import Laws


@dataclass(frozen=True, eq=False)
class RestForces:
    """A mechanism at rest at n configurations."""

    motion: Motion
    B: Array  # (n, nv, nz)
    s: Array  # (n, nm) what laws act on
    ds: Array  # (n, nm, nz)
    dds: Array  # (n, nm, nz, nz)
    Q: Array  # (n, nz) generalized forces of laws, weights and ports [N, N m]
    K: Array  # (n, nz, nz) -dQ/dz
    first_moments: Array  # (n, 3, nz) of all masses: what they move along z, times mass [kg m]


def rest_forces(
    closure: Closure, laws: Laws, ports: Sequence[Port], q: Array, gravity: Array | None = None
) -> RestForces:
    """All of it at closed configurations q (n, nq), under the loads of some ports and gravity (n, 3) or the file's."""
    mechanism, P = closure.mechanism, closure.poses(q)
    factor = solver(closure, closure.matrix(P))
    B = velocity_coefficients(closure, factor)
    dB, W, dW = coefficient_derivatives(closure, P, factor, B)
    motion = Motion(P, B, W, dW, dB)
    s = np.stack([m.value(P) for m in laws.measures], axis=-1) if laws.measures else np.zeros((len(q), 0))
    nz = B.shape[-1]
    ds, dds = np.zeros((*s.shape, nz)), np.zeros((*s.shape, nz, nz))
    for k, measure in enumerate(laws.measures):
        ds[:, k] = (measure.row(P)[:, None, :] @ B)[:, 0]
        dds[:, k] = measure.second(motion)
    f = laws.force(s)
    Q = np.einsum("nk,nki->ni", f, ds)  # (1)
    K = -np.swapaxes(ds, -1, -2) @ laws.slope(s) @ ds - np.einsum("nk,nkij->nij", f, dds)  # (2)
    gravity = np.broadcast_to(mechanism.gravity, (len(q), 3)) if gravity is None else gravity
    first_moments = np.zeros((len(q), 3, nz))
    for body in mechanism.bodies:
        V, dV, p = motion.velocity(body.name), motion.acceleration(body.name), P.pose(body.name).point(body.com)
        first_moments += body.mass * point_velocity(V, p)
        if mechanism.gravity.any():
            K = K - np.einsum("nc,ncij->nij", body.mass * gravity, point_acceleration(V, dV, p))  # (3)
    Q = Q + np.einsum("nc,nci->ni", gravity, first_moments)
    for port in ports:
        marker, force, moment = mechanism.marker(port.marker), np.array(port.force), np.array(port.moment)
        if not (force.any() or moment.any()):
            continue
        V, dV, p = motion.velocity(marker.body), motion.acceleration(marker.body), P.pose(marker.body).point(marker.p)
        Q = Q + np.einsum("c,nci->ni", force, point_velocity(V, p)) + np.einsum("c,nci->ni", moment, V[:, :3])  # (3)
        K = K - np.einsum("c,ncij->nij", force, point_acceleration(V, dV, p))
        K = K - np.einsum("c,ncij->nij", moment, dV[:, :3])
    return RestForces(motion, B, s, ds, dds, Q, K, first_moments)
