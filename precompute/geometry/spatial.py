"""Rotations, quaternions, poses and spatial vectors, over any leading batch axes.

Spatial velocities are `[w; v]`, angular part first, with v the velocity of the body-fixed point that is momentarily at
the origin of G, in G axes.  In that form the velocities of successive joints simply add, and a quantity that is
carried along by a frame moving with V changes at the rate `cross_motion(V, quantity)`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from precompute.arrays import Array

SMALL_ANGLE = 1e-4
"""Below it, series replace quotients of vanishing numbers; their next term is below 1e-17."""


def cross(a: Array, b: Array, axis: int = -1) -> Array:
    """a x b along an axis, counted from the last; `np.cross` spends more on finding its axes than on small arrays."""
    places: list[tuple[Any, ...]] = [(..., i, *[slice(None)] * (-1 - axis)) for i in range(3)]
    x, y, z = places
    out = np.empty(np.broadcast_shapes(a.shape, b.shape), np.result_type(a, b))
    out[x] = a[y] * b[z] - a[z] * b[y]
    out[y] = a[z] * b[x] - a[x] * b[z]
    out[z] = a[x] * b[y] - a[y] * b[x]
    return out


def skew(a: Array) -> Array:
    """Matrix of the cross product with a.  (..., 3) -> (..., 3, 3)."""
    out = np.zeros((*a.shape, 3))
    out[..., 0, 1], out[..., 0, 2], out[..., 1, 2] = -a[..., 2], a[..., 1], -a[..., 0]
    out[..., 1, 0], out[..., 2, 0], out[..., 2, 1] = a[..., 2], -a[..., 1], a[..., 0]
    return out


def rotation(axis: Array, angle: Array) -> Array:
    """Rotation by `angle` (...) about unit vectors `axis` (3,) or (..., 3).  -> (..., 3, 3)."""
    K = skew(np.asarray(axis))
    angle = np.asarray(angle)[..., None, None]
    return np.eye(3) + np.sin(angle) * K + (1.0 - np.cos(angle)) * (K @ K)


def quaternion_multiply(a: Array, b: Array) -> Array:
    """Product of quaternions (e0, e), (..., 4) each: the rotation b followed by a."""
    a0, av, b0, bv = a[..., :1], a[..., 1:], b[..., :1], b[..., 1:]
    return np.concatenate([a0 * b0 - np.sum(av * bv, -1, keepdims=True), a0 * bv + b0 * av + cross(av, bv)], axis=-1)


def quaternion_exp(phi: Array) -> Array:
    """Unit quaternion of the rotation vector phi (..., 3).  -> (..., 4)."""
    half = 0.5 * np.linalg.norm(phi, axis=-1, keepdims=True)
    return np.concatenate([np.cos(half), 0.5 * np.sinc(half / np.pi) * phi], axis=-1)


def quaternion_rotation(e: Array) -> Array:
    """R = (e0^2 - e.e) 1 + 2 e e^T + 2 e0 skew(e) for a unit quaternion (..., 4).  -> (..., 3, 3)."""
    e0, ev = e[..., 0, None, None], e[..., 1:]
    outer = ev[..., :, None] * ev[..., None, :]
    return (e0**2 - np.sum(ev**2, -1)[..., None, None]) * np.eye(3) + 2.0 * outer + 2.0 * e0 * skew(ev)


def rotation_quaternion(R: Array) -> Array:
    """Unit quaternion of R with e0 >= 0, by the largest of the four (Shepperd).  (..., 3, 3) -> (..., 4)."""
    d = np.diagonal(R, axis1=-2, axis2=-1)
    trace = d.sum(-1, keepdims=True)
    antisymmetric = np.stack(
        [R[..., 2, 1] - R[..., 1, 2], R[..., 0, 2] - R[..., 2, 0], R[..., 1, 0] - R[..., 0, 1]], -1
    )
    if (trace > 0.0).all():  # up to 120 deg the first is large enough
        row = np.concatenate([1.0 + trace, antisymmetric], axis=-1)
        return np.asarray(row / np.linalg.norm(row, axis=-1, keepdims=True))
    squares = np.concatenate([1.0 + trace, 1.0 - trace + 2.0 * d], axis=-1)  # 4 e_i^2
    products = np.zeros((*R.shape[:-2], 4, 4))  # 4 e_i e_j
    products[..., 0, 1:] = products[..., 1:, 0] = antisymmetric
    products[..., 1:, 1:] = R + np.swapaxes(R, -1, -2)
    products[..., range(4), range(4)] = squares
    largest = np.argmax(squares, axis=-1)[..., None]
    row = np.take_along_axis(products, largest[..., None], axis=-2)[..., 0, :]
    e = row / np.linalg.norm(row, axis=-1, keepdims=True)
    return np.where(e[..., :1] < 0.0, -e, e)


def so3_log(R: Array) -> Array:
    """Rotation vector of R, angle up to pi.  (..., 3, 3) -> (..., 3)."""
    e = rotation_quaternion(R)
    norm = np.linalg.norm(e[..., 1:], axis=-1, keepdims=True)
    small = norm < SMALL_ANGLE
    angle = 2.0 * np.arctan2(norm, e[..., :1])
    factor = np.where(small, 2.0 + norm**2 / 3.0, angle / np.where(small, 1.0, norm))
    return factor * e[..., 1:]


@dataclass(frozen=True, eq=False)
class Transform:
    """Pose X_AB: frame B seen from frame A.  X_AC = X_AB @ X_BC."""

    R: Array  # (..., 3, 3) R_AB
    p: Array  # (..., 3)    p_AB [m], expressed in A

    def __matmul__(self, other: Transform) -> Transform:
        return Transform(self.R @ other.R, self.p + (self.R @ other.p[..., None])[..., 0])

    def inverse(self) -> Transform:
        """X_BA."""
        R = np.swapaxes(self.R, -1, -2)
        return Transform(R, -(R @ self.p[..., None])[..., 0])

    def point(self, p_B: Array) -> Array:
        """Where a point of B is in A.  (3,) or (..., 3) -> (..., 3)."""
        return self.p + (self.R @ p_B[..., None])[..., 0]


def cross_motion(V: Array, W: Array) -> Array:
    """Rate of the spatial velocity W when it is carried along by a frame moving with V.  (..., 6) each."""
    w, v, a, b = V[..., :3], V[..., 3:], W[..., :3], W[..., 3:]
    return np.concatenate([cross(w, a), cross(w, b) + cross(v, a)], axis=-1)


def cross_motion_matrix(V: Array) -> Array:
    """The matrix of cross_motion(V, .).  (..., 6) -> (..., 6, 6)."""
    out = np.zeros((*V.shape, 6))
    out[..., :3, :3] = out[..., 3:, 3:] = skew(V[..., :3])
    out[..., 3:, :3] = skew(V[..., 3:])
    return out


def rotation_screw(axis: Array, point: Array) -> Array:
    """Spatial velocity of unit rotation about `axis` through `point`.  (..., 3) each -> (..., 6)."""
    return np.concatenate([axis, cross(point, axis)], axis=-1)


def translation_screw(axis: Array) -> Array:
    """Spatial velocity of unit translation along `axis`.  (..., 3) -> (..., 6)."""
    return np.concatenate([np.zeros_like(axis), axis], axis=-1)


def seen_at(V: Array, p: Array) -> Array:
    """Spatial velocities, or their rates, with the linear part at p (3,) in place of the origin.  (n, nb, 6, ...)."""
    at = p.reshape(1, 1, 3, *[1] * (V.ndim - 3))
    return np.concatenate([V[:, :, :3], V[:, :, 3:] + cross(V[:, :, :3], at, axis=2 - V.ndim)], axis=2)


def point_velocity(W: Array, p: Array) -> Array:
    """Velocity of the point of a body that is at p.  W (..., 6, n), p (..., 3) -> (..., 3, n)."""
    return W[..., 3:, :] + cross(W[..., :3, :], p[..., None], axis=-2)


def point_acceleration(W: Array, dW: Array, p: Array, v_j: Array | None = None) -> Array:
    """Derivative of point_velocity along each z_j, with p moving by v_j.  dW (..., 6, n, m) -> (..., 3, n, m).

    d_j (v_i + w_i x p) = d_j v_i + d_j w_i x p + w_i x v_j                 (1)

    Args:
        W: (..., 6, n) spatial velocities of a body.
        dW: (..., 6, n, m) their derivatives.
        p: (..., 3) a point.
        v_j: (..., 3, m) its velocities; none if it is the body's, along all n.
    """
    v = point_velocity(W, p) if v_j is None else v_j
    carried = cross(W[..., :3, :, None], v[..., :, None, :], axis=-3)
    return dW[..., 3:, :, :] + cross(dW[..., :3, :, :], p[..., None, None], axis=-3) + carried


def force_at(u: Array, p: Array) -> Array:
    """Wrench [moment about the origin; force] of the force u at p.  (..., 3) each -> (..., 6)."""
    return np.concatenate([cross(p, u), u], axis=-1)
