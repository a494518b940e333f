"""The tables of a chart as the kernel reads them: rows in an order of its own, columns of a block in runs of four.

The kernel keeps all rows with their slopes in one array of slots, (1 + nz, nr): values, then slopes over each
coordinate.  Its rows are sorted by what needs them:

    MOTION    J, S, positions of ports, measures (equal ones once), N, I, G: all that the equations of motion need
    MOMENTS   A of the markers of ports, needed while a moment acts
    SHOWN     other positions, the model's coordinates, borders: for outputs and hand-over, with slopes
    POSES     R, and A of the other markers: for outputs, values only

A term adds column * d_i * d_j to a row.  Terms of one block with the same i and j that lie in neighbouring chunks of
four rows form a run: a piece of the block's columns that is added to a piece of a slot, without any index.  Chunks are
filled up with columns of zeros.  What is constant forms a block without axes.  The first run that reaches a chunk of a
slot replaces what was there, so nothing has to be cleared.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import IntEnum
from typing import NamedTuple

import numpy as np

from .reduced_model import Array, Block, Chart, IntArray, ReducedModel
from .rows import chart_rows

CHUNK = 4
"""Rows that are always treated together."""


class Need(IntEnum):
    """What a row is needed for."""

    MOTION = 0
    MOMENTS = 1
    SHOWN = 2
    POSES = 3


class Slope(NamedTuple):
    """A column that grows by a fixed slope: slope * (z[axis] - reference), times the monomial i, j, in a row."""

    row: int
    i: int
    j: int
    axis: int
    slope: float
    reference: float


class Run(NamedTuple):
    """Columns `column` .. `column + size` of a block, times d_i d_j (-1 for none), belong to the rows from `row` on.

    Bits of `first` say which slots the run replaces instead of adding to: value, slope over the block's 1st to 3rd
    axis, slope over i, slope over j.
    """

    need: int
    i: int
    j: int
    row: int
    size: int
    column: int
    first: int


@dataclass(frozen=True, eq=False)
class KernelRows:
    """Where the kernel has the rows of a chart."""

    place: IntArray  # (nr,) the kernel's row of each row
    ends: tuple[int, ...]  # per need, where its rows end; the first begins at 0
    measure_of: IntArray  # (ne,) which measure each element has; equal ones are one
    measures: int  # first row of the measures
    measure_count: int


@dataclass(frozen=True, eq=False)
class Arrangement:
    """A chart for the kernel.  The first entry of `runs` and `columns` is the block without axes."""

    rows: KernelRows
    slopes: tuple[Slope, ...]
    constants: Array  # columns of the block without axes
    columns: tuple[IntArray, ...]  # per block: which stored column each of the kernel's is, -1 for zeros; unused last
    runs: tuple[tuple[Run, ...], ...]  # of the block without axes, then per block


class Term(NamedTuple):
    """A term of a row: number `column` of a block's stored ones; -1 for zeros between others."""

    need: int
    i: int
    j: int
    row: int
    column: int
    number: float  # of the block without axes


def arranged(model: ReducedModel) -> ReducedModel:
    """The same model with the stored columns of its blocks in the kernel's order, so that a model file has them once."""
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
    found = _lay_out(rows, tuple(slopes), constant, splined, [block.axes for block in chart.blocks])
    unused = [np.setdiff1d(block.stored, (-1, *own)) for block, own in zip(chart.blocks, found.columns, strict=True)]
    columns = tuple(np.concatenate(pair) for pair in zip(found.columns, unused, strict=True))
    return replace(found, columns=columns)


def _lay_out(
    rows: KernelRows,
    slopes: tuple[Slope, ...],
    constant: list[Term],
    splined: list[list[Term]],
    axes: list[tuple[int, ...]],
) -> Arrangement:
    written: set[tuple[int, int]] = set()  # slots and chunks; stiff slots are numbered from 1000
    numbers = _merge_constants(constant)
    filled = _fill(numbers)
    runs = [_runs(filled, (), written)]
    columns = []
    for terms, own in zip(splined, axes, strict=True):
        chunks = _fill(terms)
        columns.append(np.array([term.column for term in chunks], dtype=np.int64))
        runs.append(_runs(chunks, own, written))
    return Arrangement(rows, slopes, np.array([term.number for term in filled]), tuple(columns), tuple(runs))


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
    for key in sorted(chunks, key=lambda key: (key[0], (key[1] >= 0) + (key[2] >= 0), *key[1:])):
        need, i, j, chunk_number = key
        for lane, own in enumerate(chunks[key]):
            filled.append(own or Term(need, i, j, chunk_number * CHUNK + lane, -1, 0.0))
    return filled


def _runs(filled: list[Term], axes: tuple[int, ...], written: set[tuple[int, int]]) -> tuple[Run, ...]:
    """Runs of terms whose chunks follow one another; `written` learns what they reach."""
    runs: list[Run] = []
    for column in range(0, len(filled), CHUNK):
        need, i, j, row, _, _ = filled[column]
        slots = [0, *(1 + axis for axis in axes), *([0] * (3 - len(axes))), 1000 + i, 1000 + j]
        used = [True, *([True] * len(axes)), *([False] * (3 - len(axes))), i >= 0, j >= 0 and j != i]
        first = 0
        for bit, (slot, is_used) in enumerate(zip(slots, used, strict=True)):
            if is_used and (slot, row // CHUNK) not in written:
                written.add((slot, row // CHUNK))
                first |= 1 << bit
        last = runs[-1] if runs else None
        if last and (last.need, last.i, last.j, last.row + last.size, last.first) == (need, i, j, row, first):
            runs[-1] = last._replace(size=last.size + CHUNK)
        else:
            runs.append(Run(need, i, j, row, CHUNK, column, first))
    return tuple(runs)


def kernel_rows(model: ReducedModel, chart: Chart) -> KernelRows:
    """Number the rows for the kernel."""
    rows = chart_rows(model, chart)
    measure_of, unique = _equal_measures(model)
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
    align()
    take(every[rows.moment])
    for m in ports:
        take(marker[m][:3])
    measures = at
    take(every[rows.measures][unique])
    place[every[rows.measures]] = place[every[rows.measures][unique]][measure_of]
    for part in (rows.momentum, rows.tensor, rows.slopes):
        align()
        take(every[part])
    ends = [align()]
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
    return KernelRows(place, tuple(ends), measure_of, measures, int(unique.size))


def _equal_measures(model: ReducedModel) -> tuple[IntArray, IntArray]:
    """Which measure each element has (ne,), and the first element of each; those that vary most come first."""
    content: list[set[tuple[int, int, int, int]]] = [set() for _ in model.elements]
    varying = [0] * len(model.elements)
    for number, chart in enumerate(model.charts):
        measures = chart_rows(model, chart).measures
        varies = np.concatenate([(block.stored >= 0) | block.slope.any(axis=1) for block in chart.blocks])
        for row, column, i, j in chart.terms.tolist():
            if measures.start <= row < measures.stop:
                content[row - measures.start].add((number, column, i, j))
                varying[row - measures.start] += bool(varies[column])
    keys = [frozenset(terms) for terms in content]
    first = sorted({key: keys.index(key) for key in keys}.values(), key=lambda e: (-varying[e], e))
    number_of = {keys[e]: k for k, e in enumerate(first)}
    return np.array([number_of[key] for key in keys], dtype=np.int64), np.array(first, dtype=np.int64)
