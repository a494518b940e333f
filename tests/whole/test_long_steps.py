"""Steps that are too long: lowered at the start, measured on request, warned of, called divergence; NumPy and C."""

import re
from dataclasses import replace

import numpy as np
import pytest
from helpers_baked import baked_file
from helpers_kernel import FIRST
from helpers_model import crank_slider, double_pendulum
from helpers_runs import SIZE, Runs, suggested
from helpers_stiff import stiff_pendulum

from fmu_src.errors import StepError
from fmu_src.interface.variables import SOLVER_CHECK, SOLVER_STEP

ENERGY = 1e-6
STOP = 0.1
FAST = (100.0, 314.0, 1000.0)


def run(model, folder, values, stop=STOP, numpy=True):
    """Largest relative change of the energy, all that was said, all that solver.error was, and the step at the end."""
    runs = Runs(model, folder)
    said = [runs.begin(values, numpy)]
    (first,), changes, errors = runs.read("energy.total"), [], []
    for i in range(round(stop / SIZE)):
        said.append(runs.step(i))
        energy, error = runs.read("energy.total", "solver.error")
        changes.append(abs(energy / first - 1.0))
        errors.append(error)
    return max(changes), [text for text in said if text], errors, runs.read("solver.step")[0]


# --- at the start -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("rate", FAST)
def test_the_default_step_is_lowered_for_a_fast_start(rate, tmp_path):
    change, said, errors, step = run(baked_file("crank_slider"), tmp_path, {"qd_start.crank": rate}, numpy=rate < 300)
    assert len(said) == 1
    assert re.match(r"parameter 'solver\.step' is lowered from 0\.001 s to [\d.e-]+ s: 'crank' moves at", said[0])
    assert f"to {step:.9g} s" in said[0] and step < SIZE  # it reads back as what is used
    assert change < ENERGY and set(errors) == {-1.0}


def test_a_slow_start_is_left_alone(tmp_path):
    change, said, _, step = run(baked_file("crank_slider"), tmp_path, {})
    assert (said, step) == ([], SIZE) and change < ENERGY


def test_stiff_parameters_lower_it_too(tmp_path):
    """Explicit steps alone: those of the same mechanism with stiff coordinates are implicit."""
    model = crank_slider()
    name = next(p.name for p in model.parameters if p.name.endswith(".k"))
    runs = Runs(model, tmp_path)
    said = runs.begin({name: 1e9, "q_start.theta": 1.0})
    assert "the mechanism by itself moves with up to" in said and runs.read("solver.step")[0] < 1e-3
    for i in range(3):
        runs.step(i)
    implicit = Runs(stiff_pendulum(nodes=15), tmp_path)
    assert implicit.begin({"bushing.mount.k[1]": 1e12}) is None


def test_a_step_that_was_set_is_kept_and_warned_of(tmp_path):
    change, said, _, step = run(baked_file("crank_slider"), tmp_path, {"qd_start.crank": 314.0, "solver.step": 2e-3})
    assert step == 2e-3 and change > 100 * ENERGY
    assert len(said) == 1 and "steps of 0.001 s are too long for the motion" in said[0] and "solver.check" in said[0]
    values = {"qd_start.crank": 314.0, "solver.step": suggested(said[0])}
    change, said, _, _ = run(baked_file("crank_slider"), tmp_path, values, numpy=False)
    assert change < ENERGY and said == []


def test_a_communication_step_that_is_short_enough_is_not_warned_of(tmp_path):
    runs = Runs(baked_file("crank_slider"), tmp_path)
    assert runs.begin({"qd_start.crank": 100.0, "solver.step": 1.0}) is None
    assert [runs.step(i, 5e-5) for i in range(3)] == [None] * 3


@pytest.mark.parametrize(
    ("values", "text"),
    [
        ({"q_start.crank": 2e18 * np.pi}, "'crank' starts at .*, where the last digit of a number is worth"),
        ({"qd_start.crank": 1e12}, "'crank' starts at a rate of"),
    ],
)
def test_start_values_that_lose_precision_are_refused(values, text, tmp_path):
    runs = Runs(baked_file("crank_slider"), tmp_path)
    said = []
    for instance in (runs.numpy, runs.compiled):
        instance.set([runs.names.index(name) for name in values], list(values.values()))
        instance.setup(0.0)
        instance.enter_initialization()
        with pytest.raises(StepError, match=text) as error:
            instance.exit_initialization()
        said.append(str(error.value))
        instance.set([runs.names.index(name) for name in values], [1.0] * len(values))  # and it can go on
        instance.exit_initialization()
        instance.step(0.0, SIZE)
    assert said[0] == said[1]


# --- while it runs ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("rate", FAST)
@pytest.mark.parametrize("step", [2e-3, 2e-4])
def test_the_check_warns_once_and_names_a_step_that_serves(rate, step, tmp_path):
    values = {"qd_start.crank": rate, "solver.check": 1.0}
    model, numpy = baked_file("crank_slider"), rate < 300 and step > 1e-3
    change, said, errors, _ = run(model, tmp_path, values | {"solver.step": step}, numpy=numpy)
    assert len(said) == 1 and "what the tables promise" in said[0] and max(errors) > 1.0
    if step > 1e-3 and rate > 100:
        assert change > ENERGY
    change, said, errors, _ = run(model, tmp_path, values | {"solver.step": suggested(said[0])}, numpy=False)
    assert change < ENERGY and said == [] and 0.0 < max(errors) <= 1.0


def test_a_warning_where_a_lap_ends_changes_nothing_else(tmp_path):
    """What it looks at is of the new lap, in which a spring that winds up has another force."""
    model = baked_file("crank_slider_charts")
    model = replace(model, elements=tuple(replace(element, lap=1.0) for element in model.elements))
    runs = Runs(model, tmp_path)
    chart, border = next((i, b) for i, c in enumerate(model.charts) for b in c.borders if b.lap)
    assert runs.begin({"qd_start.slider": 10.0, "solver.step": 0.05}) is None
    rate = 30.0 if border.upper else -30.0
    state = runs.numbers(runs.numpy).copy()
    state[2], state[FIRST : FIRST + 2] = chart, (border.at - 0.5 * SIZE * rate, rate)
    for instance in runs.both:
        instance.restore(runs.block(state))
    assert "are too long for the motion" in runs.step(0)
    for i in (1, 2):
        assert runs.step(i) is None
        compiled, numpy = (runs.numbers(instance)[2 : runs.end] for instance in runs.both)
        assert numpy[1] == border.lap
        np.testing.assert_allclose(compiled, numpy, atol=1e-11)


def test_a_run_that_becomes_too_fast_is_not_silent(tmp_path):
    """Without a check, and after a start at rest."""
    runs = Runs(baked_file("crank_slider"), tmp_path)
    assert runs.begin({"qd_start.crank": 0.0}) is None
    runs.put("Q.crank", 2e5)
    said = [runs.step(i) for i in range(60)]
    (text,) = [text for text in said if text]
    assert "too long for the motion" in text and suggested(text) < SIZE


def test_a_measured_error_knows_better_than_the_rules(tmp_path):
    """A load that throws the arm over a cell in a step, which the steps follow with ease."""
    load, said = {"port.contact.F[3]": 1e5, "qd_start.pivot": 0.0}, {}
    for check in (0.0, 1.0):
        runs = Runs(baked_file("short/trailing_arm"), tmp_path)
        texts = [runs.begin(load | {"solver.check": check}), *(runs.step(i) for i in range(11))]
        said[check] = [text for text in texts if text]
        assert runs.read("solver.error")[0] < 0.1
    assert len(said[0.0]) == 1 and "too long for the motion" in said[0.0][0] and said[1.0] == []


TURNING = ["crank_slider", "four_bar", "rssr", "spatial_slider_crank"]


@pytest.mark.parametrize("name", [*TURNING, "double_wishbone_rigid", "five_link", "macpherson", "double_wishbone"])
def test_shipped_mechanisms_are_within_their_promise_by_default(name, tmp_path):
    _, said, errors, _ = run(baked_file(name), tmp_path, {"solver.check": 1.0}, stop=0.3, numpy=False)
    assert said == [] and 0.0 <= max(errors) <= 1.0


MODELS = {
    "rk4": lambda: double_pendulum(nodes=15),
    "crank": crank_slider,
    "rosenbrock": lambda: stiff_pendulum(nodes=15, moving=True),
    "midpoint": lambda: stiff_pendulum(nodes=15, method="midpoint"),
    "filtered": lambda: stiff_pendulum(nodes=15, driven="filtered", method="midpoint"),
    "quasistatic": lambda: stiff_pendulum(nodes=15, quasistatic=True),
    "charts": lambda: baked_file("crank_slider_charts"),
}


@pytest.mark.parametrize("name", MODELS)
def test_results_do_not_depend_on_the_check(name, tmp_path):
    """To the bit, with saved states that are restored on the way, in instances with and without it."""
    runs, states = Runs(MODELS[name](), tmp_path), []
    places = [i for i in runs.outputs if runs.names[i] != "solver.error"]
    for check in (0.0, 1.0):
        for instance in (runs.compiled, runs.numpy):
            own = []
            first = instance.save()
            instance.set([SOLVER_CHECK, SOLVER_STEP], [check, 0.4 * SIZE])
            instance.setup(0.0)
            instance.enter_initialization()
            instance.exit_initialization()
            for i in range(25):
                instance.step(i * SIZE, SIZE)
                own.append((instance.get(places), instance.save(), instance.get([runs.names.index("solver.error")])[0]))
            assert all((error == -1.0) is (check == 0.0) for *_, error in own)
            for i in (20, 3):
                instance.restore(own[i][1])
                for j in range(i, i + 4):
                    assert instance.get(places) == own[j][0] and instance.save() == own[j][1]
                    instance.step((j + 1) * SIZE, SIZE)
            states.append([shown for shown, *_ in own])
            instance.restore(first)
    assert states[0] == states[2] and states[1] == states[3]


@pytest.mark.parametrize("name", MODELS)
def test_both_run_times_measure_the_same_error(name, tmp_path):
    runs = Runs(MODELS[name](), tmp_path)
    runs.begin({"solver.check": 1.0})
    for i in range(20):
        runs.step(i)
        a, b = (x.get([runs.names.index("solver.error")])[0] for x in runs.both)
        assert a == pytest.approx(b, rel=1e-3, abs=1e-3) and a >= 0.0


# --- divergence -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("outside", ["error", "linear"])
@pytest.mark.parametrize("method", ["rk4", "midpoint"])
def test_enormous_forces_are_called_divergence_at_once(outside, method, tmp_path):
    runs = Runs(replace(double_pendulum(nodes=15, outside=outside), method=method), tmp_path)
    runs.begin({})
    runs.put("Q.alpha", 1e12)
    for instance in runs.both:
        before = instance.get(runs.outputs)
        with pytest.raises(StepError, match=r"t = 0 s and 0\.001 s: the motion diverged: .*reduce 'solver.step'"):
            instance.step(0.0, SIZE)
        assert instance.get(runs.outputs) == before


@pytest.mark.parametrize("name", ["crank_slider", "double_wishbone_rigid", "five_link", "crank_slider_charts"])
def test_the_first_step_under_enormous_loads_says_so(name, tmp_path):
    runs = Runs(baked_file(name), tmp_path)
    runs.begin({})
    port = f"port.{runs.model.ports[0].name}.F[3]" if runs.model.ports else None
    load = port if port and "crank" not in name else next(n for n in runs.names if n.startswith("Q."))
    runs.put(load, 1e12)
    for instance in runs.both:
        with pytest.raises(StepError, match=r"solver\.step") as error:
            for i in range(3):
                instance.step(i * SIZE, SIZE)
        assert "wider range" not in str(error.value)
        assert abs(instance.get([runs.names.index("energy.total")])[0]) < 1e15
