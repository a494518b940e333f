"""Records of an axle in many designs, where its motion is prescribed: for metrics of position and velocity.

As `rig.records`, without forces and second derivatives; every array has the axes (designs, points, ...).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from precompute.arrays import Array
from precompute.geometry.spatial import point_velocity
from precompute.kc.analytic import unit
from precompute.kc.axle import axle
from precompute.kc.record import AxleRecord, Element, Record, WheelData
from precompute.kinematics.poses import Poses
from precompute.model.carrying import carrying_points, point_on
from precompute.model.mechanism import Measure, Wheel
from precompute.model.senses import pressed_by
from precompute.rig.cases import copy_signs
from precompute.rig.rates import stand_axes
from precompute.rig.records import moved_elements, parts_of
from precompute.rig.stand import Place, Stand


@dataclass(frozen=True, eq=False)
class Standing:
    """An axle of many designs on the rig."""

    stand: Stand  # of the mechanism
    measures: Mapping[int, Measure]  # what springs, dampers and elements act on, of many designs, by their numbers
    places: Poses  # (n, m) configurations
    B: Array  # (n, m, nv, nz) along all coordinates of the bench
    steering: Array | None  # (n, m) value of what steers
    samples: NDArray[np.intp]  # (points, copies) which of the m configurations each copy is in

    def take(self, side: Place, values: Array) -> Array:
        """(n, m, ...) -> (n, points, ...) of a wheel's copy."""
        return values[:, self.samples[:, side.copy]]


def records(standing: Standing) -> AxleRecord:
    """Of both wheels."""
    stand = standing.stand
    left, right = (side_record(standing, side) for side in stand.sides)
    mirrored = any(side.mirrored for side in stand.sides)
    return axle(stand.axle.name, left, right, end=stand.axle.end, vehicle=stand.mechanism.vehicle, mirrored=mirrored)


def side_record(standing: Standing, side: Place) -> Record:
    """Of one wheel, in axes of ISO 8855, along travel left, travel right and steering."""
    stand, P = standing.stand, standing.places
    S, take = stand_axes(stand, side), partial(standing.take, side)
    wheel = P.mechanism.wheels[side.wheel]
    along = rates(stand, side)
    X = P.pose(wheel.body)
    centre = X.point(wheel.centre)
    V = velocity(standing, wheel.body)
    twist = np.concatenate([V[..., :3, :], point_velocity(V, centre)], axis=-2)
    both = np.zeros((6, 6))
    both[:3, :3], both[3:, 3:] = np.linalg.det(S) * S, S  # what turns has the other sign in a mirror
    W = both @ take(twist) @ along
    balls = carried(standing, side)
    at = [P.pose(body).point(p) for body, p in balls]
    speeds = [point_velocity(velocity(standing, body), p) for (body, _), p in zip(balls, at, strict=True)]
    return Record(
        wheel=designed(wheel, S, stand, side),
        centre=take(centre) @ S.T,
        R=S @ take(X.R) @ S.T,
        road=np.broadcast_to(stand.mechanism.axes.up @ S.T, W.shape[:-2] + (3,)),
        choices=stand.choices,
        balls=np.stack([take(p) @ S.T for p in at], axis=-2) if at else None,
        steering=steering(standing, along),
        elements=tuple(elements(standing, side, along)),
        W=W,
        ball_rates=np.stack([S @ take(v) @ along for v in speeds], axis=-3) if speeds else None,
    )


def rates(stand: Stand, side: Place) -> Array:
    """(nz, rates) what each rate of the record moves of the coordinates in a wheel's copy."""
    steered = stand.steering is not None
    out = np.zeros((stand.rig.bench.z.size, 2 + steered))
    for number, other in enumerate(stand.sides):
        if other.copy == side.copy:
            out[other.wheel, number] = 1.0
    if steered:
        out[stand.steering, 2] = copy_signs(stand)[side.copy]
    return out


def velocity(standing: Standing, body: str) -> Array:
    """(n, m, 6, nz) of a body."""
    P = standing.places
    return (P.topology.reach[P.number(body)] * P.S) @ standing.B


def carried(standing: Standing, side: Place) -> list[tuple[str, Array]]:
    """The two points that carry a wheel, where they are in all designs."""
    stand, parts = standing.stand, standing.places.mechanism
    points = carrying_points(stand.mechanism, stand.mechanism.wheels[side.wheel], stand.axle)
    return [(body, point_on(parts.joint(pivot.name), body)) for body, _, pivot in points]


def designed(wheel: Wheel, S: Array, stand: Stand, side: Place) -> WheelData:
    """A wheel of many designs as `kc.record.wheel_data` has it, seen in the mirror if need be."""
    up = np.broadcast_to(stand.mechanism.axes.up, wheel.spin_axis.shape)
    across = up - (wheel.spin_axis @ stand.mechanism.axes.up)[..., None] * wheel.spin_axis
    contact = wheel.centre - np.asarray(wheel.radius)[..., None] * unit(across)
    name, own, sign = wheel.name, wheel.side, 1.0
    if side.mirrored:
        name, own, sign = f"{name} (mirrored)", "right" if own == "left" else "left", -1.0
    centre, spin = wheel.centre @ S.T, sign * (wheel.spin_axis @ S.T)
    return WheelData(name, own, centre, spin, contact @ S.T, wheel.radius, wheel.tyre_rate)


def steering(standing: Standing, along: Array) -> Element | None:
    """The steering; that of the copy that is not seen in the mirror."""
    stand = standing.stand
    if stand.steering is None or standing.steering is None:
        return None
    bench = stand.rig.bench
    angular = bench.closure.coordinates[stand.steering].is_angle(stand.mechanism)
    value = standing.steering[:, standing.samples[:, 0]]
    gradient = np.broadcast_to([0.0, 0.0, 1.0], (*value.shape, 3))
    return Element(bench.names[stand.steering], "steering", angular, value, gradient)


def elements(standing: Standing, side: Place, along: Array) -> list[Element]:
    """As `rig.records.elements`, without forces."""
    stand, P, found = standing.stand, standing.places, []
    laws = stand.rig.laws
    for number in moved_elements(stand, side):
        k, measure = laws.acts_on[number], standing.measures[number]
        value = standing.take(side, np.broadcast_to(measure.value(P), P.q.shape[:-1]))
        row = standing.take(side, (measure.row(P)[..., None, :] @ standing.B)[..., 0, :])
        angular = laws.measures[k].is_angle(stand.mechanism)
        for name, role, _ in parts_of(stand, number):
            way = pressed_by(laws.measures[k], role, stand.rig.slopes_at_design[k, side.wheel])
            found.append(Element(name, role, angular, value, row @ along, sense=way))
    return found
