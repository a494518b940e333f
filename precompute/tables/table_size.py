"""How large the tables are, and how large they would be if every column were stored over all coordinates.

Without decoupling there is one grid: along each coordinate as fine as the finest block over it, all columns on it.
Columns that are only summed, as the inertias of the groups of bodies, would then be one.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

import numpy as np

from fmu_src.model.reduced_model import Chart, ReducedModel
from fmu_src.model.rows import CHUNK
from precompute.tables.columns import Columns

NUMBER = 8
"""Bytes of one number in a table."""

EXPECTED_NODES = 33
"""Per axis, where the tables are not made yet: a suspension at tolerance 1e-6."""


@dataclass(frozen=True)
class TableSize:
    """Sizes in bytes."""

    stored: int
    coupled: int  # without decoupling

    @property
    def ratio(self) -> float:
        """How many times larger it would be without decoupling."""
        return self.coupled / self.stored if self.stored else 1.0

    def text(self) -> str:
        """In plain words."""
        if self.ratio <= 1.0:
            return f"tables {shown(self.stored)}"
        return f"tables {shown(self.stored)}; without decoupling {shown(self.coupled)} ({self.ratio:.3g} x)"


def shown(size: int) -> str:
    """Bytes as KiB or MiB."""
    return f"{size / 2**10:.3g} KiB" if size < 2**20 else f"{size / 2**20:.3g} MiB"


def table_size(model: ReducedModel) -> TableSize:
    """Of a model whose tables are made."""
    sizes = [chart_size(chart) for chart in model.charts]
    return TableSize(sum(s.stored for s in sizes), sum(s.coupled for s in sizes))


def chart_size(chart: Chart) -> TableSize:
    """Of one chart: columns that are constant are not stored either way; zeros that fill up chunks do not count."""
    finest = [1] * len(chart.axes)
    for block in chart.blocks:
        for k, n in zip(block.axes, block.coefficients.shape, strict=False):
            finest[k] = max(finest[k], n)
    numbers, summed = 0, set()
    for block in chart.blocks:
        if block.axes:
            used = np.flatnonzero(block.coefficients.any(axis=tuple(range(len(block.axes)))))
            numbers += prod(block.coefficients.shape[:-1]) * used.size
            own = block.cells[used // CHUNK]
            own[:, 0] += used % CHUNK
            summed |= set(map(tuple, own.tolist()))
    return TableSize(NUMBER * numbers, NUMBER * len(summed) * prod(finest))


def planned_size(columns: Columns, nodes: int = EXPECTED_NODES) -> TableSize:
    """Of tables with so many nodes per axis, as if no column were constant."""
    fields = columns.fields
    nz = fields.nf + fields.ns
    axes = [columns.blocks[b][0] for b in columns.block_of]
    depends = [bool(a) for a in axes]
    upper = [fields.inertia[i][j] for i in range(nz) for j in range(i, nz)]
    sums = [*upper, *fields.moment, *(part for row in fields.momentum for part in row), *fields.tensor]
    at_rest = columns.at_rest()
    merges = [tuple(int(at_rest[f]) for f in part) for part in sums]
    numbers = sum(nodes ** len(a) for a in axes if a)
    return TableSize(NUMBER * numbers, NUMBER * merged(depends, merges) * nodes**fields.nf)


def requested_size(columns: Columns, nodes: int = EXPECTED_NODES) -> int:
    """The part of it that is read on request [bytes]."""
    fields = columns.fields.items
    axes = (columns.blocks[b][0] for b, f in zip(columns.block_of, columns.field_of, strict=True) if fields[f].request)
    return NUMBER * sum(nodes ** len(a) for a in axes if a)


def merged(stored: list[bool], sums: list[tuple[int, ...]]) -> int:
    """Number of stored columns if each sum of columns were one column."""
    spare = sum(max(sum(stored[c] for c in columns) - 1, 0) for columns in sums)
    return sum(stored) - spare
