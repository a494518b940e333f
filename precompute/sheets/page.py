"""One page with the curves of an axle: what to hang on the wall."""

from __future__ import annotations

import io
import math
import textwrap
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from fmu_src import __version__
from precompute.arrays import Array
from precompute.report.picture_file import save
from precompute.sheets.columns import CaseResult, Column, NoColumnError, Sheet
from precompute.sheets.comparison import check_signs, overlay
from precompute.sheets.measured import Measured
from precompute.sheets.text import differs, told

SIZE = (16.5, 11.7)
"""[in] A3, landscape."""

BLUE, RED, GREEN, GREY = "#1f5fa8", "#c23b22", "#2e8540", "#8a8a8a"
COLOURS = (BLUE, RED, GREEN, "#8e44ad")
OTHERS = ("#e08e0b", "#17889b", "#b03a78", "#5d6d1e")
"""Of what is laid over it."""

SIGNED = ("roll", "force", "torque")
"""Inputs of which one has to be told which way is positive."""

FOOT_WIDTH = 150
"""Letters in a line of one of its two columns."""


@dataclass(frozen=True)
class Panel:
    """Metrics in one diagram: of each case named, in order of preference."""

    title: str
    cases: tuple[str, ...]
    metrics: tuple[str, ...]


MOTION_RATIOS = ("spring_motion_ratio", "damper_motion_ratio", "element_motion_ratio", "bar_motion_ratio")

PANELS = (
    Panel("Toe in bump", ("bump",), ("toe",)),
    Panel("Camber in bump", ("bump",), ("camber",)),
    Panel("Contact point in bump", ("bump",), ("patch_longitudinal", "patch_lateral")),
    Panel("Wheel load in bump", ("bump",), ("wheel_load",)),
    Panel("Steering axis in bump", ("bump",), ("caster", "kingpin_inclination")),
    Panel("Roll centre in bump", ("bump",), ("roll_centre_height",)),
    Panel("Motion ratios in bump", ("bump",), MOTION_RATIOS),
    Panel("Anti-features in bump", ("bump",), ("anti_dive", "anti_lift", "anti_squat", "anti_lift_drive")),
    Panel("Toe in roll", ("roll",), ("toe",)),
    Panel("Camber in roll", ("roll",), ("camber",)),
    Panel("Steer angles", ("steering",), ("steer",)),
    Panel("Ackermann error", ("steering",), ("ackermann_error",)),
    Panel("Toe under lateral force", ("lateral", "lateral_opposed"), ("toe",)),
    Panel("Camber under lateral force", ("lateral", "lateral_opposed"), ("camber",)),
    Panel("Toe under braking and traction", ("braking", "traction"), ("toe",)),
    Panel("Toe under aligning torque", ("aligning", "aligning_opposed"), ("toe",)),
)
"""Four rows of four, where all cases were asked for."""


DESIGN = {
    "toe": "toe",
    "camber": "camber",
    "caster": "caster",
    "kingpin_inclination": "kingpin",
    "scrub_radius": "scrub",
    "mechanical_trail": "trail",
    "roll_centre_height": "roll centre",
    "anti_dive": "anti-dive",
    "anti_lift": "anti-lift",
    "anti_squat": "anti-squat",
    "spring_motion_ratio": "motion ratio",
    "wheel_rate": "wheel rate",
    "ride_frequency": "ride",
    "roll_stiffness": "roll stiffness",
}
"""What stands above the diagrams, and how it is called there."""


class Page(Figure):
    """A figure that notebooks show."""

    def _repr_png_(self) -> bytes:
        buffer = io.BytesIO()
        self.savefig(buffer, format="png", dpi=80)
        return buffer.getvalue()


def page(kc: Sheet, path: str | Path | None, others: Mapping[str, Sheet | Measured]) -> Figure:
    """The page; saved if there is a path.

    Raises:
        PrecomputeError: there are no pictures of that kind, or it cannot be written.
    """
    for name, other in others.items():
        check_signs(kc, name, other)
    panels = [panel for panel in PANELS if {*panel.cases} & {*kc.cases, *kc.curves.left_out}]
    figure = Page(figsize=SIZE, facecolor="white")
    across = min(4, max(1, math.ceil(math.sqrt(len(panels)))))
    axes = figure.subplots(math.ceil(len(panels) / across), across, squeeze=False)
    figure.subplots_adjust(left=0.045, right=0.985, top=0.9, bottom=0.17, hspace=0.52, wspace=0.26)
    for ax, panel in zip_longest(axes.flat, panels):
        if panel is None:
            ax.set_axis_off()
        else:
            draw(ax, kc, panel, others)
    head(figure, kc, others)
    foot(figure, kc)
    if path is not None:
        save(figure, Path(path))
    return figure


def head(figure: Figure, kc: Sheet, others: Mapping[str, Sheet | Measured]) -> None:
    """Title, and what is laid over it."""
    figure.text(0.045, 0.966, f"{kc.name}: kinematics and compliance of axle '{kc.axle}'", fontsize=17, weight="bold")
    kind = "quasi-static, bushings give way" if kc.curves.stand.rig.bench.elastic else "rigid kinematics"
    sides = "one side by symmetry" if kc.curves.record.mirrored else "both sides"
    line = f"{kind}; {sides}; dots: design position, with the gradient there"
    figure.text(0.045, 0.949, line, fontsize=9.5, color="#444444")
    figure.text(0.045, 0.932, f"At design: {design_line(kc)}", fontsize=9)
    for k, name in enumerate(others):
        colour = OTHERS[k % len(OTHERS)]
        figure.text(0.985, 0.969 - 0.016 * k, f"- - {name}", fontsize=10, color=colour, ha="right")
    figure.text(0.985, 0.012, f"kinetab {__version__}", fontsize=8, color=GREY, ha="right")


def design_line(kc: Sheet) -> str:
    """The numbers that are asked for first."""
    found = []
    for name, words in DESIGN.items():
        try:
            column = kc.main[name]
        except NoColumnError:
            continue
        if math.isfinite(column.design):
            found.append(
                f"{words} {told(float(f'{column.design:.3g}'))}" + f" {column.unit}" * (column.unit != "mm/mm")
            )
    return ", ".join(found)


def foot(figure: Figure, kc: Sheet) -> None:
    """All that definitions leave open, in two columns; before it what was left out."""
    lines = [
        part for line in (*kc.remarks, *kc.foot) for part in textwrap.wrap(line, FOOT_WIDTH, subsequent_indent="   ")
    ]
    half = math.ceil(len(lines) / 2)
    for x, some in ((0.045, lines[:half]), (0.52, lines[half:])):
        figure.text(x, 0.125, "\n".join(some), fontsize=6.6, color="#333333", va="top", linespacing=1.35)


def draw(ax: Any, kc: Sheet, panel: Panel, others: Mapping[str, Sheet | Measured]) -> None:
    """One diagram."""
    ax.set_title(panel.title, fontsize=10, weight="bold", loc="left")
    ax.tick_params(labelsize=7.5)
    found = [(case, c) for case in panel.cases if case in kc.cases for c in columns(kc, kc.cases[case], panel)]
    found = [(case, c) for case, c in found if np.isfinite(c.values).sum() > 1]
    if not found:
        ax.set_axis_off()
        ax.text(0.5, 0.5, why_empty(kc, panel), ha="center", va="center", fontsize=8, color=GREY, wrap=True)
        return
    first = found[0][1]
    ax.axhline(0.0, color="#cccccc", lw=0.8, zorder=0)
    ax.axvline(0.0, color="#cccccc", lw=0.8, zorder=0)
    several = len({case for case, _ in found}) > 1
    laid_over = []
    for k, (case, c) in enumerate(found):
        colour = COLOURS[k % len(COLOURS)]
        ax.plot(
            c.input,
            c.values,
            color=colour,
            lw=1.7,
            ls="-" if k < len(COLOURS) else ":",
            label=label(kc, case, c, several),
        )
        tangent_line(ax, c, colour)
        for number, other in enumerate(others.values()):
            over = overlay(other, case, c.name, kc.own_side)
            if over is not None:
                laid_over.append(within(c, *over))
                ax.plot(*over, color=OTHERS[number % len(OTHERS)], lw=1.2, ls="--")
    low, high = first.input.min(), first.input.max()
    ax.set_xlim(min(low, *(c.input.min() for _, c in found)), max(high, *(c.input.max() for _, c in found)))
    ways = dict.fromkeys(kc.cases[case].positive for case, _ in found)
    way = f", positive {' / '.join(ways)}" if first.input_name in SIGNED else ""
    ax.set_xlabel(f"{first.input_name} [{first.input_unit}]{way}", fontsize=8, labelpad=1)
    ax.set_ylabel(f"[{first.unit}]", fontsize=8, labelpad=1)
    ax.grid(color="#eeeeee", lw=0.6)
    widen(ax, [*(c.values for _, c in found), *laid_over], len(found))
    ax.legend(fontsize=6.8, frameon=False, loc="best", handlelength=1.4, labelspacing=0.25, borderaxespad=0.2)


def columns(kc: Sheet, case: CaseResult, panel: Panel) -> list[Column]:
    """Those of a panel; of two wheels that do the same, one."""
    found = [c for name in panel.metrics for c in case.columns.values() if c.name.partition(".")[0] == name]
    other = {"left": "right", "right": "left"}[kc.own_side]
    return [c for c in found if not c.name.endswith(f".{other}") or differs(case, c, kc.own_side)]


def label(kc: Sheet, case: str, c: Column, several: bool) -> str:
    """Name and slope of a curve."""
    name = c.name.replace("_", " ").replace(".", " ")
    if c.name.endswith(f".{kc.own_side}") and kc.curves.record.mirrored:
        name = name.removesuffix(f" {kc.own_side}")
    numbers = [f"{told(c.design)} {c.unit}"] if math.isfinite(c.design) else []
    numbers += [f"{told(c.gradient)} {c.gradient_unit}"] if math.isfinite(c.gradient) else []
    of = f", {case.replace('_', ' ')}" if several else ""
    return f"{name}{of}{': ' if numbers else ''}{', '.join(numbers)}"


def tangent_line(ax: Any, c: Column, colour: str) -> None:
    """The design position and the tangent there, over a sixth of the range."""
    if not math.isfinite(c.design):
        return
    ax.plot([0.0], [c.design], "o", ms=3.5, color=colour)
    slope = slope_in_units(c)
    if slope is None:
        return
    reach = (c.input.max() - c.input.min()) / 6.0
    x = np.array([max(-reach, c.input.min()), min(reach, c.input.max())])
    ax.plot(x, c.design + slope * x, color=colour, lw=0.8, ls=(0, (4, 2)), alpha=0.8)


def slope_in_units(c: Column) -> float | None:
    """The gradient in the units of the diagram; None where there is none."""
    if not math.isfinite(c.gradient):
        return None
    per = {"m": 1e-3, "m2": 1e-3, "(100 N m)": 1e-2}.get(c.gradient_unit.removeprefix(f"{c.unit}/"), 1.0)
    return c.gradient * (1e-3 if c.gradient_unit in ("deg/m", "deg/m2", "1/m") else per)


def within(c: Column, x: Array, y: Array) -> Array:
    """What of another curve lies in the range of ours."""
    return y[(x >= c.input.min()) & (x <= c.input.max())]


def widen(ax: Any, values: list[Array], entries: int) -> None:
    """Leave room for the legend; what hardly changes is no staircase of round-off."""
    every = np.concatenate([v[np.isfinite(v)] for v in values])
    low, high = float(every.min()), float(every.max())
    room = max(0.12 * (high - low), 1e-3 * max(abs(low), abs(high)), 1e-9)
    ax.set_ylim(low - room, high + (0.6 + entries) * room)


def why_empty(kc: Sheet, panel: Panel) -> str:
    """Why a diagram has no curve."""
    for case in panel.cases:
        if case in kc.curves.left_out:
            return f"no {case}:\n{kc.curves.left_out[case]}"
    reasons = [kc.missing[name] for name in panel.metrics if name in kc.missing]
    return "\n".join(textwrap.fill(reason, 40) for reason in reasons[:3]) or "not measured"
