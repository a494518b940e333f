"""A picture of a run over time: inputs, coordinates, wheels and markers, forces, energy; or what was asked for."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from precompute.arrays import Array
from precompute.report.picture_file import save
from precompute.report.plain_names import RULES, joint_label, plain_names, rule_of, shown
from precompute.running.samples import Samples

MOST_LINES = 9
"""In one panel; of more, those that move most are drawn."""

EQUAL = 2e-3
"""Of the height of a panel: curves that differ by less are one curve to the eye."""

NEAR = 1.5e-2
"""Of the height of a panel: curves that are closer most of the time get different lines, so that both are seen."""

POSITION = re.compile(r"marker\.\w+\.r\[\d\]")
ROAD = re.compile(r"wheel\.\w+\.road\..+")
WORDS = {
    "mm": "length",
    "deg": "angle",
    "N": "force",
    "N m": "moment",
    "J": "energy",
    "m/s": "velocity",
    "deg/s": "velocity",
    "m/s2": "acceleration",
    "rad/s2": "acceleration",
    "m/s3": "jerk",
    "rad/s3": "jerk",
}
"""What is measured in a unit, for the axis."""

REST = 1e-9
"""[m] A marker that moves less rests."""

LINES = ("-", "--", ":", "-.")


@dataclass(frozen=True, eq=False)
class Curve:
    """One line of a panel; variables that are equal share it."""

    names: tuple[str, ...]
    values: Array  # (nt,)


@dataclass(frozen=True, eq=False)
class Panel:
    """Curves of one kind and unit."""

    title: str
    unit: str
    curves: tuple[Curve, ...]
    left_out: int  # curves that are not drawn, since they are too many


def plot_run(run: Samples, path: Path, names: Sequence[str] = (), stopped: bool = False) -> None:
    """Draw the run as a PNG (or whatever the name's ending says).

    Args:
        run: what to draw.
        path: where to.
        names: outputs and inputs; those of `usual` if there are none.
        stopped: whether the run ended by a failure.
    """
    save(run_figure(run, names or usual(run), stopped), path)


def run_figure(run: Samples, names: Sequence[str], stopped: bool = False) -> Figure:
    """The picture: panels one below the other, in two columns if they are many; legends beside them."""
    found = panels(run, names)
    columns = 1 if len(found) < 4 else 2
    rows = -(-len(found) // columns)
    figure = Figure(figsize=(7.5 * columns, 2.4 * rows + 0.6), layout="constrained")
    plain = plain_names(run.values)
    for i, part in enumerate(figure.subfigures(1, columns, squeeze=False).ravel()):
        own = found[i * rows : (i + 1) * rows]
        axes = part.subplots(len(own), 1, sharex=True, squeeze=False).ravel()
        for ax, panel in zip(axes, own, strict=True):
            draw_panel(ax, run.time, panel, plain)
        axes[-1].set_xlabel("time [s]")
    figure.suptitle(f"{run.name}, stopped at {run.time[-1]:.4g} s" if stopped else run.name)
    return figure


def draw_panel(ax: Any, time: Array, panel: Panel, plain: dict[str, str]) -> None:
    """One panel: curves that run close together get different lines; the legend stands beside them."""
    for curve, style, order in zip(panel.curves, styles(panel), calmness(panel), strict=True):
        text = joint_label([plain[name] for name in curve.names])
        on_top = 2.0 + LINES.index(style) + order  # dashes above full lines, calm curves above wild ones
        marker = "o" if len(time) == 1 else ""
        ax.plot(time, curve.values, label=text, linewidth=1.5, linestyle=style, marker=marker, zorder=on_top)
    more = f" (the {len(panel.curves)} that move most; {panel.left_out} more)" if panel.left_out else ""
    ax.set_title(panel.title + more, fontsize=10)
    ax.set_ylabel(f"{WORDS.get(panel.unit, '')} [{panel.unit}]".lstrip())
    ax.grid(alpha=0.3)
    ax.legend(fontsize=8, frameon=False, loc="upper left", bbox_to_anchor=(1.0, 1.03), borderaxespad=0.2)


def styles(panel: Panel) -> list[str]:
    """A line for each curve, other than those of curves that it runs close to."""
    found: list[str] = []
    height = span(panel.curves)
    for i, curve in enumerate(panel.curves):
        close = [style for other, style in zip(panel.curves, found, strict=False) if near(curve, other, height)]
        found.append(next((line for line in LINES if line not in close), LINES[i % len(LINES)]))
    return found


def calmness(panel: Panel) -> list[float]:
    """For each curve a number below 1 that is larger the shorter its way up and down is."""
    way = [float(np.abs(np.diff(curve.values)).sum()) for curve in panel.curves]
    return [sum(other > own for other in way) / len(way) for own in way]


def panels(run: Samples, names: Sequence[str]) -> list[Panel]:
    """Variables by kind and unit; inputs come first, all of them together."""
    groups: dict[tuple[int, str, str], list[str]] = {}
    for name in names:
        rule, _ = rule_of(name)
        unit, _ = displayed(run, name)
        first = min(i for i, other in enumerate(RULES) if other.title == rule.title)
        key = (-1, "Inputs", unit) if name in run.inputs else (first, rule.title, unit)
        groups.setdefault(key, []).append(name)
    order = sorted(groups, key=lambda key: key[0])
    return [panel(run, title, unit, groups[place, title, unit]) for place, title, unit in order]


def panel(run: Samples, title: str, unit: str, names: Sequence[str]) -> Panel:
    """Equal variables share a curve; of too many curves those that move most are taken."""
    single = [Curve((name,), displayed(run, name)[1]) for name in names]
    height, curves = span(single), list[Curve]()
    for one in single:
        for i, other in enumerate(curves):
            if np.max(np.abs(one.values - other.values)) <= EQUAL * height:
                curves[i] = Curve(other.names + one.names, other.values)
                break
        else:
            curves.append(one)
    moving = sorted(curves, key=lambda curve: float(-np.ptp(curve.values)))[:MOST_LINES]
    return Panel(title, unit, tuple(c for c in curves if c in moving), len(curves) - len(moving))


def span(curves: Sequence[Curve]) -> float:
    """Height of a panel."""
    return float(max(np.max(c.values) for c in curves) - min(np.min(c.values) for c in curves))


def near(one: Curve, other: Curve, height: float) -> bool:
    """Whether two curves run so close together that one would hide the other."""
    return float(np.median(np.abs(one.values - other.values))) < NEAR * height


def usual(run: Samples) -> list[str]:
    """What is drawn if nothing is asked for: markers and roads only where they move, inputs where they are not zero."""
    outputs = [name for name in run.outputs if rule_of(name)[0].drawn]
    return [
        *(name for name, x in run.inputs.items() if np.ptp(x) > 0.0 or (np.any(x) and not ROAD.fullmatch(name))),
        *(name for name in outputs if not (POSITION.fullmatch(name) and np.ptp(run.outputs[name]) < REST)),
    ]


def displayed(run: Samples, name: str) -> tuple[str, Array]:
    """Unit and values as an engineer reads them; positions of markers as displacements since the start."""
    values = run.values[name]
    unit, factor = shown(run.units[name])
    return unit, factor * (values - values[0] if POSITION.fullmatch(name) else values)
