"""Every way to the allowable motions keeps one contract; numbers of Garcia de Jalon and Bayo, chapter 3."""

import json

import numpy as np
import pytest
from helpers import GOLDEN
from hypothesis import given, settings
from hypothesis import strategies as st

from precompute.errors import SingularityError
from precompute.kinematics.subspace import (
    METHODS,
    Subspace,
    allowable_motions,
    gram_schmidt_pivots,
    gram_schmidt_rate,
    particular,
    stacked,
)

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


# -- along a motion ---------------------------------------------------------------------------------------------------


def four_bar(angle, golden):
    """q at a crank angle [rad]: point 2 where the circles about point 1 and about B meet, the upper one."""
    g = golden["ex3_10"]
    p1 = g["L2"] * np.array([np.cos(angle), np.sin(angle)])
    way = B_POINT - p1
    d = np.linalg.norm(way)
    along = (d**2 + g["L3"] ** 2 - g["L4"] ** 2) / (2 * d)
    across = np.sqrt(g["L3"] ** 2 - along**2)
    e = way / d
    return np.concatenate([p1, p1 + along * e + across * np.array([-e[1], e[0]])])


def complex_basis(phi_q, rows, free):
    """R of gram_schmidt by (3.49), (3.50), with products that are analytic, for complex steps."""
    V = []
    for p in stacked(phi_q, rows, free):
        w = p - sum((v @ p) * v for v in V) if V else p
        V.append(w / np.sqrt(w @ w))
    return np.array(V[len(rows) :]).T


@settings(max_examples=60, deadline=None, derandomize=True)
@given(st.integers(0, 10**6))
def test_rate_of_the_gram_schmidt_basis_is_that_of_complex_steps(seed):
    """A motion q(t) = (cos, sin and products) under rows that are quadratic: the Jacobian moves and its rank stays."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 8))
    m = int(rng.integers(1, n))
    A, dA = rng.standard_normal((2, m, n))
    A, dA = np.vstack([A, 2 * A[0]]), np.vstack([dA, 2 * dA[0]])  # a row that repeats another
    rows, free = gram_schmidt_pivots(A, 1e-9)
    step = 1e-30
    expected = complex_basis(A + 1j * step * dA, rows, free).imag / step
    rate = gram_schmidt_rate(A, dA)
    np.testing.assert_allclose(rate, expected, atol=1e-9 * max(1.0, np.abs(expected).max(initial=0.0)))
    R = allowable_motions(A, "gram_schmidt").R
    np.testing.assert_allclose(A @ rate + dA @ R, 0.0, atol=1e-9 * max(1.0, np.abs(rate).max(initial=0.0)))
    np.testing.assert_allclose(R.T @ rate + rate.T @ R, 0.0, atol=1e-9 * max(1.0, np.abs(rate).max(initial=0.0)))


@pytest.mark.parametrize("angle", np.deg2rad([10.0, 60.0, 130.0, 200.0, 330.0]))
def test_rate_along_the_motion_of_the_four_bar(golden, angle):
    """Against central differences of the basis at configurations that are closed anew, with one Richardson step."""
    q = four_bar(angle, golden)
    R = allowable_motions(jacobian(q), "gram_schmidt").R

    def central(h):
        ends = [allowable_motions(jacobian(four_bar(angle + side * h, golden)), "gram_schmidt").R for side in (1, -1)]
        return (ends[0] - ends[1]) / (2 * h)

    qd = R[:, 0] * (np.array([-np.sin(angle), np.cos(angle)]) @ R[:2, 0]) / (R[:2, 0] @ R[:2, 0])  # unit crank rate
    rate = gram_schmidt_rate(jacobian(q), jacobian(q + qd) - jacobian(q))
    np.testing.assert_allclose(rate, (4 * central(5e-4) - central(1e-3)) / 3, atol=1e-9)


def test_rate_of_the_basis_gives_the_acceleration_of_the_four_bar(golden):
    """(3), with zdot = R^T qdot: what the given acceleration is made of."""
    q, qd, qdd = (np.array(x) for x in (golden["ex3_10"]["q"], *(golden["fourbar_phidot1"][k] for k in ("qd", "qdd"))))
    R = allowable_motions(jacobian(q), "gram_schmidt").R
    rate = gram_schmidt_rate(jacobian(q), jacobian(q + qd) - jacobian(q))
    zdd = R.T @ qdd + rate.T @ qd
    np.testing.assert_allclose(R @ zdd + rate @ (R.T @ qd), qdd, atol=TOLERANCE)


@pytest.fixture(scope="module")
def kept(golden):
    """The subspace at a crank angle of 0.3 rad, whose B is the unit null vector there."""
    return allowable_motions(jacobian(four_bar(golden["frozen_B"]["B_from_phi"], golden)), "svd")


def test_condition_of_a_kept_b_over_the_turn(golden, kept):
    g = golden["frozen_B"]
    degrees = np.arange(0.0, 360.0, 0.5)
    conditions = [kept.condition(jacobian(four_bar(np.deg2rad(d), golden))) for d in degrees]
    worst = int(np.argmax(conditions))
    assert degrees[worst] == g["at_deg"]
    assert conditions[worst] == pytest.approx(g["max_cond"], rel=1e-9)


@pytest.mark.parametrize("singular", [80.2539, 275.2050])
def test_where_a_kept_b_is_singular(golden, kept, singular):
    """The null vector is perpendicular to the kept one there: the determinant changes its sign."""

    def determinant(degrees):
        return np.linalg.det(np.vstack([jacobian(four_bar(np.deg2rad(degrees), golden)), kept.B]))

    assert determinant(singular - 5e-5) * determinant(singular + 5e-5) < 0.0


@pytest.mark.parametrize(("first", "last"), [(79.66, 80.85), (274.71, 275.70)])
def test_the_alarm_of_a_kept_b(golden, kept, first, last):
    """To the printed hundredth of a degree on all four sides, and nowhere else on the turn."""

    def alarmed(degrees):
        try:
            kept.reused(jacobian(four_bar(np.deg2rad(degrees), golden)))
        except SingularityError as error:
            assert "the condition is" in str(error)
            return True
        return False

    assert not alarmed(first - 0.01) and alarmed(first + 0.01)
    assert not alarmed(last + 0.01) and alarmed(last - 0.01)
    assert all(alarmed(d) for d in np.linspace(first + 0.01, last - 0.01, 21))
    quiet = [d for d in np.arange(0.0, 360.0, 0.5) if not (79.66 <= d <= 80.85 or 274.71 <= d <= 275.70)]
    assert not any(alarmed(d) for d in quiet)


@settings(max_examples=60, deadline=None, derandomize=True)
@given(st.integers(0, 10**6), st.sampled_from(METHODS))
def test_a_reused_subspace_keeps_the_contract_and_its_b(seed, method):
    A, r, rng = random_matrix(seed)
    before = allowable_motions(A, method)
    turned = np.linalg.qr(np.eye(A.shape[1]) + 0.2 * rng.standard_normal((A.shape[1],) * 2))[0]
    turned = turned * np.sign(np.diag(turned))
    new = A @ turned  # of the same rank
    if before.condition(new) > 1e7:
        return
    again = before.reused(new, alarm=1e7)
    scale = np.abs(A).max(initial=0.0) or 1.0
    size = np.abs(again.R).max(initial=1.0)
    assert again.B is before.B
    np.testing.assert_allclose(new @ again.R / scale, 0.0, atol=ROUND_OFF * size)
    np.testing.assert_allclose(again.B @ again.R, np.eye(again.freedoms), atol=ROUND_OFF * size)
    np.testing.assert_allclose(
        again.B @ again.S * scale, 0.0, atol=ROUND_OFF * np.abs(again.S * scale).max(initial=1.0)
    )


def test_a_b_is_not_reused_where_the_rank_is_higher():
    flat = allowable_motions(np.array([[1.0, 0, 0], [2.0, 0, 0]]))
    with pytest.raises(SingularityError, match="a higher rank here than where their 2 independent velocities"):
        flat.reused(np.array([[1.0, 0, 0], [0.0, 1.0, 0]]))


def test_without_rows_and_with_too_few_a_b_has_a_condition():
    everything = Subspace(np.eye(2), np.eye(2), np.zeros((2, 1)))
    assert everything.condition(np.zeros((1, 2))) == 1.0
    assert Subspace(np.zeros((2, 0)), np.zeros((0, 2)), np.zeros((2, 1))).condition(np.ones((1, 2))) == np.inf


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
