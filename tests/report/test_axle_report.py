"""What `check` says of an axle: where stops touch, and words on wheels without load and springs the wrong way."""

import pytest

import kinetab as kt
from precompute.report.axle_report import axle_reports

SLIDER = """
schema = 1
name = "Slider"
units = { length = "mm", force = "N" }
gravity = [0, 0, -9.80665]

[bodies.hub]
mass = 40
com = [0, 700, 300]
inertia = [1e6, 1e6, 1e6]

[joints.guide]
type = "prismatic"
parent = "ground"
child = "hub"
at = [0, 700, 300]
axis = "z"

[springs.coil]
between = ["ground", "hub"]
at = [[0, 700, TOP], [0, 700, 350]]
stiffness = 25
preload = "static"
bump_stop = { length = BUMP, stiffness = 1000 }
rebound_stop = { length = 430, stiffness = 1000 }

[markers.contact]
body = "hub"
at = [0, 700, 0]

[ports.contact]
marker = "contact"
force = [0, 0, LOAD]

[wheels.left]
body = "hub"
centre = [0, 700, 300]
radius = 300

[coordinates.free.travel]
of = "wheel.left.travel"
from = -80
to = 80
"""


def lines(top="750", bump="357.3", load="4000"):
    """Of an axle whose wheel slides along its spring: lengths and travel are one."""
    text = SLIDER.replace("TOP", top).replace("BUMP", bump).replace("LOAD", load)
    (report,) = axle_reports(kt.loads(text))
    return dict(report.values)


@pytest.mark.parametrize(
    ("bump", "told"),
    [
        ("357.3", "bump from 42.7 mm on, rebound from -30 mm on (wheel travel)"),
        ("100", "bump nowhere from -80 mm to 80 mm, rebound from -30 mm on (wheel travel)"),
        ("405", "bump pressed by 5 mm at design, rebound from -30 mm on (wheel travel)"),
    ],
)
def test_where_stops_touch(bump, told):
    assert lines(bump=bump)["stops touch"] == told


def test_without_stops_there_is_no_such_line():
    text = "\n".join(line for line in SLIDER.splitlines() if "_stop" not in line)
    (report,) = axle_reports(kt.loads(text.replace("TOP", "750").replace("LOAD", "4000")))
    assert "stops touch" not in dict(report.values)


@pytest.mark.parametrize(
    ("load", "told"),
    [
        ("4000", "4000 N, that holds the design position"),
        ("0", "0 N, no road under the wheel: a port at its contact takes the static load, force = [0, 0, 4000] say"),
        ("-4000", "-4000 N, that pulls the wheel down: a port's force is in global axes, that of a road points up"),
    ],
)
def test_the_load_that_the_wheel_carries(load, told):
    assert lines(load=load)["static load"] == told


def test_a_spring_that_lengthens_in_bump():
    assert lines()["motion ratio"] == "1, spring over wheel travel"
    below = lines(top="-50")["motion ratio"]
    assert below == "-1, spring over wheel travel; the spring lengthens in bump: check its points"
