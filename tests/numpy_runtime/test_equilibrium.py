"""The search for an equilibrium over a list of unknowns, on forces whose equilibria are known."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fmu_src.numpy_runtime.equilibrium import Unknown, settle

OPEN = Unknown(0.25, -math.inf, math.inf)


class Counted:
    """A force that counts how often it is asked for."""

    def __init__(self, force):
        self.force, self.calls = force, 0

    def __call__(self, x):
        self.calls += 1
        return np.asarray(self.force(x), dtype=float)


def rod(x):
    """Torque on a rod that hangs, upright at pi, with a load across of a third of its weight."""
    return [-math.sin(x[0]) + math.cos(x[0]) / 3.0]


def stop(gap, k, x):
    """Force of two stops at +-gap."""
    return -k * (np.maximum(x - gap, 0.0) - np.maximum(-gap - x, 0.0))


def test_linear_forces_take_few_steps():
    K, x = np.array([[5.0, 1.0], [1.0, 3.0]]), np.array([0.1, -0.2])
    force = Counted(lambda z: K @ (x - z))
    rest = settle(force, np.zeros(2), [OPEN, OPEN])
    np.testing.assert_allclose(rest.x, x, rtol=1e-14)
    assert rest.found and rest.stable and force.calls <= 16


def test_a_step_goes_no_farther_than_the_reach():
    seen = []
    settle(lambda x: seen.append(x[0]) or np.array([3.0 - x[0]]), np.zeros(1), [Unknown(0.5, -math.inf, math.inf)])
    assert max(b - a for a, b in zip(seen[:-1], seen[1:], strict=True)) < 0.5 + 1e-5


@given(st.floats(-3.0, 3.0))
def test_the_way_leads_downhill_from_anywhere(start):
    rest = settle(Counted(rod), np.array([start]), [Unknown(math.pi / 2, -math.inf, math.inf)])
    assert rest.found and rest.stable
    assert rest.x[0] % (2.0 * math.pi) == pytest.approx(math.atan(1 / 3), abs=1e-14)


def test_on_the_top_it_stays_and_says_so():
    top = math.pi + math.atan(1 / 3)
    rest = settle(Counted(rod), np.array([top]), [OPEN])
    assert rest.found and not rest.stable and rest.x[0] == pytest.approx(top)


matrices = st.lists(st.floats(-1.0, 1.0), min_size=9, max_size=9).map(lambda a: np.reshape(a, (3, 3)))
vectors = st.lists(st.floats(-1.0, 1.0), min_size=3, max_size=3).map(np.array)


@given(matrices, vectors, vectors, st.floats(0.0, 0.3), st.sampled_from([1.0, 1e3, 1e6]))
def test_corners_of_stops_are_found_over(A, load, start, gap, k):
    """Three coupled unknowns between stops up to a million times as stiff as all else."""
    K = A @ A.T + 0.3 * np.eye(3)

    def force(x):
        return load - K @ x + stop(gap, k, x)

    rest = settle(force, start, [OPEN] * 3)
    assert rest.found and rest.stable
    assert np.abs(force(rest.x)).max() < 1e-13 * max(1.0, k)


def test_a_bound_in_the_way_is_named_with_its_force():
    rest = settle(lambda x: np.array([1.0 - x[0], 2.0 - x[1] - x[0]]), np.zeros(2), [OPEN, Unknown(0.1, -1.0, 0.4)])
    assert not rest.found and rest.held and rest.worst == 1
    assert rest.x == pytest.approx([1.0, 0.4]) and rest.force[1] == pytest.approx(0.6)


def test_a_bound_on_the_way_does_no_harm():
    """A full step leads out; the equilibrium is inside."""
    force = Counted(lambda x: [1.0 - np.expm1(8.0 * x[0]) / 50.0])
    rest = settle(force, np.zeros(1), [Unknown(2.0, 0.0, 0.6)])
    assert rest.found and rest.x[0] == pytest.approx(math.log(51.0) / 8.0)


def test_an_equilibrium_on_the_bound_is_one():
    rest = settle(lambda x: np.array([0.5 - x[0]]), np.zeros(1), [Unknown(0.1, 0.0, 0.5)])
    assert rest.found and rest.x[0] == pytest.approx(0.5)


def test_what_nothing_holds_stays_unless_something_pulls():
    unknowns = [OPEN, Unknown(0.25, -1.0, 1.0)]
    rest = settle(lambda x: np.array([1.0 - x[0], 0.0]), np.array([0.0, 0.3]), unknowns)
    assert rest.found and rest.stable and rest.x[1] == 0.3
    rest = settle(lambda x: np.array([1.0 - x[0], 1e-3]), np.array([0.0, 0.3]), unknowns)
    assert not rest.found and rest.held and rest.worst == 1 and rest.x[1] == 1.0


def test_a_search_that_does_not_end_says_so():
    rest = settle(lambda x: np.array([1.0]), np.zeros(1), [OPEN])
    assert not rest.found and not rest.held and rest.worst == 0 and rest.force[0] == 1.0


@pytest.mark.parametrize("border", [0.0, 1e-7, 0.7])
def test_forces_that_are_no_numbers_end_the_search(border):
    assert not settle(lambda x: np.array([math.nan if x[0] > border else 1.0]), np.zeros(1), [OPEN]).found


def test_forces_without_a_potential():
    """A moment that follows makes the stiffness skew."""
    K = np.array([[2.0, 3.0], [-3.0, 1.0]])
    rest = settle(lambda x: np.array([1.0, -0.5]) - K @ x, np.zeros(2), [OPEN, OPEN])
    assert rest.found and rest.stable
    np.testing.assert_allclose(rest.x, np.linalg.solve(K, [1.0, -0.5]), rtol=1e-14)


def test_no_unknowns_are_in_equilibrium():
    assert settle(lambda x: x, np.zeros(0), []).found
