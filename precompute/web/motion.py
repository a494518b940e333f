"""What a run of the FMU shows: loads of joints, forces of elements and springs over time, as data for `runs.js`."""

from __future__ import annotations

from typing import Any

import numpy as np

from fmu_src.build.pages.html import paragraph, section
from precompute.report.plain_names import label, plain_names, shown
from precompute.running.simulation import Run
from precompute.web.axle import rounded

GROUPS = (
    ("Coordinates", ("q.",)),
    ("Loads of joints and rods", ("joint.", "rod.", "coupling.", "constraint.")),
    ("Forces of springs and bushings", ("spring.", "bushing.")),
    ("Elements", ("element.",)),
)
"""Title, and how names of outputs begin."""

FORCES = ("N", "N.m")
MOST = 600
"""Samples that are shown."""


def run_data(run: Run) -> dict[str, Any]:
    """Groups of outputs over time, in the units that people read."""
    keep = np.unique(np.linspace(0, len(run.time) - 1, MOST).astype(int))
    plain, groups = plain_names(run.values), []
    for title, starts in GROUPS:
        traces = []
        for name, values in run.outputs.items():
            if name.startswith(starts) and worth(name, run.units[name]) and np.ptp(values) > 0.0:
                unit, factor = shown(run.units[name])
                traces.append({"name": label(plain[name]), "unit": unit, "values": rounded(factor * values[keep])})
        if traces:
            groups.append({"title": title, "traces": traces})
    return {"time": rounded(run.time[keep]), "groups": groups}


def worth(name: str, unit: str) -> bool:
    """Coordinates, and of all else what is a force, a moment or a number of an element."""
    return name.startswith(("q.", "element.")) or unit in FORCES


def run_html(run: Run) -> str:
    """The section that `runs.js` fills."""
    text = f"The FMU by itself for {run.time[-1]:g} s in {run.steps} steps, with its default inputs."
    return section("A run of the FMU", paragraph(text, "note") + '<div class="curves" id="runs"></div>\n', "run")
