"""Motions of FMUs against the full model: led, under inputs over time, in legs; and what makes them fail."""

from dataclasses import replace

import numpy as np
import pytest
from helpers import MECHANISMS
from helpers_baked import baked as baked_model
from helpers_corner import corner
from helpers_verify import motion

from fmu_src.build.python_fmu import build_fmu
from precompute.mechanism_file import load
from precompute.running.simulation import StoppedError

pytestmark = pytest.mark.fmu


@pytest.fixture(scope="module")
def arm(tmp_path_factory):
    """A trailing arm with spring and damper."""
    model = baked_model(load(MECHANISMS / "short" / "trailing_arm.toml"))
    return build_fmu(model, tmp_path_factory.mktemp("fmus") / "arm.fmu")


def table(time, **columns):
    """Inputs over time."""
    names = {name.replace("__", "."): values for name, values in columns.items()}
    found = np.empty(len(time), dtype=[("time", float), *((name, float) for name in names)])
    found["time"] = time
    for name, values in names.items():
        found[name] = values
    return found


def test_a_crank_is_led_all_round(fmu):
    found = motion(fmu("rssr"), free=False)
    assert not found.faults and found.manner == "led through its range by forces on its coordinates"
    assert [c.share for c in found.coverage] == [1.0]
    assert max(d.excess for d in found.differences) < 0.01 and max(d.excess for d in found.own) < 0.01


def test_a_suspension_is_led_through_most_of_its_range(arm):
    found = motion(arm, free=False)
    assert not found.faults and found.coverage[0].share > 0.85 and found.coverage[0].unit == "deg"
    assert found.legs == 1 and found.residual < 1e-10 and not found.warnings


def test_legs_are_compared_one_after_the_other(tmp_path):
    turret = load(MECHANISMS.parent.parent / "tests" / "mechanisms" / "turret.toml")
    found = motion(build_fmu(baked_model(turret), tmp_path / "turret.fmu"), free=False)
    assert found.legs > 1 and not found.faults and min(c.share for c in found.coverage) > 0.85


@pytest.mark.slow
def test_several_charts(fmu):
    found = motion(fmu("crank_slider_charts"), free=False)
    assert not found.faults
    assert [c.coordinate for c in found.coverage] == [
        "slider (chart 1)", "crank (chart 2)", "slider (chart 3)", "crank (chart 4)",
    ]  # fmt: skip
    assert min(c.share for c in found.coverage) > 0.8


def test_inputs_over_time_move_both(arm):
    t = np.linspace(0.0, 0.2, 21)
    found = motion(arm, stop=0.2, inputs=table(t, Q__pivot=-400.0 * np.sin(15.0 * t)))
    assert not found.faults and found.manner == "under inputs over time (Q.pivot)"
    assert found.worst("mm").error < 1e-3 and found.worst("mm").span > 20.0 and 0.05 < found.coverage[0].share < 0.5


def test_drives_chassis_gravity_and_ports_over_time(tmp_path):
    """On bushings; all that a car would give its corner."""
    w, t = 2.0 * np.pi * 10.0, np.linspace(0.0, 0.02, 21)
    inputs = table(t, **{
        "drive.rack.q": 3e-3 * np.sin(w * t) ** 2, "drive.rack.qd": 3e-3 * w * np.sin(2.0 * w * t),
        "drive.rack.qdd": 6e-3 * w**2 * np.cos(2.0 * w * t), "port.wheel.F[3]": 300.0 * np.sin(w * t),
        "chassis.w[3]": 0.5 * np.sin(w * t), "chassis.wd[3]": 0.5 * w * np.cos(w * t),
        "chassis.v[1]": 20.0 + 0.0 * t, "gravity[1]": 2.0 * np.sin(w * t),
    })  # fmt: skip
    found = motion(build_fmu(corner().model, tmp_path / "corner.fmu"), stop=0.02, inputs=inputs)
    assert not found.faults, found
    assert found.worst("mm").error < 1e-3 and found.worst("N").error < 3e-3 * found.worst("N").span
    rack = next(c for c in found.coverage if c.coordinate == "rack")
    assert rack.share > 0.05


def test_a_motion_that_covers_nothing_does_not_pass(fmu):
    found = motion(fmu("crank_slider"), stop=0.01, values={"qd_start.crank": 0.0})
    assert all(d.passes for d in found.differences)
    assert found.faults == ("the motion covered nothing: no coordinate moved by 1 % of its table",)


def test_inputs_that_leave_the_table_name_time_and_coordinate(arm):
    message = r"arm.fmu stopped at 0\.\d+ s: between t = .* coordinate 'pivot' = .* deg is outside its table"
    with pytest.raises(StoppedError, match=message):
        motion(arm, stop=1.0, inputs=table(np.array([0.0, 1.0]), Q__pivot=np.array([5e4, 5e4])))


@pytest.mark.parametrize("name", ["spring.rocker.k", "damper.rocker.c"])
def test_a_wrong_sign_in_one_force_law_fails(baked, tmp_path, name):
    """In the FMU, which is led along with that law; the full model has the mechanism's."""
    model = baked("four_bar")
    wrong = [replace(p, value=-p.value, minimum=None) if p.name == name else p for p in model.parameters]
    assert wrong != list(model.parameters)
    found = motion(build_fmu(replace(model, parameters=tuple(wrong)), tmp_path / "wrong.fmu"), free=False)
    assert any("the motion differs by more than it may" in fault for fault in found.faults), found.faults
