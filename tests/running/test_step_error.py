"""The estimate of what steps cost, against runs in steps so short that they cost nothing."""

import numpy as np
import pytest
from helpers_model import crank_slider
from helpers_stiff import stiff_pendulum

from fmu_src.build.python_fmu import build_fmu
from fmu_src.numpy_runtime.steps.step_error import order
from precompute.running.simulation import SimulationError, run_fmu
from precompute.running.step_error import HELD_ORDER, richardson, step_error

pytestmark = pytest.mark.fmu
STOP = 0.2


@pytest.fixture(scope="module")
def crank(tmp_path_factory):
    return build_fmu(crank_slider(), tmp_path_factory.mktemp("fmu") / "crank.fmu")


@pytest.mark.parametrize("solver_step", [0.02, 0.01, 0.004, 1.0])
def test_the_estimate_is_the_error(crank, solver_step):
    """With steps of the integrator as long as the communication step, shorter, and "longer", which is as long."""
    values, step = {"qd_start.theta": 20.0, "solver.step": solver_step}, 0.02
    run, exact = (run_fmu(crank, STOP, step, v) for v in (values, {**values, "solver.step": step / 64}))
    found = step_error(crank, run, step, values, None, ["q.theta", "energy.total"])
    assert found.step == pytest.approx(step / np.ceil(step / solver_step - 1e-9), rel=1e-12)
    assert found.order == 4 and found.held == {}
    for name, change in found.changes.items():
        error = np.max(np.abs(run.outputs[name] - exact.outputs[name]))
        assert error > 1e-9 and richardson(found.order) * change.difference == pytest.approx(error, rel=0.1), name


def test_inputs_that_are_held(crank):
    t = np.linspace(0.0, STOP, 401)
    swing = np.empty(len(t), dtype=[("time", float), ("Q.theta", float)])
    swing["time"], swing["Q.theta"] = t, 40.0 * np.sin(30.0 * t)
    values, step = {"solver.step": 5e-4}, 0.02
    run, exact = (run_fmu(crank, STOP, h, values, swing) for h in (step, 5e-4))
    found = step_error(crank, run, step, values, swing, ["q.theta"])
    error = np.max(np.abs(run.outputs["q.theta"] - exact.outputs["q.theta"][::40]))
    assert richardson(HELD_ORDER) * found.held["q.theta"].difference == pytest.approx(error, rel=0.1)
    assert found.changes["q.theta"].difference < 1e-3 * error


def test_orders():
    model = crank_slider()
    assert [order(m) for m in (model, stiff_pendulum(nodes=15))] == [4, 3]
    assert order(crank_slider(method="midpoint")) == 2


def test_a_finer_run_that_fails_is_told(crank, monkeypatch):
    from precompute.running import step_error as module
    from precompute.running.simulation import StoppedError

    run = run_fmu(crank, 0.01, 0.001)

    def fail(*arguments, **options):
        raise StoppedError("crank.fmu stopped at 0.005 s: no more", run)

    monkeypatch.setattr(module, "run_fmu", fail)
    with pytest.raises(
        SimulationError, match="the run in steps of half the length failed: crank.fmu stopped at 0.005 s"
    ):
        step_error(crank, run, 0.001, {}, None, ["q.theta"])
