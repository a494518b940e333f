"""Formulas that have no value where the motion starts: told by `check` and `bake` alike, with what they read."""

from dataclasses import replace

import pytest
from helpers import MECHANISMS
from helpers_elements import element, slider

from precompute.cli import main
from precompute.errors import MechanismError
from precompute.measures.joint_coordinate import JointCoordinate
from precompute.mechanism_file import load
from precompute.model.devices import Device, DeviceForce, DeviceNumber, DeviceOutput, DeviceState, DeviceUnknown
from precompute.pipeline import bake, plan, survey
from precompute.report.inspection import inspect

SLIDE = (("s", JointCoordinate("slide")),)


def problems(*devices, **more):
    """What `check` says; `bake` and `plan` say the same."""
    found = []
    for stage in (inspect, bake, plan):
        with pytest.raises(MechanismError) as caught:
            stage(slider(*devices, **more))
        assert str(caught.value).startswith("mechanism 'One' has ")
        found.append(caught.value.problems)
    assert found[0] == found[1] == found[2]
    return list(found[0])


def test_a_division_by_zero_is_told_with_all_that_was_read():
    damper = Device(
        "damper",
        SLIDE,
        parameters=(DeviceNumber("k", 1000.0, "N/m"), DeviceNumber("c", 50.0)),
        inputs=(DeviceNumber("valve", 0.0, "1"),),
        states=(DeviceState("F", "k*(s_rate - F/(c*valve))", 2.0, "N"),),
        forces=(DeviceForce("s", "-F"),),
    )
    assert problems(damper, rate=0.5) == [
        "elements.damper.states.F.rate: divides by zero at the start, with k = 1000 N/m, s_rate = 0.5 m/s, F = 2 N, "
        "c = 50 and valve = 0; give other values, or guard it with if(...)"
    ]
    open_valve = replace(damper, inputs=(DeviceNumber("valve", 1.0, "1"),))
    assert survey(slider(open_valve)).problems == ()


def test_all_formulas_are_told_but_not_those_that_read_them():
    outputs = {
        "root": "sqrt(s - 1)",
        "ln": "log(k*0)",
        "more": "2*root + other.y",
        "fine": "exp(k*s)",
        "big": "exp(1e4*k)",
    }
    told = problems(element("e", force="more", outputs=outputs, k=1.0), element("other", outputs={"y": "e.ln^0.5"}))
    assert told == [
        "elements.e.outputs.root: takes the square root of a negative number at the start, with s = 0 m; give other "
        "values, or guard it with if(...)",
        "elements.e.outputs.ln: takes the logarithm of a number that is not positive at the start, with k = 1; give "
        "other values, or guard it with if(...)",
        "elements.e.outputs.big: is not finite at the start, with k = 1; give other values, or guard it with if(...)",
    ]


def test_a_slope_that_is_not_finite_is_no_start_either():
    (told,) = problems(element(outputs={"y": "s*k*k"}, k=1e200))
    assert told.startswith(
        "elements.e.outputs.y: has a slope that is not finite at the start, with s = 0 m and k = 1e+200"
    )


def test_unknowns_are_found_first():
    bad = element("e", residuals={"u": "u*u + u + k"}, outputs={"y": "1/(u - 2)"}, k=1.0)
    (told,) = problems(bad)
    assert told.startswith("elements.e.unknowns.u: at the start no value of its unknown 'e.u' makes its residual zero")
    good = replace(bad, unknowns=(DeviceUnknown("u", "u - 2*k", 0.5),))
    (told,) = problems(good)
    assert told.startswith("elements.e.outputs.y: divides by zero at the start, with u = 2")
    assert survey(slider(replace(good, outputs=(DeviceOutput("y", "1/u"),)))).problems == ()


def test_residuals_without_a_value_are_told():
    (told,) = problems(element("e", residuals={"u": "log(u) + k"}, outputs={"y": "1/(u - 2)"}, k=1.0))
    assert told.startswith(
        "elements.e.unknowns.u: takes the logarithm of a number that is not positive at the start, with u = 0"
    )


def test_it_is_the_start_that_counts_not_the_design():
    over = element("e", outputs={"y": "1/s"})
    assert problems(over)[0].startswith("elements.e.outputs.y: divides by zero at the start, with s = 0 m")
    moved = slider(over)
    start = replace(moved, coordinates=tuple(replace(c, start=0.25) for c in moved.coordinates))
    assert survey(start).problems == ()


def test_in_a_mechanism_with_loops_measures_are_those_of_the_start():
    rssr = load(MECHANISMS / "crank_slider.toml")
    c = rssr.coordinates[0]
    watch = element("e", on=(("s", c.of), ("z", JointCoordinate("slide"))), outputs={"y": "sqrt(k - s)/(k*z)"}, k=1.0)
    assert survey(replace(rssr, devices=(watch,), coordinates=(replace(c, start=0.4),))).problems == ()
    with pytest.raises(MechanismError) as caught:
        survey(replace(rssr, devices=(watch,), coordinates=(replace(c, start=1.4),)))
    assert (
        "square root of a negative number at the start, with k = 1, s = 1.4 rad and z = 1.08966 m"
        in caught.value.problems[0]
    )


def test_the_command_prints_it(tmp_path, capsys):
    text = (MECHANISMS / "crank_slider.toml").read_text(encoding="utf-8")
    file = tmp_path / "crank.toml"
    file.write_text(text + '\n[elements.e]\non = "joint.slide"\noutputs = { y = "1/s", z = "y + 1" }\n')
    said = []
    for command in (["check", str(file)], ["bake", str(file), "-o", str(tmp_path / "a.fmu")]):
        assert main(command) == 1
        said.append(capsys.readouterr().err)
    assert said[0] == said[1]
    line = 1 + file.read_text(encoding="utf-8").splitlines().index('outputs = { y = "1/s", z = "y + 1" }')
    assert said[0].splitlines() == [
        f"kinetab: {file} has 1 problem:",
        f"  - line {line}, elements.e.outputs.y: divides by zero at the start, with s = 0 m; give other values, "
        "or guard it with if(...)",
    ]
