"""Mechanisms of which places and velocities are known by hand, to 1e-9."""

from dataclasses import replace

import numpy as np
import pytest
from helpers_kc import (
    POWER,
    VEHICLE,
    Corner,
    Small,
    X,
    Y,
    Z,
    arr,
    close,
    general,
    parallel,
    steered,
    strut,
    turning,
    value,
)

from precompute.geometry.spatial import rotation
from precompute.kc.record import Choices, Element, Record, WheelData
from precompute.kc.registry import evaluate, evaluate_all, gradient

# -- parallel equal wishbones --------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def parallelogram():
    """Arms of 0.4 m at these angles, on both sides; the roll centre of a parallelogram is by hand."""
    angles = np.array([-0.15, 0.0, 0.2])
    small = parallel()
    z = small.z0 + np.stack([angles, angles, 0.0 * angles], axis=-1)
    return angles, small.axle(z)


def test_parallel_equal_wishbones_keep_camber_and_toe(parallelogram):
    angles, axle_ = parallelogram
    for name in ("camber", "camber_front_view", "toe", "bump_camber", "bump_steer", "patch_longitudinal"):
        for found in evaluate(name, axle_).values():
            close(found, 0.0)
    close(evaluate("centre_vertical", axle_)["centre_vertical.left"], 0.4 * np.sin(angles))
    close(evaluate("patch_lateral", axle_)["patch_lateral.right"], 0.4 * (np.cos(angles) - 1.0))
    close(value("track", axle_), 1.5 + 0.8 * (np.cos(angles) - 1.0))


def test_their_roll_centre_is_at_the_ground_at_design_and_below_it_in_bump(parallelogram):
    """The lines through the contact points are parallel to the arms and meet in the middle by symmetry."""
    angles, axle_ = parallelogram
    half = 0.75 + 0.4 * (np.cos(angles) - 1.0)
    close(value("roll_centre_height", axle_), -half * np.tan(angles))
    close(value("roll_centre_lateral", axle_), 0.0)
    left = evaluate_all(axle_.left)[0]
    close(left["front_view_swing_arm_angle"], -angles)
    assert np.isinf(left["front_view_ic_y"]).all() and np.isinf(left["side_view_swing_arm_length"]).all()
    assert np.isnan(left["front_view_ic_z"]).all()


# -- one axis fixed to the body ------------------------------------------------------------------------------------


def test_a_trailing_arm():
    """It turns about an axis across the vehicle, 0.45 m ahead of the wheel and 0.35 m above the road."""
    small = turning(Y, arr(0.45, 0.5, 0.35), arr(0.0, 0.75, 0.3))
    angles = np.array([-0.12, 0.0, 0.1])
    axle_ = small.axle(small.z0 + np.stack([angles, angles], axis=-1))
    left, _ = evaluate_all(axle_.left)
    for name in ("toe", "camber", "bump_steer", "bump_camber", "centre_lateral", "patch_lateral"):
        close(left[name], 0.0)
    arm = rotation(Y, angles) @ arr(-0.45, 0.25, -0.05)
    at = arr(0.45, 0.5, 0.35) + arm
    close(left["centre_longitudinal"], at[:, 0])
    close(left["centre_vertical"], at[:, 2] - 0.3)
    x, z = 0.45 - at[:, 0], 0.35 - (at[:, 2] - 0.3)
    close(left["side_view_ic_x"], x)
    close(left["side_view_ic_z"], z)
    close(left["side_view_swing_arm_length"], np.hypot(0.45, 0.05))
    close(left["side_view_swing_arm_angle"], np.arctan(z / x))
    assert np.isinf(left["front_view_ic_y"]).all()
    close(value("roll_centre_height", axle_), 0.0)
    share = 0.65 * 2.7 / 0.55
    close(value("anti_lift", axle_), 100.0 * share * z / x)
    inboard = replace(axle_, vehicle=replace(VEHICLE, brake_torque="inboard"))
    close(value("anti_lift", inboard), 100.0 * share * (z - 0.3) / x)
    close(value("anti_squat", axle_), 100.0 * 0.4 * 2.7 / 0.55 * (z - 0.3) / x)


def test_a_swing_axle():
    """It turns about an axis along the vehicle: camber is the angle, the roll centre on lines through the pivots."""
    pivot = arr(0.0, 0.1, 0.28)
    small = turning(X, pivot, arr(0.0, 0.75, 0.3))
    angles = np.array([-0.1, 0.0, 0.15])
    axle_ = small.axle(small.z0 + np.stack([angles, angles], axis=-1))
    left, _ = evaluate_all(axle_.left)
    close(left["camber"], -angles)
    close(left["toe"], 0.0)
    centre = pivot + rotation(X, angles) @ arr(0.0, 0.65, 0.02)
    patch = centre - 0.3 * (rotation(X, angles) @ Z)
    close(left["front_view_ic_y"], patch[:, 1] - 0.1)
    close(left["front_view_ic_z"], 0.28 - patch[:, 2])
    close(left["front_view_swing_arm_length"], np.hypot(0.65, 0.02))
    height = (0.28 - patch[:, 2]) * patch[:, 1] / (patch[:, 1] - 0.1)
    close(value("roll_centre_height", axle_), height)
    close(left["bump_camber"], -1.0 / (centre[:, 1] - 0.1))
    close(left["centre_vertical"], centre[:, 2] - 0.3)
    half = patch[:, 1]
    rise = half - 0.1  # of the contact point per angle, as a point of the carrier and of the disc
    lowest = 0.65 * np.cos(angles) - 0.02 * np.sin(angles) + 0.3 * np.sin(angles)
    close(rise, lowest)
    found = evaluate("roll_camber", axle_)
    close(found["roll_camber.left"], half / lowest)
    close(found["roll_camber.right"], -half / lowest)
    ground = small.axle(small.z0 + np.stack([angles, angles], axis=-1), Choices(roll="ground"))
    close(evaluate("roll_camber", ground)["roll_camber.left"], half / lowest - 1.0)


def test_an_arm_that_leads_at_the_front_dives_less():
    """Its pivot is behind the wheel and above the road, so that a locked wheel goes forward in bump."""
    small = turning(Y, arr(-0.5, 0.5, 0.25), arr(0.0, 0.75, 0.3), end="front")
    axle_ = small.axle(small.z0[None])
    close(value("anti_dive", axle_), 100.0 * 0.65 * 2.7 / 0.55 * 0.25 / 0.5)
    close(value("anti_lift_drive", axle_), 100.0 * 0.4 * 2.7 / 0.55 * (0.25 - 0.3) / 0.5)
    close(evaluate("side_view_swing_arm_angle", axle_)["side_view_swing_arm_angle.left"], -np.arctan(0.25 / 0.5))
    # the disc's lowest point follows the centre; that of a locked wheel goes forward
    close(gradient("wheelbase_change", axle_, "bump")["wheelbase_change"], (0.25 - 0.3) / 0.5)
    locked = small.axle(small.z0[None], Choices(contact="fixed"))
    close(gradient("wheelbase_change", locked, "bump")["wheelbase_change"], 0.25 / 0.5)


def test_roll_is_opposed_travel():
    """Of independent wheels: half the track times the gradients over travel of the contact point."""
    small = general()
    axle_ = small.axle(small.z0 + np.array([[0.05, 0.05, 0.0]]), Choices(travel="patch"))
    found, _ = evaluate_all(axle_)
    half = 0.5 * found["track"]
    for side, sign in (("left", -1.0), ("right", 1.0)):
        close(found[f"roll_steer.{side}"], half * found[f"bump_steer.{side}"], POWER)
        close(found[f"roll_camber.{side}"], sign * half * found[f"bump_camber.{side}"], POWER)


# -- instant centres by intersection of lines ----------------------------------------------------------------------


def meet(p, d, q, e):
    """Where the plane lines p + s d and q + t e meet."""
    s = np.linalg.solve(np.column_stack([d, -np.asarray(e)]), np.subtract(q, p))[0]
    return np.asarray(p) + s * np.asarray(d)


def planar(axis, points):
    """Two links that turn about parallel axes and carry the wheel between them: a plane four-bar."""
    lower, lower_ball, upper, upper_ball = points
    return Small(
        Corner(
            joints=(
                ("revolute", "lower", "ground", "lower_arm", lower, axis),
                ("revolute", "lower_pin", "lower_arm", "carrier", lower_ball, axis),
                ("revolute", "upper", "ground", "upper_arm", upper, axis),
                ("revolute", "upper_pin", "upper_arm", "carrier", upper_ball, axis),
            ),
            drive=("lower", 0),
            centre=arr(0.0, 0.75, 0.3),
            measures=(("spring", "coil", "ground", "lower_arm", lower_ball + 0.3 * Z, lower_ball),),
        ),
        end="rear",
    )


@pytest.mark.parametrize("view", ["front", "side"])
def test_instant_centres_are_where_the_links_meet(view):
    across = view == "front"
    plane, axis = ([1, 2], X) if across else ([0, 2], Y)
    points = (
        (arr(0, 0.3, 0.18), arr(0, 0.7, 0.15), arr(0, 0.4, 0.42), arr(0, 0.65, 0.46))
        if across
        else (arr(0.5, 0.5, 0.2), arr(0.05, 0.5, 0.15), arr(0.4, 0.5, 0.38), arr(0.02, 0.5, 0.42))
    )
    small = planar(axis, points)
    axle_ = small.axle(small.z0 + np.array([[0.0, 0.0], [0.1, 0.1], [-0.08, -0.08]]))
    motion, _ = small.motion(small.z0 + np.array([[0.0, 0.0], [0.1, 0.1], [-0.08, -0.08]]))
    lower, upper = (motion.places.pose("carrier_left").point(points[i])[:, plane] for i in (1, 3))
    inner = [points[0][plane], points[2][plane]]
    found, _ = evaluate_all(axle_.left)
    for i in range(3):
        ic = meet(inner[0], lower[i] - inner[0], inner[1], upper[i] - inner[1])
        up = axle_.left.R[i] @ Z
        contact = (axle_.left.centre[i] - 0.3 * (up if across else Z))[plane]
        sign = -1.0 if across else 1.0
        close(found["front_view_ic_y" if across else "side_view_ic_x"][i], sign * (ic - contact)[0])
        close(found[f"{view}_view_ic_z"][i], (ic - contact)[1])
        if across:  # the roll centre is on the line from the contact point to the instant centre, in the middle
            line = meet(contact, ic - contact, [0.0, 0.0], [0.0, 1.0])
            close(value("roll_centre_height", axle_)[i], line[1] - contact[1])


# -- steering ------------------------------------------------------------------------------------------------------


def test_a_strut_is_steered_about_its_axis():
    """Through top mount and ball, wherever the spring is held; all that is quoted of it by hand."""
    top, ball = arr(-0.05, 0.55, 0.85), arr(0.01, 0.68, 0.18)
    small = strut(top, ball, arr(0.0, 0.3, 0.2), (arr(-0.12, 0.3, 0.25), arr(-0.13, 0.64, 0.24)), arr(0.0, 0.75, 0.3))
    angles = np.array([-0.1, 0.0, 0.15])
    axle_ = small.axle(small.z0 + np.stack([angles, angles, [0.0, 0.0, 0.01]], axis=-1))
    names = ["caster", "kingpin_inclination", "scrub_radius", "spindle_length", "mechanical_trail", "caster_offset",
             "kingpin_offset"]  # fmt: skip
    for side, record in zip(("left", "right"), axle_.wheels, strict=True):
        for name in names:
            close(value(name, record), value(f"{name}_geometric", record))
        assert side == record.wheel.side
    e = top - ball
    left = {name: value(name, axle_.left)[1] for name in names}  # at design
    close(left["caster"], np.arctan(-e[0] / e[2]))
    close(left["kingpin_inclination"], np.arctan(-e[1] / e[2]))
    ground, hub = ball + (0.0 - ball[2]) / e[2] * e, ball + (0.3 - ball[2]) / e[2] * e
    close(left["scrub_radius"], 0.75 - ground[1])
    close(left["mechanical_trail"], ground[0])
    close(left["kingpin_offset"], 0.75 - hub[1])
    close(left["spindle_length"], 0.75 - hub[1])
    close(left["caster_offset"], hub[0])
    close(left["mechanical_trail"], left["caster_offset"] + 0.3 * np.tan(left["caster"]))
    close(left["kingpin_offset"], left["scrub_radius"] + 0.3 * np.tan(left["kingpin_inclination"]))
    unit = e / np.linalg.norm(e)
    about = np.cross(unit, arr(0.0, 0.75, 0.0) - ball)  # velocity of the contact point per angle about the axis
    close(value("moment_arm_braking", axle_.left)[1], -about[0])
    close(value("moment_arm_lateral", axle_.left)[1], -about[1])
    close(value("moment_arm_vertical", axle_.left)[1], -about[2])
    close(value("moment_arm_traction", axle_.left)[1], -np.cross(unit, arr(0.0, 0.75, 0.3) - ball)[0])


def test_a_double_wishbone_is_steered_about_its_balls_if_the_spring_is_held():
    """The spring holds the lower ball, and the upper arm lets the other one move across the line only: so it rests."""
    small = general()
    z = small.z0 + np.array([[0.1, -0.05, 0.02], [-0.08, 0.1, -0.03]])
    spring, centre = (small.axle(z, Choices(held=held)) for held in ("spring", "centre"))
    for left, right in zip(spring.wheels, centre.wheels, strict=True):
        close(value("caster", left), value("caster_geometric", left))
        close(value("scrub_radius", left), value("scrub_radius_geometric", left))
        assert (np.abs(value("caster", right) - value("caster_geometric", right)) > 1e-4).all()


def test_parallel_steering_has_no_ackermann():
    delta = np.array([-0.5, -0.1, 0.2, 0.6])
    axle_ = steered(delta, delta)
    close(value("ackermann_percentage", axle_), 0.0)
    turn = np.abs(delta)
    ideal = np.arctan(1.0 / (1.0 / np.tan(turn) + 1.44 / 2.7))
    close(value("ackermann_error", axle_), turn - ideal)
    close(value("turning_circle", axle_), 2.0 * 2.7 / np.sin(turn))
    close(value("mean_steer", axle_), delta)
    close(evaluate("toe", axle_)["toe.left"], -delta)
    close(evaluate("toe", axle_)["toe.right"], delta)


def test_wheels_that_roll_about_one_point_are_ideal():
    radius = np.array([6.0, 20.0, -8.0])  # of the middle of the rear axle; to the left
    left, right = np.arctan(2.7 / (radius - 0.72)), np.arctan(2.7 / (radius + 0.72))
    axle_ = steered(left, right)
    close(value("ackermann_percentage", axle_), 100.0)
    close(value("ackermann_error", axle_), 0.0)
    outer = np.hypot(2.7, np.abs(radius) + 0.72)
    close(value("turning_circle", axle_), 2.0 * outer)
    straight = steered(np.zeros(1), np.zeros(1))
    assert np.isnan(value("ackermann_percentage", straight)).all()


def test_camber_of_a_steered_wheel_in_both_views():
    """Leaned by 0.1 about its heading, then turned by 0.4: the front view shows tan(0.1)/cos(0.4)."""
    data = WheelData("left", "left", arr(0, 0.7, 0.3), Y, arr(0, 0.7, 0), 0.3)
    R = (rotation(Z, np.array(0.4)) @ rotation(X, np.array(-0.1)))[None]
    record = Record(data, arr(0, 0.7, 0.3)[None], R, Z[None])
    close(value("camber", record), 0.1)
    close(value("camber_front_view", record), np.arctan(np.tan(0.1) / np.cos(0.4)))
    close(value("steer", record), 0.4)
    tilted = replace(record, road=(rotation(X, np.array(0.05)) @ Z)[None], R=rotation(X, np.array(-0.1))[None])
    close(value("inclination", tilted), 0.15)


def test_an_angular_steering_has_a_ratio_without_unit():
    """A wheel turned by 1/16 of the steering wheel's angle."""
    data = WheelData("left", "left", arr(0, 0.7, 0.3), Y, arr(0, 0.7, 0), 0.3)
    W = np.zeros((1, 6, 2))
    W[0, 5, 0], W[0, 2, 1] = 1.0, 1 / 16
    steering = Element("column", "steering", True, np.zeros(1), arr(0.0, 1.0)[None])
    record = Record(
        data, arr(0, 0.7, 0.3)[None], np.eye(3)[None], Z[None], Choices(held="centre"), W=W, steering=steering
    )
    close(value("steering_ratio", record), 16.0)
    close(value("caster", record), 0.0)
    close(value("scrub_radius", record), 0.0)
