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

from precompute.arrays import Array, unit_direction
from precompute.geometry.spatial import cross
from precompute.measures.between import Between
from precompute.measures.interfaces import Images, Motion, Parts, Places
from precompute.measures.measure import Image


@final
@dataclass(frozen=True, eq=False)
class DirectionCosine(Between):
    """Cosine of the angle between two directions, by (1); as an angle it is in rad."""

    a: Array  # (3,) unit, at design in G
    b: Array  # (3,) unit, at design in G

    def __post_init__(self) -> None:
        super().__post_init__()
        for what in ("a", "b"):
            object.__setattr__(self, what, unit_direction(getattr(self, what), "axis"))

    @property
    def name(self) -> str:
        """What it measures, in a word or two."""
        return f"direction cosine {self.body_a} to {self.body_b}"

    def is_angle(self, parts: Parts) -> bool:
        """It counts as one."""
        return True

    def twisted(self, parts: Parts) -> tuple[str, ...]:
        """Both bodies."""
        return self.body_a, self.body_b

    def image(self, images: Images) -> Image:
        """Between the directions there."""
        return Image(DirectionCosine(*self.there(images), images.at.direction(self.a), images.at.direction(self.b)))

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
