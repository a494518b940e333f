"""The cosine of the angle between a direction of one body and a direction of another: the dot-1 of the literature.

With unit vectors a and b, each carried by its body,

    s = a . b                                                               (1)
    ds/dt = m . (w_a - w_b),   m = a x b                                    (2)

Held at zero it keeps them perpendicular, where it counts as an angle does.  Reference: Haug, Computer Aided Kinematics
and Dynamics of Mechanical Systems, 9.4.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np

from precompute.arrays import Array, frozen_array, unit_vector
from precompute.geometry.spatial import cross
from precompute.measures.interfaces import Images, Kind, Motion, Parts, Places
from precompute.measures.measure import Image, Measure


@final
@dataclass(frozen=True, eq=False)
class DirectionCosine(Measure):
    """Cosine of the angle between two directions, by (1); as an angle it is in rad."""

    body_a: str
    body_b: str
    a: Array  # (3,) unit, at design in G
    b: Array  # (3,) unit, at design in G

    def __post_init__(self) -> None:
        for what in ("a", "b"):
            axis = frozen_array(getattr(self, what), (3,), "axis")
            if float(np.linalg.norm(axis)) < 1e-12:
                raise ValueError("axis has zero length")
            object.__setattr__(self, what, unit_vector(axis))
        if self.body_a == self.body_b:
            raise ValueError(f"both directions are on body '{self.body_a}'")

    @property
    def name(self) -> str:
        """What it measures, in a word or two."""
        return f"direction cosine {self.body_a} to {self.body_b}"

    @property
    def refers(self) -> tuple[tuple[Kind, str], ...]:
        """Both bodies."""
        return ("body", self.body_a), ("body", self.body_b)

    def bodies(self, parts: Parts) -> tuple[str, ...]:
        """Both bodies."""
        return self.body_a, self.body_b

    def is_angle(self, parts: Parts) -> bool:
        """It counts as one."""
        return True

    def twisted(self, parts: Parts) -> tuple[str, ...]:
        """Both bodies."""
        return self.body_a, self.body_b

    def image(self, images: Images) -> Image:
        """Between the directions there."""
        a, b = (images.name("body", body) for body in (self.body_a, self.body_b))
        return Image(DirectionCosine(a, b, images.at.direction(self.a), images.at.direction(self.b)))

    def same(self, other: Measure) -> bool:
        """Whether the other is that of the same directions, in the same order."""
        if not isinstance(other, DirectionCosine):
            return False
        same_bodies = (self.body_a, self.body_b) == (other.body_a, other.body_b)
        return same_bodies and bool((self.a == other.a).all() and (self.b == other.b).all())

    def redrawn(self, at: Places) -> DirectionCosine:
        """Between the directions where they are at one configuration."""
        return DirectionCosine(self.body_a, self.body_b, *self._vectors(at))

    def value(self, at: Places) -> Array:
        """By (1)."""
        a, b = self._vectors(at)
        return np.einsum("...c,...c->...", a, b)

    def row(self, at: Places) -> Array:
        """By (2)."""
        m = cross(*self._vectors(at))
        return at.relative_row(self.body_a, self.body_b, np.concatenate([m, np.zeros_like(m)], axis=-1))

    def second(self, motion: Motion) -> Array:
        """(2), differentiated: m . dw_i/dz_j + w_i . dm/dz_j."""
        a, b = (vector[..., None] for vector in self._vectors(motion.places))  # (..., 3, 1)
        w = (motion.velocity(self.body_a) - motion.velocity(self.body_b))[..., :3, :]
        dw = (motion.acceleration(self.body_a) - motion.acceleration(self.body_b))[..., :3, :, :]
        w_a, w_b = (motion.velocity_along(body)[..., :3, :] for body in (self.body_a, self.body_b))
        m = cross(a, b, axis=-2)
        m_j = cross(cross(w_a, a, axis=-2), b, axis=-2) + cross(a, cross(w_b, b, axis=-2), axis=-2)
        return np.einsum("...c,...cij->...ij", m[..., 0], dw) + np.swapaxes(w, -1, -2) @ m_j

    def _vectors(self, at: Places) -> tuple[Array, Array]:
        """A and b, (..., 3) each in G."""
        return at.pose(self.body_a).R @ self.a, at.pose(self.body_b).R @ self.b
