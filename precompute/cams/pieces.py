"""Closed forms of pieces: a line and an arc seen from the cam's centre, and the face on an arc.

With u the angle from the foot of a line at distance d,

    r = d/cos u,   r' = r tan u,   r'' = r (1 + 2 tan^2 u),   r''' = r tan u (5 + 6 tan^2 u)                (1)

With u the angle from the centre of an arc of radius R, that is c away, and s = 1 of an arc that is seen from inside
or from behind, -1 of one that is hollow,

    r = c cos u + s w,   w = sqrt(R^2 - c^2 sin^2 u)                                                        (2)
    s w r'   = -c r sin u                                                                                   (3)
    s w r''  = -(r'^2 + 2 c r' sin u + c r cos u)                                                           (4)
    s w r''' = -(3 r' r'' + 3 c r'' sin u + 3 c r' cos u - c r sin u)                                       (5)

which are r^2 - 2 c r cos u + c^2 = R^2, differentiated.  A face whose normal is u away from the centre of an arc

    h = c cos u + R                                                                                         (6)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np

from precompute.arrays import Array


@final
@dataclass(frozen=True)
class PolarLine:
    """By (1)."""

    distance: float  # d [m]
    normal: float  # angle of its foot [rad]

    def jet(self, angle: Array) -> Array:
        """r and its derivatives.  -> (4, ...)."""
        u = angle - self.normal
        t, r = np.tan(u), self.distance / np.cos(u)
        return np.stack([r, r * t, r * (1.0 + 2.0 * t**2), r * t * (5.0 + 6.0 * t**2)])

    def length(self, angle: Array) -> Array:
        """From its foot."""
        return np.asarray(self.distance * np.tan(angle - self.normal))


@final
@dataclass(frozen=True)
class PolarArc:
    """By (2) to (5)."""

    away: float  # c [m]
    towards: float  # angle of its centre [rad]
    radius: float  # R [m]
    hollow: bool = False

    def jet(self, angle: Array) -> Array:
        """r and its derivatives.  -> (4, ...)."""
        u, c = angle - self.towards, self.away
        x, y = c * np.cos(u), c * np.sin(u)
        sw = (-1.0 if self.hollow else 1.0) * np.sqrt(self.radius**2 - y**2)
        r = x + sw
        r1 = -r * y / sw
        r2 = -(r1**2 + 2.0 * r1 * y + r * x) / sw
        r3 = -(3.0 * r1 * r2 + 3.0 * r2 * y + 3.0 * r1 * x - r * y) / sw
        return np.stack([r, r1, r2, r3])

    def length(self, angle: Array) -> Array:
        """By the angle about its own centre, from the line through the cam's centre and its own."""
        u, c = angle - self.towards, self.away
        y = c * np.sin(u)
        # the centre of the arc sees the point at u + asin(y / R); of a hollow one the other way round
        own = np.arcsin(y / self.radius)
        return np.asarray(self.radius * (own - u if self.hollow else own + u))


@final
@dataclass(frozen=True)
class FaceOnArc:
    """By (6); an edge is an arc without radius."""

    away: float  # c [m]
    towards: float  # angle of its centre [rad]
    radius: float  # R [m]

    def jet(self, angle: Array) -> Array:
        """h and its derivatives.  -> (4, ...)."""
        u = angle - self.towards
        x, y = self.away * np.cos(u), self.away * np.sin(u)
        return np.stack([x + self.radius, -y, -x, y])

    def length(self, angle: Array) -> Array:
        """A face slides; nothing rolls on it."""
        return np.zeros_like(angle)
