"""Which coordinates of hardpoints move toe and camber most over wheel travel: ranked, as bars."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator, Sequence
from html import escape

import numpy as np

from fmu_src.build.pages.html import paragraph, section
from precompute.design import Design
from precompute.errors import PrecomputeError
from precompute.model.mechanism import Mechanism
from precompute.sensitivity import Sensitivity, sensitivity
from precompute.sensitivity.effects import Effect
from precompute.sensitivity.variables import kind_of
from precompute.sheets.text import told
from precompute.units import Units

METRICS = ("toe", "camber")
MOST = 10
"""Bars of each."""

POINTS = 13
"""Of wheel travel."""

LONGEST = 15.0
"""[s] No metric is begun after that."""

PLACE = re.compile(r"joint\.\w+\.at\.[xyz]$")
"""Hardpoints of a mechanism without named points, as that in an FMU: where its joints are."""


def ranked(mechanism: Mechanism) -> tuple[list[Sensitivity], str]:
    """For each metric; and why there are not all of them, in words."""
    found: list[Sensitivity] = []
    begun = time.monotonic()
    try:
        names = hardpoints(mechanism)
        for metric in METRICS if names else ():
            if time.monotonic() - begun > LONGEST:
                return found, f"{metric} would take too long here; 'kinetab sensitivity' has it"
            found.append(sensitivity(mechanism, metric, points=POINTS, variables=names, elastic=False))
    except PrecomputeError as error:
        return found, str(error)
    return found, "" if names else "it has no hardpoints that can be moved"


def hardpoints(mechanism: Mechanism) -> list[str]:
    """Design variables that are coordinates of points by name; where there are none, places of joints."""
    design = Design.of(mechanism)
    points = [name for name, own in design.variables.items() if kind_of(own, design.units) == "point"]
    return points or [name for name in design.variables if PLACE.match(name)]


def ranked_html(found: Sequence[Sensitivity], why: str, units: Units) -> str:
    """The section: a table with bars for each metric."""
    text = (
        "What one millimetre more of a coordinate of a hardpoint changes, at the point of wheel travel where that is "
    )
    text += "most; exact, with bushings locked. The last column: what it changes of the slope at design."
    body = paragraph(text, "note") + '<div class="beside">\n' + "".join(bars(own, units) for own in found) + "</div>\n"
    body += paragraph(f"Left out: {why}.", "note") if why else ""
    return section("Which hardpoint does what", body if found else paragraph(f"None: {why}.", "note"), "ranked")


def bars(own: Sensitivity, units: Units) -> str:
    """The largest of one metric; coordinates in units of the file."""
    effects = own.ranked()[:MOST]
    name, at = own.column.partition(".")[0], own.at_design
    title = f"{name.capitalize()} over travel from {own.input[0]:.4g} to {own.input[-1]:.4g} {own.input_unit}"
    if not effects:
        return f"<div>\n<h3>{escape(title)}</h3>\n{paragraph('No hardpoint changes it.')}</div>\n"
    head = ("", "is", f"{own.unit}/mm", "", f"at {own.input_unit}", f"{own.slope_unit}/mm")
    lines = ["".join(f"<th{' class=n' * (k in (1, 2, 4, 5))}>{escape(text)}</th>" for k, text in enumerate(head))]
    lines += ["".join(cells(own, effect, effects[0].size, at, units)) for effect in effects]
    rows = "".join(f"<tr>{line}</tr>\n" for line in lines[1:])
    return (
        f"<div>\n<h3>{escape(title)}</h3>\n<table class='ranked'>\n<thead><tr>{lines[0]}</tr></thead>\n"
        f"<tbody>{rows}</tbody></table>\n</div>\n"
    )


def cells(own: Sensitivity, effect: Effect, largest: float, at: int, units: Units) -> Iterator[str]:
    """Of one coordinate: its name and value, its largest effect as number and bar, where, and that on the slope."""
    k = int(np.nanargmax(np.abs(effect.values)))
    value, kind = float(effect.values[k]), "less" if effect.values[k] < 0.0 else "more"
    yield f"<th scope='row'>{escape(effect.name.removeprefix('point.').removeprefix('joint.'))}</th>"
    yield f"<td class='n'>{escape(units.shown(effect.variable.value))}</td><td class='n'>{told(value)}</td>"
    yield f"<td class='bars'><span class='bar {kind}' style='width:{100.0 * abs(value) / largest:.1f}%'></span></td>"
    yield f"<td class='n'>{told(float(own.input[k]))}</td><td class='n'>{told(float(effect.slopes[at]))}</td>"
