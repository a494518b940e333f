"""Which coordinates each body, loop and table depends on."""

from dataclasses import replace

import numpy as np
import pytest
from helpers import MECHANISMS, joint, random_body

from precompute.coordinates.decouple import find_dependence, loop_dependence
from precompute.coordinates.independent import choose_coordinates
from precompute.coordinates.subsystem import smallest_subsystem
from precompute.kinematics.assembly import close_loops
from precompute.kinematics.topology import spanning_tree
from precompute.mechanism_file import load
from precompute.model.mechanism import Coordinate, JointCoordinate
from precompute.tables.columns import evaluate, plan_columns


def stages(mechanism):
    topology = spanning_tree(mechanism)
    design = close_loops(mechanism, topology)
    return choose_coordinates(mechanism, topology, design), design


@pytest.fixture(scope="module")
def suspension():
    coordinates, design = stages(load(MECHANISMS / "double_wishbone_rigid.toml"))
    return coordinates, design, *find_dependence(coordinates, design)


@pytest.fixture(scope="module")
def axle():
    coordinates, design = stages(load(MECHANISMS / "front_axle.toml"))
    return coordinates, design, *find_dependence(coordinates, design)


def test_bodies_of_the_suspension(suspension):
    coordinates, _, dependence, _ = suspension
    m = coordinates.closure.mechanism
    of = {b.name: d for b, d in zip(m.bodies, dependence.bodies, strict=True)}
    for name in ("pitman_arm", "steering_link", "idler_arm"):
        assert of[name] == (0,)
    for name in ("lower_arm", "upper_arm", "shock_body", "shock_rod"):
        assert of[name] == (1,)
    for name in ("hub", "tie_rod"):
        assert of[name] == (0, 1)
    assert dependence.body(m, "ground") == ()


def test_loops_of_the_suspension(suspension):
    """Steering loop: pitman; shock loop: shock; wishbone loop: shock; tie-rod loop: both."""
    coordinates, _, _, samples = suspension
    t, m = coordinates.closure.topology, coordinates.closure.mechanism
    loops = dict(zip((t.loop_joints(m, i)[0] for i in range(4)), loop_dependence(coordinates, samples), strict=True))
    assert loops == {"pitman_link": (0,), "shock": (1,), "lower_ball": (1,), "outer_ball": (0, 1)}


def test_measures_of_the_suspension(suspension):
    _, _, dependence, _ = suspension
    assert [axes for _, axes in dependence.measures] == [(1,), (0,)]  # the shock's length, the pitman angle


def test_no_part_of_the_axle_feels_all_three_coordinates(axle):
    coordinates, _, dependence, _ = axle
    assert set(dependence.bodies) == {(0,), (1,), (2,), (0, 1), (0, 2)}
    columns = plan_columns(coordinates.closure.mechanism, coordinates.names, dependence)
    assert max(len(axes) for axes, _ in columns.blocks) == 2
    assert columns.fields.inertia[1][2] == ()  # the two wheels are not coupled by inertia


def test_a_wheel_of_the_axle_is_solved_without_the_other(axle):
    coordinates, design, dependence, _ = axle
    right = smallest_subsystem(coordinates, design, dependence, (0, 1))
    assert right.members == (0, 1)
    names = {b.name for b in right.coordinates.closure.mechanism.bodies}
    assert "hub_r" in names and not any(name.endswith("_l") for name in names)
    steering = smallest_subsystem(coordinates, design, dependence, (0,))
    assert len(steering.coordinates.closure.mechanism.bodies) == 3
    # the arms alone leave the hub free to turn: the steering is needed too, at rest
    assert smallest_subsystem(coordinates, design, dependence, (1,)).members == (0, 1)


def test_a_subsystem_has_the_columns_of_the_whole(suspension):
    coordinates, design, dependence, _ = suspension
    whole = plan_columns(coordinates.closure.mechanism, coordinates.names, dependence)
    system = smallest_subsystem(coordinates, design, dependence, (0,))
    own = plan_columns(system.coordinates.closure.mechanism, system.coordinates.names, system.dependence)
    exact = evaluate(coordinates.closure, whole, design.q[None])
    ours = evaluate(system.coordinates.closure, own, system.design.q[None])
    for c in own.of_block(own.blocks.index(((0,), False))):
        there = whole.names.index(own.names[c])
        np.testing.assert_allclose(ours.value[0, c], exact.value[0, there], atol=1e-13)
        np.testing.assert_allclose(ours.gradient[0, c, 0], exact.gradient[0, there, 0], atol=1e-12)


def test_two_mechanisms_side_by_side_share_nothing():
    m = load(MECHANISMS / "crank_slider.toml")
    flag = joint("revolute", "flag", "ground", "flag", np.array([9.0, 0, 0]), np.array([0.0, 0, 1]))
    both = replace(
        m,
        bodies=(*m.bodies, random_body(np.random.default_rng(0), "flag")),
        joints=(*m.joints, flag),
        coordinates=(*m.coordinates, Coordinate("flag", JointCoordinate("flag"), -1, 1)),
    )
    coordinates, design = stages(both)
    dependence, _ = find_dependence(coordinates, design)
    assert set(dependence.bodies) == {(0,), (1,)}
