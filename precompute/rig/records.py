"""States of rest -> records: places, velocities, forces and compliance of both wheels of an axle.

The rates of the records are the travels of both wheel centres and, if it is steered, the steering; what is left to find
its own place does so, in equilibrium.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from fmu_src.model.reduced_model import Law
from precompute.arrays import Array
from precompute.geometry.spatial import point_velocity
from precompute.kc.axle import axle
from precompute.kc.record import AxleRecord, Element, Record, Role, WheelData, wheel_data
from precompute.model.carrying import carrying_points
from precompute.model.mechanism import Mechanism
from precompute.model.senses import pressed_by
from precompute.model.wheels import Side
from precompute.reduction.elements import STOPS
from precompute.rig.balance import MOVED, Rest, Setting
from precompute.rig.cases import copy_signs
from precompute.rig.rates import (
    Looked,
    Picked,
    Rates,
    compliance_matrix,
    jacobian,
    looked,
    rates,
    stand_axes,
    with_second,
    without_bars,
)
from precompute.rig.stand import MIRROR, Place, Stand


def axle_record(stand: Stand, rest: Rest, setting: Setting, second: bool = True, compliance: bool = True) -> AxleRecord:
    """All of n states of rest, for metrics.

    Args:
        stand: the axle.
        rest: n states of rest.
        setting: under which they are at rest.
        second: whether second derivatives along the rates are wanted.
        compliance: whether compliance is wanted; there is none where nothing carries the wheels.
    """
    found = looked(stand, rest, setting)
    along = rates(stand, found)
    if second:
        along = with_second(stand, found, along)
    C = compliance_matrix(stand, found, found.K) if compliance and stand.has_forces else None
    without = None if C is None else compliance_matrix(stand, found, without_bars(stand, found))
    return recorded(stand, found, along, C, without)


def recorded(
    stand: Stand, found: Looked, along: Rates, compliance: Array | None = None, without_bars: Array | None = None
) -> AxleRecord:
    """The record along any rates."""
    left, right = (side_record(stand, found, along, side) for side in stand.sides)
    return axle(
        stand.axle.name,
        left,
        right,
        end=stand.axle.end,
        vehicle=stand.mechanism.vehicle,
        mirrored=any(side.mirrored for side in stand.sides),
        compliance=compliance,
        compliance_without_bars=without_bars,
    )


# -- one wheel ---------------------------------------------------------------------------------------------------------


def side_record(stand: Stand, found: Looked, along: Rates, side: Place) -> Record:
    """Of one wheel, in axes of ISO 8855."""
    rest, corner = found.rest, found.at.corners[side.wheel]
    wheel, axes, n = stand.rig.bench.wheels[side.wheel], stand.mechanism.axes, len(rest.z)
    z_i, z_ij = along.z[:, side.copy], None if along.second is None else along.second[:, side.copy]
    pick = Picked(stand, side, n)
    J, dJ = jacobian(corner)
    S = stand_axes(stand, side)
    R = S @ pick(found.at.motion.places.pose(wheel.body).R) @ S.T
    J, dJ = pick.twists(J), pick.twists(dJ)
    own = found.at.motion.places
    points = carrying_points(stand.mechanism, wheel, stand.axle)
    balls = [pick(own.pose(body).point(p)) @ S.T for body, p, _ in points]
    velocities = [point_velocity(found.at.motion.velocity(body), own.pose(body).point(p)) for body, p, _ in points]
    speeds = [S @ pick(velocity) @ z_i for velocity in velocities]
    patch, road = found.setting.loads.patch[:, side.copy, side.wheel], found.setting.road[:, side.copy]
    return Record(
        wheel=mirrored_data(wheel_data(wheel, axes)) if side.mirrored else wheel_data(wheel, axes),
        centre=pick(corner.centre) @ S.T,
        R=R,
        road=road @ S.T,
        choices=stand.choices,
        balls=np.stack(balls, axis=-2) if balls else None,
        steering=steering_element(stand, found, along),
        elements=elements(stand, found, side, z_i, z_ij),
        W=J @ z_i,
        ball_rates=np.stack(speeds, axis=-3) if speeds else None,
        dW=None if z_ij is None else along_twice(dJ, z_i) + np.einsum("nck,nkij->ncij", J, z_ij),
        load=rest.pads[:, side.copy, side.wheel] + (patch * road).sum(axis=-1) if stand.has_forces else None,
    )


def along_twice(second: Array, z_i: Array) -> Array:
    """Second derivatives (n, ..., nz, nz) along the rates z_i (n, nz, rates)."""
    return np.einsum("n...kl,nki,nlj->n...ij", second, z_i, z_i, optimize=True)


def mirrored_data(data: WheelData) -> WheelData:
    """The wheel of the other side."""
    side: Side = "right" if data.side == "left" else "left"
    centre, spin, contact = MIRROR @ data.centre, -(MIRROR @ data.spin), MIRROR @ data.contact
    return replace(data, name=f"{data.name} (mirrored)", side=side, centre=centre, spin=spin, contact=contact)


def steering_element(stand: Stand, found: Looked, along: Rates) -> Element | None:
    """The steering; that of the copy that is not seen in the mirror."""
    number = stand.steering
    if number is None:
        return None
    bench, n_rates = stand.rig.bench, along.z.shape[-1]
    of, k = bench.closure.coordinates[number], list(bench.held).index(number)
    return Element(
        name=bench.names[number],
        role="steering",
        angular=of.is_angle(stand.mechanism),
        value=found.rest.z[:, 0, number],
        gradient=along.z[:, 0, number],
        second=None if along.second is None else np.zeros((len(found.rest.z), n_rates, n_rates)),
        force=found.rest.reactions[..., k] @ np.array(copy_signs(stand)),
    )


def elements(stand: Stand, found: Looked, side: Place, z_i: Array, z_ij: Array | None) -> tuple[Element, ...]:
    """Springs, stops, bars, dampers and elements that the wheel's travel moves, its main spring first."""
    laws, mechanism = stand.rig.laws, stand.mechanism
    pick = Picked(stand, side, len(found.rest.z))
    s, ds, dds = pick(found.at.s), pick(found.at.ds), pick(found.at.dds)
    out = []
    for number in moved_elements(stand, side):
        k = laws.acts_on[number]
        gradient = (ds[:, k, None] @ z_i)[:, 0]
        second = None if z_ij is None else along_twice(dds[:, k], z_i) + np.einsum("nk,nkij->nij", ds[:, k], z_ij)
        angular = laws.measures[k].is_angle(mechanism)
        for name, role, own in parts_of(stand, number):
            force = None if role in ("damper", "element") else laws.of_laws(own, s[:, k])
            way = pressed_by(laws.measures[k], role, stand.rig.slopes_at_design[k, side.wheel])
            out.append(Element(name, role, angular, s[:, k], gradient, second, force, way))
    return tuple(out)


def moved_elements(stand: Stand, side: Place) -> list[int]:
    """Numbers of what a wheel's travel moves at design and forces act on, its main spring first."""
    laws, mechanism = stand.rig.laws, stand.mechanism
    count = len(mechanism.springs) + len(mechanism.dampers)
    main, slopes = stand.rig.main_springs[side.wheel], stand.rig.slopes_at_design[:, side.wheel]
    found = [i for i in (*range(count), *pushed(mechanism)) if abs(slopes[laws.acts_on[i]]) > MOVED]
    return sorted(found, key=lambda i: laws.acts_on[i] != main)


def pushed(mechanism: Mechanism) -> dict[int, str]:
    """Numbers of the measures that forces of elements with formulas act on, and their names."""
    connected = [(device, symbol, on) for device in mechanism.devices for symbol, on in device.on]
    first = len(mechanism.acting) - len(connected)
    numbered = enumerate(connected, first)
    return {number: f"{device.name}.{symbol}" for number, (device, symbol, on) in numbered if on in device.pushed}


def parts_of(stand: Stand, number: int) -> list[tuple[str, Role, Sequence[Law]]]:
    """An element as metrics see it: a spring apart from its stops."""
    mechanism, laws = stand.mechanism, stand.rig.laws.elements[number].laws
    if name := pushed(mechanism).get(number):
        return [(name, "element", laws)]
    if number >= len(mechanism.springs):
        return [(mechanism.dampers[number - len(mechanism.springs)].name, "damper", laws)]
    spring = mechanism.springs[number]
    stops = [key for key in STOPS if getattr(spring, key)]
    parts: list[tuple[str, Role, Sequence[Law]]] = [(spring.name, spring.role, laws[:1])]
    return parts + [(f"{spring.name}.{key}", "stop", [law]) for key, law in zip(stops, laws[1:], strict=True)]
