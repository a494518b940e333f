import math
from dataclasses import replace

import numpy as np
import pytest
from helpers_model import crank_slider, defaults, double_pendulum, no_inputs, start_state
from helpers_stiff import stiff_pendulum

from fmu_src.errors import StepError
from fmu_src.numpy_runtime.dynamics import acceleration, mechanics, prepare
from fmu_src.numpy_runtime.steps.pace import cells, check_starts, fastest, pace, rounded_down, strides


@pytest.mark.parametrize(
    ("step", "down"),
    [(1e-3, 1e-3), (1.9e-3, 1e-3), (2.000001e-3, 2e-3), (4.99e-5, 2e-5), (7.0, 5.0), (0.05, 0.05), (3e-12, 1e-9)],
)
def test_steps_are_rounded_down_to_1_2_5(step, down):
    assert rounded_down(step) == down
    assert rounded_down(step * (1 - 1e-12)) == down  # rounding is no reason for a shorter one


def test_cells_are_those_of_the_finest_table():
    runtime = prepare(double_pendulum(nodes=15))[0]
    spans = max(knots.size - 2 * b.degree - 1 for b in runtime.chart.blocks for knots in b.knots)
    assert cells(runtime) == pytest.approx([3.2 / spans, 3.6 / spans])


def eigenvalue(model, z, parameters):
    """Largest of the motion about z at rest, by differences of the accelerations."""
    runtime, u, n = prepare(model)[0], no_inputs(model), z.size
    A = np.zeros((2 * n, 2 * n))
    A[:n, n:] = np.eye(n)
    for k in range(2 * n):
        y = np.zeros((2, 2 * n))
        y[:, k] = 1e-6, -1e-6
        a, b = (acceleration(runtime, z + d[:n], d[n:], parameters, u) for d in y)
        A[n:, k] = (a - b) / 2e-6
    return float(np.abs(np.linalg.eigvals(A)).max())


@pytest.mark.parametrize("k", [0.0, 1e3, 1e6])
@pytest.mark.parametrize("c", [0.0, 1.0, 30.0])
def test_the_bound_of_the_eigenvalues_holds_and_is_near(c, k):
    """With springs that carry no force, whose curvature is then no stiffness, and without gravity."""
    model, z = double_pendulum(nodes=25), np.array([0.2, -0.3])
    runtime, parameters = prepare(model)[0], defaults(model)
    length = dict(zip((e.name for e in model.elements), mechanics(runtime, z).s.tolist(), strict=True))
    for i, p in enumerate(model.parameters):
        if p.name.startswith("gravity"):
            parameters[i] = 0.0
        elif p.name.endswith(".s0"):
            parameters[i] = length[p.name.removesuffix(".s0")]
        elif p.name.endswith(".k"):
            parameters[i] = k
        elif ".f[" in p.name:
            parameters[i] = c * {"1": -1.0, "2": 0.0, "3": 1.0}[p.name[-2]]
    bound, found = fastest(runtime, z, np.zeros(2), parameters), eigenvalue(model, z, parameters)
    assert found <= bound * (1 + 1e-6) + 1e-3 and bound <= 1.7 * found + 1e-3


def test_implicit_steps_have_no_bound_and_filters_have():
    model = stiff_pendulum(nodes=15)
    z, zd = np.zeros(3), np.zeros(3)
    assert fastest(prepare(model)[0], z, zd, defaults(model)) == 0.0
    filtered = stiff_pendulum(nodes=15, quasistatic=True, driven="filtered")
    time = next(c.filter_time for c in filtered.coordinates if c.driven == "filtered")
    assert fastest(prepare(filtered)[0], z, zd, defaults(filtered)) == pytest.approx(1.0 / time)


def test_deflections_without_inertia_make_the_axes_softer():
    model = stiff_pendulum(nodes=15, quasistatic=True)
    swing = fastest(prepare(model)[0], np.array([0.3, 0.0, 0.0]), np.zeros(3), defaults(model))
    assert 0.0 < swing < math.inf


def test_a_fast_start_asks_for_a_short_step():
    model = crank_slider()
    runtime, state = prepare(model)[0], start_state(model)
    for rate in (-50.0, 50.0):
        found = pace(runtime, state.z, np.array([rate]), defaults(model))
        assert found.step == pytest.approx(strides(runtime)[0] / 50.0) and found.rate == rate
    aside = np.array([1.0])  # not at a dead centre, where the spring does nothing
    slow = pace(runtime, aside, np.array([1e-9]), defaults(model))
    assert slow.coordinate == -1 and slow.step == pytest.approx(1.0 / slow.rate)
    halved = pace(prepare(replace(model, method="midpoint"))[0], aside, np.array([1e-9]), defaults(model))
    assert halved.step == pytest.approx(0.2 * slow.step)


def test_start_values_that_no_step_can_go_on_from():
    runtime = prepare(crank_slider())[0]
    check_starts(runtime, np.array([1e6 * 2 * np.pi]), np.array([1e8]))
    with pytest.raises(
        StepError, match=r"'theta' starts at 6\.28319e\+18 rad, where the last digit .* worth 1\.4e\+03 rad"
    ):
        check_starts(runtime, np.array([1e18 * 2 * np.pi]), np.zeros(1))
    with pytest.raises(StepError, match="'theta' starts at a rate of 1e.12 rad/s, .* shortest step, 1e-09 s"):
        check_starts(runtime, np.zeros(1), np.array([1e12]))
