"""Why to believe the FMU: verdict and coverage, what was certified, where it is valid, what it is made of."""

from __future__ import annotations

from fmu_src import __version__
from fmu_src.build.pages.accuracy import WORST, accuracy_html
from fmu_src.build.pages.html import listed, paragraph, section, table
from fmu_src.model.reduced_model import ReducedModel
from precompute.report.fmu_info import coordinate_line, integrator
from precompute.tables.table_size import table_size
from precompute.verify.verification import Verification


def proof_html(model: ReducedModel, file: str, verification: Verification | None) -> str:
    """The section."""
    parts = verdict(verification) if verification else paragraph("verify was not run; 'kinetab verify' does.", "note")
    parts += "<h3>Certificate</h3>\n" + accuracy_html(model)
    parts += "<h3>Where it is valid</h3>\n"
    parts += listed(coordinate_line(axis) for chart in model.charts for axis in chart.axes)
    parts += listed([integrator(model), table_size(model).text()])
    parts += paragraph(f"{file}: kinetab {__version__}, mechanism {model.source_hash}", "note")
    return section("Proof", parts, "proof")


def verdict(found: Verification) -> str:
    """Of `kinetab verify`, with what it covered."""
    word, kind = ("PASS", "good") if found.passed else ("FAIL", "bad")
    text = f'<p><b class="{kind}">{word}</b> by <code>kinetab verify</code>: tables against kinematics in natural '
    text += "coordinates, and a motion against the full model of six coordinates per body. Neither shares code with "
    text += "the tables.</p>\n"
    text += listed(found.faults) if found.faults else ""
    rows = []
    for name, check in (("tables", found.kinematics), ("motion", found.dynamics)):
        rows += [(name, c.coordinate, f"{100.0 * c.share:.0f} %", c.limited_by) for c in check.coverage]
    text += "<h3>What it covered</h3>\n" + table(("", "coordinate", "share", "limited by"), rows, numeric=(2,))
    worst = sorted(found.differences, key=lambda d: -d.excess)[:WORST]
    lines = [(d.quantity, f"{d.error:.2e}", f"{d.limit:.2e}", d.unit, "yes" if d.passes else "no") for d in worst]
    return (
        text
        + "<h3>Nearest to their limits</h3>\n"
        + table(("", "largest difference", "limit", "unit", "within"), lines, numeric=(1, 2))
    )
