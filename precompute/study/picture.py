"""A finished study as a picture: bands over the case, and what makes them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from precompute.report.picture_file import save
from precompute.study.summary import Band, Summary

BARS = 8
BLUE, RED = "#1f5fa8", "#c23b22"


def picture(found: Summary, path: Path | None) -> Figure:
    """A row for each column."""
    rows = len(found.bands)
    figure = Figure(figsize=(12.0, 0.6 + 3.6 * rows), layout="constrained")
    axes = figure.subplots(rows, 2, squeeze=False, width_ratios=(1.4, 1.0))
    for (left, right), band in zip(axes, found.bands, strict=True):
        curves(left, band)
        bars(right, band)
    failed = f", {len(found.failures)} of them not at all points" if found.failures else ""
    figure.suptitle(f"{found.study.mechanism.name}: {found.study.count} designs{failed}")
    if path is not None:
        save(figure, path)
    return figure


def curves(ax: Any, band: Band) -> None:
    """Least to largest, 5 to 95 percent, and the mechanism as it is."""
    low, middle, high = band.percentiles
    ax.fill_between(band.input, band.least, band.largest, color=BLUE, alpha=0.15, linewidth=0.0, label="all")
    ax.fill_between(band.input, low, high, color=BLUE, alpha=0.35, linewidth=0.0, label="5 to 95 %")
    ax.plot(band.input, middle, color=BLUE, linewidth=1.2, label="median")
    ax.plot(band.input, band.unchanged, color=RED, linewidth=1.2, linestyle="--", label="as it is")
    ax.set_xlabel(f"{band.case} [{band.input_unit}]")
    ax.set_ylabel(f"{band.column} [{band.unit}]")
    ax.grid(alpha=0.3)
    ax.legend(fontsize=7, framealpha=0.7)


def bars(ax: Any, band: Band) -> None:
    """The largest shares in its variance; total Sobol indices, where there are some, behind those of first order."""
    names, sizes = [*band.shares][:BARS], [100.0 * x for x in band.shares.values()][:BARS]
    at = np.arange(len(names))[::-1]
    if band.totals:
        ax.barh(at, [100.0 * band.totals[name] for name in names], color=BLUE, alpha=0.35, label="with others")
    ax.barh(at, sizes, color=BLUE, label="alone")
    if band.totals:
        ax.legend(fontsize=7, framealpha=0.7)
    ax.set_yticks(at, names, fontsize=8)
    ax.set_xlabel(f"share in the variance of {band.column} over all points [%]")
    ax.grid(alpha=0.3, axis="x")
    ax.set_axisbelow(True)
