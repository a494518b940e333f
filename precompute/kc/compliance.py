"""The compliance of wheels: matrices, and what is quoted of them.

Matrices have twists [angular; linear] over wrenches [moment; force], along the axes of the body: rows and columns are
rx, ry, rz, x, y, z, of an axle left wheel first.  With p the contact point and c the wheel centre, the same at p is

    C_p = T C T^T,    T = [1 0; -skew(p - c) 1]                               (1)
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from precompute.kc.analytic import cross, dot, ratio
from precompute.kc.conventions import BUMP, CAMBER, FORWARD, MATRIX, OUTBOARD, SIZE, TOE, Sign
from precompute.kc.loads import axle_compliance, both, couple, response, wrench
from precompute.kc.metric import Unit, metric
from precompute.kc.position import contact, heading, sideways
from precompute.kc.record import AxleRecord, Complex, Record, once
from precompute.kc.velocity import camber_rate, of_side, steer_rate
from precompute.model.wheels import Side

LABELS = ("rx", "ry", "rz", "x", "y", "z")


# -- matrices ------------------------------------------------------------------------------------------------------


def to_contact(record: Record) -> Complex:
    """T of (1), (..., 6, 6)."""
    arm = contact(record) - record.centre
    columns = np.swapaxes(cross(np.broadcast_to(np.eye(3), (*arm.shape[:-1], 3, 3)), arm[..., None, :]), -1, -2)
    T = np.zeros((*arm.shape[:-1], 6, 6), dtype=columns.dtype)
    T[..., range(6), range(6)] = 1.0
    T[..., 3:, :3] = columns
    return T


@metric("matrix", "statics", "axle", MATRIX, "Adams/Car and MotionView, compliance matrix")
def compliance_axle_centre(axle: AxleRecord) -> Complex:
    """Twists of both carriers at the wheel centres per wrenches there, 12 by 12; steering and wheel loads held."""
    return axle_compliance(axle)


@metric("matrix", "statics", "axle", MATRIX, "Adams/Car and MotionView, there at the wheel centres")
def compliance_axle_patch(axle: AxleRecord) -> Complex:
    """Twists of both carriers at the contact points per wrenches there, 12 by 12; steering and wheel loads held."""
    left, right = (to_contact(wheel) for wheel in axle.wheels)
    zero = np.zeros_like(left)
    T = np.concatenate([np.concatenate([left, zero], -1), np.concatenate([zero, right], -1)], -2)
    return T @ axle_compliance(axle) @ np.swapaxes(T, -1, -2)


def _own(side: Side) -> slice:
    return slice(0, 6) if side == "left" else slice(6, 12)


@metric("matrix", "statics", "side", MATRIX, "Adams/Car and MotionView, compliance matrix")
def compliance_wheel_centre(axle: AxleRecord, side: Side) -> Complex:
    """Twist of the carrier at the wheel centre per wrench there, 6 by 6; no force on the other wheel."""
    return compliance_axle_centre(axle)[..., _own(side), _own(side)]


@metric("matrix", "statics", "side", MATRIX, "Adams/Car and MotionView, there at the wheel centre")
def compliance_wheel_patch(axle: AxleRecord, side: Side) -> Complex:
    """Twist of the carrier at the contact point per wrench there, 6 by 6; no force on the other wheel."""
    return compliance_axle_patch(axle)[..., _own(side), _own(side)]


# -- loads: positive so that both wheels of a symmetric axle show the same -----------------------------------------


@once
def lateral_force(record: Record) -> Complex:
    """Outboard, at the contact point."""
    return wrench(record, record.wheel.outboard * sideways(record), contact(record))


@once
def braking_force(record: Record) -> Complex:
    """Rearward, at the contact point: the brake locks the wheel to its carrier."""
    return wrench(record, -heading(record), contact(record))


@once
def traction_force(record: Record) -> Complex:
    """Forward, at the wheel centre: a shaft holds the torque."""
    return wrench(record, heading(record), record.centre)


@once
def aligning_torque(record: Record) -> Complex:
    """About the normal of the road, towards toe-in."""
    return couple(-record.wheel.outboard * record.road)


LOADS: dict[str, tuple[Callable[[Record], Complex], float, bool, bool, str]] = {
    "lateral_parallel": (lateral_force, -1.0, True, False,
        "lateral force at the contact point, outboard at this wheel, the same way at the other"),
    "lateral_opposed": (lateral_force, 1.0, True, False,
        "lateral force at the contact point, outboard at both wheels"),
    "lateral_single": (lateral_force, 0.0, True, False,
        "lateral force at the contact point, outboard at this wheel, none at the other"),
    "braking": (braking_force, 1.0, True, False,
        "braking force at the contact point, rearward at both wheels, the wheels locked to their carriers"),
    "traction": (traction_force, 1.0, False, False,
        "driving force at the wheel centre, forward at both wheels"),
    "aligning_parallel": (aligning_torque, -1.0, True, True,
        "aligning torque, towards toe-in at this wheel, the same way round at the other"),
    "aligning_opposed": (aligning_torque, 1.0, True, True,
        "aligning torque, towards toe-in at both wheels"),
}  # fmt: skip
"""Name -> wrench, times this at the other wheel, whether displacements are of the contact point, a torque?, text."""


def loaded(axle: AxleRecord, side: Side, load: str) -> tuple[Complex, Complex]:
    """Rotation of the carrier and displacement of where the load acts, (..., 3) each, per unit of a load."""
    of, other, at_patch, _, _ = LOADS[load]
    own = of_side(axle, side)
    factors = (1.0, other) if side == "left" else (other, 1.0)
    x = response(axle, both(factors[0] * of(axle.left), factors[1] * of(axle.right)), side)
    w, v = x[..., :3], x[..., 3:]
    return w, v + cross(w, contact(own) - own.centre) if at_patch else v


# -- what they do --------------------------------------------------------------------------------------------------


def toe_change(record: Record, w: Complex, v: Complex) -> Complex:
    """Rate of toe with the twist (w, v)."""
    return -record.wheel.outboard * steer_rate(record, w, v)


RESPONSES: dict[str, tuple[Callable[[Record, Complex, Complex], Complex], bool, Sign, str]] = {
    "toe": (toe_change, True, TOE, "Change of toe"),
    "camber": (camber_rate, True, CAMBER, "Change of camber"),
    "x": (lambda record, w, v: v[..., 0], False, FORWARD, "Displacement along the body, where the load acts,"),
    "y": (lambda record, w, v: record.wheel.outboard * v[..., 1], False, OUTBOARD,
        "Displacement across the body, where the load acts,"),
    "z": (lambda record, w, v: v[..., 2], False, BUMP, "Displacement along the body's vertical, where the load acts,"),
}  # fmt: skip
"""Name -> its rate with a twist, whether it is an angle, its sign, text."""


def _register() -> None:
    for load, (_, _, _, torque, loading) in LOADS.items():
        for word, (rate, angle, sign, text) in RESPONSES.items():

            def quoted(axle: AxleRecord, side: Side, load: str = load, rate: Callable = rate) -> Complex:
                return rate(of_side(axle, side), *loaded(axle, side, load))

            units: dict[tuple[bool, bool], Unit] = {
                (True, True): "rad/(N m)", (True, False): "rad/N", (False, True): "m/(N m)", (False, False): "m/N",
            }  # fmt: skip
            metric(
                units[angle, torque], "statics", "side", sign, "Morse Measurements and MotionView",
                name=f"{word}_per_{load}", definition=f"{text} per {loading}.",
            )(quoted)  # fmt: skip


_register()


@metric("N/m", "statics", "side", SIZE, "Adams/Car, fore-aft wheel centre stiffness")
def recession_rate(axle: AxleRecord, side: Side) -> Complex:
    """Driving force per displacement of the wheel centre along its heading, the same force on both wheels."""
    _, v = loaded(axle, side, "traction")
    return ratio(np.ones(()), dot(heading(of_side(axle, side)), v))


@metric("N/m", "statics", "side", SIZE, "Adams/Car, lateral stiffness")
def lateral_stiffness(axle: AxleRecord, side: Side) -> Complex:
    """Lateral force per displacement of the contact point across its heading, the same force on both wheels."""
    _, v = loaded(axle, side, "lateral_parallel")
    record = of_side(axle, side)
    return ratio(np.ones(()), record.wheel.outboard * dot(sideways(record), v))
