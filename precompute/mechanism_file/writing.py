"""Mechanism -> document in the format of the mechanism file, in SI units and radians.

The inverse of `reading`: reading the document gives an equal mechanism, in the same order.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from precompute.arrays import Array
from precompute.errors import PrecomputeError
from precompute.mechanism_file.cams.writing import cam_table
from precompute.mechanism_file.elements.writing import element_table
from precompute.mechanism_file.floor import discs
from precompute.mechanism_file.geometry import completed_frame
from precompute.mechanism_file.holds.writing import constraint_table, coupling_table
from precompute.mechanism_file.schema.document import SCHEMA
from precompute.mechanism_file.schema.measure_words import numbers, words_of
from precompute.mechanism_file.schema.toml_text import value_text
from precompute.mechanism_file.vehicle_writing import axes_section, vehicle_sections
from precompute.model.curve_keys import given_curve
from precompute.model.mechanism import (
    DIRECTIONS,
    Body,
    Bushing,
    ConstantForce,
    Coordinate,
    Damper,
    Distance,
    ForceTable,
    Joint,
    JointCoordinate,
    Marker,
    Measure,
    Mechanism,
    Port,
    Primitive,
    RelativeAngle,
    Rod,
    Spring,
    Stop,
    TableSettings,
    joint_primitives,
)
from precompute.units import Scale


def to_document(m: Mechanism) -> dict[str, Any]:
    """The mechanism as dicts, lists, strings and numbers, ready for JSON or TOML."""
    sections = {
        "bodies": {b.name: _body(b) for b in m.bodies if m.contact is None or b.name != m.contact.fork},
        "joints": _joints(m) | {r.name: _rod(r) for r in m.rods} | {c.name: cam_table(c) for c in m.cams},
        "couplings": {c.name: coupling_table(c) for c in m.couplings},
        "constraints": {c.name: constraint_table(c) for c in m.constraints},
        "springs": {s.name: _spring(s) for s in m.springs if s.role == "spring"},
        "anti_roll_bars": {s.name: _bar(s) for s in m.springs if s.role == "anti_roll_bar"},
        "stops": {s.name: _single_stop(s) for s in m.springs if s.role == "stop"},
        "dampers": {d.name: _damper(d) for d in m.dampers},
        "forces": {f.name: _on(f.on) | _curve(f) for f in m.forces},
        "bushings": {b.name: _bushing(b) for b in m.bushings},
        "elements": {d.name: element_table(d, lambda on: _acted_on(on, m)) for d in m.devices},
        "markers": {k.name: _marker(k) for k in m.markers},
        "ports": {p.name: _port(p) for p in m.ports},
        "measures": {read.name: {"of": _of(read.of, m), **_relative(read.of)} for read in m.measures},
        "design": {d.name: {"of": d.of, "range": float(d.range)} for d in m.designs},
        **vehicle_sections(m),
    }
    free = "auto" if m.coordinates is None else {c.name: _coordinate(c, m) for c in m.coordinates}
    return {
        "schema": SCHEMA,
        "name": m.name,
        **({"description": m.description} if m.description else {}),
        "units": {"length": "m", "mass": "kg", "angle": "rad", "force": "N"},
        "gravity": numbers(m.gravity),
        **({"chassis": m.chassis} if m.chassis != "fixed" else {}),
        **axes_section(m.axes),
        **{name: section for name, section in sections.items() if section},
        "coordinates": {"free": free},
        "tables": _settings(m.tables),
        "experiment": {
            "stop_time": float(m.experiment.stop_time),
            "step_size": float(m.experiment.step_size),
            **({"static": True} if m.experiment.static else {}),
            **({"method": m.experiment.method} if m.experiment.method != "rk4" else {}),
        },
    }


def _settings(tables: TableSettings) -> dict[str, Any]:
    return {
        "tolerance": float(tables.tolerance),
        "max_nodes": int(tables.max_nodes),
        **({"taylor": int(tables.taylor)} if tables.taylor != TableSettings.taylor else {}),
        **({"about": tables.about} if tables.about != TableSettings.about else {}),
        **({"inertia": int(tables.inertia)} if tables.inertia != TableSettings.inertia else {}),
        **({"stiff": tables.stiff} if tables.stiff != TableSettings.stiff else {}),
        **({"stiff_tolerance": t} if (t := tables.stiff_tolerance) != TableSettings.stiff_tolerance else {}),
    }


def _number(value: float) -> float:
    return float(value) + 0.0  # minus zero becomes zero: they are equal and must look equal


def _given(**values: float | None) -> dict[str, float]:
    return {key: _number(value) for key, value in values.items() if value is not None}


def _body(b: Body) -> dict[str, Any]:
    i = b.inertia
    inertia = [i[0, 0], i[1, 1], i[2, 2], i[0, 1], i[0, 2], i[1, 2]]
    return {
        "mass": _number(b.mass),
        "com": numbers(b.com),
        "inertia": [_number(value) for value in inertia],
        **({"allow_unphysical_inertia": True} if b.allow_unphysical_inertia else {}),
    }


# -- joints -----------------------------------------------------------------------------------------------------------


def _joints(m: Mechanism) -> dict[str, Any]:
    """All joints; a disc on the floor in place of those that are made for it."""
    if m.contact is None:
        return {j.name: _joint(j) for j in m.joints}
    made = (m.contact.lean, m.contact.spin)
    own = {m.contact.name: discs.document(m.contact)}
    return own | {j.name: _joint(j) for j in m.joints if j.name not in made}


def _joint(j: Joint) -> dict[str, Any]:
    ends = [numbers(j.p_P), numbers(j.p_C)]
    common = {"parent": j.parent, "child": j.child, "at": ends[0] if ends[0] == ends[1] else ends}
    axes = _standard_axes(j)
    if axes is None:
        primitives = {"primitives": [_primitive(j.primitives[i]) for i in j.walk]}
        return {"type": "sequence"} | common | primitives | _loads(j)
    given = dict(zip(("axis", "axis2"), map(numbers, axes), strict=False))
    reach = {"reach": _number(j.reach)} if j.reach else {}
    return {"type": j.kind} | common | given | reach | _own_axes(j) | _loads(j)


def _loads(j: Joint) -> dict[str, Any]:
    if not j.loads:
        return {}
    load = {"load": True if set(j.loads) == set(j.loadable) else list(j.loads)}
    return load | ({"load_axes": j.load_axes} if j.load_axes != "joint" else {})


def _own_axes(j: Joint) -> dict[str, Any]:
    """The stiff directions, and the joint's own axes as far as its type does not give these."""
    if not (j.stiff or j.loads):
        return {}
    second = {} if len(j.axes) == 2 else {"second": numbers(j.R[:, 1])}
    if not j.axes:
        second = {} if np.array_equal(j.R, np.eye(3)) else {"axis": numbers(j.R[:, 0])} | second
    stiff = {"stiff": list(j.stiff_directions)} if j.stiff else {}
    return stiff | second | ({"stiff_axes": "child"} if j.stiff_axes == "child" else {})


def _standard_axes(j: Joint) -> tuple[Array, ...] | None:
    """The axes from which the joint's kind makes its primitives; None if they are the user's own."""
    if j.kind == "sequence":
        return None
    try:
        standard = joint_primitives(j.kind, j.axes)
    except ValueError:
        return None
    free = [_primitive(p) for p in j.primitives if not p.stiff]
    return j.axes if [_primitive(p) for p in standard] == free else None


def _primitive(p: Primitive) -> dict[str, Any]:
    stiff = {"stiff": True} if p.stiff else {}
    return {"ball": True} if p.axis is None else {p.kind: numbers(p.axis)} | stiff


def _rod(r: Rod) -> dict[str, Any]:
    ends = [numbers(r.p_P), numbers(r.p_C)]
    load = {"load": True} if r.load else {}
    return {"type": "rod", "parent": r.parent, "child": r.child, "at": ends, "length": _number(r.length)} | load


# -- forces -----------------------------------------------------------------------------------------------------------


_OWN_KEYS: dict[type[Measure], Callable[[Any], dict[str, Any]]] = {
    JointCoordinate: lambda written: {"joint": written.removeprefix("joint.")},
    Distance: lambda written: written,
    RelativeAngle: lambda written: written,
}
"""Measures for which springs and dampers have keys of their own; the others are `on`."""


def _on(on: Measure) -> dict[str, Any]:
    _check_plain(on)
    written = words_of(on).write(on)
    return _OWN_KEYS[type(on)](written) if type(on) in _OWN_KEYS else {"on": written}


def _acted_on(on: Measure, m: Mechanism) -> Any:
    """What an element is connected to."""
    _check_plain(on)
    return _of(on, m)


def _check_plain(on: Measure) -> None:
    if on.relative:
        raise PrecomputeError(f"what acts on the {on.name} cannot be written; let it act on the plain coordinate")


def _rows(table: ForceTable) -> list[list[float]]:
    return [numbers(row) for row in np.column_stack([table.x, table.force])]


def _curve(item: Spring | Stop | Damper | ConstantForce) -> dict[str, Any]:
    key, value = given_curve(item)
    return {key.name: _rows(value) if isinstance(value, ForceTable) else _number(value)}


def _stop(stop: Stop) -> dict[str, Any]:
    return {"length": _number(stop.at)} | _curve(stop)


def _spring(s: Spring) -> dict[str, Any]:
    law = _curve(s) | _given(free_length=s.free_length, preload=s.preload)
    law |= {"preload": "static"} if s.static_preload else {}
    stops = {"bump_stop": s.bump_stop, "rebound_stop": s.rebound_stop}
    return _on(s.on) | law | {key: _stop(stop) for key, stop in stops.items() if stop is not None}


def _bar(s: Spring) -> dict[str, Any]:
    return _on(s.on) | _curve(s) | _given(preload=s.preload or None)


def _single_stop(s: Spring) -> dict[str, Any]:
    if s.bump_stop is not None:
        return _on(s.on) | {"below": _number(s.bump_stop.at)} | _curve(s.bump_stop)
    assert s.rebound_stop is not None, "a stop has one"
    return _on(s.on) | {"above": _number(s.rebound_stop.at)} | _curve(s.rebound_stop)


def _damper(d: Damper) -> dict[str, Any]:
    return _on(d.on) | _curve(d)


def _bushing(b: Bushing) -> dict[str, Any]:
    tables = {key: _rows(table) for key, table in zip(DIRECTIONS, b.tables, strict=True) if table is not None}
    return {
        "parent": b.parent,
        "child": b.child,
        "at": numbers(b.p),
        "axis": numbers(b.R[:, 0]),
        "second": numbers(b.R[:, 1]),
        "stiffness": _six_or_matrix(b.stiffness),
        **({"damping": _six_or_matrix(b.damping)} if b.damping.any() else {}),
        **({"preload": numbers(b.preload)} if b.preload.any() else {}),
        **({"tables": tables} if tables else {}),
        **({"law": b.law} if b.law != "rotation_vector" else {}),
    }


def _six_or_matrix(matrix: Array) -> list[Any]:
    """Its diagonal if there is nothing else."""
    if np.array_equal(matrix, np.diag(np.diag(matrix))):
        return numbers(np.diag(matrix))
    return [numbers(row) for row in matrix]


# -- outputs, coordinates ---------------------------------------------------------------------------------------------


def _marker(k: Marker) -> dict[str, Any]:
    spin_axis = {} if k.spin_axis is None else {"spin_axis": numbers(k.spin_axis)}
    acceleration = {"acceleration": True} if k.acceleration else {}
    return {"body": k.body, "at": numbers(k.p)} | _frame(k.R) | spin_axis | acceleration


def _frame(R: Array) -> dict[str, Any]:
    """The fewest axes that give exactly this frame again."""
    if np.array_equal(R, np.eye(3)):
        return {}
    axes = {f"{name}_axis": numbers(column) for name, column in zip("xyz", R.T, strict=True)}
    if np.array_equal(completed_frame(R[:, 0], R[:, 1], None), R):
        del axes["z_axis"]
    return axes


def _port(port: Port) -> dict[str, Any]:
    loads = {"force": port.force, "moment": port.moment}
    return {"marker": port.marker} | {key: [float(x) for x in load] for key, load in loads.items() if any(load)}


def _coordinate(c: Coordinate, m: Mechanism) -> dict[str, Any]:
    bounds = {"from": c.lower, "to": c.upper, "start": c.start, "rate": c.start_rate or None}
    return {
        "of": _of(c.of, m),
        **_relative(c.of),
        **_given(**bounds),
        **({"periodic": True} if c.periodic else {}),
        "outside": c.outside,
        **({"driven": c.driven} if c.driven else {}),
        **_given(filter_time=c.filter_time),
    }


def _relative(of: Measure) -> dict[str, Any]:
    return {"relative": True} if of.relative else {}


def coordinates_text(m: Mechanism, free: tuple[Coordinate, ...]) -> str:
    """Coordinates with their ranges, as text to paste into the file of the mechanism, in the units of that.

    Of a coordinate that the file names, only what its table lacks.
    """
    named = {c.name for c in m.coordinates or ()}
    lines = []
    for c in free:
        scale = m.units.measure(c.of.is_angle(m))
        entry: dict[str, Any] = {} if c.name in named else {"of": _of(c.of, m)} | _relative(c.of)
        entry |= {key: _unscaled(value, scale) for key, value in _given(**{"from": c.lower, "to": c.upper}).items()}
        entry |= {"periodic": True} if c.periodic else {}
        lines += [f"[coordinates.free.{c.name}]", *(f"{key} = {value_text(value)}" for key, value in entry.items())]
    return "\n".join(lines)


def _unscaled(value: float, scale: Scale) -> float | int:
    """The shortest number of a file that is read as this value."""
    exact = scale.back(value)
    tried = (float(f"{exact:.{digits}g}") for digits in range(4, 18))
    found = next((x for x in tried if scale(x) == value), exact)
    return int(found) if found.is_integer() else found


def _of(of: Measure, m: Mechanism) -> Any:
    """A length by the spring or damper that has it, if one does."""
    owners = [("spring", s.name, s.on) for s in m.springs] + [("damper", d.name, d.on) for d in m.dampers]
    named = (f"{kind}.{name}.length" for kind, name, on in owners if of.segment and on.same(of))
    return next(named, None) or words_of(of).write(of)
