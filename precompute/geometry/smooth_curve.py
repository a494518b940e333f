"""A smooth function through points: a spline of degree 5, which has four continuous derivatives."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from scipy.interpolate import make_interp_spline

from precompute.arrays import Array, frozen_array

DEGREE = 5
"""Of the spline; through fewer points than it has coefficients, the polynomial through them."""


@dataclass(frozen=True, eq=False)
class SmoothCurve:
    """y(x) through points; beyond them it goes on straight, which is for iterations on their way and no part of it."""

    x: Array  # (n,) ascending
    y: Array  # (n,)

    def __post_init__(self) -> None:
        object.__setattr__(self, "x", frozen_array(self.x))
        object.__setattr__(self, "y", frozen_array(self.y, self.x.shape, "y"))
        if self.x.ndim != 1 or len(self.x) < 2:
            raise ValueError("needs two points or more")
        if not (np.isfinite(self.x).all() and np.isfinite(self.y).all()):
            raise ValueError("has numbers that are not finite")
        if (np.diff(self.x) <= 0.0).any():
            raise ValueError("its first column must ascend")

    @cached_property
    def _spline(self) -> Any:
        return make_interp_spline(self.x, self.y, k=min(DEGREE, len(self.x) - 1))

    def at(self, x: Array, order: int = 0) -> Array:
        """The derivative of an order, 0 to 3, at any x (...).  -> (...)."""
        inside = np.clip(x, self.x[0], self.x[-1])
        beyond = x - inside
        value = np.asarray(self._spline(inside, nu=order))
        if order == 0:
            return value + beyond * self._spline(inside, nu=1)
        return value if order == 1 else np.where(beyond == 0.0, value, 0.0)

    def covers(self, lower: float, upper: float, slack: float) -> bool:
        """Whether the points reach from one x to another, but for some slack."""
        return bool(self.x[0] - slack <= lower and upper <= self.x[-1] + slack)

    def image(self, x_sign: float, x_shift: float, y_sign: float, y_shift: float) -> SmoothCurve:
        """The same of x and y that count otherwise: signs times them plus shifts."""
        x, y = x_sign * self.x + x_shift, y_sign * self.y + y_shift
        return SmoothCurve(x, y) if x_sign > 0.0 else SmoothCurve(x[::-1], y[::-1])

    def same(self, other: SmoothCurve) -> bool:
        """Whether the other goes through the same points."""
        return np.array_equal(self.x, other.x) and np.array_equal(self.y, other.y)
