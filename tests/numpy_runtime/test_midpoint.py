from dataclasses import replace
from itertools import pairwise
from math import comb, factorial

import numpy as np
import pytest
from helpers_corner import corner
from helpers_model import defaults
from helpers_stiff import C1, C2, K1, K2, K12, no_devices, stiff_pendulum

from fmu_src.interface.variables import layout, variables
from fmu_src.numpy_runtime.dynamics import mechanics, moving_force, prepare
from fmu_src.numpy_runtime.state import State, from_numbers
from fmu_src.numpy_runtime.steps import midpoint
from fmu_src.numpy_runtime.steps.integrator import advance
from fmu_src.numpy_runtime.steps.midpoint import GAMMA, POWERS, midpoint_step
from fmu_src.numpy_runtime.tangent import LinearMotion, near_motion

NONE = np.zeros(0)

MODEL = replace(stiff_pendulum(), method="midpoint")
RUNTIME = prepare(MODEL)
ROUNDING = 1e-14
EXACT = 1 / 12800  # a step whose error does not count [s]


# --- the method -------------------------------------------------------------------------------------------------------


def growth(x):
    return 1 + x * sum(b * (1 - GAMMA * x) ** -(k + 1) for k, b in enumerate(POWERS))


def test_the_powers_approximate_the_exponential_to_third_order():
    """(1 - gamma x)^-k = sum_j binomial(k + j - 1, j) (gamma x)^j."""
    for j in range(3):
        found = sum(b * comb(k + j, j) * GAMMA**j for k, b in enumerate(POWERS))
        assert found == pytest.approx(1 / factorial(j + 1), abs=ROUNDING)
    fourth = sum(b * comb(k + 3, 3) * GAMMA**3 for k, b in enumerate(POWERS))
    assert abs(fourth - 1 / 24) < 0.1 / 24


def test_the_method_is_l_stable():
    assert abs(growth(-1e9)) < 1e-8
    assert max(abs(growth(1j * w)) for w in np.geomspace(1e-3, 1e6, 4000)) <= 1.0 + 1e-12


def test_near_motion_has_order_three():
    M, C, K = np.diag([2.0, 1.0]), np.array([[0.3, 0.5], [-0.5, 0.2]]), np.array([[90.0, 20.0], [20.0, 40.0]])
    A = np.block([[np.zeros((2, 2)), np.eye(2)], [-np.linalg.solve(M, K), -np.linalg.solve(M, C)]])
    values, vectors = np.linalg.eig(A)
    start = np.array([0.1, -0.2, 0.3, 0.5])
    exact = (vectors * np.exp(values)) @ np.linalg.solve(vectors, start)
    errors = []
    for h in (0.02, 0.01):
        z, zd, zdd = start[:2], start[2:], np.zeros(2)
        for _ in range(round(1.0 / h)):
            force, before = -K @ (z + 0.5 * h * zd) - C @ (zd + 0.5 * h * zdd), zd
            z, zd, _ = midpoint_step(force, LinearMotion(M, C, K), no_devices(2), (z, zd, NONE), (zdd, NONE), h)
            zdd = (zd - before) / h
        errors.append(np.abs(np.concatenate((z, zd)) - exact).max())
    assert np.log2(errors[0] / errors[1]) == pytest.approx(3.0, abs=0.2)


# --- order ------------------------------------------------------------------------------------------------------------


def run(step, scale=1.0, stop=0.4):
    """A soft bushing, so that all modes are resolved; stiffness and damping that the method is told are scaled."""
    p = defaults(MODEL)
    p[K1], p[K2], p[K12], p[C1], p[C2] = 400.0, 300.0, 50.0, 2.0, 3.0
    runtime, u = RUNTIME[0], np.zeros(RUNTIME[0].slots.count)
    z, zd, zdd = np.array([0.7, 0.01, -0.02]), np.array([0.5, 0.0, 0.0]), np.zeros(3)
    for _ in range(round(stop / step)):
        at, middle, before = mechanics(runtime, z + 0.5 * step * zd), zd + 0.5 * step * zdd, zd
        M, C, K = near_motion(runtime, at, middle, p)
        force = moving_force(runtime, at, middle, p, u)
        linear = LinearMotion(M, scale * C, scale * K)
        z, zd, _ = midpoint_step(force, linear, no_devices(3), (z, zd, NONE), (zdd, NONE), step)
        zdd = (zd - before) / step
    return np.concatenate((z, zd))


@pytest.mark.parametrize("scale", [1.0, 2.0, 0.0])
def test_the_order_is_two_even_with_wrong_stiffness_and_damping(scale):
    exact = run(EXACT)
    errors = [np.abs(run(step, scale) - exact).max() for step in (1 / 400, 1 / 800)]
    assert np.log2(errors[0] / errors[1]) == pytest.approx(2.0, abs=0.4)


# --- suspensions ------------------------------------------------------------------------------------------------------


def motion(model, step, stop=0.1):
    """Of a suspension under forces that are new every millisecond, (nt, nz)."""
    charts = prepare(model)
    u = np.array([v.start or 0.0 for v in variables(model)[layout(model).inputs]])
    loads = charts[0].slots.loads.start
    z, zd = (np.array([getattr(start, what) for start in model.starts]) for what in ("value", "rate"))
    state, found = State(0.0, 0, 0, z, zd), []
    for k in range(round(1000 * stop)):
        now = u.copy()
        now[loads : loads + 3] += np.array([1500.0, 1000.0, 1000.0]) * np.sin(0.03 * k * np.array([1.0, 2.5, 0.8]))
        state = advance(charts, state, 1e-3, defaults(model), now, step)
        found.append(state.z)
    return np.array(found)


@pytest.mark.parametrize("name", ["five_link", "macpherson"])
def test_at_one_millisecond_a_suspension_moves_as_with_the_method_of_order_three(baked, name):
    model = baked(name)
    exact = motion(model, 1.25e-4)
    size = np.ptp(exact, axis=0)
    coarse = {m: np.abs(motion(replace(model, method=m), 1e-3) - exact).max(axis=0) / size for m in ("rk4", "midpoint")}
    nf = len(model.coordinates)
    assert coarse["midpoint"][:nf].max() < 3e-4  # the coordinates, of their way in this short time
    assert coarse["midpoint"].max() < coarse["rk4"].max()  # deflections, with modes of hundreds of Hz


@pytest.mark.parametrize("driven", [True, "filtered"])
def test_on_a_moving_ground_with_a_driven_rack_the_order_is_two_at_least(driven):
    c = corner(driven=driven)
    charts = prepare(replace(c.model, method="midpoint"))
    u = c.inputs.copy()
    u[c.slots.twist] = [0.3, -0.2, 1.5, 0.5, 1.0, -0.5]
    u[c.slots.twist_rate] = [0.5, 0.0, -2.0, 1.0, 0.0, 2.0]
    (drive,) = c.slots.drives
    u[drive.first : drive.first + (3 if driven is True else 1)] = [0.0, 0.1, -0.5] if driven is True else [0.005]
    exact, *coarse = (advance(charts, c.start, 0.02, c.parameters, u, step) for step in (1e-5, 1e-3, 1.25e-4))
    errors = [max(np.abs(state.z - exact.z).max(), np.abs(state.zd - exact.zd).max()) for state in coarse]
    assert np.log2(errors[0] / errors[1]) / 3 > 1.6  # over three halvings: where matrices are new differs between them


# --- matrices that serve for several steps ----------------------------------------------------------------------------


def pendulum_steps(count, model=MODEL, parameters=None, size=1e-3, speed=2.0):
    """States of the stiff pendulum."""
    charts = prepare(model)
    p, u = defaults(model) if parameters is None else parameters, np.zeros(charts[0].slots.count)
    states = [State(0.0, 0, 0, np.array([0.7, 0.0, 0.0]), np.array([speed, 0.0, 0.0]))]
    for _ in range(count):
        states.append(advance(charts, states[-1], size, p, u, size))
    return states


def test_matrices_serve_eight_steps_and_stay_where_they_were_found():
    states = pendulum_steps(18)
    assert [s.age for s in states] == [0, *range(1, 9), *range(1, 9), 1, 2]
    assert all((a.z_then == b.z_then).all() for a, b in pairwise(states[1:9]))
    middle = states[8].z + 0.5e-3 * states[8].zd
    np.testing.assert_allclose(states[9].z_then, middle, rtol=1e-15)


def test_they_do_not_serve_where_the_motion_has_gone_far():
    axis = MODEL.charts[0].axes[0]
    far = midpoint.FAR * (axis.upper - axis.lower) / 1e-3  # in one step
    assert [s.age for s in pendulum_steps(4, speed=1.5 * far)] == [0, 1, 1, 1, 1]
    assert [s.age for s in pendulum_steps(6, speed=0.4 * far)] == [0, 1, 2, 3, 1, 2, 3]


def test_they_do_not_serve_where_a_law_has_become_steeper(baked):
    """The bump stop of the suspension is reached: from then on it is in the matrices."""
    model = replace(baked("macpherson"), method="midpoint")
    charts = prepare(model)
    assert any(law.side == "beyond" for element in model.elements for law in element.laws)
    u = np.array([v.start or 0.0 for v in variables(model)[layout(model).inputs]])
    z, zd = (np.array([getattr(start, what) for start in model.starts]) for what in ("value", "rate"))
    state, p = State(0.0, 0, 0, z, zd), defaults(model)
    u[charts[0].slots.loads.start + 2] += 4000.0
    early = 0
    for _ in range(55):
        before, state = state, advance(charts, state, 1e-3, p, u, 1e-3)
        at = mechanics(charts[0], before.z + 0.5e-3 * before.zd)
        middle = before.zd + 0.5e-3 * (0.0 if before.zdd is None else before.zdd)
        if state.age == 1 and not midpoint.worn(charts[0], before, at.z):
            early += 1
            then = mechanics(charts[0], before.z_then)
            assert midpoint.other_slopes(charts[0], then, before.zd_then, at, middle, p)
    assert early > 0


def test_they_change_a_motion_by_a_hundred_thousandth(baked, monkeypatch):
    model = baked("five_link")
    exact, lasting = motion(model, 1.25e-4), motion(replace(model, method="midpoint"), 1e-3)
    monkeypatch.setattr(midpoint, "LASTING", 1)
    new = motion(replace(model, method="midpoint"), 1e-3)
    size, nf = np.ptp(exact, axis=0), len(model.coordinates)
    error, change = (np.abs(lasting - a).max(axis=0)[:nf] / size[:nf] for a in (exact, new))
    assert 0.0 < change.max() < 2e-5
    assert error.max() < 2e-5


def test_a_saved_state_holds_what_the_next_step_foresees():
    p, u = defaults(MODEL), np.zeros(RUNTIME[0].slots.count)
    state = State(0.0, 0, 0, np.array([0.7, 0.0, 0.0]), np.array([2.0, 0.0, 0.0]))
    for _ in range(5):
        state = advance(RUNTIME, state, 1e-3, p, u, 1e-3)
    assert np.abs(state.zdd).max() > 1.0
    again = from_numbers(np.array(state.numbers()))
    assert advance(RUNTIME, again, 1e-3, p, u, 1e-3).numbers() == advance(RUNTIME, state, 1e-3, p, u, 1e-3).numbers()
    forgetful = replace(state, zdd=None)
    assert (
        advance(RUNTIME, forgetful, 1e-3, p, u, 1e-3).numbers() != advance(RUNTIME, state, 1e-3, p, u, 1e-3).numbers()
    )
