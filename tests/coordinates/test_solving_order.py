"""The block-triangular order of the loop equations."""

from dataclasses import replace

import numpy as np
import pytest
from helpers import MECHANISMS, Solved, joint, planar_four_bar, random_body, random_mechanism, random_planar_mechanism

from precompute.coordinates import decouple
from precompute.coordinates.decouple import find_dependence, loop_dependence, scattered_configurations
from precompute.coordinates.independent import choose_coordinates
from precompute.coordinates.solving_order import SolvingOrder, block_graph, match, solving_order
from precompute.errors import PrecomputeError
from precompute.kinematics.assembly import close_loops
from precompute.kinematics.coefficients import factorize, velocity_coefficients
from precompute.kinematics.topology import spanning_tree
from precompute.mechanism_file import load
from precompute.model.mechanism import Coordinate, Distance, JointCoordinate, Mechanism
from precompute.report.inspection import inspect

NOTHING = 1e-9
"""Change of a joint per change of a coordinate, in metres per metre, that counts as none."""


def ordered(mechanism):
    topology = spanning_tree(mechanism)
    design = close_loops(mechanism, topology)
    coordinates = choose_coordinates(mechanism, topology, design)
    samples = scattered_configurations(coordinates, design)
    return coordinates, design, samples, solving_order(coordinates.closure, samples)


def joints_of(coordinates, block):
    m, t = coordinates.closure.mechanism, coordinates.closure.topology
    return {
        j.name for j, s in zip(m.joints, t.v_slices, strict=True) if any(s.start <= r < s.stop for r in block.rates)
    }


def loops_in_order(order):
    names = sorted((n for n in order.closing if not n.startswith("spin")), key=order.closing.__getitem__)
    return [(n, order.loop_axes(n)) for n in names]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("four_bar", [("crank_pin", (0,))]),
        ("rssr", [("A", (0,))]),
        (
            "double_wishbone_rigid",
            [("pitman_link", (0,)), ("shock", (1,)), ("lower_ball", (1,)), ("outer_ball", (0, 1))],
        ),
        (
            "front_axle",
            [
                ("pitman_link", (0,)),
                *(("shock_r", (1,)), ("lower_ball_r", (1,)), ("outer_ball_r", (0, 1))),
                *(("shock_l", (2,)), ("lower_ball_l", (2,)), ("outer_ball_l", (0, 2))),
            ],
        ),
    ],
)
def test_loops_are_solved_in_order_from_their_own_coordinates(name, expected):
    """Steering loop, shock loop, wishbone loop, tie-rod loop; and the corners of each move with just these."""
    coordinates, _, samples, order = ordered(load(MECHANISMS / f"{name}.toml"))
    assert loops_in_order(order) == expected
    t, m = coordinates.closure.topology, coordinates.closure.mechanism
    numbers = zip(
        (t.loop_joints(m, i)[0] for i in range(t.n_loops)), loop_dependence(coordinates, samples), strict=True
    )
    assert dict(numbers) == dict(expected)


def test_blocks_of_the_suspension():
    """Between two balls one equation closes a loop; the kingpin's turn comes after, with the tie rod."""
    coordinates, _, _, order = ordered(load(MECHANISMS / "double_wishbone_rigid.toml"))
    wishbone = order.blocks[order.closing["lower_ball"]]
    assert wishbone.equations == 1 and joints_of(coordinates, wishbone) == {"upper_arm"}
    assert joints_of(coordinates, order.blocks[order.closing["shock"]]) == {"lower_arm"}
    tie_rod = order.blocks[order.closing["outer_ball"]]
    assert joints_of(coordinates, tie_rod) == {"upper_ball"} and set(tie_rod.owners) == {"outer_ball", "lower_ball"}
    assert sum(b.equations for b in order.blocks) == coordinates.closure.topology.nv


def test_a_planar_loop_has_three_equations():
    coordinates, _, _, order = ordered(load(MECHANISMS / "crank_slider.toml"))
    assert [b.equations for b in order.blocks] == [1, 3]
    assert joints_of(coordinates, order.blocks[1]) == {"crank_pin", "slider_pin", "slide"}


def two_four_bars(driven):
    """The rocker of the first four-bar drives the second."""
    first = planar_four_bar((1, 60), (3, 10), (2, 290))
    rng, z = np.random.default_rng(1), np.array([0.0, 0, 1])
    d = first.joint("d").p_P
    e, f, g = d + [0.3, 1.0, 0], d + [3.0, 1.8, 0], d + [3.4, -0.2, 0]
    bodies = (*first.bodies, random_body(rng, "four"), random_body(rng, "five"))
    more = [("e", "three", "four", e), ("f", "four", "five", f), ("g", "five", "ground", g)]
    joints = (*first.joints, *(joint("revolute", n, a, b, at, z) for n, a, b, at in more))
    return Mechanism("Series", bodies, joints, coordinates=(Coordinate("z", JointCoordinate(driven), -0.1, 0.1),))


@pytest.mark.parametrize(("driven", "expected"), [("a", [{"b", "c", "d"}, {"e", "f", "g"}]),
                                                  ("g", [{"d", "e", "f"}, {"a", "b", "c"}])])  # fmt: skip
def test_two_four_bars_in_series_are_solved_from_the_driven_end(driven, expected):
    coordinates, _, _, order = ordered(two_four_bars(driven))
    assert [joints_of(coordinates, b) for b in order.blocks] == [{driven}, *expected]
    assert order.blocks[2].needs == (1,) and all(b.axes == (0,) for b in order.blocks)


def test_a_coordinate_that_is_no_joint_is_solved_with_the_loops():
    m = load(MECHANISMS / "double_wishbone_rigid.toml")
    length = Coordinate("length", replace(m.springs[0].on), 0.33, 0.4)
    assert isinstance(length.of, Distance)
    _, _, _, order = ordered(replace(m, coordinates=(m.coordinates[0], length)))
    assert dict(loops_in_order(order))["lower_ball"] == (1,)
    assert dict(loops_in_order(order))["outer_ball"] == (0, 1)


def test_spare_equations_join_what_they_repeat():
    """Rows 0 and 1 repeat each other: row 2 is needed to solve x and y, and brings in z; u stays apart."""
    x, y, z, u = np.eye(4, dtype=bool)
    incidence = np.array([x | y, x | y, x | y | z, z, x | u])
    matched = match(incidence)
    assert sorted(matched.tolist()) == [-1, 0, 1, 2, 3]
    part, needs = block_graph(incidence, matched)
    assert part[0] == part[1] == part[2] == part[3] != part[4]
    assert needs == {int(part[0]): set(), int(part[4]): {int(part[0])}}


def test_three_parallel_cranks_repeat_each_other():
    """The second loop adds no more than its own joints, though one of its equations repeats those of the first."""
    first = planar_four_bar((1, 60), (2, 0), (1, 240))  # a parallelogram
    z, b = np.array([0.0, 0, 1]), first.joint("b").p_P
    bodies = (*first.bodies, random_body(np.random.default_rng(1), "middle"))
    middle = np.array([0.7, 0, 0])
    joints = (*first.joints, joint("revolute", "e", "two", "middle", b + middle, z),
              joint("revolute", "f", "middle", "ground", middle, z))  # fmt: skip
    z_a = (Coordinate("z", JointCoordinate("a"), -0.3, 0.3),)
    coordinates, _, _, order = ordered(Mechanism("Cranks", bodies, joints, coordinates=z_a))
    assert all(b.axes == (0,) for b in order.blocks)
    assert set().union(*(joints_of(coordinates, b) for b in order.blocks)) == set("abcdef")


def test_a_loop_of_fixed_joints_has_nothing_to_solve():
    m = load(MECHANISMS / "four_bar.toml")
    plate = [joint("fixed", name, "crank", "plate", np.zeros(3)) for name in ("weld", "bolt")]
    doubled = replace(m, bodies=(*m.bodies, random_body(np.random.default_rng(0), "plate")), joints=(*m.joints, *plate))
    _, _, _, order = ordered(doubled)
    assert order.loop_axes("bolt") == () and order.loop_axes("crank_pin") == (0,)
    assert [loop.cut for loop in inspect(doubled).loops] == ["bolt", "crank_pin"]


@pytest.mark.parametrize("draw", [random_mechanism, random_planar_mechanism])
@pytest.mark.parametrize("seed", range(40))
def test_the_structure_is_never_less_than_the_numbers(seed, draw):
    try:
        solved = Solved(draw(seed))
        z = solved.z0 + 0.05 * np.random.default_rng(seed).standard_normal((6, solved.dof))
        q = solved.at(z)
    except PrecomputeError:
        pytest.skip("drawn at a singularity")
    closure = solved.closure
    order = solving_order(closure, q)
    B = velocity_coefficients(closure, factorize(closure, closure.matrix(closure.poses(q))))
    change = np.abs(B / closure.rate_weight[:, None] / closure.coordinate_weight).max(axis=0)
    for i, row in enumerate(change):
        allowed = order.axes_of_rates(np.arange(len(change)) == i)
        assert set(np.flatnonzero(row > NOTHING)) <= set(allowed)
    assert {r for b in order.blocks for r in b.rates} == set(range(len(change)))
    for number, block in enumerate(order.blocks):
        assert all(n < number for n in block.needs)


def test_numbers_that_exceed_the_structure_are_a_bug(monkeypatch):
    coordinates, design, _, order = ordered(load(MECHANISMS / "four_bar.toml"))
    empty = SolvingOrder(tuple(replace(b, axes=()) for b in order.blocks), order.closing)
    monkeypatch.setattr(decouple, "solving_order", lambda *_: empty)
    with pytest.raises(AssertionError, match="which the structure of its loops excludes"):
        find_dependence(coordinates, design)
