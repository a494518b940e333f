"""From loose charts to charts: every quantity gets its row, every column its place in a cell; see `reduced_model`.

The cells of a chunk of rows follow one another in a block: the run-time goes through its columns from front to back and
keeps the sums of a chunk at hand.  Quantities that are the same function of the coordinates share their rows: measures
of several elements, and the rotations of markers on one body with the same axes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from fmu_src.model.reduced_model import FACTORS, Array, Block, Changes, Chart, IntArray, ReducedModel, Slope
from fmu_src.model.rows import CHUNK, MarkerRows, Need, Rows, load_places
from precompute.reduction.loose import LooseChart, Quantities, quantities_of
from precompute.reduction.varying import measures
from precompute.tables.blocks import TableBlock

Alike = dict[frozenset[tuple[int, ...]], slice]
"""By their terms, quantities that have rows."""


class Term(NamedTuple):
    """A term of a row: number `column` of a block's stored ones, or a constant."""

    factors: tuple[int, ...]  # FACTORS: numbers of stiff coordinates, then -1
    row: int
    column: int = -1
    number: float = 0.0
    changes: tuple[tuple[int, float], ...] = ()  # of a constant, by product of design parameters


def arranged(model: ReducedModel, charts: Sequence[LooseChart]) -> ReducedModel:
    """The model with these charts, arranged."""
    return replace(model, charts=tuple(lay_out(chart, *Placing(model, charts, chart).placed()) for chart in charts))


def chart_quantities(model: ReducedModel, charts: Sequence[LooseChart], chart: LooseChart) -> Quantities:
    """The quantities of one of the charts of a model."""
    nz = len(chart.axes) + len(model.stiff)
    sizes = len(model.elements), len(model.markers), len(model.measures)
    request = len(model.loads), len(model.loaded)
    return quantities_of(nz, *sizes, len(charts), len(chart.borders), model.carried, *request)


def lay_out(chart: LooseChart, rows: Rows, place: IntArray) -> Chart:
    """The chart with its quantities in the rows of `place`."""
    constant: list[Term] = []
    splined: list[list[Term]] = [[] for _ in chart.blocks]
    slopes: list[Slope] = []
    ends = np.cumsum([0, *(len(block.columns) for block in chart.blocks)])
    changes = [_constant_changes(block) for block in chart.blocks]
    terms = {(int(place[quantity]), column, *factors) for quantity, column, *factors in chart.terms.tolist()}
    for row, column, *factors in sorted(terms):
        own = tuple(factors)
        number = int(np.searchsorted(ends, column, side="right")) - 1
        block, c = chart.blocks[number], column - int(ends[number])
        if block.stored[c] >= 0:
            splined[number].append(Term(own, row, int(block.stored[c])))
        if block.constant[c] or c in changes[number]:
            constant.append(Term(own, row, number=float(block.constant[c]), changes=changes[number].get(c, ())))
        for axis, slope, reference in zip(block.axes, block.slope[c], block.z_ref, strict=True):
            if slope:
                assert max(own) < 0, "what grows by whole turns does so whatever the deflections"
                slopes.append(Slope(row, axis, float(slope), float(reference)))
    blocks = [_constant_block(constant), *map(_spline_block, chart.blocks, splined)]
    shown = rows.ends[Need.POSES]
    blocks.sort(key=lambda block: bool((block.cells[:, 0] >= shown).all()))  # those read on request alone come last
    return Chart(
        axes=chart.axes,
        rows=rows,
        blocks=tuple(block for block in blocks if len(block.cells)),
        slopes=tuple(slopes),
        borders=chart.borders,
        certificate=chart.certificate,
    )


class Placing:
    """Gives the quantities of a chart their rows."""

    def __init__(self, model: ReducedModel, charts: Sequence[LooseChart], chart: LooseChart) -> None:
        self.model, self.charts, self.chart = model, charts, chart
        self.quantities = chart_quantities(model, charts, chart)
        self.place = np.full(self.quantities.count, -1)
        self.at = 0

    def take(self, part: IntArray | slice) -> int:
        """Put quantities into the next rows; the first of these, or -1 if there are none."""
        numbers = np.arange(self.quantities.count)[part]
        self.place[numbers] = self.at + np.arange(numbers.size)
        self.at += numbers.size
        return self.at - numbers.size if numbers.size else -1

    def align(self) -> int:
        """Go on with a new chunk."""
        self.at += -self.at % CHUNK
        return self.at

    def placed(self) -> tuple[Rows, IntArray]:
        """The rows, and the row of each quantity."""
        q, model, ends = self.quantities, self.model, {}
        wheels = list(dict.fromkeys(wheel.marker for wheel in model.wheels))
        ports = list(dict.fromkeys((*(port.marker for port in model.ports), *wheels)))
        others = [m for m in range(len(model.markers)) if m not in ports]
        S, across = np.arange(q.S.start, q.S.stop), self._across()
        self.take(q.J)
        self.take(S[~across])
        for m in ports:
            self.take(q.marker(m)[0])
        first, varying, fixed = self._take_measures()
        moving = model.moving
        N, inertia = (self._take_aligned(part) if moving else -1 for part in (q.N, q.I))
        G = self._take_aligned(q.G)
        ends[Need.MOTION] = self.align()
        self.take(S[across])
        ends[Need.ACROSS] = self.align()
        rotations: Alike = {}
        self._take_turning(ports, 2, {})
        self._take_turning(wheels, 1, rotations)
        ends[Need.MOMENTS] = self.align()
        for m in others:
            self.take(q.marker(m)[0])
        c = self.take(q.c)
        self.take(q.borders)
        self._take_read()
        if model.track is not None:
            N, inertia = (self._take_aligned(part) for part in (q.N, q.I))
        ends[Need.SHOWN] = self.align()
        self._take_turning([m for m in range(len(model.markers)) if m not in wheels], 1, rotations)
        self._take_turning(others, 2, {})
        ends[Need.POSES] = self.align()
        measured = first, varying + fixed
        loads = tuple(self._take_load(number, *measured) for number in range(len(model.loads)))
        ends[Need.REQUEST] = self.align()
        place = self.place
        rows = Rows(
            ends=tuple(ends[need] for need in Need),
            S=tuple(place[q.S].tolist()),
            s=first,
            varying=varying,
            fixed=fixed,
            elements=tuple(place[q.s].tolist()),
            N=N,
            I=inertia,
            G=G,
            c=c,
            markers=tuple(
                MarkerRows(*(int(place[part.start]) for part in q.marker(m))) for m in range(len(model.markers))
            ),
            borders=tuple(int(place[q.border(b).start]) for b in range(len(self.chart.borders))),
            measures=tuple(place[q.read].tolist()),
            loads=loads,
        )
        return rows, place

    def _take_load(self, number: int, s: int, measures: int) -> int:
        """The rows of a load, in chunks of their own; elements that act on one measure share its row.

        Args:
            number: of the load.
            s: first row of the measures.
            measures: how many there are.
        """
        own, model = self.quantities.load_places, self.model
        rows = load_places(self.quantities.nz, measures, len(model.loaded), model.moving)
        first, start = self.align(), self.quantities.load(number).start
        for a, b in zip(vars(own).values(), vars(rows).values(), strict=True):
            if a is not own.s:
                self.place[start + a.start : start + a.stop] = first + np.arange(b.start, b.stop)
        acting = self.place[self.quantities.s] - s
        self.place[start + own.s.start : start + own.s.stop] = first + rows.s.start + acting
        self.at = first + (rows.C.stop if model.loads[number].acceleration else rows.count)
        return first

    def _take_aligned(self, part: slice) -> int:
        self.align()
        return self.take(part)

    def _across(self) -> np.ndarray:
        """(3,) along which axes gravity is zero at first and may be left out."""
        pulls = [self.model.parameters[number].value != 0.0 for number in self.model.gravity]
        return ~(np.array(pulls) | self.model.carried | self.model.quasistatic)

    def _take_measures(self) -> tuple[int, int, int]:
        """Each measure once: the first row, how many vary, and how many do not.

        Varying measures come first; of each kind, those with many terms, so that the cells of the others stay few.
        """
        start = int(self.quantities.s.start)
        found = measures(self.model, self.charts, self.quantities.s)
        keys, terms, varying = found.content, found.terms, found.varying
        first = list({key: keys.index(key) for key in keys}.values())
        first.sort(key=lambda e: (not varying[e], -terms[e], e))
        at = self.at
        for e in first:
            self.take(slice(start + e, start + e + 1))
        own = {keys[e]: self.place[start + e] for e in first}
        self.place[self.quantities.s] = [own[key] for key in keys]
        count = sum(varying[e] for e in first)
        return at, count, len(first) - count

    def _take_read(self) -> None:
        """Measures that are read, each once; what an element measures has its row already."""
        known = {self._content(e): int(self.place[e]) for e in range(self.quantities.s.start, self.quantities.s.stop)}
        for number in range(self.quantities.read.start, self.quantities.read.stop):
            content = self._content(number)
            if content in known:
                self.place[number] = known[content]
            else:
                known[content] = self.take(slice(number, number + 1))

    def _content(self, quantity: int) -> frozenset[tuple[int, ...]]:
        return frozenset(tuple(term[1:]) for term in self._terms(slice(quantity, quantity + 1)))

    def _take_turning(self, markers: Sequence[int], part: int, known: Alike) -> None:
        """R (1) or A (2) of some markers; those that turn alike share them, also with those that are known."""
        for m in markers:
            own = self.quantities.marker(m)[part]
            content = frozenset((t[0] - own.start, *t[1:]) for t in self._terms(own))
            if content in known:
                self.place[own] = self.place[known[content]]
            else:
                known[content] = own
                self.take(own)

    def _terms(self, part: slice) -> list[list[int]]:
        terms = self.chart.terms
        found: list[list[int]] = terms[(part.start <= terms[:, 0]) & (terms[:, 0] < part.stop)].tolist()
        return found


def _constant_changes(block: TableBlock) -> dict[int, tuple[tuple[int, float], ...]]:
    """What design parameters change of the constants of a block, by column."""
    found: dict[int, tuple[tuple[int, float], ...]] = {}
    if block.changes is not None:
        for (c, product), number in zip(block.changes.constants.tolist(), block.changes.numbers.tolist(), strict=True):
            found[c] = (*found.get(c, ()), (product, number))
    return found


def _constant_block(terms: list[Term]) -> Block:
    """One constant per row and monomial."""
    total: dict[tuple[tuple[int, ...], int], float] = {}
    changes: dict[tuple[tuple[int, ...], int], dict[int, float]] = {}
    for factors, row, _, number, more in terms:
        total[factors, row] = total.get((factors, row), 0.0) + number
        sums = changes.setdefault((factors, row), {})
        for product, change in more:
            sums[product] = sums.get(product, 0.0) + change
    cells, filled = _fill([Term(*key, number=n, changes=(*changes[key].items(),)) for key, n in total.items()])
    held = [(place, *change) for place, term in enumerate(filled) if term for change in term.changes]
    core = np.array([change for *_, change in held])
    own = _changes([(place, product) for place, product, _ in held], core, ())
    return Block((), (), cells, np.array([term.number if term else 0.0 for term in filled]), changes=own)


def _spline_block(block: TableBlock, terms: list[Term]) -> Block:
    cells, filled = _fill(terms)
    columns = np.array([term.column if term else -1 for term in filled], dtype=np.int64)
    padded = np.concatenate((block.core, np.zeros((*block.core.shape[:-1], 1))), axis=-1)
    core: Array = np.ascontiguousarray(padded[..., columns])
    return Block(block.axes, block.knots, cells, core, block.bases, _spline_changes(block, columns))


def _spline_changes(block: TableBlock, columns: IntArray) -> Changes | None:
    """What design parameters change in a block whose cells hold these of its stored columns, or -1."""
    own = block.changes
    if own is None:
        return None
    stored = block.stored[own.columns[:, 0]]
    held = [(place, n) for n, column in enumerate(stored.tolist()) for place in np.flatnonzero(columns == column)]
    pairs = [(int(place), int(own.columns[n, 1])) for place, n in held]
    return _changes(pairs, own.core[..., [n for _, n in held]], own.bases)


def _changes(pairs: list[tuple[int, int]], core: Array, bases: tuple[Array, ...]) -> Changes | None:
    """Changes (..., n) of columns at some places in cells, by place and product, as changes of cells."""
    cells = sorted({(place // CHUNK, product) for place, product in pairs})
    if not cells:
        return None
    number = {cell: n for n, cell in enumerate(cells)}
    filled = np.zeros((*core.shape[:-1], CHUNK * len(cells)))
    at = [CHUNK * number[place // CHUNK, product] + place % CHUNK for place, product in pairs]
    filled[..., at] = core
    return Changes(np.array(cells, dtype=np.int64), filled, bases)


def _fill(terms: list[Term]) -> tuple[IntArray, list[Term | None]]:
    """The cells of terms in order, and the terms that they hold."""
    cells: dict[tuple[int, ...], list[Term | None]] = {}
    for term in terms:
        cell = cells.setdefault((term.row // CHUNK, *term.factors), [None] * CHUNK)
        assert cell[term.row % CHUNK] is None, "a block contributes twice to the same monomial of a row"
        cell[term.row % CHUNK] = term
    order = sorted(cells, key=_order)
    found = np.array([(chunk * CHUNK, *factors) for chunk, *factors in order], dtype=np.int64)
    found = found.reshape(-1, 1 + FACTORS)
    return found, [term for key in order for term in cells[key]]


def _order(key: tuple[int, ...]) -> tuple[int, ...]:
    """By chunk and degree; then by deflections: sums over runs with the same first ones stay in registers."""
    chunk, *factors = key
    return chunk, sum(i >= 0 for i in factors), *factors
