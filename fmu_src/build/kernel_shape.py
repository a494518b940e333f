"""The header that makes the kernel one for the shape of a model: sizes, grids, blocks, and one call per run of chunks.

It stands in the place of the kernel's sizes.h, which makes it one for any model.  It holds shapes and never numbers of
the model, so models of one shape share a compiled kernel.  The macros that it uses are in rows.h of the kernel; fits.h
there uses them too, to find out whether a model has this shape.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import comb
from typing import Any

from ..interface.inputs import input_slots
from ..model.laws import is_linear
from ..model.reduced_model import Array, Block, Chart, ReducedModel
from ..model.rows import CHUNK, Need
from .kernel_runs import runs, shared_grids

MOST_POWERS = 65536
"""As in kernel/reader.c."""


def shape_header(model: ReducedModel) -> str:
    """The text of the header."""
    return "\n".join([*_sizes(model), *_factors(model), *_blocks(model), *_places(model), *_needs(model), ""])


def _sizes(model: ReducedModel) -> Iterator[str]:
    nf, ns = len(model.coordinates), len(model.stiff)
    laws = [law for element in model.elements for law in element.laws]
    charts = model.charts
    sizes = {
        "NF": nf,
        "NS": ns,
        "NZ_MOST": nf + ns,
        "ROWS": max(chart.rows.count for chart in charts),
        "CHARTS": len(charts),
        "MOVING": int(model.moving),
        "QUASISTATIC": int(model.quasistatic),
        "MIDPOINT": int(model.method == "midpoint"),
        "DRIVES": len(input_slots(model).drives),
        "COUPLINGS": len(model.couplings),
        "WHEELS": len(model.wheels),
        "TRACKS": int(model.track is not None),
        "BENDS": sum(not is_linear(law) for law in laws),
        "CARDANS": len(model.cardans),
        "DEVICES": len(model.devices),
        "CONNECTIONS": sum(len(device.connections) for device in model.devices),
        "STATES": sum(len(device.states) for device in model.devices),
        "GROWING": int(any(chart.slopes for chart in charts)),
        "GRIDS_MOST": max(1, *(len(_grids(model, chart)[0]) for chart in charts)),
        "CORNERS_MOST": max(
            1, *((block.degree + 1) ** len(block.axes) for chart in charts for block in _blocks_of(model, chart))
        ),
    }
    yield "/* The shape of a model, written by kernel_shape.py. */"
    yield "#define SHAPED 1"
    for name, value in sizes.items():
        yield f"#define {name} {value}"
    leaving = any(axis.outside == "linear" for chart in charts for axis in chart.axes)
    yield f"#define LEAVING_OF(k) {int(leaving)}"


def _parts(model: ReducedModel) -> Iterator[tuple[int, dict[str, Any], dict[str, Any]]]:
    """Chart, run and part of every part."""
    for number, chart in enumerate(model.charts):
        for run in _runs(model, chart):
            for part in run["part"]:
                yield number, run, part


def _blocks_of(model: ReducedModel, chart: Chart) -> list[Block]:
    """Blocks that the kernel of a shape reads.

    Those that are read on request alone come last; with deflections they are many, and read as those of any model.
    """
    end = chart.rows.count if not model.stiff else chart.rows.ends[Need.POSES]
    return [block for block in chart.blocks if (block.cells[:, 0] < end).any()]


def _grids(model: ReducedModel, chart: Chart) -> tuple[list[tuple[int, int, Array]], list[list[int]]]:
    return shared_grids(_blocks_of(model, chart))


def _runs(model: ReducedModel, chart: Chart) -> list[dict[str, Any]]:
    return [run for run in runs(model, chart) if run["need"] != Need.REQUEST or not model.stiff]


def _in_turn(part: dict[str, Any], ns: int) -> bool:
    """Whether the factors of a part are all deflections in turn."""
    return all(count in (0, comb(ns + order, 1 + order)) for order, count in enumerate(part["times"]))


def _factors(model: ReducedModel) -> Iterator[str]:
    """The factors of parts that have not every deflection in turn, each list once."""
    for name, factors in _factor_names(model).items():
        yield f"static const int f_{factors}[] = {{{', '.join(map(str, name))}}};"


def _factor_names(model: ReducedModel) -> dict[tuple[int, ...], int]:
    ns = len(model.stiff)
    lists = (tuple(part["factor"]) for _, _, part in _parts(model) if not _in_turn(part, ns))
    return {factors: number for number, factors in enumerate(dict.fromkeys(lists))}


def _blocks(model: ReducedModel) -> Iterator[str]:
    yield "#define EACH_BLOCK " + " ".join(_block_shapes(model))


def _block_shapes(model: ReducedModel) -> Iterator[str]:
    for number, chart in enumerate(model.charts):
        _, grids = _grids(model, chart)
        for b, (block, own) in enumerate(zip(_blocks_of(model, chart), grids, strict=True)):
            shape = block.coefficients.shape
            strides = [1] * 3
            size = shape[-1]
            for a in reversed(range(len(own))):
                strides[a] = size
                size *= shape[a]
            spans = shape[0] - block.degree if own else 0
            powers = len(own) == 1 and not model.stiff and spans * shape[-1] // CHUNK <= MOST_POWERS
            lists = (", ".join(map(str, (list(x) + [0] * 3)[:3])) for x in (block.axes, own, strides))
            axes, grid, stride = (f"{{{text}}}" for text in lists)
            yield f"BLOCK({number}, {b}, {len(own)}, {block.degree}, {axes}, {grid}, {stride}, {int(powers)})"


def _places(model: ReducedModel) -> Iterator[str]:
    charts = [_place(model, number, chart) for number, chart in enumerate(model.charts)]
    for name, which in (("EACH_PLACE", 0), ("EACH_REQUEST_PLACE", 1)):
        calls = (f"CHART({number}, {own[which]})" for number, own in enumerate(charts))
        yield f"#define {name} {' '.join(calls)}"


def _place(model: ReducedModel, number: int, chart: Chart) -> tuple[str, str]:
    """How a place is found on grids and blocks get weights: for what is not read on request, and for that."""
    grids, own = _grids(model, chart)
    blocks, end = _blocks_of(model, chart), chart.rows.ends[Need.POSES]
    late = {b for b, block in enumerate(blocks) if (block.cells[:, 0] >= end).all()}
    weighed, needed = set(), set()
    for c, _, part in _parts(model):
        if c != number:
            continue
        b = part["block"]
        if len(blocks[b].axes) == 3 or (len(blocks[b].axes) == 2 and any(part["times"])):
            weighed.add(b)
        if (len(blocks[b].axes) != 1 or model.stiff) and b not in late:
            needed |= set(own[b])
    early = {g for b in range(len(blocks)) if b not in late for g in own[b]}
    calls = [f"GRID({g}, {grids[g][0]}, {grids[g][1]}, {int(g in needed)})" for g in sorted(early)]
    again = [f"REGRID({g}, {grids[g][0]}, {grids[g][1]})" for g in sorted({g for b in late for g in own[b]})]
    where = 0
    for b in sorted(weighed):
        (again if b in late else calls).append(f"WEIGH(block_{number}_{b}, {where})")
        where += (1 + len(blocks[b].axes)) * (blocks[b].degree + 1) ** len(blocks[b].axes)
    return " ".join(calls), " ".join(again)


def _needs(model: ReducedModel) -> Iterator[str]:
    names, ns = _factor_names(model), len(model.stiff)
    for need in Need:
        charts = []
        for number, chart in enumerate(model.charts):
            own = [_run(number, run, names, ns) for run in _runs(model, chart) if run["need"] == need]
            charts.append(f"CHART({number}, {' '.join(own)})")
        lines = " \\\n    ".join(charts)
        yield f"#define EACH_{need.name} \\\n    {lines}"


def _run(number: int, run: dict[str, Any], names: dict[tuple[int, ...], int], ns: int) -> str:
    parts = []
    for part in run["part"]:
        factors = "0" if _in_turn(part, ns) else f"f_{names[tuple(part['factor'])]}"
        cells = f"CELLS({part['plain']}, {{{', '.join(map(str, part['times']))}}}, {factors})"
        parts.append(f"PART(block_{number}_{part['block']}, {part['offset']}, {part['step']}, ({cells}))")
    return f"RUN({run['row']}, {run['chunks']}, {int(run['kept'])}, {' '.join(parts)})"
