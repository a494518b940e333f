"""The rows of a chart: all numbers that the equations of motion and the outputs take from its tables.

    J    nz (nz + 1) / 2   reduced inertia, upper triangle row by row, from row 0 on
    S    3                 first moment of all masses [kg m]
    r    3 each            position of a marker in ground axes [m]
    s    one each          measures of the elements, and measures that are only read; those that are the same share one
    N    6 nz              momentum per unit rate of each coordinate, row by row: angular about the ground's origin
                           (3 rows), linear (3 rows)
    I    6                 inertia tensor of all bodies about the ground's origin: xx, yy, zz, xy, xz, yz
                           N and I only where the ground moves
    G    nz nz             slopes dc_i/dz_k of the model's coordinates, row by row, and
    c    nz                these coordinates; both only where there are several charts
    R    9 each            rotation R_GM of a marker, row by row
    A    3 nz each         its angular velocity w = A zd, row by row

with nz = nf + ns: the axes of the chart, then the stiff coordinates.  They are sorted by what needs them:

    MOTION    J, S, r of ports and wheels, s of elements, N, I, G: all that the equations of motion need
    ACROSS    S along axes along which gravity is zero at first, needed when it no longer is
    MOMENTS   A of the markers of ports and wheels and R of those of wheels, needed while a moment or a wheel load acts
    SHOWN     other positions and measures, the model's coordinates, borders: for outputs and hand-over, with slopes
    POSES     R, and A of the other markers: for outputs, values only
    REQUEST   what is read when it is asked for, and never else; nothing as yet

The rows of a need end at a multiple of eight; rows that no quantity has are zero.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from functools import cache

import numpy as np
from numpy.typing import NDArray

CHUNK = 8
"""Rows that are always treated together: one or two vectors of the processor."""

POSITION, ROTATION, TURNING = 3, 9, 3
"""Rows of r and R of a marker, and those of its A per coordinate."""


class Need(IntEnum):
    """What a row is needed for."""

    MOTION = 0
    ACROSS = 1
    MOMENTS = 2
    SHOWN = 3
    POSES = 4
    REQUEST = 5


@dataclass(frozen=True)
class MarkerRows:
    """First rows of a marker."""

    r: int
    R: int
    A: int


@dataclass(frozen=True)
class Rows:
    """Where each quantity lies in a chart; -1 where there is none."""

    ends: tuple[int, ...]  # per need, where its rows end; the first begins at 0
    S: tuple[int, int, int]
    s: int  # first row of the measures
    varying: int  # measures that depend on table axes or have a law that is not linear come first,
    fixed: int  # then those whose gradients hardly change: polynomials of deflections alone
    elements: tuple[int, ...]  # per element, the row of its measure
    N: int
    I: int  # noqa: E741
    G: int
    c: int
    markers: tuple[MarkerRows, ...]
    borders: tuple[int, ...]  # per border, the first row of the coordinates of the chart that takes over
    measures: tuple[int, ...] = ()  # per measure that is read, its row

    @property
    def count(self) -> int:
        """Of all rows."""
        return self.ends[-1]


def inertia_count(nz: int) -> int:
    """Rows of J."""
    return nz * (nz + 1) // 2


@cache
def inertia_rows(nz: int) -> NDArray[np.int64]:
    """(nz, nz) the row of each entry of J."""
    found = np.zeros((nz, nz), dtype=np.int64)
    found[np.triu_indices(nz)] = np.arange(inertia_count(nz))
    return np.maximum(found, found.T)
