from dataclasses import replace

import numpy as np
import pytest
from helpers import MECHANISMS, joint, random_body, random_mechanism
from hypothesis import given, settings
from hypothesis import strategies as st

from precompute.kinematics.topology import joint_freedom, spanning_tree
from precompute.mechanism_file import load
from precompute.model.mechanism import Body, Distance, Joint, Marker, Mechanism, Port, Rod, Spring, joint_primitives

Z = np.array([0.0, 0.0, 1.0])


def bodies(*names):
    rng = np.random.default_rng(1)
    return [random_body(rng, name) for name in names]


@pytest.fixture(scope="module")
def suspension():
    mechanism = load(MECHANISMS / "double_wishbone_rigid.toml")
    return mechanism, spanning_tree(mechanism)


@given(st.integers(0, 10_000))
@settings(max_examples=60, deadline=None)
def test_connectivity_identities_hold(seed):
    mechanism = random_mechanism(seed)
    t = spanning_tree(mechanism)
    np.testing.assert_array_equal(t.Ra @ t.Ca, np.eye(len(t.arcs)))
    np.testing.assert_array_equal(t.Rc, -t.Cc @ t.Ra)
    assert len(t.arcs) == len(mechanism.bodies)
    assert len(t.arcs) + len(t.chords) == len(mechanism.joints)
    assert sorted(a.body for a in t.arcs) == list(range(1, len(t.bodies)))


@given(st.integers(0, 10_000))
@settings(max_examples=60, deadline=None)
def test_no_other_tree_has_a_smaller_largest_branch(seed):
    """Against brute force: the cumulative freedom of every body is the smallest over all simple paths."""
    mechanism = random_mechanism(seed)
    t = spanning_tree(mechanism)
    freedom = np.abs(t.reach).sum(axis=1)
    distance = {"ground": 0}
    for _ in mechanism.bodies:  # Bellman-Ford
        for j in mechanism.joints:
            for a, b in ((j.parent, j.child), (j.child, j.parent)):
                if a in distance:
                    distance[b] = min(distance.get(b, 10**9), distance[a] + joint_freedom(j))
    assert [distance[name] for name in t.bodies] == freedom.tolist()


def test_base_comes_before_body(suspension):
    _, t = suspension
    seen = {0}
    for arc in t.arcs:
        assert arc.base in seen
        seen.add(arc.body)


def test_suspension_has_four_loops(suspension):
    mechanism, t = suspension
    assert t.n_loops == 4
    loops = [set(t.loop_joints(mechanism, i)) for i in range(4)]
    assert {"pitman", "pitman_link", "link_idler", "idler"} in loops
    assert {"lower_arm", "shock_upper", "shock", "shock_lower"} in loops
    assert {"lower_arm", "lower_ball", "upper_ball", "upper_arm"} in loops
    coupled = np.abs(t.Rc) @ np.abs(t.Rc).T  # which loops share bodies; signed entries would cancel
    assert (np.diag(coupled) >= 3).all() and coupled.any()


def test_a_rod_is_always_cut():
    m = Mechanism(
        "M",
        bodies("a", "b"),
        [joint("free", "float", "ground", "a", np.zeros(3)), joint("revolute", "r", "a", "b", np.zeros(3), Z)],
        [Rod("link", "ground", "a", np.zeros(3), np.ones(3), 1.7)],
    )
    t = spanning_tree(m)
    assert t.chords == () and t.n_loops == 1 and t.loop_joints(m, 0) == ("link", "float")


def test_two_joints_between_the_same_bodies_make_a_loop():
    m = Mechanism(
        "M",
        bodies("a"),
        [joint("spherical", "ball", "ground", "a", np.zeros(3)), joint("revolute", "hinge", "a", "ground", Z, Z)],
    )
    t = spanning_tree(m)
    assert [m.joints[c].name for c in t.chords] == ["ball"]  # the hinge has fewer freedoms
    assert not t.arcs[0].forward


def test_fixed_joint_has_no_rates():
    m = Mechanism("M", bodies("a"), [joint("fixed", "weld", "ground", "a", np.zeros(3))])
    t = spanning_tree(m)
    assert t.nv == 0 and t.nq == 0


def test_idle_rotations_of_tie_rod_and_shock_are_found(suspension):
    _, t = suspension
    groups = {tuple(sorted(t.bodies[i] for i in s.group)) for s in t.spins}
    assert groups == {("tie_rod",), ("shock_body", "shock_rod")}
    assert len(t.notes) == 2 and "tie_rod" in " ".join(t.notes)


def link_between_balls(**more):
    return Mechanism(
        "M",
        bodies("crank", "link", "rocker"),
        [
            joint("revolute", "a", "ground", "crank", np.zeros(3), Z),
            joint("spherical", "b", "crank", "link", np.array([1.0, 0, 0])),
            joint("spherical", "c", "link", "rocker", np.array([1.0, 2, 0])),
            joint("revolute", "d", "ground", "rocker", np.array([3.0, 0, 0]), Z),
        ],
        **more,
    )


def test_a_spin_on_which_a_force_acts_off_axis_is_real():
    on_axis = Spring("s", Distance("ground", "link", np.zeros(3), np.array([1.0, 1, 0])), stiffness=1, free_length=1)
    off_axis = Spring("s", Distance("ground", "link", np.zeros(3), np.array([2.0, 1, 0])), stiffness=1, free_length=1)
    assert len(spanning_tree(link_between_balls(springs=[on_axis])).spins) == 1
    t = spanning_tree(link_between_balls(springs=[off_axis]))
    assert not t.spins and "kept" in t.notes[0]


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({}, None),
        ({"com": np.array([1.0, 1, 0.02])}, "centre of mass of 'link' is 20 mm off"),
        ({"inertia": np.diag([1.0, 0.1, 1.01])}, "inertia of 'link' is not that of a body of revolution"),
    ],
)
def test_only_a_body_of_revolution_spins_ideally(change, reason):
    link = Body("link", 1.0, np.array([1.0, 1, 0]), np.diag([1.0, 0.1, 1.0]))  # balls at (1, 0, 0) and (1, 2, 0)
    m = link_between_balls()
    m = replace(m, bodies=tuple(replace(link, **change) if b.name == "link" else b for b in m.bodies))
    t = spanning_tree(m)
    assert t.spins[0].ideal == (reason is None)
    assert reason is None or reason in t.notes[0]


def test_a_port_on_the_link_keeps_its_spin():
    t = spanning_tree(link_between_balls(markers=[Marker("m", "link", np.array([1.0, 1, 0]))], ports=[Port("p", "m")]))
    assert not t.spins


def test_reach_before_sees_earlier_primitives_of_the_same_joint():
    primitives = (
        *joint_primitives("prismatic", [Z]),
        *joint_primitives("spherical"),
        *joint_primitives("revolute", [Z]),
    )
    m = Mechanism("M", bodies("a"), [Joint("s", "sequence", "ground", "a", np.zeros(3), np.zeros(3), primitives)])
    t = spanning_tree(m)
    expected = [[0, 0, 0, 0, 0], *[[1, 0, 0, 0, 0]] * 3, [1, 1, 1, 1, 0]]
    np.testing.assert_array_equal(t.reach_before, expected)
