"""Constraints between two bodies, and how they vary with poses and with dimensions.

After Zou, Abdel-Malek and Wang (1997), Design Propagation in Mechanical Systems: Kinematic Analysis.  Body i has the
pose r_i, A_i; its part of joint ij is at s'_ij with the orientation C_ij, both in body axes.

    a_i = A_i C_ij a''_i,   s_ij = A_i s'_ij,   d = r_j + s_ji - r_i - s_ij                 (1)
    da_i = -a_i~ (dpi_i + dxi_ij),   ds_ij = -s_ij~ dpi_i + A_i ds'_ij                      (2)

    dot-1      a_i.a_j = 0          dot-2      a_i.d = 0                                    (3)
    spherical  d = 0                distance   d.d - l^2 = 0                                (4)

Turns are small rotations about global axes: pi of a body, xi of its part of the joint.  About body axes they are
xi' = A^T xi, so their columns are those of xi times A; table 1 of the text heads the columns of xi by xi'.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from precompute.arrays import Array
from precompute.geometry.spatial import cross


@dataclass(frozen=True, eq=False)
class Side:
    """A body and its part of a joint."""

    r: Array  # (3,) [m] the body's origin
    A: Array  # (3, 3) body axes in global ones
    s: Array = field(default_factory=lambda: np.zeros(3))  # (3,) [m] s', in body axes
    C: Array = field(default_factory=lambda: np.eye(3))  # (3, 3) joint axes in body axes

    @property
    def arm(self) -> Array:
        """s of (1), from the body's origin to the joint, in global axes."""
        return self.A @ self.s

    def direction(self, a: Array) -> Array:
        """A vector (3,) given in joint axes, in global ones (1)."""
        return self.A @ self.C @ a


@dataclass(frozen=True, eq=False)
class Rows:
    """m constraints and their derivatives: what each pair is with respect to, of body i and of body j, (m, 3) each."""

    value: Array  # (m,)
    r: tuple[Array, Array]
    pi: tuple[Array, Array]
    s: tuple[Array, Array]
    xi: tuple[Array, Array]
    length: Array  # (m,)


def dot_1(i: Side, a_i: Array, j: Side, a_j: Array) -> Rows:
    """Two vectors, (3,) each in joint axes, are at right angles."""
    a, b = i.direction(a_i), j.direction(a_j)
    turns = cross(a, b)[None], cross(b, a)[None]
    return Rows(np.array([a @ b]), (_none(1), _none(1)), turns, (_none(1), _none(1)), turns, np.zeros(1))


def dot_2(i: Side, a_i: Array, j: Side) -> Rows:
    """The way from joint to joint is at right angles to a vector (3,) in joint axes of body i."""
    a, d = i.direction(a_i), _way(i, j)
    spread = _spread(a[None], i, j)
    turn = cross(a, d)[None]
    pi = spread.pi[0] + turn, spread.pi[1]
    return Rows(np.array([a @ d]), spread.r, pi, spread.s, (turn, _none(1)), np.zeros(1))


def spherical(i: Side, j: Side) -> Rows:
    """Both parts of the joint are at one place."""
    return _spread(np.eye(3), i, j)


def distance(i: Side, j: Side, length: float) -> Rows:
    """The parts of the joint are `length` apart."""
    d = _way(i, j)
    spread = _spread(2.0 * d[None], i, j)
    value = np.array([d @ d - length**2])
    return Rows(value, spread.r, spread.pi, spread.s, spread.xi, np.array([-2.0 * length]))


def _way(i: Side, j: Side) -> Array:
    """d of (1)."""
    return j.r + j.arm - i.r - i.arm


def _spread(u: Array, i: Side, j: Side) -> Rows:
    """u d for given vectors u (m, 3), which stay as they are."""
    no = _none(len(u))
    pi = cross(u, i.arm[None]), cross(j.arm[None], u)  # (2)
    return Rows(u @ _way(i, j), (-u, u), pi, (-u @ i.A, u @ j.A), (no, no), np.zeros(len(u)))


def _none(m: int) -> Array:
    return np.zeros((m, 3))
