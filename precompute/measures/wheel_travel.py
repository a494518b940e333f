"""How far a wheel has moved up since design: bump is positive."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np

from precompute.arrays import Array
from precompute.geometry.spatial import force_at, point_acceleration, point_velocity
from precompute.measures.interfaces import Images, Kind, Motion, Parts, Places, Point
from precompute.measures.measure import Image, Measure


@final
@dataclass(frozen=True)
class WheelTravel(Measure):
    """Travel of a wheel's centre along the vehicle's up since design [m]."""

    wheel: str

    @property
    def name(self) -> str:
        """What it measures, in a word or two."""
        return f"travel of wheel {self.wheel}"

    @property
    def refers(self) -> tuple[tuple[Kind, str], ...]:
        """The wheel."""
        return (("wheel", self.wheel),)

    def bodies(self, parts: Parts) -> tuple[str, ...]:
        """Its carrier."""
        return (parts.wheel(self.wheel).body,)

    def is_angle(self, parts: Parts) -> bool:
        """It is a length."""
        return False

    def datum(self, parts: Parts) -> Array:
        """Up."""
        return parts.axes.up

    def points(self, parts: Parts) -> tuple[Point, ...]:
        """The wheel's centre."""
        wheel = parts.wheel(self.wheel)
        return ((wheel.body, wheel.centre),)

    def image(self, images: Images) -> Image:
        """That of the wheel there."""
        return Image(WheelTravel(images.name("wheel", self.wheel)), images.up_sign)

    def value(self, at: Places) -> Array:
        """Along up, from where the centre is at design."""
        return (self._centre(at) - at.mechanism.wheel(self.wheel).centre) @ at.mechanism.axes.up

    def row(self, at: Places) -> Array:
        """The velocity of the centre along up."""
        p = self._centre(at)
        u = np.broadcast_to(at.mechanism.axes.up, p.shape)
        return at.row(at.mechanism.wheel(self.wheel).body, force_at(u, p))

    def second(self, motion: Motion) -> Array:
        """The acceleration of the centre along up."""
        parts = motion.places.mechanism
        body, p = parts.wheel(self.wheel).body, self._centre(motion.places)
        v_j = point_velocity(motion.velocity_along(body), p)
        second = point_acceleration(motion.velocity(body), motion.acceleration(body), p, v_j)
        return np.einsum("c,...cij->...ij", parts.axes.up, second)

    def _centre(self, at: Places) -> Array:
        wheel = at.mechanism.wheel(self.wheel)
        return at.pose(wheel.body).point(wheel.centre)
