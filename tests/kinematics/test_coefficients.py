"""B and dB of random closed-loop mechanisms against finite differences, and the identities they must satisfy."""

import numpy as np
import pytest
from helpers import MECHANISMS, ROOT, Solved, five_point, random_mechanism
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from precompute.errors import PrecomputeError
from precompute.geometry.spatial import skew
from precompute.kinematics.coefficients import (
    Closure,
    Factor,
    Triangular,
    coefficient_derivatives,
    condition_numbers,
    factorize,
    solver,
    velocity_coefficients,
)
from precompute.kinematics.poses import ball_slices, design_configuration, velocities
from precompute.kinematics.topology import spanning_tree
from precompute.mechanism_file import load

STEP = 1e-3
FIVE_POINT_ERROR = 5e-6  # relative; truncation h^4 of the steepest mechanisms drawn
CONDITION = 200.0  # steeper ones are left to the identities: their differences say nothing


def solved(seed):
    try:
        return Solved(random_mechanism(seed))
    except PrecomputeError:  # drawn near a singularity, or without any scalar joint: about one in a hundred
        assume(False)


@given(st.integers(0, 10_000))
@settings(max_examples=80, deadline=None)
def test_B_lies_in_the_null_space_and_has_unit_coordinates(seed):
    s = solved(seed)
    P, B, _, _, _ = s.velocities(s.q[None])
    product = (s.closure.matrix(P) @ B)[0]
    nz = s.dof
    np.testing.assert_allclose(product[:-nz], 0.0, atol=1e-12 * max(1.0, np.abs(B).max()))
    np.testing.assert_allclose(product[-nz:], np.diag(s.closure.coordinate_weight), atol=1e-12)


@given(st.integers(0, 10_000))
@settings(max_examples=60, deadline=None)
def test_B_and_dB_agree_with_differences(seed):
    s = solved(seed)
    P, B, dB, W, dW = s.velocities(s.q[None])
    assume(np.abs(W).max() < CONDITION and np.abs(dW).max() < CONDITION**1.5)
    around = s.stencil(STEP)
    scale_W, scale_dW = max(1.0, np.abs(W).max()), max(1.0, np.abs(dW).max())
    for j in range(s.dof):
        P_j, _, _, W_j, _ = s.velocities(around[j])
        for b, X in enumerate(P_j.X):
            w, v = W[0, b, :3, j], W[0, b, 3:, j]
            turned = skew(w) @ P.X[b].R[0]
            assert np.abs(five_point(X.R, STEP) - turned).max() < FIVE_POINT_ERROR * scale_W
            assert np.abs(five_point(X.p, STEP) - v - np.cross(w, P.X[b].p[0])).max() < FIVE_POINT_ERROR * scale_W
        assert np.abs(five_point(W_j, STEP) - dW[0, ..., j]).max() < 10 * FIVE_POINT_ERROR * scale_dW


@given(st.integers(0, 10_000))
@settings(max_examples=80, deadline=None)
def test_mixed_derivatives_differ_by_the_bracket_alone(seed):
    """Coordinates commute: d_j W_i - d_i W_j = W_j x W_i for bodies, and the same within each ball."""
    s = solved(seed)
    _, B, dB, W, dW = s.velocities(s.q[None])
    W, dW, scale = W[0], dW[0], max(1.0, np.abs(dW).max())
    bracket = np.cross(W[:, :3, None, :], W[:, :3, :, None], axis=1)  # w_j x w_i
    np.testing.assert_allclose(dW[:, :3] - np.swapaxes(dW[:, :3], -1, -2), bracket, atol=1e-11 * scale)
    scalar = np.ones(s.closure.topology.nv, dtype=bool)
    for own, _ in ball_slices(s.closure.mechanism, s.closure.topology):
        scalar[own] = False
        ball, d = B[0, own], dB[0, own]
        crossed = np.cross(ball[:, None, :], ball[:, :, None], axis=0)
        np.testing.assert_allclose(d - np.swapaxes(d, -1, -2), crossed, atol=1e-11 * max(1.0, np.abs(dB).max()))
    symmetric = dB[0, scalar]
    np.testing.assert_allclose(symmetric, np.swapaxes(symmetric, -1, -2), atol=1e-11 * max(1.0, np.abs(dB).max()))


@pytest.mark.parametrize("seed", range(5))
def test_loops_carry_no_net_velocity(seed):
    s = Solved(random_mechanism(seed))
    P, B, _, _, _ = s.velocities(s.q[None])
    around = velocities(s.closure.topology.loop_reach, P.S, B)
    np.testing.assert_allclose(around, 0.0, atol=1e-12 * max(1.0, np.abs(B).max()))


def test_qr_solves_as_the_singular_values_do():
    """Where A has full rank both give the same; where it has not, `solver` takes the singular values."""
    rng = np.random.default_rng(8)
    mechanism = load(MECHANISMS / "four_bar.toml")
    closure = Closure(mechanism, spanning_tree(mechanism), (mechanism.coordinates[0].of,))
    A = closure.matrix(closure.poses(design_configuration(mechanism, closure.topology)[None]))
    rhs = rng.standard_normal((1, A.shape[1], 3))
    fast, safe = solver(closure, A), factorize(closure, A)
    assert isinstance(fast, Triangular) and fast.equations == safe.equations == A.shape[1]
    np.testing.assert_allclose(fast.solve(rhs), safe.solve(rhs), rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(condition_numbers(closure, A), safe.condition, rtol=1e-12)
    lost = A.copy()
    lost[..., 0] = 0.0
    assert isinstance(solver(closure, np.concatenate([A, lost])), Factor)
    few = solver(closure, A[:, :2])
    assert isinstance(few, Factor) and np.isinf(condition_numbers(closure, A[:, :2])).all()


def test_stiff_rates_are_given_and_not_factored(monkeypatch):
    """Locked or independent, they have rows of their own: what is factored is as narrow as without them."""
    mechanism = load(ROOT / "tests" / "mechanisms" / "suspension_stiff.toml")
    topology = spanning_tree(mechanism)
    free = tuple(c.of for c in mechanism.coordinates)
    locked = Closure(mechanism, topology, free)
    full = Closure(mechanism, topology.unlocked(), (*free, *mechanism.stiff_coordinates))
    q = design_configuration(mechanism, topology)[None]
    widths = []
    qr = np.linalg.qr
    monkeypatch.setattr(np.linalg, "qr", lambda A: widths.append(A.shape[-1]) or qr(A))
    for closure in (locked, full):
        A = closure.matrix(closure.poses(q))
        fast, safe = solver(closure, A), factorize(closure, A)
        np.testing.assert_allclose(fast.inverse @ A, np.eye(topology.nv)[None], atol=1e-12)
        np.testing.assert_allclose(safe.inverse @ A, np.eye(topology.nv)[None], atol=1e-12)
        ours, theirs = (velocity_coefficients(closure, factor) for factor in (fast, safe))
        np.testing.assert_allclose(ours, theirs, atol=1e-12)
    assert mechanism.stiff_coordinates and widths == [topology.nv - len(mechanism.stiff_coordinates)] * 2


@pytest.mark.parametrize("seed", range(6))
def test_derivatives_along_some_coordinates_are_those_along_all(seed):
    s = Solved(random_mechanism(seed))
    P = s.closure.poses(s.q[None])
    factor = factorize(s.closure, s.closure.matrix(P))
    B = velocity_coefficients(s.closure, factor)
    whole = coefficient_derivatives(s.closure, P, factor, B)
    for along in ([], [s.dof - 1], list(range(s.dof))[::-1]):
        dB, W, dW = coefficient_derivatives(s.closure, P, factor, B, along)
        np.testing.assert_array_equal(W, whole[1])
        scale = max(1.0, np.abs(whole[2]).max())
        np.testing.assert_allclose(dB, whole[0][..., along], atol=1e-13 * scale)
        np.testing.assert_allclose(dW, whole[2][..., along], atol=1e-13 * scale)
