"""A chart whose rows have no place yet: terms that say which columns make up which quantity.

The quantities of a chart are listed once, in the order of `Quantities`; a term adds a column times
some deflections to one of them.
`arrangement` gives them rows, and the columns cells.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fmu_src.model.reduced_model import Axis, Border, Certificate, IntArray
from fmu_src.model.rows import POSITION, ROTATION, TURNING, LoadPlaces, inertia_count, load_places
from precompute.tables.blocks import TableBlock


@dataclass(frozen=True, eq=False)
class LooseChart:
    """Tables over one set of independent coordinates, before they are arranged."""

    axes: tuple[Axis, ...]
    blocks: tuple[TableBlock, ...]
    terms: IntArray  # (nt, 2 + FACTORS) quantity, column, numbers of the stiff coordinates that multiply it, then -1
    borders: tuple[Border, ...]
    certificate: Certificate

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of all columns, block after block."""
        return tuple(name for block in self.blocks for name in block.columns)


@dataclass(frozen=True)
class Quantities:
    """Where each kind lies in the list of a chart's quantities; for what they are see `rows`."""

    nz: int
    load_places: LoadPlaces
    J: slice
    S: slice
    N: slice
    I: slice  # noqa: E741
    s: slice
    markers: slice  # of each r, R and A
    c: slice
    G: slice
    borders: slice
    read: slice  # measures that are read
    loads: slice  # of each what `load_places` has, with a row for each element

    @property
    def count(self) -> int:
        """Of all quantities."""
        return int(self.loads.stop)

    @property
    def marker_size(self) -> int:
        """Quantities of one marker."""
        return marker_size(self.nz)

    def marker(self, number: int) -> tuple[slice, slice, slice]:
        """r, R and A of a marker."""
        r = int(self.markers.start) + number * self.marker_size
        R, A, end = r + POSITION, r + POSITION + ROTATION, r + self.marker_size
        return slice(r, R), slice(R, A), slice(A, end)

    def load(self, number: int) -> slice:
        """Those of a load."""
        first = int(self.loads.start) + number * self.load_places.count
        return slice(first, first + self.load_places.count)

    def border(self, number: int) -> slice:
        """Coordinates of the chart behind a border."""
        first = self.borders.start + number * self.nz
        return slice(first, first + self.nz)


def marker_size(nz: int) -> int:
    """Quantities of a marker: r, R and A."""
    return POSITION + ROTATION + TURNING * nz


def quantities_of(
    nz: int,
    elements: int,
    markers: int,
    read: int,
    charts: int,
    borders: int,
    moving: bool,
    loads: int = 0,
    loaded: int = 0,
) -> Quantities:
    """Those of a chart with nz coordinates and so many borders, of a model with so many elements and so on."""
    several = charts > 1
    places = load_places(nz, elements, loaded, moving)
    sizes = (
        inertia_count(nz),
        3,
        moving * 6 * nz,
        moving * 6,
        elements,
        markers * marker_size(nz),
        several * nz,
        several * nz * nz,
        borders * nz,
        read,
        loads * places.count,
    )
    ends = np.cumsum(sizes).tolist()
    return Quantities(nz, places, *(slice(end - size, end) for end, size in zip(ends, sizes, strict=True)))
