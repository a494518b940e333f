"""Sensitivities as a picture: the largest as bars, and their curves over the case."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from precompute.report.picture_file import save
from precompute.sensitivity.effects import Effect, Effects
from precompute.sensitivity.text import KINDS

BARS, LINES = 15, 8
BLUE, RED = "#1f5fa8", "#c23b22"


def picture(found: Effects, path: Path | None) -> Figure:
    """A row for each kind of variables that has an effect."""
    kinds = [(title, found.ranked(kind)) for kind, title in KINDS.items() if found.ranked(kind)]
    rows = max(len(kinds), 1)
    figure = Figure(figsize=(13.0, 0.6 + 4.9 * rows), layout="constrained")
    axes = figure.subplots(rows, 2, squeeze=False, width_ratios=(1.0, 1.25))
    for (left, right), (title, ranked) in zip(axes, kinds, strict=False):
        unit = title.partition(", ")[2].partition(" of")[0]
        bars(left, found, ranked[:BARS], title)
        curves(right, found, ranked[:LINES], unit)
    figure.suptitle(
        f"{found.mechanism}: what changes {found.column} over {found.case.input} ({found.case.title.lower()})"
    )
    if path is not None:
        save(figure, path)
    return figure


def bars(ax: Any, found: Effects, effects: list[Effect], title: str) -> None:
    """The largest of each, with its sign."""
    sizes = [float(e.values[int(np.nanargmax(np.abs(e.values)))]) for e in effects]
    at = np.arange(len(effects))[::-1]
    ax.barh(at, np.abs(sizes), color=[BLUE if size > 0.0 else RED for size in sizes])
    ax.set_yticks(at, [e.name for e in effects], fontsize=8)
    ax.set_xlabel(f"largest change of {found.column} [{found.unit}], blue up, red down")
    ax.set_title(title, fontsize=10)
    ax.grid(alpha=0.3, axis="x")
    ax.set_axisbelow(True)


def curves(ax: Any, found: Effects, effects: list[Effect], per: str) -> None:
    """Over the case."""
    for effect in effects:
        ax.plot(found.input, effect.values, label=effect.name, linewidth=1.4)
    ax.axhline(0.0, color="black", linewidth=0.6)
    ax.set_xlabel(f"{found.case.input} [{found.input_unit}]")
    ax.set_ylabel(f"change of {found.column} [{found.unit} {per}]")
    ax.grid(alpha=0.3)
    ax.legend(fontsize=7, framealpha=0.7)
