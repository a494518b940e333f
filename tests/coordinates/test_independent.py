from dataclasses import replace

import numpy as np
import pytest
from helpers import MECHANISMS, joint, random_body, rod_four_bar

from precompute.coordinates.independent import choose_coordinates, reachable_share
from precompute.errors import SingularityError, TopologyError
from precompute.kinematics.assembly import close_loops
from precompute.kinematics.mobility import mobility
from precompute.kinematics.topology import spanning_tree
from precompute.mechanism_file import load
from precompute.model.mechanism import Coordinate, JointCoordinate, MarkerCoordinate, Mechanism

Z = np.array([0.0, 0.0, 1.0])


def choose(mechanism):
    t = spanning_tree(mechanism)
    return choose_coordinates(mechanism, t, close_loops(mechanism, t))


def dof(mechanism):
    t = spanning_tree(mechanism)
    return mobility(mechanism, t, close_loops(mechanism, t))[0]


def test_freedoms_come_from_the_rank():
    assert dof(load(MECHANISMS / "four_bar.toml")) == 1  # Gruebler's spatial count says -2
    assert dof(load(MECHANISMS / "double_wishbone_rigid.toml")) == 2
    assert dof(rod_four_bar(2.2)) == 1


def test_auto_takes_the_coordinate_that_turns_fully():
    """At 0 deg the crank pin moves more (weight 0.80) than the crank (0.53), but it is badly conditioned elsewhere."""
    m = replace(load(MECHANISMS / "crank_slider.toml"), coordinates=None)
    chosen = choose(m)
    assert [c.name for c in chosen.free] == ["crank"] and chosen.free[0].periodic
    assert "automatically" in chosen.reason and "joint on the ground" in chosen.reason


def test_auto_ranges_are_reachable_together():
    m = replace(load(MECHANISMS / "double_wishbone_rigid.toml"), coordinates=None)
    chosen = choose(m)
    box = np.array([(c.lower, c.upper) for c in chosen.free])
    t = spanning_tree(m)
    assert reachable_share(chosen.closure, close_loops(m, t).q, chosen.design, box) == 1.0


def test_a_marker_coordinate_or_spring_length_may_be_independent():
    m = load(MECHANISMS / "double_wishbone_rigid.toml")
    wheel = Coordinate("wheel_z", MarkerCoordinate("wheel", "z"), 0.75, 0.88)
    spring = Coordinate("spring", m.springs[0].on, 0.32, 0.40)
    for second in (wheel, spring):
        chosen = choose(replace(m, coordinates=(m.coordinates[0], second)))
        assert chosen.condition < 1e3
        start = chosen.free[1].start
        assert second.lower < start < second.upper


def test_too_few_and_too_many_coordinates():
    m = load(MECHANISMS / "double_wishbone_rigid.toml")
    message = (
        r"2 degrees of freedom but 1 independent coordinate: 'pitman'. Still free .*shock.*Add a coordinate \(joint\."
    )
    with pytest.raises(SingularityError, match=message) as raised:
        choose(replace(m, coordinates=m.coordinates[:1]))
    assert "joint.pitman" not in str(raised.value)  # it is there already
    extra = Coordinate("arm", JointCoordinate("lower_arm"), -1, 1)
    with pytest.raises(SingularityError, match="has 2 degrees of freedom but 3 independent"):
        choose(replace(m, coordinates=(*m.coordinates, extra)))


def test_dependent_coordinates_are_refused():
    m = load(MECHANISMS / "double_wishbone_rigid.toml")
    both = (m.coordinates[1], Coordinate("arm", JointCoordinate("lower_arm"), -1, 1))
    with pytest.raises(SingularityError, match="cannot be independent"):
        choose(replace(m, coordinates=both))


def test_a_dead_centre_at_design_is_refused():
    m = load(MECHANISMS / "crank_slider.toml")
    with pytest.raises(
        SingularityError, match=r"'slide' cannot be independent at the design position.*Better: joint.crank;"
    ):
        choose(replace(m, coordinates=(Coordinate("slide", JointCoordinate("slide"), 0, 1),)))


def test_a_singular_design_is_refused():
    """All four links in line: two instantaneous freedoms, one beside it."""
    m = rod_four_bar(2.0)
    flat = replace(m, rods=(replace(m.rods[0], p_P=np.array([1.0, 0, 0]), p_C=np.array([3.0, 0, 0])),))
    with pytest.raises(SingularityError, match="design position of 'RodFourBar' is singular"):
        choose(flat)


def test_a_structure_cannot_move():
    body = random_body(np.random.default_rng(0), "a")
    pins = [joint("revolute", f"pin{i}", "ground", "a", np.array([float(i), 0, 0]), Z) for i in (0, 1)]
    with pytest.raises(TopologyError, match="cannot move"):
        choose(Mechanism("Truss", [body], pins))


def test_a_body_with_more_than_three_freedoms_has_no_table():
    body = random_body(np.random.default_rng(0), "a")
    m = Mechanism("Floating", [body], [joint("free", "f", "ground", "a", np.zeros(3))])
    assert dof(m) == 6
    with pytest.raises(TopologyError, match=r"body 'a' can move in 6 ways.* 3 is the most. Lock some of: joint.f"):
        choose(m)


def test_start_outside_the_range_is_refused():
    m = load(MECHANISMS / "double_wishbone_rigid.toml")
    with pytest.raises(SingularityError, match="'shock' starts at 7.87402 in, outside its range -2.5 in to 2.5 in"):
        choose(replace(m, coordinates=(m.coordinates[0], replace(m.coordinates[1], start=0.2))))
