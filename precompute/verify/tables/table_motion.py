"""What the tables of a model say at given configurations and of given motions, read as the FMU reads them.

The run-time has values and slopes of all rows; accelerations follow from the rates a moment before and after,

    z(t) = z + zd t + 1/2 zdd t^2,   second = (rate(h) - rate(-h)) / 2h                                            (1)
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fmu_src.model.reduced_model import IntArray
from fmu_src.numpy_runtime.dynamics import Runtime, mechanics_of, quadratic_force
from fmu_src.numpy_runtime.reading import read
from precompute.arrays import Array

MOMENT = 2e-5
"""h of (1) [s], for rates of about a table per second: rounding and curvature both leave seven digits or more.  Next to
the ends of a table it is shorter."""


@dataclass(frozen=True, eq=False)
class TableRows:
    """All rows of a chart at n configurations."""

    value: Array  # (n, nr)
    slopes: Array  # (n, nz, nr)
    zd: Array  # (n, nz) rates there

    def rate(self, rows: IntArray) -> Array:
        """(n, m) of some rows."""
        return np.einsum("nk,nkm->nm", self.zd, self.slopes[:, :, rows])

    def turning(self, first: int) -> Array:
        """(n, 3) angular velocity of the angular Jacobian that begins with a row."""
        nz = self.zd.shape[1]
        return np.einsum("nck,nk->nc", self.value[:, first : first + 3 * nz].reshape(-1, 3, nz), self.zd)


@dataclass(frozen=True, eq=False)
class TableMotion:
    """A motion at n configurations of a chart."""

    runtime: Runtime
    z: Array  # (n, nz)
    zdd: Array  # (n, nz)
    h: Array  # (n, 1) of (1) [s]
    now: TableRows
    before: TableRows
    after: TableRows

    def value(self, rows: IntArray) -> Array:
        """(n, m) of some rows."""
        return self.now.value[:, rows]

    def slopes(self, rows: IntArray) -> Array:
        """(n, m, nz) of some rows."""
        return np.moveaxis(self.now.slopes[:, :, rows], 1, 2)

    def second(self, rows: IntArray) -> Array:
        """(n, m) second derivatives of some rows over time, by (1)."""
        return (self.after.rate(rows) - self.before.rate(rows)) / (2.0 * self.h)

    def angular_acceleration(self, first: int) -> Array:
        """(n, 3) of the angular Jacobian that begins with a row, by (1)."""
        return (self.after.turning(first) - self.before.turning(first)) / (2.0 * self.h)

    def inertia_force(self) -> Array:
        """(n, nz) J zdd + c, as the equations of motion have it."""
        now, found = self.now, np.zeros_like(self.z)
        for i, (z, zdd) in enumerate(zip(self.z, self.zdd, strict=True)):
            at = mechanics_of(self.runtime, z, now.value[i], now.slopes[i])
            found[i] = at.J @ zdd + quadratic_force(at, now.zd[i])
        return found


def table_motion(runtime: Runtime, z: Array, zd: Array, zdd: Array) -> TableMotion:
    """Read the tables at z (n, nz), and a moment before and after, of a motion with rates and accelerations (n, nz)."""
    h = moments(runtime, z, zd)
    at = [table_rows(runtime, z + t * zd + 0.5 * t * t * zdd, zd + t * zdd) for t in (0.0 * h, -h, h)]
    return TableMotion(runtime, z, zdd, h, *at)


def moments(runtime: Runtime, z: Array, zd: Array) -> Array:
    """(n, 1) h of (1) [s], so that the tables are not left."""
    axes, nf = runtime.chart.axes, runtime.nf
    lower, upper = np.array([(-np.inf, np.inf) if a.periodic else (a.lower, a.upper) for a in axes]).T
    room = np.minimum(z[:, :nf] - lower, upper - z[:, :nf]) / np.maximum(np.abs(zd[:, :nf]), np.finfo(float).tiny)
    found: Array = np.minimum(MOMENT, 0.5 * room.min(axis=1, keepdims=True))
    return found


def table_rows(runtime: Runtime, z: Array, zd: Array) -> TableRows:
    """All rows at z (n, nz), one configuration after the other."""
    rows = [read(runtime.everything, one) for one in z]
    return TableRows(np.array([value for value, _ in rows]), np.array([slopes for _, slopes in rows]), zd)
