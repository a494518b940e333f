"""What can be pushed and seen of small motions: a gradient along all coordinates each, named as in the FMU."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from precompute.arrays import Array
from precompute.geometry.spatial import point_velocity
from precompute.measures.measure import Measure
from precompute.modes.matrices import Matrices
from precompute.modes.resting import Resting


class Signal(NamedTuple):
    """An input or output."""

    name: str
    unit: str
    row: Array  # (nz,)


def coordinate_units(at: Resting) -> list[str]:
    """Of all coordinates."""
    return [of.unit(at.mechanism) for of in at.closure.coordinates]


def pushed(at: Resting, parts: Matrices) -> Iterator[Signal]:
    """Forces on coordinates that are not held, of ports, on wheels at their contacts, and roads under tyres."""
    units = coordinate_units(at)
    for k in at.moving:
        yield Signal(f"Q.{at.names[k]}", "N.m" if units[k] == "rad" else "N", unit_row(at, k))
    for port in at.mechanism.ports:
        velocity, turning = of_marker(at, parts, port.marker)
        yield from of_three(f"port.{port.name}.F", "N", velocity)
        yield from of_three(f"port.{port.name}.M", "N.m", turning)
    for wheel, own in zip(at.mechanism.wheels, parts.corners, strict=False):
        yield from of_three(f"wheel.{wheel.name}.F", "N", point_velocity(own.twist, own.contact)[0])
        yield from of_three(f"wheel.{wheel.name}.M", "N.m", own.twist[0, :3])
    for wheel, own, rate in zip(at.mechanism.wheels, parts.corners, at.rates, strict=False):
        if rate:
            yield Signal(f"wheel.{wheel.name}.road.d", "m", rate * own.rise[0])


def seen(at: Resting, parts: Matrices) -> Iterator[Signal]:
    """Coordinates, markers, lengths of springs, travels of wheels and the measures of the file."""
    for k, unit in zip(at.moving, [coordinate_units(at)[k] for k in at.moving], strict=True):
        yield Signal(f"q.{at.names[k]}", unit, unit_row(at, k))
    for marker in at.mechanism.markers:
        yield from of_three(f"marker.{marker.name}.r", "m", of_marker(at, parts, marker.name)[0])
    for spring in at.mechanism.springs:
        what = "angle" if spring.on.is_angle(at.mechanism) else "length"
        yield of_measure(at, parts, f"spring.{spring.name}.{what}", spring.on)
    for own in at.mechanism.measures:
        yield of_measure(at, parts, f"measure.{own.name}", own.of)


def felt(at: Resting, parts: Matrices) -> Iterator[Signal]:
    """What accelerations of markers are gradients of, on zdd."""
    for marker in at.mechanism.markers:
        yield from of_three(f"marker.{marker.name}.a", "m/s2", of_marker(at, parts, marker.name)[0])


def of_measure(at: Resting, parts: Matrices, name: str, measure: Measure) -> Signal:
    """Any measure."""
    row = measure.row(parts.motion.places)[:, None, :] @ parts.B
    return Signal(name, measure.unit(at.mechanism), row[0, 0])


def of_marker(at: Resting, parts: Matrices, name: str) -> tuple[Array, Array]:
    """Velocity and angular velocity of a marker along z, (3, nz) each."""
    marker = at.mechanism.marker(name)
    V, point = parts.motion.velocity(marker.body), parts.motion.places.pose(marker.body).point(marker.p)
    return point_velocity(V, point)[0], V[0, :3]


def of_three(name: str, unit: str, rows: Array) -> Iterator[Signal]:
    """Along x, y, z."""
    for i, row in enumerate(rows):
        yield Signal(f"{name}[{i + 1}]", unit, row)


def unit_row(at: Resting, k: int) -> Array:
    """One at coordinate k."""
    return np.eye(len(at.names))[k]
