"""The rows of a chart: all numbers that the equations of motion and the outputs take from its tables.

    J    nz (nz + 1) / 2   reduced inertia, upper triangle row by row, from row 0 on
    S    3                 first moment of all masses [kg m]
    r    3 each            position of a marker in ground axes [m]
    s    one each          measures of the elements, and measures that are only read; those that are the same share one
    N    6 nz              momentum per unit rate of each coordinate, row by row: angular about the ground's origin
                           (3 rows), linear (3 rows)
    I    6                 inertia tensor of all bodies about the ground's origin: xx, yy, zz, xy, xz, yz
                           N and I only where the ground moves, or a disc carries it along the floor
    G    nz nz             slopes dc_i/dz_k of the model's coordinates, row by row, and
    c    nz                these coordinates; both only where there are several charts
    R    9 each            rotation R_GM of a marker, row by row
    A    3 nz each         its angular velocity w = A zd, row by row
    L    see LoadPlaces    what a load, or an acceleration of a marker, is a sum of

with nz = nf + ns: the axes of the chart, then the stiff coordinates.  They are sorted by what needs them:

    MOTION    J, S, r of ports and wheels, s of elements, N, I of a ground that moves, G: all that the equations of
              motion need
    ACROSS    S along axes along which gravity is zero at first, needed when it no longer is
    MOMENTS   A of the markers of ports and wheels and R of those of wheels, needed while a moment or a wheel load acts
    SHOWN     other positions and measures, the model's coordinates, borders, N and I of a disc on the floor: for
              outputs and hand-over, with slopes
    POSES     R, and A of the other markers: for outputs, values only
    REQUEST   L: what is read when it is asked for, and never else; values only

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
    loads: tuple[int, ...] = ()  # per load, and then per component of the accelerations of markers, its first row

    @property
    def count(self) -> int:
        """Of all rows."""
        return self.ends[-1]


@dataclass(frozen=True)
class LoadPlaces:
    """The rows of a load, from its first one on; each is multiplied by a number that is the same for all loads.

    J    nz                 inertia between the direction that is opened and each coordinate
    C    nz (nz + 1) / 2    force per product of rates, upper triangle row by row
    S    3                  slope of the first moment along that direction
    s    one each           the same of the measures of elements
    r    6 each             of the position (3) and the rotation (3) of a marker where forces act
    h    3                  of the angular momentum about the ground's origin, along the rate of the direction
    D    3 nz               moment per product of the ground's turning and each rate, row by row
    I    6                  slope of the inertia tensor; h, D and I only where the ground moves

    An acceleration has J and C alone.
    """

    J: slice
    C: slice
    S: slice
    s: slice
    r: slice
    h: slice
    D: slice
    I: slice  # noqa: E741

    @property
    def count(self) -> int:
        """Of all rows."""
        return int(self.I.stop)


@cache
def load_places(nz: int, measures: int, markers: int, moving: bool) -> LoadPlaces:
    """Of a chart with nz coordinates, of a model with so many measures and markers where forces act."""
    sizes = nz, inertia_count(nz), 3, measures, 6 * markers, 3 * moving, 3 * nz * moving, 6 * moving
    ends = np.cumsum(sizes).tolist()
    return LoadPlaces(*(slice(end - size, end) for end, size in zip(ends, sizes, strict=True)))


def inertia_count(nz: int) -> int:
    """Rows of J."""
    return nz * (nz + 1) // 2


@cache
def inertia_rows(nz: int) -> NDArray[np.int64]:
    """(nz, nz) the row of each entry of J."""
    found = np.zeros((nz, nz), dtype=np.int64)
    found[np.triu_indices(nz)] = np.arange(inertia_count(nz))
    return np.maximum(found, found.T)
