from dataclasses import replace

import numpy as np
import pytest
from helpers_model import crank_slider, defaults, double_pendulum, no_inputs, start_state
from helpers_stiff import stiff_pendulum

from fmu_src.numpy_runtime.dynamics import prepare
from fmu_src.numpy_runtime.steps.integrator import advance
from fmu_src.numpy_runtime.steps.step_error import order, paced, promised

MODELS = {
    "rk4": lambda: double_pendulum(nodes=25),
    "explicit midpoint": lambda: replace(double_pendulum(nodes=25), method="midpoint"),
    "rosenbrock": lambda: stiff_pendulum(nodes=25),
    "midpoint": lambda: stiff_pendulum(nodes=25, method="midpoint"),
    "quasistatic": lambda: stiff_pendulum(nodes=25, quasistatic=True),
    "crank": crank_slider,
}


def moving(model):
    """A state on its way, some steps after a start at a rate."""
    charts, p, u = prepare(model), defaults(model), no_inputs(model)
    state = start_state(model)
    zd = state.zd.copy()
    zd[0] += 2.0
    return charts, p, u, advance(charts, replace(state, zd=zd), 0.02, p, u, 1e-3)


@pytest.mark.parametrize("name", MODELS)
def test_the_estimate_is_the_error_of_the_step(name):
    model = MODELS[name]()
    charts, p, u, state = moving(model)
    h = 2e-3 if model.stiff and not model.quasistatic else 1e-2
    after = advance(charts, state, h, p, u, h, check=True)
    exact = advance(charts, state, h, p, u, h / 64)
    n = charts[0].nf if model.quasistatic else charts[0].nz
    true = np.abs(after.z - exact.z)[:n] / promised(charts[0], after.pace * h)[:n]
    assert after.error == pytest.approx(true.max(), rel=0.5)
    assert after.pace == max(paced(charts[0], state.zd), paced(charts[0], after.zd))


@pytest.mark.parametrize("name", [name for name in MODELS if name not in ("midpoint", "rosenbrock")])
def test_it_falls_with_the_order_of_the_method(name):
    """Of one step by one order more, which what turns for ever is given back."""
    model = MODELS[name]()
    charts, p, u, state = moving(model)
    errors = [advance(charts, state, h, p, u, h, check=True).error for h in (8e-3, 4e-3)]
    expected = order(model) + (not charts[0].chart.axes[0].periodic)
    assert np.log2(errors[0] / errors[1]) == pytest.approx(expected, abs=0.5)


@pytest.mark.parametrize("name", MODELS)
def test_measuring_changes_nothing_else(name):
    charts, p, u, state = moving(MODELS[name]())
    plain, checked = (advance(charts, state, 0.01, p, u, 1e-3, check) for check in (False, True))
    assert plain.error == -1.0 and checked.error >= 0.0
    for field in ("z", "zd", "zdd", "zdd_before", "z_then", "zd_then"):
        a, b = getattr(plain, field), getattr(checked, field)
        assert (a is None and b is None) or (a == b).all()


def test_of_several_internal_steps_the_worst_counts():
    charts, p, u, state = moving(crank_slider())
    worst, at = 0.0, state
    for _ in range(5):
        at = advance(charts, at, 2e-3, p, u, 2e-3, check=True)
        worst = max(worst, at.error)
    assert advance(charts, state, 1e-2, p, u, 2e-3, check=True).error == pytest.approx(worst, rel=1e-6)
