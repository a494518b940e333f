"""Rates, roll stiffness, ride frequency; roll centre and anti-features by forces."""

from __future__ import annotations

import numpy as np

from precompute.kc.analytic import along, dot, ratio, solved
from precompute.kc.conventions import ABOVE, LEFT, SIZE, by_words
from precompute.kc.instant_centres import ANTI, at_end, meeting, share, torque_outboard
from precompute.kc.loads import both, jacking, vertical_compliance, wrench
from precompute.kc.metric import metric, need
from precompute.kc.motion import lateral
from precompute.kc.position import ahead, contact, heading
from precompute.kc.record import AxleRecord, Complex, Record
from precompute.kc.velocity import of_side
from precompute.model.wheels import Side

GRAVITY = 9.80665
"""[m/s2] that turns a wheel load into a mass."""


@metric("N", "statics", "wheel", by_words("the road presses"), "ISO 8855, wheel load")
def wheel_load(record: Record) -> Complex:
    """Force of the road on the wheel, normal to the road, that balances springs, stops, bars and weights."""
    return need(record.load, "forces of springs")


# -- rates ---------------------------------------------------------------------------------------------------------


@metric("N/m", "statics", "side", SIZE, "SAE J670, wheel rate")
def wheel_rate(axle: AxleRecord, side: Side) -> Complex:
    """Change of the wheel load per rise of the contact point, both wheels rising."""
    C = vertical_compliance(axle)
    loads = solved(C, np.ones(C.shape[:-1]))
    return loads[..., 0 if side == "left" else 1]


@metric("N/m", "statics", "side", SIZE, "common usage")
def wheel_rate_single(axle: AxleRecord, side: Side) -> Complex:
    """Change of the wheel load per rise of the contact point, the other wheel's height held."""
    C = vertical_compliance(axle)
    own = 0 if side == "left" else 1
    return solved(C, np.broadcast_to(np.eye(2)[own], C.shape[:-1]))[..., own]


@metric("N/m", "statics", "side", SIZE, "SAE J670, ride rate")
def ride_rate(axle: AxleRecord, side: Side) -> Complex:
    """Wheel rate in series with the tyre: 1/(1/wheel rate + 1/tyre rate)."""
    record = of_side(axle, side)
    tyre = need(record.wheel.tyre_rate, f"tyre_rate of wheel '{record.wheel.name}'")
    rate = wheel_rate(axle, side)
    return rate * tyre / (rate + tyre)


def sprung_mass(axle: AxleRecord) -> Complex:
    """Carried by the springs of the axle [kg]: as [vehicle] says, else the wheel loads over gravity."""
    vehicle = axle.vehicle
    if vehicle is None or vehicle.mass is None or vehicle.wheelbase is None or vehicle.cg_position is None:
        return (wheel_load(axle.left) + wheel_load(axle.right)) / GRAVITY
    to_front = vehicle.cg_position / vehicle.wheelbase
    part = 1.0 - to_front if ahead(axle) > 0.0 else to_front
    unsprung = dict(vehicle.unsprung_mass).get(axle.name, 0.0)
    if part * vehicle.mass <= unsprung:
        need(
            None,
            f"a sprung mass: of the vehicle {part * vehicle.mass:.4g} kg rest on this axle, {unsprung:g} kg unsprung",
        )
    return np.asarray(part * vehicle.mass - unsprung)


@metric("Hz", "statics", "axle", SIZE, "common usage")
def ride_frequency(axle: AxleRecord) -> Complex:
    """Frequency of the sprung mass of the axle on its ride rates: sqrt(sum of rates/mass)/(2 pi).

    On wheel rates where a wheel has no tyre rate.  The mass is that of [vehicle], else of the loads at this point.
    """
    tyres = all(wheel.wheel.tyre_rate is not None for wheel in axle.wheels)
    rate = ride_rate if tyres else wheel_rate
    return np.sqrt((rate(axle, "left") + rate(axle, "right")) / sprung_mass(axle)) / (2.0 * np.pi)


def _roll_stiffness(axle: AxleRecord, bars: bool, tyres: bool) -> Complex:
    """1/(b^T (C + tyres) b): the loads b = (1, -1)/track are a moment of one and no change of the axle's load."""
    C = vertical_compliance(axle, bars)
    if tyres:
        rates = [need(w.wheel.tyre_rate, f"tyre_rate of wheel '{w.wheel.name}'") for w in axle.wheels]
        C = C + np.diag([1.0 / rates[0], 1.0 / rates[1]])
    width = dot(lateral(axle.left), contact(axle.left) - contact(axle.right))
    b = np.stack([1.0 / width, -1.0 / width], axis=-1)
    return ratio(np.ones(()), along(b, C, b))


def _register_roll_stiffness() -> None:
    for bars in (True, False):
        for tyres in (False, True):

            def stiffness(axle: AxleRecord, bars: bool = bars, tyres: bool = tyres) -> Complex:
                return _roll_stiffness(axle, bars, tyres)

            name = "roll_stiffness" + ("" if bars else "_without_bar") + ("_with_tyre" if tyres else "")
            text = (
                f"Moment about the body's longitudinal axis per roll of the axle at constant axle load, "
                f"{'with' if bars else 'without'} anti-roll bars, {'with' if tyres else 'without'} tyres."
            )
            metric("N m/rad", "statics", "axle", SIZE, "SAE J670, roll rate", name=name, definition=text)(stiffness)


_register_roll_stiffness()


# -- by forces -----------------------------------------------------------------------------------------------------


def force_slopes(axle: AxleRecord) -> tuple[Complex, Complex]:
    """Jacking force per lateral force at each wheel, equal lateral forces on both, heights held."""
    across = lateral(axle.left)
    left, right = (wrench(wheel, across, contact(wheel)) for wheel in axle.wheels)
    found = jacking(axle, both(left, right))
    return found[..., 0], found[..., 1]


@metric("m", "statics", "axle", ABOVE, "SAE J670, roll centre, force-based")
def roll_centre_height_force(axle: AxleRecord) -> Complex:
    """Height above the road of the point where both wheels' lines of action of lateral and jacking forces meet."""
    return meeting(axle, force_slopes(axle))[1]


@metric("m", "statics", "axle", LEFT, "SAE J670, roll centre, force-based")
def roll_centre_lateral_force(axle: AxleRecord) -> Complex:
    """Lateral distance of the same point from the middle of the contact points."""
    return meeting(axle, force_slopes(axle))[0]


def anti_force(axle: AxleRecord, braking: bool, end: str) -> Complex:
    """Part of the load transfer that the links carry [%], by forces: jacking per longitudinal force."""
    sign = at_end(axle, end)
    outboard = torque_outboard(axle, braking)
    back = [wrench(wheel, -heading(wheel), contact(wheel) if outboard else wheel.centre) for wheel in axle.wheels]
    found = jacking(axle, both(back[0], back[1]))
    return 100.0 * sign * share(axle, braking) * 0.5 * (found[..., 0] + found[..., 1])


def _register_anti() -> None:
    for name, braking, end, positive, when in ANTI:

        def by_forces(axle: AxleRecord, braking: bool = braking, end: str = end) -> Complex:
            return anti_force(axle, braking, end)

        text = (
            f"Part of the load transfer at the {when} that the links carry and not the springs: share of the force * "
            f"wheelbase/height of the centre of gravity * jacking force per longitudinal force, which acts at the "
            f"contact point (torque outboard) or at the wheel centre (inboard), heights held."
        )
        sign = by_words(positive)
        metric("%", "statics", "axle", sign, "SAE J670, force-based", name=f"{name}_force", definition=text)(by_forces)


_register_anti()
