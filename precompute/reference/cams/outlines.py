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
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Protocol

import numpy as np
from scipy.interpolate import make_interp_spline
from scipy.optimize import minimize_scalar

from precompute.arrays import Array
from precompute.cams.polar_table import PolarTable
from precompute.cams.profile import Side
from precompute.reference.cams.parts import TURN, Bent, Nearest, Straight, Touched, angle, part_of, turn

SEARCHED = 720
"""Angles of a table among which the nearest place is looked for."""


class Outline(Protocol):
    """A closed outline.

    A part of it may be held: then it goes on beyond its ends, as a line or a circle.
    """

    @property
    def perimeter(self) -> float:
        """Its length [m]."""

    @property
    def count(self) -> int:
        """Of its parts."""

    def nearest(self, p: Array, held: int | None = None) -> Nearest:
        """To a point (2,)."""

    def touched(self, m: Array, held: int | None = None) -> Touched:
        """By a face with the unit normal m (2,)."""


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

    @property
    def count(self) -> int:
        """Of its parts."""
        return len(self.parts)

    def nearest(self, p: Array, held: int | None = None) -> Nearest:
        """Of all parts, or on one of them."""
        k = int(np.argmin([part.foot(p)[0] for part in self.parts])) if held is None else held
        own = self.parts[k].foot(p)[1]
        length = sum(part.length for part in self.parts[:k]) + own.length
        turned = sum(part.turned for part in self.parts[:k]) + own.turned
        return replace(own, length=length, turned=turned, part=k)

    def touched(self, m: Array, held: int | None = None) -> Touched:
        """The farthest of all parts, or on one of them."""
        k = int(np.argmax([part.farthest(m, False).h for part in self.parts])) if held is None else held
        return replace(self.parts[k].farthest(m, held is not None), part=k)


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

    count = 1

    def nearest(self, p: Array, held: int | None = None) -> Nearest:
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

    def touched(self, m: Array, held: int | None = None) -> Touched:
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
