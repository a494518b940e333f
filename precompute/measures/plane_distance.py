"""How far a point of one body is above a plane of another: the dot-2 of the literature.

With p the point of the one, f a point of the plane and n its unit normal, both carried by the other, and V_a, V_b the
velocities of the two bodies at p,

    s = n . (p - f)                                                         (1)
    ds/dt = n . r,   r = V_a(p) - V_b(p)                                    (2)
    s_ij = (w_bj x n) . r_i + n . dr_i/dz_j                                 (3)

Held at zero it keeps the point on the plane; two of them keep it on a line.  Reference: Haug, Computer Aided Kinematics
and Dynamics of Mechanical Systems, 9.4.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np

from precompute.arrays import Array, frozen_array, unit_direction
from precompute.geometry.spatial import cross, force_at, point_acceleration, point_velocity
from precompute.measures.between import Between
from precompute.measures.interfaces import Images, Motion, Parts, Places, Point
from precompute.measures.measure import Image


@final
@dataclass(frozen=True, eq=False)
class PlaneDistance(Between):
    """Height of a point of the first body above a plane of the second, by (1) [m]."""

    p: Array  # (3,) the point at design in G [m]
    foot: Array  # (3,) a point of the plane at design in G [m]
    normal: Array  # (3,) unit, at design in G

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "p", frozen_array(self.p, (3,), "point"))
        object.__setattr__(self, "foot", frozen_array(self.foot, (3,), "point"))
        object.__setattr__(self, "normal", unit_direction(self.normal, "normal"))

    @property
    def name(self) -> str:
        """What it measures, in a word or two."""
        return f"height of {self.body_a} over {self.body_b}"

    def is_angle(self, parts: Parts) -> bool:
        """It is a length."""
        return False

    def points(self, parts: Parts) -> tuple[Point, ...]:
        """The point, which is where the force acts on both."""
        return (self.body_a, self.p), (self.body_b, self.p)

    def image(self, images: Images) -> Image:
        """Of the point there, over the plane there."""
        at = images.at
        placed = at.point(self.p), at.point(self.foot), at.direction(self.normal)
        return Image(PlaneDistance(*self.there(images), *placed))

    def redrawn(self, at: Places) -> PlaneDistance:
        """Of point and plane where they are at one configuration."""
        p, foot, normal = self._places(at)
        return PlaneDistance(self.body_a, self.body_b, p, foot, normal)

    def value(self, at: Places) -> Array:
        """By (1)."""
        p, foot, n = self._places(at)
        return np.einsum("...c,...c->...", n, p - foot)

    def row(self, at: Places) -> Array:
        """By (2)."""
        p, _, n = self._places(at)
        return at.relative_row(self.body_a, self.body_b, force_at(n, p))

    def second(self, motion: Motion) -> Array:
        """By (3)."""
        p, _, n = self._places(motion.places)
        V_a, V_b = motion.velocity(self.body_a), motion.velocity(self.body_b)
        moving = point_velocity(motion.velocity_along(self.body_a), p)
        r_i = point_velocity(V_a, p) - point_velocity(V_b, p)
        r_ij = point_acceleration(V_a, motion.acceleration(self.body_a), p, moving)
        r_ij = r_ij - point_acceleration(V_b, motion.acceleration(self.body_b), p, moving)
        n_j = cross(motion.velocity_along(self.body_b)[..., :3, :], n[..., None], axis=-2)
        return np.einsum("...c,...cij->...ij", n, r_ij) + np.swapaxes(r_i, -1, -2) @ n_j

    def _places(self, at: Places) -> tuple[Array, Array, Array]:
        """P, f and n, (..., 3) each in G."""
        a, b = at.pose(self.body_a), at.pose(self.body_b)
        return a.point(self.p), b.point(self.foot), b.R @ self.normal
