import numpy as np
import pytest
from helpers import Solved, joint, random_body, random_mechanism

from precompute.geometry.spatial import (
    point_acceleration,
    point_velocity,
    quaternion_exp,
    quaternion_rotation,
    rotation,
)
from precompute.kinematics.poses import design_configuration, move, poses
from precompute.kinematics.topology import spanning_tree
from precompute.model.mechanism import Joint, Mechanism, Primitive

Z = np.array([0.0, 0.0, 1.0])
POINT = np.array([1.0, 2.0, 3.0])


def one_joint(j):
    m = Mechanism("M", [random_body(np.random.default_rng(0), "a")], [j])
    return m, spanning_tree(m)


def pose_of(j, q):
    m, t = one_joint(j)
    return poses(m, t, np.asarray(q, dtype=float)).X[1]


def test_revolute_turns_about_its_point():
    X = pose_of(joint("revolute", "j", "ground", "a", POINT, Z), [0.3])
    np.testing.assert_allclose(X.point(POINT), POINT, atol=1e-15)
    np.testing.assert_allclose(X.R, rotation(Z, 0.3), atol=1e-15)


def test_a_joint_described_from_the_other_side_is_the_inverse():
    forward = pose_of(joint("revolute", "j", "ground", "a", POINT, Z), [0.3])
    backward = pose_of(joint("revolute", "j", "a", "ground", POINT, Z), [-0.3])
    np.testing.assert_allclose(forward.R, backward.R, atol=1e-15)
    np.testing.assert_allclose(forward.p, backward.p, atol=1e-15)


def test_cylindrical_slides_and_turns_along_one_axis():
    X = pose_of(joint("cylindrical", "j", "ground", "a", POINT, Z), [0.5, 0.3])
    np.testing.assert_allclose(X.point(POINT), POINT + 0.5 * Z, atol=1e-15)
    np.testing.assert_allclose(X.R, rotation(Z, 0.3), atol=1e-15)


def test_universal_turns_about_the_parent_axis_first():
    x, y = np.eye(3)[:2]
    X = pose_of(joint("universal", "j", "ground", "a", POINT, x, y), [0.4, 0.7])
    np.testing.assert_allclose(X.R, rotation(x, 0.4) @ rotation(y, 0.7), atol=1e-15)


def test_planar_moves_in_its_plane():
    X = pose_of(joint("planar", "j", "ground", "a", POINT, Z), [0.2, -0.1, 0.6])
    moved = X.point(POINT) - POINT
    assert abs(moved @ Z) < 1e-15 and np.linalg.norm(moved) == pytest.approx(np.hypot(0.2, 0.1))


def test_free_joint_takes_a_quaternion():
    e = quaternion_exp(np.array([0.1, -0.2, 0.3]))
    X = pose_of(joint("free", "j", "ground", "a", POINT), [1.0, 2.0, 3.0, *e])
    np.testing.assert_allclose(X.point(POINT), POINT + [1, 2, 3], atol=1e-14)
    np.testing.assert_allclose(X.R, quaternion_rotation(e), atol=1e-15)


def test_sequence_walks_its_primitives_in_order():
    y = np.eye(3)[1]
    j = Joint("j", "sequence", "ground", "a", POINT, POINT, (Primitive("rotation", Z), Primitive("translation", y)))
    X = pose_of(j, [np.pi / 2, 2.0])
    np.testing.assert_allclose(X.point(POINT), POINT + [-2, 0, 0], atol=1e-14)


def test_two_points_of_a_joint_come_together():
    j = Joint("j", "spherical", "ground", "a", POINT, POINT + 0.1, (Primitive("ball"),))
    np.testing.assert_allclose(pose_of(j, [1.0, 0, 0, 0]).point(POINT + 0.1), POINT, atol=1e-15)


@pytest.mark.parametrize("seed", range(8))
def test_move_is_a_step_along_the_rates(seed):
    """Poses after a small move differ by the motion axes times the step, to second order."""
    s = Solved(random_mechanism(seed))
    m, t = s.closure.mechanism, s.closure.topology
    rng = np.random.default_rng(seed)
    dv = rng.standard_normal(t.nv)
    errors = []
    for h in (1e-3, 1e-4):
        before, after = (s.closure.poses(move(m, t, s.q, sign * h * dv)) for sign in (-1, 1))
        P = s.closure.poses(s.q)
        worst = 0.0
        for b, X in enumerate(P.X):
            V = (t.reach[b] * P.S) @ dv
            expected = V[3:] + np.cross(V[:3], X.p)
            worst = max(worst, np.abs((after.X[b].p - before.X[b].p) / (2 * h) - expected).max())
        errors.append(worst)
    assert errors[1] < 2e-2 * errors[0] + 1e-9


def test_design_configuration_has_unit_quaternions():
    m, t = one_joint(joint("free", "j", "ground", "a", POINT))
    np.testing.assert_array_equal(design_configuration(m, t), [0, 0, 0, 1, 0, 0, 0])


def test_point_acceleration_is_the_derivative_of_point_velocity():
    s = Solved(random_mechanism(3))
    P, _, _, W, dW = s.velocities(s.q[None])
    b, p_B, h = 1, np.array([0.2, -0.1, 0.4]), 1e-4
    exact = point_acceleration(W[:, b], dW[:, b], P.X[b].point(p_B))[0]
    for j in range(s.dof):
        around = s.stencil(h)[j, :2]
        P_j, _, _, W_j, _ = s.velocities(around)
        v = point_velocity(W_j[:, b], P_j.X[b].point(p_B))
        np.testing.assert_allclose((v[0] - v[1]) / (2 * h), exact[..., j], atol=1e-5 * max(1.0, np.abs(exact).max()))
