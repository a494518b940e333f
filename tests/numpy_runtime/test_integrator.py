from dataclasses import replace

import numpy as np
import pytest
from helpers_model import crank_slider, defaults, double_pendulum, no_inputs, start_state

from fmu_src.errors import StepError, TableRangeError
from fmu_src.numpy_runtime.dynamics import prepare
from fmu_src.numpy_runtime.state import State
from fmu_src.numpy_runtime.steps.integrator import advance, substeps
from fmu_src.numpy_runtime.steps.runge_kutta import MIDPOINT, RK4, rk_step


def test_the_tableau_meets_the_conditions_of_order_four():
    s = len(RK4.b)
    a = np.array([[*row, *[0.0] * (s - len(row))] for row in RK4.a])
    b, c = np.array(RK4.b), a.sum(axis=1)
    assert b.sum() == pytest.approx(1)
    assert b @ c == pytest.approx(1 / 2)
    assert b @ c**2 == pytest.approx(1 / 3) and b @ a @ c == pytest.approx(1 / 6)
    assert b @ c**3 == pytest.approx(1 / 4) and (b * c) @ a @ c == pytest.approx(1 / 8)
    assert b @ a @ c**2 == pytest.approx(1 / 12) and b @ a @ a @ c == pytest.approx(1 / 24)


def test_the_midpoint_rule_is_of_order_two():
    model = replace(double_pendulum(), method="midpoint")
    runtime, p, u, start = prepare(model), defaults(model), no_inputs(model), start_state(model)
    exact = advance(prepare(double_pendulum()), start, 0.2, p, u, 1e-4).numbers()
    errors = [np.abs(np.subtract(advance(runtime, start, 0.2, p, u, h).numbers(), exact)).max() for h in (4e-3, 2e-3)]
    assert np.array(MIDPOINT.b) @ [sum(row) for row in MIDPOINT.a] == 1 / 2
    assert np.log2(errors[0] / errors[1]) == pytest.approx(2.0, abs=0.1)


def test_one_step_of_the_exponential():
    y = rk_step(lambda _, x: x, np.array([1.0]), 0.1)
    assert y[0] == pytest.approx(sum(0.1**k / np.prod(range(1, k + 1)) for k in range(5)), abs=1e-15)


@pytest.mark.parametrize(
    ("step", "longest", "count"), [(1e-3, 1e-3, 1), (0.003, 0.001, 3), (0.1, 0.03, 4), (1e-4, 1e-3, 1), (0.3, 0.1, 3)]
)
def test_substeps(step, longest, count):
    assert substeps(step, longest) == count


@pytest.mark.parametrize("step", [0.0, -1e-3, np.nan, np.inf])
def test_bad_step_sizes_are_refused(step):
    with pytest.raises(StepError, match="communication step"):
        substeps(step, 1e-3)
    with pytest.raises(StepError, match=r"'solver.step'"):
        substeps(1e-3, step)


def test_absurdly_many_substeps_are_refused():
    with pytest.raises(StepError, match=r"enlarge 'solver.step'"):
        substeps(1.0, 1e-9)


def test_a_long_step_equals_its_substeps():
    model = crank_slider()
    runtime, p, u = prepare(model), defaults(model), no_inputs(model)
    state = start_state(model)
    once = advance(runtime, state, 0.01, p, u, 0.002)
    for _ in range(5):
        state = advance(runtime, state, 0.002, p, u, 0.002)
    np.testing.assert_allclose(once.numbers(), state.numbers(), rtol=0, atol=1e-14)


def test_the_state_that_is_given_is_not_changed():
    model = crank_slider()
    state = start_state(model)
    before = state.numbers()
    advance(prepare(model), state, 0.01, defaults(model), no_inputs(model), 0.002)
    np.testing.assert_array_equal(state.numbers(), before)


def test_divergence_says_when_what_and_what_to_do():
    model = crank_slider()
    parameters = defaults(model)
    parameters[5] = 1e9  # far too stiff for the step
    with pytest.raises(StepError, match=r"t = .* s and .* s: the motion diverged: .*'theta'.*solver\.step"):
        advance(prepare(model), start_state(model), 10.0, parameters, no_inputs(model), 0.01)


def test_leaving_the_table_says_when():
    model = double_pendulum()
    state = State(7.0, 0, 0, np.array([1.5, 0.0]), np.array([30.0, 0.0]))
    with pytest.raises(TableRangeError, match=r"between t = 7.* s: coordinate 'alpha' = 1\.6"):
        advance(prepare(model), state, 0.1, defaults(model), no_inputs(model), 0.001)
