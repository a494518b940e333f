"""Frames of points and vectors: what carries them, what is a combination, what is left unknown."""

import numpy as np
import pytest
from helpers import MECHANISMS, ROOT, planar_four_bar

from precompute.errors import AssemblyError
from precompute.mechanism_file.store import load
from precompute.natural import natural_model
from precompute.natural.drawing import Drawing, shape
from precompute.natural.freedoms import allowed

RNG = np.random.default_rng(7)


def drawn_body(*places, vectors=()):
    """One frame with points and vectors, not joined to anything."""
    drawing = Drawing("ground", 1.0)
    for i, p in enumerate(places):
        drawing.point(f"p{i}", ("body", np.asarray(p, dtype=float)))
    for i, u in enumerate(vectors):
        drawing.vector(f"u{i}", ("body", np.asarray(u, dtype=float)))
    return drawing


@pytest.mark.parametrize(
    ("points", "vectors", "r"),
    [
        ([[0, 0, 0], [1, 0, 0]], [], 1),
        ([[0, 0, 0], [1, 0, 0], [3, 0, 0]], [[-1, 0, 0]], 1),
        ([[0, 0, 0], [1, 0, 0], [0, 1, 0], [2, 3, 0]], [], 2),
        ([[1, 1, 1]], [[0, 0, 1], [0, 0.6, 0.8]], 2),
        (RNG.standard_normal((6, 3)), RNG.standard_normal((2, 3)), 3),
    ],
)
def test_r_vectors_carry_a_body_by_as_many_products_and_all_others_are_combinations(points, vectors, r):
    drawing = drawn_body(*points, vectors=vectors)
    drawing.frame("body").turns = r > 1
    s = shape(drawing.frame("body"))
    assert s.E.shape == (3, r)
    others = len(points) + len(vectors) - 1 - r
    assert len(s.combinations(len(drawing.names))) == others
    drawn = drawing.drawn()
    assert len(drawn.rows) == r * (r + 1) // 2
    assert len(drawn.coordinates.names) == 3 * (r + 1)  # the others are no unknowns
    x = drawn.coordinates.start
    for row in drawn.rows:
        assert abs(row.polynomial.at(x)) < 1e-14
    assert np.allclose([f.at(x) for f in drawn.features], [*points, *vectors], atol=1e-13)


def test_combinations_move_with_the_body():
    """Turn and shift what carries the body: everything else goes along."""
    points = RNG.standard_normal((7, 3))
    drawn = drawn_body(*points).drawn()
    carrier = drawn.carriers["body"]
    a = 0.7
    R, t = np.array([[np.cos(a), -np.sin(a), 0], [np.sin(a), np.cos(a), 0], [0, 0, 1]]), np.array([3.0, -2.0, 1.0])
    x = (drawn.coordinates.start.reshape(-1, 3) @ R.T + t).ravel()
    assert len(carrier.vectors) == 3
    assert np.allclose([f.at(x) for f in drawn.features], points @ R.T + t, atol=1e-13)


@pytest.mark.parametrize("flat", [1e-3, 1e-12])
def test_what_lies_almost_in_a_plane_is_carried_by_a_vector_across(flat):
    drawn = drawn_body([0, 0, 0], [1, 0, 0], [0.3, 1, 0], [0.5, 0.5, flat]).drawn()
    E = drawn.carriers["body"].E
    assert np.linalg.cond(E) < 5.0
    assert E.shape == (3, 3 if flat > 1e-10 else 2)


def test_a_body_of_which_one_vector_is_known_gets_one_of_its_own():
    drawn = drawn_body([0, 0, 0], vectors=[[0, 0, 1]]).drawn()
    assert len(drawn.carriers["body"].vectors) == 2


def test_what_the_ground_has_is_known():
    drawing = Drawing("ground", 1.0)
    drawing.point("p", ("ground", np.zeros(3)), ("body", np.zeros(3)))
    drawing.vector("u", ("ground", np.array([0.0, 0.0, 1.0])), ("body", np.array([0.0, 0.0, 1.0])))
    drawing.point("tip", ("body", np.array([1.0, 0.0, 0.5])))
    drawn = drawing.drawn()
    assert len(drawn.coordinates.names) == 3 and len(drawn.rows) == 2  # the tip; on a circle


def test_points_that_the_ground_holds_apart_are_told():
    drawing = Drawing("ground", 1.0)
    for name, there in (("a", 1.0), ("b", 1.1)):
        drawing.vector(name, ("ground", np.array([there, 0.0, 0.0])), ("body", np.array([1.0, 0.0, 0.0])))
    drawing.point("p", ("ground", np.zeros(3)), ("body", np.zeros(3)))
    with pytest.raises(AssemblyError, match="ground"):
        drawing.drawn()


COUNTS = {"crank_slider": (6, 8), "rssr": (6, 7), "double_wishbone": (57, 69), "front_axle": (54, 64)}


@pytest.mark.parametrize(("name", "count"), COUNTS.items())
def test_unknowns_and_rows_of_known_mechanisms(name, count):
    mechanism = load(MECHANISMS / f"{name}.toml")
    system = natural_model(mechanism).system([c.name for c in mechanism.coordinates]).driven
    assert (len(system.unknown), len(system.system.labels)) == count


def test_freedoms_are_counted_beside_a_flat_design():
    """A parallelogram that is drawn flat could go two ways there; it has one freedom all the same."""
    model = natural_model(planar_four_bar((1.0, 0.0), (2.0, 0.0), (1.0, 180.0)))
    system = model.system(())
    assert allowed(system, model.design.x[0]).shape[1] == 1


@pytest.mark.parametrize("file", ["turret", "andrews", "corner"])
def test_coordinates_of_frames_are_those_they_were_made_from(file):
    model = natural_model(load(ROOT / "tests" / "mechanisms" / f"{file}.toml"))
    system = model.system(())
    x = model.design.x
    assert np.abs(system.from_poses(system.poses((x,)), model.design.values) - x).max() < 1e-14
