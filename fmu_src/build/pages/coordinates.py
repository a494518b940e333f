"""Coordinates of an FMU: axes of its tables, deflections, design parameters; where each may be."""

from __future__ import annotations

from ...model.designs import design_name
from ...model.reduced_model import Axis, ReducedModel
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
    several = len(model.charts) > 1
    rows = []
    for number, chart in enumerate(model.charts, 1):
        for k, axis in enumerate(chart.axes):
            words = axis.words
            rows.append((
                *([str(number)] * several), code(axis.name), ends(axis.lower, axis.upper, words),
                value(None if number > 1 else model.starts[k].value, words), unit(axis.unit, words),
                "periodic" if axis.periodic else OUTSIDE[axis.outside], described(model, axis),
            ))  # fmt: skip
    head = (*(["Chart"] * several), "Coordinate", "From … to", "Start", "Unit", "Beyond", "Meaning")
    return paragraph(text) + table(head, rows, numeric=(1 + several, 2 + several))


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
