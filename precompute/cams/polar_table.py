"""A cam given by distances of its surface over the angle: a smooth closed curve through them.

With rho(a) the distance of the surface at its polar angle a, from a periodic spline of degree 5, and d the angle
between the outward normal and the radius,

    tan d = rho'/rho,   normal at a - d                                                                     (1)
    k = (rho^2 + 2 rho'^2 - rho rho'')/(rho^2 + rho'^2)^(3/2)              curvature                         (2)

The centre of a roller of radius R is at the polar angle phi and the distance r,

    phi = a + atan2(-R sin d, rho + R cos d),   r^2 = rho^2 + 2 R rho cos d + R^2                           (3)

and its path has the same normal and the curvature k/(1 + k R).  From these follow, by (1) and (2) of the path,

    r' = r tan(d + phi - a),   r'' and r''' from its curvature and the derivative of that                   (4)

A flat face whose normal is at the angle psi = a - d touches where

    h = rho cos d,   h' = rho sin d,   h'' = 1/k - h,   h''' = -(dk/dpsi)/k^2 - h'                          (5)
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import final

import numpy as np
from scipy.interpolate import PPoly, make_interp_spline

from precompute.arrays import Array, frozen_array
from precompute.cams.outline import Shown
from precompute.cams.track import TURN, Track

DEGREE = 5
NEWTON = 30
"""Steps until an angle of the surface is found; it takes six or less where the roller follows."""

CHECKED = 8
"""Places per interval of the table where a follower is checked."""

GAUSS = np.polynomial.legendre.leggauss(12)
"""Of the length of an interval."""


@final
@dataclass(frozen=True, eq=False)
class PolarTable:
    """A closed surface through points at ascending angles."""

    angles: Array  # (n,) within one turn [rad]
    radii: Array  # (n,) [m]

    def __post_init__(self) -> None:
        object.__setattr__(self, "angles", frozen_array(self.angles, None, "angles"))
        object.__setattr__(self, "radii", frozen_array(self.radii, self.angles.shape, "radii"))

    @cached_property
    def spline(self) -> PPoly:
        """rho."""
        x = np.append(self.angles, self.angles[0] + TURN)
        y = np.append(self.radii, self.radii[0])
        return PPoly.from_spline(make_interp_spline(x, y, k=DEGREE, bc_type="periodic"))

    def derivatives(self, a: Array) -> Array:
        """rho and three derivatives at any angles (...), real or complex.  -> (4, ...)."""
        poly = self.spline
        first, breaks = self.angles[0], poly.x
        a = a - TURN * np.floor((a.real - first) / TURN)
        k = np.clip(np.searchsorted(breaks, a.real, side="right") - 1, 0, len(breaks) - 2)
        t, out = a - breaks[k], np.zeros((4, *a.shape), dtype=a.dtype)
        for order in range(4):
            for power in range(DEGREE, order - 1, -1):
                factor = float(np.prod(np.arange(power - order + 1, power + 1)))
                out[order] = out[order] * t + factor * poly.c[DEGREE - power, k]
        return out

    def bend(self, a: Array) -> tuple[Array, Array, Array, Array, Array]:
        """rho, rho', d, k and dk/da of (1) and (2)."""
        r, r1, r2, r3 = self.derivatives(a)
        g = r**2 + r1**2
        N, N1 = r**2 + 2.0 * r1**2 - r * r2, 2.0 * r * r1 + 3.0 * r1 * r2 - r * r3
        k = N / g**1.5
        return r, r1, _atan2(r1, r), k, N1 / g**1.5 - 3.0 * k * (r * r1 + r1 * r2) / g

    @cached_property
    def grid(self) -> Array:
        """Angles where a follower is checked, CHECKED in each interval."""
        x = np.append(self.angles, self.angles[0] + TURN)
        shares = np.arange(CHECKED) / CHECKED
        return np.asarray((x[:-1, None] + np.diff(x)[:, None] * shares).ravel())

    @cached_property
    def lengths(self) -> tuple[Array, Array]:
        """Breaks (m + 1,) and the length of the surface up to each."""
        breaks = np.unique(np.concatenate([self.grid, [self.angles[0] + TURN]]))
        return breaks, np.concatenate([[0.0], np.cumsum(self._arc(breaks[:-1], breaks[1:]))])

    def length(self, a: Array) -> Array:
        """Of the surface from the first angle of the table on, over turns [m]."""
        breaks, before = self.lengths
        turns = np.floor((a.real - breaks[0]) / TURN)
        local = a - TURN * turns
        k = np.clip(np.searchsorted(breaks, local.real, side="right") - 1, 0, len(breaks) - 2)
        return np.asarray(turns * before[-1] + before[k] + self._arc(breaks[k], local))

    def _arc(self, a: Array, b: Array) -> Array:
        nodes, weights = GAUSS
        half = 0.5 * (b - a)
        r, r1 = self.derivatives((0.5 * (a + b))[..., None] + half[..., None] * nodes)[:2]
        return np.asarray(half * (np.sqrt(r**2 + r1**2) @ weights))


@final
@dataclass(frozen=True, eq=False)
class RollerOnTable:
    """By (3) and (4)."""

    table: PolarTable
    radius: float  # R [m]

    def surface(self, angle: Array) -> Array:
        """The angle a of the surface where the roller touches, from that of its centre; by Newton's method on (3)."""
        a = angle
        for _ in range(NEWTON):
            rho, _, d, k, _ = self.table.bend(a)
            phi, r = self._centre(a, rho, d)
            # the centre moves by (1 + k R) times the way on the surface, and turns about the cam by its share across
            slope = (1.0 + k * self.radius) * rho / np.cos(d) * np.cos(d + phi - a) / r
            step = (angle - phi) / slope
            a = a + step
            if float(np.abs(step).max(initial=0.0)) < 1e-15:
                break
        return np.asarray(a)

    def _centre(self, a: Array, rho: Array, d: Array) -> tuple[Array, Array]:
        x, y = rho + self.radius * np.cos(d), -self.radius * np.sin(d)
        return a + _atan2(y, x), np.sqrt(x**2 + y**2)

    def jet(self, angle: Array) -> Array:
        """r and its derivatives.  -> (4, ...)."""
        a = self.surface(angle)
        rho, _, d, k, k_a = self.table.bend(a)
        phi, r = self._centre(a, rho, d)
        r1 = r * np.tan(d + phi - a)
        g, way = r**2 + r1**2, 1.0 + k * self.radius
        k_path = k / way
        a_phi = np.sqrt(g) / (way * rho / np.cos(d))  # both are the way of the centre
        r2 = (r**2 + 2.0 * r1**2 - k_path * g**1.5) / r
        N1 = k_a / way**2 * a_phi * g**1.5 + 3.0 * k_path * np.sqrt(g) * (r * r1 + r1 * r2)
        return np.stack([r, r1, r2, (2.0 * r * r1 + 3.0 * r1 * r2 - N1) / r])

    def length(self, angle: Array) -> Array:
        """The way on the surface, and the roller's radius times the turn of the normal."""
        a = self.surface(angle)
        return np.asarray(self.table.length(a) + self.radius * (a - self.table.bend(a)[2]))


@final
@dataclass(frozen=True, eq=False)
class FaceOnTable:
    """By (5)."""

    table: PolarTable

    def jet(self, angle: Array) -> Array:
        """h and its derivatives.  -> (4, ...)."""
        a = angle
        for _ in range(NEWTON):
            rho, _, d, k, _ = self.table.bend(a)
            step = (angle - (a - d)) / (k * rho / np.cos(d))
            a = a + step
            if float(np.abs(step).max(initial=0.0)) < 1e-15:
                break
        rho, _, d, k, k_a = self.table.bend(a)
        h, h1 = rho * np.cos(d), rho * np.sin(d)
        return np.stack([h, h1, 1.0 / k - h, -k_a / (k**3 * rho / np.cos(d)) - h1])

    def length(self, angle: Array) -> Array:
        """A face slides; nothing rolls on it."""
        return np.zeros_like(angle)


def table_problem(angles: Array, radii: Array, shown: Shown) -> str | None:
    """Why numbers are no surface, if they are none."""
    if len(angles) != len(radii):
        return f"has {len(angles)} angles and {len(radii)} radii; give as many of both"
    if len(angles) < 8:
        return f"has {len(angles)} points; a closed curve needs at least 8"
    if (np.diff(angles) <= 0.0).any():
        k = int(np.argmin(np.diff(angles)))
        return f"has the angle {shown(angles[k + 1], 'angle')} after {shown(angles[k], 'angle')}; angles must ascend"
    if angles[-1] - angles[0] >= TURN - 1e-9:
        return (
            f"goes from {shown(angles[0], 'angle')} to {shown(angles[-1], 'angle')}, a full turn or more; it closes by "
            "itself, so leave the last point out, which is the first one again"
        )
    if (radii <= 0.0).any():
        return f"has the radius {shown(float(radii.min()), 'length')}; radii must be positive"
    return None


def table_roller_track(table: PolarTable, radius: float, shown: Shown) -> Track:
    """The path of the centre of a roller, or of an edge.

    Raises:
        ValueError: the surface is hollow with a smaller radius than the roller's.
    """
    a = table.grid
    _, _, _, k, _ = table.bend(a)
    worst = int(np.argmin(k))
    if 1.0 + float(k[worst]) * radius <= 0.0:
        raise ValueError(
            f"undercuts: at {shown(float(a[worst]), 'angle')} the table is hollow with a radius of "
            f"{shown(-1.0 / float(k[worst]), 'length')}, into which a roller of radius {shown(radius, 'length')} does "
            "not go"
        )
    track = Track(table.angles[:1], (RollerOnTable(table, radius),))
    check_gap(table, track, radius, shown)
    return track


def check_gap(table: PolarTable, track: Track, radius: float, shown: Shown) -> None:
    """A roller must not reach into the surface beside where it touches."""
    if radius == 0.0:
        return
    a = table.grid
    rho = table.derivatives(a)[0]
    surface = rho * np.exp(1j * a)
    r = track.jet(a)[0]
    gaps = np.abs((r * np.exp(1j * a))[:, None] - surface).min(axis=1) - radius
    worst = int(np.argmin(gaps))
    if gaps[worst] < -1e-9 * float(r.max()):
        raise ValueError(
            f"undercuts: with its centre at {shown(float(a[worst]), 'angle')} of the cam, a roller of radius "
            f"{shown(radius, 'length')} reaches {shown(-float(gaps[worst]), 'length')} into the cam; take a smaller one"
        )


def table_face_track(table: PolarTable, shown: Shown) -> Track:
    """How far a flat face is from the cam's centre.

    Raises:
        ValueError: the surface is hollow somewhere.
    """
    a = table.grid
    _, _, d, k, _ = table.bend(a)
    worst = int(np.argmin(k))
    if k[worst] <= 0.0:
        raise ValueError(
            f"at {shown(float(a[worst]), 'angle')} the table is hollow: a flat follower bridges it and cannot follow; "
            "take a roller, or make it bulge"
        )
    return Track(np.array([float(a[0] - d[0])]), (FaceOnTable(table),))


def _atan2(y: Array, x: Array) -> Array:
    """Of numbers that may be complex, with x positive."""
    return np.asarray(np.arctan(y / x))
