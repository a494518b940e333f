"""Runs of FMUs: what a sample holds, what is kept of a run that fails, what inputs over time do."""

from types import SimpleNamespace

import fmpy
import numpy as np
import pytest
from helpers_corner import corner
from helpers_kinds import FRONTS, builder
from helpers_model import crank_slider, double_pendulum

from precompute.running.samples import write_csv
from precompute.running.simulation import (
    CHECK,
    SimulationError,
    StoppedError,
    checking,
    overheard,
    read_description,
    real_variables,
    run_fmu,
)

pytestmark = pytest.mark.fmu


@pytest.fixture(scope="module", params=FRONTS)
def folder(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp("fmus")
    builder(request.param)(crank_slider(), folder / "crank.fmu")
    builder(request.param)(double_pendulum(nodes=15), folder / "pendulum.fmu")
    return folder


@pytest.fixture(scope="module")
def crank(folder):
    return folder / "crank.fmu"


def table(times, *columns, names=("Q.theta",)):
    data = np.empty(len(times), dtype=[("time", float), *((name, float) for name in names)])
    for name, column in zip(data.dtype.names, (times, *columns), strict=True):
        data[name] = column
    return data


RAMP = table([0.0, 0.2], [0.0, 40.0])


def test_a_sample_holds_the_inputs_that_act_at_its_time(crank):
    """Each is what a start in that state with that constant input gives, the last one too."""
    run = run_fmu(crank, 0.2, 0.02, inputs=RAMP)
    np.testing.assert_allclose(run.inputs["Q.theta"], 200.0 * run.time, rtol=1e-14)
    for i in (0, 1, 5, 10):
        names = {"q_start.theta": "q.theta", "qd_start.theta": "qd.theta"}
        same = {start: float(run.outputs[name][i]) for start, name in names.items()}
        alone = run_fmu(crank, 0.001, 0.001, {**same, "Q.theta": 200.0 * run.time[i]})
        for name, values in run.outputs.items():
            if name == "solver.error":  # of the step before
                continue
            scale = max(1.0, np.abs(values).max())
            assert alone.outputs[name][0] == pytest.approx(values[i], abs=1e-12 * scale), name
    still = run_fmu(crank, 0.001, 0.001, {**same, "Q.theta": 0.0})
    assert abs(still.outputs["qdd.theta"][0] - run.outputs["qdd.theta"][-1]) > 0.1  # the input matters


def test_all_inputs_are_recorded(crank):
    run = run_fmu(crank, 0.1, 0.05, {"port.pin.F[1]": 7.0}, RAMP)
    assert run.inputs["Q.theta"].tolist() == pytest.approx([0.0, 10.0, 20.0])
    assert run.inputs["port.pin.F[1]"].tolist() == [7.0] * 3
    assert set(run.inputs) == set(real_variables(read_description(crank), "input"))
    assert run.units["Q.theta"] == "N.m" and run.values.keys() == run.outputs.keys() | run.inputs.keys()


def test_csv_has_outputs_and_inputs(crank, tmp_path):
    run = run_fmu(crank, 0.1, 0.05, inputs=RAMP)
    write_csv(run, tmp_path / "run.csv")
    found = np.genfromtxt(tmp_path / "run.csv", delimiter=",", names=True, deletechars="")
    assert found.dtype.names[:2] == ("time", "q.theta") and "Q.theta" in found.dtype.names
    assert found["Q.theta"].tolist() == run.inputs["Q.theta"].tolist()
    assert found["q.theta"].tolist() == run.outputs["q.theta"].tolist()


def test_without_inputs_over_time_it_is_the_run_of_fmpy(crank):
    names = ["q.theta", "qdd.theta", "energy.total"]
    ours = run_fmu(crank, 0.5, 0.01, {"Q.theta": 20.0, "q_start.theta": 0.3})
    with overheard():
        theirs = fmpy.simulate_fmu(
            str(crank), stop_time=0.5, output_interval=0.01, start_values={"Q.theta": 20.0, "q_start.theta": 0.3}
        )
    np.testing.assert_allclose(ours.time, theirs["time"], rtol=1e-14)
    for name in names:
        np.testing.assert_allclose(ours.outputs[name], theirs[name], rtol=1e-10, atol=1e-12)


def test_inputs_over_time_are_followed_to_second_order(crank):
    """In steps of the integrator that do not matter; held at the start of steps it would be first order."""
    t = np.linspace(0.0, 0.2, 401)
    swing = table(t, 40.0 * np.sin(20.0 * t))
    runs = [run_fmu(crank, 0.2, h, {"solver.step": 5e-4}, swing).outputs["q.theta"] for h in (0.02, 0.01, 0.005, 5e-4)]
    errors = [abs(run[-1] - runs[-1][-1]) for run in runs[:-1]]
    assert 3.6 < errors[0] / errors[1] < 4.4 and 3.6 < errors[1] / errors[2] < 4.4, errors


def test_a_jump_is_taken_where_it_is(crank):
    """Between communication points; the sample there has the later value, and no step goes across."""
    jump = table([0.0, 0.05, 0.05, 0.1], [0.0, 0.0, 50.0, 50.0])
    coarse, fine = (run_fmu(crank, 0.1, h, {"solver.step": 5e-4}, jump) for h in (0.04, 0.01))
    np.testing.assert_allclose(coarse.time, [0, 0.04, 0.05, 0.08, 0.1], rtol=1e-14)
    assert coarse.inputs["Q.theta"].tolist() == [0, 0, 50, 50, 50]
    assert coarse.outputs["q.theta"][-1] == pytest.approx(fine.outputs["q.theta"][-1], abs=1e-11)


def test_samples_before_a_failure_are_kept(folder):
    how = {"stop": 3.0, "step": 0.01, "values": {"Q.alpha": 50.0}}
    with pytest.raises(StoppedError, match=r"pendulum.fmu stopped at 0\.\d+ s: .*'alpha'") as caught:
        run_fmu(folder / "pendulum.fmu", **how)
    kept = caught.value.run
    assert 10 < len(kept.time) == kept.steps + 1 < 300
    whole = run_fmu(folder / "pendulum.fmu", **{**how, "stop": float(kept.time[-1])})
    for name, values in whole.values.items():
        assert len(kept.values[name]) == len(kept.time)
        np.testing.assert_array_equal(kept.values[name], values)


def test_a_start_that_fails_leaves_nothing(folder):
    with pytest.raises(SimulationError, match=r"pendulum.fmu does not start: .*q_start.alpha") as caught:
        run_fmu(folder / "pendulum.fmu", values={"q_start.alpha": 1e3})
    assert not isinstance(caught.value, StoppedError)


def test_nothing_is_set_twice_or_in_vain(crank):
    with pytest.raises(SimulationError, match=r"'Q.theta' is set to a constant \(--set\), but .* leave one out"):
        run_fmu(crank, values={"Q.theta": 1.0}, inputs=RAMP)
    with pytest.raises(SimulationError, match="'Q.thet' is no parameter or input of crank.fmu; did you mean 'Q.theta'"):
        run_fmu(crank, values={"Q.thet": 1.0})
    with pytest.raises(SimulationError, match="'solver.step' is no input of crank.fmu"):
        run_fmu(crank, inputs=table([0.0], [1.0], names=("solver.step",)))


def test_more_samples_than_memory(crank, monkeypatch):
    def full(shape):
        raise MemoryError

    monkeypatch.setattr("precompute.running.simulation.np.empty", full)
    with pytest.raises(SimulationError, match=r"1001 samples of \d+ outputs take .* GB, .* a longer --step"):
        run_fmu(crank, 1.0, 1e-3)


def test_inputs_that_do_not_cover_the_run_are_told(crank):
    run = run_fmu(crank, 0.3, 0.1, inputs=table([0.1, 0.2], [1.0, 2.0]))
    assert len(run.notes) == 2 and "start at 0.1 s" in run.notes[0] and "end at 0.2 s" in run.notes[1]
    assert run.inputs["Q.theta"].tolist() == pytest.approx([1, 1, 2, 2])


def test_the_check_of_steps_is_on_where_there_is_one():
    variables = [SimpleNamespace(name=CHECK, causality="parameter", type="Real")]
    assert checking(SimpleNamespace(modelVariables=variables), True) == {CHECK: 1.0}
    assert checking(SimpleNamespace(modelVariables=variables), False) == {}
    assert checking(SimpleNamespace(modelVariables=[]), True) == {}


def test_the_check_of_steps_in_an_fmu(crank):
    assert run_fmu(crank, 0.01, 0.001).outputs["solver.error"][-1] >= 0.0
    for off in (run_fmu(crank, 0.01, 0.001, {CHECK: 0.0}), run_fmu(crank, 0.01, 0.001, check=False)):
        assert (off.outputs["solver.error"] == -1.0).all()


def test_a_driven_coordinate_is_where_its_input_says(tmp_path):
    """Position and rate are taken at the start of a step, the acceleration is its mean: jerk h^3 / 12 is left."""
    path = builder("numpy")(corner().model, tmp_path / "corner.fmu")
    t, h, w = np.linspace(0.0, 0.05, 201), 1e-3, 40.0
    q, qd, qdd = 0.005 * np.sin(w * t), 0.005 * w * np.cos(w * t), -0.005 * w**2 * np.sin(w * t)
    names = tuple(f"drive.rack.{symbol}" for symbol in ("q", "qd", "qdd"))
    run = run_fmu(path, 0.05, h, inputs=table(t, q, qd, qdd, names=names))
    np.testing.assert_allclose(
        run.outputs["q.rack"], run.inputs["drive.rack.q"], rtol=0, atol=0.005 * w**3 * h**3 / 11.9
    )
    np.testing.assert_allclose(run.outputs["qd.rack"], run.inputs["drive.rack.qd"], rtol=0, atol=1e-6)
