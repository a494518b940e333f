"""Rows of a chart at one z: columns read from the tables, times monomials of the stiff coordinates.

    row(z) = sum over its terms of column(z_1 .. z_nf) * m(d),   m = 1, d_i, d_i d_j or d_i d_j d_k   (1)

with d the deflections, counted from where the tables are expanded about; so a slope over an axis is that of the column
times m, and a slope over a stiff coordinate is the column times dm/dd_k.  What grows by a fixed slope along an axis
counts as a column too.
All of these are sums of products of two numbers: one from the columns and their slopes, all in one vector, and one from
the monomials, all in another.  Which, is found once, as a `Plan`; then one weighted count adds them up.  No order of
the polynomials is written down here: a monomial is the tuple of its factors.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..model.reduced_model import Array, Block, Chart, IntArray
from ..model.rows import CHUNK
from .bspline import Table, evaluate_table, prepare_table

Factors = tuple[int, ...]
"""Of a monomial: numbers of stiff coordinates, ascending."""


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
    about: Array  # (ns,) deflections that the tables are expanded about
    monomials: tuple[tuple[IntArray, IntArray], ...]  # see `Monomials.products`
    rows: Plan  # (1 + nz, nr) values, then slopes over each coordinate
    curvature: Plan | None  # (ns, nz, nh) second derivatives of the rows chosen for them


@dataclass(frozen=True, eq=False)
class Sources:
    """Terms, and where the numbers of their columns lie: value, slope along each axis or -1."""

    row: IntArray  # (nt,)
    factors: tuple[Factors, ...]  # (nt,)
    value: IntArray  # (nt,)
    slope: IntArray  # (nt, nf)


def prepare_reading(
    chart: Chart, about: Array, count: int, wanted: NDArray[np.bool_], curved: IntArray | None = None
) -> Reading:
    """Make rows of a chart ready to be read.

    Args:
        chart: the chart.
        about: (ns,) deflections that the tables are expanded about.
        count: nr, number of all rows.
        wanted: (nr,) which rows are needed; the others are zero.
        curved: (nh,) rows whose second derivatives are needed too, different and all wanted.
    """
    tables, slopes, sources = _sources(chart, wanted)
    nf, ns = len(chart.axes), about.size
    monomials = Monomials(sources.factors)
    return Reading(
        tables=tables,
        slopes=slopes,
        nf=nf,
        about=about,
        monomials=monomials.products(),
        rows=_row_plan(sources, monomials, nf, ns, count),
        curvature=None if curved is None else _curvature_plan(sources, monomials, nf, ns, count, curved),
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
        weights *= _monomials_at(reading, z[reading.nf :] - reading.about)[plan.factor]
    total: Array = np.bincount(plan.target, weights, math.prod(plan.shape))  # type: ignore[assignment]
    return total.reshape(plan.shape)


def _monomials_at(reading: Reading, d: Array) -> Array:
    """All monomials of the deflections d (ns,)."""
    lower = np.ones(1)
    parts = [lower]
    for smaller, last in reading.monomials:
        lower = lower[smaller] * d[last]
        parts.append(lower)
    return np.concatenate(parts)


class Monomials:
    """The monomials that some terms have, and all that derivatives leave of these: numbered, the lowest first."""

    def __init__(self, terms: Iterable[Factors]) -> None:
        known: set[Factors] = {()}
        left = set(terms)
        while left:
            known |= left
            left = {rest for factors in left for _, rest in derivatives(factors)} - known
        self.all = sorted(known, key=lambda factors: (len(factors), factors))
        self.number = {factors: i for i, factors in enumerate(self.all)}

    def products(self) -> tuple[tuple[IntArray, IntArray], ...]:
        """Order after order: a monomial is one of the order before, by its number there, times a deflection."""
        orders: dict[int, list[Factors]] = {}
        for factors in self.all:
            orders.setdefault(len(factors), []).append(factors)
        return tuple(
            (_whole(orders[n - 1].index(factors[:-1]) for factors in own), _whole(factors[-1] for factors in own))
            for n, own in orders.items()
            if n
        )


def derivatives(factors: Factors) -> list[tuple[int, Factors]]:
    """Of a monomial, factor after factor: the deflection, and what is left; a square gives the same twice."""
    return [(k, factors[:i] + factors[i + 1 :]) for i, k in enumerate(factors)]


def _whole(numbers: Iterable[int]) -> IntArray:
    return np.array(list(numbers), dtype=np.int64)


def _sources(
    chart: Chart, wanted: NDArray[np.bool_]
) -> tuple[tuple[tuple[Table, IntArray], ...], tuple[Array, Array, IntArray], Sources]:
    """What is read for the rows wanted, and where its numbers lie in `read_columns`."""
    tables: list[tuple[Table, IntArray]] = []
    row, factors, value, slope = [], [], [], []
    start = 0
    for block in chart.blocks:
        columns, rows, own = _columns(block, wanted)
        n, nb = columns.size, len(block.axes)
        if not n:
            continue
        tables.append((prepare_table(chart, block, columns), np.array(block.axes, dtype=np.int64)))
        row.append(rows)
        factors += own
        value.append(start + np.arange(n))
        along = np.full((n, len(chart.axes)), -1)
        along[:, block.axes] = start + (1 + np.arange(nb)) * n + np.arange(n)[:, None]
        slope.append(along)
        start += (1 + nb) * n
    kept = [s for s in chart.slopes if wanted[s.row]]
    axis = np.array([s.axis for s in kept], dtype=np.int64)
    growing = np.array([s.slope for s in kept]), np.array([s.reference for s in kept]), axis
    row.append(_whole(s.row for s in kept))
    factors += [()] * len(kept)
    value.append(start + np.arange(len(kept)))
    along = np.full((len(kept), len(chart.axes)), -1)
    along[np.arange(len(kept)), axis] = start + len(kept) + np.arange(len(kept))
    slope.append(along)
    sources = Sources(np.concatenate(row), tuple(factors), np.concatenate(value), np.concatenate(slope))
    return tuple(tables), growing, sources


def _columns(block: Block, wanted: NDArray[np.bool_]) -> tuple[IntArray, IntArray, list[Factors]]:
    """The columns (n,) of a block that are not zero and whose rows are wanted, their rows (n,) and factors."""
    rows = (block.cells[:, :1] + np.arange(CHUNK)).ravel()
    used = block.coefficients.any(axis=tuple(range(len(block.axes)))) if block.axes else block.coefficients != 0.0
    columns = np.flatnonzero(used & wanted[rows])
    factors = [tuple(i for i in own if i >= 0) for own in block.cells[:, 1:].tolist()]
    return columns, rows[columns], [factors[cell] for cell in (columns // CHUNK).tolist()]


def _row_plan(sources: Sources, monomials: Monomials, nf: int, ns: int, count: int) -> Plan:
    row = sources.row
    factor = _whole(monomials.number[factors] for factors in sources.factors)
    entries = [(row, sources.value, factor)]
    for axis in range(nf):
        has = sources.slope[:, axis] >= 0
        entries.append(((1 + axis) * count + row[has], sources.slope[has, axis], factor[has]))
    slopes = [
        ((1 + nf + k) * count + row[term], sources.value[term], monomials.number[left])
        for term, factors in enumerate(sources.factors)
        for k, left in derivatives(factors)
    ]
    entries.append(_columns_of(slopes))
    return _plan(entries, (1 + nf + ns, count))


def _curvature_plan(sources: Sources, monomials: Monomials, nf: int, ns: int, count: int, curved: IntArray) -> Plan:
    place = np.full(count, -1)
    place[curved] = np.arange(curved.size)
    place = place[sources.row]  # (nt,)
    nz, nh = nf + ns, curved.size
    found = []
    for term in np.flatnonzero(place >= 0).tolist():
        for k, left in derivatives(sources.factors[term]):
            for axis in np.flatnonzero(sources.slope[term] >= 0).tolist():
                target = (k * nz + axis) * nh + place[term]
                found.append((target, sources.slope[term, axis], monomials.number[left]))
            for other, rest in derivatives(left):
                target = (k * nz + nf + other) * nh + place[term]
                found.append((target, sources.value[term], monomials.number[rest]))
    return _plan([_columns_of(found)], (ns, nz, nh))


def _columns_of(entries: list[tuple[int, int, int]]) -> tuple[IntArray, IntArray, IntArray]:
    target, source, factor = np.array(entries, dtype=np.int64).reshape(-1, 3).T
    return target, source, factor


def _plan(entries: list[tuple[IntArray, IntArray, IntArray]], shape: tuple[int, ...]) -> Plan:
    target, source, factor = (np.concatenate(part) for part in zip(*entries, strict=True))
    return Plan(target, source, factor if factor.any() else None, shape)
