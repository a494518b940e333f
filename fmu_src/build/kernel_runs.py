"""How the kernel goes through the tables of a chart: grids that blocks share, and runs of equal chunks of rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..model.reduced_model import FACTORS, Array, Block, Chart, ReducedModel
from ..model.rows import CHUNK, Need


def shared_grids(blocks: Sequence[Block]) -> tuple[list[tuple[int, int, Array]], list[list[int]]]:
    """The grids that blocks share (axis, degree, knots), and those of each block."""
    grids: list[tuple[int, int, Array]] = []
    numbers = []
    for block in blocks:
        own = []
        for axis, knots in zip(block.axes, block.knots, strict=True):
            grid = axis, block.degree, knots
            known = [g for g, (*key, t) in enumerate(grids) if key == [*grid[:2]] and np.array_equal(t, knots)]
            if not known:
                grids.append(grid)
            own.append(known[0] if known else len(grids) - 1)
        numbers.append(own)
    return grids, numbers


def runs(model: ReducedModel, chart: Chart) -> list[dict[str, Any]]:
    """Chunks of rows one after the other to which the same blocks add cells of the same kinds, as one run each."""
    rows = chart.rows
    measures = rows.varying + rows.fixed
    kept = range(rows.s, rows.s + (measures if model.couplings else rows.varying))
    parts: dict[int, list[dict[str, Any]]] = {}
    for number, block in enumerate(chart.blocks):
        for row, part in block_parts(number, block).items():
            parts.setdefault(row, []).append(part)
    found: list[dict[str, Any]] = []
    for row in range(0, rows.count, CHUNK):
        need = next(need for need in Need if row < rows.ends[need])
        keep = bool(kept) and row < kept.stop and row + CHUNK > kept.start
        run = {"need": need, "row": row, "chunks": 1, "kept": keep, "part": parts.get(row, [])}
        if not (found and joined(found[-1], run)):
            found.append(run)
    return found


def block_parts(number: int, block: Block) -> dict[int, dict[str, Any]]:
    """What a block adds to each chunk of rows."""
    found: dict[int, dict[str, Any]] = {}
    for column, (row, *cell) in enumerate(block.cells.tolist()):
        blank = {"plain": 0, "times": [0] * FACTORS, "factor": []}
        part = found.setdefault(row, {"block": number, "offset": CHUNK * column, "step": 0, **blank})
        factors = [k for k in cell if k >= 0]
        if factors:
            part["times"][len(factors) - 1] += 1
        else:
            part["plain"] += 1
        part["factor"] += factors
    return found


def joined(run: dict[str, Any], later: dict[str, Any]) -> bool:
    """Let a run go on with another chunk, if that is of the same kind."""
    if any(run[key] != later[key] for key in ("need", "kept")) or len(run["part"]) != len(later["part"]):
        return False
    n = run["chunks"]
    if later["row"] != run["row"] + n * CHUNK:
        return False
    steps = []
    for a, b in zip(run["part"], later["part"], strict=True):
        same = all(a[key] == b[key] for key in ("block", "plain", "times", "factor"))
        step = b["offset"] - a["offset"]
        if not same or step % n or (n > 1 and step != n * a["step"]):
            return False
        steps.append(step // n)
    for part, step in zip(run["part"], steps, strict=True):
        part["step"] = step
    run["chunks"] = n + 1
    return True
