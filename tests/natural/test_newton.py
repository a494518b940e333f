"""Ways to solve the position problem, with what each of them costs in factorizations."""

import numpy as np
import pytest
from helpers_linkages import four_bar, six_r_robot, turning

import precompute.natural.newton as newton_module
import precompute.natural.tangent as tangent_module
from precompute.natural.newton import TOLERANCE, Method, follow, solve
from precompute.natural.tangent import DrivenSystem, factored

START = np.array([0.5, np.sqrt(0.75), 2.7367945446743276, 1.982605076228447])

WRIST, TIP, TOOL_AXIS = (6, 7, 8), (9, 10, 11), (18, 19, 20)
STEPS = 1000
HALF_WIDTH, HALF_HEIGHT = 0.25, 0.12
"""Of the ellipse [m], which stands across the plane that the robot starts in and begins at its top."""


@pytest.fixture
def made(monkeypatch):
    """Counts the factors that are really made."""
    count = []

    def counted(matrices):
        count.append(len(matrices))
        return factored(matrices)

    monkeypatch.setattr(newton_module, "factored", counted)
    monkeypatch.setattr(tangent_module, "factored", counted)
    return count


def robot_on_an_ellipse():
    """The robot, driven by its tool, which does not turn: nine given coordinates (STEPS, 9), of rank six."""
    system, x = six_r_robot()
    driven = DrivenSystem(system, (*WRIST, *TIP, *TOOL_AXIS))
    around = np.linspace(0.0, 2 * np.pi, STEPS + 1)[1:]
    moved = np.stack([0.0 * around, HALF_WIDTH * np.sin(around), HALF_HEIGHT * (np.cos(around) - 1.0)], axis=1)
    given = np.tile(x[list(driven.given)], (STEPS, 1)) + np.concatenate([moved, moved, 0.0 * moved], axis=1)
    return driven, x, given


def test_the_robot_has_21_coordinates_15_rows_and_6_freedoms():
    system, x = six_r_robot()
    assert system.jacobian(x).shape == (15, 21)
    assert np.abs(system.value(x)).max() == 0.0
    assert factored(system.jacobian(x)[None]).rank[0] == 15


@pytest.mark.parametrize("method", Method)
def test_the_robot_follows_the_ellipse_and_closes(method):
    driven, x, given = robot_on_an_ellipse()
    path = follow(driven, x, given, method)
    assert len(path.x) == STEPS and path.residual.max() <= TOLERANCE
    assert np.abs(path.x[-1] - x).max() < 1e-9
    assert np.ptp(path.x[:, TIP[1]]) == pytest.approx(2 * HALF_WIDTH, rel=1e-4)
    assert np.ptp(path.x[:, 1]) > 0.05  # the shoulder turns with it


def test_what_the_ellipse_costs(made):
    """Table 3.1 in counts: a factor per iteration; one per step, more iterations; one per step, fewer than those."""
    driven, x, given = robot_on_an_ellipse()
    counts = {}
    for method in Method:
        made.clear()
        path = follow(driven, x, given, method)
        assert path.factorizations.sum() == sum(made)
        counts[method] = path.iterations.sum(), path.factorizations.sum()
    newton, modified, predicted = (counts[method] for method in Method)
    assert newton[1] == newton[0]
    assert modified[1] == STEPS and modified[0] > newton[0]
    assert predicted[1] == STEPS and predicted[0] < modified[0]
    assert modified[1] < newton[1]


def test_places_that_are_solved_at_once_are_those_solved_one_by_one(made):
    system, x = four_bar((1.0, 2.5, 2.0), 3.0, START)
    driven = DrivenSystem(system, (4, 5))
    starts = driven.with_given(np.tile(x, (5, 1)), turning(1.0 + 0.1 * np.arange(5))[0])
    together = solve(driven, starts)
    assert sum(made) == together.factorizations.sum()
    assert len(made) == together.iterations.max()
    for k, start in enumerate(starts):
        alone = solve(driven, start[None])
        assert np.abs(alone.x[0] - together.x[k]).max() < 1e-15
        assert alone.iterations[0] == together.iterations[k]


def test_a_place_that_is_solved_already_costs_nothing(made):
    system, x = four_bar((1.0, 2.5, 2.0), 3.0, START)
    solved = solve(DrivenSystem(system, (4, 5)), x[None])
    assert not made and solved.iterations[0] == 0


@pytest.mark.parametrize("method", Method)
def test_a_path_out_of_reach_ends_where_it_cannot_go_on(method):
    """Links 1, 0.5, 2 on a base of 3: the crank reaches 51.3178 deg on either side."""
    reach = np.degrees(np.arccos((1.0 + 9.0 - 2.5**2) / 6.0))
    assert reach == pytest.approx(51.3178, abs=1e-4)
    first = np.array([1.0, 0.0])
    along = (4.0 + 0.25 - 4.0) / 4.0  # of point 2, seen from 1 towards B
    start = np.array([*first, 1.0 + along, np.sqrt(0.25 - along**2)])
    system, x = four_bar((1.0, 0.5, 2.0), 3.0, start)
    angles = np.radians(np.arange(0.0, 60.0, 1.0))
    path = follow(DrivenSystem(system, (4, 5)), x, turning(angles)[0], method)
    assert len(path.x) == 53  # 0 to 51 deg, and 52 deg, which it cannot reach
    assert path.residual[:-1].max() <= TOLERANCE < path.residual[-1]
    assert np.isfinite(path.x).all()


def test_redundant_rows_that_disagree_a_little_end_in_least_squares():
    """Data are rounded; the residual tells by how much, and the iteration does not run on."""
    system, x = four_bar((1.0, 2.5, 2.0), 3.0, START)
    driven = DrivenSystem(system, (4, 5))
    given = turning(np.array([1.05]))[0] * (1.0 + 1e-10)
    found = solve(driven, driven.with_given(x[None], given))
    assert 1e-12 < found.residual[0] < 1e-9
    assert found.iterations[0] < 8
