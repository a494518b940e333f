"""A cam in FMUs of all kinds: golden rows, a follower that would be pulled is told once, states come back."""

import json
from dataclasses import replace

import numpy as np
import pytest
from fmpy.validation import validate_fmu
from helpers import GOLDEN, MECHANISMS
from helpers_baked import baked
from helpers_fmi import OK, WARNING, Component, Unpacked
from helpers_kinds import FRONTS, builder

from precompute.mechanism_file import load

pytestmark = pytest.mark.fmu

STEP = 1e-3
ROWS = json.loads((GOLDEN / "fuel_pump.json").read_text())["rows"]
GOLD = (  # column, output, factor: the traction turns the roller of 7.2 kg mm2 and 12 mm against its way
    ("q3d", "marker.plunger.v[3]", 1e3),
    ("q3dd", "marker.plunger.a[3]", 1e3),
    ("q4d", "joint.cam.rolled.rate", 1.0),
    ("q4dd", "joint.cam.traction", -12e-3 / 7.2e-6),
)


@pytest.fixture(scope="module")
def model():
    """With a roller that has no inertia about its pin."""
    mechanism = load(MECHANISMS / "fuel_pump.toml")
    bodies = (replace(b, inertia=np.zeros((3, 3))) if b.name == "roller" else b for b in mechanism.bodies)
    return baked(replace(mechanism, bodies=tuple(bodies)))


def unpacked(kind, model, folder):
    path = builder(kind)(model, folder / f"{kind}.fmu")
    assert validate_fmu(str(path)) == []
    return Unpacked(path, folder / kind)


def drive(component, angle, speed):
    for name, value in (("q", angle), ("qd", speed), ("qdd", 0.0)):
        component.set(f"drive.shaft.{name}", value)


@pytest.mark.parametrize("kind", FRONTS)
def test_golden_rows(kind, tmp_path):
    component = Component(unpacked(kind, baked(load(MECHANISMS / "fuel_pump.toml")), tmp_path))
    speed = 1000.0 * np.pi / 30.0
    drive(component, 0.0, speed)
    component.initialize()
    found = []
    for k, row in enumerate(ROWS):
        before = 1e-9 * (row["cam_deg"] in (102, 258))  # a row at a border is the limit from the smaller angle
        drive(component, np.radians(row["cam_deg"] - before) - speed * 1e-9, speed)
        component.step(k * 1e-9, 1e-9)
        found.append(component.get(*(component.fmu.references[name] for _, name, _ in GOLD)))
    for (column, _, factor), values in zip(GOLD, np.array(found).T, strict=True):
        golden = np.array([row[column] for row in ROWS])
        most = np.abs(golden).max()
        scale = np.where(np.abs(golden) < 1e-9 * most, most, np.abs(golden))
        assert (np.abs(factor * values - golden) / scale).max() < 1e-6
    component.free()


def run(component, rpm):
    """Status of each step, and what was said of the follower, at a constant speed over more than a turn."""
    speed = rpm * np.pi / 30.0
    drive(component, 0.0, speed)
    component.initialize()
    statuses = []
    for i in range(60):
        drive(component, speed * i * STEP, speed)
        statuses.append(component.step(i * STEP, STEP))
    return statuses, [text for text in map(str, component.log) if "leaves its cam" in text]


@pytest.mark.parametrize("kind", FRONTS)
def test_a_follower_that_would_be_pulled_between_steps_is_told_once(kind, model, tmp_path):
    fmu = unpacked(kind, model, tmp_path)
    held, left = Component(fmu), Component(fmu)
    statuses, said = run(held, 1190.0)
    assert said == [] and set(statuses) == {OK}
    statuses, said = run(left, 1206.0)
    assert len(said) == 1 and "joint 'cam'" in said[0] and "136.488 deg" in said[0]
    assert set(statuses) <= {OK, WARNING} and statuses.count(WARNING) <= 1
    for component in (held, left):
        component.free()


@pytest.mark.parametrize("kind", FRONTS)
def test_states_come_back_across_a_border(kind, model, tmp_path):
    component = Component(unpacked(kind, model, tmp_path))
    outputs = component.fmu.outputs
    drive(component, 2.3, 100.0)
    component.initialize()
    component.step(0.0, STEP)
    state = component.save()
    before = component.get(*outputs)
    drive(component, 2.4, 100.0)
    component.step(STEP, STEP)
    after = component.get(*outputs)
    assert component.call("SetFMUstate", state) == OK
    assert component.get(*outputs) == before
    drive(component, 2.4, 100.0)
    component.step(STEP, STEP)
    assert component.get(*outputs) == after != before
    component.free()
