"""The part of a model file that the kernel reads: one stream of 8-byte words, read from front to back.

Words are int64 or float64, little-endian.  A text is its number of bytes and then the bytes, filled up with zeros to
whole words, at least one zero last.  An array is its place in the payload (bytes from the payload's start) and its
number of words.  `kernel/plan.c` and `charts.c` read the same in the same order; what is stored where is said here.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Callable, Sequence

import numpy as np

from ..interface.inputs import input_slots
from ..interface.variables import Layout, layout, model_tag, variables
from ..model.law_parts import ARGUMENTS, CURVES, SIDES
from ..model.reduced_model import Array, Block, Chart, Element, Law, ReducedModel
from ..model.rows import Need, inertia_count

KERNEL_PLAN = 4
"""Version of the stream."""

CAUSALITIES = ("parameter", "input", "output")

Place = Callable[[Array], int]
"""Puts an array into the payload, once, and says where."""


class Stream:
    """Words in the making."""

    def __init__(self, place: Place) -> None:
        self.data = bytearray()
        self._place = place

    def ints(self, *numbers: int) -> None:
        """Some int64."""
        self.data += struct.pack(f"<{len(numbers)}q", *numbers)

    def floats(self, *numbers: float) -> None:
        """Some float64."""
        self.data += struct.pack(f"<{len(numbers)}d", *numbers)

    def text(self, text: str) -> None:
        """A text."""
        raw = text.encode()
        self.ints(len(raw))
        self.data += raw + bytes(8 - len(raw) % 8)

    def array(self, array: Array) -> None:
        """An array of float64 in the payload."""
        self.ints(self._place(array), array.size)


def kernel_plan(model: ReducedModel, guid: str, place: Place) -> bytes:
    """The stream of a valid model.

    Args:
        model: the model.
        guid: 32 hexadecimal digits that stand for its content.
        place: puts an array into the payload.
    """
    out = Stream(place)
    table, lay = variables(model), layout(model)
    out.ints(KERNEL_PLAN, len(model.coordinates), len(model.stiff), model.quasistatic, model.moving, len(model.charts))
    out.text(guid)
    out.text(model_tag(model).hex())
    out.ints(model.method == "midpoint")
    out.floats(model.mass)
    out.ints(len(table))
    for v in table:
        out.ints(CAUSALITIES.index(v.causality), v.variability == "fixed")
        lower, upper = (-math.inf if v.minimum is None else v.minimum), (math.inf if v.maximum is None else v.maximum)
        out.floats(v.start or 0.0, lower, upper)
        out.text(v.name)
        out.text(v.unit)
    _write_layout(out, model, lay)
    _write_inputs(out, model)
    _write_laws(out, model)
    _write_markers(out, model)
    for chart in model.charts:
        _write_chart(out, model, chart)
    return bytes(out.data)


def _write_layout(out: Stream, model: ReducedModel, lay: Layout) -> None:
    out.ints(lay.first_input, lay.inputs.start, lay.outputs.start)
    out.ints(len(lay.starts), *(number for start in lay.starts for number in start))
    out.floats(*(start.value for start in model.starts), *(start.rate for start in model.starts))
    out.ints(len(lay.parameters), *lay.parameters, *model.gravity)
    for coordinate in model.coordinates:
        out.floats(coordinate.lap)
    for stiff in model.stiff:
        out.floats(stiff.radius)
        out.text(stiff.name)
        out.text(stiff.unit)


def _write_inputs(out: Stream, model: ReducedModel) -> None:
    slots = input_slots(model)
    forced = [i for i, c in enumerate(model.coordinates) if c.driven == "no"]
    out.ints(slots.count, len(forced), *forced)
    out.ints(len(slots.drives))
    for drive in slots.drives:
        out.ints(drive.axis, drive.first)
        out.floats(drive.filter_time)
    out.ints(slots.twist.start, slots.twist_rate.start, slots.loads.start)


def _write_laws(out: Stream, model: ReducedModel) -> None:
    rows = model.charts[0].rows
    measures = rows.varying + rows.bent + rows.steady
    out.ints(len(model.elements), measures, rows.bent, rows.steady, _bent_inertia(model))
    for element, row in zip(model.elements, rows.elements, strict=True):
        out.ints(row - rows.s, len(element.laws))
        out.floats(element.lap)
        out.text(element.name)
        for law in element.laws:
            _write_law(out, law)
    out.ints(len(model.couplings))
    for pair in model.couplings:
        out.ints(pair.a, pair.b, pair.stiffness, pair.damping)
    bushings = _coupled_bushings(model.elements, {model.elements[c.a].name for c in model.couplings})
    out.ints(len(bushings))
    for numbers in bushings:
        out.ints(len(numbers), *numbers)


def _write_law(out: Stream, law: Law) -> None:
    """Places of its argument, side and curve in the lists of `law_parts`, its reference or -1, parameters, states."""
    parts = ((ARGUMENTS, law.argument), (SIDES, law.side), (CURVES, law.curve))
    out.ints(*(list(known).index(name) for known, name in parts), -1 if law.reference is None else law.reference)
    out.ints(len(law.parameters), *law.parameters, len(law.states))


def _bent_inertia(model: ReducedModel) -> bool:
    """Whether the inertia changes with deflections."""
    end = inertia_count(len(model.starts))
    return any(row < end and i >= 0 for chart in model.charts for block in chart.blocks for row, i, _ in block.cells)


def _coupled_bushings(elements: Sequence[Element], names: set[str]) -> list[list[int]]:
    """The elements of each bushing that has couplings."""
    return [[i for i, e in enumerate(elements) if e.name == name and e.direction] for name in sorted(names)]


def _write_markers(out: Stream, model: ReducedModel) -> None:
    out.ints(len(model.markers))
    for marker in model.markers:
        out.ints(marker.spin_axis is not None)
        out.floats(*(marker.spin_axis or (0.0,) * 3), *(marker.spin_design or (0.0,) * 3))
    out.ints(len(model.ports), *(port.marker for port in model.ports))


def _write_chart(out: Stream, model: ReducedModel, chart: Chart) -> None:
    for axis in chart.axes:
        out.text(axis.name)
        out.text(axis.unit)
        out.floats(axis.lower, axis.upper)
        out.ints(axis.periodic, axis.outside == "linear")
    out.ints(max(1, *(block.degree for block in chart.blocks)), *chart.rows.ends[: Need.REQUEST])
    _write_places(out, model, chart)
    out.ints(len(chart.slopes))
    for slope in chart.slopes:
        out.ints(slope.row, slope.i, slope.j, slope.axis)
        out.floats(slope.slope, slope.reference)
    _write_blocks(out, chart)
    out.ints(len(chart.borders))
    for border in chart.borders:
        out.ints(border.axis, border.upper, border.chart, border.lap)
        out.floats(border.at, *border.offset)


def _write_places(out: Stream, model: ReducedModel, chart: Chart) -> None:
    """First rows of J, the rows of S, first rows of loads, measures, N, I, c, G, then per marker and border.

    Those of a marker are r, R and A; -1 stands for none.
    """
    rows = chart.rows
    out.ints(0, *rows.S, inertia_count(len(chart.axes) + len(model.stiff)), rows.s, rows.N, rows.I, rows.c, rows.G)
    for marker in rows.markers:
        out.ints(marker.r, marker.R, marker.A)
    out.ints(len(rows.borders), *rows.borders)


def _write_blocks(out: Stream, chart: Chart) -> None:
    """The grids that blocks share; the blocks, that without axes among them.

    Those with the most cells come first: the first block that has a chunk replaces what was in the slots, others add.
    """
    grids: list[tuple[int, int, Array]] = []
    blocks: list[tuple[list[int], Block]] = []
    for block in chart.blocks:
        numbers = []
        for axis, knots in zip(block.axes, block.knots, strict=True):
            grid = axis, block.degree, knots
            known = [g for g, (*key, t) in enumerate(grids) if key == [*grid[:2]] and np.array_equal(t, knots)]
            if not known:
                grids.append(grid)
            numbers.append(known[0] if known else len(grids) - 1)
        blocks.append((numbers, block))
    out.ints(len(grids))
    for axis, degree, knots in grids:
        out.ints(axis, degree)
        out.array(knots)
    reached: set[int] = set()
    out.ints(len(blocks))
    for grid_numbers, block in sorted(blocks, key=lambda pair: -len(pair[1].cells)):
        out.ints(len(grid_numbers), *grid_numbers, block.coefficients.shape[-1])
        out.array(block.coefficients)
        chunks: dict[int, list[list[int]]] = {}
        for row, *factors in block.cells.tolist():
            chunks.setdefault(row, []).append([f for f in factors if f >= 0])
        for begin, end in zip((0, *chart.rows.ends), chart.rows.ends[: Need.REQUEST], strict=False):
            own = {row: cells for row, cells in chunks.items() if begin <= row < end}
            out.ints(len(own))
            for row, cells in own.items():
                out.ints(row, row not in reached, *(sum(len(f) == n for f in cells) for n in range(3)))
                out.ints(*(number for factors in cells for number in factors))
        reached |= chunks.keys()
