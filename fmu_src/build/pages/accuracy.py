"""How exact tables are: the worst first, how many there are of which size, the rest on request."""

from __future__ import annotations

import math
from collections.abc import Sequence

from ...model.reduced_model import Certificate, Chart, ColumnError, ReducedModel
from .html import code, folded, paragraph, table

WORST = 10

EXACT = 1e-15
"""What errs by less is not counted by its size."""


def accuracy_html(model: ReducedModel) -> str:
    """What was measured, chart by chart."""
    return "".join(chart_html(model, chart, k) for k, chart in enumerate(model.charts))


def chart_html(model: ReducedModel, chart: Chart, k: int) -> str:
    """Of one chart."""
    found = chart.certificate
    columns = sorted(found.columns, key=lambda c: -share(found, c))
    worst = [(code(c.column), f"{c.value_error:.1e}", place(model, chart, c.value_at), f"{c.slope_error:.1e}",
              place(model, chart, c.slope_at)) for c in columns[:WORST]]  # fmt: skip
    rest = [(code(c.column), f"{c.value_error:.1e}", f"{c.slope_error:.1e}", f"{c.scale:.2e}") for c in columns]
    names = ", ".join(axis.name for axis in chart.axes)
    parts = [f"<h3>Chart {k + 1}, over {code(names)}</h3>\n"] if len(model.charts) > 1 else []
    nodes = ", ".join(" x ".join(map(str, block)) for block in found.nodes if block)
    text = f"The tables ({nodes} nodes) were compared with {found.points} freshly solved configurations between their "
    text += f"nodes; tolerance {found.tolerance:g} of values, {found.motion_tolerance:g} of slopes. Nearest to that:"
    parts.append(paragraph(text))
    parts.append(table(("Quantity", "Value, relative", "where", "Slope, relative", "where"), worst, numeric=(1, 3)))
    parts.append(histogram([max(c.value_error, c.slope_error) for c in columns]))
    head = ("Quantity", "Value, relative", "Slope, relative", "Values relative to [SI]")
    if rest[WORST:]:
        parts.append(folded(f"{len(rest) - WORST} more quantities", table(head, rest[WORST:], numeric=(1, 2, 3))))
    return "".join(parts)


def share(certificate: Certificate, c: ColumnError) -> float:
    """How much of what is allowed a quantity errs."""
    return max(c.value_error / certificate.tolerance, c.slope_error / certificate.motion_tolerance)


def place(model: ReducedModel, chart: Chart, z: Sequence[float]) -> str:
    """Coordinates in the units of the file; deflections that are zero are not named."""
    own = [f"{a.name} {a.words.text(x, 4)}" for a, x in zip(chart.axes, z, strict=False)]
    own += [f"{s.name} {s.words.text(x, 4)}" for s, x in zip(model.stiff, z[len(own) :], strict=False) if x]
    return ", ".join(own)


def histogram(errors: Sequence[float]) -> str:
    """How many quantities are how exact, by powers of ten, as bars of text that print well."""
    exact = sum(error < EXACT for error in errors)
    powers = [math.floor(math.log10(error)) for error in errors if error >= EXACT]
    rows = [("exact", str(exact), "")] if exact else []
    for power in sorted(set(powers)):
        own = powers.count(power)
        rows.append((f"below 1e{power + 1}", str(own), "▮" * max(1, round(40 * own / len(errors)))))
    return table(("Largest error", "Quantities", ""), rows, numeric=(1,))
