"""Which columns make up which rows: the bridge from the names of the columns to the order that the run-time needs."""

from __future__ import annotations

import numpy as np

from fmu_src.reduced_model import IntArray
from fmu_src.rows import Rows
from precompute.columns import Columns, find_measure, find_slopes
from precompute.mechanism import Measure, Mechanism


def chart_terms(
    mechanism: Mechanism,
    columns: Columns,
    rows: Rows,
    own: tuple[Measure, ...],
    borders: tuple[tuple[Measure, ...], ...],
) -> IntArray:
    """The terms of a chart.

    Args:
        mechanism: whose springs, dampers and markers these are, in the order of the model.
        columns: of the chart.
        rows: of the chart.
        own: the model's coordinates, where there are several charts.
        borders: per border, the coordinates of the chart that takes over.

    Returns:
        (nt, 4) row, column, and the stiff coordinates that multiply it.
    """
    terms: list[tuple[int, int]] = []

    def put(first: int, parts: list[tuple[int, ...]]) -> None:
        terms.extend((first + k, column) for k, part in enumerate(parts) for column in part)

    nz = rows.nz
    put(rows.inertia.start, [columns.inertia[i][j] for i in range(nz) for j in range(i, nz)])
    put(rows.moment.start, list(columns.moment))
    put(rows.measures.start, [(find_measure(columns, e.on),) for e in mechanism.elements])
    put(rows.markers.start, [(column,) for index in columns.markers for column in index])
    put(rows.coordinates.start, [(find_measure(columns, on),) for on in own])
    put(rows.slopes.start, [(column,) for on in own for column in find_slopes(columns, on)])
    put(rows.borders.start, [(find_measure(columns, on),) for border in borders for on in border])
    plain = np.array(terms, dtype=np.int64).reshape(-1, 2)
    return np.concatenate([plain, np.full_like(plain, -1)], axis=1)
