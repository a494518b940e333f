"""Steering axes of a wheel and ways of moving: closed forms, identities, what is not defined."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from fmu_src.model.reduced_model import BallInfo, WheelInfo
from fmu_src.model.rows import MarkerRows
from fmu_src.numpy_runtime.wheel_motion import (
    TURNED,
    Line,
    axis_parts,
    conditions,
    geometric_axis,
    screw_axis,
    way,
)
from fmu_src.numpy_runtime.wheels import disc

ROWS = MarkerRows(r=0, R=3, A=12)
ISO = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
UP = np.array([0.0, 0.0, 1.0])
SIDES = pytest.mark.parametrize(("side", "out"), [("left", 1.0), ("right", -1.0)])
CASTER, KINGPIN, SCRUB, TRAIL = np.radians(6.0), np.radians(9.0), 0.03, 0.02


def wheel(side="left"):
    return WheelInfo("front", 0, (0.0, 1.0, 0.0), side, 0.3, (0.0, 0.0, 0.0), ISO, 0.0)


def rows_of(R, centre=(0.0, 0.0, 0.0)):
    return np.concatenate((centre, np.asarray(R).ravel()))


def parts(own, value, axis, n=UP):
    return axis_parts(own, disc(own, ROWS, value, n), value[:3], axis)


def known(out):
    """A point and the direction of an axis with known angles, 20 mm ahead and 30 mm inboard of the contact."""
    e = np.array([-np.tan(CASTER), -out * np.tan(KINGPIN), 1.0])
    return np.array([TRAIL, -out * SCRUB, -0.3]), e


@SIDES
def test_a_line_through_two_balls_with_known_angles(side, out):
    foot, e = known(out)
    balls = tuple(BallInfo(True, tuple(foot + t * e)) for t in (0.1, 0.5))
    own, value = replace(wheel(side), balls=balls), rows_of(np.eye(3))
    found = parts(own, value, geometric_axis(own, ROWS, value))
    np.testing.assert_allclose(found, [CASTER, KINGPIN, SCRUB, TRAIL], atol=1e-12)
    steered = Rotation.from_rotvec(0.2 * e / np.linalg.norm(e)).as_matrix()  # about its own axis: the axis stays
    p = np.array(balls[0].at)
    value = rows_of(steered, p - steered @ p)
    same = parts(own, value, geometric_axis(own, ROWS, value))
    np.testing.assert_allclose(same[:2], [CASTER, KINGPIN], atol=1e-12)
    on_strut = replace(own, balls=(balls[0], BallInfo(False, balls[1].at)))  # the upper one on the body
    np.testing.assert_allclose(parts(own, value, geometric_axis(on_strut, ROWS, value)), same, atol=1e-12)


@SIDES
@pytest.mark.parametrize("rate", [7.0, -0.05])
def test_a_screw_with_known_angles(side, out, rate):
    """Whatever the rate, the sense and the pitch of the screw."""
    foot, e = known(out)
    w = rate * e
    centre = np.array([0.1, 0.2, 0.3])
    v = np.cross(w, centre - (centre + foot)) + 0.02 * w
    own, value = wheel(side), rows_of(np.eye(3), centre)
    found = parts(own, value, screw_axis(centre, w, v))
    np.testing.assert_allclose(found, [CASTER, KINGPIN, SCRUB, TRAIL], atol=1e-12)


def test_what_is_not_defined_is_not_a_number():
    """A wheel that steering shifts and does not turn; an axis that lies along the road."""
    own, value = wheel(), rows_of(np.eye(3))
    still = screw_axis(np.zeros(3), np.array([0.0, 0.0, 0.5 * TURNED]), np.array([0.0, 1.0, 0.0]))
    assert np.isnan(parts(own, value, still)).all()
    assert np.isfinite(parts(own, value, screw_axis(np.zeros(3), 4.0 * TURNED * UP, np.zeros(3)))).all()
    level = parts(own, value, Line(np.zeros(3), np.array([1.0, 0.0, 1.0])), n=np.array([1.0, 0.0, -1.0]))
    assert np.isfinite(level[:2]).all() and np.isnan(level[2:]).all()
    assert np.isnan(way(np.array([[1.0, 2.0], [2.0, 4.0]]), 0)).all()


def test_a_way_of_moving_meets_its_conditions():
    """Two wheels on three axes, of which the second steers."""
    slopes = np.random.default_rng(1).normal(size=(3, 24))
    wheels = [(wheel(), MarkerRows(r=0, R=3, A=24)), (wheel("right"), MarkerRows(r=12, R=15, A=24))]
    T = conditions(wheels, [1], slopes)
    for i in range(3):
        a = way(T, i)
        moved = [slopes[:, 2] @ a, slopes[:, 14] @ a, a[1]]
        np.testing.assert_allclose(moved, np.eye(3)[i], atol=1e-12)
