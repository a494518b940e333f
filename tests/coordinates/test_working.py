"""Working ranges: what a coordinate without a range does about its design."""

from dataclasses import replace

import numpy as np
import pytest
from helpers import MECHANISMS, joint, planar_four_bar, random_body, random_planar_mechanism

from precompute.coordinates.charts import cover
from precompute.coordinates.independent import choose_coordinates
from precompute.coordinates.ranges import Feasible
from precompute.coordinates.walks import feasible_ranges
from precompute.coordinates.working import CHANGE, LEAST_MARGIN, STEEP, margins, way_of, with_margins
from precompute.kinematics.assembly import close_loops
from precompute.kinematics.coefficients import Closure
from precompute.kinematics.continuation import follow
from precompute.kinematics.topology import spanning_tree
from precompute.mechanism_file import coordinates_text, load, loads
from precompute.model.mechanism import (
    Coordinate,
    Distance,
    JointCoordinate,
    MarkerCoordinate,
    Mechanism,
    Spring,
    Stop,
    TableSettings,
)
from precompute.pipeline import bake
from precompute.report.inspection import inspect
from precompute.report.report_text import paste_lines, text
from precompute.units import Units

SHORT = MECHANISMS / "short"
Y = np.array([0.0, 1.0, 0.0])


def choose(mechanism):
    t = spanning_tree(mechanism)
    design = close_loops(mechanism, t)
    return choose_coordinates(mechanism, t, design), design


def at_ends(coordinates, design, on):
    """A measure at both ends of the range of the only coordinate."""
    c = coordinates.free[0]
    ends = np.array([[c.lower], [c.upper]])
    q = np.repeat(design.q[None], 2, 0)
    there = follow(coordinates.closure, q, np.repeat(coordinates.design[None], 2, 0), ends)
    assert there.reached.all()
    return on.value(coordinates.closure.poses(there.q))


def arm(spring, **more):
    """An arm on a pivot about y at the origin, with a spring."""
    pivot = joint("revolute", "pivot", "ground", "arm", np.zeros(3), Y)
    return Mechanism("Arm", [random_body(np.random.default_rng(0), "arm")], [pivot], springs=[spring], **more)


def coil(lever=0.3, seat=(0.3, 0.3), **more):
    """From (lever, 0) of the arm to a seat in the plane of its motion."""
    on = Distance("arm", "ground", np.array([lever, 0.0, 0.0]), np.array([seat[0], 0.0, seat[1]]))
    return Spring("coil", on, stiffness=1e4, preload=3e3, **more)


def test_a_trailing_arm_works_about_its_design_and_both_ends_say_why():
    m = load(SHORT / "trailing_arm.toml")
    chosen, design = choose(m)
    c, why = chosen.free[0], chosen.chosen[0]
    assert chosen.feasible[0].full_turn and not c.periodic
    assert np.deg2rad(-60) < c.lower < np.deg2rad(-20) and np.deg2rad(20) < c.upper < np.deg2rad(60)
    assert "damper 'shock' is 1.5 times as long" in why.lower_reason and "0.5 times as long" in why.upper_reason
    lengths = at_ends(chosen, design, m.dampers[0].on)
    here = float(m.dampers[0].on.value(chosen.closure.poses(design.q)))
    np.testing.assert_allclose(lengths / here, [1.0 + CHANGE, 1.0 - CHANGE], atol=2e-3)


def test_stops_end_a_range_as_far_behind_them_as_they_are_away():
    m = load(SHORT / "macpherson_corner.toml")
    chosen, design = choose(m)
    spring = m.springs[0]
    here = float(spring.on.value(chosen.closure.poses(design.q)))
    expected = [2.0 * stop.at - here for stop in (spring.bump_stop, spring.rebound_stop)]
    np.testing.assert_allclose(at_ends(chosen, design, spring.on), expected, atol=2e-4)
    why = chosen.chosen[0]
    assert "bump stop, which begins at 390 mm" in why.lower_reason and "rebound stop" in why.upper_reason


def test_a_stop_tells_where_lengths_do_not():
    """A spring with a short lever: a full turn changes its length by a third, but it has a stop."""
    free, _ = choose(arm(coil(lever=0.06, seat=(0.0, 0.2))))
    short = coil(lever=0.06, seat=(0.0, 0.2), bump_stop=Stop(0.19, stiffness=1e6))
    stopped, _ = choose(arm(short))
    assert "dead centre of spring 'coil'" in free.chosen[0].told  # nothing but the spring holds the arm
    assert "bump stop" in stopped.chosen[0].told and stopped.free[0].upper - stopped.free[0].lower < 3.0


@pytest.mark.parametrize("name", ["crank_slider", "four_bar", "rssr", "spatial_slider_crank"])
def test_a_crank_keeps_its_turn(name):
    """Springs act on what they drive."""
    chosen, _ = choose(replace(load(MECHANISMS / f"{name}.toml"), coordinates=None))
    assert chosen.free[0].periodic and chosen.chosen[0].told == ""


@pytest.mark.parametrize("more", [{"start_rate": 2.0}, {"driven": True}])
def test_what_starts_with_a_rate_or_is_driven_keeps_its_turn(more):
    named = Coordinate("pivot", JointCoordinate("pivot"), **more)
    assert choose(arm(coil(), coordinates=[named]))[0].free[0].periodic
    assert not choose(arm(coil(), coordinates=[replace(named, start_rate=0.0, driven=False)]))[0].free[0].periodic


def near_change_point(gap):
    """A crank that goes round, the less smoothly the smaller the gap to a change point."""
    pin, ground = 1j, 2.0
    rod = ground - pin
    inner = np.arccos((abs(rod) ** 2 + 4.0 - (1.0 + gap) ** 2) / (4.0 * abs(rod)))
    coupler = np.angle(rod) + inner
    rocker = np.angle(rod - 2.0 * np.exp(1j * coupler))
    m = planar_four_bar((1.0, 90.0), (2.0, np.rad2deg(coupler)), (1.0 + gap, np.rad2deg(rocker)))
    return replace(m, coordinates=[Coordinate("crank", JointCoordinate("a"))])


def test_steep_columns_tell():
    """Which no table of 241 nodes resolves to 1e-6; with fewer digits asked for it does."""
    m = near_change_point(0.02)
    chosen, design = choose(m)
    assert chosen.feasible[0].full_turn and "tables become too steep" in chosen.chosen[0].told
    assert bake(m).certificate.tolerance == m.tables.tolerance  # as chosen, it bakes
    c = chosen.free[0]
    z = np.linspace(c.lower, c.upper, 50)[:, None]
    there = follow(chosen.closure, np.repeat(design.q[None], 50, 0), np.zeros((50, 1)), z)
    assert way_of(chosen.closure, 0, there.q).amplification.max() < STEEP
    assert choose(near_change_point(0.1))[0].free[0].periodic
    assert choose(replace(m, tables=TableSettings(tolerance=1e-3)))[0].free[0].periodic


def test_a_slide_ends_before_its_spring_does():
    """A wheel on a slide: nothing stops it, but the ends of its spring would meet."""
    slide = joint("prismatic", "slide", "ground", "wheel", np.zeros(3), np.array([0.0, 0.0, 1.0]))
    on = Distance("wheel", "ground", np.zeros(3), np.array([0.0, 0.0, 0.5]))
    body = random_body(np.random.default_rng(0), "wheel")
    chosen, _ = choose(Mechanism("Quarter", [body], [slide], springs=[Spring("s", on, stiffness=2e4, preload=0.0)]))
    assert chosen.free[0].lower == pytest.approx(-0.25, abs=1e-3) and chosen.free[0].upper == pytest.approx(
        0.25, abs=1e-3
    )


# -- each end by itself -----------------------------------------------------------------------------------------------


def one_sided():
    """A linkage one of whose joints is stopped upwards, and not within half a turn downwards."""
    m = random_planar_mechanism(11)
    return replace(m, coordinates=[Coordinate("j", JointCoordinate("j0"))])


def test_half_a_turn_that_was_walked_is_no_limit():
    m = one_sided()
    t = spanning_tree(m)
    design = close_loops(m, t)
    closure = Closure(m, t, (JointCoordinate("j0"),))
    found = feasible_ranges(closure, design.q, np.zeros(1), [0])[0]
    assert found.upper_singular and not found.lower_singular and found.lower_limit == "none"
    assert found.lower_cause == "nothing stops it within 180 deg, and it was followed no further"
    further = feasible_ranges(closure, design.q, np.zeros(1), [0], [(-4.0, 0.1)])[0]
    assert further.lower <= -3.5 or further.lower_singular  # walked on to the end that is asked for


def test_a_range_beyond_half_a_turn_is_judged_by_the_other_end_alone():
    """-190 deg is fine where nothing stops it; +30 deg is not, and only that is said."""
    wide = replace(one_sided().coordinates[0], lower=np.deg2rad(-190), upper=np.deg2rad(30))
    report = inspect(replace(one_sided(), coordinates=[wide]))
    (problem,) = report.problems
    assert "leaves the feasible one" in problem and " at j = 20.02" in problem and "; " not in problem.split(": ", 1)[0]
    assert ": ." not in problem and "j = -180" not in problem
    fine = replace(wide, upper=np.deg2rad(10))
    report = inspect(replace(one_sided(), coordinates=[fine]))
    assert report.problems == () and report.coordinates[0].within


@pytest.mark.parametrize("seed", [0, 7, 11, 21, 23])
def test_no_reason_is_empty(seed):
    m = random_planar_mechanism(seed)
    chosen, design = choose(m)
    for found, why in zip(chosen.feasible, chosen.chosen, strict=True):
        assert found.lower_cause and found.upper_cause and why.lower_reason and why.upper_reason
        assert found.lower_singular == (found.lower_limit != "none")
    assert all(r.strip() for line in text(inspect(m)).splitlines() if " ends at " in line for r in line.split(": ", 1))
    assert cover(chosen, design).pieces


def feasible(lower, upper, singular=(True, True)):
    return Feasible(lower, upper, *singular, False, "below", "above")


def test_margins_leave_room_for_the_tables():
    assert margins(feasible(-1.0, 2.0), 0.0) == pytest.approx((-0.9, 1.8))
    assert margins(feasible(-1.0, 2.0, (False, True)), 0.0) == pytest.approx((-1.0, 1.8))
    lower, upper = margins(feasible(-2.0, 0.02), 0.0)  # the design is next to an end: half of the way is left
    assert upper == pytest.approx(0.01) and upper - lower <= 0.01 / LEAST_MARGIN + 1e-12
    why = with_margins(feasible(-2.0, 0.02), 0.0)
    assert "so near to the other end" in why.lower_reason and why.upper_reason.endswith("above")


# -- what is printed, pasted ------------------------------------------------------------------------------------------


def test_what_is_printed_can_be_pasted_and_gives_the_same_model():
    source = (SHORT / "trailing_arm.toml").read_text().replace("tolerance", "tolerance")
    m = loads(source)
    block = inspect(m).paste
    assert block == '[coordinates.free.pivot]\nof = "joint.pivot"\nfrom = -34.63\nto = 29.98'
    assert all(f"  {line}" in text(inspect(m)) for line in block.splitlines())
    pasted = loads(f"{source}\n{block}\n")
    a, b = bake(m), bake(pasted)
    assert a.charts[0].axes == b.charts[0].axes and a.starts == b.starts and a.certificate == b.certificate
    for one, other in zip(a.charts[0].blocks, b.charts[0].blocks, strict=True):
        np.testing.assert_array_equal(one.coefficients, other.coefficients)
    assert inspect(pasted).paste == ""


@pytest.mark.parametrize(("length", "angle"), [("m", "rad"), ("mm", "deg"), ("in", "deg")])
def test_ranges_are_written_in_the_units_of_the_file_and_read_back_to_the_last_bit(length, angle):
    m = load(SHORT / "macpherson_corner.toml")
    free = (
        Coordinate("strut", JointCoordinate("strut"), -0.1368, 0.1431),
        Coordinate("arm", JointCoordinate("arm"), np.deg2rad(-34.63), np.deg2rad(29.98)),
    )
    block = coordinates_text(replace(m, units=Units(length=length, angle=angle)), free)
    units = f'units = {{ length = "{length}", mass = "kg", angle = "{angle}", force = "N" }}'
    source = (SHORT / "macpherson_corner.toml").read_text()
    old = 'units = { length = "mm", mass = "kg", angle = "deg", force = "N" }'
    read = loads(f"{source.replace(old, units)}\n{block}\n").coordinates
    assert [(c.name, c.lower, c.upper) for c in read] == [(c.name, c.lower, c.upper) for c in free]


def test_of_a_named_coordinate_only_what_its_table_lacks_is_printed():
    named = Coordinate("angle", JointCoordinate("pivot"))
    block = inspect(arm(coil(), coordinates=[named])).paste
    assert block.startswith("[coordinates.free.angle]\nfrom = -") and "of =" not in block
    assert paste_lines(block)[1].endswith("into the tables that the file has")  # twice would be an error
    assert inspect(replace(load(MECHANISMS / "four_bar.toml"), coordinates=None)).paste.endswith("periodic = true")


def test_ranges_of_several_coordinates_are_drawn_in_and_say_so():
    m = replace(load(MECHANISMS / "double_wishbone_rigid.toml"), coordinates=None)
    chosen, _ = choose(m)
    reasons = [r for why in chosen.chosen for r in (why.lower_reason, why.upper_reason)]
    assert all(reasons) and any("drawn in" in r for r in reasons)


def test_a_dead_centre_without_loops_is_that_of_the_coordinate():
    """The joint is not singular there: it goes on, and the wheel's height stands still."""
    m = load(SHORT / "trailing_arm.toml")
    named = Coordinate("travel", MarkerCoordinate("wheel", "z", relative=True))
    coordinates, _ = choose(replace(m, coordinates=(named,)))
    said = coordinates.chosen[0]
    for reason in (said.lower_reason, said.upper_reason):
        assert "z of marker wheel since design has a dead centre: it stands still while joint 'pivot' moves" in reason
        assert "singular" not in reason
