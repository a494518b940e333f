"""Moments about the axes of a bushing's parent, where its angles are Cardan angles a = (a_1, a_2, a_3).

The child is turned about axis 2 of the parent, then about the axis 3 that this has turned, then about its own axis 1.
The angular velocity of the child relative to the parent, along the parent's axes, is

    w = G(a) da/dt,   G = [[c_2 c_3, 0, s_2], [s_3, 1, 0], [-s_2 c_3, 0, c_2]],   c_i = cos a_i,  s_i = sin a_i      (1)

so the moments m about these axes, functions of a and w, are the generalized forces on the angles

    f = G^T m,   df_j/da_l = sum_i G_ij dm_i/da_l + D_jl,   D_jl = sum_i dG_ij/da_l m_i                              (2)

They have no potential: what the laws store, the integral of each over its own angle, is one to second order only.
"""

from __future__ import annotations

import math
from collections.abc import Sequence


def spin(a: Sequence[float], rates: Sequence[float]) -> tuple[float, float, float]:
    """w (3,) of (1)."""
    c2, s2, c3, s3 = _of(a)
    first = c3 * rates[0]
    return c2 * first + s2 * rates[2], s3 * rates[0] + rates[1], c2 * rates[2] - s2 * first


def on_angles(a: Sequence[float], m: Sequence[float]) -> tuple[float, float, float]:
    """G^T m (3,) of (2)."""
    c2, s2, c3, s3 = _of(a)
    return c3 * (c2 * m[0] - s2 * m[2]) + s3 * m[1], m[1], s2 * m[0] + c2 * m[2]


def turning_slopes(a: Sequence[float], m: Sequence[float]) -> list[list[float]]:
    """D (3, 3) of (2)."""
    c2, s2, c3, s3 = _of(a)
    level, across = c2 * m[0] - s2 * m[2], s2 * m[0] + c2 * m[2]
    return [[0.0, -c3 * across, c3 * m[1] - s3 * level], [0.0, 0.0, 0.0], [0.0, level, 0.0]]


def _of(a: Sequence[float]) -> tuple[float, float, float, float]:
    """Cosine and sine of a_2, then of a_3."""
    return math.cos(a[1]), math.sin(a[1]), math.cos(a[2]), math.sin(a[2])
