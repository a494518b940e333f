import numpy as np
import pytest
from helpers import Solved, five_point, random_mechanism

from precompute.errors import PrecomputeError
from precompute.geometry.spatial import point_velocity, seen_at
from precompute.kinematics.inertia import (
    effective_inertias,
    quadratic_coefficients,
    quadratic_coefficients_newton_euler,
    reduced_inertia,
    reduced_inertia_derivatives,
    spatial_inertias,
)

STEP = 1e-3


def solvable(seed):
    try:
        return Solved(random_mechanism(seed)).dof > 0
    except PrecomputeError:  # drawn near a singularity, or without any scalar joint
        return False


SEEDS = [seed for seed in range(60) if solvable(seed)][:50]


def inertia_at(s, q):
    P, _, _, W, dW = s.velocities(q)
    M_b = spatial_inertias(s.closure.mechanism, s.closure.topology, P)
    return reduced_inertia(M_b, W), reduced_inertia_derivatives(M_b, W, dW), M_b, W, dW, P


def test_fifty_random_mechanisms_are_looked_at():
    assert len(SEEDS) == 50


@pytest.mark.parametrize("seed", SEEDS)
def test_M_is_symmetric_positive(seed):
    s = Solved(random_mechanism(seed))
    M = inertia_at(s, s.q[None])[0][0]
    np.testing.assert_allclose(M, M.T, atol=1e-12 * np.abs(M).max())
    assert np.linalg.eigvalsh(M[6:, 6:])[0] > 0.0
    assert np.linalg.eigvalsh(M)[0] > -1e-12 * np.abs(M).max()


@pytest.mark.parametrize("seed", SEEDS)
def test_dM_agrees_with_differences(seed):
    s = Solved(random_mechanism(seed))
    dM = inertia_at(s, s.q[None])[1][0]
    for j, around in enumerate(s.stencil(STEP)):
        difference = five_point(inertia_at(s, around)[0], STEP)
        assert np.abs(difference - dM[..., j]).max() < 2e-5 * max(1.0, np.abs(dM).max())


@pytest.mark.parametrize("seed", SEEDS[:10])
def test_J_is_the_same_about_any_point_at_rest(seed):
    s, point = Solved(random_mechanism(seed)), np.array([0.3, -1.2, 0.7])
    M, dM, _, W, dW, P = inertia_at(s, s.q[None])
    M_b = spatial_inertias(s.closure.mechanism, s.closure.topology, P, point)
    W, dW = seen_at(W, point), seen_at(dW, point)
    J, dJ = reduced_inertia(M_b, W)[:, 6:, 6:], reduced_inertia_derivatives(M_b, W, dW)[:, 6:, 6:]
    np.testing.assert_allclose(J, M[:, 6:, 6:], atol=1e-12 * np.abs(M).max())
    np.testing.assert_allclose(dJ, dM[:, 6:, 6:], atol=1e-12 * max(np.abs(dM).max(), np.abs(M).max()))


@pytest.mark.parametrize("seed", SEEDS)
def test_quadratic_terms_by_christoffel_and_by_newton_euler(seed):
    """Two derivations: from derivatives of J, and from the inertia forces on the bodies."""
    s = Solved(random_mechanism(seed))
    _, dM, M_b, W, dW, _ = inertia_at(s, s.q[None])
    christoffel = quadratic_coefficients(dM[:, 6:, 6:, :])
    newton_euler = quadratic_coefficients_newton_euler(M_b, W, dW)
    np.testing.assert_allclose(newton_euler, christoffel, atol=1e-10 * max(1.0, np.abs(christoffel).max()))


@pytest.mark.parametrize("seed", SEEDS)
def test_quadratic_terms_do_the_work_that_changes_the_energy(seed):
    """With J zdd = 1/2 Q zd zd the kinetic energy is constant: 1/2 zd.dJ.zd + zd.J zdd = 0."""
    s = Solved(random_mechanism(seed))
    M, dM = (a[0] for a in inertia_at(s, s.q[None])[:2])
    J, dJ = M[6:, 6:], dM[6:, 6:]
    zd = np.linspace(0.7, -1.3, s.dof)
    inertia_force = 0.5 * np.einsum("kij,i,j", quadratic_coefficients(dJ), zd, zd)
    power = 0.5 * np.einsum("ijk,i,j,k", dJ, zd, zd, zd) + zd @ inertia_force
    assert abs(power) < 1e-10 * max(1.0, np.abs(dJ).max())
    assert np.isfinite(np.linalg.solve(J, inertia_force)).all()


@pytest.mark.parametrize("seed", SEEDS)
def test_energy_equals_the_sum_over_bodies(seed):
    s = Solved(random_mechanism(seed))
    M, _, _, W, _, P = inertia_at(s, s.q[None])
    zd = np.linspace(1.0, -0.5, s.dof)
    energy = 0.0
    for i, body in enumerate(s.closure.mechanism.bodies):
        X, w = P.X[i + 1], W[0, i + 1] @ zd
        v = point_velocity(W[:, i + 1], X.point(body.com))[0] @ zd
        R = X.R[0]
        inertia = effective_inertias(s.closure.mechanism, s.closure.topology)[i]
        energy += 0.5 * body.mass * v @ v + 0.5 * w[:3] @ R @ inertia @ R.T @ w[:3]
    assert energy == pytest.approx(0.5 * zd @ M[0, 6:, 6:] @ zd, rel=1e-12)


@pytest.mark.parametrize("seed", SEEDS)
def test_chassis_block_holds_mass_and_first_moment(seed):
    s = Solved(random_mechanism(seed))
    M, _, _, W, _, P = inertia_at(s, s.q[None])
    bodies = s.closure.mechanism.bodies
    np.testing.assert_allclose(M[0, 3:6, 3:6], sum(b.mass for b in bodies) * np.eye(3), rtol=1e-12)
    velocities = [b.mass * point_velocity(W[:, i + 1], P.X[i + 1].point(b.com))[0] for i, b in enumerate(bodies)]
    np.testing.assert_allclose(M[0, 3:6, 6:], sum(velocities), atol=1e-12 * np.abs(M).max())
