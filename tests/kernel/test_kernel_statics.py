"""Starts at rest in both run-times: the same place, the same words, whatever was asked before."""

import numpy as np
import pytest
from helpers_baked import baked_file
from helpers_kernel import Pair, alike, random_numbers
from helpers_model import crank_slider, double_pendulum
from helpers_stiff import stiff_pendulum

from fmu_src.errors import FmuError, StepError
from fmu_src.interface.variables import SOLVER_STATIC
from fmu_src.numpy_runtime.instance import Phase

TOLERANCE = 1e-12
STARTS = 12
REST = 9.81e-9

MODELS = {
    "stiff": lambda: stiff_pendulum(nodes=25),
    "moving": lambda: stiff_pendulum(nodes=25, moving=True),
    "quasistatic": lambda: stiff_pendulum(nodes=25, quasistatic=True, moving=True),
    "direct": lambda: stiff_pendulum(nodes=25, driven="direct"),
    "filtered": lambda: stiff_pendulum(nodes=25, driven="filtered", quasistatic=True),
    "midpoint": lambda: stiff_pendulum(nodes=25, method="midpoint"),
    "pendulum": lambda: double_pendulum(nodes=15),
    "continued": lambda: double_pendulum(nodes=15, outside="linear"),
    "crank": crank_slider,
    "charts": lambda: baked_file("crank_slider_charts"),
}


@pytest.fixture(params=MODELS)
def pair(request, tmp_path):
    return Pair(MODELS[request.param](), tmp_path)


def at_rest(pair, numbers):
    """Numbers of a saved state in which a start at rest is looked for."""
    numbers[0] = Phase.INITIALIZING
    numbers[SOLVER_STATIC - len(pair.table)] = 1.0
    return numbers


def test_both_start_at_the_same_place_or_say_the_same(pair):
    rng, found = np.random.default_rng(7), 0
    units = np.array([variable.unit for variable in pair.table[pair.layout.outputs]])
    # accelerations are zero but for rounding, also those that tell the scale: forces of 100 N on 1 kg
    pair.floor[np.isin(units, ("m/s2", "rad/s2"))] = 100.0
    for _ in range(STARTS):
        numbers = at_rest(pair, random_numbers(pair, rng, chart=0))
        said = [ended(instance, pair.block(numbers)) for instance in (pair.numpy, pair.compiled)]
        assert alike(*said), said
        if "no static equilibrium" not in said[0] and "not stable" not in said[0]:
            assert pair.difference(numbers, rng) < TOLERANCE
            found += 1
    assert found


def ended(instance, block):
    """What is said at the end of initialization."""
    instance.restore(block)
    try:
        return str(instance.exit_initialization())
    except FmuError as error:
        return str(error)


@pytest.fixture
def stiff(tmp_path):
    return Pair(stiff_pendulum(nodes=25), tmp_path)


def loads(pair, *force):
    return {pair.names.index(f"port.bob.F[{i + 1}]"): x for i, x in enumerate(force)}


def start(instance, values, pair):
    instance.set([SOLVER_STATIC, *values], [1.0, *values.values()])
    instance.setup(0.0)
    instance.enter_initialization()
    said = instance.exit_initialization()
    return said, instance.get(range(len(pair.names)))


def test_the_start_does_not_depend_on_what_was_asked_before(stiff):
    """Outputs are read under other loads first, and where there is no equilibrium."""
    for instance in (stiff.numpy, stiff.compiled):
        blank = instance.save()
        expected = start(instance, loads(stiff, 30.0, -20.0, 0.0), stiff)
        instance.restore(blank)
        torque = stiff.names.index("Q.theta")
        instance.set([SOLVER_STATIC, torque], [1.0, 500.0])
        assert instance.get([stiff.names.index("q.theta")]) == [0.7]  # none yet: loads may be missing
        instance.set([torque], [0.0])
        instance.enter_initialization()
        instance.set(list(loads(stiff, 1.0)), [-90.0])
        instance.get(stiff.outputs)
        again = start(instance, loads(stiff, 30.0, -20.0, 0.0), stiff)
        assert again == expected
        assert np.abs(instance.get([stiff.names.index("qdd.theta")])[0]) < REST


def test_a_failed_start_can_be_mended(stiff):
    texts = []
    for instance in (stiff.numpy, stiff.compiled):
        with pytest.raises(StepError) as caught:
            start(instance, {stiff.names.index("Q.theta"): 500.0}, stiff)
        texts.append(str(caught.value))
        assert start(instance, {stiff.names.index("Q.theta"): 0.0}, stiff)[1]
    assert alike(*texts)


def test_warnings_of_step_and_rate_come_together(tmp_path):
    """A default step that is lowered, and a start rate that is not used."""
    model = crank_slider(step_size=0.5)
    pair = Pair(model, tmp_path)
    values = {pair.names.index("Q.theta"): 3.0, pair.names.index("spring.slider.k"): 4e4}
    said = [start(instance, values, pair)[0] for instance in (pair.numpy, pair.compiled)]
    assert said[0] == said[1]
    assert said[0].startswith("parameter 'solver.step' is lowered from 0.5 s")
    end = "kept; parameter 'qd_start.theta' = 2 rad/s is not used: with 'solver.static' = 1 the motion starts at rest"
    assert said[0].endswith(end)


def test_it_is_fixed_after_initialization(stiff):
    for instance in (stiff.numpy, stiff.compiled):
        start(instance, {}, stiff)
        with pytest.raises(StepError, match="parameter 'solver.static' is fixed and cannot be set"):
            instance.set([SOLVER_STATIC], [0.0])
