"""Rows of a chart at one z: columns read from the tables, times monomials of the stiff coordinates.

    row(z) = sum over its terms of column(z_1 .. z_nf) * m(d),   m = 1, d_i or d_i d_j                (1)

so a slope over an axis is that of the column times m, and a slope over a stiff coordinate is the column times dm/dd_k.
All of these are sums of products of two numbers: one from the columns and their slopes, all in one vector, and one from
the monomials 1, d_i, d_i d_j, all in another.  Which, is found once, as a `Plan`; then one weighted count adds them up.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..model.reduced_model import Array, Chart, IntArray
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
    nf: int  # axes of the chart
    pairs: tuple[IntArray, IntArray]  # i and j of the monomials d_i d_j
    rows: Plan  # (1 + nz, nr) values, then slopes over each coordinate
    curvature: Plan | None  # (ns, nz, nh) second derivatives of the rows chosen for them


@dataclass(frozen=True, eq=False)
class Sources:
    """Terms (nt, 4), and where the numbers of their columns lie: the value, and the slope along each axis or -1."""

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
    terms = chart.terms[wanted[chart.terms[:, 0]]]
    tables, sources = _sources(chart, terms)
    nf = len(chart.axes)
    return Reading(
        tables=tables,
        nf=nf,
        pairs=np.triu_indices(stiff),
        rows=_row_plan(sources, nf, stiff, count),
        curvature=None if curved is None else _curvature_plan(sources, nf, stiff, count, curved),
    )


def read(reading: Reading, z: Array) -> tuple[Array, Array]:
    """The rows at z (nz,): values (nr,) and slopes (nz, nr); zero where nothing contributes.

    Raises:
        TableRangeError: z is not finite or has left the table.
    """
    return rows_at(reading, read_columns(reading, z), z)


def read_columns(reading: Reading, z: Array) -> Array:
    """Values and slopes of the columns at the axes' part of z (nz,), as one vector; stiff coordinates do not matter."""
    parts = []
    for table, axes in reading.tables:
        value, slopes = evaluate_table(table, z[axes])
        parts += [value, slopes.ravel()]
    return np.concatenate(parts) if parts else np.zeros(0)


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


def _sources(chart: Chart, terms: IntArray) -> tuple[tuple[tuple[Table, IntArray], ...], Sources]:
    """Tables of the columns that the terms need, each once, and where their numbers lie in `read_columns`."""
    value = np.zeros(len(terms), dtype=np.int64)
    slope = np.full((len(terms), len(chart.axes)), -1)
    tables: list[tuple[Table, IntArray]] = []
    first = start = 0
    for block in chart.blocks:
        last = first + len(block.columns)
        here = np.flatnonzero((first <= terms[:, 1]) & (terms[:, 1] < last))
        columns, place = np.unique(terms[here, 1] - first, return_inverse=True)
        if columns.size:
            tables.append((prepare_table(chart, block, columns.tolist()), np.array(block.axes, dtype=np.int64)))
        value[here] = start + place
        for k, axis in enumerate(block.axes):
            slope[here, axis] = start + (k + 1) * columns.size + place
        first, start = last, start + (1 + len(block.axes)) * columns.size
    return tuple(tables), Sources(terms, value, slope)


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
    i, j = terms[:, 2], terms[:, 3]
    once, twice = np.flatnonzero((i >= 0) & (j < 0)), np.flatnonzero(j >= 0)
    return [
        (i[once], once, np.zeros_like(once)),
        (i[twice], twice, 1 + j[twice]),
        (j[twice], twice, 1 + i[twice]),
    ]


def _monomial(terms: IntArray, stiff: int) -> IntArray:
    """(nt,) which of 1, d_i, d_i d_j (i <= j, row by row) each term has."""
    i, j = terms[:, 2], terms[:, 3]
    pair = np.zeros((stiff + 1, stiff + 1), dtype=np.int64)
    pair[np.triu_indices(stiff)] = np.arange(stiff * (stiff + 1) // 2)
    return np.where(j >= 0, 1 + stiff + pair[i, j], 1 + i)


def _plan(entries: list[tuple[IntArray, IntArray, IntArray]], shape: tuple[int, ...]) -> Plan:
    target, source, factor = (np.concatenate(part) for part in zip(*entries, strict=True))
    return Plan(target, source, factor if factor.any() else None, shape)
