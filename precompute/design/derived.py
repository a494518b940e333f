"""Derivatives of what is read of a mechanism, along its coordinates and design variables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np

from precompute.arrays import Array
from precompute.design.dimensions import Dimensions
from precompute.design.jets import Jet
from precompute.geometry.spatial import cross, point_acceleration, point_velocity
from precompute.kinematics.motion import Motion
from precompute.measures.measure import Measure

OPENS = 1e-7
"""A gap that counts [m per unit], over the largest rate [1, or rad per m]."""


class Derived(NamedTuple):
    """A quantity at n configurations, with derivatives along the nw of w = (z, p)."""

    value: Array  # (n, *s)
    first: Array  # (n, *s, nw)
    second: Array  # (n, *s, nw, nd) of these, along the nd of w that were asked for


@dataclass(frozen=True, eq=False)
class Derivatives:
    """The motion along coordinates and design variables, at n configurations.

    Names of parts are those of the mechanism; angles and lengths of places count in G.
    """

    dimensions: Dimensions
    B: Array  # (n, nv, nw) rates of the joints of the mechanism with dimensions
    motion: Motion  # of its bodies
    gap: Array  # (n, np) by how much a variable that changes alone opens the loops [m per unit]

    @property
    def unfollowed(self) -> tuple[str, ...]:
        """Variables that the mechanism cannot follow, as one axis of a planar loop: derivatives along them are none."""
        open_ = (self.gap > OPENS * (1.0 + np.abs(self.B).max(axis=(1, 2)))[:, None]).any(axis=0)
        return tuple(name for name, too_wide in zip(self.dimensions.places.names, open_, strict=True) if too_wide)

    @property
    def nz(self) -> int:
        """Coordinates."""
        return self.B.shape[-1] - self.dimensions.places.n

    def measure(self, measure: Measure) -> Derived:
        """Of a measure of the mechanism."""
        own, P = self.dimensions.measure(measure), self.motion.places
        first = (own.row(P)[..., None, :] @ self.B)[..., 0, :]
        found = Derived(own.value(P), first, own.second(self.motion))
        return self._less(found, self.dimensions.datum(measure))

    def rates(self, joint: str) -> tuple[Array, Array]:
        """B (n, nj, nw) and dB (n, nj, nw, nd) of the rates of a joint, in the order of its primitives."""
        number = [j.name for j in self.dimensions.mechanism.joints].index(joint)
        own = self.motion.places.topology.v_slices[number]
        own = slice(own.start, own.start + sum(p.rates for p in self.dimensions.plain.joint(joint).primitives))
        return self.B[..., own, :], self.motion.dB[..., own, :, :]

    def body(self, body: str) -> tuple[Array, Array]:
        """W (n, 6, nw) and dW (n, 6, nw, nd) of a body: [w; v] at the origin of G."""
        return self.motion.velocity(body), self.motion.acceleration(body)

    # -- places -------------------------------------------------------------------------------------------------------

    def marker(self, name: str) -> Derived:
        """(n, 3) where a marker is."""
        marker = self.dimensions.mechanism.marker(name)
        return self.point(marker.body, marker.p)

    def wheel_centre(self, name: str) -> Derived:
        """(n, 3) where the centre of a wheel is."""
        wheel = self.dimensions.mechanism.wheel(name)
        return self.point(wheel.body, wheel.centre)

    def com(self, body: str) -> Derived:
        """(n, 3) where the centre of mass of a body is."""
        return self.carried(body, self.dimensions.places.bodies[body].com)

    def joint_point(self, joint: str, side: Literal["parent", "child"]) -> Derived:
        """(n, 3) where a joint's point on one of its bodies is."""
        at, own = self.dimensions.plain.joint(joint), self.dimensions.places.joints[joint]
        return self.carried(getattr(at, side), own.p_P if side == "parent" else own.p_C)

    def point(self, body: str, p: Array) -> Derived:
        """(n, 3) where a point p (3,) of a body is that no variable moves on it; or of one that carries a place."""
        at = self.motion.places.pose(body).point(p)
        W, dW = self.body(body)
        v_j = point_velocity(self.motion.velocity_along(body), at)
        return Derived(at, point_velocity(W, at), point_acceleration(W, dW, at, v_j))

    def carried(self, body: str, p: Jet) -> Derived:
        """(n, 3) where a point p of a body is that variables move on it.

        x_i has R p_i, and x_ij has w_i x R p_j + w_j x R p_i + R p_ij.
        """
        found, n = self.point(body, p.value), self.nz
        R, along = self.motion.places.pose(body).R, np.array(self.motion.along, dtype=int)
        own = np.einsum("...ab,kb->...ak", R, np.pad(p.first, ((n, 0), (0, 0))))
        curved = np.einsum("...ab,klb->...akl", R, np.pad(p.second, ((n, 0), (n, 0), (0, 0))))[..., along]
        w, w_j = (V[..., :3, :] for V in (self.motion.velocity(body), self.motion.velocity_along(body)))
        turned = cross(w[..., :, None], own[..., None, along], axis=-3)
        turned = turned + cross(w_j[..., None, :], own[..., :, None], axis=-3)
        return Derived(found.value, found.first + own, found.second + turned + curved)

    # -- directions ---------------------------------------------------------------------------------------------------

    def marker_spin(self, name: str) -> Derived:
        """(n, 3) the spin axis of a marker that has one."""
        marker = self.dimensions.mechanism.marker(name)
        assert marker.spin_axis is not None, "asked of a wheel"
        body = self.dimensions.plain.marker(name).body
        return self.direction(self.dimensions.body("spin", name, otherwise=body), marker.spin_axis)

    def wheel_spin(self, name: str) -> Derived:
        """(n, 3) the spin axis of a wheel, to the left."""
        wheel = self.dimensions.mechanism.wheel(name)
        body = self.dimensions.plain.wheel(name).body
        return self.direction(self.dimensions.body("wheel spin", name, otherwise=body), wheel.spin_axis)

    def direction(self, body: str, a: Array) -> Derived:
        """(n, 3) where a direction a (3,) of a body points: a_i = w_i x a, a_ij = w_ij x a + w_i x (w_j x a)."""
        u = self.motion.places.pose(body).R @ a
        (W, dW), W_j = self.body(body), self.motion.velocity_along(body)
        w, dw, w_j = W[..., :3, :], dW[..., :3, :, :], W_j[..., :3, :]
        u_j = cross(w_j, u[..., None], axis=-2)
        second = cross(dw, u[..., None, None], axis=-3) + cross(w[..., :, None], u_j[..., None, :], axis=-3)
        return Derived(u, cross(w, u[..., None], axis=-2), second)

    def steer(self, marker: str) -> Derived:
        """(n,) of a marker with a spin axis, about z since design, as the FMU gives it [rad]."""
        start = self.dimensions.places.markers[marker].spin_axis
        assert start is not None, "asked of a wheel"
        found = heading(self.marker_spin(marker), list(self.motion.along))  # type: ignore[arg-type]
        at_design = Derived(start.value[None], start.first.T[None], np.moveaxis(start.second, -1, 0)[None])
        design = heading(at_design, range(start.n))
        angle = (found.value - design.value + np.pi) % (2.0 * np.pi) - np.pi
        return self._less(found._replace(value=angle), Jet(np.zeros(()), design.first[0], design.second[0]))

    def camber(self, marker: str) -> Derived:
        """(n,) of a marker with a spin axis: -asin of its height, as the FMU gives it [rad]."""
        u = self.marker_spin(marker)
        z, z_i, z_ij = (part[:, 2] for part in u)
        level = np.sqrt(1.0 - z**2)
        z_j = z_i[..., self.motion.along]
        second = z_ij / level[:, None, None] + (z / level**3)[:, None, None] * z_i[..., :, None] * z_j[..., None, :]
        return Derived(-np.arcsin(z), -z_i / level[:, None], -second)

    def _less(self, found: Derived, datum: Jet) -> Derived:
        """What counts from a place of the design that moves."""
        first, second = found.first.copy(), found.second.copy()
        first[..., self.nz :] -= datum.first
        along = np.array(self.motion.along, dtype=int)
        own = along >= self.nz
        second[..., self.nz :, own] -= datum.second[:, along[own] - self.nz]
        return Derived(found.value, first, second)


def heading(u: Derived, along: Sequence[int]) -> Derived:
    """The angle of directions (n, 3) about z, with derivatives along w, and along some of them once more.

    a_i = (x y_i - y x_i)/r^2,   a_ij = (x y_ij - y x_ij + x_j y_i - y_j x_i - 2 (x x_j + y y_j) a_i)/r^2
    """
    x, y = u.value[:, 0, None], u.value[:, 1, None]
    x_i, y_i = u.first[:, 0], u.first[:, 1]
    x_j, y_j = x_i[..., along], y_i[..., along]
    square = x**2 + y**2
    first = (x * y_i - y * x_i) / square
    second = x[..., None] * u.second[:, 1] - y[..., None] * u.second[:, 0]
    second = second + y_i[..., :, None] * x_j[..., None, :] - x_i[..., :, None] * y_j[..., None, :]
    second = second - 2.0 * first[..., :, None] * (x * x_j + y * y_j)[..., None, :]
    return Derived(np.arctan2(y, x)[:, 0], first, second / square[..., None])
