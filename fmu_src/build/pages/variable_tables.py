"""Inputs, outputs and parameters, in groups that can be folded and searched."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from ...interface.variable import Variable
from ...model.units import DisplayUnit, told_in
from .html import code, folded, noun, paragraph, table
from .numbers import ends, unit, value

CAUSALITIES = (("input", "Inputs"), ("output", "Outputs"), ("parameter", "Parameters"))

GROUPS = {
    "q": "Coordinates",
    "qd": "Coordinates",
    "qdd": "Coordinates",
    "Q": "Forces on coordinates",
    "q_start": "Start values",
    "qd_start": "Start values",
    "x_start": "Start values",
    "wheel": "Wheels",
    "marker": "Markers",
    "port": "Ports: forces and moments on markers",
    "drive": "Drives",
    "chassis": "The chassis",
    "joint": "Joints",
    "rod": "Rods",
    "coupling": "Couplings",
    "constraint": "Constraints",
    "spring": "Springs",
    "damper": "Dampers",
    "force": "Constant forces",
    "bushing": "Bushings",
    "element": "Elements",
    "measure": "Measures",
    "gravity": "Gravity",
    "design": "Design parameters",
    "energy": "Energy",
    "table": "Tables: whether and how far they err",
    "solver": "Solver",
}
"""How names begin -> what they belong to; in this order on the page."""

OTHERS = "Others"

FEW = 30
"""So many variables are shown unfolded."""

SEARCH = """<p class="search" id="search" role="search" hidden="hidden"><label>Search
<input type="search" placeholder="name, text or unit" aria-describedby="found" accesskey="/"/></label>
<output id="found"></output></p>
"""


def variables_html(variables: Sequence[Variable], base: Mapping[str, DisplayUnit]) -> str:
    """Every causality in turn."""
    note = "In SI, and below that in the units of the file. " if base else "In SI. "
    note += "Forces, moments and markers are in ground axes. Tunable parameters act at the next step."
    parts = [paragraph(note, "note"), SEARCH]
    for causality, title in CAUSALITIES:
        own = [v for v in variables if v.causality == causality]
        groups = "".join(groups_html(own, columns(own, base)))
        parts.append(f'<div id="{causality}s">\n<h3>{title} ({len(own)})</h3>\n{groups}</div>\n')
    return "".join(parts)


def groups_html(own: Sequence[Variable], cells: Mapping[str, Sequence[str]]) -> Iterator[str]:
    """All variables of a causality, by what they belong to."""
    groups: dict[str, list[int]] = {title: [] for title in [*GROUPS.values(), OTHERS]}
    for k, v in enumerate(own):
        groups[GROUPS.get(v.name.partition(".")[0].partition("[")[0], OTHERS)].append(k)
    numeric = [i for i, title in enumerate(cells) if title in ("Start", "Range")]
    for title, some in groups.items():
        if some:
            rows = zip(*([column[k] for k in some] for column in cells.values()), strict=True)
            yield folded(f"{title} ({len(some)})", table(tuple(cells), rows, numeric), shown=len(own) <= FEW)


def columns(own: Sequence[Variable], base: Mapping[str, DisplayUnit]) -> dict[str, list[str]]:
    """Title -> cells of each variable; no column that would be empty."""
    told = [(v, told_in(v.unit, base)) for v in own]
    found: dict[str, list[str]] = {
        "Name": [code(v.name) for v in own],
        "Start": [value(v.start, t) for v, t in told],
        "Range": [ends(v.minimum, v.maximum, t) for v, t in told],
        "Unit": [unit(v.unit, t) for v, t in told],
        "Meaning": [v.description + (" (fixed)" if v.variability == "fixed" else "") for v in own],
    }
    return {title: cells for title, cells in found.items() if any(cells)}


def counted(variables: Sequence[Variable]) -> list[tuple[str, str]]:
    """How many of each there are."""
    numbers = [(sum(v.causality == causality for v in variables), causality) for causality, _ in CAUSALITIES]
    return [(str(n), noun(n, causality)) for n, causality in numbers]
