"""Roll, pitch and yaw of a marker: how its body has turned since design, as a vehicle's attitude is told.

With X, Y, Z the vehicle's forward, left and up, fixed in the ground, and f, l, u where the body has taken them,
the body turns by yaw about up, then by pitch about its left, then by roll about its forward, as ISO 8855 has it:

    yaw = atan2(f . Y, f . X),   pitch = -asin f . Z,   roll = atan2(l . Z, u . Z)                          (1)

With w its angular velocity, p = f . Z and D = 1 - p^2, the rates are m . w,

    yaw: m = (Z - p f)/D,   pitch: m = Z x f/sqrt D,   roll: m = (f - p Z)/D                                (2)

Yaw and roll are known between -pi and pi, and have no value where f points straight up or down.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, final

import numpy as np

from precompute.arrays import Array
from precompute.geometry.spatial import cross
from precompute.measures.interfaces import Images, Kind, Motion, Parts, Places
from precompute.measures.measure import Image, Measure

Angle = Literal["roll", "pitch", "yaw"]


@final
@dataclass(frozen=True)
class MarkerAngle(Measure):
    """Roll, pitch or yaw of a marker's body since design, by (1) [rad]."""

    marker: str
    angle: Angle

    @property
    def name(self) -> str:
        """What it measures, in a word or two."""
        return f"{self.angle} of marker {self.marker}"

    @property
    def refers(self) -> tuple[tuple[Kind, str], ...]:
        """The marker."""
        return (("marker", self.marker),)

    def bodies(self, parts: Parts) -> tuple[str, ...]:
        """The body that carries it."""
        return (parts.marker(self.marker).body,)

    def is_angle(self, parts: Parts) -> bool:
        """It is an angle."""
        return True

    def points(self, parts: Parts) -> tuple[tuple[str, Array], ...]:
        """None: what acts on it is a moment."""
        return ()

    def twisted(self, parts: Parts) -> tuple[str, ...]:
        """Its body."""
        return self.bodies(parts)

    def image(self, images: Images) -> Image:
        """The same angle of the marker there."""
        return Image(MarkerAngle(images.name("marker", self.marker), self.angle), images.turn_sign(self.angle))

    def value(self, at: Places) -> Array:
        """By (1)."""
        axes, (f, left, up) = at.mechanism.axes, self._carried(at)
        if self.angle == "yaw":
            return np.arctan2(f @ axes.left, f @ axes.forward)
        if self.angle == "roll":
            return np.arctan2(left @ axes.up, up @ axes.up)
        return -np.arctan2(f @ axes.up, np.hypot(f @ axes.forward, f @ axes.left))

    def row(self, at: Places) -> Array:
        """By (2)."""
        f = self._carried(at)[0][..., None]  # (..., 3, 1)
        return at.turning_row(self._body(at), self._moment(f, at.mechanism.axes.up[:, None])[..., 0])

    def second(self, motion: Motion) -> Array:
        """(2), differentiated: m . dw_i/dz_j + w_i . dm/dz_j."""
        at, body, Z = motion.places, self._body(motion.places), motion.places.mechanism.axes.up[:, None]
        w, dw = motion.velocity(body)[..., :3, :], motion.acceleration(body)[..., :3, :, :]
        f = self._carried(at)[0][..., None]
        f_j = _cross(motion.velocity_along(body)[..., :3, :], f)  # (..., 3, nd)
        p, p_j = _dot(f, Z), _dot(f_j, Z)  # (..., 1, 1 or nd)
        D = 1.0 - p**2
        m, m_j = self._moment(f, Z), 2.0 * p * p_j / D
        if self.angle == "yaw":
            m_j = m_j * m - (p_j * f + p * f_j) / D
        elif self.angle == "roll":
            m_j = m_j * m + (f_j - p_j * Z) / D
        else:
            m_j = 0.5 * m_j * m + _cross(Z, f_j) / np.sqrt(D)
        return np.einsum("...c,...cij->...ij", m[..., 0], dw) + np.swapaxes(w, -1, -2) @ m_j

    def _moment(self, f: Array, Z: Array) -> Array:
        """(..., 3, 1) m of (2)."""
        p = _dot(f, Z)
        D = 1.0 - p**2
        if self.angle == "pitch":
            return _cross(Z, f) / np.sqrt(D)
        return (Z - p * f if self.angle == "yaw" else f - p * Z) / D

    def _body(self, at: Places) -> str:
        return at.mechanism.marker(self.marker).body

    def _carried(self, at: Places) -> tuple[Array, Array, Array]:
        """f, l and u, (..., 3) each in G."""
        R, axes = at.pose(self._body(at)).R, at.mechanism.axes
        return R @ axes.forward, R @ axes.left, R @ axes.up


def _dot(a: Array, b: Array) -> Array:
    return (a * b).sum(axis=-2, keepdims=True)


def _cross(a: Array, b: Array) -> Array:
    return cross(a, b, axis=-2)
