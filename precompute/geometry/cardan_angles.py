"""Cardan angles a = (a_1, a_2, a_3) of a rotation, each about one axis, over any leading batch axes.

    R = R_2(a_2) R_3(a_3) R_1(a_1)                                                          (1)

about axis 2, then the axis 3 that this has turned, then the axis 1 that both have: so a_1 may be of any size, a_2 and
a_3 say where axis 1 points, and only a_3 must stay below a quarter turn.

    w = G(a) da/dt,   dR/dt = skew(w) R,   da/dt = G^-1 w                                   (2)

To second order they are the rotation vector theta less half of (theta_2 theta_3, theta_3 theta_1, -theta_1 theta_2).
"""

from __future__ import annotations

import numpy as np

from precompute.arrays import Array


def cardan_angles(R: Array) -> Array:
    """Angles of (1).  (..., 3, 3) -> (..., 3) [rad]."""
    across = np.hypot(R[..., 1, 1], R[..., 1, 2])
    first, second = np.arctan2(-R[..., 1, 2], R[..., 1, 1]), np.arctan2(-R[..., 2, 0], R[..., 0, 0])
    return np.stack([first, second, np.arctan2(R[..., 1, 0], across)], axis=-1)


def cardan_rates(a: Array) -> Array:
    """G^-1 of (2).  (..., 3) -> (..., 3, 3)."""
    (c, s), (cosine, tangent) = _second(a), _third(a)
    o, i = np.zeros_like(c), np.ones_like(c)
    return _matrix([[c / cosine, o, -s / cosine], [-c * tangent, i, s * tangent], [s, o, c]])


def cardan_rates_derivative(a: Array) -> Array:
    """dL[..., :, :, k] = d(G^-1)/da_k.  (..., 3) -> (..., 3, 3, 3)."""
    (c, s), (cosine, tangent) = _second(a), _third(a)
    o, per = np.zeros_like(c), 1.0 / cosine
    along_2 = _matrix([[-s * per, o, -c * per], [s * tangent, o, c * tangent], [c, o, -s]])
    along_3 = _matrix([[c * per * tangent, o, -s * per * tangent], [-c * per**2, o, s * per**2], [o, o, o]])
    return np.stack([np.zeros_like(along_2), along_2, along_3], axis=-1)


def _second(a: Array) -> tuple[Array, Array]:
    """Cosine and sine of a_2."""
    return np.cos(a[..., 1]), np.sin(a[..., 1])


def _third(a: Array) -> tuple[Array, Array]:
    """Cosine and tangent of a_3."""
    return np.cos(a[..., 2]), np.tan(a[..., 2])


def _matrix(rows: list[list[Array]]) -> Array:
    return np.stack([np.stack(row, axis=-1) for row in rows], axis=-2)
