"""Checked entries of a mechanism file -> the objects of a mechanism, in SI units and radians.

Each function takes the object's name, its entry and what it refers to; it raises `Faults` with the place inside the
entry, or without any if the entry depends on an object that is faulty itself.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from precompute.arrays import Array
from precompute.mechanism import (
    Body,
    Coordinate,
    Damper,
    Distance,
    ForceTable,
    Joint,
    JointCoordinate,
    Marker,
    MarkerCoordinate,
    Measure,
    Port,
    Primitive,
    Rod,
    Spring,
    Stop,
    joint_primitives,
)
from precompute.mechanism_file import tables as t
from precompute.mechanism_file.checks import Faults, fault
from precompute.mechanism_file.geometry import Geometry, placed
from precompute.mechanism_file.references import Ends, MeasureOf
from precompute.mechanism_file.units import Scale

Joints = Mapping[str, Joint | Rod]
Forces = Mapping[str, Mapping[str, Spring | Damper]]


def body(name: str, entry: t.BodyEntry, geometry: Geometry) -> Body:
    """A body."""
    with placed("com"):
        com = geometry.position(entry.com)
    inertia = _inertia(entry, geometry)
    with placed("inertia"):  # mass and com are good already
        return Body(name, geometry.units.scale("mass")(entry.mass), com, inertia)


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


# -- joints -----------------------------------------------------------------------------------------------------------


def joint(name: str, entry: Any, geometry: Geometry) -> Joint | Rod:
    """A joint or rod."""
    at = _joint_place(entry)
    with placed("at"):
        p_P, p_C = (geometry.position(point) for point in at)
    if isinstance(entry, t.RodEntry):
        length = float(np.linalg.norm(p_C - p_P))
        if entry.length is not None:
            length = geometry.units.measure()(entry.length)
        return Rod(name, entry.parent, entry.child, p_P, p_C, length)
    return Joint(name, entry.type, entry.parent, entry.child, p_P, p_C, _primitives(entry, geometry))


def _joint_place(entry: Any) -> Any:
    """The pair of points, or its default where there is one."""
    if entry.at is not None:
        return entry.at
    axis = getattr(entry, "axis", None)
    if isinstance(axis, tuple) and len(axis) == 2:
        return axis[0], axis[0]
    if entry.type in ("prismatic", "fixed", "free"):
        return (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    raise fault('\'at\' is missing; write for example at = "A", or give the axis as two points, axis = ["A", "B"]')


def _primitives(entry: Any, geometry: Geometry) -> tuple[Primitive, ...]:
    if isinstance(entry, t.SequenceEntry):
        return tuple(_primitive(each, at, geometry) for at, each in enumerate(entry.primitives))
    axes = []
    for key in ("axis", "axis2"):
        if (axis := getattr(entry, key, None)) is not None:
            with placed(key):
                axes.append(geometry.direction(axis))
    with placed("axis" if axes else "type"):
        return joint_primitives(entry.type, axes)


def _primitive(entry: t.PrimitiveEntry, at: int, geometry: Geometry) -> Primitive:
    with placed("primitives", at):
        if entry.rotation is not None:
            return Primitive("rotation", geometry.direction(entry.rotation))
        if entry.translation is not None:
            return Primitive("translation", geometry.direction(entry.translation))
        if not entry.ball:
            raise fault("has ball = false, which is no motion; write ball = true, or leave the motion out")
        return Primitive("ball")


# -- forces -----------------------------------------------------------------------------------------------------------


def _distance(bodies: tuple[str, str], points: Any, geometry: Geometry) -> Distance:
    with placed("at"):
        p_a, p_b = (geometry.position(point) for point in points)
    return Distance(*bodies, p_a, p_b)


def _coordinate_of(of: JointCoordinate, joints: Joints) -> tuple[JointCoordinate, bool]:
    """The coordinate, and whether it is an angle."""
    if of.joint not in joints:
        raise Faults()
    owner = joints[of.joint]
    assert isinstance(owner, Joint)
    scalar = {i: p.kind == "rotation" for i, p in enumerate(owner.primitives) if p.kind != "ball"}
    if of.index not in scalar:
        has = ", ".join(f"[{i + 1}]" for i in scalar) or "none"
        raise fault(f"joint '{of.joint}' ({owner.kind}) has no scalar coordinate [{of.index + 1}]; it has {has}")
    return of, scalar[of.index]


def _on(entry: t.ForceEntry, geometry: Geometry, joints: Joints) -> tuple[Distance | JointCoordinate, bool]:
    """The measure a spring or damper acts on, and whether it is an angle."""
    if entry.joint is not None:
        with placed("joint"):
            return _coordinate_of(entry.joint, joints)
    assert entry.between is not None
    return _distance(entry.between, entry.at, geometry), False


def _scaled(value: float | None, scale: Scale) -> float | None:
    return None if value is None else scale(value)


def _table(rows: t.Rows | None, geometry: Geometry, angular: bool) -> ForceTable | None:
    if rows is None:
        return None
    x, force = np.array(rows).T
    return ForceTable(geometry.units.measure(angular)(x), geometry.units.effort(angular)(force))


def _stop(entry: t.StopEntry | None, geometry: Geometry, angular: bool) -> Stop | None:
    if entry is None:
        return None
    units = geometry.units
    return Stop(
        at=units.measure(angular)(entry.length),
        stiffness=_scaled(entry.stiffness, units.slope(angular)),
        table=_table(entry.table, geometry, angular),
    )


def spring(name: str, entry: t.SpringEntry, geometry: Geometry, joints: Joints) -> Spring:
    """A spring with its stops."""
    on, angular = _on(entry, geometry, joints)
    with placed("bump_stop"):
        bump_stop = _stop(entry.bump_stop, geometry, angular)
    with placed("rebound_stop"):
        rebound_stop = _stop(entry.rebound_stop, geometry, angular)
    units = geometry.units
    return Spring(
        name=name,
        on=on,
        stiffness=_scaled(entry.stiffness, units.slope(angular)),
        table=_table(entry.table, geometry, angular),
        free_length=_scaled(entry.free_length, units.measure(angular)),
        preload=_scaled(entry.preload, units.effort(angular)),
        bump_stop=bump_stop,
        rebound_stop=rebound_stop,
    )


def damper(name: str, entry: t.DamperEntry, geometry: Geometry, joints: Joints) -> Damper:
    """A damper."""
    on, angular = _on(entry, geometry, joints)
    slope = geometry.units.slope(angular)
    return Damper(name, on, _scaled(entry.damping, slope), _table(entry.table, geometry, angular))


# -- outputs, coordinates ---------------------------------------------------------------------------------------------


def marker(name: str, entry: t.MarkerEntry, geometry: Geometry) -> Marker:
    """A marker with its frame."""
    with placed("at"):
        p = geometry.position(entry.at)
    R = np.eye(3) if entry.x_axis is None else geometry.frame(entry.x_axis, entry.y_axis, entry.z_axis)
    with placed("spin_axis"):
        spin_axis = None if entry.spin_axis is None else geometry.direction(entry.spin_axis)
        return Marker(name, entry.body, p, R, spin_axis)


def port(name: str, entry: t.PortEntry, geometry: Geometry) -> Port:
    """A port."""
    force = geometry.units.effort()(np.array(entry.force)).tolist()
    moment = geometry.units.effort(angular=True)(np.array(entry.moment)).tolist()
    return Port(name, entry.marker, tuple(force), tuple(moment))


def coordinate(name: str, entry: t.CoordinateEntry, geometry: Geometry, joints: Joints, forces: Forces) -> Coordinate:
    """An independent coordinate."""
    with placed("of"):
        of, angular = _measure(entry.of, geometry, joints, forces)
    if entry.periodic and not angular:
        raise fault("is true; only a joint angle can be periodic", "periodic")
    _check_range(entry, geometry.units.angle if angular else geometry.units.length)
    scale = geometry.units.measure(angular)
    return Coordinate(
        name=name,
        of=of,
        lower=_scaled(entry.lower, scale),
        upper=_scaled(entry.upper, scale),
        periodic=entry.periodic,
        start=_scaled(entry.start, scale),
        start_rate=scale(entry.rate),
        outside=entry.outside,
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


def _measure(of: t.Measure, geometry: Geometry, joints: Joints, forces: Forces) -> tuple[Measure, bool]:
    """The measure, and whether it is an angle."""
    match of:
        case JointCoordinate():
            return _coordinate_of(of, joints)
        case MarkerCoordinate():
            return of, False
        case Ends():
            return _distance(of.bodies, of.points, geometry), False
        case MeasureOf():
            if of.name not in forces[of.section]:
                raise Faults()
            on = forces[of.section][of.name].on
            return _coordinate_of(on, joints) if isinstance(on, JointCoordinate) else (on, False)
