"""A follower on a cam: which track it goes along, and how far it is from the cam."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal, final

import numpy as np

from precompute.arrays import Array
from precompute.cams.outline import Shown, face_track, outline_problem, roller_track
from precompute.cams.polar_table import PolarTable, table_face_track, table_problem, table_roller_track
from precompute.cams.profile import Side
from precompute.cams.track import TURN, Numbers, Track

Kind = Literal["roller", "flat", "knife"]

STEP = 1e-30
"""Of complex steps."""

Profile = tuple[Side, ...] | PolarTable


def si(value: float, quantity: str) -> str:
    """A number in SI units, in which nobody's file is."""
    return f"{value:.6g} {'m' if quantity == 'length' else 'rad'}"


@final
@dataclass(frozen=True, eq=False)
class Follower:
    """A profile and what follows it."""

    profile: Profile
    kind: Kind
    radius: float = 0.0  # of a roller [m]
    known: Track | None = None  # its track, or that with pieces held

    @cached_property
    def track(self) -> Track:
        """Of the centre of a roller, of an edge, or of a face.

        Raises:
            ValueError: it cannot follow; with numbers in SI units.
        """
        return self.tracked(si) if self.known is None else self.known

    def holding(self, pieces: Numbers) -> Follower:
        """The same on pieces of its track that go on beyond their ends, one for each place that is asked for."""
        return replace(self, known=self.track.holding(pieces))

    def tracked(self, shown: Shown) -> Track:
        """The same; what cannot follow is told in the units of the file."""
        if problem := self._problem(shown):
            raise ValueError(problem)
        if isinstance(self.profile, PolarTable):
            if self.kind == "flat":
                return table_face_track(self.profile, shown)
            return table_roller_track(self.profile, self.radius, shown)
        if self.kind == "flat":
            return face_track(self.profile, shown)
        return roller_track(self.profile, self.radius, shown)

    def surface(self, step: float = 0.05) -> Array:
        """Points (n, 2) of the profile, once round: ends of sides, and more on arcs and of a table [m]."""
        if isinstance(self.profile, PolarTable):
            angle = np.linspace(0.0, TURN, int(TURN / step) + 1)
            return self.profile.derivatives(angle)[0][:, None] * np.stack([np.cos(angle), np.sin(angle)], axis=-1)
        points = [self.profile[0].start[None]]
        for side in self.profile:
            if side.centre is None:
                points.append(side.end[None])
                continue
            way = -1.0 if side.hollow else 1.0
            count = max(int(np.ceil(abs(side.turned) / step)), 1)
            normal = side.first_normal + side.turned * np.linspace(0.0, 1.0, count + 1)[1:]
            points.append(side.centre + way * side.radius * np.stack([np.cos(normal), np.sin(normal)], axis=-1))
        return np.concatenate(points)

    def _problem(self, shown: Shown) -> str | None:
        if isinstance(self.profile, PolarTable):
            found = table_problem(self.profile.angles, self.profile.radii, shown)
            return None if found is None else f"table {found}"
        return outline_problem(self.profile, shown)

    def gap(self, x: Array, y: Array) -> Array:
        """How far the centre of a roller or an edge is off its track, along the normal, at (x, y) in the cam's plane.

        With r(phi) the track, rho and phi the polar coordinates, and n = sqrt(r^2 + r'^2),

            g = (rho - r) k,   k = r/n                                                                  (1)

        and, because rho = r where it touches, the gradient of g is the unit normal there.

        Returns:
            (6, ...): g, its derivatives along x and y, and along x x, x y and y y.
        """
        return along_plane(x, y, self._gap_jet)

    def _gap_jet(self, rho: Array, phi: Array) -> Array:
        r, r1, r2, _ = self.track.jet(phi)
        _, (k, k_1, k_2), _ = self._directions(phi)
        e = rho - r
        return np.stack([e * k, k, -r1 * k + e * k_1, np.zeros_like(e), k_1, -r2 * k - 2.0 * r1 * k_1 + e * k_2])

    def _directions(self, phi: Array) -> tuple[tuple[Array, ...], tuple[Array, ...], tuple[Array, ...]]:
        """N, k and r'/n of (1) and (2), each with two derivatives along phi."""
        r, r1, r2, r3 = self.track.jet(phi)
        n = np.sqrt(r**2 + r1**2)
        n1 = (r * r1 + r1 * r2) / n
        n2 = (r1**2 + r * r2 + r2**2 + r1 * r3) / n - n1**2 / n

        def over_n(a: Array, a1: Array, a2: Array) -> tuple[Array, ...]:
            first = (a1 - a * n1 / n) / n
            return a / n, first, (a2 - 2.0 * first * n1 - a * n2 / n) / n

        return (n, n1, n2), over_n(r, r1, r2), over_n(r1, r2, r3)

    def face_gap(self, x: Array, y: Array) -> Array:
        """What the cam asks of a face whose normal has the components (x, y) in its plane: minus h(psi).

        With the distance of the face from the cam's centre added it is the gap.  Derivatives as those of `gap`.
        """

        def jet(rho: Array, phi: Array) -> Array:
            h, h1, h2, _ = self.track.jet(phi)
            return polar_jet(-h, -h1, -h2)

        return along_plane(x, y, jet)

    def angle(self, x: Array, y: Array) -> Array:
        """The polar angle between -pi and pi, with derivatives as those of `gap`."""
        return along_plane(x, y, lambda rho, phi: polar_jet(phi, np.ones_like(phi), np.zeros_like(phi)))

    def travelled(self, x: Array, y: Array) -> Array:
        """How far the centre has gone along its track since the first piece began, with derivatives as those of `gap`.

        Of a centre that is off its track, that of its foot there to first order, with s the length of the track,

            t = s + (rho - r) r'/n                                                                      (2)

        so that the gradient of t is the unit tangent, across that of g: forces along both do not mix.
        """

        def jet(rho: Array, phi: Array) -> Array:
            r, r1, r2, _ = self.track.jet(phi)
            (n, n1, _), _, (h, h1, h2) = self._directions(phi)
            e = rho - r
            value, slope = self.track.travelled(phi) + e * h, n - r1 * h + e * h1
            return np.stack([value, h, slope, np.zeros_like(e), h1, n1 - r2 * h - 2.0 * r1 * h1 + e * h2])

        return along_plane(x, y, jet)

    def pressure(self, x: Array, y: Array) -> Array:
        """The angle from the radius to the normal, tan = r'/r, with derivatives as those of `gap`.

        It is less than zero while r falls.
        """

        def jet(rho: Array, phi: Array) -> Array:
            r, r1, r2, r3 = self.track.jet(phi)
            n2 = r**2 + r1**2
            top = r * r2 - r1**2
            first = top / n2
            second = (r * r3 - r1 * r2) / n2 - 2.0 * top * (r * r1 + r1 * r2) / n2**2
            return polar_jet(np.arctan(r1 / r), first, second)

        return along_plane(x, y, jet)

    def reduced_radius(self, x: Array, y: Array) -> Array:
        """Of cam and roller where they touch, 1/(1/rho + 1/R), with derivatives as those of `gap` [m].

        The track goes at R from the outline, so that its curvature k is 1/(rho + R), and

            1/(1/rho + 1/R) = R (1 - R k),   k = (r^2 + 2 r'^2 - r r'')/n^3                             (4)
        """
        R = self.radius

        def jet(rho: Array, phi: Array) -> Array:
            k, k1 = self._curvature(phi)
            beside: Any = phi.real + 1j * STEP
            k2 = self._curvature(beside)[1].imag / STEP
            return polar_jet(R * (1.0 - R * k), -R * R * k1, -R * R * k2 + np.zeros_like(k))

        return along_plane(x, y, jet)

    def _curvature(self, phi: Array) -> tuple[Array, Array]:
        """k of (4), with its derivative along phi."""
        r, r1, r2, r3 = self.track.jet(phi)
        n = np.sqrt(r**2 + r1**2)
        top, first = r**2 + 2.0 * r1**2 - r * r2, r1 * (2.0 * r + 3.0 * r2) - r * r3
        return top / n**3, first / n**3 - 3.0 * top * r1 * (r + r2) / n**5


def polar_jet(value: Array, first: Array, second: Array) -> Array:
    """Of what depends on phi alone."""
    zero = np.zeros_like(value)
    return np.stack([value, zero, first, zero, zero, second])


def along_plane(x: Array, y: Array, of: Callable[[Array, Array], Array]) -> Array:
    """What depends on polar coordinates, by the Cartesian ones.

        f_x = c f_rho - s f_phi/rho,   f_y = s f_rho + c f_phi/rho                                      (2)

    and the second derivatives are those along the radius and across it, turned:

        f_rr = f_rho,rho,   f_rt = f_rho,phi/rho - f_phi/rho^2,   f_tt = f_phi,phi/rho^2 + f_rho/rho    (3)

    Args:
        x: (...) real or complex, to differentiate by a complex step.
        y: (...).
        of: rho, phi -> (6, ...), the value, derivatives along rho and phi, and the three second ones.
    """
    base = np.arctan2(y.real, x.real)
    c, s = np.cos(base), np.sin(base)
    rho, phi = np.sqrt(x**2 + y**2), base + np.arctan((y * c - x * s) / (x * c + y * s))
    f, f_r, f_p, f_rr, f_rp, f_pp = of(rho, phi)
    c, s = x / rho, y / rho
    rt, tt = (f_rp - f_p / rho) / rho, (f_pp / rho + f_r) / rho
    return np.stack(
        [
            f,
            c * f_r - s * f_p / rho,
            s * f_r + c * f_p / rho,
            c * c * f_rr - 2.0 * c * s * rt + s * s * tt,
            c * s * (f_rr - tt) + (c * c - s * s) * rt,
            s * s * f_rr + 2.0 * c * s * rt + c * c * tt,
        ]
    )
