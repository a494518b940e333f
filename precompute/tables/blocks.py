"""Blocks of tables as they are fitted and certified, before the run-time's order is known.

Column c of a block at z is

    value[c] = constant[c] + slope[c] @ (z - z_ref) + spline[stored[c]](z)      (no spline where stored[c] < 0)

with z the block's own coordinates.  The slope carries what grows by a fixed amount per turn of a periodic axis (a joint
angle); it is zero elsewhere.  Columns are numbered through all blocks of a chart, in order.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from fmu_src.model.factors import Array, expanded
from fmu_src.model.reduced_model import IntArray


@dataclass(frozen=True, eq=False)
class TableChanges:
    """What columns of a block are more with other values of design parameters, see `fmu_src.model.designs`."""

    columns: IntArray  # (n, 2) column of the block, product of design parameters
    core: Array  # (r_1, ..., r_nb, n)
    bases: tuple[Array, ...]  # per axis (n_k, r_k), or none: then the core is the coefficients
    constants: IntArray  # (nk, 2) the same of columns that are constants, and
    numbers: Array  # (nk,) by how much


@dataclass(frozen=True, eq=False)
class TableBlock:
    """Columns that depend on the same coordinates.  nb of them are its axes."""

    axes: tuple[int, ...]  # which axes of the chart, ascending; none for constants
    knots: tuple[Array, ...]  # per axis (n + degree + 1,) of the B-spline with n coefficients along it
    columns: tuple[str, ...]  # nc names
    z_ref: Array  # (nb,)
    constant: Array  # (nc,)
    slope: Array  # (nc, nb)
    stored: IntArray  # (nc,) index into the last axis of `coefficients`, or -1
    core: Array  # (r_1, ..., r_nb, ns)
    bases: tuple[Array, ...] = ()  # per axis (n_k, r_k), or none: then the core is the coefficients
    nodes: tuple[Array, ...] = ()  # per axis, through which the splines go
    changes: TableChanges | None = None

    @cached_property
    def coefficients(self) -> Array:
        """(n_1, ..., n_nb, ns) of its splines."""
        return expanded(self.core, self.bases)

    def only(self, index: IntArray) -> TableBlock:
        """Some of the columns."""
        stored = self.stored[index]
        kept = stored[stored >= 0]
        return replace(
            self,
            columns=tuple(self.columns[c] for c in index),
            constant=self.constant[index],
            slope=self.slope[index],
            stored=np.where(stored >= 0, np.cumsum(stored >= 0) - 1, -1),
            core=self.core[..., kept] if kept.size else self.core[..., :0],
        )

    @property
    def degree(self) -> int:
        """Of its splines, the same along all axes; 0 without axes."""
        return self.knots[0].size - len(self.bases[0] if self.bases else self.core) - 1 if self.axes else 0
