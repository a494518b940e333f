"""Reduced inertia M(z), its derivatives, and the quadratic terms of the equations of motion.

With V the spatial velocity of the ground (the chassis) and zdot the independent rates, T = 1/2 [V; zdot]^T M [V; zdot]:

    M = sum_b [1 W_b]^T M_b [1 W_b]                                         (1)
    J zddot = 1/2 sum_ij Q_ij zdot_i zdot_j + Q                             (2)
    Q_ij^k = -(d_j J_ki + d_i J_kj - d_k J_ij)                              (3)

M_b is the spatial inertia of body b about the origin of G, in G axes.  Velocities may be taken at any other point that
rests, if M_b is about that too: J is the same, and near the bodies it loses fewer digits.

A body of revolution between two balls cannot be set spinning about their line: a real one has no angular momentum
there, while one whose twist is locked would.  So it loses its moment of inertia about that line, which is exact.  Other
links keep theirs: they are held against twist, as by a universal joint.
"""

from __future__ import annotations

import numpy as np

from precompute.arrays import Array
from precompute.geometry.spatial import cross_motion_matrix, skew
from precompute.kinematics.motion import Along
from precompute.kinematics.poses import Poses
from precompute.kinematics.topology import Topology
from precompute.model.mechanism import Mechanism


def effective_inertias(mechanism: Mechanism, topology: Topology) -> Array:
    """Inertia tensors about the centres of mass, without moment about ideal idle lines.  -> (nb, 3, 3)."""
    inertias = np.array([b.inertia for b in mechanism.bodies])
    for spin in (s for s in topology.spins if s.ideal):
        for body in spin.group:
            inertias[body - 1] -= (spin.axis @ inertias[body - 1] @ spin.axis) * np.outer(spin.axis, spin.axis)
    return inertias


def spatial_inertias(mechanism: Mechanism, topology: Topology, P: Poses, about: Array | None = None) -> Array:
    """M_b of every body but the ground, about the origin of G or another point (3,) of it.  -> (..., nb, 6, 6)."""
    out = np.zeros((*P.q.shape[:-1], len(mechanism.bodies), 6, 6))
    inertias = effective_inertias(mechanism, topology)
    for i, (body, X) in enumerate(zip(mechanism.bodies, P.X[1:], strict=True)):
        c = X.point(body.com) if about is None else X.point(body.com) - about
        mc = body.mass * skew(c)
        out[..., i, :3, :3] = X.R @ inertias[i] @ np.swapaxes(X.R, -1, -2) - mc @ skew(c)
        out[..., i, :3, 3:] = mc
        out[..., i, 3:, :3] = -mc
        out[..., i, 3:, 3:] = body.mass * np.eye(3)
    return out


def projected(W: Array, F: Array) -> Array:
    """Sum over bodies of W_b^T F_b.  (..., nb, 6, nz) twice -> (..., nz, nz); one product, which is fast."""
    shape = (*W.shape[:-3], -1, W.shape[-1])
    return np.swapaxes(W.reshape(shape), -1, -2) @ F.reshape(shape)


def reduced_inertia(M_b: Array, W: Array) -> Array:
    """M of (1): chassis block first.  M_b (..., nb, 6, 6), W (..., nb + 1, 6, nz) -> (..., 6 + nz, 6 + nz)."""
    MW = M_b @ W[..., 1:, :, :]
    return _blocks(M_b.sum(-3), MW.sum(-3), projected(W[..., 1:, :, :], MW))


def reduced_inertia_derivatives(M_b: Array, W: Array, dW: Array, along: Along = slice(None)) -> Array:
    """dM[:, :, k] = dM/dz_k, with dM_b/dz_k = -ad_k^T M_b - M_b ad_k.  dW (..., nd) -> (..., 6 + nz, 6 + nz, nd)."""
    W, dW = W[..., 1:, :, :], dW[..., 1:, :, :, :]
    derivatives = []
    for k, W_k in enumerate(np.moveaxis(W[..., along], -1, 0)):
        half = M_b @ cross_motion_matrix(W_k)
        dM_b = -half - np.swapaxes(half, -1, -2)
        MdW = M_b @ dW[..., k]
        dMW = dM_b @ W + MdW
        WMdW = projected(W, MdW)
        dJ = projected(W, dM_b @ W) + WMdW + np.swapaxes(WMdW, -1, -2)
        derivatives.append(_blocks(dM_b.sum(-3), dMW.sum(-3), dJ))
    shape = (*W.shape[:-3], 6 + W.shape[-1], 6 + W.shape[-1], 0)
    return np.stack(derivatives, axis=-1) if derivatives else np.zeros(shape)


def _blocks(bb: Array, bz: Array, zz: Array) -> Array:
    return np.concatenate([np.concatenate([bb, bz], -1), np.concatenate([np.swapaxes(bz, -1, -2), zz], -1)], -2)


def quadratic_coefficients(dJ: Array) -> Array:
    """Q[k, i, j] of (3) from dJ[i, j, k] = dJ_ij/dz_k.  (..., nz, nz, nz) -> the same."""
    d_j_J_ki = dJ  # [k, i, j]
    d_i_J_kj = np.swapaxes(dJ, -1, -2)
    d_k_J_ij = np.moveaxis(dJ, -1, -3)
    return -(d_j_J_ki + d_i_J_kj - d_k_J_ij)


def quadratic_coefficients_newton_euler(M_b: Array, W: Array, dW: Array) -> Array:
    """The same coefficients from the forces on the bodies, a second way that never differentiates J.

    sum_ij Q_ij^k zd_i zd_j = -2 sum_b W_k^T (M_b dW_ij - ad_i^T M_b W_j) zd_i zd_j          symmetrised in i, j
    """
    W, dW = W[..., 1:, :, :], dW[..., 1:, :, :, :]
    acceleration = np.einsum("...bcd,...bdij->...bcij", M_b, dW)
    momentum = M_b @ W
    ad = cross_motion_matrix(np.swapaxes(W, -1, -2))  # (..., nb, nz, 6, 6)
    gyroscopic = -np.einsum("...bidc,...bdj->...bcij", ad, momentum)
    Q = -np.einsum("...bck,...bcij->...kij", W, acceleration + gyroscopic)
    return Q + np.swapaxes(Q, -1, -2)
