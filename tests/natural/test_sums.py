"""Wheel travel, relative angles and sums of measures given in natural coordinates: two arms that swing about x."""

import math

import numpy as np
import pytest

from precompute.errors import PrecomputeError
from precompute.mechanism_file import loads
from precompute.natural import natural_model

LENGTH = 0.35
ARMS = f"""
schema = 1
name = "Arms"

[mirror]
from = "left"
to = "right"

[bodies.left]
mass = 1
com = [0, 0.7, 0.3]

[joints.left]
type = "revolute"
parent = "ground"
child = "left"
at = [0, {0.7 - LENGTH}, 0.3]
axis = "x"

[wheels.left]
body = "left"
centre = [0, 0.7, 0.3]
radius = 0.3

[coordinates.free]
first_left = {{ of = "wheel.left.travel", from = -0.1, to = 0.1 }}
other = {{ of = OTHER, from = -0.3, to = 0.3 }}
"""


def swung(other, travel, value):
    """The angles of both arms, up positive, with the left one at a travel and the other coordinate at a value."""
    mechanism = loads(ARMS.replace("OTHER", other))
    names = [c.name for c in mechanism.coordinates]
    assert names == ["first_left", "other", "first_right"]
    model = natural_model(mechanism)
    near = model.positions({"first_left": 0.5 * travel, "first_right": np.array([0.01])})
    places = model.positions({"first_left": np.array([travel]), "other": np.array([value])}, near)
    again = model.positions({"first_left": np.array([travel]), "other": np.array([value])})
    np.testing.assert_allclose(places.x, again.x, atol=1e-12)
    moved = model.motion(places, {"first_left": 1.0, "other": 0.5})
    wheels = [moved.point(name, np.array([0.0, y, 0.3])).p[0] for name, y in (("left", 0.7), ("right", -0.7))]
    rate = moved.measure(mechanism.coordinates[1].of)
    assert rate.value[0] == pytest.approx(value, abs=1e-12) and rate.rate[0] == pytest.approx(0.5, abs=1e-12)
    assert moved.measure(mechanism.coordinates[0].of).rate[0] == pytest.approx(1.0, abs=1e-12)
    return [math.asin((p[2] - 0.3) / LENGTH) for p in wheels]


def test_a_difference_of_travels_is_given():
    other = '{ measures = ["wheel.left.travel", "wheel.right.travel"], factors = [1, -2] }'
    left, right = swung(other, 0.05, 0.11)
    assert (left, right) == pytest.approx((math.asin(0.05 / LENGTH), math.asin(-0.03 / LENGTH)), abs=1e-12)


def test_an_angle_between_two_bodies_is_given():
    left, right = swung('{ between = ["left", "right"], axis = "x" }', 0.05, -0.2)
    assert left == pytest.approx(math.asin(0.05 / LENGTH), abs=1e-12)
    assert -right - left == pytest.approx(-0.2, abs=1e-12)


def test_a_sum_of_angles_is_given():
    """Of which the right joint counts up as the left one does, and the angle about x down."""
    other = '{ measures = ["joint.left", "joint.right"], factors = [1, -1] }'
    left, right = swung(other, 0.05, 0.2)
    assert left - right == pytest.approx(0.2, abs=1e-12)
    more = '["joint.right", "joint.left", { between = ["ground", "right"], axis = "x" }]'
    left, right = swung(f"{{ measures = {more}, factors = [1, 1, -1] }}", 0.05, 0.2)
    assert 2.0 * right + left == pytest.approx(0.2, abs=1e-12)


def test_angles_with_other_factors_cannot_be_given():
    other = '{ measures = ["joint.left", "joint.right"], factors = [0.5, 0.5] }'
    with pytest.raises(PrecomputeError, match="cannot be given in natural coordinates"):
        swung(other, 0.05, 0.1)
