from dataclasses import replace

import numpy as np
import pytest
from helpers import MECHANISMS, rod_four_bar
from helpers_branching import equal_crank_slider
from helpers_rough import rough_four_bar

from precompute.errors import AssemblyError, ReachError, SingularityError
from precompute.kinematics.assembly import assemble, close_loops, displacement, ways
from precompute.kinematics.coefficients import Closure
from precompute.kinematics.poses import design_configuration
from precompute.kinematics.topology import spanning_tree
from precompute.mechanism_file import load, loads
from precompute.model.mechanism import Coordinate, JointCoordinate
from precompute.report.inspection import inspect

Z = np.array([0.0, 0.0, 1.0])


def test_a_design_that_fits_is_not_moved():
    m = load(MECHANISMS / "double_wishbone_rigid.toml")
    design = close_loops(m, spanning_tree(m))
    assert design.iterations == 0 and design.residual < 1e-15


@pytest.mark.parametrize("length", [2.3, 1.2, 3.5])
def test_a_rough_design_is_assembled(length):
    m = rod_four_bar(length)
    t = spanning_tree(m)
    design = close_loops(m, t)
    P = Closure(m, t).poses(design.q)
    ends = P.X[1].point(m.rods[0].p_P), P.X[2].point(m.rods[0].p_C)
    assert np.linalg.norm(ends[0] - ends[1]) == pytest.approx(length, abs=1e-11)
    assert design.given_gap == pytest.approx(abs(length - 2.0))


def test_two_points_of_a_joint_are_brought_together():
    m = load(MECHANISMS / "crank_slider.toml")
    off = [replace(j, p_C=j.p_C + [0.05, 0.03, 0.0]) if j.name == "slider_pin" else j for j in m.joints]
    rough = replace(m, joints=tuple(off))
    design = close_loops(rough, spanning_tree(rough))
    assert design.given_gap == pytest.approx(0.05) and design.residual < 1e-11 and design.iterations > 0


@pytest.mark.parametrize("length", [4.5, 30.0])
def test_a_loop_that_cannot_close_is_named(length):
    m = rod_four_bar(length)
    with pytest.raises(
        AssemblyError, match=r"loop 'link' \(through link, a, b\) cannot be closed: a gap of .* mm is left"
    ):
        close_loops(m, spanning_tree(m))


# -- the ladder -------------------------------------------------------------------------------------------------------


def assembled(text):
    m = loads(text)
    t = spanning_tree(m)
    design = close_loops(m, t)
    return m, t, design, Closure(m, t).poses(design.q)


@pytest.mark.parametrize("off", [90.0, -90.0])
def test_a_four_bar_drawn_90_deg_off_keeps_its_crank(off):
    """Coupler and rocker are turned by 90 deg about their pins; the crank stays at exactly 60 deg."""
    m, t, design, P = assembled(rough_four_bar(coupler_at=26.5 + off, rocker_at=97.6 + off))
    assert design.q[t.scalars["crank", 0][0]] == 0.0
    np.testing.assert_array_equal(P.pose("crank").point(m.joint("crank_pin").p_P), m.joint("crank_pin").p_P)
    x, y, _ = m.joint("crank_pin").p_P
    assert np.rad2deg(np.arctan2(y, x)) == pytest.approx(60.0, abs=1e-12)
    assert design.given_gap > 3.3 and design.residual < 1e-11 and design.way


def test_inputs_are_held_where_they_are_drawn():
    """Where the file names no coordinates, the loops are closed by moving as little as possible, the crank too."""
    m, t, design, _ = assembled(rough_four_bar(coupler_at=20.0, rocker_at=100.0, free=None))
    assert abs(design.q[t.scalars["crank", 0][0]]) > 0.01
    m, t, design, _ = assembled(rough_four_bar(coupler_at=20.0, rocker_at=100.0))
    assert design.q[t.scalars["crank", 0][0]] == 0.0 and design.iterations <= 6


def test_every_way_closes_a_drawing_that_is_not_too_rough():
    m = loads(rough_four_bar(coupler_at=20.0, rocker_at=100.0))
    t = spanning_tree(m)
    closure, q = Closure(m, t, (JointCoordinate("crank"),)), design_configuration(m, t)
    ends = dict(ways(closure, q, np.zeros(1)))
    assert len(ends) == 4 and all(end.closed for end in ends.values())
    for end in ends.values():
        assert displacement(closure, close_loops(m, t).q, end.q) < 1e-9


def test_an_input_out_of_reach_is_told_apart_with_its_reach():
    """Links 1, 0.5, 2 and base 3: cos(crank) >= 0.625, by the law of cosines."""
    with pytest.raises(ReachError, match=r"crank = 0 deg as drawn .* from -111\.318 deg to -8\.68219 deg"):
        assembled(rough_four_bar(coupler=0.5))
    m, t, _, _ = assembled(rough_four_bar(coupler=0.5, at=0.0))
    closure = Closure(m, t, (JointCoordinate("crank"),))
    with pytest.raises(ReachError, match=r"crank = 60 deg is .* from -51\.3178 deg to 51\.3178 deg"):
        assemble(closure, close_loops(m, t).q, np.array([np.deg2rad(60.0)]))
    assert np.rad2deg(np.arccos(0.625)) == pytest.approx(51.3178, abs=5e-5)


def test_a_loop_that_closes_at_no_angle_is_named():
    with pytest.raises(AssemblyError, match=r"loop 'crank_pin' \(through .*\) cannot be closed") as caught:
        assembled(rough_four_bar(coupler=0.5, rocker=1.0))
    assert "too short to meet: 'ground' spans 3 m, all others together reach 2.5 m" in str(caught.value)


def test_inputs_give_way_to_rounding_at_a_dead_centre():
    """The slider is the input, and drawn at its outer dead centre a micrometre too far out: it gives way by that."""
    straight = equal_crank_slider(start=0.0)
    slide = Coordinate("slide", JointCoordinate("output"), -0.5, 0.5)
    pins = [replace(j, p_C=j.p_C + [1e-6, 0.0, 0.0]) if j.name == "end" else j for j in straight.joints]
    rough = replace(straight, joints=tuple(pins), coordinates=(slide,))
    t = spanning_tree(rough)
    design = close_loops(rough, t)
    assert design.residual < 1e-11 and design.way == "the inputs gave way"
    assert abs(design.q[t.scalars["output", 0][0]]) == pytest.approx(1e-6, rel=0.01)


def test_too_many_inputs_are_left_to_those_who_choose_coordinates():
    """Both crank and rocker as inputs cannot be held where they are drawn; what is wrong is their number."""
    text = rough_four_bar() + '[coordinates.free.rocker]\nof = "joint.rocker"\n'
    with pytest.raises(SingularityError, match="1 degree of freedom but 2 independent coordinates"):
        inspect(loads(text))
