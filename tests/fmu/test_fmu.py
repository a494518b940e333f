"""FMUs in FMPy."""

import shutil
from dataclasses import replace

import numpy as np
import pytest
from fmpy import read_model_description, simulate_fmu
from fmpy.validation import validate_fmu
from helpers_fmu import ROOT, Host, python, side_by_side
from helpers_model import (
    CRANK_END_ANGLE,
    CRANK_ENERGY,
    crank_slider,
    defaults,
    double_pendulum,
    no_inputs,
    start_state,
)

from fmu_src.build.python_fmu import build_fmu
from fmu_src.interface.variables import layout, variables
from fmu_src.model.reduced_model import Parameter
from fmu_src.numpy_runtime.dynamics import prepare
from fmu_src.numpy_runtime.outputs import outputs
from fmu_src.numpy_runtime.steps.integrator import advance

pytestmark = pytest.mark.fmu

CRANK = crank_slider()
PENDULUM = double_pendulum(nodes=15)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("fmus")


@pytest.fixture(scope="module")
def crank(folder):
    return str(build_fmu(CRANK, folder / "crank.fmu"))


@pytest.fixture(scope="module", params=[None, {}], ids=["kernel", "numpy"])
def pendulum(folder, request):
    return str(build_fmu(PENDULUM, folder / "pendulum.fmu", request.param))


def test_the_fmu_is_valid(crank, pendulum):
    assert validate_fmu(crank) == [] and validate_fmu(pendulum) == []


def test_fmpy_reads_units_bounds_and_dependencies(pendulum):
    description = read_model_description(pendulum)
    table = {variable.name: variable for variable in description.modelVariables}
    assert table["q.alpha"].unit == "rad" and table["q.alpha"].displayUnit == "deg"
    assert (table["q.alpha"].min, table["q.alpha"].max) == ("-1.6", "1.6")
    assert [variable.valueReference for variable in description.modelVariables] == list(range(len(table)))
    unknown = {unknown.variable.name: unknown for unknown in description.outputs}
    assert [v.name for v in unknown["qdd.alpha"].dependencies][:2] == ["Q.alpha", "Q.beta"]
    assert unknown["marker.tip.r[1]"].dependencies == []


def test_the_crank_slider_of_the_reference_text(crank):
    result = simulate_fmu(crank, stop_time=5.0, output_interval=1e-3, output=["q.theta", "energy.total"])
    assert len(result) == 5001
    assert result["q.theta"][-1] == pytest.approx(CRANK_END_ANGLE, abs=1e-6)
    assert np.abs(result["energy.total"] / CRANK_ENERGY - 1.0).max() < 1e-8


def test_the_fmu_equals_direct_integration(pendulum):
    names = [variable.name for variable in variables(PENDULUM)[layout(PENDULUM).outputs]]
    signals = np.array([(0.0, 0.5, 1.0)], dtype=[("time", float), ("Q.beta", float), ("port.tip.F[1]", float)])
    result = simulate_fmu(
        pendulum,
        stop_time=0.3,
        output_interval=1e-2,
        input=signals,
        start_values={"q_start.alpha": 0.6, "spring.tip.k": 25.0, "solver.step": 5e-3},
        output=names,
    )
    runtime, parameters, inputs = prepare(PENDULUM), defaults(PENDULUM), no_inputs(PENDULUM)
    parameters[3], inputs[1:3] = 25.0, (0.5, 1.0)
    state = start_state(PENDULUM)
    state.z[0] = 0.6
    assert len(result) == 31
    for row in result:
        expected = outputs(runtime, state, parameters, inputs)
        np.testing.assert_allclose(list(row)[1:], expected, rtol=1e-12, atol=1e-12)
        state = advance(runtime, state, 1e-2, parameters, inputs, 5e-3)


def test_a_saved_state_is_exact_also_as_bytes(pendulum):
    host = Host(pendulum).start()
    host.set("Q.alpha", 0.7)
    host.step(0.0, 0.01)
    everything = list(host.references)
    state = host.fmu.getFMUState()
    block = host.fmu.serializeFMUState(state)
    at_save = host.get(*everything)
    host.step(0.01, 0.01)
    after = host.get(*everything)
    host.set("Q.alpha", -3.0)
    host.step(0.02, 0.01)

    host.fmu.setFMUState(state)
    assert host.get(*everything) == at_save
    host.step(0.01, 0.01)
    assert host.get(*everything) == after

    copy = host.fmu.deserializeFMUState(block)
    host.fmu.setFMUState(copy)
    host.step(0.01, 0.01)
    assert host.get(*everything) == after
    host.fmu.freeFMUState(state)
    host.fmu.freeFMUState(copy)
    host.close()


def test_a_reset_starts_anew(pendulum):
    host = Host(pendulum).start()
    before = host.get(*host.references)
    host.set("spring.tip.k", 77.0)
    host.step(0.0, 0.05)
    host.fmu.reset()
    assert host.get("spring.tip.k", "q.alpha") == [10.0, 0.5]
    assert host.start().get(*host.references) == before
    host.step(0.0, 0.05)
    host.close()


def test_two_fmus_side_by_side(crank, pendulum):
    side_by_side(crank, pendulum)


def test_a_rebuilt_fmu_runs_its_new_content_in_the_same_process(folder):
    ends = []
    for rate in (100.0, 900.0):
        parameters = list(CRANK.parameters)
        parameters[3] = Parameter("spring.slider.k", rate, "N/m", "Rate of the spring", 0.0)
        path = build_fmu(replace(CRANK, parameters=tuple(parameters)), folder / "again.fmu")
        result = simulate_fmu(str(path), stop_time=0.1, output_interval=1e-2, output=["q.theta"])
        ends.append(result["q.theta"][-1])
    assert ends[0] != ends[1]


OTHER_VERSION = """
import sys, fmu_src
from helpers_model import crank_slider
from fmu_src.build.python_fmu import build_fmu
assert fmu_src.__version__ == "9.9.9"
build_fmu(crank_slider(), sys.argv[1])
"""


def test_fmus_of_different_versions_run_in_one_process(crank, folder, tmp_path):
    """Each FMU brings its own run-time; neither the installed one nor the other FMU's gets in the way."""
    shutil.copytree(ROOT / "fmu_src", tmp_path / "fmu_src", ignore=shutil.ignore_patterns("__pycache__"))
    init = tmp_path / "fmu_src" / "__init__.py"
    init.write_text('"""Another version."""\n\n__version__ = "9.9.9"\n')
    done = python(OTHER_VERSION, folder / "other.fmu", path=tmp_path)
    assert done.returncode == 0, done.stderr
    ends = []
    for path in (crank, str(folder / "other.fmu"), crank):
        result = simulate_fmu(path, stop_time=0.05, output_interval=1e-2, output=["q.theta"])
        ends.append(result["q.theta"][-1])
    assert ends[0] == ends[1] == ends[2]
