"""Every way to the allowable motions keeps one contract; numbers of Garcia de Jalon and Bayo, chapter 3."""

import json

import numpy as np
import pytest
from helpers import GOLDEN
from hypothesis import given, settings
from hypothesis import strategies as st

from precompute.errors import SingularityError
from precompute.kinematics.subspace import METHODS, allowable_motions, particular

TOLERANCE = 1e-10
ROUND_OFF = 1e-8
"""Of the identities, for random matrices whose smallest kept singular value is 0.05."""


@pytest.fixture(scope="module")
def golden():
    return json.loads((GOLDEN / "kinematic_analysis.json").read_text())


def random_matrix(seed):
    """Rank r, m rows of which m - r repeat others, sometimes a zero row; singular values from 0.05 to 1."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 9))
    m = int(rng.integers(1, 9))
    r = int(rng.integers(0, min(m, n) + 1))
    U, V = np.linalg.qr(rng.standard_normal((m, m)))[0], np.linalg.qr(rng.standard_normal((n, n)))[0]
    A = U[:, :r] * rng.uniform(0.05, 1.0, r) @ V[:, :r].T
    if rng.random() < 0.5:
        A = np.insert(A, int(rng.integers(0, m + 1)), 0.0, axis=0)
    return A * 10.0 ** rng.uniform(-3, 3), r, rng


@settings(max_examples=150, deadline=None, derandomize=True)
@given(st.integers(0, 10**6), st.sampled_from(METHODS))
def test_the_contract(seed, method):
    A, r, rng = random_matrix(seed)
    sub = allowable_motions(A, method)
    scale = np.abs(A).max(initial=0.0) or 1.0
    assert sub.freedoms == A.shape[1] - r
    np.testing.assert_allclose(A @ sub.R / scale, 0.0, atol=ROUND_OFF)
    np.testing.assert_allclose(sub.B @ sub.R, np.eye(sub.freedoms), atol=ROUND_OFF)
    np.testing.assert_allclose(sub.B @ sub.S * scale, 0.0, atol=ROUND_OFF)
    b = A @ rng.standard_normal(A.shape[1])
    np.testing.assert_allclose(A @ sub.S @ b / scale, b / scale, atol=ROUND_OFF)
    if r == A.shape[0]:
        np.testing.assert_allclose(A @ sub.S, np.eye(r), atol=ROUND_OFF)


@settings(max_examples=100, deadline=None, derandomize=True)
@given(st.integers(0, 10**6))
def test_all_ways_span_the_same_space(seed):
    A, _, _ = random_matrix(seed)
    projections = [Q @ Q.T for Q in (np.linalg.qr(allowable_motions(A, way).R)[0] for way in METHODS)]
    for P in projections[1:]:
        np.testing.assert_allclose(P, projections[0], atol=ROUND_OFF)


@settings(max_examples=60, deadline=None, derandomize=True)
@given(st.integers(0, 10**6), st.sampled_from(METHODS))
def test_every_solution_is_particular_plus_allowable(seed, method):
    """(1): qdot = S b + R zdot with zdot = B qdot, for any qdot."""
    A, _, rng = random_matrix(seed)
    sub = allowable_motions(A, method)
    qdot = rng.standard_normal(A.shape[1])
    again = particular(A, sub, A @ qdot) + sub.R @ (sub.B @ qdot)
    np.testing.assert_allclose(again, qdot, atol=1e-7)


@pytest.mark.parametrize("method", METHODS)
def test_contradicting_drivers_are_refused(method):
    A = np.array([[1.0, 0, 0], [1.0, 0, 0]])
    sub = allowable_motions(A, method)
    np.testing.assert_allclose(particular(A, sub, np.array([2.0, 2.0])), [2, 0, 0], atol=1e-12)
    with pytest.raises(SingularityError, match="contradict each other: equation [12] is missed by"):
        particular(A, sub, np.array([2.0, 2.1]))


# -- four-bar in the coordinates of its two moving points -------------------------------------------------------------

A_POINT, B_POINT = np.zeros(2), np.array([3.0, 0.0])


def jacobian(q, driven=False):
    """Of the squared lengths of crank, coupler, rocker and, if driven, of the cylinder from B to point 1."""
    p1, p2, o = q[:2], q[2:], np.zeros(2)
    rows = [(p1 - A_POINT, o), (p1 - p2, p2 - p1), (o, p2 - B_POINT)] + [(p1 - B_POINT, o)] * driven
    return 2.0 * np.array([np.concatenate(row) for row in rows])


@pytest.mark.parametrize("method", METHODS)
def test_null_vector_of_the_four_bar(golden, method):
    """Example 3.10."""
    g = golden["ex3_10"]
    R = allowable_motions(jacobian(np.array(g["q"])), method).R[:, 0]
    r = np.array(g["r_correct"])
    np.testing.assert_allclose(R / np.linalg.norm(R) * np.sign(R @ r), r / np.linalg.norm(r), atol=TOLERANCE)


@pytest.mark.parametrize("method", METHODS)
def test_null_vectors_of_the_robot_arm(golden, method):
    """Example 3.11: the four-bar without its rocker; motions with unit rate of x2 and of y2."""
    phi_q = jacobian(np.array(golden["ex3_10"]["q"]))[:2]
    R = allowable_motions(phi_q, method).R
    r = R @ np.linalg.inv(R[2:])
    np.testing.assert_allclose(r.T, [golden["ex3_11"]["r1_correct"], golden["ex3_11"]["r2"]], atol=TOLERANCE)


@pytest.mark.parametrize("method", ["svd", "qr", "lu"])
def test_condition_and_acceleration_of_the_four_bar(golden, method):
    q, qd = np.array(golden["ex3_10"]["q"]), np.array(golden["fourbar_phidot1"]["qd"])
    phi_q, c = jacobian(q), -(jacobian(q + qd) - jacobian(q)) @ qd
    sub = allowable_motions(phi_q, method)
    assert np.linalg.cond(np.vstack([phi_q, sub.B])) == pytest.approx(
        golden["R_methods_fourbar"][method]["cond"], rel=1e-9
    )
    np.testing.assert_allclose(particular(phi_q, sub, c), golden["acc"][method], atol=TOLERANCE)


@pytest.mark.parametrize("method", METHODS)
def test_driven_four_bar(golden, method):
    """Example 3.12: all freedoms driven; R has no column, S b and S c are the motion."""
    for row in golden["ex3_12"]["rows"]:
        t, q, qd = row["t"], np.array(row["q"]), np.array(row["qd"])
        f, fd, fdd = np.sqrt(7.0) + 0.1 * np.sin(2 * t), 0.2 * np.cos(2 * t), -0.4 * np.sin(2 * t)
        phi_q = jacobian(q, driven=True)
        sub = allowable_motions(phi_q, method)
        assert sub.freedoms == 0
        b = np.array([0, 0, 0, 2 * f * fd])
        c = np.array([0, 0, 0, 2 * fd**2 + 2 * f * fdd]) - (jacobian(q + qd, True) - phi_q) @ qd
        np.testing.assert_allclose(particular(phi_q, sub, b), qd, atol=TOLERANCE)
        np.testing.assert_allclose(particular(phi_q, sub, c), row["qdd"], atol=TOLERANCE)


@pytest.mark.parametrize("method", METHODS)
def test_spherical_four_bar_has_rank_11_of_17_equations(golden, method):
    """Example 3.9."""
    g = golden["ex3_9"]
    x = np.array(g["x"])
    arcs = np.deg2rad(g["arcs_deg"])
    u_A, u_B = np.array([0.0, 0, 1]), np.array([np.sin(arcs[3]), 0, np.cos(arcs[3])])
    phi_q = spherical_jacobian(x, u_A, g["radii"][0] * u_A, u_B, g["radii"][3] * u_B)
    np.testing.assert_allclose(np.linalg.svd(phi_q, compute_uv=False), g["sv"], atol=TOLERANCE)
    assert phi_q.shape == (17, 12)
    sub = allowable_motions(phi_q, method)
    assert phi_q.shape[1] - sub.freedoms == g["rank"]
    np.testing.assert_allclose(phi_q @ sub.R, 0.0, atol=1e-10)


def spherical_jacobian(x, u_A, r_A, u_B, r_B):
    """The 17 rows of example 3.9 over r1, r2, u1, u2."""
    r1, r2, u1, u2 = x.reshape(4, 3)
    o, one, zero = np.zeros(3), np.eye(3), np.zeros((3, 3))

    def along(u, v, w):  # coefficients of u = k v + l w
        return np.linalg.lstsq(np.stack([v, w], axis=1), u, rcond=None)[0]

    k4, k5 = along(u1, u_A, r1 - r_A)
    k6, k7 = along(u2, u1, r2 - r1)
    k8, k9 = along(u2, u_B, r2 - r_B)
    single = [
        [o, o, 2 * u1, o], [o, o, o, 2 * u2],
        [2 * (r1 - r_A), o, o, o], [2 * (r1 - r2), 2 * (r2 - r1), o, o], [o, 2 * (r2 - r_B), o, o],
        [u_A, o, o, o], [-u1, u1, r2 - r1, o], [o, u_B, o, o],
    ]  # fmt: skip
    blocks = [[-k5 * one, zero, one, zero], [k7 * one, -k7 * one, -k6 * one, one], [zero, -k9 * one, zero, one]]
    return np.vstack([*(np.concatenate(row) for row in single), *(np.hstack(block) for block in blocks)])
