"""What a master may count on, with both FMUs: start values, tunable parameters, resets, declared dependencies."""

from xml.etree import ElementTree

import numpy as np
import pytest
from helpers_fmi import ERROR, OK, Component, Unpacked
from helpers_kinds import FRONTS, builder
from helpers_model import crank_slider, double_pendulum
from helpers_stiff import stiff_pendulum

pytestmark = pytest.mark.fmu

MODELS = {
    "crank": crank_slider(),
    "pendulum": double_pendulum(nodes=15),
    "stiff": stiff_pendulum(nodes=15, moving=True),
    "quasistatic": stiff_pendulum(nodes=15, quasistatic=True),
}
SIZE = 1e-3


@pytest.fixture(scope="module", params=FRONTS)
def unpacked(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp(request.param)
    build = builder(request.param)
    return {
        name: Unpacked(build(model, folder / f"{name}.fmu"), folder / name)
        for name, model in MODELS.items()
        if name in ("crank", "pendulum")
    }


@pytest.fixture
def pendulum(unpacked):
    component = Component(unpacked["pendulum"])
    yield component
    component.free()


def test_start_values_are_taken_before_and_in_initialization_mode(pendulum):
    assert pendulum.set("q_start.alpha", 0.25) == OK
    assert pendulum.call("EnterInitializationMode") <= 1
    assert pendulum.get("q.alpha") == [0.25]
    assert pendulum.set("q_start.alpha", -0.5) == OK and pendulum.set("qd_start.beta", 2.0) == OK
    assert pendulum.get("q.alpha", "qd.beta") == [-0.5, 2.0]
    assert pendulum.call("ExitInitializationMode") == OK
    assert pendulum.get("q.alpha", "qd.beta") == [-0.5, 2.0]
    assert pendulum.set("q_start.alpha", 0.0) == ERROR  # fixed
    assert pendulum.get("q.alpha") == [-0.5]


def test_outputs_at_the_start_are_those_of_the_inputs_and_parameters_set_until_then(pendulum):
    assert pendulum.call("EnterInitializationMode") <= 1
    (calm,) = pendulum.get("qdd.alpha")
    pendulum.set("Q.alpha", 3.0)
    (pushed,) = pendulum.get("qdd.alpha")
    pendulum.call("ExitInitializationMode")
    assert pushed != calm and pendulum.get("qdd.alpha") == [pushed]


def test_tunable_parameters_and_inputs_act_at_once_and_in_the_next_step(pendulum):
    pendulum.initialize()
    state = pendulum.save()
    pendulum.step(0.0, SIZE)
    plain = pendulum.get("qd.alpha")
    for name, value in (("gravity[2]", 0.0), ("Q.alpha", 5.0)):
        assert pendulum.call("SetFMUstate", state) == OK
        before = pendulum.get("qdd.alpha")
        assert pendulum.set(name, value) == OK
        assert pendulum.get("qdd.alpha") != before
        pendulum.step(0.0, SIZE)
        assert pendulum.get("qd.alpha") != plain


def test_a_reset_resets_everything(pendulum):
    everything = list(pendulum.fmu.references.values())
    pendulum.initialize()
    fresh = pendulum.get(*everything)
    pendulum.call("Reset")
    for name, value in (("q_start.alpha", 0.1), ("Q.alpha", 5.0), ("gravity[2]", -1.0), ("solver.step", 1e-4)):
        assert pendulum.set(name, value) == OK
    pendulum.initialize()
    for i in range(5):
        assert pendulum.step(i * SIZE, SIZE) == OK
    assert pendulum.get(*everything) != fresh
    assert pendulum.call("Reset") == OK
    assert pendulum.initialize().get(*everything) == fresh
    assert pendulum.step(0.0, SIZE) == OK


@pytest.mark.parametrize("name", MODELS)
def test_every_output_that_an_input_changes_at_once_says_so(name, tmp_path):
    """And no output that only follows in time claims to, so that masters see no loops where there are none."""
    fmu = Unpacked(builder("native")(MODELS[name], tmp_path / "a.fmu"), tmp_path / "a")
    component = Component(fmu).initialize()
    for i in range(20):
        component.step(i * SIZE, SIZE)
    root = ElementTree.parse(fmu.folder / "modelDescription.xml").getroot()
    declared = {
        int(unknown.get("index")) - 1: {int(i) - 1 for i in unknown.get("dependencies").split()}
        for unknown in root.findall("ModelStructure/Outputs/Unknown")
    }
    inputs = [vr for vr, (causality, _) in enumerate(fmu.roles) if causality == "input"]
    names = {vr: variable for variable, vr in fmu.references.items()}
    before = np.array(component.get(*fmu.outputs))
    for vr in inputs:
        (value,) = component.get(vr)
        assert component.set(names[vr], value + 0.37) == OK
        moved = np.flatnonzero(np.array(component.get(*fmu.outputs)) != before)
        undeclared = [names[fmu.outputs[i]] for i in moved if vr not in declared[fmu.outputs[i]]]
        assert not undeclared, (names[vr], undeclared)
        component.set(names[vr], value)
    positions = [vr for vr, variable in names.items() if variable.startswith(("q.", "qd.")) and vr in declared]
    if name != "quasistatic":
        assert positions and not any(declared[vr] for vr in positions)
    component.free()
