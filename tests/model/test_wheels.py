"""Axes, wheels, axles and the vehicle: what they say of themselves, and what is wrong between them."""

from dataclasses import replace

import numpy as np
import pytest
from helpers import MECHANISMS

from precompute.errors import MechanismError
from precompute.mechanism_file import load
from precompute.model.mechanism import Axes, Axle, JointCoordinate, Vehicle, Wheel
from precompute.model.wheels import spin_problem

X, Y, Z = np.eye(3)


def wheel(**changes):
    given = {"name": "w", "body": "arm", "centre": [0, 0.75, 0.3], "spin_axis": Y, "side": "left", "radius": 0.3}
    return Wheel(**given | changes)


def test_axes_give_components_of_iso_8855():
    assert np.array_equal(Axes().R, np.eye(3))
    turned = Axes(-Y, X, Z)
    assert np.array_equal(turned.R @ [3.0, -5.0, 2.0], [5.0, 3.0, 2.0])  # forward, left, up


@pytest.mark.parametrize(
    ("axes", "words"),
    [
        ((X, -Y, Z), "left-handed"),
        ((X, X, Z), "not perpendicular"),
        ((X, 2 * Y, Z), "not perpendicular unit"),
        ((X, [np.nan, 0, 0], Z), "left contains a number that is not finite"),
    ],
)
def test_bad_axes_are_refused(axes, words):
    with pytest.raises(ValueError, match=words):
        Axes(*axes)


@pytest.mark.parametrize("camber", [0.0, 0.03, -0.05])
@pytest.mark.parametrize("axes", [Axes(), Axes(-Y, X, Z)])
def test_the_contact_is_the_lowest_point_of_the_disc(camber, axes):
    spin = np.array([0.02, np.cos(camber), -np.sin(camber)]) @ axes.R
    w = wheel(spin_axis=spin)
    contact = w.contact(axes)
    across = np.linalg.qr(np.column_stack([w.spin_axis, X, Y + Z]))[0][:, 1:]
    turn = np.linspace(0.0, 2.0 * np.pi, 20001)
    rim = w.centre + w.radius * np.column_stack([np.cos(turn), np.sin(turn)]) @ across.T
    lowest = rim[np.argmin(rim @ axes.up)]
    assert np.linalg.norm(contact - lowest) < 1e-4
    assert contact @ axes.up <= (rim @ axes.up).min() + 1e-15
    assert abs((contact - w.centre) @ w.spin_axis) < 1e-15


def test_a_wheel_knows_what_is_outboard_of_it():
    assert np.array_equal(wheel().outboard, Y)
    assert np.array_equal(wheel(side="right").outboard, -Y)
    assert np.array_equal(wheel(spin_axis=3 * Y).spin_axis, Y)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"radius": 0.0}, "radius is 0; it must be positive"),
        ({"unloaded_radius": 0.29}, "less than the loaded one"),
        ({"tyre_rate": -1.0}, "tyre_rate is -1"),
        ({"spin_axis": np.zeros(3)}, "zero length"),
        ({"centre": [0, np.inf, 0]}, "not finite"),
    ],
)
def test_bad_wheels_are_refused(changes, words):
    with pytest.raises(ValueError, match=words):
        wheel(**changes)


def test_bad_axles_and_vehicles_are_refused():
    with pytest.raises(ValueError, match="has no wheel"):
        Axle("a")
    with pytest.raises(ValueError, match="'w' on both sides"):
        Axle("a", "w", "w")
    assert Axle("a", "l", "r").wheels == ("l", "r") and Axle("a", None, "r").wheels == ("r",)
    for bad in ({"wheelbase": 0.0}, {"mass": -1.0}, {"cg_height": np.nan}, {"cg_position": np.inf}):
        with pytest.raises(ValueError, match=next(iter(bad))):
            Vehicle(**bad)
    with pytest.raises(ValueError, match="brake_share must be from 0 to 1, of all axles together at most 1"):
        Vehicle(brake_share=(("front", 0.7), ("rear", 0.4)))
    with pytest.raises(ValueError, match="unsprung_mass"):
        Vehicle(unsprung_mass=(("front", -1.0),))


def test_spin_axes_along_any_travel_are_told_apart():
    axes = Axes(-Y, X, Z)
    assert spin_problem(np.array([1.0, 0.9, 0.9]), axes) is None
    assert spin_problem(Z, axes).startswith("points up, as the wheel travels")
    assert spin_problem(Y, axes).startswith("points forward, as the vehicle travels")


def test_all_that_is_wrong_between_them_is_told():
    m = load(MECHANISMS / "short" / "trailing_arm.toml")
    wheels = (
        wheel(name="up", spin_axis=Z),
        wheel(name="back", spin_axis=-Y),
        wheel(name="still", body="ground"),
        wheel(name="l"),
        wheel(name="l2"),
        wheel(name="r", side="right"),
    )
    axles = (Axle("one", "l", "l2"), Axle("crossed", "r", "l"), Axle("corner", "r"))
    with pytest.raises(MechanismError) as error:
        replace(m, wheels=wheels, axles=axles, vehicle=Vehicle(drive_share=(("rear", 1.0),)))
    told = error.value.problems
    assert [text.partition(":")[0] for text in told] == [
        *("wheels.up", "wheels.back", "wheels.still", "axles.one", "axles.crossed", "axles.corner"),
        "vehicle.drive_share",
    ]
    assert (
        "its right wheel 'l2' is on the left like the other: an axle has wheels on both sides, or only one" in told[3]
    )
    assert "750 mm to the left" in told[3] and "exchange them" in told[4] and "its left wheel 'r' is on" in told[5]
    assert "there is no axle 'rear'; known: one, crossed, corner" in told[6]
    assert "its carrier is the ground" in told[2]


def test_unknown_names_of_wheels_and_axles_are_told():
    m = load(MECHANISMS / "short" / "trailing_arm.toml")
    with pytest.raises(MechanismError) as error:
        replace(
            m,
            wheels=(wheel(body="arn"), wheel()),
            axles=(Axle("a", "v", steering=JointCoordinate("rack")),),
        )
    assert list(error.value.problems) == [
        "wheels.w: this name is used twice",
        "wheels.w: there is no body 'arn'; did you mean 'arm'?",
        "axles.a: there is no joint 'rack'; known: pivot",
        "axles.a: there is no wheel 'v'; known: w",
    ]
