"""Wheels of mechanism files as the run-time has them."""

import numpy as np
import pytest
from helpers import MECHANISMS

from fmu_src.model.rows import MarkerRows
from fmu_src.numpy_runtime.wheel_motion import axis_parts, geometric_axis
from fmu_src.numpy_runtime.wheels import disc
from precompute.mechanism_file import load
from precompute.reduction.reduced import wheel_info

ROWS = MarkerRows(r=0, R=3, A=12)


FILES = {
    "double_wishbone": 2,
    "front_axle": 2,
    "short/macpherson_corner": 2,
    "macpherson": 0,  # its top mount gives way
    "five_link": 0,
}


@pytest.mark.parametrize(("name", "balls"), FILES.items())
def test_the_balls_that_carry_a_wheel(name, balls):
    m = load(MECHANISMS / f"{name}.toml")
    assert m.wheels and [len(wheel_info(m, wheel).balls) for wheel in m.wheels] == [balls] * len(m.wheels)


def test_the_steering_axis_of_a_file_at_design():
    """Through the ball joints of the double wishbone, in the axes that the file names."""
    m = load(MECHANISMS / "double_wishbone.toml")
    (wheel,) = m.wheels
    info = wheel_info(m, wheel)
    marker = m.frames[info.marker]
    value = np.concatenate((wheel.centre, marker.R.ravel()))
    a, b = (wheel.centre + marker.R @ ball.at for ball in info.balls)
    spheres = [j for j in m.joints if j.kind == "spherical" and wheel.body in (j.parent, j.child)]
    joints = [p for j in spheres for p in (j.p_P, j.p_C)]
    for ball in (a, b):
        assert min(np.linalg.norm(ball - p) for p in joints) < 1e-9
    assert (b - a) @ m.axes.up > 0.0
    forward, left, up = m.axes.R @ (b - a)
    at = disc(info, ROWS, value, m.axes.up)
    caster, kingpin, scrub, trail = axis_parts(info, at, wheel.centre, geometric_axis(info, ROWS, value))
    assert (caster, kingpin) == pytest.approx((np.arctan(-forward / up), -np.arctan(left / up)))
    c = wheel.contact(m.axes)
    foot = m.axes.R @ (a + (b - a) * (m.axes.up @ (c - a)) / up - c)
    assert foot[2] == pytest.approx(0.0, abs=1e-12)
    assert np.hypot(scrub, trail) == pytest.approx(np.hypot(*foot[:2]))
