"""Coordinates of an FMU: axes of its tables, deflections, design parameters; where each may be."""

from __future__ import annotations

from ...model.designs import design_name
from ...model.reduced_model import Axis, Chart, ReducedModel
from .html import code, paragraph, table
from .numbers import ends, unit, value

OUTSIDE = {"error": "the step fails", "linear": "goes on linearly, with a warning"}


def coordinates_html(model: ReducedModel) -> str:
    """All of them."""
    return axes_html(model) + stiff_html(model) + designs_html(model)


def axes_html(model: ReducedModel) -> str:
    """Where each may be and where it starts."""
    text = "Several charts cover the motion; the FMU goes from one to the next. " if len(model.charts) > 1 else ""
    text += "The tables hold everything that depends on these coordinates, over their whole range."
    return paragraph(text) + "".join(chart_html(model, chart) for chart in model.charts)


def chart_html(model: ReducedModel, chart: Chart) -> str:
    """The axes of one chart."""
    rows = []
    for k, axis in enumerate(chart.axes):
        start = model.starts[k].value if chart is model.charts[0] else None
        beyond = "periodic" if axis.periodic else OUTSIDE[axis.outside]
        words = axis.words
        rows.append((code(axis.name), ends(axis.lower, axis.upper, words), value(start, words),
                     unit(axis.unit, words), beyond, described(model, axis)))  # fmt: skip
    return table(("Coordinate", "From … to", "Start", "Unit", "Beyond", "Meaning"), rows, numeric=(1, 2))


def described(model: ReducedModel, axis: Axis) -> str:
    """What an axis is, if the model has it as a coordinate; and whether its motion is an input."""
    for own in model.coordinates:
        if own.name == axis.name:
            return own.description + {"no": "", "direct": "; driven", "filtered": "; driven, filtered"}[own.driven]
    return ""


def stiff_html(model: ReducedModel) -> str:
    """Deflections; nothing where there are none."""
    if not model.stiff:
        return ""
    way = "follow the forces at once, without inertia" if model.quasistatic else "are integrated implicitly"
    text = f"They {way}. Up to the radius from where they are expanded about, the tables are within their tolerance; "
    text += "beyond it a warning is logged once and table.inRange is 0."
    rows = [
        (code(s.name), value(s.about, s.words), value(s.radius, s.words), unit(s.unit, s.words), s.description)
        for s in model.stiff
    ]
    head = ("Name", "Expanded about", "Radius", "Unit", "Meaning")
    return "<h3>Stiff coordinates</h3>\n" + paragraph(text) + table(head, rows, numeric=(1, 2))


def designs_html(model: ReducedModel) -> str:
    """Parameters that change the mechanism; nothing where there are none."""
    if not model.designs:
        return ""
    together = ", ".join(f"{e:.1e}" for e in model.designs_together)
    text = "They change the mechanism itself, at the next step; tables are polynomials of second order in them. "
    text += "Largest errors found inside the range of each alone, of anything relative to what is natural, of lengths "
    text += f"and of angles; with all at the ends of their ranges: {together}. Beyond a range a warning is logged once "
    text += "and table.inRange is 0."
    rows = [
        (code(design_name(d)), d.of, value(d.range, d.told), unit(d.unit, d.told), *(f"{e:.1e}" for e in d.errors))
        for d in model.designs
    ]
    head = ("Name", "Changes", "Range", "Unit", "Relative", "m", "rad")
    return "<h3>Design parameters</h3>\n" + paragraph(text) + table(head, rows, numeric=(2, 4, 5, 6))
