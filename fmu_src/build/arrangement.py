"""The tables of a chart as the kernel reads them: rows in an order of its own, columns of a block in chunks of eight.

The kernel keeps all rows with their slopes in one array of slots, (1 + nz, nr): values, then slopes over each
coordinate.  Its rows are sorted by what needs them:

    MOTION    J, S, positions of ports, measures (equal ones once), N, I, G: all that the equations of motion need
    ACROSS    S along axes along which gravity is zero at first, needed when it no longer is
    MOMENTS   A of the markers of ports, needed while a moment acts
    SHOWN     other positions, the model's coordinates, borders: for outputs and hand-over, with slopes
    POSES     R, and A of the other markers: for outputs, values only

A term adds column * d_i * d_j to a row.  The rows are taken in chunks of eight, and so are the columns of a block: a
cell is eight columns, one for each row of a chunk, with the same i and j; columns of zeros fill it up.  The cells of a
chunk follow one another, so the kernel goes through a block's columns from front to back, without an index, and keeps
the sums of a chunk at hand.  What is constant forms a block without axes.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import IntEnum
from typing import NamedTuple

import numpy as np

from ..model.reduced_model import Array, Block, Chart, IntArray, ReducedModel
from ..model.rows import chart_rows
from ..model.steadiness import Steadiness, measures

CHUNK = 8
"""Rows that are always treated together: one or two vectors of the processor."""


class Need(IntEnum):
    """What a row is needed for."""

    MOTION = 0
    ACROSS = 1
    MOMENTS = 2
    SHOWN = 3
    POSES = 4


class Slope(NamedTuple):
    """A column that grows by a fixed slope: slope * (z[axis] - reference), times the monomial i, j, in a row."""

    row: int
    i: int
    j: int
    axis: int
    slope: float
    reference: float


class Chunk(NamedTuple):
    """Eight rows from `row` on, and the cells of a block that are added to them, in the order of its columns.

    Cells without a deflection come first, then those with one, then those with two.
    """

    need: int
    row: int
    factors: tuple[tuple[int, int], ...]  # i and j of each cell, -1 for none


@dataclass(frozen=True, eq=False)
class KernelRows:
    """Where the kernel has the rows of a chart."""

    place: IntArray  # (nr,) the kernel's row of each row
    ends: tuple[int, ...]  # per need, where its rows end; the first begins at 0
    measure_of: IntArray  # (ne,) which measure each element has; equal ones are one
    loads: int  # first row that gravity, ports and elements act on: S, ports, measures
    measures: int  # first row of the measures
    measure_count: int
    steady: tuple[int, ...]  # how many of the measures are bent, and how many, the last ones, steady


@dataclass(frozen=True, eq=False)
class Arrangement:
    """A chart for the kernel."""

    rows: KernelRows
    slopes: tuple[Slope, ...]
    constants: Array  # columns of the block without axes
    columns: tuple[IntArray, ...]  # per block: which stored column each of the kernel's is, -1 for zeros; unused last
    chunks: tuple[tuple[Chunk, ...], ...]  # of the block without axes, then per block


class Term(NamedTuple):
    """A term of a row: number `column` of a block's stored ones; -1 for zeros between others."""

    need: int
    i: int
    j: int
    row: int
    column: int
    number: float  # of the block without axes


def arranged(model: ReducedModel) -> ReducedModel:
    """The same model with the columns of its blocks in the kernel's order, so that a model file has them once."""
    return replace(model, charts=tuple(_arranged_chart(model, chart) for chart in model.charts))


def _arranged_chart(model: ReducedModel, chart: Chart) -> Chart:
    arrangement = arrange(model, chart)
    blocks = []
    for block, columns in zip(chart.blocks, arrangement.columns, strict=True):
        if not columns.size:
            blocks.append(block)
            continue
        stored = np.array([int(np.flatnonzero(columns == s)[0]) if s >= 0 else -1 for s in block.stored])
        blocks.append(replace(block, stored=stored, coefficients=kernel_coefficients(block, columns)))
    return replace(chart, blocks=tuple(blocks))


def kernel_coefficients(block: Block, columns: IntArray) -> Array:
    """Coefficients (n_1, ..., n_nb, nk) of the columns of an arrangement."""
    padded = np.concatenate((block.coefficients, np.zeros((*block.coefficients.shape[:-1], 1))), axis=-1)
    return np.ascontiguousarray(padded[..., columns])


def arrange(model: ReducedModel, chart: Chart) -> Arrangement:
    """Lay out the rows and columns of a chart for the kernel."""
    rows = kernel_rows(model, chart)
    constant: list[Term] = []
    splined: list[list[Term]] = [[] for _ in chart.blocks]
    slopes: list[Slope] = []
    ends = np.cumsum([0, *(len(block.columns) for block in chart.blocks)])
    seen: set[tuple[int, int, int, int]] = set()
    for row, column, i, j in chart.terms.tolist():
        at = int(rows.place[row])
        if (at, column, i, j) in seen:  # of an equal measure
            continue
        seen.add((at, column, i, j))
        number = int(np.searchsorted(ends, column, side="right")) - 1
        block, c = chart.blocks[number], column - int(ends[number])
        need = next(k for k, end in enumerate(rows.ends) if at < end)
        stored = int(block.stored[c])
        if stored >= 0:
            splined[number].append(Term(need, i, j, at, stored, 0.0))
        if block.constant[c]:
            constant.append(Term(need, i, j, at, -1, float(block.constant[c])))
        for axis, slope, reference in zip(block.axes, block.slope[c], block.z_ref, strict=True):
            if slope:
                slopes.append(Slope(at, i, j, axis, float(slope), float(reference)))
    found = _lay_out(rows, tuple(slopes), constant, splined)
    unused = [np.setdiff1d(block.stored, (-1, *own)) for block, own in zip(chart.blocks, found.columns, strict=True)]
    columns = tuple(_whole_chunks(np.concatenate(pair)) for pair in zip(found.columns, unused, strict=True))
    return replace(found, columns=columns)


def _whole_chunks(columns: IntArray) -> IntArray:
    """Columns, filled up with zeros so that those of the next node begin at a chunk again."""
    return np.concatenate((columns, np.full(-columns.size % CHUNK, -1)))


def _lay_out(
    rows: KernelRows,
    slopes: tuple[Slope, ...],
    constant: list[Term],
    splined: list[list[Term]],
) -> Arrangement:
    numbers = _merge_constants(constant)
    filled = _fill(numbers)
    chunks = [_chunks(filled)]
    columns = []
    for terms in splined:
        own = _fill(terms)
        columns.append(np.array([term.column for term in own], dtype=np.int64))
        chunks.append(_chunks(own))
    return Arrangement(rows, slopes, np.array([term.number for term in filled]), tuple(columns), tuple(chunks))


def _merge_constants(terms: list[Term]) -> list[Term]:
    """One constant per row and monomial."""
    total: dict[tuple[int, int, int, int], float] = {}
    for need, i, j, row, _, number in terms:
        total[need, i, j, row] = total.get((need, i, j, row), 0.0) + number
    return [Term(*key, -1, number) for key, number in total.items()]


def _fill(terms: list[Term]) -> list[Term]:
    """The terms in order, chunks filled up with zeros."""
    chunks: dict[tuple[int, int, int, int], list[Term | None]] = {}
    for term in terms:
        chunk = chunks.setdefault((term.need, term.i, term.j, term.row // CHUNK), [None] * CHUNK)
        assert chunk[term.row % CHUNK] is None, "a block contributes twice to the same monomial of a row"
        chunk[term.row % CHUNK] = term
    filled = []
    for key in sorted(chunks, key=_order):
        need, i, j, chunk_number = key
        for lane, own in enumerate(chunks[key]):
            filled.append(own or Term(need, i, j, chunk_number * CHUNK + lane, -1, 0.0))
    return filled


def _order(key: tuple[int, int, int, int]) -> tuple[int, ...]:
    """By need, chunk and degree; then by deflections: sums over runs with the same first one stay in registers."""
    need, i, j, chunk = key
    return need, chunk, (i >= 0) + (j >= 0), i, j


def _chunks(filled: list[Term]) -> tuple[Chunk, ...]:
    """The chunks of terms in order."""
    chunks: list[Chunk] = []
    for need, i, j, row, _, _ in filled[::CHUNK]:
        if chunks and chunks[-1].row == row:
            chunks[-1] = chunks[-1]._replace(factors=(*chunks[-1].factors, (i, j)))
        else:
            chunks.append(Chunk(need, row, ((i, j),)))
    return tuple(chunks)


def kernel_rows(model: ReducedModel, chart: Chart) -> KernelRows:
    """Number the rows for the kernel."""
    rows = chart_rows(model, chart)
    measure_of, unique, steady = _equal_measures(model)
    place = np.full(rows.count, -1)
    at = 0

    def take(numbers: IntArray) -> None:
        nonlocal at
        place[numbers] = at + np.arange(numbers.size)
        at += numbers.size

    def align() -> int:
        nonlocal at
        at += -at % CHUNK
        return at

    every = np.arange(rows.count)
    ports = list(dict.fromkeys(port.marker for port in model.ports))
    others = [m for m in range(len(model.markers)) if m not in ports]
    marker = [every[rows.marker(m) : rows.marker(m) + rows.marker_size] for m in range(len(model.markers))]
    take(every[rows.inertia])
    loads = at
    pulls = [model.parameters[number].value != 0.0 for number in model.gravity]
    along = np.array(pulls) | model.moving | model.quasistatic
    take(every[rows.moment][along])
    for m in ports:
        take(marker[m][:3])
    first_measure = at
    take(every[rows.measures][unique])
    place[every[rows.measures]] = place[every[rows.measures][unique]][measure_of]
    for part in (rows.momentum, rows.tensor, rows.slopes):
        align()
        take(every[part])
    ends = [align()]
    take(every[rows.moment][~along])
    ends.append(align())
    for m in ports:
        take(marker[m][12:])
    ends.append(align())
    for m in others:
        take(marker[m][:3])
    take(every[rows.coordinates])
    take(every[rows.borders])
    ends.append(align())
    for m in range(len(model.markers)):
        take(marker[m][3:12])
    for m in others:
        take(marker[m][12:])
    ends.append(align())
    return KernelRows(place, tuple(ends), measure_of, loads, first_measure, int(unique.size), steady)


def _equal_measures(model: ReducedModel) -> tuple[IntArray, IntArray, tuple[int, ...]]:
    """Which measure each element has (ne,), the first element of each, and how many are bent and steady.

    Varying measures come first and steady ones last; before that, those with many terms, so that the cells of the
    others stay few.
    """
    keys, terms, kind = (found := measures(model)).content, found.terms, found.kind
    first = list({key: keys.index(key) for key in keys}.values())
    first.sort(key=lambda e: (kind[e], -terms[e], e))
    number_of = {keys[e]: k for k, e in enumerate(first)}
    counts = tuple(sum(kind[e] == which for e in first) for which in (Steadiness.BENT, Steadiness.STEADY))
    return np.array([number_of[key] for key in keys], dtype=np.int64), np.array(first, dtype=np.int64), counts
