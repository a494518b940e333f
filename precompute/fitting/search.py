"""Bounded least squares: which changes of design variables bring curves nearest to targets.

    min 1/2 r(x) . r(x),  r_i = (curve_i(x) - target_i) / scale_i,  |x_k| <= range_k                (1)

by the trust-region reflective method of Branch, Coleman and Li, in parts of the ranges, with the exact Jacobian.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy.optimize import least_squares

from precompute.arrays import Array
from precompute.errors import PrecomputeError
from precompute.fitting.curves import At, Curves
from precompute.fitting.slopes import slopes

MOST_TRIED = 60
"""Changed mechanisms; ten are usual."""

GAIN, STEP = 1e-10, 1e-9
"""The search ends where a step gains less, or is less, relative; what is left of an exact target is round-off."""

NEAR = 0.05
"""Designs that differ by less than this share of the ranges come to rest beside one another."""

Progress = Callable[[int, float], None]


@dataclass(eq=False)
class Search:
    """Mechanisms that are tried, x in parts of the ranges."""

    curves: Curves
    ranges: Array  # (n,) [SI]
    free: set[str]  # variables that do the same to a changed mechanism, see `slopes`
    progress: Progress
    good: At  # the last from which the search went on
    last: At = field(init=False)  # the last that was tried
    tried: int = 0

    def __post_init__(self) -> None:
        """Nothing but the first was tried."""
        self.last = self.good

    def at(self, x: Array) -> At:
        """The mechanism changed by x."""
        changes = x * self.ranges
        for known in (self.last, self.good):
            if np.array_equal(changes, self.changes_of(known)):
                return known
        close = float(np.abs((changes - self.changes_of(self.good)) / self.ranges).max())
        named = {v.name: float(c) for v, c in zip(self.curves.variables, changes, strict=True)}
        self.last = self.curves.at(named, self.good if close < NEAR else None)
        return self.last

    def changes_of(self, at: At) -> Array:
        """(n,) [SI]."""
        return np.array([*at.changes.values()])

    def residuals(self, x: Array) -> Array:
        """R of (1); without end where there is no such mechanism, or it does not go so far: the step is shortened."""
        self.tried += 1
        try:
            r = self.curves.residuals(self.at(x))
        except PrecomputeError:
            return np.full(len(self.curves.wanted), np.inf)
        self.progress(self.tried, float(np.sqrt(np.mean(r**2))))
        return r

    def jacobian(self, x: Array) -> Array:
        """Its derivatives (m, n)."""
        self.good = self.at(x)
        return slopes(self.curves, self.good, self.free) * self.ranges / self.curves.scales[:, None]

    def run(self) -> Any:
        """The result of SciPy."""
        return least_squares(
            self.residuals,
            np.zeros(len(self.ranges)),
            self.jacobian,
            bounds=(-1.0, 1.0),
            method="trf",
            ftol=GAIN,
            xtol=STEP,
            gtol=GAIN,
            max_nfev=MOST_TRIED,
        )
