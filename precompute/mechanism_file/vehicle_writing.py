"""Axes, wheels, axles and the vehicle -> sections of a document, in SI units and radians."""

from __future__ import annotations

from typing import Any

import numpy as np

from precompute.arrays import Array
from precompute.errors import PrecomputeError
from precompute.mechanism_file.schema.measure_words import numbers, words_of
from precompute.model.mechanism import Axes, Axle, Mechanism, Vehicle, Wheel


def axes_section(axes: Axes) -> dict[str, Any]:
    """The axes, unless they are those of ISO 8855."""
    if np.array_equal(axes.R, np.eye(3)):
        return {}
    return {"axes": {key: _signed(getattr(axes, key)) for key in ("forward", "left", "up")}}


def _signed(axis: Array) -> str:
    number = int(np.argmax(np.abs(axis)))
    if float(np.abs(axis).sum()) != 1.0:
        raise PrecomputeError(
            f"the axes of the vehicle can be written along global axes only, not along {axis.tolist()}"
        )
    return ("-" if axis[number] < 0.0 else "") + "xyz"[number]


def vehicle_sections(m: Mechanism) -> dict[str, Any]:
    """Wheels, axles and the vehicle, those that there are."""
    return {
        "wheels": {w.name: _wheel(w) for w in m.wheels},
        "axles": {a.name: _axle(a, m) for a in m.axles},
        "vehicle": {} if m.vehicle is None else _vehicle(m.vehicle),
    }


def _wheel(w: Wheel) -> dict[str, Any]:
    optional = {"unloaded_radius": w.unloaded_radius, "tyre_rate": w.tyre_rate}
    return {
        "body": w.body,
        "centre": numbers(w.centre),
        "spin_axis": numbers(w.spin_axis),
        "radius": float(w.radius),
        "side": w.side,
        **{key: float(value) for key, value in optional.items() if value is not None},
    }


def _axle(a: Axle, m: Mechanism) -> dict[str, Any]:
    found = {key: value for key in ("left", "right", "end") if (value := getattr(a, key)) is not None}
    if a.steering is None:
        return found
    named = next((c.name for c in m.coordinates or () if c.of.same(a.steering)), None)
    if named is None and a.steering.relative:
        raise PrecomputeError(f"the {a.steering.name} cannot be written as steering; name a free coordinate of it")
    return found | {"steering": named or words_of(a.steering).write(a.steering)}


def _vehicle(v: Vehicle) -> dict[str, Any]:
    single = {key: getattr(v, key) for key in ("wheelbase", "mass", "cg_height", "cg_position")}
    by_axle = {key: getattr(v, key) for key in ("unsprung_mass", "brake_share", "drive_share")}
    return {
        **{key: float(value) for key, value in single.items() if value is not None},
        **{key: {axle: float(x) for axle, x in value} for key, value in by_axle.items() if value},
        "brake_torque": v.brake_torque,
        "drive_torque": v.drive_torque,
    }
