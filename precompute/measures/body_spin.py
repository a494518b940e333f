"""How far a body has spun about a line of its own, which locks the idle rotation of a link between two balls.

With (e0, e) the quaternion of the body's rotation since design and x the line at design,

    s = 2 e . x                                                             (1)
    ds/dt = n . w,   n = e0 x + e x x                                       (2)

which is the angle while the body only spins a little, and regular for any swing below 180 deg.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np

from precompute.arrays import Array, frozen_array
from precompute.geometry.spatial import cross
from precompute.measures.interfaces import Images, Kind, Motion, Parts, Places
from precompute.measures.measure import Image, Measure


@final
@dataclass(frozen=True, eq=False)
class BodySpin(Measure):
    """The spin of a body about a direction fixed at design, by (1) [rad]."""

    body: str
    axis: Array  # (3,) unit, at design in G

    def __post_init__(self) -> None:
        object.__setattr__(self, "axis", frozen_array(self.axis, (3,), "axis"))

    @property
    def name(self) -> str:
        """What it measures, in a word or two."""
        return f"spin of {self.body}"

    @property
    def refers(self) -> tuple[tuple[Kind, str], ...]:
        """The body."""
        return (("body", self.body),)

    def bodies(self, parts: Parts) -> tuple[str, ...]:
        """The body."""
        return (self.body,)

    def is_angle(self, parts: Parts) -> bool:
        """It is an angle."""
        return True

    def image(self, images: Images) -> Image:
        """The spin of its body there."""
        return Image(BodySpin(images.name("body", self.body), images.at.axial(self.axis)))

    def same(self, other: Measure) -> bool:
        """Whether the other is the spin of the same body about the same line."""
        return isinstance(other, BodySpin) and self.body == other.body and bool((self.axis == other.axis).all())

    def value(self, at: Places) -> Array:
        """By (1)."""
        return 2.0 * (self._quaternion(at)[..., 1:] @ self.axis)

    def row(self, at: Places) -> Array:
        """By (2)."""
        return at.turning_row(self.body, self._normal(self._quaternion(at)))

    def second(self, motion: Motion) -> Array:
        """n . dw_i/dz_j + w_i . dn/dz_j."""
        x, e = self.axis, self._quaternion(motion.places)
        w, dw = motion.velocity(self.body)[..., :3, :], motion.acceleration(self.body)[..., :3, :, :]
        w_j = motion.velocity_along(self.body)[..., :3, :]
        de0 = -0.5 * np.einsum("...cj,...c->...j", w_j, e[..., 1:])
        de = 0.5 * (e[..., :1, None] * w_j + cross(w_j, e[..., 1:, None], axis=-2))
        dn = de0[..., None, :] * x[:, None] + cross(de, x[:, None], axis=-2)
        return np.einsum("...c,...cij->...ij", self._normal(e), dw) + np.einsum("...ci,...cj->...ij", w, dn)

    def _quaternion(self, at: Places) -> Array:
        return at.quaternion(self.body)

    def _normal(self, e: Array) -> Array:
        return e[..., :1] * self.axis + cross(e[..., 1:], self.axis)
