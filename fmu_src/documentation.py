"""The page that an FMU carries as its documentation: what it is, its variables, how exact its tables are."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

from . import __version__
from .reduced_model import Certificate, Chart, ReducedModel
from .variable import Variable

STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; max-width: 60em; margin: 2em auto; padding: 0 1em; color: #222; }
table { border-collapse: collapse; margin: 1em 0; }
th, td { text-align: left; padding: .2em .8em .2em 0; border-bottom: 1px solid #ddd; vertical-align: top; }
td.n { text-align: right; font-variant-numeric: tabular-nums; }
code { font-size: 95%; }
"""


def index_html(model: ReducedModel, table: Sequence[Variable], runs: str = "in Python 3.11 or later with NumPy") -> str:
    """The page, as HTML; `runs` says where the FMU runs."""
    name, text = escape(model.name), escape(model.description)
    return f"""<!DOCTYPE html>
<html lang="en">
<head><meta charset="utf-8"><title>{name}</title><style>{STYLE}</style></head>
<body>
<h1>{name}</h1>
<p>{text}</p>
<p>FMI 2.0 co-simulation, made by kinetab {escape(__version__)}.  It runs {escape(runs)}.  SI units
and radians throughout; forces, moments and markers are in ground axes.</p>
{_ground(model)}{_variables(table)}
{_stiff(model)}{_certificates(model)}
<p>Mechanism <code>{escape(model.source_hash)}</code></p>
</body>
</html>
"""


def _variables(table: Sequence[Variable]) -> str:
    parts = []
    for causality, title in (("parameter", "Parameters"), ("input", "Inputs"), ("output", "Outputs")):
        rows = [
            (
                f"<code>{escape(v.name)}</code>",
                escape(v.unit),
                "" if v.start is None else f"{v.start:g}",
                escape(v.description) + (" (fixed)" if v.variability == "fixed" else ""),
            )
            for v in table
            if v.causality == causality
        ]
        parts.append(f"<h2>{title}</h2>\n" + _table(("Name", "Unit", "Start", "Meaning"), rows, numeric=(2,)))
    return "\n".join(parts)


def _ground(model: ReducedModel) -> str:
    if not model.moving:
        return ""
    return (
        "<p>The ground is a chassis that moves.  All its quantities are in its own axes at its origin: twist, the "
        "derivatives of these components, gravity, and the force and moment that the mechanism exerts on it.  Over a "
        "communication step the twist changes linearly.  Markers, rates and energies are relative to the chassis.</p>\n"
    )


def _stiff(model: ReducedModel) -> str:
    if not model.stiff:
        return ""
    rows = [
        (f"<code>{escape(s.name)}</code>", escape(s.unit), f"{s.radius:g}", escape(s.description)) for s in model.stiff
    ]
    way = "follow the forces at once, without inertia" if model.quasistatic else "are integrated implicitly"
    return (
        f"<h2>Stiff coordinates</h2>\n<p>They {way}.  Up to the radius the tables are within their tolerance; beyond "
        "it a warning is logged once and <code>table.inRange</code> is 0.</p>\n"
        + _table(("Name", "Unit", "Radius", "Meaning"), rows, numeric=(2,))
    )


def _certificates(model: ReducedModel) -> str:
    if len(model.charts) == 1:
        return _certificate(model.charts[0].certificate)
    return "\n".join(
        f"<h2>Chart {i + 1}: {escape(_ranges(chart))}</h2>\n{_certificate(chart.certificate)}"
        for i, chart in enumerate(model.charts)
    )


def _ranges(chart: Chart) -> str:
    return ", ".join(f"{a.name} from {a.lower:.4g} to {a.upper:.4g} {a.unit}" for a in chart.axes)


def _certificate(certificate: Certificate) -> str:
    rows = [
        (
            f"<code>{escape(c.column)}</code>",
            f"{c.value_error:.1e}",
            _point(c.value_at),
            f"{c.slope_error:.1e}",
            _point(c.slope_at),
        )
        for c in certificate.columns
    ]
    nodes = ", ".join(" x ".join(map(str, block)) for block in certificate.nodes if block)
    return (
        f"<h2>Accuracy of the tables</h2>\n<p>{nodes} nodes, compared with {certificate.points} freshly solved "
        f"configurations; tolerance {certificate.tolerance:g}.  Largest relative errors found, and where:</p>\n"
        + _table(("Column", "Value", "at", "Slope", "at"), rows, numeric=(1, 3))
    )


def _point(z: Iterable[float]) -> str:
    return ", ".join(f"{x:.4g}" for x in z)


def _table(head: Sequence[str], rows: Iterable[Sequence[str]], numeric: Sequence[int] = ()) -> str:
    """A table; the cells are HTML already."""
    lines = ["<table>", "<tr>" + "".join(f"<th>{cell}</th>" for cell in head) + "</tr>"]
    for row in rows:
        cells = (f'<td class="n">{c}</td>' if i in numeric else f"<td>{c}</td>" for i, c in enumerate(row))
        lines.append("<tr>" + "".join(cells) + "</tr>")
    return "\n".join([*lines, "</table>"])
