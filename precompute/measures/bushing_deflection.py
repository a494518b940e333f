"""The six deflections of a bushing.

With E = R_P R_b the bushing's axes carried by the parent and p the child's point,

    d = E^T (p - p_P),   theta = log(E^T R_C R_b)                                           (1)
    ddot_i = e_i . (v_C - v_P at p),   thetadot = L(theta) E^T (w_C - w_P)                  (2)

where v_P at p is the velocity of the parent's material at the child's point: it contains the turning of the axes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np

from precompute.arrays import Array
from precompute.geometry.rotation_vectors import inverse_left_jacobian, inverse_left_jacobian_derivative
from precompute.geometry.spatial import force_at, point_acceleration, point_velocity, so3_log
from precompute.measures.interfaces import BushingPart, Kind, Motion, Parts, Places
from precompute.measures.measure import Measure


@final
@dataclass(frozen=True)
class BushingDeflection(Measure):
    """One of the six deflections of a bushing: translations along, then rotation vector about its axes [m or rad]."""

    bushing: str
    index: int  # 0..5

    @property
    def name(self) -> str:
        """What it measures, in a word or two."""
        return f"bushing.{self.bushing}[{self.index + 1}]"

    @property
    def refers(self) -> tuple[tuple[Kind, str], ...]:
        """The bushing."""
        return (("bushing", self.bushing),)

    def bodies(self, parts: Parts) -> tuple[str, ...]:
        """The bodies that it joins."""
        bushing = parts.bushing(self.bushing)
        return bushing.parent, bushing.child

    def is_angle(self, parts: Parts) -> bool:
        """Whether it is a rotation."""
        return self._turns

    def value(self, at: Places) -> Array:
        """By (1)."""
        b = at.mechanism.bushing(self.bushing)
        if self._turns:
            return rotation_vector(at, b)[..., self.index - 3]
        gap = at.pose(b.child).point(b.p) - at.pose(b.parent).point(b.p)
        return np.einsum("...c,...c->...", axes(at, b)[..., :, self.index], gap)

    def row(self, at: Places) -> Array:
        """By (2)."""
        b = at.mechanism.bushing(self.bushing)
        E = axes(at, b)
        if self._turns:
            L = inverse_left_jacobian(rotation_vector(at, b))
            moment = (E @ L[..., self.index - 3, :, None])[..., 0]
            wrench = np.concatenate([moment, np.zeros_like(moment)], axis=-1)
        else:
            wrench = force_at(E[..., :, self.index], at.pose(b.child).point(b.p))
        return at.relative_row(b.child, b.parent, wrench)

    def second(self, motion: Motion) -> Array:
        """(2), differentiated."""
        at = motion.places
        b = at.mechanism.bushing(self.bushing)
        V_P, V_C = motion.velocity(b.parent), motion.velocity(b.child)
        dV_P, dV_C = motion.acceleration(b.parent), motion.acceleration(b.child)
        E = axes(at, b)
        if self._turns:
            theta, dw = rotation_vector(at, b), (dV_C - dV_P)[..., :3, :, :]
            return rotation_second(theta, E, V_C[..., :3, :], V_P[..., :3, :], dw)[..., self.index - 3, :, :]
        p = at.pose(b.child).point(b.p)
        v = point_velocity(V_C, p)
        u = v - point_velocity(V_P, p)
        parent_ij = dV_P[..., 3:, :, :] + np.cross(dV_P[..., :3, :, :], p[..., None, None], axis=-3)
        parent_ij = parent_ij + np.cross(V_P[..., :3, :, None], v[..., :, None, :], axis=-3)  # p moves with the child
        u_ij = point_acceleration(V_C, dV_C, p) - parent_ij
        e = E[..., :, self.index]
        e_j = np.cross(V_P[..., :3, :], e[..., None], axis=-2)
        return np.einsum("...c,...cij->...ij", e, u_ij) + np.einsum("...ci,...cj->...ij", u, e_j)

    @property
    def _turns(self) -> bool:
        return self.index >= 3


def axes(at: Places, bushing: BushingPart) -> Array:
    """E: the bushing's axes in G, as columns.  -> (..., 3, 3)."""
    return at.pose(bushing.parent).R @ bushing.R


def rotation_vector(at: Places, bushing: BushingPart) -> Array:
    """theta of (1).  -> (..., 3) [rad]."""
    E = axes(at, bushing)
    return so3_log(np.swapaxes(E, -1, -2) @ at.pose(bushing.child).R @ bushing.R)


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
