"""A solved motion as samples: each quantity by the name that the FMU gives it, and further derivatives beside them.

Coordinates, those given and the others of the file, are q.NAME, qd.NAME, qdd.NAME and qddd.NAME.  Markers have r, v, a
and jerk, w and alpha along ground axes, angle (roll, pitch, yaw), and steer and camber if they are wheels.  Springs,
dampers and measures have .rate, .acceleration and .jerk.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from fmu_src.model.units import rate_of
from fmu_src.numpy_runtime.outputs import camber_change, roll_pitch_yaw, steer_absolute, steer_camber
from precompute.arrays import Array
from precompute.measures.measure import Measure
from precompute.model.mechanism import Marker, Mechanism
from precompute.natural import Moved
from precompute.running.samples import Samples
from precompute.solving.prescribed import DERIVATIVES, Prescribed

Column = tuple[str, str, Array]
"""Name, unit and values (n,)."""


def recorded(mechanism: Mechanism, motion: Prescribed, moved: Moved, given: dict[str, Measure]) -> Samples:
    """All quantities of a solved motion.

    Args:
        mechanism: whose it is.
        motion: what was prescribed.
        moved: what that led to.
        given: what the prescribed coordinates measure.
    """
    inputs, derivatives = [], []
    for name, values in motion.motions.items():
        units = units_of(given[name].unit(mechanism))
        inputs.append((f"q.{name}", units[0], values[0]))
        derivatives += [(f"q{'d' * k}.{name}", units[k], values[k]) for k in (1, 2, 3)]
    outputs = [*derivatives, *scalars(mechanism, motion, moved)]
    for marker in mechanism.markers:
        outputs += [*marker_columns(marker, moved), *wheel_columns(marker, moved)]
    return Samples(
        name=mechanism.name,
        time=motion.time,
        outputs={name: values for name, _, values in outputs},
        inputs={name: values for name, _, values in inputs},
        units={name: unit for name, unit, _ in (*outputs, *inputs)},
    )


def joined(parts: Sequence[Samples]) -> Samples:
    """Samples of parts of a motion, one after the other."""
    return Samples(
        name=parts[0].name,
        time=np.concatenate([part.time for part in parts]),
        outputs={name: np.concatenate([part.outputs[name] for part in parts]) for name in parts[0].outputs},
        inputs={name: np.concatenate([part.inputs[name] for part in parts]) for name in parts[0].inputs},
        units=parts[0].units,
    )


def units_of(unit: str) -> tuple[str, str, str, str]:
    """Of a quantity and three derivatives."""
    return unit, rate_of(unit), f"{unit}/s2", f"{unit}/s3"


def scalars(mechanism: Mechanism, motion: Prescribed, moved: Moved) -> Iterator[Column]:
    """Coordinates of the file that are not given; what springs, dampers and elements are connected to; measures."""
    others = [c for c in mechanism.coordinates or () if c.name not in motion.motions]
    parts = [([f"q{'d' * k}.{c.name}" for k in range(4)], c.of) for c in others]
    for kind, elements in (("spring", mechanism.springs), ("damper", mechanism.dampers)):
        for e in elements:
            symbol = "angle" if e.on.is_angle(mechanism) else "length"
            parts.append((derived_names(f"{kind}.{e.name}.{symbol}", f"{kind}.{e.name}"), e.on))
    for device in mechanism.devices:
        for symbol, on in device.on:
            parts.append((derived_names(f"element.{device.name}.{symbol}", f"element.{device.name}.{symbol}"), on))
    parts += [(derived_names(m.output, m.output), m.of) for m in mechanism.read]
    for names, measure in parts:
        found = moved.measure(measure)
        values = found.value, found.rate, found.acceleration, found.jerk
        yield from zip(names, units_of(measure.unit(mechanism)), values, strict=True)


def derived_names(value: str, owner: str) -> list[str]:
    """Names of a quantity and of its derivatives."""
    return [value, *(f"{owner}{d}" for d in DERIVATIVES[1:])]


def marker_columns(marker: Marker, moved: Moved) -> Iterator[Column]:
    """Position, velocity, acceleration and jerk; rotation, angular velocity and acceleration."""
    point, body = moved.point(marker.body, marker.p), moved.body(marker.body)
    turned = np.array([roll_pitch_yaw(R @ marker.R) for R in body.R])
    for symbol, unit, values in (
        ("r", "m", point.p),
        ("v", "m/s", point.v),
        ("a", "m/s2", point.a),
        ("jerk", "m/s3", point.jerk),
        ("w", "rad/s", body.w),
        ("alpha", "rad/s2", body.alpha),
        ("angle", "rad", turned),
    ):
        for i in range(3):
            yield f"marker.{marker.name}.{symbol}[{i + 1}]", unit, values[:, i]


def wheel_columns(marker: Marker, moved: Moved) -> Iterator[Column]:
    """Steer and camber, if the marker is that of a wheel."""
    if marker.spin_axis is None:
        return
    design = marker.spin_axis.tolist()
    axes = moved.body(marker.body).R @ marker.spin_axis
    both = np.array([steer_camber(u, design) for u in axes])
    for symbol, values in (
        ("steer", both[:, 0]),
        ("camber", both[:, 1]),
        ("steer_absolute", np.array([steer_absolute(u, design) for u in axes])),
        ("camber_change", np.array([camber_change(u, design) for u in axes])),
    ):
        yield f"marker.{marker.name}.{symbol}", "rad", values
