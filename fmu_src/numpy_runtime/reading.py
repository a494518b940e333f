"""Rows of a chart at one z: columns read from the tables, times monomials of the stiff coordinates.

    row(z) = sum over its terms of column(z_1 .. z_nf) * m(d),   m = 1, d_i or d_i d_j                (1)

so a slope over an axis is that of the column times m, and a slope over a stiff coordinate is the column times dm/dd_k.
What grows by a fixed slope along an axis counts as a column too.
All of these are sums of products of two numbers: one from the columns and their slopes, all in one vector, and one from
the monomials 1, d_i, d_i d_j, all in another.  Which, is found once, as a `Plan`; then one weighted count adds them up.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..model.reduced_model import Array, Block, Chart, IntArray
from ..model.rows import CHUNK
from .bspline import Table, evaluate_table, prepare_table


@dataclass(frozen=True, eq=False)
class Plan:
    """result.ravel()[target] += numbers[source] * monomials[factor], entry after entry."""

    target: IntArray  # (n,)
    source: IntArray  # (n,)
    factor: IntArray | None  # (n,) None where every monomial is 1
    shape: tuple[int, ...]  # of the result


@dataclass(frozen=True, eq=False)
class Reading:
    """Some rows of a chart, made ready."""

    tables: tuple[tuple[Table, IntArray], ...]  # with their axes (nb,) in z
    slopes: tuple[Array, Array, IntArray]  # (ns,) each: slope, where it is zero, its axis in z
    nf: int  # axes of the chart
    pairs: tuple[IntArray, IntArray]  # i and j of the monomials d_i d_j
    rows: Plan  # (1 + nz, nr) values, then slopes over each coordinate
    curvature: Plan | None  # (ns, nz, nh) second derivatives of the rows chosen for them


@dataclass(frozen=True, eq=False)
class Sources:
    """Terms (nt, 3), row, i and j, and where the numbers of their columns lie: value, slope along each axis or -1."""

    terms: IntArray
    value: IntArray  # (nt,)
    slope: IntArray  # (nt, nf)


def prepare_reading(
    chart: Chart, stiff: int, count: int, wanted: NDArray[np.bool_], curved: IntArray | None = None
) -> Reading:
    """Make rows of a chart ready to be read.

    Args:
        chart: the chart.
        stiff: ns, number of stiff coordinates.
        count: nr, number of all rows.
        wanted: (nr,) which rows are needed; the others are zero.
        curved: (nh,) rows whose second derivatives are needed too, different and all wanted.
    """
    tables, slopes, sources = _sources(chart, wanted)
    nf = len(chart.axes)
    return Reading(
        tables=tables,
        slopes=slopes,
        nf=nf,
        pairs=np.triu_indices(stiff),
        rows=_row_plan(sources, nf, stiff, count),
        curvature=None if curved is None else _curvature_plan(sources, nf, stiff, count, curved),
    )


def read(reading: Reading, z: Array) -> tuple[Array, Array]:
    """The rows at z (nz,): values (nr,) and slopes (nz, nr); zero where nothing contributes.

    Raises:
        TableRangeError: z has left the table.
        StepError: z is not finite.
    """
    return rows_at(reading, read_columns(reading, z), z)


def read_columns(reading: Reading, z: Array) -> Array:
    """Values and slopes of the columns at the axes' part of z (nz,), as one vector; stiff coordinates do not matter."""
    parts = []
    for table, axes in reading.tables:
        value, slopes = evaluate_table(table, z[axes])
        parts += [value, slopes.ravel()]
    slope, zero, axis = reading.slopes
    return np.concatenate((*parts, slope * (z[axis] - zero), slope))


def rows_at(reading: Reading, numbers: Array, z: Array) -> tuple[Array, Array]:
    """The rows of `read` from the numbers of `read_columns` and the stiff coordinates in z (nz,)."""
    both = _sum(reading, reading.rows, numbers, z)
    return both[0], both[1:]


def curvature_at(reading: Reading, numbers: Array, z: Array) -> Array:
    """Second derivatives (ns, nz, nh) of the rows chosen: over a stiff coordinate, then over any."""
    assert reading.curvature is not None, "the reading was prepared without curvature"
    return _sum(reading, reading.curvature, numbers, z)


def _sum(reading: Reading, plan: Plan, numbers: Array, z: Array) -> Array:
    weights = numbers[plan.source]
    if plan.factor is not None:
        d = z[reading.nf :]
        i, j = reading.pairs
        weights *= np.concatenate(((1.0,), d, d[i] * d[j]))[plan.factor]
    total: Array = np.bincount(plan.target, weights, math.prod(plan.shape))  # type: ignore[assignment]
    return total.reshape(plan.shape)


def _sources(
    chart: Chart, wanted: NDArray[np.bool_]
) -> tuple[tuple[tuple[Table, IntArray], ...], tuple[Array, Array, IntArray], Sources]:
    """What is read for the rows wanted, and where its numbers lie in `read_columns`."""
    tables: list[tuple[Table, IntArray]] = []
    terms, value, slope = [np.zeros((0, 3), dtype=np.int64)], [], []
    start = 0
    for block in chart.blocks:
        columns, own = _columns(block, wanted)
        n, nb = columns.size, len(block.axes)
        if not n:
            continue
        tables.append((prepare_table(chart, block, columns), np.array(block.axes, dtype=np.int64)))
        terms.append(own)
        value.append(start + np.arange(n))
        along = np.full((n, len(chart.axes)), -1)
        along[:, block.axes] = start + (1 + np.arange(nb)) * n + np.arange(n)[:, None]
        slope.append(along)
        start += (1 + nb) * n
    kept = [s for s in chart.slopes if wanted[s.row]]
    axis = np.array([s.axis for s in kept], dtype=np.int64)
    growing = np.array([s.slope for s in kept]), np.array([s.reference for s in kept]), axis
    terms.append(np.array([(s.row, s.i, s.j) for s in kept], dtype=np.int64).reshape(-1, 3))
    value.append(start + np.arange(len(kept)))
    along = np.full((len(kept), len(chart.axes)), -1)
    along[np.arange(len(kept)), axis] = start + len(kept) + np.arange(len(kept))
    slope.append(along)
    return tuple(tables), growing, Sources(np.concatenate(terms), np.concatenate(value), np.concatenate(slope))


def _columns(block: Block, wanted: NDArray[np.bool_]) -> tuple[IntArray, IntArray]:
    """The columns (n,) of a block that are not zero and whose rows are wanted, and their row, i and j (n, 3)."""
    terms = np.repeat(block.cells, CHUNK, axis=0)
    terms[:, 0] += np.tile(np.arange(CHUNK), len(block.cells))
    used = block.coefficients.any(axis=tuple(range(len(block.axes)))) if block.axes else block.coefficients != 0.0
    columns = np.flatnonzero(used & wanted[terms[:, 0]])
    return columns, terms[columns]


def _row_plan(sources: Sources, nf: int, stiff: int, count: int) -> Plan:
    row = sources.terms[:, 0]
    factor = _monomial(sources.terms, stiff)
    entries = [(row, sources.value, factor)]
    for axis in range(nf):
        has = sources.slope[:, axis] >= 0
        entries.append(((1 + axis) * count + row[has], sources.slope[has, axis], factor[has]))
    for k, term, left in _derivatives(sources.terms):
        entries.append(((1 + nf + k) * count + row[term], sources.value[term], left))
    return _plan(entries, (1 + nf + stiff, count))


def _curvature_plan(sources: Sources, nf: int, stiff: int, count: int, curved: IntArray) -> Plan:
    place = np.full(count, -1)
    place[curved] = np.arange(curved.size)
    place = place[sources.terms[:, 0]]  # (nt,)
    nz, nh = nf + stiff, curved.size
    entries = []
    for k, term, left in _derivatives(sources.terms):
        for axis in range(nf):
            has = (place[term] >= 0) & (sources.slope[term, axis] >= 0)
            target = (k[has] * nz + axis) * nh + place[term[has]]
            entries.append((target, sources.slope[term[has], axis], left[has]))
        has = (place[term] >= 0) & (left > 0)  # what is left is d_l, so the derivative over d_l is 1
        target = (k[has] * nz + nf + left[has] - 1) * nh + place[term[has]]
        entries.append((target, sources.value[term[has]], np.zeros_like(target)))
    return _plan(entries, (stiff, nz, nh))


def _derivatives(terms: IntArray) -> list[tuple[IntArray, IntArray, IntArray]]:
    """Derivatives of the monomials: stiff coordinate k, term, and number of the monomial that is left."""
    i, j = terms[:, 1], terms[:, 2]
    once, twice = np.flatnonzero((i >= 0) & (j < 0)), np.flatnonzero(j >= 0)
    return [
        (i[once], once, np.zeros_like(once)),
        (i[twice], twice, 1 + j[twice]),
        (j[twice], twice, 1 + i[twice]),
    ]


def _monomial(terms: IntArray, stiff: int) -> IntArray:
    """(nt,) which of 1, d_i, d_i d_j (i <= j, row by row) each term has."""
    i, j = terms[:, 1], terms[:, 2]
    pair = np.zeros((stiff + 1, stiff + 1), dtype=np.int64)
    pair[np.triu_indices(stiff)] = np.arange(stiff * (stiff + 1) // 2)
    return np.where(j >= 0, 1 + stiff + pair[i, j], 1 + i)


def _plan(entries: list[tuple[IntArray, IntArray, IntArray]], shape: tuple[int, ...]) -> Plan:
    target, source, factor = (np.concatenate(part) for part in zip(*entries, strict=True))
    return Plan(target, source, factor if factor.any() else None, shape)
