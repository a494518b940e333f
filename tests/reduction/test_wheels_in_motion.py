"""Which wheels have motion ratios and screw axes, held by what; and what both run-times say where there are none."""

import tomllib
from functools import cache

import numpy as np
import pytest
from helpers import MECHANISMS
from helpers_baked import baked
from helpers_corner import FRONT, Corner, document
from helpers_kernel import Pair, random_numbers

from fmu_src.interface.variables import variables
from fmu_src.numpy_runtime.state import State
from kinetab.mechanism import of
from precompute.mechanism_file import from_document
from precompute.report.inspection import inspect

SCREW = ("caster", "kingpin_inclination", "scrub_radius", "mechanical_trail")
WHEELS = {"front": FRONT}
PENDULUM = {
    "body": {"mass": 1, "com": [0, 0, 100], "inertia": [1e3, 1e3, 1e3]},
    "joint": {"type": "revolute", "parent": "ground", "child": "pendulum", "at": [0, 0, 300], "axis": "x"},
    "coordinate": {"of": "joint.pendulum", "from": -10, "to": 10},
}


def corner_document(axle):
    return document(stiff=False, chassis="fixed") | {"wheels": WHEELS, "axles": {"front": {"left": "front"} | axle}}


def shown(model, prefix="wheel."):
    return [v.name for v in variables(model) if v.name.startswith(prefix) and v.causality == "output"]


def in_motion(model):
    names = {name.rpartition(".")[2] for name in shown(model) if "_geometric" not in name}
    return bool(names & {*SCREW}), any("motion_ratio" in name for name in shown(model))


# -- several charts ----------------------------------------------------------------------------------------------------


@cache
def crank():
    """A slider with a wheel, whose coordinate changes at dead centres; up is x, so the slider travels."""
    found = tomllib.loads((MECHANISMS / "crank_slider_charts.toml").read_text(encoding="utf-8"))
    found["axes"] = {"forward": "y", "left": "z", "up": "x"}
    found["wheels"] = {
        "left": {"body": "slider", "centre": "slider_pin", "spin_axis": "z", "radius": 0.3, "side": "left"}
    }
    found["springs"]["rod"] = {
        "between": ["ground", "rod"], "at": [[5, 3, 0], "rod_middle"], "stiffness": 10, "free_length": 1
    }  # fmt: skip
    return Corner(baked(from_document(found)))


def test_motion_ratios_on_several_charts(tmp_path):
    """Against rates in motion, on every chart; a joint's coordinate counts as bump presses it."""
    c, rng = crank(), np.random.default_rng(2)
    assert len(c.model.charts) > 2 and c.model.held == () and in_motion(c.model) == (False, True)
    for number, chart in enumerate(c.model.charts):
        (axis,) = chart.axes
        z = np.array([rng.uniform(0.9 * axis.lower + 0.1 * axis.upper, 0.1 * axis.lower + 0.9 * axis.upper)])
        out = c.outputs(State(0.0, number, 0, z, np.array([1.0])), c.inputs)
        ratio = -out["spring.rod.rate"] / out["marker.slider.v[1]"]
        assert out["wheel.left.motion_ratio.spring.rod"] == pytest.approx(ratio, rel=1e-9)
        assert out["wheel.left.motion_ratio.spring.slider"] == pytest.approx(1.0, abs=1e-6)
    both = Pair(c.model, tmp_path)
    for number in range(len(c.model.charts)):
        assert both.difference(random_numbers(both, rng, number), rng) < 1e-12


# -- where something is not defined ------------------------------------------------------------------------------------


def test_a_steering_that_does_not_turn_the_wheel(tmp_path):
    """No number in both run-times, as on the rig; motion ratios are there."""
    found = corner_document({"steering": "rack"})
    found["joints"]["tie_rod"]["parent"] = "ground"
    c = Corner(baked(from_document(found)))
    both = Pair(c.model, tmp_path).start()
    for instance in (both.numpy, both.compiled):
        values = dict(zip(both.names, instance.get(range(len(both.names))), strict=True))
        assert np.isnan([values[f"wheel.front.{name}"] for name in SCREW]).all()
        assert values["wheel.front.motion_ratio.spring.coil"] > 0.3
        others = [v for n, v in values.items() if n.removeprefix("wheel.front.") not in SCREW]
        assert np.isfinite(others).all()
    with np.errstate(invalid="ignore"):
        rig = of(c.mechanism).kc(cases=["bump"], travel=20, points=3)
    assert np.isnan(rig["caster"].values).all() and np.isnan(rig["mechanical_trail"].values).all()


def test_a_drive_that_is_no_steering_is_held():
    model = baked(from_document(corner_document({})))
    assert model.held == (1,) and in_motion(model) == (False, True)
    steered = baked(from_document(corner_document({"steering": "rack"})))
    assert in_motion(steered) == (True, True)
    assert "while rack moves, spring.coil and deflections held" in next(
        v.description for v in variables(steered) if v.name == "wheel.front.caster"
    )


def test_a_coordinate_besides_leaves_them_out():
    """The rig lets it find its place; `check` says so."""
    found = corner_document({"steering": "rack"})
    found["bodies"]["pendulum"], found["joints"]["pendulum"] = PENDULUM["body"], PENDULUM["joint"]
    found["coordinates"]["free"]["pendulum"] = PENDULUM["coordinate"]
    mechanism = from_document(found)
    report = inspect(mechanism)
    assert any(
        "no motion ratios, and no steering axes by motion" in note
        and "the travel of 1 wheel and rack do not tell how all coordinates move (arm, rack, pendulum)" in note
        for note in report.notes
    )
    assert in_motion(baked(mechanism)) == (False, False)


def test_two_wheels_on_one_coordinate_have_none():
    found = tomllib.loads((MECHANISMS / "short/trailing_arm.toml").read_text(encoding="utf-8"))
    found["wheels"]["right"] = {"body": "arm", "centre": [-420, -750, 300], "radius": 300}
    found["axles"]["rear"]["right"] = "right"
    mechanism = from_document(found)
    (note,) = (n for n in inspect(mechanism).notes if "motion ratios" in n)
    assert "the travel of 2 wheels cannot move independently, as there are fewer coordinates" in note
    assert in_motion(baked(mechanism)) == (False, False)


def test_check_says_nothing_where_they_are_there():
    assert not [n for n in inspect(from_document(corner_document({"steering": "rack"}))).notes if "motion ratios" in n]
