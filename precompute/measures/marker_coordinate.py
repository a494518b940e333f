"""The x, y or z of a marker."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, final

import numpy as np

from precompute.arrays import Array
from precompute.geometry.spatial import force_at, point_acceleration, point_velocity
from precompute.measures.interfaces import Images, Kind, Motion, Parts, Places
from precompute.measures.measure import Image, Measure


@final
@dataclass(frozen=True)
class MarkerCoordinate(Measure):
    """x, y or z of a marker, in G [m]; if relative, since design."""

    marker: str
    axis: Literal["x", "y", "z"]
    relative: bool = False

    @property
    def name(self) -> str:
        """What it measures, in a word or two."""
        return f"{self.axis} of marker {self.marker}" + " since design" * self.relative

    @property
    def since_design(self) -> MarkerCoordinate | None:
        """How far the marker has moved."""
        return None if self.relative else MarkerCoordinate(self.marker, self.axis, relative=True)

    def datum(self, parts: Parts) -> Array | None:
        """Its axis, if it counts from design."""
        return np.eye(3)[self._number] if self.relative else None

    @property
    def refers(self) -> tuple[tuple[Kind, str], ...]:
        """The marker."""
        return (("marker", self.marker),)

    def bodies(self, parts: Parts) -> tuple[str, ...]:
        """The body that carries it."""
        return (parts.marker(self.marker).body,)

    def is_angle(self, parts: Parts) -> bool:
        """It is a length."""
        return False

    def image(self, images: Images) -> Image:
        """Along the global axis that its own comes to lie along."""
        along = images.at.direction(np.eye(3)[self._number])
        number = int(np.argmax(np.abs(along)))
        if np.abs(along).sum() > 1.0 + 1e-9:
            raise ValueError(f"the {self.name} comes to lie along no global axis")
        axes: tuple[Literal["x", "y", "z"], ...] = ("x", "y", "z")
        of = MarkerCoordinate(images.name("marker", self.marker), axes[number], self.relative)
        shift = 0.0 if self.relative else float(images.at.offset[number])
        return Image(of, float(np.sign(along[number])), shift)

    def value(self, at: Places) -> Array:
        """One coordinate of its position."""
        here = self._point(at)[..., self._number]
        return here - at.mechanism.marker(self.marker).p[..., self._number] if self.relative else here

    def row(self, at: Places) -> Array:
        """The velocity of its point along the axis."""
        p = self._point(at)
        u = np.broadcast_to(np.eye(3)[self._number], p.shape)
        return at.row(at.mechanism.marker(self.marker).body, force_at(u, p))

    def second(self, motion: Motion) -> Array:
        """The acceleration of its point along the axis."""
        body = motion.places.mechanism.marker(self.marker).body
        p = self._point(motion.places)
        v_j = point_velocity(motion.velocity_along(body), p)
        return point_acceleration(motion.velocity(body), motion.acceleration(body), p, v_j)[..., self._number, :, :]

    @property
    def _number(self) -> int:
        return "xyz".index(self.axis)

    def _point(self, at: Places) -> Array:
        marker = at.mechanism.marker(self.marker)
        return at.pose(marker.body).point(marker.p)
