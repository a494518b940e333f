import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from precompute.geometry.spatial import (
    Transform,
    cross,
    cross_motion,
    cross_motion_matrix,
    quaternion_exp,
    quaternion_multiply,
    quaternion_rotation,
    rotation,
    rotation_quaternion,
    rotation_screw,
    skew,
    so3_log,
    translation_screw,
)

vectors = arrays(float, 3, elements=st.floats(-3, 3))
rotation_vectors = arrays(float, 3, elements=st.floats(-1.7, 1.7))  # below pi
ROUND_OFF = 1e-13


@given(vectors, vectors)
def test_skew_is_the_cross_product(a, b):
    np.testing.assert_allclose(skew(a) @ b, np.cross(a, b), atol=ROUND_OFF)


@pytest.mark.parametrize(
    ("a", "b", "axis"), [((3,), (3,), -1), ((5, 3, 1), (3, 4), -2), ((2, 3, 4, 1), (2, 3, 1, 6), -3)]
)
def test_cross_product_along_any_axis(a, b, axis):
    rng = np.random.default_rng(1)
    a, b = rng.standard_normal(a), rng.standard_normal(b)
    np.testing.assert_array_equal(cross(a, b, axis), np.cross(a, b, axis=axis))


def test_quaternions_of_small_and_large_turns_are_those_of_each_alone():
    """Small turns have a way of their own if all of a batch are small."""
    axes = np.random.default_rng(2).standard_normal((40, 3))
    turns = np.linspace(0.0, 3.1, 40)[:, None] * axes / np.linalg.norm(axes, axis=1, keepdims=True)
    R = quaternion_rotation(quaternion_exp(turns))
    np.testing.assert_allclose(rotation_quaternion(R), quaternion_exp(turns), atol=1e-14)
    np.testing.assert_allclose([rotation_quaternion(x) for x in R], quaternion_exp(turns), atol=1e-14)


@given(rotation_vectors)
def test_logarithm_inverts_exponential(phi):
    R = quaternion_rotation(quaternion_exp(phi))
    np.testing.assert_allclose(R @ R.T, np.eye(3), atol=ROUND_OFF)
    np.testing.assert_allclose(so3_log(R), phi, atol=1e-12)


@pytest.mark.parametrize("angle", [0.0, 1e-12, 1e-7, 9e-5, 1.1e-4, 0.5, 3.0, np.pi - 1e-9])
def test_logarithm_at_small_and_large_angles(angle):
    axis = np.array([2.0, -1.0, 2.0]) / 3.0
    np.testing.assert_allclose(so3_log(rotation(axis, angle)), angle * axis, rtol=1e-9, atol=1e-15)


def test_logarithm_at_half_a_turn_has_length_pi():
    for axis in (*np.eye(3), np.array([1.0, 1.0, 0.0]) / np.sqrt(2)):
        phi = so3_log(rotation(axis, np.pi))
        np.testing.assert_allclose(np.abs(phi @ axis), np.pi, rtol=1e-12)


@given(rotation_vectors, rotation_vectors)
def test_quaternion_product_is_the_product_of_rotations(a, b):
    ea, eb = quaternion_exp(a), quaternion_exp(b)
    product = quaternion_rotation(quaternion_multiply(ea, eb))
    np.testing.assert_allclose(product, quaternion_rotation(ea) @ quaternion_rotation(eb), atol=ROUND_OFF)


@given(arrays(float, 4, elements=st.floats(-1, 1)).filter(lambda e: np.linalg.norm(e) > 0.1))
def test_rotation_quaternion_recovers_the_quaternion_up_to_sign(e):
    e = e / np.linalg.norm(e)
    back = rotation_quaternion(quaternion_rotation(e))
    np.testing.assert_allclose(np.abs(back @ e), 1.0, atol=ROUND_OFF)
    assert back[0] >= 0.0


@given(rotation_vectors, vectors, rotation_vectors, vectors)
def test_transforms_compose_and_invert(a, p, b, r):
    X, Y = (Transform(quaternion_rotation(quaternion_exp(phi)), x) for phi, x in ((a, p), (b, r)))
    there_and_back = X @ Y @ Y.inverse() @ X.inverse()
    np.testing.assert_allclose(there_and_back.R, np.eye(3), atol=ROUND_OFF)
    np.testing.assert_allclose(there_and_back.p, 0.0, atol=1e-12)
    np.testing.assert_allclose((X @ Y).point(r), X.point(Y.point(r)), atol=1e-12)


@given(arrays(float, 6, elements=st.floats(-2, 2)), arrays(float, 6, elements=st.floats(-2, 2)))
def test_cross_motion_is_antisymmetric_and_has_a_matrix(V, W):
    np.testing.assert_allclose(cross_motion(V, W), -cross_motion(W, V), atol=ROUND_OFF)
    np.testing.assert_allclose(cross_motion_matrix(V) @ W, cross_motion(V, W), atol=ROUND_OFF)


@given(arrays(float, (3, 6), elements=st.floats(-2, 2)))
def test_cross_motion_satisfies_the_jacobi_identity(UVW):
    U, V, W = UVW
    total = (
        cross_motion(U, cross_motion(V, W)) + cross_motion(V, cross_motion(W, U)) + cross_motion(W, cross_motion(U, V))
    )
    np.testing.assert_allclose(total, 0.0, atol=1e-12)


def test_screws_give_the_velocity_of_a_point():
    axis, through, p = np.array([0.0, 0.0, 1.0]), np.array([1.0, 2.0, 0.0]), np.array([4.0, 2.0, 5.0])
    V = rotation_screw(axis, through)
    np.testing.assert_allclose(V[3:] + np.cross(V[:3], p), np.cross(axis, p - through))
    np.testing.assert_allclose(translation_screw(axis), [0, 0, 0, 0, 0, 1])


def test_functions_are_batched():
    phi = np.random.default_rng(0).uniform(-1, 1, (4, 5, 3))
    R = quaternion_rotation(quaternion_exp(phi))
    assert R.shape == (4, 5, 3, 3)
    np.testing.assert_allclose(so3_log(R), phi, atol=1e-13)
