"""Couplings of the full model: sums of measures, and measures that follow others by a curve, as constraints.

    c = sum_n f_n g_n(s_n) - value = 0                                                      (1)
    dc = a ds,   a_n = f_n g_n'(s_n)                                                        (2)
    d2c/dt2 = a sdd + f_n g_n''(s_n) (ds_n/dt)^2                                            (3)

with s the terms, measures of the model each, which are counted over whole turns with its others, and g curves, or s
itself where there is none.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from scipy.interpolate import make_interp_spline

from precompute.arrays import Array, frozen_array
from precompute.model.mechanism import Measure, Mechanism

Curve = Callable[[float, int], float]
"""The value at a place, or the derivative of an order up to 2."""


@dataclass(frozen=True, eq=False)
class Couplings:
    """All of them; c is a sum of all terms, most with the factor zero."""

    labels: tuple[str, ...]  # k
    terms: tuple[Measure, ...]  # nt
    factors: Array  # (k, nt)
    curves: tuple[Curve | None, ...]  # nt, of those that others follow
    value: Array  # (k,) c where the mechanism is drawn
    unit: Array  # (k,) factor that takes the unit from c: one over the size of lengths

    def gap(self, s: Array) -> Array:
        """(k,) of (1), without units, from the terms (nt,)."""
        return (self.factors @ self._curved(s, 0) - self.value) * self.unit

    def slopes(self, s: Array) -> Array:
        """(k, nt) a of (2), without units."""
        return self.factors * self._curved(s, 1) * self.unit[:, None]

    def curvature(self, s: Array, rate: Array, second: Array) -> Array:
        """(k,) of (3), without units, from values, rates and second derivatives (nt,) of the terms."""
        return self.slopes(s) @ second + self.factors @ (self._curved(s, 2) * rate**2) * self.unit

    def drawn(self, s: Array) -> Couplings:
        """The same held at what they are when the terms are s (nt,)."""
        return replace(self, value=frozen_array(self.factors @ self._curved(s, 0)))

    def _curved(self, s: Array, order: int) -> Array:
        """(nt,) derivatives of an order of g."""
        plain = (s, np.ones_like(s), np.zeros_like(s))[order]
        own = zip(self.curves, s, plain, strict=True)
        return np.array([straight if curve is None else curve(float(x), order) for curve, x, straight in own])


def curve_through(x: Array, y: Array) -> Curve:
    """The spline of degree 5 through points, or the polynomial through fewer than six; straight on beyond them."""
    spline = make_interp_spline(x, y, k=min(5, len(x) - 1))
    slope = spline.derivative()

    def curve(at: float, order: int) -> float:
        inside = min(max(at, float(x[0])), float(x[-1]))
        if order == 0:
            return float(spline(inside) + slope(inside) * (at - inside))
        if order == 1:
            return float(slope(inside))
        return float(slope(inside, nu=1)) if at == inside else 0.0

    return curve


def all_couplings(mechanism: Mechanism, size: float) -> Couplings:
    """The couplings of a mechanism of some size [m], with values that are not yet known."""
    parts = [(k, part) for k, coupling in enumerate(mechanism.couplings) for part in coupling.of.parts]
    factors = np.zeros((len(mechanism.couplings), len(parts)))
    for n, (k, part) in enumerate(parts):
        factors[k, n] = part.factor
    return Couplings(
        labels=tuple(f"coupling.{c.name}" for c in mechanism.couplings),
        terms=tuple(part.of for _, part in parts),
        factors=frozen_array(factors),
        curves=tuple(None if part.curve is None else curve_through(part.curve.x, part.curve.y) for _, part in parts),
        value=np.zeros(len(mechanism.couplings)),
        unit=frozen_array([1.0 if c.of.is_angle(mechanism) else 1.0 / size for c in mechanism.couplings]),
    )
