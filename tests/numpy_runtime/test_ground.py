"""A moving ground: wrench and motion against closed forms and against an inertial frame."""

import numpy as np
from helpers_model import defaults
from helpers_stiff import K1, K2, K12, bob_at, dalembert, law_force, rod_at, stiff_pendulum
from helpers_stiff import M0 as ROD
from helpers_stiff import M1 as BOB
from hypothesis import given
from hypothesis import strategies as st
from scipy.integrate import solve_ivp

from fmu_src.interface.variables import layout, variables
from fmu_src.numpy_runtime.dynamics import mechanics, prepare
from fmu_src.numpy_runtime.ground import cross, momentum
from fmu_src.numpy_runtime.outputs import outputs
from fmu_src.numpy_runtime.state import State
from fmu_src.numpy_runtime.steps.integrator import advance

MODEL = stiff_pendulum(moving=True)
CHARTS = prepare(MODEL)
SLOTS = CHARTS[0].slots
NAMES = [variable.name for variable in variables(MODEL)[layout(MODEL).outputs]]

rates = st.floats(-3.0, 3.0)
threes = st.tuples(rates, rates, rates).map(np.array)
sixes = st.tuples(*[rates] * 6).map(np.array)
states = st.tuples(rates, st.floats(-0.05, 0.05), st.floats(-0.05, 0.05)).map(np.array)


def vector(V, Vd, loads=None):
    u = np.zeros(SLOTS.count)
    u[SLOTS.twist], u[SLOTS.twist_rate] = V, Vd
    if loads is not None:
        u[SLOTS.loads] = loads
    return u


def named(state, p, u):
    return dict(zip(NAMES, outputs(CHARTS, state, p, u), strict=True))


@given(z=states, zd=threes, V=sixes, Vd=sixes, g=threes, F=threes, M=threes)
def test_the_wrench_on_the_chassis_is_the_closed_form(z, zd, V, Vd, g, F, M):
    p = defaults(MODEL)
    p[:3] = g
    _, expected = dalembert(z, zd, g, law_force(z, zd, p), V, Vd, F, M)
    out = named(State(0.0, 0, 0, z, zd), p, vector(V, Vd, [*F, *M]))
    found = [out[f"chassis.{s}[{i}]"] for s in "MF" for i in (1, 2, 3)]
    np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-3)


@given(z=states, zd=threes, V=sixes)
def test_momentum_is_the_sum_over_the_masses(z, zd, V):
    ground = mechanics(CHARTS[0], z).ground
    h = momentum(ground.mass, ground.S, ground.tensor, ground.N, V, zd)
    expected = np.zeros(6)
    for m, (r, D, _) in ((ROD, rod_at(z)), (BOB, bob_at(z))):
        p = m * (V[3:] + np.cross(V[:3], r) + D @ zd)
        expected += np.concatenate((np.cross(r, p), p))
    np.testing.assert_allclose(h, expected, atol=1e-6)


@given(a=threes, b=threes)
def test_cross(a, b):
    np.testing.assert_allclose(cross(a, b), np.cross(a, b), atol=1e-15)


def test_a_falling_chassis_feels_no_gravity():
    """Free fall: the pendulum moves as it would without gravity on a fixed ground."""
    p, q = defaults(MODEL), defaults(MODEL)
    q[:3] = [0.0, 0.0, 0.0]
    ends = []
    for parameters, fall in ((p, p[:3]), (q, [0.0] * 3)):
        state = State(0.0, 0, 0, np.array([0.7, 0.0, 0.0]), np.array([1.0, 0.0, 0.0]))
        for i in range(100):
            V = np.array([0.0, 0.0, 0.0, *fall]) * i * 1e-3
            state = advance(CHARTS, state, 1e-3, parameters, vector(V, [0.0, 0.0, 0.0, *fall]), 1e-3)
        ends.append(np.concatenate((state.z, state.zd)))
    np.testing.assert_allclose(ends[0], ends[1], atol=1e-9)


def test_the_twist_is_held_by_its_rate_over_a_step():
    """One long step with substeps equals short steps whose twist follows the same line."""
    p, state = defaults(MODEL), State(0.0, 0, 0, np.array([0.7, 0.0, 0.0]), np.zeros(3))
    V, Vd = np.array([0.1, 0.2, 1.0, 0.3, -0.2, 0.1]), np.array([2.0, -1.0, 3.0, 1.0, 2.0, -3.0])
    once = advance(CHARTS, state, 0.02, p, vector(V, Vd), 1e-3)
    for i in range(20):
        state = advance(CHARTS, state, 1e-3, p, vector(V + i * 1e-3 * Vd, Vd), 1e-3)
    np.testing.assert_allclose(once.z, state.z, atol=1e-13)
    np.testing.assert_allclose(once.zd, state.zd, atol=1e-11)


def test_a_motion_on_a_tumbling_chassis_is_that_of_an_independent_integration():
    p = defaults(MODEL)
    p[K1], p[K2], p[K12] = 4e3, 3e3, 500.0
    V, Vd = np.array([0.5, -0.8, 1.0, 0.3, -0.2, 0.1]), np.array([2.0, -3.0, 3.0, 1.0, 2.0, -3.0])
    start = np.array([0.7, 0.0, 0.0, 0.5, 0.0, 0.0])

    def rates(t, y):
        zdd, _ = dalembert(y[:3], y[3:], p[:3], law_force(y[:3], y[3:], p), V + t * Vd, Vd)
        return np.concatenate((y[3:], zdd))

    exact = solve_ivp(rates, (0.0, 0.2), start, method="DOP853", rtol=1e-10, atol=1e-12).y[:, -1]
    state = advance(CHARTS, State(0.0, 0, 0, start[:3], start[3:]), 0.2, p, vector(V, Vd), 5e-4)
    np.testing.assert_allclose(state.z, exact[:3], atol=2e-6)
    np.testing.assert_allclose(state.zd, exact[3:], atol=1e-4)


def test_the_wrench_is_the_change_of_momentum_seen_from_an_inertial_frame():
    """A chassis that turns about its z axis: momentum of the masses by differences of a simulated motion."""
    p, h = defaults(MODEL), 1e-4
    rate, gain, g = 1.5, 4.0, np.array([0.3, -9.81, 0.5])
    p[:3] = g

    def twist(t):
        return np.array([0.0, 0.0, rate + gain * t, 0.0, 0.0, 0.0])

    def inertial(t, state):
        angle = rate * t + 0.5 * gain * t * t
        R = np.array([[np.cos(angle), -np.sin(angle), 0], [np.sin(angle), np.cos(angle), 0], [0, 0, 1]])
        ground = mechanics(CHARTS[0], state.z).ground
        both = momentum(ground.mass, ground.S, ground.tensor, ground.N, twist(t), state.zd)
        return R, np.concatenate((R @ both[:3], R @ both[3:]))

    Vd = np.array([0.0, 0.0, gain, 0.0, 0.0, 0.0])
    z, zd = np.array([0.7, 5e-4, -3e-4]), np.array([0.6, 0.0, 0.0])
    states = [State(0.0, 0, 0, z, zd)]
    for i in range(2):
        states.append(advance(CHARTS, states[-1], h, p, vector(twist(i * h), Vd), h / 4))
    turned = [inertial(i * h, state) for i, state in enumerate(states)]
    R, change = turned[1][0], (turned[2][1] - turned[0][1]) / (2 * h)
    out = named(states[1], p, vector(twist(h), Vd))
    ground = mechanics(CHARTS[0], states[1].z).ground
    weight = np.concatenate((np.cross(ground.S, g), ground.mass * g))
    for part, name in ((slice(0, 3), "M"), (slice(3, 6), "F")):
        found = np.array([out[f"chassis.{name}[{i}]"] for i in (1, 2, 3)])
        np.testing.assert_allclose(found, weight[part] - R.T @ change[part], atol=0.05)
