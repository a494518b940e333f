"""Every kind of joint as shared points and vectors: against closed forms, and in random mechanisms."""

import numpy as np
import pytest
from helpers import Solved, random_body, random_mechanism, random_planar_mechanism

from precompute.errors import PrecomputeError
from precompute.geometry.spatial import point_acceleration, point_velocity
from precompute.model.bushings import moved_child
from precompute.model.joint_types import JOINT_TYPES
from precompute.model.mechanism import (
    Joint,
    Marker,
    MarkerCoordinate,
    Mechanism,
    Primitive,
    joint_primitives,
    plane_axes,
    stiff_primitives,
)
from precompute.natural import natural_model

A, B = np.array([0.3, -0.5, 0.8]), np.array([0.9, 0.4, 0.1])
AT, POINT = np.array([0.2, 0.1, -0.3]), np.array([0.7, -0.4, 0.5])
SEQUENCES = {
    "rotation, travel": ("rotation", "translation"),
    "travel, rotation": ("translation", "rotation"),
    "three rotations": ("rotation", "rotation", "rotation"),
    "four rotations": ("rotation",) * 4,
    "all mixed": ("rotation", "translation", "rotation", "translation", "translation", "rotation"),
    "travels": ("translation",) * 3,
}


def alone(primitives, kind="sequence", axes="parent", R=None):
    """One body on the ground by one joint."""
    body = random_body(np.random.default_rng(1), "body")
    joint = Joint("j", kind, "ground", "body", AT, AT, tuple(primitives), axes, np.eye(3) if R is None else R)
    return Mechanism("One", [body], [joint], markers=[Marker("m", "body", POINT)])


def check(mechanism):
    """The point of a body whose joint coordinates are all given, far from design."""
    joint, rng = mechanism.joints[0], np.random.default_rng(2)
    model = natural_model(mechanism)
    z = rng.uniform(-2.5, 2.5, (5, len(joint.primitives)))
    stiff = {c.index: name for name, c in model.stiff.items()}
    names = [stiff.get(i, f"joint.j[{i + 1}]") for i in range(len(joint.primitives))]
    places = model.positions(dict(zip(names, z.T, strict=True)))
    moved = model.motion(places, {}).point("body", POINT).p
    expected = [moved_child(joint, np.repeat(row[:, None], 3, axis=1), 1.0).point(POINT) for row in z]
    assert np.abs(moved - expected).max() < 1e-13
    again = model.values(places, names)
    for name, values in zip(names, z.T, strict=True):
        assert np.abs(model.motion(places, {}).measure(model.known[name]).value - values).max() < 1e-12
        assert (again[name] == values).all()


@pytest.mark.parametrize("axes", ["parent", "child"])
@pytest.mark.parametrize("kind", [name for name, kind in JOINT_TYPES.items() if "ball" not in kind.kinds])
def test_kinds_with_all_locked_directions_deflected(kind, axes):
    given = [A / np.linalg.norm(A), B / np.linalg.norm(B)][: len(JOINT_TYPES[kind].axes)]
    x = given[0] if given else np.array([1.0, 0.0, 0.0])
    y = plane_axes(x)[0] if len(given) < 2 else given[1] - (given[1] @ x) * x
    R = np.column_stack([x, y / np.linalg.norm(y), np.cross(x, y / np.linalg.norm(y))])
    free = joint_primitives(kind, given)
    check(alone((*free, *stiff_primitives(JOINT_TYPES[kind].locked, R)), kind, axes, R))


@pytest.mark.parametrize("kinds", SEQUENCES.values(), ids=SEQUENCES)
def test_sequences(kinds):
    rng = np.random.default_rng(3)
    check(alone([Primitive(kind, rng.standard_normal(3)) for kind in kinds]))


def test_travels_that_repeat_each_other_are_refused():
    with pytest.raises(PrecomputeError, match="travels twice the same way"):
        natural_model(alone([Primitive("translation", A), Primitive("translation", A)]))


def test_a_ball_is_driven_by_markers():
    """Three coordinates of two markers turn a body on a ball; deflections move its centre."""
    R = np.eye(3)
    body = random_body(np.random.default_rng(1), "body")
    primitives = (*joint_primitives("spherical"), *stiff_primitives(("x", "y", "z"), R))
    joint = Joint("j", "spherical", "ground", "body", AT, AT, primitives)
    markers = [Marker("m", "body", POINT), Marker("n", "body", AT + [0, 0, 0.5])]
    model = natural_model(Mechanism("Ball", [body], [joint], markers=markers))
    shift = np.array([0.01, -0.02, 0.03])
    turned = moved_child(joint, np.array([[0.2, -0.3, 0.4], *np.repeat(shift[:, None], 3, axis=1)]), 1.0)
    m, n = turned.point(POINT), turned.point(markers[1].p)
    given = {"m_x": m[0], "m_y": m[1], "n_x": n[0], "j.x": shift[0], "j.y": shift[1], "j.z": shift[2]}
    assert isinstance(model.known["m_x"], MarkerCoordinate)
    body_now = model.motion(model.positions(given), {}).body("body")
    assert np.abs(body_now.R[0] - turned.R).max() < 1e-12
    assert np.abs(body_now.p[0] - turned.point(body.com)).max() < 1e-12


def marker_errors(mechanism, solved):
    """Largest errors of position, velocity and acceleration of all markers, over the largest."""
    names = [f"joint.{c.joint}[{c.index + 1}]" for c in solved.closure.coordinates]
    zd, zdd = np.random.default_rng(4).standard_normal((2, solved.dof))
    model = natural_model(mechanism)
    places = model.positions(dict(zip(names, solved.z, strict=True)))
    moved = model.motion(places, dict(zip(names, zd, strict=True)), dict(zip(names, zdd, strict=True)))
    P, _, _, W, dW = solved.velocities(solved.q[None])
    error, size = np.zeros(3), np.zeros(3)
    for marker in mechanism.markers:
        k = P.number(marker.body)
        at = np.broadcast_to(P.X[k].point(marker.p), (1, 3))
        v, a = point_velocity(W[:, k], at), point_acceleration(W[:, k], dW[:, k], at)
        known = at, v @ zd, np.einsum("ncij,i,j->nc", a, zd, zd) + v @ zdd
        ours = moved.point(marker.body, marker.p)
        for i, (x, y) in enumerate(zip(known, (ours.p, ours.v, ours.a), strict=True)):
            error[i], size[i] = max(error[i], np.abs(x - y).max()), max(size[i], np.abs(x).max())
    return error / size


def compare_random(make, seeds):
    checked = 0
    for seed in seeds:
        mechanism = make(seed)
        try:
            solved = Solved(mechanism, offset=0.1)
        except PrecomputeError:  # drawn near a singularity
            continue
        assert marker_errors(mechanism, solved).max() < 1e-11, seed
        checked += 1
    assert checked >= 0.9 * len(seeds)


@pytest.mark.parametrize("make", [random_mechanism, random_planar_mechanism])
def test_random_mechanisms(make):
    compare_random(make, range(12))


@pytest.mark.slow
@pytest.mark.parametrize("make", [random_mechanism, random_planar_mechanism])
def test_many_random_mechanisms(make):
    compare_random(make, range(12, 150))
