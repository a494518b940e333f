"""Sensitivities against mechanisms that are changed and followed from design again; what is told of them."""

import random

import numpy as np
import pytest
from helpers import MECHANISMS
from helpers_rig import both_sides, document
from helpers_sensitivity import errors

from precompute.design import Design
from precompute.errors import PrecomputeError
from precompute.kc.record import Choices
from precompute.mechanism_file import from_document, load
from precompute.sensitivity import sensitivity

VALUE, SLOPE = 1e-7, 3e-6  # of differences over solved mechanisms: rounding over their steps

RIGID = "double_wishbone_rigid"
PLACES = ["point.lower_ball.x", "wheel.left.centre.y", "joint.lower_ball.parent.y", "joint.upper_arm.rz"]
FORCES = ["spring.shock.stiffness", "body.hub.mass", "point.shock_upper.z"]
BUSHED = ["point.arm_front.z", "rod.tie_rod.length", "bushing.arm_front.rz", "spring.strut.preload"]

CASES = {
    "toe": (RIGID, "wheel.left.toe", "travel", (-60, 60), PLACES, "exact"),
    "bump steer": (RIGID, "bump_steer.left", "travel", (-40, 50), PLACES[:2], "exact"),
    "roll centre": (RIGID, "axle.front.roll_centre_height", "travel", (-40, 50), PLACES[:2], "exact"),
    "camber, steered": (RIGID, "camber.left", "steer", (-20, 25), PLACES[:2], "exact"),
    "camber in roll": (RIGID, "wheel.left.camber", "roll", (-2, 3), PLACES[:1] + FORCES[:2], "implicit"),
    "load, steered": (RIGID, "wheel.left.wheel_load", "steer", (-20, 25), PLACES[:1] + FORCES[1:], "implicit"),
    "toe on bushings": ("macpherson", "toe.left", "travel", (-30, 35), BUSHED[1:], "implicit"),
    "wheel rate": ("macpherson", "wheel_rate.left", "travel", (-30, 30), BUSHED[:1], "differences"),
}
"""What: mechanism, metric, case, its range, variables, and the method by which they are found."""


@pytest.mark.parametrize("name", CASES)
def test_derivatives_and_slopes_are_the_limits_of_differences(name):
    stem, metric, over, between, names, method = CASES[name]
    mechanism = load(MECHANISMS / f"{stem}.toml")
    found = sensitivity(mechanism, metric, over=over, between=between, points=2, variables=names)
    assert {effect.method for effect in found.effects.values()} == {method} and len(found) == len(names)
    value, slope = errors(mechanism, found, over, names)
    assert value < VALUE and slope < SLOPE


def test_both_sides_of_what_is_mirrored_change():
    names, mechanism = ["point.tie_outer.z"], both_sides()
    found = sensitivity(mechanism, "wheel.left_r.toe", between=(-20, 30), points=2, variables=names, elastic=False)
    assert found.column == "toe.right"
    assert max(errors(mechanism, found, "travel", names, elastic=False)) < SLOPE


def test_bump_steer_is_the_slope_of_toe():
    """The derivative of a metric of velocity is the mixed derivative of the angle: both are exact."""
    mechanism, names = load(MECHANISMS / f"{RIGID}.toml"), ["point.outer", "joint.lower_arm.parent"]
    toe, steer = (sensitivity(mechanism, name, between=50, points=5, variables=names) for name in ("toe", "bump_steer"))
    assert toe.slope_unit == steer.unit == "deg/m" and len(toe) == 6
    for name in toe:
        assert np.abs(toe[name].slopes - steer[name].values).max() < 1e-10 * steer.ranked()[0].size


def test_a_hardpoint_at_which_the_held_length_ends_leaves_the_design_as_it_is():
    """The steering is a length between two points: what is held is the length that is drawn."""
    drawn = document("macpherson_rigid")
    drawn["axles"]["front"]["steering"] = {"between": ["ground", "rack"], "at": [[0.1, 0.1, 0.3], "rack_end"]}
    mechanism = from_document(drawn)
    found = sensitivity(
        mechanism, "toe", between=(-20, 30), points=6, variables=["point.rack_end", "point.tie_outer.z"]
    )
    assert abs(found["point.rack_end.y"].values[found.at_design]) < 1e-12
    assert max(errors(mechanism, found, "travel", ["point.rack_end.x", "point.rack_end.y"])) < SLOPE


@pytest.mark.slow
@pytest.mark.parametrize("stem", ["double_wishbone_rigid", "double_wishbone", "macpherson", "five_link", "front_axle"])
@pytest.mark.parametrize("over", ["travel", "roll", "lateral"])
def test_every_kind_of_variable(stem, over):
    mechanism = load(MECHANISMS / f"{stem}.toml")
    names, between = random.Random(5).sample(list(Design.of(mechanism).variables), 15), {"travel": 12.0, "roll": 0.7}
    for metric in ("toe", "patch_lateral", "wheel_load", *["spring_motion_ratio"] * ("rigid" in stem)):
        found = sensitivity(mechanism, metric, over=over, between=between.get(over, 300.0), points=2, variables=names)
        assert "differences" not in {effect.method for effect in found.effects.values()}
        value, slope = errors(mechanism, found, over, [*found])
        assert value < VALUE and slope < SLOPE, metric


CHOICES = (
    Choices(contact="fixed"),
    Choices(travel="patch"),
    Choices(roll="ground"),
    Choices(held="patch"),
    Choices(vertical="height", contact="fixed", travel="patch"),
)


@pytest.mark.slow
@pytest.mark.parametrize("choices", CHOICES, ids=repr)
def test_whatever_is_chosen(choices):
    names = ["point.outer.z", "wheel.left.centre.z", "wheel.left.radius", "body.hub.mass", "point.contact_patch.z"]
    mechanism = load(MECHANISMS / f"{RIGID}.toml")
    for metric, over, most in (
        *(("patch_lateral", "travel", 30.0), ("camber", "roll", 1.5), ("wheel_load", "roll", 1.5)),
        *(("camber", "steer", 12.0), ("wheel_load", "lateral", 500.0)),
    ):
        found = sensitivity(mechanism, metric, over=over, between=most, points=2, variables=names, choices=choices)
        value, slope = errors(mechanism, found, over, names, choices=choices)
        assert value < VALUE and slope < SLOPE, (metric, over)


def test_the_table_says_what_how_and_how_well():
    found = sensitivity(load(MECHANISMS / f"{RIGID}.toml"), "wheel.left.toe", between=60, points=5)
    text = str(found)
    assert "what changes toe.left over travel -60 to 60 mm, 5 points (parallel bump)" in text
    assert "Hardpoints, per mm (the 20 largest of 25)" in text and "exact mixed derivatives" in text
    assert found.ranked("point")[0].name == "point.inner.z" and "joint.idler.parent.z" in found.unfollowed
    assert found["body.hub.mass"].per.unit == "%" and not found["body.hub.mass"].values.any()
    rates = sensitivity(
        load(MECHANISMS / f"{RIGID}.toml"), "wheel_rate", points=1, variables=["spring.shock.stiffness"]
    )
    effect = rates["spring.shock.stiffness"]
    assert effect.method == "differences" and 0.0 <= effect.error < 1e-6 * effect.size


def test_round_off_is_no_effect():
    """At design hardpoints change nothing; where no axis turns, its direction does not count."""
    mechanism = load(MECHANISMS / f"{RIGID}.toml")
    found = sensitivity(mechanism, "toe", points=1, variables=["point", "joint.pitman.parent.x"])
    assert [effect.name for effect in found.ranked()] == ["joint.pitman.parent.x"] and not found.ranked("point")
    assert "over travel 0 mm (parallel bump)" in str(found)
    found = sensitivity(mechanism, "toe", between=20, points=3, variables=["joint.idler.rz"])
    assert not found.ranked() and "\n1 variable changes nothing." in str(found)


def test_names_that_are_not_known():
    mechanism = load(MECHANISMS / f"{RIGID}.toml")
    wrong = {
        "wheel.left.toa": "there is no metric 'wheel.left.toa'; did you mean 'toe'?",
        "wheel.lefd.toe": "'wheel.lefd.toe': there is no wheel 'lefd' on axle 'front'; did you mean 'left'?",
        "wheel.left": "'wheel.left' names no metric; write it as wheel.left.toe",
        "wheel.left.roll_centre_height": "'roll_centre_height' is of the axle: write axle.front.roll_centre_height",
        "anti_squat": "needs a rear axle",
        "spring_motion_ratio.shok.left": "did you mean 'spring_motion_ratio.shock.left'?",
    }
    for metric, said in wrong.items():
        with pytest.raises(PrecomputeError) as caught:
            sensitivity(mechanism, metric, variables=["point.outer"])
        assert said in str(caught.value)
    with pytest.raises(PrecomputeError, match="no design variable fits 'point.outter'; did you mean 'point.outer"):
        sensitivity(mechanism, "toe", variables=["point.outter"])
    with pytest.raises(PrecomputeError, match="there is no case or input 'travl'; did you mean 'travel'"):
        sensitivity(mechanism, "toe", over="travl")
