"""Cam joints of the full model, as constraints between measures of it: a roller at its radius from the outline itself.

    g = gap - R = 0                            the distance of the roller's centre from the outline                 (1)
    c = way - R alpha - value = 0              a roller that rolls by alpha against the cam                         (2)
    g = -away - h = 0                          a face, with h how far the outline reaches along its normal          (3)

with gap, way and h of `outlines`, at the place (x, y) of the roller's centre, or for the normal of the face, in the
cam's plane.  Nothing of this is made from the tracks that tables are made from.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from precompute.arrays import Array, frozen_array
from precompute.model.mechanism import Cam, Measure, Mechanism
from precompute.reference.cams.outlines import Outline, outline_of
from precompute.reference.cams.parts import Beyond

TURN = 2.0 * np.pi


class Bend(NamedTuple):
    """A function of the terms of a cam: value, gradient and second derivatives."""

    value: float
    slope: Array  # (n,)
    second: Array  # (n, n)


@dataclass(frozen=True, eq=False)
class Seen:
    """A cam and what it is measured by: x, y; then away of a face; alpha of a roller that rolls; turns of the cam."""

    cam: Cam
    terms: tuple[Measure, ...]
    rolls: bool
    turns: bool
    held: int | None = None  # the part of the outline that holds, beyond its ends too; none: that which it touches

    @classmethod
    def of(cls, m: Mechanism, cam: Cam) -> Seen:
        """Of a cam of a mechanism."""
        gap, contact = cam.measure(m, "gap"), cam.measure(m, "contact")
        more = [gap.away] if gap.away is not None else []
        if cam.rolls is not None:
            more.append(cam.rolled(m))
        if contact.turning is not None:
            more.append(contact.turning)
        return cls(cam, (gap.x, gap.y, *more), cam.rolls is not None, contact.turning is not None)

    @cached_property
    def outline(self) -> Outline:
        """Of its profile."""
        return outline_of(self.cam.follower.profile)

    @property
    def flat(self) -> bool:
        """Whether its follower is a face."""
        return self.cam.follower.kind == "flat"

    @property
    def rows(self) -> int:
        """How many constraints it makes."""
        return 1 + self.rolls

    def _bend(self, value: float, at_plane: Array, second: Array, more: tuple[tuple[int, float], ...] = ()) -> Bend:
        slope, H = np.zeros(len(self.terms)), np.zeros((len(self.terms),) * 2)
        slope[:2], H[:2, :2] = at_plane, second
        for number, factor in more:
            slope[number] = factor
        return Bend(value, slope, H)

    def constraints(self, s: Array) -> Iterator[Bend]:
        """(1) or (3), and (2) without its value."""
        if self.flat:
            size = float(np.hypot(*s[:2]))
            m = s[:2] / size
            at, t = self.outline.touched(m, self.held), np.array([-m[1], m[0]])
            # h is that of a unit normal, and the plane's components of it have the length one
            yield self._bend(-s[2] - at.h, -at.h1 * t / size, -at.h2 * np.outer(t, t), ((2, -1.0),))
            return
        R, near = self.cam.follower.radius, self.outline.nearest(s[:2], self.held)
        n, t, k = near.normal, near.tangent, near.curvature
        yield self._bend(near.gap - R, n, k * np.outer(t, t))
        if self.rolls:
            H = -k * (np.outer(n, t) + np.outer(t, n))
            yield self._bend(self.way(s) - R * s[2], t, H, ((2, -R),))

    def part(self, s: Array) -> tuple[int, Beyond]:
        """The number of the part of the outline that it is on, and how far it is beyond its ends."""
        if self.flat:
            touched = self.outline.touched(s[:2] / np.hypot(*s[:2]), self.held)
            return touched.part, touched.beyond
        near = self.outline.nearest(s[:2], self.held)
        return near.part, near.beyond

    def way(self, s: Array) -> float:
        """How far the roller's centre has gone, over turns [m]."""
        R, near = self.cam.follower.radius, self.outline.nearest(s[:2], self.held)
        around = self.outline.perimeter + TURN * R
        own = near.length + R * near.turned
        # where the outline begins, the centre is at an angle of its own: from there on it counts
        first = self._angle_of_start
        local = (self.angle(s) - first) % TURN
        if local > 0.75 * TURN and own < 0.25 * around:
            own += around
        elif local < 0.25 * TURN and own > 0.75 * around:
            own -= around
        return own + around * round((self.contact(s) - first - local) / TURN)

    @cached_property
    def _angle_of_start(self) -> float:
        """The angle at which the roller's centre is where the outline begins."""
        R, profile = self.cam.follower.radius, self.cam.follower.profile
        start = getattr(profile, "angles", None)
        if start is None:
            side = profile[0]  # type: ignore[index]
            along = self.outline.parts[0].normals[0]  # type: ignore[attr-defined]
            p = side.start + R * along
            return float(np.arctan2(p[1], p[0]))
        z, n, _ = self.outline.shape(float(start[0]))  # type: ignore[attr-defined]
        return float(np.arctan2(z.imag + R * n[1], z.real + R * n[0]))

    def angle(self, s: Array) -> float:
        """Of the roller's centre, or of the normal of a face."""
        return float(np.arctan2(s[1], s[0]))

    def contact(self, s: Array) -> float:
        """The same over turns of the cam."""
        angle, first = self.angle(s), self._first
        return angle + TURN * round((first - (s[-1] if self.turns else 0.0) - angle) / TURN)

    @cached_property
    def _first(self) -> float:
        """Where it touches at design."""
        seen = self.cam.p - self.cam.centre if self.cam.normal is None else self.cam.normal
        return float(np.arctan2(seen @ self.cam.across, seen @ self.cam.zero))

    def read(self, s: Array, rate: Array) -> dict[str, tuple[float, float]]:
        """What is read of it: values and rates."""
        rho2 = float(s[:2] @ s[:2])
        spin = float(s[0] * rate[1] - s[1] * rate[0]) / rho2
        found = {"contact": (self.contact(s), spin)}
        if self.flat:
            at = self.outline.touched(s[:2] / np.sqrt(rho2))
            lean = (at.h2 * at.h - at.h1**2) / (at.h**2 + at.h1**2)
            return found | {"pressure_angle": (float(np.arctan2(at.h1, at.h)), lean * spin)}
        near = self.outline.nearest(s[:2])
        n, e = near.normal, s[:2] / np.sqrt(rho2)
        along = float(near.tangent @ rate[:2])
        lean = float(np.arctan2(n[0] * e[1] - n[1] * e[0], n @ e))
        found["pressure_angle"] = (lean, spin - near.curvature * along)
        if self.cam.follower.kind == "roller":
            R = self.cam.follower.radius
            found["rolled"] = ((self.way(s) - self.design_way) / R, along / R)
        return found

    def followed(self, s: Array, rate: Array) -> dict[str, tuple[float, float, Array]]:
        """What elements may be connected to: values, rates and slopes along the terms; of a roller alone."""
        if self.cam.follower.kind != "roller":
            return {}
        R, near = self.cam.follower.radius, self.outline.nearest(s[:2])
        slope = np.zeros(len(self.terms))
        slope[:2] = near.tangent
        way, along = self.way(s) - self.design_way, float(near.tangent @ rate[:2])
        return {
            "travelled": (way, along, slope),
            "rolled": (way / R, along / R, slope / R),
            "reduced_radius": (
                R * (1.0 - R * near.curvature),
                self._radius_rate(s[:2], near.tangent, along),
                0.0 * slope,
            ),
        }

    def reduced_radius(self, at: Array) -> float:
        """1/(1/rho + 1/R) where they touch, from the curvature 1/(rho + R) of the way of the roller's centre."""
        R = self.cam.follower.radius
        return R * (1.0 - R * self.outline.nearest(at).curvature)

    def _radius_rate(self, at: Array, tangent: Array, along: float) -> float:
        """Its rate: of sides zero, of a table by a difference along the way."""
        if isinstance(self.cam.follower.profile, tuple):
            return 0.0
        step = 1e-5 * self.cam.follower.radius
        ahead, behind = (self.reduced_radius(at + sign * step * tangent) for sign in (1.0, -1.0))
        return (ahead - behind) / (2.0 * step) * along

    @cached_property
    def design_way(self) -> float:
        """How far the centre has gone at design."""
        away = self.cam.p - self.cam.centre
        s = np.zeros(len(self.terms))
        s[:2] = away @ self.cam.zero, away @ self.cam.across
        return self.way(s)


@dataclass(frozen=True, eq=False)
class Cams:
    """All of them, with the interface of `Couplings`."""

    seen: tuple[Seen, ...]
    value: Array  # (k,) of each constraint where the mechanism is drawn, or zero
    size: float  # of the mechanism [m]

    @property
    def labels(self) -> tuple[str, ...]:
        """(k,) whose constraint each is."""
        return tuple(own.cam.name for own in self.seen for _ in range(own.rows))

    @property
    def terms(self) -> tuple[Measure, ...]:
        """(nt,)."""
        return tuple(term for own in self.seen for term in own.terms)

    @property
    def unit(self) -> Array:
        """(k,) factor that takes the unit from a constraint."""
        return np.full(len(self.labels), 1.0 / self.size)

    def _parts(self) -> Iterator[tuple[Seen, slice]]:
        first = 0
        for own in self.seen:
            yield own, slice(first, first + len(own.terms))
            first += len(own.terms)

    def _bends(self, s: Array) -> Iterator[tuple[slice, Bend]]:
        for own, where in self._parts():
            for bend in own.constraints(s[where]):
                yield where, bend

    def gap(self, s: Array) -> Array:
        """(k,) without units, from the terms (nt,)."""
        return (np.array([bend.value for _, bend in self._bends(s)]) - self.value) * self.unit

    def slopes(self, s: Array) -> Array:
        """(k, nt) of them along the terms, without units."""
        out = np.zeros((len(self.labels), len(s)))
        for k, (where, bend) in enumerate(self._bends(s)):
            out[k, where] = bend.slope
        return out * self.unit[:, None]

    def curvature(self, s: Array, rate: Array, second: Array) -> Array:
        """(k,) second time derivatives, without units, from values, rates and second derivatives (nt,) of the terms."""
        found = [b.slope @ second[own] + rate[own] @ b.second @ rate[own] for own, b in self._bends(s)]
        return np.array(found) * self.unit

    def beyond(self, s: Array) -> Array:
        """(number of cams, 2) how far each is beyond the ends of the part that is held."""
        return np.array([own.part(s[where])[1] for own, where in self._parts()])

    def holding(self, s: Array) -> Cams:
        """The same on the parts of the outlines on which they are where the terms are s (nt,)."""
        parts = [None if own.outline.count == 1 else own.part(s[where])[0] for own, where in self._parts()]
        return replace(self, seen=tuple(replace(o, held=k) for o, k in zip(self.seen, parts, strict=True)))

    def passing(self, number: int, by: int) -> Cams:
        """The same with one of them on the part after that, or on the one before."""
        own = self.seen[number]
        assert own.held is not None, "it has one part"
        there = replace(own, held=(own.held + by) % own.outline.count)
        return replace(self, seen=(*self.seen[:number], there, *self.seen[number + 1 :]))

    def drawn(self, s: Array) -> Cams:
        """The same with rollers as they are where the terms are s (nt,)."""
        value = []
        for own, where in self._parts():
            for number, bend in enumerate(own.constraints(s[where])):
                value.append(bend.value if number else 0.0)
        return replace(self, value=frozen_array(value))

    def read(self, s: Array, rate: Array) -> dict[str, tuple[float, float]]:
        """What is read of all cams, by the names of the measures: values and rates, from those of the terms (nt,)."""
        return {
            f"{own.cam.name}.{what}": pair
            for own, where in self._parts()
            for what, pair in own.read(s[where], rate[where]).items()
        }

    def followed(self, s: Array, rate: Array) -> dict[tuple[str, str], tuple[float, float, Array]]:
        """What elements may be connected to, of all cams: values, rates, slopes (nt,), from those of the terms."""
        found = {}
        for own, where in self._parts():
            for what, (value, speed, slope) in own.followed(s[where], rate[where]).items():
                whole = np.zeros(len(s))
                whole[where] = slope
                found[own.cam.name, what] = value, speed, whole
        return found


def all_cams(mechanism: Mechanism, size: float) -> Cams:
    """The cams of a mechanism of some size [m]."""
    seen = tuple(Seen.of(mechanism, cam) for cam in mechanism.cams)
    return Cams(seen, np.zeros(sum(own.rows for own in seen)), size)
