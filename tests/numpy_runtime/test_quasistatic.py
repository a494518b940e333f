from dataclasses import replace

import numpy as np
import pytest
from helpers_model import defaults, start_state
from helpers_stiff import C1, C2, K1, K2, K12, KS, dalembert, law_force, loose_pendulum, stiff_pendulum
from hypothesis import given
from hypothesis import strategies as st

from fmu_src.errors import StepError
from fmu_src.numpy_runtime.dynamics import energies, generalized_force, mechanics, prepare
from fmu_src.numpy_runtime.quasistatic import relax, relaxed_acceleration, stiffness
from fmu_src.numpy_runtime.reading import curvature_at, read_columns
from fmu_src.numpy_runtime.state import State
from fmu_src.numpy_runtime.steps.integrator import advance
from precompute.reduction.arrangement import arranged, chart_quantities

MODEL = stiff_pendulum(quasistatic=True)
STATIC = prepare(MODEL)
RUNTIME = STATIC[0]
DYNAMIC = prepare(stiff_pendulum())
MOVING = prepare(stiff_pendulum(quasistatic=True, moving=True))[0]

loads = st.tuples(*[st.floats(-200.0, 200.0)] * 6).map(np.array)
angles = st.floats(-3.0, 3.0)


def soft():
    """Parameters with deflections of some mm, where second derivatives matter."""
    p = defaults(MODEL)
    p[K1], p[K2], p[K12] = 2e4, 1e4, 2e3
    return p


def relaxed(th, rate, p, u, runtime=RUNTIME):
    return relax(runtime, runtime.equations, np.array([th, 0.0, 0.0]), np.array([rate, 0.0, 0.0]), p, u)


@given(th=angles, load=loads)
def test_the_deflections_are_in_equilibrium(th, load):
    p, u = soft(), np.concatenate(([0.0], load))
    at = relaxed(th, 0.0, p, u).at
    z = at.z
    held = dalembert(z, np.zeros(3), p[:3], law_force(z, np.zeros(3), p), F=load[:3], M=load[3:])[0]
    np.testing.assert_allclose((at.J @ held)[1:], 0.0, atol=1e-5)


@given(th=angles, load=loads, rate=st.floats(-3.0, 3.0))
def test_rates_of_deflections_are_their_slopes(th, load, rate):
    p, u, h = soft(), np.concatenate(([0.0], load)), 1e-6
    ahead, back = (relaxed(th + x, 0.0, p, u).at.z[1:] for x in (h, -h))
    np.testing.assert_allclose(relaxed(th, rate, p, u).zd[1:], rate * (ahead - back) / (2 * h), atol=1e-7)


def bent():
    """The model with an angular Jacobian that depends on all coordinates, so that moments have a stiffness too."""
    model, charts = loose_pendulum(quasistatic=True)
    (chart,), quantities = charts, chart_quantities(model, charts, charts[0])
    (varying, *_) = [term[1] for term in chart.terms if term[0] == quantities.S.start]
    spin = quantities.marker(0)[2].start + 2 * 3  # w_z per rate of theta, x, y
    more = [(spin + 1, varying, 1, -1, -1), (spin + 2, varying, 0, 1, 1), (spin + 2, varying, -1, -1, -1)]
    chart = replace(chart, terms=np.concatenate((chart.terms, np.array(more, dtype=np.int64))))
    return prepare(arranged(model, [chart]))[0]


BENT = bent()


@given(z=st.tuples(angles, *[st.floats(-0.01, 0.01)] * 2).map(np.array), load=loads)
def test_the_stiffness_is_the_slope_of_the_forces(z, load):
    runtime, p, u, h, still = BENT, soft(), np.concatenate(([0.0], load)), 1e-6, np.zeros(3)

    def force(x):
        return generalized_force(runtime, mechanics(runtime, x), still, p, u)[1:]

    curvature = curvature_at(runtime.equations, read_columns(runtime.equations, z), z)
    K = stiffness(runtime, mechanics(runtime, z), curvature, p, u)
    for k, e in enumerate(h * np.eye(3)):
        np.testing.assert_allclose(K[:, k], -(force(z + e) - force(z - e)) / (2 * h), rtol=1e-6, atol=1e-2)


def test_newton_needs_few_iterations(monkeypatch):
    monkeypatch.setattr("fmu_src.numpy_runtime.quasistatic.MOST_ITERATIONS", 5)
    relaxed(0.7, 0.0, soft(), np.array([0.0, 300.0, 200.0, 0.0, 0.0, 0.0, 0.0]))


def test_on_a_moving_ground_acceleration_acts_like_gravity():
    p, q = soft(), soft()
    u = np.zeros(MOVING.slots.count)
    u[MOVING.slots.twist_rate] = [0.0, 0.0, 0.0, 3.0, -2.0, 0.0]
    q[0], q[1] = q[0] - 3.0, q[1] + 2.0
    fallen, pulled = relaxed(0.4, 0.3, p, u, MOVING), relaxed(0.4, 0.3, q, 0 * u, MOVING)
    np.testing.assert_allclose(fallen.at.z, pulled.at.z, rtol=1e-9)
    np.testing.assert_allclose(
        relaxed_acceleration(MOVING, fallen, p, u)[0], relaxed_acceleration(MOVING, pulled, q, 0 * u)[0], rtol=1e-6
    )


def test_the_damped_motion_comes_to_the_same_rest():
    p, u = soft(), np.array([3.0, 40.0, -20.0, 0.0, 0.0, 0.0, 1.0])
    p[C1] = p[C2] = 400.0
    ends = []
    for charts in (STATIC, DYNAMIC):
        state, still = start_state(MODEL), np.zeros(3)
        for _ in range(800):
            state = advance(charts, state, 1e-2, p, u + [-8.0 * state.zd[0], 0, 0, 0, 0, 0, 0], 1e-2)
        ends.append(state.z)
        np.testing.assert_allclose(state.zd, still, atol=1e-6)
    np.testing.assert_allclose(ends[0], ends[1], atol=1e-7)


def test_a_stiff_bushing_makes_both_models_equal():
    """The mean motion of the dynamic model is that of the quasi-static one, closer with more stiffness."""
    gaps = []
    for stiffer in (1.0, 100.0):
        p = defaults(MODEL)
        p[K1], p[K2], p[K12] = stiffer * p[K1], stiffer * p[K2], stiffer * p[K12]
        p[C1] = p[C2] = 0.05 * np.sqrt(p[K1])
        ends = []
        for charts in (STATIC, DYNAMIC):
            state = start_state(MODEL)
            for _ in range(200):
                state = advance(charts, state, 1e-3, p, np.zeros(7), 1e-3)
            ends.append(state.z[0])
        gaps.append(abs(ends[0] - ends[1]))
    assert gaps[0] < 1e-3 and gaps[1] < 0.05 * gaps[0]


def test_without_damping_the_energy_of_the_axes_is_nearly_kept():
    """Only the centrifugal force on the deflections, which is left out, takes part in no balance."""
    p, state = defaults(MODEL), start_state(MODEL)

    def total(s):
        return energies(RUNTIME, s.z, s.zd * [1.0, 0.0, 0.0], p).total

    state = State(0.0, 0, 0, relaxed(0.7, 0.5, p, np.zeros(7)).at.z, state.zd)
    start = total(state)
    for _ in range(300):
        state = advance(STATIC, state, 1e-3, p, np.zeros(7), 1e-3)
    assert total(state) == pytest.approx(start, abs=3e-3)


def test_a_deflection_that_nothing_holds_is_an_error():
    p = defaults(MODEL)
    p[K1] = p[K12] = 0.0
    p[KS] = 0.0
    with pytest.raises(StepError, match=r"no static equilibrium.*'mount\.x'.*check that every stiff coordinate"):
        relaxed(0.7, 0.0, p, np.zeros(7))
