"""The distance of two points: of the ends of a spring, or of a rod, which holds it at its length.

With d = p_a - p_b, L = |d| and u = d/L,

    dL/dt = u . (v_a - v_b)                                                 (1)
    L_ij = u . d_ij + (d_i . d_j - (u . d_i)(u . d_j))/L                    (2)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np

from precompute.arrays import Array, frozen_array
from precompute.geometry.spatial import force_at, point_acceleration, point_velocity
from precompute.measures.between import Between
from precompute.measures.interfaces import Images, Motion, Parts, Places, Point
from precompute.measures.measure import Image


@final
@dataclass(frozen=True, eq=False)
class Distance(Between):
    """Distance between a point of one body and a point of another [m]."""

    p_a: Array  # (3,) at design in G [m]
    p_b: Array  # (3,) at design in G [m]

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "p_a", frozen_array(self.p_a, (3,), "point"))
        object.__setattr__(self, "p_b", frozen_array(self.p_b, (3,), "point"))
        if float(np.linalg.norm(self.p_a - self.p_b)) == 0.0:
            raise ValueError("both ends coincide at design: a length of zero has no direction")

    @property
    def name(self) -> str:
        """What it measures, in a word or two."""
        return f"distance {self.body_a} to {self.body_b}"

    def is_angle(self, parts: Parts) -> bool:
        """It is a length."""
        return False

    def image(self, images: Images) -> Image:
        """Between the points there."""
        return Image(Distance(*self.there(images), images.at.point(self.p_a), images.at.point(self.p_b)))

    @property
    def segment(self) -> tuple[Point, Point]:
        """Both ends."""
        return (self.body_a, self.p_a), (self.body_b, self.p_b)

    def redrawn(self, at: Places) -> Distance:
        """Between its ends at one configuration."""
        return Distance(self.body_a, self.body_b, self._a(at), self._b(at))

    def value(self, at: Places) -> Array:
        """L."""
        return np.linalg.norm(self._a(at) - self._b(at), axis=-1)

    def row(self, at: Places) -> Array:
        """By (1)."""
        p_a, p_b = self._a(at), self._b(at)
        d = p_a - p_b
        u = d / nonzero(np.linalg.norm(d, axis=-1, keepdims=True))
        return at.row(self.body_a, force_at(u, p_a)) - at.row(self.body_b, force_at(u, p_b))

    def second(self, motion: Motion) -> Array:
        """By (2)."""
        p_a, p_b = self._a(motion.places), self._b(motion.places)
        V_a, V_b = motion.velocity(self.body_a), motion.velocity(self.body_b)
        d = p_a - p_b
        length = nonzero(np.linalg.norm(d, axis=-1))
        u = d / length[..., None]
        v_a, v_b = (point_velocity(motion.velocity_along(b), p) for b, p in ((self.body_a, p_a), (self.body_b, p_b)))
        d_i, d_j = point_velocity(V_a, p_a) - point_velocity(V_b, p_b), v_a - v_b
        d_ij = point_acceleration(V_a, motion.acceleration(self.body_a), p_a, v_a)
        d_ij = d_ij - point_acceleration(V_b, motion.acceleration(self.body_b), p_b, v_b)
        u_i, u_j = (np.einsum("...c,...ci->...i", u, d) for d in (d_i, d_j))
        across = np.swapaxes(d_i, -1, -2) @ d_j - u_i[..., :, None] * u_j[..., None, :]
        return np.einsum("...c,...cij->...ij", u, d_ij) + across / length[..., None, None]

    def _a(self, at: Places) -> Array:
        return at.pose(self.body_a).point(self.p_a)

    def _b(self, at: Places) -> Array:
        return at.pose(self.body_b).point(self.p_b)


def nonzero(length: Array) -> Array:
    """Lengths without zeros, so that they divide; where ends meet, the sweep refuses the range."""
    return np.maximum(length, np.finfo(float).tiny ** 0.5)
