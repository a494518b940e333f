"""Why to believe the FMU: verdict and coverage, what was certified, where it is valid, what it is made of."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from fmu_src import __version__
from fmu_src.model.reduced_model import Certificate, ReducedModel
from precompute.report.fmu_info import coordinate_line, integrator
from precompute.tables.table_size import table_size
from precompute.verify.verification import Verification
from precompute.web.html import folded, listed, paragraph, section, table

WORST = 10


def proof_html(model: ReducedModel, file: str, verification: Verification | None) -> str:
    """The section."""
    parts = verdict(verification) if verification else paragraph("verify was not run; 'kinetab verify' does.", "note")
    parts += certified(model.certificate)
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


def certified(certificate: Certificate) -> str:
    """The largest errors of tables; how many there are of which size; all of them on request."""
    columns = sorted(certificate.columns, key=lambda c: -max(c.value_error, c.slope_error))
    head = f"The tables were compared with {certificate.points} freshly solved configurations between their nodes; "
    head += f"tolerance {certificate.tolerance:g} of values, {certificate.motion_tolerance:g} of slopes."
    shown = ("quantity", "values, relative", "slopes, relative")
    rows = [(c.column, f"{c.value_error:.1e}", f"{c.slope_error:.1e}") for c in columns]
    text = "<h3>Certificate</h3>\n" + paragraph(head) + table(shown, rows[:WORST], numeric=(1, 2))
    text += histogram([max(c.value_error, c.slope_error) for c in columns])
    more = len(rows) - WORST
    return text + (folded(f"{more} more quantities", table(shown, rows[WORST:], numeric=(1, 2))) if more > 0 else "")


def histogram(errors: Sequence[float]) -> str:
    """How many quantities are how exact, by powers of ten, as bars of text that print well."""
    exact = sum(error < 1e-15 for error in errors)
    powers = np.floor(np.log10([error for error in errors if error >= 1e-15])).astype(int)
    rows = [("exact", str(exact), "")] if exact else []
    for power in sorted(set(powers.tolist())):
        count = int((powers == power).sum())
        rows.append((f"below 1e{power + 1}", str(count), "▮" * max(1, round(40 * count / len(errors)))))
    return table(("largest error", "quantities", ""), rows, numeric=(1,))
