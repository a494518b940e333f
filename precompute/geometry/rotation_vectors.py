"""Derivatives of the rotation vector theta = log R, over any leading batch axes.

    d(theta)/dt = L(theta) w,   dR/dt = skew(w) R                                           (1)
    L(theta) = 1 - skew(theta)/2 + c(t) skew(theta)^2,   t = |theta|                        (2)
    c(t) = (1 - (t/2) cot(t/2))/t^2 = sum_n 2 zeta(2n) t^(2n-2)/(2 pi)^(2n)                 (3)

L is the inverse of the left Jacobian of the rotation; it exists up to a whole turn.
"""

from __future__ import annotations

import numpy as np
from scipy.special import zeta

from precompute.arrays import Array
from precompute.geometry.spatial import skew

SERIES = 1.0
"""Angle [rad] below which the series (3) is used; its 12 terms leave 1e-20 there."""

_N = np.arange(1, 13)
_C = 2.0 * zeta(2.0 * _N) / (2.0 * np.pi) ** (2 * _N)
_DC = (2.0 * _N[1:] - 2.0) * _C[1:]


def inverse_left_jacobian(theta: Array) -> Array:
    """L of (2).  (..., 3) -> (..., 3, 3)."""
    K = skew(theta)
    c, _ = cotangent_factor(np.linalg.norm(theta, axis=-1))
    return np.eye(3) - 0.5 * K + c[..., None, None] * (K @ K)


def inverse_left_jacobian_derivative(theta: Array) -> Array:
    """dL[..., :, :, k] = dL/d(theta_k).  (..., 3) -> (..., 3, 3, 3).

    dL = -skew(e_k)/2 + c (skew(e_k) skew(theta) + skew(theta) skew(e_k)) + (c'/t) theta_k skew(theta)^2     (4)
    """
    K = skew(theta)
    c, slope = cotangent_factor(np.linalg.norm(theta, axis=-1))
    square = slope[..., None, None] * (K @ K)
    columns = []
    for k in range(3):
        E = skew(np.eye(3)[k])
        columns.append(-0.5 * E + c[..., None, None] * (E @ K + K @ E) + theta[..., k, None, None] * square)
    return np.stack(columns, axis=-1)


def cotangent_factor(t: Array) -> tuple[Array, Array]:
    """c of (3) and c'(t)/t.  (...) -> (...), (...)."""
    small = t < SERIES
    s = np.where(small, t, 0.0) ** 2
    series = np.polynomial.polynomial.polyval(s, _C), np.polynomial.polynomial.polyval(s, _DC)
    x = np.where(small, SERIES, t)
    cot = 1.0 / np.tan(0.5 * x)
    c = (1.0 - 0.5 * x * cot) / x**2
    slope = (0.25 * x * (1.0 + cot**2) - 0.5 * cot - 2.0 * x * c) / x**3
    return np.where(small, series[0], c), np.where(small, series[1], slope)
