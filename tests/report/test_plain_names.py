"""Plain names: what they are, that they differ, and how --show finds them."""

import pytest
from helpers_corner import corner
from helpers_model import crank_slider, double_pendulum
from helpers_stiff import stiff_pendulum

from fmu_src.interface.variables import variables
from precompute.errors import PrecomputeError
from precompute.report.plain_names import chosen, joint_label, label, plain_names, shown

NAMES = {
    "q.shock": "shock",
    "qd.shock": "shock.velocity",
    "qdd.shock": "shock.acceleration",
    "q.lower_arm.ry": "lower_arm.ry",
    "marker.wheel.r[3]": "wheel.z",
    "marker.wheel.v[1]": "wheel.vx",
    "marker.wheel.w[2]": "wheel.wy",
    "marker.wheel.angle[3]": "wheel.yaw",
    "marker.wheel.steer": "wheel.steer",
    "marker.wheel.camber": "wheel.camber",
    "marker.wheel.steer_absolute": "wheel.steer_absolute",
    "spring.shock.free_length": "shock.free_length",
    "force.motor.angle": "motor.angle",
    "spring.coil.force": "coil.force",
    "spring.coil.length": "coil.length",
    "measure.track": "track",
    "measure.track.rate": "track.rate",
    "bushing.front.deflection[1]": "front.deflection.x",
    "bushing.front.deflection[6]": "front.rotation.z",
    "bushing.front.force[2]": "front.force.y",
    "bushing.front.force[4]": "front.moment.x",
    "chassis.F[3]": "chassis.Fz",
    "chassis.wd[1]": "chassis.wdx",
    "gravity[3]": "gravity.z",
    "port.contact.F[3]": "contact.Fz",
    "port.contact.M[1]": "contact.Mx",
    "Q.shock": "shock.load",
    "drive.rack.q": "rack.drive",
    "drive.rack.qdd": "rack.drive.acceleration",
    "drive.rack.force": "rack.drive.force",
    "element.mount.force.s": "mount.force.s",
    "element.mount.pressure": "mount.pressure",
    "energy.total": "total.energy",
    "solver.error": "solver.error",
}


def test_names():
    assert plain_names(NAMES) == NAMES


def test_two_of_a_name_are_told_apart():
    both = [
        "spring.shock.force",
        "damper.shock.force",
        "q.pin.x",
        "marker.pin.r[1]",
        "marker.pin.r[2]",
        "q.a",
        "measure.a",
    ]
    assert list(plain_names(both).values()) == [
        "shock.spring.force",
        "shock.damper.force",
        "pin.coordinate.x",
        "pin.marker.x",
        "pin.y",
        "a.coordinate",
        "a.measure",
    ]


@pytest.mark.parametrize("model", [crank_slider, double_pendulum, stiff_pendulum, lambda: corner().model])
def test_all_variables_of_an_fmu_have_one(model):
    names = [v.name for v in variables(model()) if v.causality != "parameter"]
    plain = plain_names(names)
    assert list(plain) == names and len(set(plain.values())) == len(names)
    assert not any("[" in word for word in plain.values())


def test_labels():
    assert label("wheel.z") == "wheel z"
    assert joint_label(["wheel.z"]) == "wheel z"
    assert joint_label(["left.z", "right.z"]) == "left, right z"
    assert joint_label(["left.z", "track"]) == "left z, track"
    assert joint_label(["a", "b"]) == "a, b"


def test_units():
    assert shown("m") == ("mm", 1000.0) and shown("N.m") == ("N m", 1.0)


def test_what_show_finds():
    plain = plain_names(NAMES)
    assert chosen("wheel.z,steer", plain) == ["marker.wheel.r[3]", "marker.wheel.steer"]
    assert chosen(" shock , marker.wheel.r[3]", plain) == ["q.shock", "marker.wheel.r[3]"]
    assert chosen("force", plain) == ["spring.coil.force", "drive.rack.force"]  # of a bushing it is force.x
    assert chosen("track", plain) == ["measure.track"]  # the whole name before the end of others
    assert chosen("wheel.z,wheel.z", plain) == ["marker.wheel.r[3]"]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("whel.z", "--show: nothing is called 'whel.z'; did you mean 'wheel.z'"),
        ("wheel.z,xyzzy", "nothing is called 'xyzzy'; known: chassis.Fz"),
        (",", "name some quantities"),
    ],
)
def test_what_show_does_not_find(words, message):
    with pytest.raises(PrecomputeError, match=message):
        chosen(words, plain_names(NAMES))
