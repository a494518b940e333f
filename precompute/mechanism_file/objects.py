"""Checked entries of a mechanism file -> bodies, markers, ports, measures and coordinates, in SI units and radians.

Each function takes the object's name, its entry and what it refers to; it raises `Faults` with the place inside the
entry, or without any if the entry depends on an object that is faulty itself.
"""

from __future__ import annotations

import numpy as np

from precompute.arrays import Array
from precompute.mechanism_file.force_objects import scaled
from precompute.mechanism_file.geometry import Geometry, placed
from precompute.mechanism_file.measure_objects import BuiltParts, Forces, measured
from precompute.mechanism_file.schema import tables as t
from precompute.mechanism_file.schema.checks import Faults, fault
from precompute.model.mechanism import Body, Coordinate, DesignParameter, Marker, Measure, Port, ReadMeasure
from precompute.model.parts import inertia_problem, variable_quantity


def body(name: str, entry: t.BodyEntry, geometry: Geometry) -> Body:
    """A body."""
    with placed("com"):
        com = geometry.position(entry.com)
    inertia = _inertia(entry, geometry)
    if problem := inertia_problem(inertia, geometry.units):
        raise fault(problem, "inertia")
    return Body(name, geometry.units.scale("mass")(entry.mass), com, inertia, entry.allow_unphysical_inertia)


def _inertia(entry: t.BodyEntry, geometry: Geometry) -> Array:
    """(3, 3) in G axes [kg m2]."""
    xx, yy, zz, xy, xz, yz = (*entry.inertia, 0.0, 0.0, 0.0)[:6]
    tensor = geometry.units.inertia()(np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]))
    if entry.inertia_axes is None:
        return tensor
    x_axis, y_axis = entry.inertia_axes
    try:
        R = geometry.frame(x_axis, y_axis, None)
    except Faults as faults:
        keys = {"x_axis": 0, "y_axis": 1}
        raise Faults(*((("inertia_axes", keys[str(place[0])]), text) for place, text in faults.items)) from None
    tensor = R @ tensor @ R.T
    return (tensor + tensor.T) / 2.0


def marker(name: str, entry: t.MarkerEntry, geometry: Geometry) -> Marker:
    """A marker with its frame."""
    with placed("at"):
        p = geometry.position(entry.at)
    R = np.eye(3) if entry.x_axis is None else geometry.frame(entry.x_axis, entry.y_axis, entry.z_axis)
    with placed("spin_axis"):
        spin_axis = None if entry.spin_axis is None else geometry.direction(entry.spin_axis)
        return Marker(name, entry.body, p, R, spin_axis, entry.acceleration)


def port(name: str, entry: t.PortEntry, geometry: Geometry) -> Port:
    """A port."""
    force = geometry.units.effort()(np.array(entry.force)).tolist()
    moment = geometry.units.effort(angular=True)(np.array(entry.moment)).tolist()
    return Port(name, entry.marker, tuple(force), tuple(moment))


def read_measure(
    name: str, entry: t.MeasureEntry, geometry: Geometry, parts: BuiltParts, forces: Forces
) -> ReadMeasure:
    """A measure that is an output."""
    return ReadMeasure(name, _measure(entry, geometry, parts, forces)[0])


def _measure(
    entry: t.MeasureEntry | t.CoordinateEntry, geometry: Geometry, parts: BuiltParts, forces: Forces
) -> tuple[Measure, bool]:
    """What is measured, from design on if that is asked for, and whether it is an angle."""
    with placed("of"):
        of, angular = measured(entry.of, geometry, parts, forces)
    if not entry.relative:
        return of, angular
    if of.since_design is None:
        raise fault(
            f"is true; the {of.name} is no coordinate of a marker (joint coordinates are 0 at design)", "relative"
        )
    return of.since_design, angular


def coordinate(
    name: str, entry: t.CoordinateEntry, geometry: Geometry, parts: BuiltParts, forces: Forces
) -> Coordinate:
    """An independent coordinate."""
    of, angular = _measure(entry, geometry, parts, forces)
    if entry.periodic and not angular:
        raise fault("is true; only a joint angle can be periodic", "periodic")
    _check_range(entry, geometry.units.angle if angular else geometry.units.length)
    scale = geometry.units.measure(angular)
    return Coordinate(
        name=name,
        of=of,
        lower=scaled(entry.lower, scale),
        upper=scaled(entry.upper, scale),
        periodic=entry.periodic,
        start=scaled(entry.start, scale),
        start_rate=scale(entry.rate),
        outside=entry.outside,
        driven=entry.driven,
        filter_time=entry.filter_time,
    )


def _check_range(entry: t.CoordinateEntry, unit: str) -> None:
    """Complain in the units of the file, before the numbers are converted."""
    if entry.lower is None or entry.upper is None:
        return
    if entry.lower >= entry.upper:
        raise fault(f"is {entry.lower:g} {unit}, but 'to' is {entry.upper:g} {unit}; the range is empty", "from")
    inside = entry.start is None or entry.lower <= entry.start <= entry.upper
    if not (inside or entry.periodic or entry.outside == "linear"):
        text = f"is {entry.start:g} {unit}; the range is from {entry.lower:g} to {entry.upper:g} {unit}"
        raise fault(text, "start")


def design(name: str, entry: t.DesignEntry, geometry: Geometry) -> DesignParameter:
    """A design parameter."""
    quantity, units = variable_quantity(entry.of), geometry.units
    scale = units.inertia() if quantity == "inertia" else units.scale(quantity)
    return DesignParameter(name, entry.of, scale(entry.range))
