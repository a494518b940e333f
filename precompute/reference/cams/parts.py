"""Parts of outlines of cams, lines and arcs: which of their places is nearest to a point, or farthest along a normal.

See `outlines` for the equations.  A part knows how far a place is beyond its ends, and goes on there.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from precompute.arrays import Array
from precompute.cams.profile import Side

TURN = 2.0 * np.pi

Beyond = tuple[float, float]
"""How far a place is before the beginning of its part, and beyond its end; less than zero inside [m or rad]."""

INSIDE: Beyond = (-np.inf, -np.inf)


@dataclass(frozen=True, eq=False)
class Nearest:
    """The place of an outline that is nearest to a point."""

    gap: float  # distance from it, along n [m]
    normal: Array  # (2,)
    curvature: float  # of the parallel curve through the point [1/m]
    length: float  # of the outline up to it [m]
    turned: float  # of the normal up to it [rad]
    part: int = 0  # the number of its part
    beyond: Beyond = INSIDE

    @property
    def tangent(self) -> Array:
        """(2,) a quarter turn from the normal."""
        return np.array([-self.normal[1], self.normal[0]])


@dataclass(frozen=True, eq=False)
class Touched:
    """What a face touches: h of (5) with derivatives along the angle of its normal."""

    h: float
    h1: float
    h2: float
    part: int = 0  # as in `Nearest`
    beyond: Beyond = INSIDE


def angle(v: Array) -> float:
    """Of a vector (2,)."""
    return float(np.arctan2(v[1], v[0]))


def turn(a: Array, b: Array) -> float:
    """By how much b is turned from a, between -pi and pi."""
    return float(np.arctan2(a[0] * b[1] - a[1] * b[0], a @ b))


@dataclass(frozen=True, eq=False)
class Straight:
    """A side from a to b."""

    a: Array
    b: Array

    @cached_property
    def length(self) -> float:
        """[m]."""
        return float(np.hypot(*(self.b - self.a)))

    turned = 0.0

    @cached_property
    def normals(self) -> tuple[Array, Array]:
        """At its ends."""
        t = (self.b - self.a) / self.length
        n = np.array([t[1], -t[0]])
        return n, n

    def foot(self, p: Array) -> tuple[float, Nearest]:
        """How far p is from the nearest place of it, and that place."""
        n = self.normals[0]
        gone = float((p - self.a) @ (self.b - self.a)) / self.length
        end = self.a + np.clip(gone / self.length, 0.0, 1.0) * (self.b - self.a)
        found = Nearest(float(n @ (p - self.a)), n, 0.0, gone, 0.0, beyond=(-gone, gone - self.length))
        return float(np.hypot(*(p - end))), found

    def farthest(self, m: Array, held: bool) -> Touched:
        """No face rests on it."""
        return Touched(-np.inf, 0.0, 0.0)


@dataclass(frozen=True, eq=False)
class Bent:
    """An arc from a to b about c: round to the left, or hollow to the right; a corner has no radius."""

    c: Array
    radius: float
    first: float  # angle of the normal where it begins
    turned: float  # of the normal, less than zero if hollow

    @property
    def hollow(self) -> bool:
        """Whether the material is outside."""
        return self.turned < 0.0

    @property
    def length(self) -> float:
        """[m]."""
        return self.radius * abs(self.turned)

    @property
    def normals(self) -> tuple[Array, Array]:
        """At its ends."""
        ends = self.first, self.first + self.turned
        return tuple(np.array([np.cos(x), np.sin(x)]) for x in ends)  # type: ignore[return-value]

    def foot(self, p: Array) -> tuple[float, Nearest]:
        """How far p is from the nearest place of it, and that place."""
        way = -1.0 if self.hollow else 1.0
        d = way * (p - self.c)
        distance = float(np.hypot(*d)) or 1e-300
        swept = (way * (angle(d) - self.first) + np.pi - abs(self.turned) / 2.0) % TURN - np.pi + abs(self.turned) / 2.0
        inside = float(np.clip(swept, 0.0, abs(self.turned)))
        n_end = self.first + way * inside
        end = self.c + way * self.radius * np.array([np.cos(n_end), np.sin(n_end)])
        n, ends = d / distance, (-swept, swept - abs(self.turned))
        found = Nearest(
            way * (distance - self.radius), n, way / distance, swept * self.radius, way * swept, beyond=ends
        )
        return float(np.hypot(*(p - end))), found

    def farthest(self, m: Array, held: bool) -> Touched:
        """Where the normal is m, if it is that anywhere; of one that is held, on the circle."""
        swept = (angle(m) - self.first + np.pi - self.turned / 2.0) % TURN - np.pi + self.turned / 2.0
        ends = -swept, swept - self.turned
        if self.hollow or (max(ends) > 1e-12 and not held):
            return Touched(-np.inf, 0.0, 0.0)
        t = np.array([-m[1], m[0]])
        return Touched(float(m @ self.c) + self.radius, float(t @ self.c), -float(m @ self.c), beyond=ends)


def part_of(side: Side) -> Straight | Bent:
    """A side of a profile."""
    if side.centre is None:
        return Straight(side.start, side.end)
    way = -1.0 if side.hollow else 1.0
    a, b = way * (side.start - side.centre), way * (side.end - side.centre)
    by = way * turn(a, b) % TURN or TURN
    return Bent(side.centre, 0.5 * float(np.hypot(*a) + np.hypot(*b)), angle(a), way * by)
