from dataclasses import replace

import numpy as np
import pytest
from helpers_model import defaults, start_state
from helpers_stiff import C1, C2, K1, K2, K12, no_devices, stiff_pendulum

from fmu_src.errors import StepError
from fmu_src.numpy_runtime.dynamics import acceleration, energies, mechanics, prepare
from fmu_src.numpy_runtime.state import State
from fmu_src.numpy_runtime.steps.integrator import advance
from fmu_src.numpy_runtime.steps.rosenbrock import TWO_EVALUATIONS, rosenbrock_step
from fmu_src.numpy_runtime.tangent import LinearMotion, linear_motion

NONE = np.zeros(0)

MODEL = stiff_pendulum()
RUNTIME = prepare(MODEL)
ROUNDING = 1e-14


# --- the method -------------------------------------------------------------------------------------------------------


def butcher(tableau):
    """alpha (s, s), Gamma (s, s) and b (s,) of the usual form; Hairer and Wanner, IV.7."""
    c = np.array([[*row, *[0.0] * (len(tableau.c) - len(row))] for row in tableau.c])
    G = np.linalg.inv(np.eye(len(c)) / tableau.gamma - c)
    a = np.zeros(c.shape)
    a[len(tableau.a) :, : len(tableau.a)] = tableau.a
    return a @ G, G, np.array(tableau.m) @ G


ALPHA, GAMMA, B = butcher(TWO_EVALUATIONS)
BETA, ONE = ALPHA + GAMMA, np.ones(5)


def test_the_tableau_meets_the_conditions_of_order_three():
    """Hairer and Wanner, Solving ODEs II, IV.7, with df/dy = A + E: one row per tree of f, A and E.

    E E f has the weight 0 and not 1/6, which three evaluations would take.
    """
    c, g = ALPHA.sum(axis=1), GAMMA.sum(axis=1)
    JJ, JA, AJ, AA = B @ ALPHA @ c, B @ ALPHA @ g, B @ GAMMA @ c, B @ GAMMA @ g
    conditions = {
        "f": (B.sum(), 1.0), "E f": (B @ c, 1 / 2), "A f": (B @ (c + g), 1 / 2), "f f": (B @ c**2, 1 / 3),
        "E A f": (JJ + JA, 1 / 6), "A E f": (JJ + AJ, 1 / 6), "A A f": (JJ + JA + AJ + AA, 1 / 6), "E E f": (JJ, 0.0),
    }  # fmt: skip
    for name, (found, expected) in conditions.items():
        assert found == pytest.approx(expected, abs=ROUNDING), name
    assert c[2:] == pytest.approx(TWO_EVALUATIONS.time)


def test_the_order_is_four_for_linear_motion_and_three_for_index_one():
    """Hairer and Wanner, VI.4, for the second: positions that stiff springs prescribe."""
    assert B @ BETA @ BETA @ BETA @ ONE == pytest.approx(1 / 24, abs=ROUNDING)
    assert B @ np.linalg.solve(BETA, ALPHA.sum(axis=1) ** 2) == pytest.approx(1.0, abs=ROUNDING)


def test_the_method_is_l_stable():
    def growth(x):
        return 1 + x * B @ np.linalg.solve(np.eye(5) - x * BETA, ONE)

    assert abs(growth(-1e9)) < 1e-8
    assert max(abs(growth(1j * w)) for w in np.geomspace(1e-3, 1e6, 2000)) <= 1.0 + 1e-12


# --- order ------------------------------------------------------------------------------------------------------------


def step_of(zdd, linear, z, zd, h):
    """One step without devices."""

    def rates(tau, z, zd, _):
        return zdd(tau, z, zd), NONE

    return rosenbrock_step(rates, (zdd(0.0, z, zd), NONE), linear, no_devices(z.size), (z, zd, NONE), h)[:2]


def run(step, scale=1.0, stop=0.4):
    """A soft bushing, so that all modes are resolved; the stiffness that the method is told is scaled."""
    p = defaults(MODEL)
    p[K1], p[K2], p[K12], p[C1], p[C2] = 400.0, 300.0, 50.0, 2.0, 3.0
    runtime, u = RUNTIME[0], np.zeros(RUNTIME[0].slots.count)
    z, zd = np.array([0.7, 0.01, -0.02]), np.array([0.5, 0.0, 0.0])
    for _ in range(round(stop / step)):
        at = mechanics(runtime, z)
        M, C, K = linear_motion(runtime, at, zd, p, u)

        def zdd(_, x, v):
            return acceleration(runtime, x, v, p, u)

        z, zd = step_of(zdd, LinearMotion(M, C, scale * K), z, zd, step)
    return np.concatenate((z, zd))


@pytest.mark.parametrize("scale", [1.0, 2.0, 0.0])
def test_the_order_is_three_even_with_a_wrong_stiffness(scale):
    exact = run(1 / 6400)
    errors = [np.abs(run(step, scale) - exact).max() for step in (1 / 400, 1 / 800)]
    assert np.log2(errors[0] / errors[1]) == pytest.approx(3.0, abs=0.4)


def test_a_motion_with_time_in_it_has_order_three_at_least():
    """zdd = -100 z - 2 zd + sin(8 t), against its closed form."""
    M, C, K = np.eye(1), 2.0 * np.eye(1), 100.0 * np.eye(1)
    wave = 1 / (100.0 - 64.0 + 16.0j)
    errors = []
    for step in (0.02, 0.01):
        z, zd = np.array([wave.imag]), np.array([(8j * wave).imag])
        for i in range(round(1.0 / step)):

            def zdd(tau, x, v, start=i * step):
                return -100.0 * x - 2.0 * v + np.sin(8.0 * (start + tau))

            z, zd = step_of(zdd, LinearMotion(M, C, K), z, zd, step)
        errors.append(abs(z[0] - (wave * np.exp(8j)).imag))
    assert np.log2(errors[0] / errors[1]) > 2.6


# --- the pendulum -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("stiffer", [0.1, 1.0, 100.0, 1e4])
@pytest.mark.parametrize("damping", [0.0, 0.02, 0.1])
@pytest.mark.parametrize("method", ["rk4", "midpoint"])
def test_one_millisecond_is_stable(stiffer, damping, method):
    """Bushing modes from 10 Hz to 5 kHz, damping to 10 % of critical; energy never grows."""
    p, charts = defaults(MODEL), prepare(replace(MODEL, method=method))
    for k, c in ((K1, C1), (K2, C2)):
        p[k] *= stiffer
        p[c] = 2.0 * damping * np.sqrt(p[k] * 2.0)
    p[K12] *= stiffer
    d = 5.0 / p[K2]
    state = State(0.0, 0, 0, np.array([0.7, d, -d]), np.array([2.0, 0.0, 0.0]))
    u = np.zeros(RUNTIME[0].slots.count)
    start = energies(RUNTIME[0], state.z, state.zd, p).total
    for _ in range(500):
        state = advance(charts, state, 1e-3, p, u, 1e-3)
        assert energies(RUNTIME[0], state.z, state.zd, p).total < start + 1e-3
    assert np.abs(state.z[1:]).max() < 200.0 / p[K2]


def test_energy_is_conserved_to_the_order_of_the_integrator():
    p, u = defaults(MODEL), np.zeros(RUNTIME[0].slots.count)
    p[K1], p[K2], p[K12] = 4e3, 3e3, 500.0
    drifts = []
    for step in (1e-3, 5e-4):
        state = start_state(MODEL)
        start = energies(RUNTIME[0], state.z, state.zd, p).total
        drifts.append(0.0)
        for _ in range(round(0.3 / step)):
            state = advance(RUNTIME, state, step, p, u, step)
            drifts[-1] = max(drifts[-1], abs(energies(RUNTIME[0], state.z, state.zd, p).total - start))
    assert drifts[1] < 1e-7 * abs(start)
    assert drifts[0] / drifts[1] > 2**2.5


def test_a_singular_matrix_is_said_in_words():
    none = np.zeros((1, 1))
    with pytest.raises(StepError, match="implicit step is singular"):
        step_of(lambda *_: np.zeros(1), LinearMotion(none, none, none), np.zeros(1), np.zeros(1), 0.1)
