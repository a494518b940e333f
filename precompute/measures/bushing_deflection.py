"""The six deflections of a bushing.

With E = R_P R_b the bushing's axes carried by the parent and p the child's point,

    d = E^T (p - p_P),   theta = log(E^T R_C R_b)                                           (1)
    ddot_i = e_i . (v_C - v_P at p),   thetadot = L(theta) E^T (w_C - w_P)                  (2)

where v_P at p is the velocity of the parent's material at the child's point: it contains the turning of the axes.  By
the bushing's law theta may be the Cardan angles of that rotation instead, with an L of their own.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple, final

import numpy as np

from precompute.arrays import Array
from precompute.geometry.cardan_angles import cardan_angles, cardan_rates, cardan_rates_derivative
from precompute.geometry.rotation_vectors import inverse_left_jacobian, inverse_left_jacobian_derivative
from precompute.geometry.spatial import cross, force_at, point_acceleration, point_velocity, so3_log
from precompute.measures.interfaces import BushingPart, Images, Kind, Motion, Parts, Places
from precompute.measures.measure import Image, Measure


@final
@dataclass(frozen=True)
class BushingDeflection(Measure):
    """One of the six deflections of a bushing: translations along, then angles about its axes [m or rad]."""

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

    def image(self, images: Images) -> Image:
        """Along or about the same axis of the bushing there."""
        return Image(
            BushingDeflection(images.name("bushing", self.bushing), self.index), images.bushing_sign(self.index)
        )

    @property
    def deflection(self) -> tuple[str, int]:
        """Its own."""
        return self.bushing, self.index

    def value(self, at: Places) -> Array:
        """By (1)."""
        b = at.mechanism.bushing(self.bushing)
        if self._turns:
            return angles(at, b)[..., self.index - 3]
        gap = at.pose(b.child).point(b.p) - at.pose(b.parent).point(b.p)
        return np.einsum("...c,...c->...", axes(at, b)[..., :, self.index], gap)

    def row(self, at: Places) -> Array:
        """By (2)."""
        b = at.mechanism.bushing(self.bushing)
        E = axes(at, b)
        if self._turns:
            L = ANGLES[b.law].rates(angles(at, b))
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
        W_P = motion.velocity_along(b.parent)
        E = axes(at, b)
        if self._turns:
            relative, dw = (V_C - V_P)[..., :3, :], (dV_C - dV_P)[..., :3, :, :]
            turned = (motion.velocity_along(b.child) - W_P)[..., :3, :]
            along = Turning(relative, turned, W_P[..., :3, :], dw)
            return rotation_second(ANGLES[b.law], angles(at, b), E, along)[..., self.index - 3, :, :]
        p = at.pose(b.child).point(b.p)
        v_j = point_velocity(motion.velocity_along(b.child), p)  # p moves with the child
        u = point_velocity(V_C, p) - point_velocity(V_P, p)
        u_ij = point_acceleration(V_C, dV_C, p, v_j) - point_acceleration(V_P, dV_P, p, v_j)
        e = E[..., :, self.index]
        e_j = cross(W_P[..., :3, :], e[..., None], axis=-2)
        return np.einsum("...c,...cij->...ij", e, u_ij) + np.swapaxes(u, -1, -2) @ e_j

    @property
    def _turns(self) -> bool:
        return self.index >= 3


def axes(at: Places, bushing: BushingPart) -> Array:
    """E: the bushing's axes in G, as columns.  -> (..., 3, 3)."""
    return at.pose(bushing.parent).R @ bushing.R


class Angles(NamedTuple):
    """Three numbers for a rotation."""

    of: Callable[[Array], Array]  # a rotation (..., 3, 3) -> (..., 3)
    rates: Callable[[Array], Array]  # L of (2): (..., 3) -> (..., 3, 3)
    rates_derivative: Callable[[Array], Array]  # dL/d(theta_k): (..., 3) -> (..., 3, 3, 3)


ANGLES = {
    "rotation_vector": Angles(so3_log, inverse_left_jacobian, inverse_left_jacobian_derivative),
    "cardan": Angles(cardan_angles, cardan_rates, cardan_rates_derivative),
}
"""By law of a bushing."""


def angles(at: Places, bushing: BushingPart) -> Array:
    """theta of (1).  -> (..., 3) [rad]."""
    E = axes(at, bushing)
    return ANGLES[bushing.law].of(np.swapaxes(E, -1, -2) @ at.pose(bushing.child).R @ bushing.R)


class Turning(NamedTuple):
    """How child and parent of a bushing turn, in G; i runs over all coordinates, j over those of derivatives."""

    relative: Array  # (..., 3, nz) (w_C - w_P)_i
    relative_along: Array  # (..., 3, nd) (w_C - w_P)_j
    parent_along: Array  # (..., 3, nd) w_P,j
    second: Array  # (..., 3, nz, nd) d_j (w_C - w_P)_i


def rotation_second(kind: Angles, theta: Array, E: Array, turning: Turning) -> Array:
    """Second derivatives of theta along z: d_j (L Omega_i) with Omega_i = E^T (w_C - w_P)_i.   -> (..., 3, nz, nd).

    d_j Omega_i = E^T (d_j (w_C - w_P)_i - w_P,j x (w_C - w_P)_i),   d_j L = dL/d(theta) L Omega_j     (3)
    """
    L, dL = kind.rates(theta), kind.rates_derivative(theta)
    carried = cross(turning.parent_along[..., :, None, :], turning.relative[..., :, :, None], axis=-3)
    Omega, Omega_j = (np.swapaxes(E, -1, -2) @ w for w in (turning.relative, turning.relative_along))
    dOmega = np.einsum("...kc,...kij->...cij", E, turning.second - carried)
    turned = np.einsum("...abk,...kj,...bi->...aij", dL, L @ Omega_j, Omega)
    return np.einsum("...ab,...bij->...aij", L, dOmega) + turned
