"""A motion that leaves its tables at once is told before they are made."""

from dataclasses import replace

import numpy as np
import pytest
from helpers import MECHANISMS

from fmu_src.errors import FmuError
from fmu_src.numpy_runtime.dynamics import prepare
from fmu_src.numpy_runtime.instance import Instance
from precompute.cli import main
from precompute.mechanism_file import load
from precompute.model.mechanism import Experiment
from precompute.pipeline import bake, survey
from precompute.report.inspection import inspect

SHORT = MECHANISMS / "short"


@pytest.fixture(scope="module")
def arm():
    return load(SHORT / "trailing_arm.toml")


def preloaded(mechanism, force):
    return replace(mechanism, springs=tuple(replace(s, preload=force) for s in mechanism.springs))


def time_of_leaving(model):
    """When the FMU's run-time stops."""
    instance = Instance(prepare(model))
    instance.enter_initialization()
    instance.exit_initialization()
    for i in range(1000):
        try:
            instance.step(i * 1e-3, 1e-3)
        except FmuError:
            return i * 1e-3
    return None


@pytest.mark.parametrize("force", [-4000.0, 100.0])
def test_the_time_is_that_of_the_run(arm, force):
    note = survey(preloaded(arm, force)).note
    said = float(note.split("about ")[1].split(" s later")[0])
    assert said == pytest.approx(time_of_leaving(bake(preloaded(arm, force))), rel=0.1)
    assert "'pivot' is at 29.98 deg, the end of its range" in note


def test_what_stays_is_not_told(arm):
    assert survey(arm).note is None
    static = replace(arm, springs=tuple(replace(s, preload=None, static_preload=True) for s in arm.springs))
    assert survey(static).note is None
    assert survey(replace(preloaded(arm, 100.0), experiment=Experiment(static=True))).note is None


def test_a_rate_that_leads_out_is_told(arm):
    at = survey(arm).atlas.pieces[0].coordinates.free[0]
    fast = replace(arm, coordinates=[replace(at, start_rate=-80.0, start=None)])
    assert "starts with a rate" in survey(fast).note
    assert survey(replace(fast, coordinates=[replace(at, start_rate=-0.5)])).note is None
    assert survey(replace(fast, coordinates=[replace(at, start_rate=-80.0, outside="linear")])).note is None


def test_check_and_bake_tell_before_the_sweep(arm, tmp_path, capsys, monkeypatch):
    loose = preloaded(arm, 100.0)
    assert any("leave the table at once" in note for note in inspect(loose).notes)
    told = []
    monkeypatch.setattr("precompute.pipeline.tabulate", lambda *_, **__: told.append("swept"))
    with pytest.raises(AttributeError):
        bake(loose, note=told.append)
    assert "leave the table at once" in told[0] and told[1:] == ["swept"]
    source = (SHORT / "trailing_arm.toml").read_text().replace("preload = 4900", "preload = 100")
    path = tmp_path / "loose.toml"
    path.write_text(source)
    assert main(["check", str(path)]) == 0
    assert "Note: the motion will leave the table at once" in capsys.readouterr().out


def test_two_freedoms_that_fall():
    """The wheels of an axle without springs fall until the first range ends."""
    axle = load(SHORT / "pushrod_axle.toml")
    loaded = replace(axle, springs=axle.springs[2:], dampers=())
    assert "leave the table at once" in survey(loaded).note
    assert np.all([c.driven is False for c in survey(axle).atlas.named])
