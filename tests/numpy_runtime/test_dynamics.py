from dataclasses import replace

import numpy as np
import pytest
from helpers_model import (
    ANCHOR,
    CRANK_END_ANGLE,
    CRANK_ENERGY,
    L1,
    L2,
    M1,
    M2,
    crank_functions,
    crank_slider,
    defaults,
    double_pendulum,
    fit_chart,
    no_inputs,
    start_state,
    with_terms,
)
from hypothesis import given
from hypothesis import strategies as st

from fmu_src.errors import StepError, TableRangeError
from fmu_src.model.reduced_model import CoordinateInfo, StartInfo
from fmu_src.numpy_runtime.cholesky import solve_inertia
from fmu_src.numpy_runtime.dynamics import (
    acceleration,
    energies,
    generalized_force,
    mechanics,
    prepare,
    quadratic_force,
)
from fmu_src.numpy_runtime.state import State
from fmu_src.numpy_runtime.steps.integrator import advance
from precompute.reduction.arrangement import arranged

TABLE = 1e-6  # values of 25 nodes and slopes of 61, both of degree 5
G = 9.81

CRANK = crank_slider()
CRANK_RUNTIME = prepare(CRANK)[0]
PENDULUM = double_pendulum()
PENDULUM_RUNTIME = prepare(PENDULUM)[0]
FINE_RUNTIME = prepare(double_pendulum(nodes=61))[0]

angles = st.floats(-1.4, 1.4)
rates = st.floats(-3.0, 3.0)


def pendulum_acceleration(a, b, da, db, F=(0.0, 0.0), M=0.0, Q=(0.0, 0.0), k=0.0, s0=0.0):
    """Closed form, derived by hand from Lagrange's equations."""
    c, s = np.cos(a - b), np.sin(a - b)
    J = np.array([[(M1 + M2) * L1**2, M2 * L1 * L2 * c], [M2 * L1 * L2 * c, M2 * L2**2]])
    tip = np.array([L1 * np.sin(a) + L2 * np.sin(b), -L1 * np.cos(a) - L2 * np.cos(b)])
    dtip = np.array([[L1 * np.cos(a), L2 * np.cos(b)], [L1 * np.sin(a), L2 * np.sin(b)]])
    to_anchor = tip - ANCHOR
    length = np.hypot(*to_anchor)
    pull = np.asarray(F) + k * (s0 - length) * to_anchor / length
    force = np.array([-(M1 + M2) * G * L1 * np.sin(a), -M2 * G * L2 * np.sin(b) + M]) + dtip.T @ pull + Q
    return np.linalg.solve(J, force - M2 * L1 * L2 * s * np.array([db**2, -(da**2)]))


# --- equations of motion ----------------------------------------------------------------------------------------------


@given(th=st.floats(-20.0, 20.0), rate=rates)
def test_crank_slider_acceleration_is_the_closed_form(th, rate):
    h = 1e-6
    low, mid, high = crank_functions(np.array([th - h, th, th + h]))
    J, dJ, t34, dt34 = mid[0], (high[0] - low[0]) / (2 * h), mid[4], (high[4] - low[4]) / (2 * h)
    expected = (-100.0 * t34 * dt34 - 0.5 * dJ * rate**2) / J
    found = acceleration(CRANK_RUNTIME, np.array([th]), np.array([rate]), defaults(CRANK), no_inputs(CRANK))
    assert found[0] == pytest.approx(expected, abs=TABLE)


@given(a=angles, b=angles, da=rates, db=rates)
def test_double_pendulum_acceleration_is_the_closed_form(a, b, da, db):
    parameters = defaults(PENDULUM)
    parameters[5] = 0.0  # no stop
    inputs = np.array([0.3, -0.2, 4.0, -5.0, 6.0, 0.7, 0.8, 0.9])  # Q, F, M
    expected = pendulum_acceleration(a, b, da, db, (4.0, -5.0), 0.9, (0.3, -0.2), k=10.0, s0=2.7)
    found = acceleration(FINE_RUNTIME, np.array([a, b]), np.array([da, db]), parameters, inputs)
    np.testing.assert_allclose(found, expected, atol=5 * TABLE)


@given(a=angles, b=angles, da=rates, db=rates)
def test_quadratic_terms_do_no_work_beyond_the_change_of_inertia(a, b, da, db):
    """zd . c = 1/2 zd . Jdot zd, so kinetic energy changes only by the work of Q."""
    at, zd = mechanics(PENDULUM_RUNTIME, np.array([a, b])), np.array([da, db])
    Jdot = np.tensordot(zd, at.dJ, axes=1)
    assert zd @ quadratic_force(at, zd) == pytest.approx(0.5 * zd @ Jdot @ zd, abs=1e-12)


def test_quadratic_terms_are_the_christoffel_sums():
    rng = np.random.default_rng(3)
    dJ = rng.normal(size=(3, 3, 3))
    dJ = dJ + dJ.swapaxes(1, 2)
    zd = rng.normal(size=3)
    at = mechanics(PENDULUM_RUNTIME, np.zeros(2))._replace(dJ=dJ)
    expected = [
        sum((dJ[j, k, i] - 0.5 * dJ[k, i, j]) * zd[i] * zd[j] for i in range(3) for j in range(3)) for k in range(3)
    ]
    np.testing.assert_allclose(quadratic_force(at, zd), expected, atol=1e-13)


@given(a=angles, b=angles)
def test_forces_are_the_slope_of_the_potential(a, b):
    z, h, zero = np.array([a, b]), 1e-5, np.zeros(2)
    p = defaults(PENDULUM)

    def potential(x):
        e = energies(PENDULUM_RUNTIME, x, zero, p)
        return e.gravity + e.spring

    force = generalized_force(PENDULUM_RUNTIME, mechanics(PENDULUM_RUNTIME, z), zero, p, no_inputs(PENDULUM))
    for k, e in enumerate(h * np.eye(2)):
        assert force[k] == pytest.approx(-(potential(z + e) - potential(z - e)) / (2 * h), abs=1e-4)


@pytest.mark.parametrize("n", [1, 2, 3, 6])
def test_the_inertia_is_solved(n):
    rng = np.random.default_rng(n)
    A = rng.normal(size=(n, n))
    J, right = A @ A.T + np.eye(n), rng.normal(size=n)
    np.testing.assert_allclose(solve_inertia(J, right, "abcdef"[:n]), np.linalg.solve(J, right))


@pytest.mark.parametrize("J", [[[1.0, 2.0], [2.0, 1.0]], [[1.0, 0.0], [0.0, np.nan]], [[1.0, 0.0], [0.0, 0.0]]])
def test_an_inertia_that_is_not_positive_names_the_coordinate(J):
    with pytest.raises(StepError, match="inertia of 'beta'.*alpha, beta"):
        solve_inertia(np.array(J), np.ones(2), ("alpha", "beta"))


def test_leaving_the_table_is_an_error():
    with pytest.raises(TableRangeError, match="'alpha' = 1.7 rad"):
        acceleration(PENDULUM_RUNTIME, np.array([1.7, 0.0]), np.zeros(2), defaults(PENDULUM), no_inputs(PENDULUM))


# --- motion -----------------------------------------------------------------------------------------------------------


def run(runtime, state, stop, step, parameters=None):
    model = runtime.model
    parameters = defaults(model) if parameters is None else parameters
    for _ in range(round(stop / step)):
        state = advance([runtime], state, step, parameters, no_inputs(model), step)
    return state


def test_the_crank_slider_of_the_reference_text():
    state = run(CRANK_RUNTIME, start_state(CRANK), 5.0, 5e-3)
    energy = energies(CRANK_RUNTIME, state.z, state.zd, defaults(CRANK))
    assert state.time == pytest.approx(5.0)
    assert state.z[0] == pytest.approx(CRANK_END_ANGLE, abs=1e-6)
    assert energy.total == pytest.approx(CRANK_ENERGY, rel=1e-8)


def test_energy_is_conserved_to_the_order_of_the_integrator():
    """Of the interpolants, so even a coarse table conserves energy."""
    model = crank_slider(nodes=20)
    runtime = prepare(model)[0]
    start = energies(runtime, np.zeros(1), np.array([2.0]), defaults(model)).total
    drifts = []
    for step in (0.02, 0.01):
        state = run(runtime, start_state(model), 2.0, step)
        drifts.append(abs(energies(runtime, state.z, state.zd, defaults(model)).total - start))
    assert drifts[1] < 1e-6 * start
    assert drifts[0] / drifts[1] > 2**3.5


def test_the_integrator_converges_with_order_four():
    fine = run(PENDULUM_RUNTIME, start_state(PENDULUM), 0.5, 1 / 1600).numbers()
    errors = [
        np.abs(np.subtract(run(PENDULUM_RUNTIME, start_state(PENDULUM), 0.5, step).numbers(), fine)).max()
        for step in (1 / 50, 1 / 100)
    ]
    assert np.log2(errors[0] / errors[1]) == pytest.approx(4.0, abs=0.5)


def test_energy_is_conserved_across_the_border_of_a_linear_table():
    model = double_pendulum(outside="linear")
    runtime = prepare(model)[0]
    parameters = defaults(model)
    parameters[3] = parameters[5] = 0.0  # no spring
    state = State(0.0, 0, 0, np.array([1.5, 1.7]), np.array([3.0, 3.0]))
    start = energies(runtime, state.z, state.zd, parameters).total
    worst, furthest = 0.0, 0.0
    for _ in range(300):
        state = advance([runtime], state, 1e-3, parameters, no_inputs(model), 1e-3)
        furthest = max(furthest, state.z[0])
        worst = max(worst, abs(energies(runtime, state.z, state.zd, parameters).total - start))
    assert furthest > 1.6
    assert worst < 1e-7 * abs(start)


def test_a_damper_takes_energy_out():
    parameters = defaults(PENDULUM)
    parameters[10:13] = [-5.0, 0.0, 5.0]
    state = start_state(PENDULUM)
    before = energies(PENDULUM_RUNTIME, state.z, state.zd, parameters).total
    state = run(PENDULUM_RUNTIME, state, 0.5, 5e-3, parameters)
    assert energies(PENDULUM_RUNTIME, state.z, state.zd, parameters).total < before - 0.05


def test_gravity_acts_through_the_first_moment():
    parameters = defaults(CRANK)
    parameters[1] = -9.81
    z, zero = np.array([0.7]), np.zeros(1)
    S = crank_functions(z)[0][1:4]
    assert energies(CRANK_RUNTIME, z, zero, parameters).gravity == pytest.approx(9.81 * S[1], rel=1e-9)


def test_three_coordinates():
    def columns(a, b, c):
        o = 0 * a
        upper = (2 + np.cos(b), 0.3 * np.sin(a + c), 0.2 * b, 3 + np.sin(c) * a, 0.4 * np.cos(a - b), 2.5 + a * b * c)
        return np.stack((*upper, o, o, a * b + c), axis=-1)

    specs = [(name, "m", -1.0, 1.0, False, "error", 12) for name in "abc"]
    chart = fit_chart(specs, ("aa", "ab", "ac", "bb", "bc", "cc", "Sx", "Sy", "Sz"), columns)
    model = replace(
        CRANK,
        coordinates=tuple(CoordinateInfo(name, "m", "") for name in "abc"),
        starts=(StartInfo(0.0, 0.0, ""),) * 3,
        charts=(),
        elements=(),
        markers=(),
        ports=(),
    )
    model = arranged(model, [with_terms(chart, range(9))])
    z, zd, Q, h = np.array([0.2, -0.4, 0.5]), np.array([1.0, -2.0, 0.7]), np.array([3.0, 2.0, 1.0]), 1e-6
    parameters = defaults(model)
    parameters[2] = -9.81

    def J(x):
        return columns(*x)[[0, 1, 2, 1, 3, 4, 2, 4, 5]].reshape(3, 3)

    dJ = np.stack([(J(z + e) - J(z - e)) / (2 * h) for e in h * np.eye(3)])
    gravity = -9.81 * np.array([z[1], z[0], 1.0])
    right = Q + gravity - np.einsum("jki,i,j->k", dJ, zd, zd) + 0.5 * np.einsum("kij,i,j->k", dJ, zd, zd)
    np.testing.assert_allclose(
        acceleration(prepare(model)[0], z, zd, parameters, Q), np.linalg.solve(J(z), right), atol=10 * TABLE
    )
