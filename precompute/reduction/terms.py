"""Which columns make up which quantity: the bridge from the fields to what the run-time needs."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fmu_src.model.reduced_model import FACTORS, IntArray
from precompute.model.mechanism import Measure, Mechanism
from precompute.reduction.loose import Quantities
from precompute.tables.blocks import TableBlock
from precompute.tables.columns import Columns
from precompute.tables.fields import request_rows


def chart_terms(
    mechanism: Mechanism,
    columns: Columns,
    quantities: Quantities,
    own: tuple[Measure, ...],
    borders: tuple[tuple[Measure, ...], ...],
) -> IntArray:
    """The terms of a chart.

    Args:
        mechanism: whose springs, dampers, bushings, markers and read measures these are, in the order of the model.
        columns: of the chart.
        quantities: of the chart.
        own: the model's coordinates, where there are several charts.
        borders: per border, the coordinates of the chart that takes over.

    Returns:
        (nt, 2 + FACTORS) quantity, column, and the stiff coordinates that multiply it, then -1.
    """
    fields, q = columns.fields, quantities
    nz = q.nz
    parts: list[tuple[int, tuple[int, ...]]] = []

    def put(place: slice, sums: list[tuple[int, ...]]) -> None:
        parts.extend((place.start + k, part) for k, part in enumerate(sums))

    put(q.J, [fields.inertia[i][j] for i in range(nz) for j in range(i, nz)])
    put(q.S, list(fields.moment))
    put(q.N, [part for row in fields.momentum for part in row])
    put(q.I, list(fields.tensor))
    put(q.s, [(fields.find(on),) for on in mechanism.acting])
    put(q.markers, [(field,) for marker in fields.markers for part in marker for field in part])
    put(q.c, [(fields.find(on),) for on in own])
    put(q.G, [(field,) for on in own for field in fields.find_slopes(on)])
    put(q.borders, [(fields.find(on),) for border in borders for on in border])
    put(q.read, [(fields.find(read.of),) for read in mechanism.read])
    put(q.loads, [part for load in request_rows(fields, mechanism, q.load_places) for part in load])
    columns_of: dict[int, list[int]] = {}
    for column, field in enumerate(columns.field_of):
        columns_of.setdefault(field, []).append(column)
    none = (-1,) * FACTORS
    terms = [
        (quantity, column, *(*columns.factors[column], *none)[:FACTORS])
        for quantity, part in parts
        for field in part
        for column in columns_of[field]
    ]
    return np.array(terms, dtype=np.int64).reshape(-1, 2 + FACTORS)


def without_zeros(blocks: tuple[TableBlock, ...], terms: IntArray) -> IntArray:
    """The terms whose columns are not zero throughout, whatever the design parameters are."""
    zero = np.concatenate(
        [(b.stored < 0) & (b.constant == 0.0) & ~b.slope.any(axis=1) & ~constants_change(b) for b in blocks]
    )
    return terms[~zero[terms[:, 1]]]


def constants_change(block: TableBlock) -> NDArray[np.bool_]:
    """(nc,) which columns are constants that design parameters change."""
    found = np.zeros(len(block.columns), dtype=bool)
    if block.changes is not None:
        found[block.changes.constants[:, 0]] = True
    return found
