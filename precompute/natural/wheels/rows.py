"""Rows between velocities alone, (1) of the package, among the rows of a system."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from precompute.arrays import Array
from precompute.natural.tangent import DrivenSystem, Factor, factored

Columns = tuple[int, ...]


class VelocityRows(Protocol):
    """Rows (1)."""

    def matrix(self, x: Array) -> Array:
        """(n, m, nx) A at x (n, nx)."""
        ...

    def drift(self, x: Array, xd: Array) -> Array:
        """(n, m) dA/dt xd."""
        ...


@dataclass(frozen=True, eq=False)
class RollingTangent:
    """Velocity and acceleration of a system with rows (1) besides, at solved places.

    Attributes:
        driven: the system, with the columns whose motion is given: fewer than its positions need.
        rows: those of (1).
        x: (n, nx).
        matrix: (n, m, nx) of all rows.
        factor: of its columns that are not given.
    """

    driven: DrivenSystem
    rows: tuple[VelocityRows, ...]
    x: Array
    matrix: Array
    factor: Factor

    def velocity(self, first: Array) -> Array:
        """(n, nx) from the rates (n, ng) of what is given."""
        return self._solved(first, np.zeros(self.matrix.shape[:2]))

    def acceleration(self, velocity: Array, second: Array) -> Array:
        """(n, nx) from the velocity (n, nx) and the accelerations (n, ng) of what is given."""
        drift = [self.driven.system.second(velocity, velocity), *(r.drift(self.x, velocity) for r in self.rows)]
        return self._solved(second, -np.concatenate(drift, axis=1))

    def _solved(self, given: Array, right: Array) -> Array:
        whole, columns = np.zeros_like(self.x), list(self.driven.given)
        whole[:, columns] = given
        known = np.einsum("nmg,ng->nm", self.matrix[:, :, columns], given)
        whole[:, self.driven.unknown] = self.factor.vector(right - known)
        return whole


def rolling_tangent(driven: DrivenSystem, rows: tuple[VelocityRows, ...], x: Array) -> RollingTangent:
    """The tangent at solved coordinates x (n, nx)."""
    matrix = np.concatenate([driven.system.jacobian(x), *(row.matrix(x) for row in rows)], axis=1)
    return RollingTangent(driven, rows, x, matrix, factored(matrix[:, :, driven.unknown]))
