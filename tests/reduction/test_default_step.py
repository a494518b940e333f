"""The default of solver.step: the file's, unless rates or eigenvalues ask for a shorter one; then it is said."""

import re
from dataclasses import replace

import numpy as np
import pytest
from helpers import MECHANISMS
from helpers_elements import bob, element, slider
from helpers_kernel import FIRST, Pair
from helpers_model import crank_slider, double_pendulum
from helpers_stiff import stiff_pendulum

from fmu_src.build.documentation import index_html
from fmu_src.interface.variables import SOLVER_STEP, variables
from fmu_src.model.reduced_model import StartInfo
from fmu_src.numpy_runtime.dynamics import mechanics, prepare
from fmu_src.numpy_runtime.steps.pace import fastest, strides
from precompute.cli import main
from precompute.pipeline import bake
from precompute.reduction.default_step import with_default_step


def stiffened(model, suffix, value):
    """With other values of all parameters whose names end so."""
    parameters = tuple(replace(p, value=value) if p.name.endswith(suffix) else p for p in model.parameters)
    return replace(model, parameters=parameters)


def test_a_step_that_serves_is_left_alone():
    for model in (crank_slider(), double_pendulum(nodes=15), stiff_pendulum(nodes=15)):
        assert with_default_step(model) is model
        assert variables(model)[SOLVER_STEP].start == model.step_size


def test_a_fast_start_lowers_it():
    model = crank_slider()
    fast = replace(model, starts=(StartInfo(0.0, 400.0, "Fast"),))
    found = with_default_step(fast)
    stride = strides(prepare(model)[0])[0]
    assert found.solver_step <= stride / 400.0 < 2.5 * found.solver_step
    assert found.step_size == model.step_size  # of communication
    assert variables(found)[SOLVER_STEP].start == found.solver_step
    assert f"is {found.solver_step:g} s, not {model.step_size:g} s: 'theta' moves at 400 rad/s" in found.step_note
    assert "Note: the default of &#x27;solver.step&#x27;" in index_html(found, variables(found), "here")


@pytest.mark.parametrize("method", ["rk4", "midpoint"])
def test_so_do_eigenvalues_anywhere_in_the_range(method):
    """At the start the stop is not touched."""
    model = double_pendulum(nodes=15)
    start, low = (mechanics(prepare(model)[0], np.array(z)).s[0] for z in ((0.5, -0.3), (1.6, 1.8)))
    assert low < start
    model = stiffened(stiffened(model, "stop_below.k", 1e9), "stop_below.at", 0.5 * (low + start))
    model = replace(model, method=method)
    assert fastest(prepare(model)[0], np.array([0.5, -0.3]), np.zeros(2), [p.value for p in model.parameters]) < 50.0
    found = with_default_step(replace(model, step_size=1e-3))
    assert "the mechanism by itself moves with up to" in found.step_note
    rate = float(re.search(r"up to ([\d.e+]+) 1/s", found.step_note).group(1))
    assert found.solver_step <= {"rk4": 1.0, "midpoint": 0.2}[method] / rate < 2.5 * found.solver_step
    assert with_default_step(stiffened(stiff_pendulum(nodes=15), "k[1]", 1e12)).step_note == ""  # implicit


def test_bake_prints_the_note(tmp_path, capsys):
    text = (MECHANISMS / "four_bar.toml").read_text(encoding="utf-8")
    assert "rate = 360" in text
    path = tmp_path / "fast.toml"
    path.write_text(text.replace("rate = 360", "rate = 36000"), encoding="utf-8")
    assert main(["bake", str(path), "-o", str(tmp_path / "fast.fmu")]) == 0
    assert re.search(
        r"note: the default of 'solver\.step' is 2e-05 s, not 0\.001 s: 'crank' moves at 36000 deg/s",
        capsys.readouterr().out,
    )


FAST = element("fast", force="-F", rates={"F": "k*(s_rate - F/c)"}, k=2e4, c=1.0)
"""It moves with 2e4 1/s by itself."""


@pytest.fixture(scope="module")
def hurried():
    """A quasi-static model with it."""
    return bake(bob(FAST, stiff="quasistatic"))


def test_elements_lower_it_where_steps_are_explicit_whatever_they_do(hurried):
    assert hurried.solver_step == 2e-5
    assert re.match(r"the default of 'solver.step' is 2e-05 s, not .* moves with up to 2000\d.* 1/s", hurried.step_note)
    assert with_default_step(replace(hurried, method="midpoint")).solver_step == 5e-6
    assert (
        bake(slider(FAST)).step_note
        == with_default_step(replace(hurried, quasistatic=False, step_note="")).step_note
        == ""
    )


def test_what_is_baked_runs_and_a_stiffer_element_lowers_it_at_the_start(hurried, tmp_path):
    """In both run-times alike."""
    both = Pair(hurried, tmp_path).start()
    for instance in (both.numpy, both.compiled):
        instance.step(0.0, 1e-3)
    both = Pair(hurried, tmp_path)
    both.put("element.fast.k", 1e6)
    said = []
    for instance in (both.numpy, both.compiled):
        instance.setup(0.0)
        instance.enter_initialization()
        said.append(instance.exit_initialization())
        instance.step(0.0, 1e-4)
    assert said[0] == said[1]
    assert said[0].startswith("parameter 'solver.step' is lowered from 2e-05 s to 5e-07 s: the mechanism by itself")
    a, b = (both.numbers(instance)[FIRST : both.end] for instance in (both.numpy, both.compiled))
    np.testing.assert_allclose(b, a, rtol=1e-9, atol=1e-9 * np.abs(a).max())
