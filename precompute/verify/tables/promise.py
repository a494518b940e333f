"""What the tables of a chart promise, as the largest error that passes, number by number.

Without deflection a value is within the tolerance of its range, but never of less than a share of what is natural for
its kind (the absolute part of the limit); a slope within ten times that, of its own range or that of the value over the
table.  Slopes over stiff coordinates are tabulated themselves, to a share of the tolerance under deflection.  Deflected
within the radius a value is within that tolerance of what is natural, or of its range.  Nothing is promised of second
derivatives along the axes, which the FMU never takes: each derivative more is allowed as much as the first one is, and
once again, since they jump most in the outermost cells.

Slopes are those of a coordinate that crosses its table in a second, of a stiff one its radius: so they are velocities.
Ranges are those of the exact numbers, not of the tables.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from precompute.arrays import Array

FLOOR = 1e-4
"""Of what is natural for a kind: to less than this share of it errors are not relative."""

STIFF_FLOOR = 0.02
"""The same for slopes over a stiff coordinate, of what changes a value by its natural size over a large deflection."""

LARGE = 0.02
"""A large deflection [rad], or as a share of the reference length."""

STEEPER = 10.0
"""First derivatives may be this much less accurate than values."""

STIFF_SHARE = 0.1
"""Taylor coefficients are as accurate as this share of the tolerance under deflection, if that is more."""

NOISE = 1e-12
"""Of what is natural, or of the largest value if that is more: rounding of both sides."""

DIFFERENCES = 1e-6
"""Of the largest acceleration: what `table_motion` loses, since it takes differences."""


@dataclass(frozen=True, eq=False)
class Promise:
    """Of a chart with nf axes and ns stiff coordinates, at n configurations."""

    tolerance: float
    stiff_tolerance: float
    length: float  # reference length [m]
    pace: Array  # (nz,) width of each axis, radius of each stiff coordinate
    is_angle: NDArray[np.bool_]  # (nz,) which coordinates are
    nf: int
    rest: NDArray[np.bool_]  # (n,) which configurations are where tables are expanded about

    @property
    def share(self) -> float:
        """What Taylor coefficients are accurate to."""
        return max(self.tolerance, STIFF_SHARE * self.stiff_tolerance)

    @property
    def weight(self) -> Array:
        """(nz,) 1 for angles, 1/length for lengths."""
        return np.where(self.is_angle, 1.0, 1.0 / self.length)

    def values(self, exact: Array, size: Array) -> Array:
        """Limits (n, m) of values; `exact` (n, m), natural sizes (m,)."""
        limit = self.tolerance * self._scale(exact, size) + noise(exact, size)
        return self._deflected(limit, np.maximum(size, np.ptp(exact[self.rest], axis=0)))

    def slopes(self, exact: Array, value: Array, size: Array) -> Array:
        """Limits (n, m, nz) of slopes, all times `pace`; `exact` (n, m, nz), values (n, m), natural sizes (m,)."""
        scale = np.maximum(np.ptp(exact[self.rest], axis=0), self._scale(value, size)[:, None])  # (m, nz)
        limit = STEEPER * self.tolerance * scale
        large = LARGE / self.weight[self.nf :]
        floor = STIFF_FLOOR * np.multiply.outer(size, self.pace[self.nf :] / large)
        stiff = np.maximum(np.ptp(exact[self.rest][..., self.nf :], axis=0), floor)
        limit[:, self.nf :] = self.share * stiff
        limit += STEEPER * noise(exact, size[:, None])
        return self._deflected(limit, STEEPER * np.maximum(size[:, None], np.ptp(exact[self.rest], axis=0)))

    def seconds(
        self, exact: Array, slopes: Array, size: Array, stirred: NDArray[np.bool_], derivatives: int = 3
    ) -> Array:
        """Limits (n, m) of what depends on accelerations.

        Args:
            exact: (n, m).
            slopes: (n, m, nz) all times `pace`.
            size: (m,) what is natural.
            stirred: (n,) where stiff coordinates move too.
            derivatives: how many times `STEEPER` counts.
        """
        steeper = STEEPER**derivatives
        still = self.rest & ~stirred
        scale = np.maximum(np.ptp(exact[still], axis=0), np.ptp(slopes[self.rest], axis=0)[:, : self.nf].sum(axis=1))
        scale = np.maximum(scale, FLOOR * size)
        limit = steeper * (self.tolerance * scale + noise(exact, size)) + DIFFERENCES * np.abs(exact).max(axis=0)
        moving = 2.0 * self.stiff_tolerance * np.maximum(size, scale) * stirred[:, None]
        return self._deflected(limit, STEEPER**2 * np.maximum(size, scale)) + moving

    def inertia_forces(self, exact: Array, J: Array, stirred: NDArray[np.bool_], order: int) -> Array:
        """Limits (n, nz) of J zdd + c; `exact` (n, nz), J (n, nz, nz), Taylor order of J.

        c_k of a stiff coordinate is the slope of J along it, whatever moves: a Taylor coefficient, or without one what
        changes J by as much as deflected J may err.
        """
        largest = np.sqrt(np.abs(np.diagonal(J, axis1=1, axis2=2)).max(axis=0))
        moving = largest @ self.pace
        limit = self.seconds(exact, J * self.pace, largest * moving, stirred, derivatives=2)
        large, radius = LARGE / self.weight[self.nf :], self.pace[self.nf :]
        radius = np.where(radius > 0.0, radius, large)
        coefficient = self.share * STIFF_FLOOR / large if order else self.stiff_tolerance / radius
        limit[:, self.nf :] += moving**2 * coefficient + self.share * np.ptp(exact[:, self.nf :], axis=0)
        return limit

    def _scale(self, exact: Array, size: Array) -> Array:
        return np.maximum(np.ptp(exact[self.rest], axis=0), FLOOR * size)

    def _deflected(self, limit: Array, scale: Array) -> Array:
        """Per configuration (n, ...), with what its scale (...) allows more where it is deflected."""
        deflected = ~self.rest.reshape(-1, *[1] * limit.ndim)
        return limit + self.stiff_tolerance * scale * deflected


def noise(exact: Array, size: Array) -> Array:
    """Below what an error is none: of numbers (n, ...) with natural sizes (...)."""
    found: Array = NOISE * np.maximum(size, np.abs(exact).max(axis=0))
    return found
