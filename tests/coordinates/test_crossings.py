"""Branch points: found where the motion passes them, and only there."""

from dataclasses import replace

import numpy as np
import pytest
from helpers import MECHANISMS
from helpers_branching import equal_crank_slider, kite, kite_end, parallelogram, two_parallelograms

from precompute.coordinates.crossings import every_turn
from precompute.coordinates.independent import choose_coordinates
from precompute.errors import SweepError
from precompute.kinematics.assembly import close_loops
from precompute.kinematics.coefficients import Crossing
from precompute.kinematics.continuation import follow
from precompute.kinematics.topology import spanning_tree
from precompute.mechanism_file import load
from precompute.model.mechanism import JointCoordinate
from precompute.pipeline import bake, survey
from precompute.report.coordinate_report import coordinate_reports
from precompute.report.report_text import coordinate_lines
from precompute.tables.tabulate import tabulate
from precompute.tables.walking import sharp_turn


def chosen(mechanism):
    topology = spanning_tree(mechanism)
    design = close_loops(mechanism, topology)
    return choose_coordinates(mechanism, topology, design), design


CASES = {
    "parallelogram": (parallelogram(), [-1.0, np.pi - 1.0], lambda a: [3.0 + np.cos(a), np.sin(a)]),
    "kite": (kite(), [-1.0], lambda a: kite_end(a)[:2]),
    "equal crank-slider": (equal_crank_slider(), [0.5 * np.pi - 1.0, 1.5 * np.pi - 1.0], lambda a: [2 * np.cos(a), 0]),
}


@pytest.mark.parametrize("case", CASES)
def test_branch_points_are_found_and_passed(case):
    mechanism, expected, closed_form = CASES[case]
    coordinates, design = chosen(mechanism)
    closure, (c,) = coordinates.closure, coordinates.free
    inside = sorted(x.at for x in closure.crossings if c.lower <= x.at <= c.upper)
    np.testing.assert_allclose(inside, [x for x in expected if c.lower <= x <= c.upper], atol=1e-7)
    z = np.linspace(c.lower, c.upper, 41)[:, None]
    there = follow(closure, np.repeat(design.q[None], 41, 0), np.repeat(coordinates.design[None], 41, 0), z)
    assert there.reached.all()
    link = closure.poses(there.q).pose("link")
    point = link.point(mechanism.markers[0].p)[:, :2]
    far = np.abs(z - np.array(expected)).min(axis=1) > 0.02  # nearer a coordinate of 1e-3 off is solved for some
    exact = np.array([closed_form(1.0 + a) for a in z[:, 0]])
    np.testing.assert_allclose(point[far], exact[far], atol=1e-9)


def test_there_and_back_is_where_it_began():
    coordinates, design = chosen(parallelogram())
    z = np.array([[-1.7], [-1.0], [2.3]])
    home = np.repeat(coordinates.design[None], 3, 0)
    there = follow(coordinates.closure, np.repeat(design.q[None], 3, 0), home, z)
    assert there.reached.all() and (there.z == z).all()
    on = follow(coordinates.closure, there.q[:1], there.z[:1], z[2:])  # over both
    back = follow(coordinates.closure, on.q, on.z, home[:1])
    assert on.reached.all() and back.reached.all()
    np.testing.assert_allclose(on.q, there.q[2:], atol=1e-9)
    np.testing.assert_allclose(back.q[0], design.q, atol=1e-9)


@pytest.mark.parametrize("off", [-3e-4, -1e-9, 0.0, 1e-9, 3e-4])
def test_a_walk_that_rests_on_a_branch_point_goes_on_either_way(off):
    coordinates, design = chosen(parallelogram())
    (x,) = (x for x in coordinates.closure.crossings if x.at < 0.0)
    before, on, after = np.array([[[x.at + 0.3]], [[x.at + off]], [[x.at - 0.3]]])
    for way in ([on, after], [on, before], [after, on, after], [after, on, before], [on, on + 1e-4, after]):
        q, z = design.q[None], coordinates.design[None]
        for target in way:
            done = follow(coordinates.closure, q, z, target)
            assert done.reached.all()
            q, z = done.q, done.z
        straight = follow(coordinates.closure, design.q[None], coordinates.design[None], way[-1])
        np.testing.assert_allclose(q, straight.q, atol=1e-9)


def test_steps_of_a_walk_that_meet_a_branch_point_do_not_end_there():
    """From upright its steps of 2.5 deg meet both branch points."""
    coordinates, design = chosen(parallelogram(start=0.5 * np.pi, coordinate=(None, None, False)))
    (c,), (report,) = coordinates.free, coordinate_reports(coordinates, design)
    assert c.periodic and c.upper - c.lower == pytest.approx(2.0 * np.pi)
    assert report.feasible.full_turn and report.within


@pytest.mark.parametrize(("apart", "passed"), [(0.3, [-1.3, -1.0]), (0.18, [-1.18, -1.0]), (0.165, [-1.0])])
def test_branch_points_that_are_close_together_are_crossed_where_there_is_room(apart, passed):
    """Between them tables need solutions next to each; without, the second is told, and nothing is tabulated."""
    found = survey(two_parallelograms(apart))
    (piece,) = found.atlas.pieces
    np.testing.assert_allclose(sorted(x.at for x in piece.coordinates.closure.crossings), passed, atol=1e-7)
    if len(passed) == 1:
        assert "unless joint 'output1' is constrained" in found.problems[0]
        return
    table = tabulate(piece.coordinates, piece.centre, found.layouts[0], found.mechanism.tables)
    assert max(table.certificate.nodes)[0] < 60


def test_branches_that_only_nearly_meet_are_not_crossed():
    for ground in (3.00001, 2.99999):
        coordinates, _ = chosen(parallelogram(ground=ground))
        assert not coordinates.closure.crossings


def test_a_sharp_turn_is_told_with_its_joint():
    coordinates, design = chosen(parallelogram())
    message = str(sharp_turn(coordinates, (design.q, coordinates.design), 0, ""))
    assert message.startswith("the range of 'crank', -114.592 deg to 143.239 deg, cannot be swept: near crank = 0 deg")
    assert "constrain joint 'output' so that it keeps to one branch" in message


@pytest.mark.slow
def test_a_sharp_turn_names_the_joint_to_constrain():
    with pytest.raises(SweepError, match=r"'pin' at joint '\w+' turns sharply.*constrain joint '\w+' so that it keeps"):
        bake(parallelogram(ground=3.00001, coordinate=(-2.0, 1.0, False)))


def test_a_loss_of_rank_that_is_not_crossed_names_the_joint_to_constrain():
    """From a design so close to the branch point that there is no room for a step over it."""
    with pytest.raises(SweepError, match=r"lose rank.* unless joint '\w+' is constrained\) at crank = -2\.\d+ deg"):
        bake(parallelogram(start=0.04, coordinate=(-1.0, 1.0, False)))


def test_dead_centres_are_no_branch_points():
    m = load(MECHANISMS / "four_bar.toml")
    rocker = replace(m.coordinates[0], of=JointCoordinate("rocker"), lower=-0.1, upper=1.1, periodic=False)
    for mechanism in (m, replace(m, coordinates=(rocker,))):
        assert not chosen(mechanism)[0].closure.crossings


def test_of_a_full_turn_they_come_every_turn():
    found = every_turn([Crossing(0, 0.5, 0.05), Crossing(0, 0.5 + 2 * np.pi, 0.05)])
    assert sorted(round((x.at - 0.5) / (2 * np.pi), 9) for x in found) == [-1.0, 0.0, 1.0, 2.0]


def test_check_says_what_is_passed():
    coordinates, design = chosen(parallelogram())
    (report,) = coordinate_reports(coordinates, design)
    lines = coordinate_lines(report)
    assert "    passes the branch point at -57.2958 deg along its tangent" in lines
    assert "    passes the branch point at 122.704 deg along its tangent" in lines
