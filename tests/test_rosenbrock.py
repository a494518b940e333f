import numpy as np
import pytest
from helpers_model import defaults, start_state
from helpers_stiff import C1, C2, K1, K2, K12, stiff_pendulum

from fmu_src.dynamics import acceleration, energies, mechanics, prepare
from fmu_src.errors import StepError
from fmu_src.integrator import advance
from fmu_src.rosenbrock import ROS34PW2, rosenbrock_step
from fmu_src.state import State
from fmu_src.tangent import LinearMotion, linear_motion

MODEL = stiff_pendulum()
RUNTIME = prepare(MODEL)
DIGITS = 1e-14  # of the published coefficients


# --- the method -------------------------------------------------------------------------------------------------------


def square(rows):
    return np.array([[*row, *[0.0] * (len(rows) - len(row))] for row in rows])


def test_the_tableau_meets_the_conditions_of_a_w_method_of_order_three():
    """Hairer and Wanner, Solving ODEs II, IV.7: all trees, whatever the matrix is."""
    a, G, b = square(ROS34PW2.alpha), square(ROS34PW2.below) + ROS34PW2.gamma * np.eye(4), np.array(ROS34PW2.b)
    c, g = a.sum(axis=1), G.sum(axis=1)
    conditions = {
        "b": (b.sum(), 1.0), "b c": (b @ c, 1 / 2), "b g": (b @ g, 0.0), "b c2": (b @ c**2, 1 / 3),
        "b a c": (b @ a @ c, 1 / 6), "b a g": (b @ a @ g, 0.0), "b G c": (b @ G @ c, 0.0), "b G g": (b @ G @ g, 0.0),
    }  # fmt: skip
    for name, (found, expected) in conditions.items():
        assert found == pytest.approx(expected, abs=DIGITS), name


def test_the_method_is_stiffly_accurate_and_l_stable():
    a, G, b = square(ROS34PW2.alpha), square(ROS34PW2.below) + ROS34PW2.gamma * np.eye(4), np.array(ROS34PW2.b)
    np.testing.assert_allclose((a + G)[-1], b, atol=DIGITS)

    def growth(x):
        return 1 + x * b @ np.linalg.solve(np.eye(4) - x * (a + G), np.ones(4))

    assert abs(growth(-1e9)) < 1e-8
    assert max(abs(growth(1j * w)) for w in np.geomspace(1e-3, 1e6, 2000)) <= 1.0 + 1e-12


# --- order ------------------------------------------------------------------------------------------------------------


def run(step, scale=1.0, stop=0.4):
    """A soft bushing, so that all modes are resolved; the stiffness that the method is told is scaled."""
    p = defaults(MODEL)
    p[K1], p[K2], p[K12], p[C1], p[C2] = 400.0, 300.0, 50.0, 2.0, 3.0
    runtime, u = RUNTIME[0], np.zeros(RUNTIME[0].slots.count)
    z, zd = np.array([0.7, 0.01, -0.02]), np.array([0.5, 0.0, 0.0])
    for _ in range(round(stop / step)):
        at = mechanics(runtime, z)
        M, C, K = linear_motion(runtime, at, zd, p)

        def zdd(_, x, v):
            return acceleration(runtime, x, v, p, u)

        z, zd = rosenbrock_step(zdd, zdd(0.0, z, zd), LinearMotion(M, scale * C, scale * K), z, zd, step)
    return np.concatenate((z, zd))


@pytest.mark.parametrize("scale", [1.0, 2.0, 0.0])
def test_the_order_is_three_even_with_a_wrong_matrix(scale):
    exact = run(1 / 3200)
    errors = [np.abs(run(step, scale) - exact).max() for step in (1 / 200, 1 / 400)]
    assert np.log2(errors[0] / errors[1]) == pytest.approx(3.0, abs=0.4)


def test_a_motion_with_time_in_it_has_order_three_too():
    """zdd = -100 z - 2 zd + sin(8 t), against its closed form."""
    M, C, K = np.eye(1), 2.0 * np.eye(1), 100.0 * np.eye(1)
    wave = 1 / (100.0 - 64.0 + 16.0j)
    errors = []
    for step in (0.02, 0.01):
        z, zd = np.array([wave.imag]), np.array([(8j * wave).imag])
        for i in range(round(1.0 / step)):

            def zdd(tau, x, v, start=i * step):
                return -100.0 * x - 2.0 * v + np.sin(8.0 * (start + tau))

            z, zd = rosenbrock_step(zdd, zdd(0.0, z, zd), LinearMotion(M, C, K), z, zd, step)
        errors.append(abs(z[0] - (wave * np.exp(8j)).imag))
    assert np.log2(errors[0] / errors[1]) == pytest.approx(3.0, abs=0.4)


# --- the pendulum -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("stiffer", [0.1, 1.0, 100.0, 1e4])
@pytest.mark.parametrize("damping", [0.0, 0.02, 0.1])
def test_one_millisecond_is_stable(stiffer, damping):
    """Bushing modes from 10 Hz to 5 kHz, damping to 10 % of critical; energy never grows."""
    p = defaults(MODEL)
    for k, c in ((K1, C1), (K2, C2)):
        p[k] *= stiffer
        p[c] = 2.0 * damping * np.sqrt(p[k] * 2.0)
    p[K12] *= stiffer
    d = 5.0 / p[K2]
    state = State(0.0, 0, 0, np.array([0.7, d, -d]), np.array([2.0, 0.0, 0.0]))
    u = np.zeros(RUNTIME[0].slots.count)
    start = energies(RUNTIME[0], state.z, state.zd, p).total
    for _ in range(500):
        state = advance(RUNTIME, state, 1e-3, p, u, 1e-3)
        assert energies(RUNTIME[0], state.z, state.zd, p).total < start + 1e-3
    assert np.abs(state.z[1:]).max() < 200.0 / p[K2]


def test_energy_is_conserved_to_the_order_of_the_integrator():
    p, u = defaults(MODEL), np.zeros(RUNTIME[0].slots.count)
    p[K1], p[K2], p[K12] = 4e3, 3e3, 500.0
    drifts = []
    for step in (1e-3, 5e-4):
        state = start_state(MODEL)
        start = energies(RUNTIME[0], state.z, state.zd, p).total
        for _ in range(round(0.3 / step)):
            state = advance(RUNTIME, state, step, p, u, step)
        drifts.append(abs(energies(RUNTIME[0], state.z, state.zd, p).total - start))
    assert drifts[1] < 1e-3 * abs(start)
    assert drifts[0] / drifts[1] > 2**2.5


def test_a_singular_matrix_is_said_in_words():
    none = np.zeros((1, 1))
    with pytest.raises(StepError, match="implicit step is singular"):
        rosenbrock_step(
            lambda *_: np.zeros(1), np.zeros(1), LinearMotion(none, none, none), np.zeros(1), np.zeros(1), 0.1
        )
