"""The rows of a chart: all numbers that the equations of motion and the outputs take from its tables, in order.

    J         nz (nz + 1) / 2   reduced inertia, upper triangle row by row
    S         3                 first moment of all masses [kg m]
    N         6 nz              momentum per unit rate of each coordinate, row by row: angular about the ground's origin
                                (3 rows), linear (3 rows)
    I         6                 inertia tensor of all bodies about the ground's origin: xx, yy, zz, xy, xz, yz
                                N and I only where the ground moves
    s         ne                measures of the elements
    markers   12 + 3 nz each    r (3) in ground axes [m], R_GM (9) row by row, A (3 nz) row by row with w = A zd
    c         nz                the model's coordinates, and
    G         nz nz             their slopes dc_i/dz_k row by row; both only where there are several charts
    borders   nz each           coordinates of the chart that takes over

with nz = nf + ns: the axes of the chart, then the stiff coordinates.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from .reduced_model import Chart, IntArray, ReducedModel


@dataclass(frozen=True)
class Rows:
    """Where each kind of row lies."""

    nz: int
    inertia: slice
    moment: slice
    momentum: slice
    tensor: slice
    measures: slice
    markers: slice
    coordinates: slice
    slopes: slice
    borders: slice

    @property
    def count(self) -> int:
        """Of all rows."""
        return self.borders.stop

    @property
    def marker_size(self) -> int:
        """Rows of one marker."""
        return 12 + 3 * self.nz

    def marker(self, number: int) -> int:
        """First row of a marker."""
        return int(self.markers.start) + number * self.marker_size

    def border(self, number: int) -> slice:
        """Rows of a border."""
        first = self.borders.start + number * self.nz
        return slice(first, first + self.nz)

    @cached_property
    def symmetric(self) -> IntArray:
        """(nz, nz) the row of each entry of J."""
        found = np.zeros((self.nz, self.nz), dtype=np.int64)
        upper = np.triu_indices(self.nz)
        found[upper] = np.arange(self.inertia.start, self.inertia.stop)
        return np.maximum(found, found.T)


def rows_of(nz: int, elements: int, markers: int, charts: int, borders: int, moving: bool) -> Rows:
    """The rows of a chart with nz coordinates and so many borders, of a model with so many elements and so on."""
    several = charts > 1
    sizes = (
        nz * (nz + 1) // 2,
        3,
        moving * 6 * nz,
        moving * 6,
        elements,
        markers * (12 + 3 * nz),
        several * nz,
        several * nz * nz,
        borders * nz,
    )
    ends = np.cumsum(sizes).tolist()
    return Rows(nz, *(slice(end - size, end) for end, size in zip(ends, sizes, strict=True)))


def chart_rows(model: ReducedModel, chart: Chart) -> Rows:
    """The rows of a chart of a model."""
    nz, counts = len(chart.axes) + len(model.stiff), (len(model.elements), len(model.markers), len(model.charts))
    return rows_of(nz, *counts, len(chart.borders), model.moving)
