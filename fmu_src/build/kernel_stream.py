"""The part of a model file that the kernel reads: the fields of `kernel_fields`, filled in from a model."""

from __future__ import annotations

import math
import struct
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from ..interface.inputs import forced_coordinates, input_slots
from ..interface.source import Source
from ..interface.variable import Variable
from ..interface.variables import layout, model_tag, variables
from ..model.designs import PLACES
from ..model.devices import Device
from ..model.law_parts import ARGUMENTS, CURVES, SIDES
from ..model.reduced_model import (
    Array,
    Axis,
    Changes,
    Chart,
    ContactInfo,
    Element,
    ReducedModel,
    StiffInfo,
    WheelInfo,
)
from ..model.tracks import TrackInfo
from .kernel_fields import MODEL, VERSION, Bound, Field, Int, Ints, List, Real, Reals, Record, Table, Text
from .kernel_runs import runs, shared_grids

CAUSALITIES = ("parameter", "input", "output")
STATE_VECTORS = 6

Place = Callable[[Array], int]
"""Puts an array into the payload, once, and says where."""

Values = Mapping[str, Any]


def kernel_stream(model: ReducedModel, guid: str, place: Place) -> bytes:
    """The stream of a valid model.

    Args:
        model: the model.
        guid: 32 hexadecimal digits that stand for its content.
        place: puts an array into the payload.
    """
    out = bytearray()
    write(MODEL, model_values(model, guid), place, out)
    return bytes(out)


# --- writing ----------------------------------------------------------------------------------------------------------


def write(record: Record, values: Values, place: Place, out: bytearray) -> None:
    """Append a record; every field must have its value, and there may be no other."""
    names = {item.name for item in record.fields}
    assert set(values) == names, f"{record.name}: {set(values) ^ names}"
    for item in record.fields:
        write_field(item, values[item.name], place, out)


def write_field(item: Field, value: Any, place: Place, out: bytearray) -> None:
    """Append a field."""
    match item:
        case Int():
            out += struct.pack("<q", int(value))
        case Real() | Bound():
            out += struct.pack("<d", float(value))
        case Text():
            raw = str(value).encode()
            out += struct.pack("<q", len(raw)) + raw + bytes(8 - len(raw) % 8)
        case Ints():
            out += struct.pack(f"<{len(value)}q", *map(int, value))
        case Reals():
            out += struct.pack(f"<{len(value)}d", *map(float, value))
        case Table():
            out += struct.pack("<2q", place(value), value.size)
        case List():
            if not item.fixed:
                out += struct.pack("<q", len(value))
            for each in value:
                write(item.of, each, place, out)


# --- the model --------------------------------------------------------------------------------------------------------


def model_values(model: ReducedModel, guid: str) -> Values:
    """The fields of a model."""
    table, lay, slots, rows = variables(model), layout(model), input_slots(model), model.charts[0].rows
    forced = forced_coordinates(model)
    return {
        "version": VERSION,
        "guid": guid,
        "nf": len(model.coordinates),
        "ns": len(model.stiff),
        "quasistatic": model.quasistatic,
        "moving": model.moving,
        "charts": len(model.charts),
        "midpoint": model.method == "midpoint",
        "tag": model_tag(model).hex(),
        "mass": model.mass,
        "variable": [variable_values(v) for v in table],
        "first_input": lay.first_input,
        "inputs_at": lay.inputs.start,
        "outputs_at": lay.outputs.start,
        "inputs": slots.count,
        "output": [output_values(v.source, len(model.charts)) for v in table[lay.outputs] if v.source],
        "states": sum(len(device.states) for device in model.devices),
        "unknowns": sum(len(device.unknowns) for device in model.devices),
        "start": [{"place": start.place, "reference": start.reference} for start in lay.starts],
        "start_number": [start.value for start in model.starts] + [start.rate for start in model.starts],
        "parameters": len(lay.parameters),
        "parameter": lay.parameters,
        "gravity": model.gravity,
        "lap": [c.lap for c in model.coordinates],
        "stiff": [
            {
                "about": s.about,
                "radius": s.radius,
                "promise": s.tolerance * s.radius,
                "floats": s.floats,
                **told_values(s),
            }
            for s in model.stiff
        ],
        "forced": len(forced),
        "forced_axis": forced,
        "drive": [{"axis": d.axis, "first": d.first, "filter_time": d.filter_time} for d in slots.drives],
        "twist": slots.twist.start,
        "twist_rate": slots.twist_rate.start,
        "loads": slots.loads.start,
        "vectors": STATE_VECTORS,
        "measures": rows.varying + rows.fixed,
        "varying": rows.varying,
        "element": [element_values(e, row - rows.s) for e, row in zip(model.elements, rows.elements, strict=True)],
        "coupling": [{"a": c.a, "b": c.b, "stiffness": c.stiffness, "damping": c.damping} for c in model.couplings],
        "bushing": [{"count": len(own), "element": own} for own in coupled_bushings(model)],
        "device_inputs": slots.devices.start,
        "device": [device_values(model, table, device) for device in model.devices],
        "cardans": len(model.cardans),
        "cardan": model.cardans,
        "marker": [
            {
                "has_spin": marker.spin_axis is not None,
                "spin": marker.spin_axis or (0.0,) * 3,
                "design": marker.spin_design or (0.0,) * 3,
            }
            for marker in model.markers
        ],
        "ports": len(model.ports),
        "port": [port.marker for port in model.ports],
        "wheel": [wheel_values(wheel) for wheel in model.wheels],
        "wheel_inputs": slots.wheels.start,
        "loaded": len(model.loaded),
        "load_of_port": [model.loaded.index(port.marker) for port in model.ports],
        "load_of_wheel": [model.loaded.index(wheel.marker) for wheel in model.wheels],
        "kept_still": len(model.held),
        "held": model.held,
        "track": [] if model.track is None else [track_values(model.track)],
        **design_values(model, lay.designs),
        **error_values(model),
        "chart": [chart_values(model, chart) for chart in model.charts],
        "contact": [contact_values(model, table, contact) for contact in model.contacts],
    }


def contact_values(model: ReducedModel, table: Sequence[Variable], contact: ContactInfo) -> Values:
    """The fields of a contact."""
    names = [variable.name for variable in table]
    return {
        "name": contact.name,
        "reference": names.index(model.loads[contact.load].name),
        "axis": contact.axis,
        "border": [{"at": at} for at in contact.borders],
    }


def variable_values(v: Variable) -> Values:
    """The fields of a variable."""
    return {
        "causality": CAUSALITIES.index(v.causality),
        "fixed": v.variability == "fixed",
        "start": v.start or 0.0,
        "lower": -math.inf if v.minimum is None else v.minimum,
        "upper": math.inf if v.maximum is None else v.maximum,
        "name": v.name,
        "unit": v.unit,
    }


def output_values(source: Source, charts: int) -> Values:
    """The fields of an output."""
    return {
        "operation": source.operation,
        "index": source.index,
        "lap": source.lap,
        "part": source.part,
        "factor": source.factor,
        "row": source.rows or (-1,) * charts,
    }


def told_values(info: Axis | StiffInfo) -> Values:
    """How messages speak of a coordinate."""
    return {
        "name": info.name,
        "unit": info.words.name,
        "told": info.words.factor,
        "effort": info.effort.name,
        "told_effort": info.effort.factor,
    }


def wheel_values(wheel: WheelInfo) -> Values:
    """The fields of a wheel."""
    return {
        "name": wheel.name,
        "marker": wheel.marker,
        "outboard": 1 if wheel.side == "left" else -1,
        "radius": wheel.radius,
        "spin": wheel.spin_axis,
        "centre": wheel.centre,
        "axes": [x for axis in wheel.axes for x in axis],
        "ball": [{"carried": ball.carried, "at": ball.at} for ball in wheel.balls],
        "steering": -1 if wheel.steering is None else wheel.steering,
        "spring": -1 if wheel.spring is None else wheel.spring,
    }


def track_values(track: TrackInfo) -> Values:
    """The fields of a disc on the floor."""
    n, f = np.array(track.normal), np.array(track.forward)
    return {
        "name": track.name,
        "rolling": track.rolling,
        "spin": track.spin,
        "radius": track.radius,
        "point": track.point,
        "axes": [*f.tolist(), *np.cross(n, f).tolist(), *n.tolist()],
        "floor": [x for axis in track.floor for x in axis],
    }


def design_values(model: ReducedModel, references: tuple[int, ...]) -> Values:
    """The fields of design parameters."""
    kinds = list(PLACES)
    return {
        "designs": len(model.designs),
        "design": [
            {"reference": reference, "range": d.range, "told": d.told.factor, "unit": d.told.name}
            for d, reference in zip(model.designs, references, strict=True)
        ],
        "design_number": [
            {
                "kind": kinds.index(n.kind),
                "place": n.place,
                "part": n.part,
                "bare": PLACES[n.kind].get(model, n.place, n.part),
                "change": n.changes,
            }
            for n in model.design_numbers
        ],
    }


def change_values(changes: Changes | None) -> Values:
    """The fields of what design parameters change in a block."""
    core = changes.core if changes else np.zeros(0)
    return {
        "changes": len(changes.cells) if changes else 0,
        "change": [{"cell": cell, "product": k} for cell, k in changes.cells.tolist()] if changes else [],
        "change_words": core.size,
        "change_core": core,
        "change_basis": basis_values(changes.bases if changes else ()),
    }


def basis_values(bases: tuple[Array, ...]) -> list[Values]:
    """The fields of bases."""
    return [{"count": len(b), "rank": b.shape[1], "numbers": b} for b in bases]


def error_values(model: ReducedModel) -> Values:
    """The fields of the error model, or those of none."""
    own, ns = model.errors, len(model.stiff)
    parts = own.rows if own else ()
    return {
        "estimates": own is not None,
        "functions": len(own.functions) if own else 0,
        "function": own.functions.ravel().tolist() if own else [],
        "spline_error": own.splines if own else (0.0,) * 3,
        "spline_slope": own.spline_slopes.ravel().tolist() if own else (0.0,) * (3 * ns),
        "error_rows": [
            {
                "kind": part.kind,
                "degree": part.degree,
                "count": len(part.coefficients),
                "products": part.coefficients.shape[-1],
                "coefficients": part.coefficients,
            }
            for part in parts
        ],
    }


def element_values(element: Element, measure: int) -> Values:
    """The fields of an element."""
    laws = [
        {
            "argument": list(ARGUMENTS).index(law.argument),
            "side": list(SIDES).index(law.side),
            "curve": list(CURVES).index(law.curve),
            "reference": -1 if law.reference is None else law.reference,
            "preload": -1 if law.preload is None else law.preload,
            "design": law.design or 0.0,
            "count": len(law.parameters),
            "parameters": law.parameters,
        }
        for law in element.laws
    ]
    return {"measure": measure, "lap": element.lap, "name": element.name, "law": laws}


def coupled_bushings(model: ReducedModel) -> list[list[int]]:
    """The elements of each bushing that has couplings."""
    names = sorted({model.elements[c.a].name for c in model.couplings})
    return [[i for i, e in enumerate(model.elements) if e.name == name and e.direction] for name in names]


def device_values(model: ReducedModel, table: Sequence[Variable], device: Device) -> Values:
    """The fields of a device."""
    names = [variable.name for variable in table] if device.loads else []
    return {
        "formula": [
            {"owner": f.owner, "what": f.what, "count": len(f.code) // 2, "code": f.code} for f in device.formulas
        ],
        "inner": device.inner,
        "connections": len(device.connections),
        "element": [c.element for c in device.connections],
        "force": [c.force for c in device.connections],
        "state": [{"name": state.name} for state in device.states],
        "rate": [state.rate for state in device.states],
        "unknown": [{"name": u.name, "start": u.start, "nominal": u.nominal} for u in device.unknowns],
        "residual": [u.residual for u in device.unknowns],
        "parameters": len(device.parameters),
        "parameter": device.parameters,
        "inputs": len(device.inputs),
        "loads": len(device.loads),
        "load": [names.index(model.loads[own.load].name) for own in device.loads],
        "pressed": [own.unknown for own in device.loads],
        "constants": len(device.constants),
        "constant": device.constants,
        "curve": [{"count": len(table.x), "x": table.x, "y": table.y} for table in device.tables],
    }


# --- charts -----------------------------------------------------------------------------------------------------------


def chart_values(model: ReducedModel, chart: Chart) -> Values:
    """The fields of a chart."""
    rows, (grids, numbers) = chart.rows, shared_grids(chart.blocks)
    return {
        "axis": [
            {
                **told_values(axis),
                "lower": axis.lower,
                "upper": axis.upper,
                "promise": chart.certificate.motion_tolerance * (axis.upper - axis.lower),
                "periodic": axis.periodic,
                "linear": axis.outside == "linear",
            }
            for axis in chart.axes
        ],
        "end": rows.ends,
        "S": rows.S,
        "s": rows.s,
        "N": rows.N,
        "I": rows.I,
        "G": rows.G,
        "c": rows.c,
        "marker": [{"r": marker.r, "R": marker.R, "A": marker.A} for marker in rows.markers],
        "slope": [{"row": s.row, "axis": s.axis, "slope": s.slope, "reference": s.reference} for s in chart.slopes],
        "grid": [
            {"axis": axis, "degree": degree, "count": knots.size - degree - 1, "knots": knots}
            for axis, degree, knots in grids
        ],
        "block": [
            {
                "nb": len(own),
                "grid": own,
                "columns": block.core.shape[-1],
                "words": block.core.size,
                "core": block.core,
                "basis": basis_values(block.bases),
                **change_values(block.changes),
            }
            for block, own in zip(chart.blocks, numbers, strict=True)
        ],
        "run": runs(model, chart),
        "border": [
            {
                "axis": b.axis,
                "upper": b.upper,
                "chart": b.chart,
                "lap": b.lap,
                "row": row,
                "at": b.at,
                "offset": b.offset,
            }
            for b, row in zip(chart.borders, rows.borders, strict=True)
        ],
    }
