"""The angle by which one body has turned relative to another about an axis: what a torsion spring or bar acts on.

With n the axis and x across it, both carried by the first body, z = n x x, and y carried by the second, x at design,

    s = atan2(S, C),   S = z . y,   C = x . y                                                                       (1)
    ds/dt = m . (w_b - w_a),   m = y x g/D,   g = C z - S x,   D = S^2 + C^2                                        (2)

the angle from x to the projection of y on the plane across the axis.  If the bodies turn about the axis alone it is
their angle; it is known between -pi and pi, and has no value where y has swung into the axis.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np

from precompute.arrays import Array, unit_direction, unit_vector
from precompute.geometry.spatial import cross
from precompute.measures.between import Between
from precompute.measures.interfaces import Images, Motion, Parts, Places
from precompute.measures.measure import Image


@final
@dataclass(frozen=True, eq=False)
class RelativeAngle(Between):
    """Angle of the second body relative to the first, right-handed about an axis of the first, zero at design [rad]."""

    axis: Array  # (3,) unit, at design in G

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "axis", unit_direction(self.axis, "axis"))

    @property
    def across(self) -> Array:
        """(3,) x of (1): unit, across the axis, as close to a global axis as possible; at design in G."""
        e = np.eye(3)[int(np.argmin(np.abs(self.axis)))]
        return unit_vector(e - (e @ self.axis) * self.axis)

    @property
    def name(self) -> str:
        """What it measures, in a word or two."""
        return f"angle {self.body_a} to {self.body_b}"

    def is_angle(self, parts: Parts) -> bool:
        """It is an angle."""
        return True

    def twisted(self, parts: Parts) -> tuple[str, ...]:
        """Both bodies."""
        return self.body_a, self.body_b

    def image(self, images: Images) -> Image:
        """Between the bodies there, about the axis there."""
        return Image(RelativeAngle(*self.there(images), images.at.axial(self.axis)))

    def redrawn(self, at: Places) -> RelativeAngle:
        """About the axis where it is at one configuration."""
        return RelativeAngle(self.body_a, self.body_b, at.pose(self.body_a).R @ self.axis)

    def value(self, at: Places) -> Array:
        """By (1)."""
        x, y, z = self._vectors(at)
        return np.arctan2(_dot(z, y), _dot(x, y))

    def row(self, at: Places) -> Array:
        """By (2)."""
        x, y, z = self._vectors(at)
        S, C = _dot(z, y)[..., None], _dot(x, y)[..., None]
        m = cross(y, C * z - S * x) / (S**2 + C**2)
        return at.relative_row(self.body_b, self.body_a, np.concatenate([m, np.zeros_like(m)], axis=-1))

    def second(self, motion: Motion) -> Array:
        """(2), differentiated."""
        x, y, z = (vector[..., None] for vector in self._vectors(motion.places))  # (..., 3, 1)
        w_a, w_b = (motion.velocity_along(body)[..., :3, :] for body in (self.body_a, self.body_b))
        w = (motion.velocity(self.body_b) - motion.velocity(self.body_a))[..., :3, :]
        dw = (motion.acceleration(self.body_b) - motion.acceleration(self.body_a))[..., :3, :, :]
        S, C = _sum(z * y), _sum(x * y)  # (..., 1, 1)
        D, g = S**2 + C**2, C * z - S * x
        m = _cross(y, g) / D
        x_j, y_j, z_j = _cross(w_a, x), _cross(w_b, y), _cross(w_a, z)  # (..., 3, nd)
        S_j, C_j = _sum(z_j * y + z * y_j), _sum(x_j * y + x * y_j)
        g_j = C_j * z + C * z_j - S_j * x - S * x_j
        m_j = (_cross(y_j, g) + _cross(y, g_j) - 2.0 * m * (S * S_j + C * C_j)) / D
        return np.einsum("...c,...cij->...ij", m[..., 0], dw) + np.swapaxes(w, -1, -2) @ m_j

    def _vectors(self, at: Places) -> tuple[Array, Array, Array]:
        """x, y, z of (1), (..., 3) each in G."""
        x = self.across
        R_a, R_b = at.pose(self.body_a).R, at.pose(self.body_b).R
        return R_a @ x, R_b @ x, R_a @ np.cross(self.axis, x)


def _dot(a: Array, b: Array) -> Array:
    return np.einsum("...c,...c->...", a, b)


def _sum(products: Array) -> Array:
    return products.sum(axis=-2, keepdims=True)


def _cross(a: Array, b: Array) -> Array:
    return cross(a, b, axis=-2)
