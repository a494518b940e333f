"""A wheel in space, with its centre O, a point A beside it and the unit vector u of its spin axis.

It touches a plane with the normal n at P = O - R d, d the direction from P to O in the plane of the wheel:

    Od - w x (O - P) = 0                        (3.61), (3.62)       sliding: its part along n alone
    w = 1/2 sum_i e^i x de_i/dt                                                                       (1)
    d = h / |h|,   h = n - (n . u) u,   Pd = Od - R dd/dt                                             (2)

with e_i = A - O, u, (A - O) x u and e^i their reciprocals.  (1) is regular wherever the three are independent; (3.70)
is not, and (3.71) as printed has two wrong signs.  (2) is the spin rate times R along the contact line; (3.78) as
printed is not, where a wheel leans and turns.

Reference: Garcia de Jalon and Bayo, Kinematic and Dynamic Simulation of Multibody Systems, 3.6.3.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from precompute.arrays import Array
from precompute.natural.wheels.rows import Columns


@dataclass(frozen=True, eq=False)
class SpatialWheel:
    """A wheel on a plane.

    Attributes:
        O: columns of its centre.
        A: columns of a point off its axis.
        u: columns of the unit vector along its axis.
        radius: R.
        normal: (3,) n, unit; the wheel is on its side of the plane.
        rolling: False: it slides.
    """

    O: Columns  # noqa: E741
    A: Columns
    u: Columns
    radius: float
    normal: Array
    rolling: bool = True

    def arm(self, x: Array) -> Array:
        """(n, 3) O - P."""
        u = x[:, self.u]
        h = self.normal - (u @ self.normal)[:, None] * u
        return np.asarray(self.radius * h / np.linalg.norm(h, axis=1, keepdims=True))

    def arm_rate(self, x: Array, xd: Array) -> Array:
        """(n, 3) its rate."""
        u, ud, d = x[:, self.u], xd[:, self.u], self.arm(x) / self.radius
        h = self.normal - (u @ self.normal)[:, None] * u
        hd = -(ud @ self.normal)[:, None] * u - (u @ self.normal)[:, None] * ud
        across = hd - (hd * d).sum(axis=1)[:, None] * d
        return np.asarray(self.radius * across / np.linalg.norm(h, axis=1, keepdims=True))

    def pole_velocity(self, x: Array, xd: Array) -> Array:
        """(n, 3) Pd of (2)."""
        return np.asarray(xd[:, self.O] - self.arm_rate(x, xd))

    def basis(self, x: Array) -> Array:
        """(n, 3, 3) the vectors e_i as columns."""
        a, u = x[:, self.A] - x[:, self.O], x[:, self.u]
        return np.stack([a, u, np.cross(a, u)], axis=2)

    def basis_rate(self, x: Array, xd: Array) -> Array:
        """(n, 3, 3) their rates."""
        a, u, ad, ud = x[:, self.A] - x[:, self.O], x[:, self.u], xd[:, self.A] - xd[:, self.O], xd[:, self.u]
        return np.stack([ad, ud, np.cross(ad, u) + np.cross(a, ud)], axis=2)

    def angular_velocity(self, x: Array, xd: Array) -> Array:
        """(n, 3) w of (1)."""
        return half_moments(reciprocal(self.basis(x)), self.basis_rate(x, xd))

    def matrix(self, x: Array) -> Array:
        """(3.62); every column is the row's value at a unit rate."""
        n, nx = x.shape
        arm, rows = self.arm(x), np.zeros((n, 3, nx))
        for column in {*self.O, *self.A, *self.u}:
            unit = np.zeros_like(x)
            unit[:, column] = 1.0
            rows[:, :, column] = unit[:, self.O] - np.cross(self.angular_velocity(x, unit), arm)
        return self._kept(rows)

    def drift(self, x: Array, xd: Array) -> Array:
        """-(dw/dt at xdd = 0) x (O - P) - w x d(O - P)/dt."""
        E, Ed = reciprocal(self.basis(x)), self.basis_rate(x, xd)
        turning = half_moments(-E @ np.swapaxes(Ed, 1, 2) @ E, Ed)
        bent = np.zeros_like(Ed)
        bent[:, :, 2] = 2.0 * np.cross(xd[:, self.A] - xd[:, self.O], xd[:, self.u])
        turning += half_moments(E, bent)
        w = self.angular_velocity(x, xd)
        found = -np.cross(turning, self.arm(x)) - np.cross(w, self.arm_rate(x, xd))
        return self._kept(found[:, :, None])[:, :, 0]

    def _kept(self, rows: Array) -> Array:
        return rows if self.rolling else np.einsum("i,nik->nk", self.normal, rows)[:, None]


def reciprocal(E: Array) -> Array:
    """(n, 3, 3) the vectors e^i as columns, e^i . e_j = 1 for i = j, else 0."""
    return np.swapaxes(np.linalg.inv(E), 1, 2)


def half_moments(a: Array, b: Array) -> Array:
    """(n, 3) half the sum of a_i x b_i over columns (n, 3, 3)."""
    return np.asarray(0.5 * np.cross(a, b, axis=1).sum(axis=2))
