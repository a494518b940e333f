"""What the commands say when they are done."""

from __future__ import annotations

from collections.abc import Mapping
from functools import reduce
from pathlib import Path
from typing import Any

from fmu_src.model.reduced_model import Axis, Certificate, ReducedModel, StiffInfo
from fmu_src.model.units import DisplayUnit
from precompute.mechanism_file.document import differences
from precompute.mechanism_file.schema.toml_text import value_text
from precompute.tables.certificate import excess_of
from precompute.tables.table_size import table_size
from precompute.units import USUAL
from precompute.variants.telling import measured_lines

MOST_CHANGES = 8
"""Lines of what has changed in a file; of more the number is told."""


def change_lines(before: Mapping[str, Any] | None, after: Mapping[str, Any]) -> list[str]:
    """What is said otherwise in a document than before, a line each; nothing where there was none before."""
    if before is None:
        return []
    lines = []
    for path, new in differences((), before, after):
        old: Any = reduce(lambda value, key: _inside(value, key), path, before)
        place = "".join(f"[{key + 1}]" if isinstance(key, int) else f".{key}" for key in path).lstrip(".")
        lines.append(f"  {place}: {'new' if old is None else value_text(old)} -> {'gone' if new is None else new}")
    if not lines:
        return ["  saved, and what it says is the same"]
    more = len(lines) - MOST_CHANGES
    return lines if more <= 0 else [*lines[:MOST_CHANGES], f"  and {more} more"]


def _inside(value: Any, key: str | int) -> Any:
    """What stands under a key; None if there is nothing."""
    return value[key] if isinstance(key, int) else value.get(key)


def baked(model: ReducedModel, target: Path, seconds: float, stiff_tolerance: float) -> str:
    """What was made, how large and how accurate it is, in three lines; deflections in the units of its file."""
    c = model.certificate
    size = target.stat().st_size / 1024
    names = " + ".join(
        " x ".join(f"{n} {name}" for n, name in zip(nodes, axes, strict=True))
        for nodes, axes in zip(c.nodes, c.axes, strict=True)
        if nodes
    )
    return (
        f"{model.name}: {names} nodes, {len(c.columns)} columns in {seconds:.1f} s -> {target} ({size:.0f} KiB)\n"
        f"  {table_size(model).text()}\n"
        f"  largest table error at {c.points} fresh configurations: {accuracy(c)}"
        + "".join(f"\n  {line}" for line in (*stiff_lines(model), *measured_lines(model, stiff_tolerance)))
        + (f"\n  note: {model.step_note}" if model.step_note else "")
    )


def stiff_lines(model: ReducedModel) -> list[str]:
    """How far stiff coordinates may deflect, and which start beyond that."""
    if not model.stiff:
        return []
    starts = [start.value for start in model.starts[len(model.charts[0].axes) :]]
    radii = [f"{s.name} {told(s).text(s.radius)}{_about(s)}" for s in model.stiff]
    beyond = [
        f"Warning: {s.name} starts at {told(s).text(value)}, its tables are good up to "
        f"{told(s).text(s.radius)}{_about(s)}; {_advice(s)}"
        for s, value in zip(model.stiff, starts, strict=True)
        if s.share(value) > 1.0
    ]
    return [f"deflections valid up to: {', '.join(radii)}", *beyond]


def _advice(s: StiffInfo) -> str:
    if s.about:
        return "beyond it errors grow with the third power: are its bushings stiff enough, their preloads right?"
    return 'in the file, [tables] about = "static" expands them there'


def _about(s: StiffInfo) -> str:
    return f" from {told(s).text(s.about)}" if s.about else ""


def told(of: Axis | StiffInfo) -> DisplayUnit:
    """The unit of a coordinate's file."""
    return of.told or USUAL.told(of.unit)


def accuracy(c: Certificate) -> str:
    """The certificate in a line."""
    value = max(c.columns, key=lambda row: row.value_error)
    slope = max(c.columns, key=lambda row: row.slope_error)
    worst = max(excess_of(row, c.tolerance) for row in c.columns)
    return (
        f"value {value.value_error:.1e} ({value.column}), slope {slope.slope_error:.1e} ({slope.column}); "
        f"{worst:.0%} of what tolerance {c.tolerance:g} allows"
    )
