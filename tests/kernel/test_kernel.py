"""The NumPy reference and the compiled kernel agree: in each evaluation, over long runs, in their errors.

An evaluation agrees to 1e-12 of what it is made of, see `helpers_kernel.Pair.difference`; a run of 10 000 steps
to 1e-9, of motions that do not magnify rounding.
"""

from contextlib import suppress
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from helpers import MECHANISMS, ROOT
from helpers_baked import baked
from helpers_kernel import FIRST, Pair, alike, random_numbers
from helpers_model import crank_slider, double_pendulum
from helpers_random import dense_model, models, random_model
from helpers_stiff import stiff_pendulum
from hypothesis import HealthCheck, given, settings

from fmu_src.errors import FmuError, StepError, TableRangeError
from precompute.mechanism_file import load

EVALUATION = 1e-12
RUN = 1e-9
SIZE = 1e-3

OWN = ROOT / "tests" / "mechanisms"
FILES = {path.stem: path for folder in (MECHANISMS, OWN) for path in sorted(folder.glob("*.toml"))}


@cache
def own_model(path):
    return baked(load(path))


@pytest.fixture
def pair(baked, tmp_path):
    """name -> both run-times of a mechanism file."""

    def make(name, **more):
        model = baked(name) if FILES[name].parent == MECHANISMS else own_model(FILES[name])
        return Pair(model, tmp_path, **more)

    return make


# --- one evaluation ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", FILES)
def test_evaluations_of_mechanism_files(name, pair):
    both, rng = pair(name), np.random.default_rng(1)
    for chart in range(len(both.model.charts)):
        for _ in range(6 if both.model.stiff else 15):  # test_shapes has more of these, which take their time in NumPy
            assert both.difference(random_numbers(both, rng, chart), rng) < EVALUATION


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(model=models)
def test_evaluations_and_steps_of_random_models(model, tmp_path):
    both, rng = Pair(model, tmp_path), np.random.default_rng(int(model.source_hash, 16) % 2**32)
    for _ in range(3):
        numbers = random_numbers(both, rng)
        assert both.difference(numbers, rng) < EVALUATION
        assert both.difference(numbers, rng, step=SIZE) < EVALUATION


def test_a_chart_leaves_nothing_behind_for_another(tmp_path):
    free = {"moving": True, "quasistatic": False, "periodic": (False, True, False), "driven": ("no",) * 3}
    model = random_model(2685719016, nf=3, ns=0, charts=2, degree=1, outside=("linear", "error", "error"), **free)
    both, rng = Pair(model, tmp_path), np.random.default_rng(3)
    for chart in (0, 1) * 10:
        assert both.difference(random_numbers(both, rng, chart), rng) < EVALUATION


def test_a_coupling_of_a_measure_that_varies_with_one_that_does_not(tmp_path):
    """Found by the test of random models: both must then be taken for varying."""
    flags = {"periodic": (True, False, False), "outside": ("error",) * 3, "driven": ("no",) * 3}
    model = random_model(2748989097, nf=1, ns=5, charts=1, degree=3, moving=False, quasistatic=False, **flags)
    both, rng = Pair(model, tmp_path), np.random.default_rng(3)
    for _ in range(6):
        assert both.difference(random_numbers(both, rng), rng, step=SIZE) < EVALUATION


@pytest.mark.parametrize("method", ["rk4", "midpoint"])
@pytest.mark.parametrize("degree", [1, 3, 5])
@pytest.mark.parametrize("ns", [7, 8, 9, 10, 11, 12])
def test_inertia_that_changes_with_every_deflection(ns, degree, method, tmp_path):
    """With nine to twelve coordinates the kernel has ways of its own on some processors."""
    for seed, whole in ((1, True), (2, False), (3, True)):
        model = dense_model(seed, ns, degree, whole, moving=seed == 3, method=method)
        both, rng = Pair(model, tmp_path), np.random.default_rng(seed)
        for step in (0.0, SIZE, SIZE):
            assert both.difference(random_numbers(both, rng), rng, step) < EVALUATION


@pytest.mark.parametrize("degree", [1, 3])
def test_states_of_such_a_model_are_exact(degree, tmp_path):
    """Also after other states were read, while matrices serve that were found before, whatever was asked for."""
    both = Pair(dense_model(4, 10, degree, moving=False, method="midpoint"), tmp_path).start()
    numbers = both.numbers().copy()
    numbers[FIRST + 1 : FIRST + both.nz] = 1e-3  # deflected,
    numbers[FIRST + both.nz : FIRST + 2 * both.nz] = 0.0  # at rest
    k, states, motion = both.compiled, [], []
    k.restore(both.block(numbers))
    for i in range(30):
        states.append(k.save())
        motion.append(both.numbers()[: both.end])
        k.step(i * SIZE, SIZE)
    for start in (25, 3, 17, 0, 1):
        k.restore(states[start])
        k.get(both.outputs)
        for i in range(start, start + 5):
            np.testing.assert_array_equal(both.numbers()[: both.end], motion[i])
            k.step(i * SIZE, SIZE)


@pytest.mark.parametrize("method", ["rk4", "midpoint"])
@pytest.mark.parametrize("make", [stiff_pendulum, lambda: dense_model(5, 10, 1, moving=False)])
def test_a_state_that_is_no_number_leaves_nothing_behind(make, method, tmp_path):
    both = Pair(replace(make(), method=method), tmp_path).start()
    k, good = both.compiled, both.numbers().copy()
    k.step(0.0, SIZE)
    expected, bad = both.numbers().copy(), good.copy()
    bad[FIRST + len(both.model.coordinates) : FIRST + both.nz] = np.nan  # deflections
    for i, name in enumerate(both.names):
        if name.startswith("gravity["):
            bad[len(bad) - len(both.table) + i] = 1.0  # along axes where it was zero, too
    for touch in (lambda: k.get(both.outputs), lambda: k.step(0.0, SIZE)):
        k.restore(both.block(bad))
        with suppress(FmuError):
            touch()
    k.restore(both.block(good))
    k.step(0.0, SIZE)
    np.testing.assert_array_equal(both.numbers()[: both.end], expected[: both.end])


# --- long runs --------------------------------------------------------------------------------------------------------


def run(both, steps, amplitude=1.0):
    """Largest difference of the states over a run with inputs that vary, relative to the largest of each number."""
    forces = [i for i, v in enumerate(both.table) if v.causality == "input" and v.unit in ("N", "N.m")]
    starts = [both.table[i].start for i in forces]
    both.start()
    worst, largest = np.zeros(2 * both.nz), np.full(2 * both.nz, 1e-3)
    for i in range(steps):
        drive = [start + amplitude * np.sin(2e-3 * (1 + k) * i) for k, start in enumerate(starts)]
        for instance in (both.numpy, both.compiled):
            instance.set(forces, drive)
        said = [instance.step(i * SIZE, SIZE) for instance in (both.numpy, both.compiled)]
        assert (said[0] is None) == (said[1] is None)
        if i % 50 == 49 or i == steps - 1:
            a, b = (both.numbers(instance)[2 : FIRST + 2 * both.nz] for instance in (both.numpy, both.compiled))
            assert (a[: FIRST - 2] == b[: FIRST - 2]).all()
            worst = np.maximum(worst, np.abs(a - b)[FIRST - 2 :])
            largest = np.maximum(largest, np.abs(a)[FIRST - 2 :])
    return float((worst / largest).max())


DAMPED = {"bushing.mount.c[1]": 150.0, "bushing.mount.c[2]": 150.0}
RUNS = {
    "explicit": (
        lambda: double_pendulum(nodes=15, outside="linear"),
        {"damper.tip.f[1]": -8.0, "damper.tip.f[3]": 8.0},
    ),
    "implicit": (lambda: stiff_pendulum(nodes=25), DAMPED),
    "midpoint": (lambda: replace(stiff_pendulum(nodes=25), method="midpoint"), DAMPED),
    "quasistatic": (lambda: stiff_pendulum(nodes=25, quasistatic=True), {}),
    "moving": (lambda: stiff_pendulum(nodes=25, moving=True, driven="filtered"), {"bushing.mount.c[1]": 150.0}),
}


@pytest.mark.parametrize("way", RUNS)
def test_long_runs(way, tmp_path):
    make, parameters = RUNS[way]
    both = Pair(make(), tmp_path)
    for name, value in parameters.items():
        both.put(name, value)
    assert run(both, 10_000 if way in ("explicit", "implicit", "midpoint") else 2000) < RUN


@pytest.mark.parametrize(
    ("name", "steps", "amplitude"),
    [
        ("crank_slider", 10_000, 1.0),
        ("crank_slider_charts", 2000, 1.0),
        ("rssr", 3000, 1e-3),
        ("crank_slider_stiff", 3000, 1.0),
        ("corner", 1000, 1.0),
    ],
)
def test_long_runs_of_mechanism_files(name, steps, amplitude, pair):
    assert run(pair(name), steps, amplitude) < RUN


# --- errors -----------------------------------------------------------------------------------------------------------


def said_by(instance, call):
    try:
        call(instance)
    except (StepError, TableRangeError) as error:
        return type(error), str(error)
    return None, ""


def index(both, name):
    return both.names.index(name)


PENDULUM_FAULTS = {
    "not finite": (StepError, lambda n, i: i.set([n("Q.alpha")], [np.nan])),
    "infinite": (StepError, lambda n, i: i.set([n("gravity[1]")], [-np.inf])),
    "output": (StepError, lambda n, i: i.set([n("q.alpha")], [1.0])),
    "fixed": (StepError, lambda n, i: i.set([n("q_start.alpha")], [0.1])),
    "bounds": (StepError, lambda n, i: i.set([n("solver.step")], [0.0])),
    "reference": (StepError, lambda n, i: i.get([9999])),
    "negative": (StepError, lambda n, i: i.set([-1], [0.0])),
    "zero step": (StepError, lambda n, i: i.step(0.0, 0.0)),
    "negative step": (StepError, lambda n, i: i.step(0.0, -1.0)),
    "step that is no number": (StepError, lambda n, i: i.step(0.0, np.nan)),
    "too many": (StepError, lambda n, i: i.step(0.0, 1e9)),
    "jump": (StepError, lambda n, i: i.step(0.5, 0.1)),
    "no time": (StepError, lambda n, i: i.step(np.nan, 0.1)),
    "start time": (StepError, lambda n, i: i.setup(np.inf)),
    "out of table": (TableRangeError, lambda n, i: (i.set([n("Q.alpha")], [500.0]), i.step(0.0, 1.0))),
    "table": (StepError, lambda n, i: (i.set([n("damper.tip.x[1]")], [0.5]), i.step(0.0, 0.1))),
    "terminated": (StepError, lambda n, i: (i.terminate(), i.step(0.0, 0.1))),
    "foreign state": (StepError, lambda n, i: i.restore(b"nothing")),
}


@pytest.mark.parametrize("fault", PENDULUM_FAULTS)
def test_errors_agree(fault, tmp_path):
    kind, call = PENDULUM_FAULTS[fault]
    both = Pair(double_pendulum(nodes=15), tmp_path).start()
    said = [said_by(i, lambda i: call(lambda name: index(both, name), i)) for i in (both.numpy, both.compiled)]
    assert said[0][0] is said[1][0] is kind
    assert alike(said[0][1], said[1][1]), said


STIFF_FAULTS = {
    "indefinite": ("stiff", {"bushing.mount.k[1,2]": 1e6}, 1),
    "damping": ("stiff", {"bushing.mount.c[1,2]": 10.0}, 1),
    "diverging": ("stiff", {"bushing.mount.k[1]": -4e5, "bushing.mount.k[1,2]": 0.0}, 300),
    "no equilibrium": ("quasistatic", {"bushing.mount.k[1]": -1e3, "bushing.mount.k[1,2]": 0.0}, 5),
}


@pytest.mark.parametrize("fault", STIFF_FAULTS)
def test_errors_of_stiff_models_agree(fault, tmp_path):
    """In type; and in words but for numbers, since what diverges magnifies rounding."""
    way, parameters, steps = STIFF_FAULTS[fault]
    both = Pair(stiff_pendulum(nodes=25, quasistatic=way == "quasistatic"), tmp_path).start()
    said = []
    for instance in (both.numpy, both.compiled):
        instance.set([index(both, name) for name in parameters], list(parameters.values()))
        said.append(said_by(instance, lambda i: [i.step(k * 0.01, 0.01) for k in range(steps)]))
    assert said[0][0] is said[1][0] is StepError, said
    assert alike(said[0][1], said[1][1]), said


def test_a_failed_step_changes_nothing_in_either(tmp_path):
    both = Pair(double_pendulum(nodes=15), tmp_path).start()
    both.put("Q.alpha", 500.0)
    for instance in (both.numpy, both.compiled):
        before = instance.save()
        with pytest.raises(TableRangeError):
            instance.step(0.0, 1.0)
        after = np.frombuffer(instance.save()[16:])
        np.testing.assert_array_equal(after[: both.end], np.frombuffer(before[16:])[: both.end])


def test_the_crank_slider_over_many_turns(tmp_path):
    both = Pair(crank_slider(), tmp_path)
    assert run(both, 2000, amplitude=5.0) < RUN


def test_a_step_that_fails_spoils_no_output(tmp_path):
    """Quasi-static deflections are found on the way, in the same memory as those of the outputs."""
    both = Pair(stiff_pendulum(nodes=15, quasistatic=True), tmp_path)
    both.start()
    instance, outputs = both.compiled, list(both.outputs)
    both.put(next(name for name in both.names if name.startswith("Q.")), 1e200)
    expected = instance.get(outputs)
    instance.restore(instance.save())  # so that outputs are computed again
    instance.get(outputs[:1])
    with pytest.raises((StepError, TableRangeError)):
        instance.step(0.0, 10.0)
    assert instance.get(outputs) == expected
