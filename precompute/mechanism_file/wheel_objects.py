"""Checked entries of a mechanism file -> axes, wheels, axles, the vehicle, in SI units and radians.

Each function raises `Faults` with the place inside the entry, or without any if it depends on a faulty object.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from precompute.arrays import Array
from precompute.mechanism_file.geometry import Geometry, placed
from precompute.mechanism_file.measure_objects import BuiltParts, Forces, measured
from precompute.mechanism_file.schema import wheel_tables as t
from precompute.mechanism_file.schema.checks import Faults, fault
from precompute.model.mechanism import Axes, Axle, Coordinate, Measure, Vehicle, Wheel
from precompute.model.wheels import Side, spin_problem

STATIC = math.radians(80.0)
"""Largest toe or camber at design."""

OFF = 0.1
"""How far a contact point may be from the lowest point of the wheel, over its radius: a camber of 5 deg does that."""


def axes(name: str, entry: t.AxesEntry | None, geometry: Geometry) -> Axes:
    """The axes of the vehicle; of two the third follows."""
    if entry is None:
        return Axes()
    given = {key: geometry.direction(word) for key in ("forward", "left", "up") if (word := getattr(entry, key))}
    rest = {"forward": ("left", "up"), "left": ("up", "forward"), "up": ("forward", "left")}
    for key, (first, second) in rest.items():
        if key not in given:
            given[key] = np.cross(given[first], given[second])
    R = np.array([given[key] for key in rest])
    if np.abs(R @ R.T - np.eye(3)).max() > 0.5:
        raise fault("two of forward, left and up lie on one line; they must be perpendicular")
    if np.linalg.det(R) < 0.0:
        up = "-" + entry.up.removeprefix("-") if entry.up and not entry.up.startswith("-") else (entry.up or "")[1:]
        raise fault(
            f'is left-handed: with forward = "{entry.forward}" and left = "{entry.left}", up is "{up}"; turn one of '
            "them round"
        )
    return Axes(**given)


def wheel(name: str, entry: t.WheelEntry, geometry: Geometry, axes: Axes) -> Wheel:
    """A wheel, its spin axis pointing to the left."""
    with placed("centre"):
        centre = geometry.position(entry.centre)
    side = entry.side or _side(centre, geometry, axes)
    spin = _spin_axis(entry, geometry, axes, side)
    with placed("contact"):
        radius = _radius(entry, geometry, axes, centre, spin)
    length = geometry.units.measure()
    unloaded = None if entry.unloaded_radius is None else length(entry.unloaded_radius)
    if unloaded is not None and unloaded < radius:
        shown = geometry.units.shown
        raise fault(f"is {shown(unloaded)}, less than the loaded one, {shown(radius)}", "unloaded_radius")
    rate = None if entry.tyre_rate is None else geometry.units.slope()(entry.tyre_rate)
    return Wheel(name, entry.body, centre, spin, side, radius, unloaded, rate)


def _side(centre: Array, geometry: Geometry, axes: Axes) -> Side:
    across = float(centre @ axes.left)
    if abs(across) < 1e-9:
        raise fault(
            f'its centre is {geometry.units.shown(across)} to the left: on no side; write side = "left" or "right"'
        )
    return "left" if across > 0.0 else "right"


def _spin_axis(entry: t.WheelEntry, geometry: Geometry, axes: Axes, side: Side) -> Array:
    """(3,) in G, pointing to the left: as given, or from the static angles.

    With psi the heading to the left of straight ahead and gamma the lean of the top to the left, it is
    [-sin psi cos gamma, cos psi cos gamma, -sin gamma] forward, left, up: of a left wheel psi = -toe, gamma = camber.
    """
    if entry.spin_axis is not None:
        with placed("spin_axis"):
            axis = geometry.direction(entry.spin_axis)
            if problem := spin_problem(axis, axes):
                raise fault(problem)
        return axis if float(axis @ axes.left) > 0.0 else -axis
    outward = 1.0 if side == "left" else -1.0
    angle = geometry.units.measure(angular=True)
    for key in ("toe", "camber"):
        if abs(angle(getattr(entry, key) or 0.0)) > STATIC:
            raise fault(f"is {getattr(entry, key):g} {geometry.units.angle}; beyond 80 deg it is no static angle", key)
    psi, gamma = -outward * angle(entry.toe or 0.0), outward * angle(entry.camber or 0.0)
    components = [-math.sin(psi) * math.cos(gamma), math.cos(psi) * math.cos(gamma), -math.sin(gamma)]
    return np.array(components) @ axes.R


def _radius(entry: t.WheelEntry, geometry: Geometry, axes: Axes, centre: Array, spin: Array) -> float:
    """The loaded radius [m]: given, or so that the lowest point of the wheel is as high as the contact point."""
    length, shown = geometry.units.measure(), geometry.units.shown
    if entry.radius is not None:
        return length(entry.radius)
    assert entry.contact is not None, "the table has one of them"
    contact = geometry.position(entry.contact)
    unit = spin / np.linalg.norm(spin)
    down = (axes.up @ unit) * unit - axes.up
    height = float((centre - contact) @ axes.up)
    if height <= 0.0:
        raise fault(
            f"is {shown(-height)} above the wheel's centre; it must be below: see 'axes', which says where up is; for "
            'z down and y to the right, axes = { forward = "x", left = "-y", up = "-z" }'
        )
    radius = height / float(np.linalg.norm(down))
    off = float(np.linalg.norm(contact - centre - radius * down / np.linalg.norm(down)))
    if off > OFF * radius:
        raise fault(
            f"is {shown(off, digits=4)} away from the lowest point of the wheel, whose radius it gives as "
            f"{shown(radius, digits=4)}; a wheel touches the road under its centre"
        )
    return radius


def axle(
    name: str,
    entry: t.AxleEntry,
    geometry: Geometry,
    parts: BuiltParts,
    forces: Forces,
    coordinates: Mapping[str, Coordinate],
) -> Axle:
    """An axle."""
    with placed("steering"):
        steering = _steering(entry, geometry, parts, forces, coordinates)
    return Axle(name, entry.left, entry.right, steering, entry.end)


def _steering(
    entry: t.AxleEntry, geometry: Geometry, parts: BuiltParts, forces: Forces, coordinates: Mapping[str, Coordinate]
) -> Measure | None:
    if entry.steering is None:
        return None
    if isinstance(entry.steering, t.CoordinateOf):
        if entry.steering.name not in coordinates:
            raise Faults()
        return coordinates[entry.steering.name].of
    return measured(entry.steering, geometry, parts, forces)[0]


def ended(axles: Mapping[str, Axle], wheels: Mapping[str, Wheel], axes: Axes) -> dict[str, Axle]:
    """Two axles with their ends where the file does not say them: the first in the direction of travel is in front."""
    if len(axles) != 2 or any(wheel not in wheels for axle in axles.values() for wheel in axle.wheels):
        return dict(axles)

    def ahead(axle: Axle) -> float:
        return float(np.mean([wheels[wheel].centre @ axes.forward for wheel in axle.wheels]))

    rear, front = sorted(axles.values(), key=ahead)
    found = {front.name: replace(front, end=front.end or "front"), rear.name: replace(rear, end=rear.end or "rear")}
    return {name: found[name] for name in axles}


def vehicle(name: str, entry: t.VehicleEntry, geometry: Geometry) -> Vehicle:
    """The vehicle."""
    length, mass = geometry.units.measure(), geometry.units.scale("mass")
    for key in ("brake_share", "drive_share"):
        if (total := sum(getattr(entry, key).values())) > 1.0 + 1e-9:
            raise fault(f"adds up to {total:g}; the shares of all axles are at most 1 together", key)
    return Vehicle(
        wheelbase=None if entry.wheelbase is None else length(entry.wheelbase),
        mass=None if entry.mass is None else mass(entry.mass),
        cg_height=None if entry.cg_height is None else length(entry.cg_height),
        cg_position=None if entry.cg_position is None else length(entry.cg_position),
        unsprung_mass=tuple((axle, mass(value)) for axle, value in entry.unsprung_mass.items()),
        brake_share=tuple(entry.brake_share.items()),
        drive_share=tuple(entry.drive_share.items()),
        brake_torque=entry.brake_torque,
        drive_torque=entry.drive_torque,
    )
