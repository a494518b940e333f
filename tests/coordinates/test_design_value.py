"""A range that does not contain the design value."""

from dataclasses import replace

import pytest
from helpers import MECHANISMS

from precompute.coordinates.design_value import design_hint
from precompute.coordinates.independent import choose_coordinates
from precompute.errors import SingularityError
from precompute.kinematics.assembly import close_loops
from precompute.kinematics.topology import spanning_tree
from precompute.mechanism_file import load
from precompute.model.mechanism import Coordinate, JointCoordinate, MarkerCoordinate
from precompute.report.coordinate_report import coordinate_reports
from precompute.report.report_text import coordinate_lines

X = MarkerCoordinate("coupler_pin", "x")


def four_bar(*coordinate, **more):
    return replace(load(MECHANISMS / "four_bar.toml"), coordinates=(Coordinate("pin", *coordinate, **more),))


def chosen(mechanism):
    topology = spanning_tree(mechanism)
    design = close_loops(mechanism, topology)
    return choose_coordinates(mechanism, topology, design), design


def test_a_marker_that_starts_outside_is_to_be_counted_from_design():
    message = r"'pin' starts at design, where it is 2.73679 m, outside its range -0.1 m to 0.08 m. .*`relative = true`"
    with pytest.raises(SingularityError, match=message):
        chosen(four_bar(X, -0.1, 0.08))
    coordinates, _ = chosen(four_bar(X.since_design, -0.1, 0.08))
    assert coordinates.design == pytest.approx([0.0], abs=1e-12) and coordinates.free[0].start == coordinates.design[0]


def test_of_a_joint_the_range_is_to_be_moved():
    with pytest.raises(
        SingularityError, match=r"starts at design, where it is 0 deg, outside .*Move the range, or set"
    ):
        chosen(four_bar(JointCoordinate("rocker"), 0.1, 0.2))


def test_check_tells_where_a_start_leads_past_it():
    coordinates, design = chosen(four_bar(X, 2.4, 2.6, start=2.5))
    (report,) = coordinate_reports(coordinates, design)
    hint = "at design it is 2.73679 m, outside its range 2.4 m to 2.6 m; with `relative = true` it is 0 there"
    assert report.hint == hint and any(hint in line for line in coordinate_lines(report))


def test_no_hint_where_it_is_inside_or_goes_round():
    m = load(MECHANISMS / "four_bar.toml")
    assert not design_hint(m, Coordinate("x", X, 2.0, 3.0), 2.7)
    assert not design_hint(m, Coordinate("x", X), 2.7)
    assert not design_hint(m, m.coordinates[0], 9.0)
    joint = Coordinate("j", JointCoordinate("rocker"), 0.1, 0.2)
    assert design_hint(m, joint, 0.0) == "at design it is 0 deg, outside its range 5.72958 deg to 11.4592 deg"


def test_of_what_is_counted_from_design_the_message_says_so():
    with pytest.raises(SingularityError, match=r"Move the range, which `relative = true` counts from design, or set"):
        chosen(four_bar(X.since_design, 2.4, 3.0))
