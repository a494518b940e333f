"""Outlines of cams as the full model sees them: which place of the outline is nearest, none of the tracks of followers.

Sides, or a closed spline through a table of distances, in the cam's plane from its centre.  Of a place p beside it,

    gap = n . (p - foot)                                                                                (1)
    d gap = n . dp,   d2 gap = k (t . dp)^2                                                             (2)
    way = length of the outline up to the foot + R times the turn of its normal                         (3)
    d way = t . dp,   d2 way = -2 k (n . dp) (t . dp)          where the gap is R                       (4)

with the unit normal n at the foot, the tangent t a quarter turn from it, and k the curvature of the parallel curve
through p: one over the distance of its centre.  What a face with the unit normal m touches is farthest along m,

    h = m . q + r,   h' = t . q,   h'' = (curvature radius there) - h                                   (5)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

import numpy as np
from scipy.interpolate import make_interp_spline
from scipy.optimize import minimize_scalar

from precompute.arrays import Array
from precompute.cams.polar_table import PolarTable
from precompute.cams.profile import Side

TURN = 2.0 * np.pi
SEARCHED = 720
"""Angles of a table among which the nearest place is looked for."""


@dataclass(frozen=True, eq=False)
class Nearest:
    """The place of an outline that is nearest to a point."""

    gap: float  # distance from it, along n [m]
    normal: Array  # (2,)
    curvature: float  # of the parallel curve through the point [1/m]
    length: float  # of the outline up to it [m]
    turned: float  # of the normal up to it [rad]

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


class Outline(Protocol):
    """A closed outline."""

    @property
    def perimeter(self) -> float:
        """Its length [m]."""

    def nearest(self, p: Array) -> Nearest:
        """To a point (2,)."""

    def touched(self, m: Array) -> Touched:
        """By a face with the unit normal m (2,)."""


# -- lines and arcs ---------------------------------------------------------------------------------------------------


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
        share = float(np.clip((p - self.a) @ (self.b - self.a) / self.length**2, 0.0, 1.0))
        away = float(np.hypot(*(p - self.a - share * (self.b - self.a))))
        return away, Nearest(float(n @ (p - self.a)), n, 0.0, share * self.length, 0.0)

    def farthest(self, m: Array) -> Touched:
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
        n = d / distance
        found = Nearest(way * (distance - self.radius), n, way / distance, inside * self.radius, way * inside)
        return float(np.hypot(*(p - end))), found

    def farthest(self, m: Array) -> Touched:
        """Where the normal is m, if it is that anywhere."""
        swept = (angle(m) - self.first) % TURN
        if self.hollow or swept > self.turned + 1e-12:
            return Touched(-np.inf, 0.0, 0.0)
        t = np.array([-m[1], m[0]])
        return Touched(float(m @ self.c) + self.radius, float(t @ self.c), -float(m @ self.c))


@dataclass(frozen=True, eq=False)
class SideOutline:
    """Of sides, with the corners between them."""

    parts: tuple[Straight | Bent, ...]

    @classmethod
    def of(cls, sides: Sequence[Side]) -> SideOutline:
        """With corners where two sides are not tangent."""
        made = [part_of(side) for side in sides]
        parts: list[Straight | Bent] = []
        for side, part, after in zip(sides, made, [*made[1:], made[0]], strict=True):
            parts.append(part)
            by = turn(part.normals[1], after.normals[0])
            if by > 1e-9:
                parts.append(Bent(side.end, 0.0, angle(part.normals[1]), by))
        return cls(tuple(parts))

    @property
    def perimeter(self) -> float:
        """[m]."""
        return sum(part.length for part in self.parts)

    def nearest(self, p: Array) -> Nearest:
        """Of all parts."""
        feet = [part.foot(p) for part in self.parts]
        k = int(np.argmin([away for away, _ in feet]))
        own = feet[k][1]
        length = sum(part.length for part in self.parts[:k]) + own.length
        turned = sum(part.turned for part in self.parts[:k]) + own.turned
        return Nearest(own.gap, own.normal, own.curvature, length, turned)

    def touched(self, m: Array) -> Touched:
        """The farthest of all parts."""
        return max((part.farthest(m) for part in self.parts), key=lambda at: at.h)


def part_of(side: Side) -> Straight | Bent:
    """A side of a profile."""
    if side.centre is None:
        return Straight(side.start, side.end)
    way = -1.0 if side.hollow else 1.0
    a, b = way * (side.start - side.centre), way * (side.end - side.centre)
    by = way * turn(a, b) % TURN or TURN
    return Bent(side.centre, 0.5 * float(np.hypot(*a) + np.hypot(*b)), angle(a), way * by)


# -- tables -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class TableOutline:
    """A closed spline of degree 5 through distances over the angle, as complex numbers z(a) = rho(a) exp(i a)."""

    table: PolarTable

    @cached_property
    def _splines(self) -> list:
        x = np.append(self.table.angles, self.table.angles[0] + TURN)
        spline = make_interp_spline(x, np.append(self.table.radii, self.table.radii[0]), k=5, bc_type="periodic")
        return [spline, spline.derivative(), spline.derivative(2)]

    def z(self, a: Array) -> tuple[Any, Any, Any]:
        """A place and its two derivatives along the angle."""
        x = (a - self.table.angles[0]) % TURN + self.table.angles[0]
        r, r1, r2 = (spline(x) for spline in self._splines)
        e = np.exp(1j * a)
        return r * e, (r1 + 1j * r) * e, (r2 + 2j * r1 - r) * e

    def shape(self, a: float) -> tuple[complex, Array, float]:
        """A place, its unit normal (2,) and its curvature."""
        z, z1, z2 = (complex(v) for v in self.z(np.array(a)))
        t = z1 / abs(z1)
        return z, np.array([t.imag, -t.real]), (z1.conjugate() * z2).imag / abs(z1) ** 3

    @cached_property
    def _searched(self) -> tuple[Array, Any]:
        a = np.linspace(-np.pi, np.pi, SEARCHED, endpoint=False)
        return a, self.z(a)[0]

    def _least(self, of: Any, values: Any) -> float:
        """The angle at which a function is least, near where it is on the search."""
        a = self._searched[0]
        k = int(np.argmin(values))
        step = TURN / SEARCHED
        found = minimize_scalar(of, bounds=(a[k] - step, a[k] + step), method="bounded", options={"xatol": 1e-9})
        return float(found.x)

    @cached_property
    def perimeter(self) -> float:
        """[m]."""
        return self._length(self.table.angles[0] + TURN)

    def _length(self, a: float) -> float:
        nodes, weights = np.polynomial.legendre.leggauss(16)
        edges = [x for x in (*self.table.angles, self.table.angles[0] + TURN) if x < a] + [a]
        low, high = np.array(edges[:-1])[:, None], np.array(edges[1:])[:, None]
        speed = np.abs(self.z(0.5 * (low + high) + 0.5 * (high - low) * nodes)[1])
        return float((0.5 * (high - low)[:, 0] * (speed @ weights)).sum())

    def nearest(self, p: Array) -> Nearest:
        """By a search, and Newton's method on (z - p) . z' = 0."""
        w = complex(*p)
        a = self._least(lambda x: abs(complex(self.z(np.array(x))[0]) - w), np.abs(self._searched[1] - w))
        for _ in range(8):
            z, z1, z2 = (complex(v) for v in self.z(np.array(a)))
            f, slope = ((z - w) * z1.conjugate()).real, abs(z1) ** 2 + ((z - w) * z2.conjugate()).real
            a -= f / slope
        z, n, k = self.shape(a)
        gap = float(n @ [w.real - z.real, w.imag - z.imag])
        first = self.table.angles[0]
        local = (a - first) % TURN + first
        start = self.shape(first)[1]
        turned = turn(start, n)
        turned += TURN * round((local - first - turned) / TURN)
        return Nearest(gap, n, k / (1.0 + k * gap), self._length(local), turned)

    def touched(self, m: Array) -> Touched:
        """By a search, and Newton's method on m . z' = 0."""
        w = complex(*m)
        a = self._least(
            lambda x: -(complex(self.z(np.array(x))[0]) * w.conjugate()).real, -(self._searched[1] * w.conjugate()).real
        )
        for _ in range(8):
            _, z1, z2 = (complex(v) for v in self.z(np.array(a)))
            a -= (z1 * w.conjugate()).real / (z2 * w.conjugate()).real
        z, _, k = self.shape(a)
        h = (z * w.conjugate()).real
        return Touched(h, (z * w.conjugate()).imag, 1.0 / k - h)


def outline_of(profile: Sequence[Side] | PolarTable) -> Outline:
    """Of a profile."""
    return TableOutline(profile) if isinstance(profile, PolarTable) else SideOutline.of(profile)
