"""Loads on the page: what every joint, spring and bushing carries over the cases of the rig, as data for `loads.js`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from fmu_src.build.pages.html import folded, listed, paragraph, section
from precompute.arrays import Array
from precompute.loading.rig_loads import CaseLoads, RigLoads, rig_loads
from precompute.rig.march import Course
from precompute.rig.quantities import INPUTS
from precompute.sheets.columns import Sheet
from precompute.web.axle import input_data, number, rounded

EVERY = 2
"""Every so many points of a case are taken; the last one too."""

REST = 1e-9
"""Of the largest load of its unit: a smaller one is none."""

TITLES = {
    "joint": "Joints",
    "rod": "Rods",
    "coupling": "Couplings",
    "constraint": "Constraints",
    "spring": "Springs, stops and bars",
    "bushing": "Bushings",
    "damper": "Dampers",
    "force": "Given forces",
    "element": "Elements",
}
"""What is drawn together."""


@dataclass(frozen=True, eq=False)
class Carried:
    """One load over a case."""

    kind: str
    name: str
    unit: str
    values: Array  # (n,) the size of a vector, otherwise with its sign
    vector: Array | None = None  # (n, 3)


def sheet_loads(kc: Sheet) -> RigLoads:
    """Of an axle whose curves are known."""
    return rig_loads(kc.curves.stand, [thinned(curve.course) for curve in kc.curves.curves])


def thinned(course: Course) -> Course:
    """With as many samples as a curve of loads needs."""
    n = len(course.values)
    return course.some(np.unique([*range(0, n, EVERY), n - 1])) if n else course


def loads_data(loads: RigLoads) -> dict[str, Any]:
    """What `loads.js` reads."""
    return {own.course.case.name: case_data(own) for own in loads.cases}


def case_data(own: CaseLoads) -> dict[str, Any]:
    """One case: its input, and groups of curves, each with the numbers of its row in the table."""
    case, shown = own.course.case, INPUTS[own.course.case.unit]
    every = [*carried(own)]
    largest = {unit: max(float(np.abs(c.values).max()) for c in every if c.unit == unit) for unit in ("N", "N m")}
    groups: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for load in every:
        if float(np.abs(load.values).max()) > REST * largest[load.unit]:
            groups.setdefault((load.kind, load.unit), []).append(load_data(load))
    x = case.sign.factor("iso") * shown.factor * own.course.values
    return {
        "title": case.title,
        "input": input_data(case, shown.unit, x),
        "groups": [{"title": TITLES[kind], "unit": unit, "loads": some} for (kind, unit), some in groups.items()],
    }


def load_data(load: Carried) -> dict[str, Any]:
    """A curve; where it is largest, and what of it is along the axes of the file there."""
    most = int(np.argmax(np.abs(load.values)))
    parts = [] if load.vector is None else [number(float(x)) for x in load.vector[most]]
    return {"name": load.name, "values": rounded(load.values), "most": most, "parts": parts}


def carried(own: CaseLoads) -> Iterator[Carried]:
    """Everything that carries something."""
    for name, vector in own.vectors.items():
        _, joint, symbol = name.split(".")
        unit = "N" if symbol == "F" else "N m"
        yield Carried("joint", joint, unit, np.linalg.norm(vector, axis=-1), vector)
    for name, values in own.forces.items():
        kind, _, rest = name.partition(".")
        yield Carried(kind, rest.replace(".force", " ").replace(".", " ").strip(), own.units[name], values)
    for name, wrench in own.bushings.items():
        yield Carried("bushing", name, "N", np.linalg.norm(wrench[:, :3], axis=-1), wrench[:, :3])
        yield Carried("bushing", name, "N m", np.linalg.norm(wrench[:, 3:], axis=-1), wrench[:, 3:])


def loads_html(loads: RigLoads, side: str) -> str:
    """The section that `loads.js` fills; `side` is that of which the file has the corner, empty for a whole axle."""
    text = "Of joints and bushings the size of what the parent exerts on the child at the joint's point; springs and "
    text += "elements are positive where they push apart, rods where they pull. In equilibrium at every point. A joint "
    text += "with rubber around it carries what the rubber does."
    text += f" Of the {side} side, which the file has." if side else ""
    body = paragraph(text, "note")
    body += '<p class="live-controls"><label>Case <select id="loads-case"></select></label></p>\n'
    body += '<h3 id="loads-title"></h3>\n<div class="curves" id="loads-curves"></div>\n'
    body += '<div class="wide" id="loads-table"></div>\n'
    if loads.undefined:
        body += folded("What nothing defines, and why", listed(loads.undefined))
    return section("Loads of joints and forces of elements", body, "loads")
