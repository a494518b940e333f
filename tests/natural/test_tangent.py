"""Velocity, acceleration, jerk and partial velocities against differences of the solved path, and ranks."""

import numpy as np
from helpers_linkages import four_bar, turning

from precompute.natural.newton import solve
from precompute.natural.tangent import DrivenSystem, allowable_motions, factored, tangent

CRANK = (4, 5)
START = np.array([0.5, np.sqrt(0.75), 2.7367945446743276, 1.982605076228447])


def four_bar_at(angles):
    """A crank-rocker with its crank at angles (n,), found one after the other."""
    system, x = four_bar((1.0, 2.5, 2.0), 3.0, START)
    driven = DrivenSystem(system, CRANK)
    found = []
    for given in turning(np.asarray(angles))[0]:
        x = solve(driven, driven.with_given(x, given)[None]).x[0]
        found.append(x)
    return driven, np.stack(found)


def test_rates_are_the_derivatives_of_the_path():
    """Central differences of fourth order over seven places: errors near 1e-16 / h^k + h^4."""
    phi, h = 1.1, 5e-3
    driven, path = four_bar_at(phi + h * np.arange(-3, 4))
    rates = tangent(driven, path[3:4]).rates(*(d[None] for d in turning(np.array(phi))[1:]))
    weights = {
        1: np.array([-1, 9, -45, 0, 45, -9, 1]) / 60 / h,
        2: np.array([2, -27, 270, -490, 270, -27, 2]) / 180 / h**2,
        3: np.array([1, -8, 13, 0, -13, 8, -1]) / 8 / h**3,
    }
    for derivative, got, tolerance in [
        (1, rates.velocity, 1e-12),
        (2, rates.acceleration, 1e-10),
        (3, rates.jerk, 1e-7),
    ]:
        assert np.abs(got[0] - weights[derivative] @ path).max() < tolerance


def test_the_jerk_is_the_derivative_of_the_acceleration():
    """To more digits than third differences of positions can have."""
    phi, h = 1.1, 1e-3
    driven, path = four_bar_at(phi + h * np.arange(-2, 3))
    given = turning(phi + h * np.arange(-2, 3))
    rates = tangent(driven, path).rates(*given[1:])
    difference = np.array([1, -8, 0, 8, -1]) / 12 / h
    assert np.abs(difference @ rates.velocity - rates.acceleration[2]).max() < 1e-11
    assert np.abs(difference @ rates.acceleration - rates.jerk[2]).max() < 1e-11


def test_one_factorization_serves_velocity_acceleration_jerk_and_partials(monkeypatch):
    import precompute.natural.tangent as module

    driven, path = four_bar_at([0.3, 0.9])
    count = []
    monkeypatch.setattr(module, "factored", lambda matrices: count.append(len(matrices)) or factored(matrices))
    here = tangent(driven, path)
    rates = here.rates(*turning(np.array([0.3, 0.9]))[1:])
    along = np.einsum("nxg,ng->nx", here.partials, turning(np.array([0.3, 0.9]))[1])
    assert count == [2]  # one call, for both places
    assert np.abs(along - rates.velocity).max() < 1e-14


def test_the_motions_that_rows_allow_are_a_basis():
    system, x = four_bar((1.0, 2.5, 2.0), 3.0, START)
    free = DrivenSystem(system, ())
    basis = allowable_motions(free, x)
    assert basis.shape == (6, 1)
    assert np.abs(system.jacobian(x) @ basis).max() < 1e-14
    assert np.abs(basis.T @ basis - np.eye(1)).max() < 1e-15


def test_redundant_rows_do_not_change_the_solution_and_deficient_ones_give_the_smallest():
    rng = np.random.default_rng(3)
    a = rng.normal(size=(2, 4, 3))
    y = rng.normal(size=(2, 3))
    twice = np.concatenate([a, a[:, :2]], axis=1)
    right = np.einsum("nmk,nk->nm", twice, y)
    assert np.abs(factored(twice).vector(right) - y).max() < 1e-13
    assert factored(twice).rank.tolist() == [3, 3]
    flat = a.copy()
    flat[:, :, 2] = flat[:, :, 1]
    smallest = factored(flat).vector(np.einsum("nmk,nk->nm", flat, y))
    assert factored(flat).rank.tolist() == [2, 2]
    assert np.abs(smallest[:, 1] - smallest[:, 2]).max() < 1e-13
    assert np.abs(smallest[:, 1] - (y[:, 1] + y[:, 2]) / 2).max() < 1e-13
