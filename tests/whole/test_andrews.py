"""Andrews' squeezing mechanism, turned from rest by a motor: published numbers, and steps that are too long."""

import json
from dataclasses import replace

import numpy as np
import pytest
from helpers import GOLDEN, ROOT
from helpers_baked import baked
from helpers_runs import SIZE, Runs, suggested

from fmu_src.build.python_fmu import build_fmu
from precompute.cli import main
from precompute.mechanism_file import load
from precompute.model.mechanism import TableSettings

FILE = ROOT / "tests" / "mechanisms" / "andrews.toml"
KNOWN = {name: np.array(v) for name, v in json.loads((GOLDEN / "andrews.json").read_text()).items()}
ANGLES = ["beta", "theta", "gamma", "phi", "delta", "omega", "epsilon"]
PROMISED = 1e-5 * 2 * np.pi
"""Of a turn [rad]: ten times the tolerance of the tables."""


def model(tolerance=1e-6):
    return baked(replace(load(FILE), tables=TableSettings(tolerance)))


def end(model, folder, numpy=False, **values):
    """Errors of angles and rates at the end, what was said, and the change of energy, which has the motor's in it."""
    runs = Runs(model, folder)
    said = [runs.begin({name.replace("_", "."): value for name, value in values.items()}, numpy)]
    (first,) = runs.read("energy.total")
    said += [runs.step(i) for i in range(round(float(KNOWN["stop_time"]) / SIZE))]
    angles = KNOWN["start"] + runs.read(*[f"measure.{name}" for name in ANGLES])
    rates = np.array(runs.read(*[f"measure.{name}.rate" for name in ANGLES]))
    lost = abs(runs.read("energy.total")[0] - first)
    return angles - KNOWN["stop"], rates - KNOWN["stop_rate"], [text for text in said if text], lost


def worst(errors):
    return float(np.abs(errors).max())


def test_its_crank_is_found_and_turns_for_ever(tmp_path):
    """All bodies depend on it; what it starts with is what was published."""
    (axis,) = model().charts[0].axes
    assert (axis.name, axis.periodic) == ("beta", True)
    runs = Runs(model(), tmp_path)
    assert runs.begin({}) is None  # at rest nothing is too fast
    names = [f"measure.{name}" for name in ANGLES]
    np.testing.assert_allclose(runs.read(*names), 0.0, atol=1e-7)
    np.testing.assert_allclose(runs.read("qdd.beta"), KNOWN["start_acceleration"][:1], rtol=1e-6)
    runs.step(0, 1e-7)
    gained = np.array(runs.read(*[f"{name}.rate" for name in names])) / 1e-7
    np.testing.assert_allclose(gained, KNOWN["start_acceleration"], rtol=1e-4, atol=0.1)


@pytest.mark.parametrize("check", [0.0, 1.0])
def test_default_steps_are_too_long_and_not_silent(check, tmp_path):
    """Half a radian: each run says so and names a shorter step, until nothing is said and the promise is kept."""
    values, apart = {}, []
    for _ in range(4):
        angles, _, said, lost = end(model(), tmp_path, solver_check=check, numpy=not values, **values)
        apart.append(worst(angles))
        if not said:
            break
        (text,) = said
        assert "less if the motion becomes faster" in text and ("see output 'solver.error'" in text) is bool(check)
        values = {"solver_step": suggested(text)}
    assert said == [] and len(apart) > 1
    assert apart[0] > 0.5 and apart == sorted(apart, reverse=True)
    assert apart[-1] < PROMISED / 5 and lost < 1e-5


def test_short_steps_and_fine_tables_give_the_published_numbers(tmp_path):
    """To eight digits, with order four on the way."""
    fine = model(1e-9)
    found = [end(fine, tmp_path, solver_step=h) for h in (1e-4, 5e-5, 1e-5)]
    assert worst(found[0][0]) > 12 * worst(found[1][0])
    angles, rates, _, lost = found[-1]
    assert worst(angles) < 2e-8 and lost < 1e-8
    np.testing.assert_allclose(rates, 0.0, atol=2e-5)


@pytest.mark.fmu
def test_verify_says_that_steps_are_too_long(tmp_path, capsys):
    """What it finds is then no error of the tables."""
    fmu = str(build_fmu(model(), tmp_path / "andrews.fmu"))
    assert main(["verify", fmu, "--free", "--stop", "0.02"]) == 1
    said = capsys.readouterr().err
    assert "Andrews fails: the FMU in its own steps of 0.001 s differs by more than it may in measure.theta" in said
    assert "times what the tables promise; set 'solver.step' = " in said
    assert main(["verify", "-q", fmu, "--free", "--stop", "0.02", "--set", "solver.step=2e-5"]) == 0
    assert capsys.readouterr().err == ""
