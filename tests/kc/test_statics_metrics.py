"""Forces: what moves by a ratio carries by it; rates, roll stiffness and compliance by hand."""

from dataclasses import replace

import numpy as np
import pytest
from helpers_kc import POWER, VEHICLE, Y, arr, close, general, on_springs, steered, turning, value

from precompute.kc.metric import MissingError
from precompute.kc.record import Choices
from precompute.kc.registry import evaluate, evaluate_all

# -- power: what moves by a ratio carries by it --------------------------------------------------------------------


def test_motion_ratios_are_force_ratios():
    """A spring of rate k carries k ratio^2 at the contact point, and a load the spring's force times the ratio."""
    small = general()
    z = small.z0 + np.array([[0.1, -0.05, 0.02], [-0.08, 0.1, -0.03]])
    axle_ = on_springs(small.axle(z, Choices(travel="patch")), 3e4)
    for side in ("left", "right"):
        ratio = evaluate("spring_motion_ratio", axle_)[f"spring_motion_ratio.coil.{side}"]
        close(evaluate("wheel_rate_single", axle_)[f"wheel_rate_single.{side}"], 3e4 * ratio**2, POWER)
        close(evaluate("wheel_rate", axle_)[f"wheel_rate.{side}"], 3e4 * ratio**2, POWER)


def test_kinematic_and_force_based_agree_where_nothing_gives_way():
    small = general()
    z = small.z0 + np.array([[0.1, -0.05, 0.02], [-0.08, 0.1, -0.03], [0.0, 0.0, 0.0]])
    axle_ = on_springs(small.axle(z), 3e4)
    for name in ("roll_centre_height", "roll_centre_lateral", "anti_dive", "anti_lift_drive"):
        for torque in ("inboard", "outboard"):
            case = replace(axle_, vehicle=replace(VEHICLE, brake_torque=torque, drive_torque=torque))
            close(value(f"{name}_force", case), value(name, case), POWER)


def test_rates_in_series_and_roll_stiffness():
    """Springs at the wheels of a trailing arm; a bar that adds to the roll stiffness alone."""
    small = turning(Y, arr(0.45, 0.5, 0.35), arr(0.0, 0.75, 0.3))
    axle_ = on_springs(small.axle(small.z0[None]), 3e4)
    rate = evaluate("wheel_rate", axle_)["wheel_rate.left"]
    bar = 4e3  # [N/m] at the contact points: load per difference of heights
    C2 = np.diag([1.0, 1.0]) * rate[0] + bar * np.array([[1.0, -1.0], [-1.0, 1.0]])
    columns = np.concatenate([axle_.left.W, axle_.right.W], -2)[0]
    lift = np.stack([axle_.left.W[0, 5], axle_.right.W[0, 5]])  # (wheel, rate); level ground: heights of the centres
    G = columns @ np.linalg.inv(lift)
    with_bar = replace(axle_, compliance=(G @ np.linalg.inv(C2) @ G.T)[None], compliance_without_bars=axle_.compliance)
    close(value("roll_stiffness_without_bar", with_bar), 1.5**2 / 2.0 * rate, POWER)
    close(value("roll_stiffness", with_bar), 1.5**2 / 2.0 * (rate + 2.0 * bar), POWER)
    close(evaluate("wheel_rate", with_bar)["wheel_rate.right"], rate, POWER)
    close(evaluate("wheel_rate_single", with_bar)["wheel_rate_single.right"], rate + bar, POWER)
    series = (rate + 2.0 * bar) * 2e5 / (rate + 2.0 * bar + 2e5)
    close(value("roll_stiffness_with_tyre", with_bar), 1.5**2 / 2.0 * series, POWER)
    ride = rate * 2e5 / (rate + 2e5)
    close(evaluate("ride_rate", with_bar)["ride_rate.left"], ride, POWER)
    mass = 1500.0 * 1.2 / 2.7 - 90.0  # at the rear
    close(value("ride_frequency", with_bar), np.sqrt(2.0 * ride / mass) / (2.0 * np.pi))
    with pytest.raises(
        MissingError, match="ride_frequency needs a sprung mass: of the vehicle 88.89 kg rest on this axle, 90"
    ):
        value("ride_frequency", replace(with_bar, vehicle=replace(VEHICLE, mass=200.0)))
    of_loads = value("ride_frequency", replace(with_bar, vehicle=None))
    close(of_loads, np.sqrt(ride / (4000.0 / 9.80665)) / (2.0 * np.pi))


# -- compliance ----------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def soft():
    """Upright wheels, each on a spring in every direction at its centre: x, y, z [N/m] and about them [N m/rad]."""
    k = arr(3e3, 4e3, 5e3, 4e5, 9e5, 2e4)  # rx ry rz x y z
    axle_ = steered(np.zeros(1), np.zeros(1))
    C = np.diag(np.concatenate([1 / k, 1 / k]))[None]
    return k, replace(axle_, compliance=C, compliance_without_bars=C)


def test_what_is_quoted_of_springs_in_all_directions(soft):
    (rx, ry, rz, x, y, z), axle_ = soft
    found, _ = evaluate_all(axle_)
    for side in ("left", "right"):
        for way in ("parallel", "opposed", "single"):
            close(found[f"y_per_lateral_{way}.{side}"], 1 / y + 0.09 / rx)
            close(found[f"camber_per_lateral_{way}.{side}"], -0.3 / rx)  # outward force at the ground: top inward
            close(found[f"toe_per_lateral_{way}.{side}"], 0.0)
        close(found[f"x_per_braking.{side}"], -1 / x - 0.09 / ry)
        close(found[f"x_per_traction.{side}"], 1 / x)
        close(found[f"recession_rate.{side}"], x)
        close(found[f"lateral_stiffness.{side}"], 1 / (1 / y + 0.09 / rx))
        for way in ("parallel", "opposed"):
            close(found[f"toe_per_aligning_{way}.{side}"], 1 / rz)
        close(found[f"wheel_rate.{side}"], z)
        C = found[f"compliance_wheel_patch.{side}"][0]
        np.testing.assert_allclose(C, C.T, atol=1e-18)
        close(C[4, 4], 1 / y + 0.09 / rx)
        close(C[0, 4], 0.3 / rx)  # a force to the left below the centre turns about +x
        close(C[1, 3], -0.3 / ry)
    close(found["compliance_axle_centre"], axle_.compliance)


def test_heights_held_instead_of_loads():
    small = general()
    free = on_springs(small.axle(small.z0[None] + 0.02, Choices(contact="fixed")), 3e4, 1e-9)
    held = replace(
        free, left=replace(free.left, choices=Choices(contact="fixed", vertical="height")),
        right=replace(free.right, choices=Choices(contact="fixed", vertical="height")),
    )  # fmt: skip
    loads, heights = evaluate_all(free)[0], evaluate_all(held)[0]
    assert np.abs(loads["z_per_lateral_single.left"]).max() > 1e-6
    assert np.abs(heights["z_per_lateral_single.left"]).max() < 1e-18
    np.testing.assert_array_equal(loads["compliance_wheel_patch.left"], heights["compliance_wheel_patch.left"])


def test_opposed_lateral_forces_leave_the_mean_steer_of_a_symmetric_axle():
    small = general()
    at = small.axle(small.z0[None] + np.array([0.05, 0.05, 0.0]))
    axle_ = on_springs(at, 3e4)
    root = np.random.default_rng(5).standard_normal((6, 6))
    own, across = root @ root.T * 1e-8, (root + root.T) * 1e-9
    Q = np.diag([-1.0, 1.0, -1.0, 1.0, -1.0, 1.0])  # mirrors twists and wrenches
    across = 0.5 * (across + Q @ across @ Q)
    C = np.block([[own, across @ Q], [Q @ across, Q @ own @ Q]])
    soft_ = replace(axle_, compliance=axle_.compliance + 0.5 * (C + C.T))
    for load in ("lateral_opposed", "lateral_parallel", "lateral_single"):
        found = evaluate(f"toe_per_{load}", soft_)  # the same toe on both sides: no mean steer under opposed forces
        close(found[f"toe_per_{load}.left"] * 1e6, found[f"toe_per_{load}.right"] * 1e6)
        assert abs(found[f"toe_per_{load}.left"][0]) > 1e-10
