"""Instant centres, swing arms, roll centre and anti-features, by the carrier's velocity.

In a view the carrier turns about the point that has no velocity in it.  Seen from a point P of the carrier that has the
velocity v, while w is the angular velocity, that is

    side view  (plane of x, z through P)    x = v_z/w_y,   z = -v_x/w_y       (1)
    front view (plane of y, z through P)    y = -v_z/w_x,  z = v_y/w_x        (2)

and the line from P to it has the slope -v_x/v_z or -v_y/v_z, which exists where the carrier does not turn.  P is the
contact point, as a point of the carrier; all by travel of both wheels, steering held.
"""

from __future__ import annotations

import numpy as np

from precompute.kc.analytic import dot, ratio
from precompute.kc.conventions import ABOVE, FORWARD, INBOARD, LEFT, by_words, per
from precompute.kc.metric import metric, need
from precompute.kc.motion import bump_way, lateral, material, roll_way, twist
from precompute.kc.position import ahead, contact, heading
from precompute.kc.record import AxleRecord, Complex, Record

FAR = 1e9
"""Distance [m] from which on an instant centre is infinitely far away: the carrier does not turn, but for rounding."""

PARALLEL = 1e-9
"""Slopes that differ by less are those of one line; the roll centre is then in the middle."""


def moving(record: Record) -> tuple[Complex, Complex]:
    """Angular velocity, and velocity of the contact point, along bump."""
    a = bump_way(record)
    return twist(record, a)[0], material(record, a, contact(record))


def centre_at(way: Complex, rise: Complex, turn: Complex) -> tuple[Complex, Complex]:
    """Distance (along the way, up) of the point about which a view turns; infinite and no number where it does not."""
    far = np.abs(turn.real) * FAR < np.abs(rise.real)
    x, z = ratio(rise, turn), ratio(way, turn)
    return np.where(far, np.copysign(np.inf, x.real), x), np.where(far, np.nan, z)


# -- side view -----------------------------------------------------------------------------------------------------


@metric("m", "velocity", "wheel", FORWARD, "SAE J670, side-view instant centre")
def side_view_ic_x(record: Record) -> Complex:
    """Instant centre of the carrier in the side view: its distance along the body from the contact point, forward."""
    return side_view_ic(record)[0]


@metric("m", "velocity", "wheel", ABOVE, "SAE J670, side-view instant centre")
def side_view_ic_z(record: Record) -> Complex:
    """Height above the contact point of the instant centre of the carrier in the side view."""
    return side_view_ic(record)[1]


@metric("m", "velocity", "wheel", FORWARD, "Adams/Car, side-view swing arm length")
def side_view_swing_arm_length(record: Record) -> Complex:
    """Distance in the side view from the wheel centre to the instant centre; positive where that is ahead."""
    arm = record.centre - contact(record)
    x, z = side_view_ic(record)
    return distance(x - arm[..., 0], z - arm[..., 2])


def side_view_ic(record: Record) -> tuple[Complex, Complex]:
    """(1), forward and up."""
    w, v = moving(record)
    return centre_at(-v[..., 0], v[..., 2], w[..., 1])


def distance(x: Complex, z: Complex) -> Complex:
    """Length of (x, z) with the sign of x; x itself where that is infinite."""
    near = np.isfinite(x.real)
    length = np.sqrt(np.where(near, x, 1.0) ** 2 + np.where(near, z, 0.0) ** 2)
    return np.where(near, np.where(x.real < 0.0, -length, length), x)


@metric(
    "rad",
    "velocity",
    "wheel",
    per(FORWARD, ABOVE, "rising forward", "rising rearward"),
    "Adams/Car, side-view swing arm angle",
)
def side_view_swing_arm_angle(record: Record) -> Complex:
    """Slope in the side view of the line from the contact point to the instant centre: atan(-v_x/v_z)."""
    _, v = moving(record)
    return np.arctan(ratio(-v[..., 0], v[..., 2]))


# -- front view ----------------------------------------------------------------------------------------------------


@metric("m", "velocity", "wheel", INBOARD, "SAE J670, front-view instant centre")
def front_view_ic_y(record: Record) -> Complex:
    """Instant centre of the carrier in the front view: its distance across the body from the contact point, inboard."""
    return front_view_ic(record)[0]


@metric("m", "velocity", "wheel", ABOVE, "SAE J670, front-view instant centre")
def front_view_ic_z(record: Record) -> Complex:
    """Height above the contact point of the instant centre of the carrier in the front view."""
    return front_view_ic(record)[1]


@metric("m", "velocity", "wheel", INBOARD, "Adams/Car, front-view swing arm length")
def front_view_swing_arm_length(record: Record) -> Complex:
    """Distance in the front view from the wheel centre to the instant centre; positive where that is inboard."""
    arm = record.centre - contact(record)
    y, z = front_view_ic(record)
    return distance(y + record.wheel.outboard * arm[..., 1], z - arm[..., 2])


def front_view_ic(record: Record) -> tuple[Complex, Complex]:
    """(2), inboard and up."""
    w, v = moving(record)
    outboard = record.wheel.outboard
    return centre_at(outboard * v[..., 1], v[..., 2], outboard * w[..., 0])


@metric("rad", "velocity", "wheel", by_words("rising inboard"), "Adams/Car, front-view swing arm angle")
def front_view_swing_arm_angle(record: Record) -> Complex:
    """Slope in the front view of the line from the contact point to the instant centre: atan(v_y/v_z), left wheel."""
    _, v = moving(record)
    return record.wheel.outboard * np.arctan(ratio(v[..., 1], v[..., 2]))


# -- roll centre ---------------------------------------------------------------------------------------------------


def meeting(axle: AxleRecord, slopes: tuple[Complex, Complex]) -> tuple[Complex, Complex]:
    """Where lines through both contact points meet: (to the left of, above) their middle, seen along the body.

    Args:
        axle: whose contact points they are.
        slopes: rise per way to the left of the line through the left one, and of that through the right one.
    """
    n, across = axle.left.road, lateral(axle.left)
    gap = contact(axle.left) - contact(axle.right)
    half, step = 0.5 * dot(across, gap), 0.5 * dot(n, gap)
    left, right = step - slopes[0] * half, -step + slopes[1] * half  # heights of both lines in the middle
    differ = slopes[1] - slopes[0]
    one_line = np.abs(differ.real) < PARALLEL
    y = np.where(one_line, np.where(np.abs((left - right).real) < PARALLEL * half.real, 0.0, np.nan), 0.0)
    y = y + np.where(one_line, 0.0, ratio(left - right, np.where(one_line, 1.0, differ)))
    return y, 0.5 * (left + right) + 0.5 * (slopes[0] + slopes[1]) * y


def rolling_slopes(axle: AxleRecord) -> tuple[Complex, Complex]:
    """Slopes of the lines across the velocities of both contact points while the body rolls."""
    a, across = roll_way(axle), lateral(axle.left)
    left, right = (material(wheel, a, contact(wheel)) for wheel in axle.wheels)
    n = axle.left.road
    return ratio(-dot(across, left), dot(n, left)), ratio(-dot(across, right), dot(n, right))


@metric("m", "velocity", "axle", ABOVE, "ISO 8855, roll centre, kinematic")
def roll_centre_height(axle: AxleRecord) -> Complex:
    """Height above the road of the point where lines across the contact points' velocities meet in the front view."""
    return meeting(axle, rolling_slopes(axle))[1]


@metric("m", "velocity", "axle", LEFT, "ISO 8855, roll centre, kinematic")
def roll_centre_lateral(axle: AxleRecord) -> Complex:
    """Lateral distance of the same point from the middle of the contact points."""
    return meeting(axle, rolling_slopes(axle))[0]


# -- anti-features -------------------------------------------------------------------------------------------------


def support(record: Record, outboard: bool) -> Complex:
    """Forward way per rise, along bump, of where a longitudinal force acts.

    Of the contact point, as a point of the carrier, if the carrier holds the torque; else of the wheel centre.
    """
    a = bump_way(record)
    p = contact(record)
    at = p if outboard else record.centre
    return ratio(dot(heading(record), material(record, a, at)), dot(record.road, material(record, a, p)))


def share(axle: AxleRecord, braking: bool) -> float:
    """Share of the axle in the force times wheelbase over height of the centre of gravity."""
    vehicle = need(axle.vehicle, "[vehicle]")
    key = "brake_share" if braking else "drive_share"
    shares = dict(vehicle.brake_share if braking else vehicle.drive_share)
    part = need(shares.get(axle.name), f"{key} of axle '{axle.name}' in [vehicle]")
    base, height = need(vehicle.wheelbase, "wheelbase of [vehicle]"), need(vehicle.cg_height, "cg_height of [vehicle]")
    return part * base / height


def torque_outboard(axle: AxleRecord, braking: bool) -> bool:
    """Whether the carrier holds the torque."""
    vehicle = need(axle.vehicle, "[vehicle]")
    return (vehicle.brake_torque if braking else vehicle.drive_torque) == "outboard"


def anti(axle: AxleRecord, braking: bool, end: str) -> Complex:
    """Part of the load transfer that the links carry [%], by kinematics."""
    sign = at_end(axle, end)
    outboard = torque_outboard(axle, braking)
    mean = 0.5 * (support(axle.left, outboard) + support(axle.right, outboard))
    return 100.0 * sign * share(axle, braking) * mean


def at_end(axle: AxleRecord, end: str) -> float:
    """1 of a front axle, -1 of a rear one, which it has to be."""
    sign = ahead(axle)
    if axle.end != end:
        need(None, f"a {end} axle; '{axle.name}' is at the {axle.end}")
    return sign


ANTI: tuple[tuple[str, bool, str, str, str], ...] = (
    ("anti_dive", True, "front", "against dive of the front under braking", "front axle under braking"),
    ("anti_lift", True, "rear", "against lift of the rear under braking", "rear axle under braking"),
    ("anti_squat", False, "rear", "against squat of the rear under drive", "rear axle under drive"),
    ("anti_lift_drive", False, "front", "against lift of the front under drive", "front axle under drive"),
)
"""Name, braking, end, what is positive, when."""


def _register() -> None:
    for name, braking, end, positive, when in ANTI:

        def by_kinematics(axle: AxleRecord, braking: bool = braking, end: str = end) -> Complex:
            return anti(axle, braking, end)

        text = (
            f"Part of the load transfer at the {when} that the links carry and not the springs: share of the force * "
            f"wheelbase/height of the centre of gravity * forward way per rise of the contact point (torque outboard) "
            f"or of the wheel centre (inboard); times -1 at the rear."
        )
        sign = by_words(positive)
        metric("%", "velocity", "axle", sign, "SAE J670, kinematic", name=name, definition=text)(by_kinematics)


_register()
