"""Checked entries of a mechanism file -> springs, dampers, constant forces and bushings, in SI units and radians.

Each function raises `Faults` with the place inside the entry, or without any if it depends on a faulty object.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from fmu_src.model.law_parts import CURVES
from precompute.arrays import Array
from precompute.mechanism_file.geometry import Geometry, placed
from precompute.mechanism_file.measure_objects import BuiltParts, measured
from precompute.mechanism_file.schema import force_tables as t
from precompute.mechanism_file.schema.annotations import Matrix, Rows, Vector
from precompute.mechanism_file.schema.checks import fault
from precompute.mechanism_file.schema.entry import Entry
from precompute.model.curve_keys import curve_keys
from precompute.model.mechanism import (
    DIRECTIONS,
    Bushing,
    Combination,
    ConstantForce,
    Damper,
    Distance,
    ForceTable,
    Measure,
    RelativeAngle,
    Spring,
    Stop,
    WheelTravel,
)
from precompute.units import Scale


def _on(entry: t.ForceEntry, geometry: Geometry, parts: BuiltParts) -> tuple[Measure, bool]:
    """The measure a spring, damper or constant force acts on, and whether it is an angle."""
    for key, given in (("joint", entry.joint), ("on", entry.on)):
        if given is not None:
            with placed(key):
                return measured(given, geometry, parts)
    a, b = entry.between or ("", "")
    if entry.axis is not None:
        with placed("axis"):
            axis = geometry.direction(entry.axis)
        return RelativeAngle(a, b, axis), True
    with placed("at"):
        ends = geometry.apart(entry.at or ())
    return Distance(a, b, *ends), False


def scaled(value: float | None, scale: Scale) -> float | None:
    """An optional value in SI."""
    return None if value is None else scale(value)


def _curve(entry: Entry, kind: type, geometry: Geometry, angular: bool) -> dict[str, Any]:
    """The curve of a spring, stop, damper or constant force as arguments of its dataclass."""
    found: dict[str, Any] = {}
    for key in curve_keys(kind):
        value, curve = getattr(entry, key.name), CURVES[key.curve]
        if curve.table:
            found[key.name] = _table(value, geometry, angular)
        else:
            found[key.name] = scaled(value, geometry.units.slope(angular, curve.single[0][1]))
    return found


def _table(rows: Rows | None, geometry: Geometry, angular: bool) -> ForceTable | None:
    if rows is None:
        return None
    x, force = np.array(rows).T
    return ForceTable(geometry.units.measure(angular)(x), geometry.units.effort(angular)(force))


def _stop(entry: t.StopEntry | None, geometry: Geometry, angular: bool) -> Stop | None:
    if entry is None:
        return None
    return Stop(geometry.units.measure(angular)(entry.length), **_curve(entry, Stop, geometry, angular))


def spring(name: str, entry: t.SpringEntry, geometry: Geometry, parts: BuiltParts) -> Spring:
    """A spring with its stops."""
    on, angular = _on(entry, geometry, parts)
    with placed("bump_stop"):
        bump_stop = _stop(entry.bump_stop, geometry, angular)
    with placed("rebound_stop"):
        rebound_stop = _stop(entry.rebound_stop, geometry, angular)
    units = geometry.units
    preload = None if isinstance(entry.preload, str) else scaled(entry.preload, units.effort(angular))
    return Spring(
        name=name,
        on=on,
        **_curve(entry, Spring, geometry, angular),
        free_length=scaled(entry.free_length, units.measure(angular)),
        preload=preload,
        bump_stop=bump_stop,
        rebound_stop=rebound_stop,
        static_preload=entry.preload == "static",
    )


def anti_roll_bar(name: str, entry: t.BarEntry, geometry: Geometry, parts: BuiltParts) -> Spring:
    """An anti-roll bar."""
    on, angular = _on(entry, geometry, parts)
    preload = geometry.units.effort(angular)(entry.preload)
    return Spring(name, on, **_curve(entry, Spring, geometry, angular), preload=preload, role="anti_roll_bar")


def stop(name: str, entry: t.SingleStopEntry, geometry: Geometry, parts: BuiltParts) -> Spring:
    """A stop, of two wheels on the mean of their travel."""
    if entry.wheels is not None:
        travels = tuple(WheelTravel(wheel) for wheel in entry.wheels)
        on: Measure = travels[0] if len(travels) == 1 else Combination(travels, (0.5, 0.5))
        with placed("wheels"):
            on, angular = measured(on, geometry, parts)
    else:
        on, angular = _on(entry, geometry, parts)
    where = entry.below if entry.above is None else entry.above
    made = Stop(geometry.units.measure(angular)(where), **_curve(entry, Stop, geometry, angular))
    bump, rebound = (made, None) if entry.above is None else (None, made)
    return Spring(name, on, 0.0, preload=0.0, bump_stop=bump, rebound_stop=rebound, role="stop")


def damper(name: str, entry: t.DamperEntry, geometry: Geometry, parts: BuiltParts) -> Damper:
    """A damper."""
    on, angular = _on(entry, geometry, parts)
    return Damper(name, on, **_curve(entry, Damper, geometry, angular))


def constant_force(name: str, entry: t.ConstantForceEntry, geometry: Geometry, parts: BuiltParts) -> ConstantForce:
    """A constant force."""
    on, angular = _on(entry, geometry, parts)
    return ConstantForce(name, on, **_curve(entry, ConstantForce, geometry, angular))


def bushing(name: str, entry: t.BushingEntry, geometry: Geometry) -> Bushing:
    """A bushing with its matrices."""
    if entry.stiffness is None and entry.tables is None:
        raise fault("needs 'stiffness', six numbers or a 6x6 matrix, or 'tables'")
    with placed("at"):
        p = geometry.position(entry.at)
    rows = [(entry.tables or {}).get(direction) for direction in DIRECTIONS]
    units = geometry.units
    effort = [units.effort(angular)(value) for angular, value in zip(_ANGULAR, entry.preload, strict=True)]
    return Bushing(
        name=name,
        parent=entry.parent,
        child=entry.child,
        p=p,
        R=geometry.axes(entry.axis, entry.second),
        stiffness=_matrix(entry.stiffness, geometry),
        damping=_matrix(entry.damping, geometry),
        preload=np.array(effort),
        tables=tuple(_table(row, geometry, angular) for row, angular in zip(rows, _ANGULAR, strict=True)),
        law=entry.law,
    )


_ANGULAR = (False, False, False, True, True, True)


def _matrix(value: Vector | Matrix | None, geometry: Geometry) -> Array:
    """(6, 6) in SI from six numbers or a matrix whose coupling entries are force / angle; symmetric to the last bit."""
    if value is None:
        return np.zeros((6, 6))
    matrix = np.array(value) if np.ndim(value) == 2 else np.diag(np.array(value))
    units = geometry.units
    out = np.array(matrix, dtype=float)
    out[:3, :3] = units.slope()(matrix[:3, :3])
    out[3:, 3:] = units.slope(angular=True)(matrix[3:, 3:])
    out[:3, 3:] = units.effort().per(units.measure(angular=True))(matrix[:3, 3:])
    upper = np.triu(out)
    return upper + np.triu(out, 1).T
