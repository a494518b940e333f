"""Axes, wheels, axles, the vehicle, bars and stops in a file: what they mean, and what is said of bad ones."""

import math

import numpy as np
import pytest

from precompute.errors import MechanismError, PrecomputeError
from precompute.mechanism_file import loads, parse_document, to_document
from precompute.model.mechanism import Axes, Axle, Combination, JointCoordinate, MarkerCoordinate, WheelTravel

HEAD = """
schema = 1
name = "Arms"
units = { length = "mm", mass = "kg", angle = "deg", force = "N" }
"""
ARMS = """
[bodies]
left = { mass = 20, com = [0, 600, 300] }
right = { mass = 20, com = [0, -600, 300] }

[joints]
left = { type = "revolute", parent = "ground", child = "left", at = [0, 300, 300], axis = "x" }
right = { type = "revolute", parent = "ground", child = "right", at = [0, -300, 300], axis = "x" }

[markers.tip]
body = "left"
at = [0, 700, 300]
"""
WHEELS = """
[wheels]
fl = { body = "left", centre = [0, 700, 300], radius = 300 }
fr = { body = "right", centre = [0, -700, 300], radius = 300 }
"""


def told(more, head="", arms=ARMS):
    with pytest.raises(MechanismError) as error:
        loads(HEAD + head + arms + more)
    return list(error.value.problems)


def one_wheel(keys, body="left", centre="[0, 700, 300]", head=""):
    (wheel,) = loads(f"{HEAD}{head}{ARMS}[wheels.w]\nbody = '{body}'\ncentre = {centre}\n{keys}").wheels
    return wheel


# -- axes -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ('{ forward = "x", left = "y", up = "z" }', [[1, 0, 0], [0, 1, 0], [0, 0, 1]]),
        ('{ forward = "-x", up = "z" }', [[-1, 0, 0], [0, -1, 0], [0, 0, 1]]),
        ('{ forward = "-y", left = "x" }', [[0, -1, 0], [1, 0, 0], [0, 0, 1]]),
        ('{ left = "z", up = "y" }', [[-1, 0, 0], [0, 0, 1], [0, 1, 0]]),
    ],
)
def test_axes_have_signs_and_the_third_follows(text, rows):
    m = loads(f"{HEAD}axes = {text}\n{ARMS}")
    assert np.array_equal(m.axes.R, rows)
    assert np.array_equal(parse_document(to_document(m)).axes.R, rows)


def test_the_default_is_iso_8855_and_is_not_written():
    m = loads(HEAD + ARMS)
    assert np.array_equal(m.axes.R, np.eye(3)) and "axes" not in to_document(m)


def test_axes_along_no_global_axis_cannot_be_written():
    m = loads(HEAD + ARMS)
    c, s = math.cos(0.3), math.sin(0.3)
    object.__setattr__(m, "axes", Axes([c, s, 0], [-s, c, 0], [0, 0, 1]))
    with pytest.raises(PrecomputeError, match="along global axes only"):
        to_document(m)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (
            '{ forward = "x", left = "-y", up = "z" }',
            'line 5, axes: is left-handed: with forward = "x" and left = "-y", up',
        ),
        ('{ forward = "x", left = "-x" }', "line 5, axes: two of forward, left and up lie on one line"),
        ('{ forward = "x" }', "line 5, axes: needs two of forward, left and up"),
        ('{ forward = "x", up = "w" }', "line 5, axes.up: is 'w'; choose one of x, y, z, -x, -y, -z"),
        ('"xyz"', "line 5, axes: is 'xyz'; it must be a table"),
        ('{ forwards = "x", up = "z" }', "line 5, axes.forwards: unknown key; did you mean 'forward'?"),
    ],
)
def test_bad_axes(text, words):
    (problem,) = told("", f"axes = {text}\n")
    assert problem.startswith(words)


def test_left_handed_axes_name_the_one_that_is_right():
    (problem,) = told("", 'axes = { forward = "x", left = "-y", up = "z" }\n')
    assert 'up is "-z"' in problem


# -- wheels -----------------------------------------------------------------------------------------------------------


def test_a_wheel_in_si():
    w = one_wheel("radius = 300\nunloaded_radius = 320\ntyre_rate = 200\nspin_axis = '-y'")
    assert (w.radius, w.unloaded_radius, w.tyre_rate, w.side) == (0.3, 0.32, 200e3, "left")
    assert np.array_equal(w.spin_axis, [0, 1, 0]) and np.array_equal(w.centre, [0, 0.7, 0.3])


def test_the_side_is_found_or_told():
    assert one_wheel("radius = 3", "right", "[0, -700, 300]").side == "right"
    assert one_wheel("radius = 3\nside = 'right'").side == "right"
    assert one_wheel("radius = 3", head='axes = { forward = "-x", up = "z" }\n').side == "right"


@pytest.mark.parametrize("side", ["left", "right"])
def test_static_toe_is_positive_in_and_camber_with_the_top_outward(side):
    toe, camber = math.radians(2.0), math.radians(-3.0)
    w = one_wheel(f"radius = 300\ntoe = 2\ncamber = -3\nside = '{side}'")
    outward = 1.0 if side == "left" else -1.0
    ahead = np.cross(
        w.spin_axis, [0, 0, 1]
    )  # horizontal, in the wheel plane: forward of a wheel whose axis points left
    assert ahead[0] > 0.0
    assert math.atan2(-outward * ahead[1], ahead[0]) == pytest.approx(toe)  # the front turns inward
    top = np.array([0, 0, 1]) - w.spin_axis[2] * w.spin_axis  # up along the wheel plane
    lean = math.atan2(outward * top[1], top[2] / math.cos(toe))
    assert lean == pytest.approx(camber, rel=2e-3) and math.asin(-w.outboard[2]) == pytest.approx(camber)


def test_toe_and_camber_follow_the_axes_of_the_vehicle():
    plain = one_wheel("radius = 300\ntoe = 2\ncamber = -3")
    turned = one_wheel(
        "radius = 300\ntoe = 2\ncamber = -3", centre="[700, 0, 300]", head='axes = { forward = "-y", left = "x" }\n'
    )
    axes = Axes([0, -1, 0], [1, 0, 0], [0, 0, 1])
    np.testing.assert_allclose(axes.R @ turned.spin_axis, plain.spin_axis, atol=1e-15)


def test_the_contact_point_says_how_large_the_wheel_is():
    assert one_wheel("contact = [0, 700, 0]").radius == pytest.approx(0.3)
    w = one_wheel("contact = [0, 700, 0]\ncamber = 4")
    assert w.radius == pytest.approx(0.3 / math.cos(math.radians(4.0)))
    assert w.contact(Axes())[2] == pytest.approx(0.0, abs=1e-15)


@pytest.mark.parametrize(
    ("keys", "problem"),
    [
        ("body = 'hub'\ncentre = [0, 1, 2]\nradius = 3", "body: there is no body 'hub'; known: ground, left, right"),
        (
            "body = 'left'\ncentre = [0, 1, 2]\nradius = 3\nspin_axis = 'z'",
            "spin_axis: points up, as the wheel travels; a",
        ),
        ("body = 'left'\ncentre = [0, 1, 2]\nradius = 3\nspin_axis = 'x'", "spin_axis: points forward, as the vehicle"),
        ("body = 'left'\ncentre = [0, 0, 2]\nradius = 3", ": its centre is 0 mm to the left: on no side; write side ="),
        ("body = 'left'\ncentre = [0, 1, 2]", ": needs one of 'radius', 'contact'"),
        ("body = 'left'\ncentre = [0, 1, 2]\nradius = 0", "radius: is 0 mm; it must be positive"),
        (
            "body = 'left'\ncentre = [0, 1, 2]\ncontact = [0, 1, 3]",
            "contact: is 1 mm above the wheel's centre; it must",
        ),
        (
            "body = 'left'\ncentre = [0, 1, 2]\ncontact = [0, 9, 0]",
            "contact: is 8 mm away from the lowest point of the wh",
        ),
        (
            "body = 'left'\ncentre = [0, 1, 2]\nradius = 3\nunloaded_radius = 2",
            "unloaded_radius: is 2 mm, less than the l",
        ),
        (
            "body = 'left'\ncentre = [0, 1, 2]\nradius = 3\ntoe = 88",
            "toe: is 88 deg; beyond 80 deg it is no static angle",
        ),
        (
            "body = 'left'\ncentre = [0, 1, 2]\nradius = 3\ntoe = 1\nspin_axis = 'y'",
            ": has 'spin_axis' and 'toe'; the a",
        ),
        ("body = 'left'\ncentre = [0, 1, 2]\nradius = 3\nside = 'port'", "side: is 'port'; choose one of left, right"),
        (
            "body = 'ground'\ncentre = [0, 1, 2]\nradius = 3",
            ": its carrier is the ground, which does not move; name the",
        ),
    ],
)
def test_bad_wheels(keys, problem):
    (found,) = told(f"[wheels.w]\n{keys}\n")
    place, _, text = found.partition(", wheels.w")
    assert place.startswith("line ") and text.lstrip(".").startswith(problem)


# -- axles, vehicle ---------------------------------------------------------------------------------------------------


def test_axles_name_wheels_and_what_steers_them():
    more = """
    [coordinates.free.swing]
    of = "joint.left"
    from = -9
    to = 9
    [coordinates.free.height]
    of = "marker.tip.z"
    relative = true
    from = -9
    to = 9
    [axles]
    a = { left = "fl", right = "fr", steering = "swing" }
    b = { left = "fl", steering = "joint.right", end = "rear" }
    c = { right = "fr", steering = "height" }
    """
    m = loads(HEAD + ARMS + WHEELS + more)
    a, b, c = m.axles
    assert a.steering == JointCoordinate("left") and b.steering == JointCoordinate("right")
    assert c.steering == MarkerCoordinate("tip", "z", relative=True) and c.wheels == ("fr",)
    document = to_document(m)
    assert [axle["steering"] for axle in document["axles"].values()] == ["swing", "joint.right", "height"]
    assert parse_document(document).axles[2].steering == c.steering


def test_of_two_axles_the_one_ahead_is_in_front():
    more = "[wheels.rear]\nbody = 'left'\ncentre = [-2000, 700, 300]\nradius = 300\n[axles]\nb = { left = 'rear' }\n"
    text = HEAD + ARMS + WHEELS + more + "a = { left = 'fl' }\n"
    assert {axle.name: axle.end for axle in loads(text).axles} == {"a": "front", "b": "rear"}
    backward = text.replace("[bodies]", "axes = { forward = '-x', up = 'z' }\n[bodies]").replace("fl'", "fr'")
    backward = backward.replace("left = 'rear'", "right = 'rear'").replace("left = 'fr'", "left = 'fr'")
    assert {axle.name: axle.end for axle in loads(backward).axles} == {"a": "rear", "b": "front"}
    alone = HEAD + ARMS + WHEELS + "[axles]\na = { left = 'fl' }\n"
    assert [axle.end for axle in loads(alone).axles] == [None]


@pytest.mark.parametrize(
    ("axle", "words"),
    [
        ("{ left = 'fl', right = 'fl' }", "axles.a: has 'fl' on both sides"),
        (
            "{ left = 'fl', right = 'fr2' }",
            "axles.a: its right wheel 'fr2' is on the left like the other: an axle has wh",
        ),
        ("{ left = 'fr', right = 'fl' }", "axles.a: its left wheel is on the right and its right wheel on the left"),
        (
            "{ left = 'fr' }",
            "axles.a: its left wheel 'fr' is on the right; its centre is 700 mm to the right. Check the signs of the "
            "points, or 'axes', which says where left is, or the wheel's 'side'",
        ),
        ("{ left = 'fx' }", "axles.a.left: there is no wheel 'fx'"),
        ("{ end = 'front' }", "axles.a: needs 'left' or 'right', or both"),
        ("{ left = 'fl', end = 'middle' }", "axles.a.end: is 'middle'; choose one of front, rear"),
        ("{ left = 'fl', steering = 'rack' }", "axles.a.steering: there is no coordinate 'rack'; known: none"),
        ("{ left = 'fl', steering = 'joint.rack' }", "axles.a.steering: there is no joint 'rack'"),
    ],
)
def test_bad_axles(axle, words):
    second = "fr2 = { body = 'left', centre = [9, 700, 300], radius = 300 }\n"
    (found,) = told(WHEELS + second + f"[axles]\na = {axle}\n")
    assert found.partition(", ")[2].startswith(words)


@pytest.mark.parametrize(
    ("keys", "words"),
    [
        (
            "wheelbase = 2700\ncg_position = 12000",
            "cg_position: is 12000 mm behind the front axle, not between the axles",
        ),
        ("wheelbase = 2700\ncg_position = -3", "cg_position: is -3 mm behind"),
        ("mass = 90\nunsprung_mass = { front = 95 }", "unsprung_mass: adds up to 95 kg; the whole vehicle has 90 kg"),
    ],
)
def test_a_vehicle_that_can_hardly_be_is_a_warning(keys, words):
    axles = "[axles]\nfront = { left = 'fl', right = 'fr' }\n"
    (found,) = loads(HEAD + ARMS + WHEELS + axles + f"[vehicle]\n{keys}\n").warnings
    assert found.partition("vehicle.")[2].startswith(words)


def test_the_vehicle_in_si_and_its_problems():
    axles = "[axles]\nfront = { left = 'fl', right = 'fr' }\n"
    keys = "wheelbase = 2700\nmass = 1500\ncg_height = 500\ncg_position = 1200\nunsprung_mass = { front = 80 }\n"
    v = loads(HEAD + ARMS + WHEELS + axles + f"[vehicle]\n{keys}brake_share = {{ front = 0.7 }}\n").vehicle
    assert (v.wheelbase, v.mass, v.cg_height, v.cg_position) == (2.7, 1500.0, 0.5, 1.2)
    assert (v.unsprung_mass, v.brake_share, v.drive_share) == ((("front", 80.0),), (("front", 0.7),), ())
    assert (v.brake_torque, v.drive_torque) == ("outboard", "inboard")
    bad = "mass = -1\nbrake_share = { front = 1.2 }\ndrive_share = { rear = 0.5 }\nbrake_torque = 'hub'\n"
    found = told(WHEELS + axles + f"[vehicle]\n{bad}")
    assert [text.partition(": ")[0].partition(", ")[2] for text in found] == [
        *("vehicle.mass", "vehicle.brake_share.front", "vehicle.drive_share", "vehicle.brake_torque")
    ]
    assert "there is no axle 'rear'; known: front" in found[2]


# -- bars and stops ---------------------------------------------------------------------------------------------------


def test_bars_and_stops_are_springs_of_their_roles():
    more = """
    [springs.torsion]
    between = ["ground", "left"]
    axis = [2, 0, 0]
    stiffness = 100
    free_length = 10
    [anti_roll_bars.bar]
    between = ["left", "right"]
    axis = "x"
    stiffness = 200
    [stops.heave]
    wheels = ["fl", "fr"]
    above = 60
    stiffness = 300
    [stops.droop]
    wheels = ["fl"]
    below = -90
    table = [[0, 0], [10, 50]]
    """
    m = loads(HEAD + ARMS + WHEELS + more)
    torsion, bar, heave, droop = m.springs
    assert [s.role for s in m.springs] == ["spring", "anti_roll_bar", "stop", "stop"]
    per_rad = 180.0 / math.pi / 1e3  # N mm/deg to N m/rad
    assert torsion.stiffness == pytest.approx(100 * per_rad) and torsion.free_length == pytest.approx(math.radians(10))
    assert (torsion.on.body_a, torsion.on.body_b) == ("ground", "left") and np.array_equal(torsion.on.axis, [1, 0, 0])
    assert bar.preload == 0.0 and bar.stiffness == pytest.approx(200 * per_rad)
    assert heave.on.same(Combination((WheelTravel("fl"), WheelTravel("fr")), (0.5, 0.5)))
    assert heave.rebound_stop.at == 0.06 and heave.rebound_stop.stiffness == 300e3 and heave.stiffness == 0.0
    assert droop.on == WheelTravel("fl") and droop.bump_stop.at == -0.09
    document = to_document(m)
    assert [*document["springs"], *document["anti_roll_bars"], *document["stops"]] == [
        "torsion",
        "bar",
        "heave",
        "droop",
    ]
    assert to_document(parse_document(document)) == document


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ("[stops.s]\nwheels = ['fl', 'fl']\nabove = 1\nstiffness = 1", "stops.s.wheels: names 'fl' twice"),
        ("[stops.s]\nwheels = ['fl', 'fx']\nabove = 1\nstiffness = 1", "stops.s.wheels[2]: there is no wheel 'fx'"),
        ("[stops.s]\nwheels = 'fl'\nabove = 1\nstiffness = 1", "stops.s.wheels: is 'fl'; it must be one or two wheels"),
        ("[stops.s]\nwheels = ['fl']\nstiffness = 1", "stops.s: needs one of 'above', 'below'"),
        ("[stops.s]\nabove = 1\nstiffness = 1", "stops.s: needs one of 'between', 'joint', 'on', 'wheels'"),
        (
            "[springs.s]\nbetween = ['left', 'right']\nstiffness = 1\npreload = 0",
            "springs.s: has 'between' without 'at' or",
        ),
        (
            "[springs.s]\nbetween = ['left', 'right']\nat = ['A', 'B']\naxis = 'x'\nstiffness = 1\npreload = 0\n"
            "[points]\nA = [0, 0, 0]\nB = [0, 1, 0]",
            "springs.s: has 'at' and 'axis'; keep one of them",
        ),
        (
            "[anti_roll_bars.b]\nbetween = ['left', 'left']\naxis = 'x'\nstiffness = 1",
            "anti_roll_bars.b: both ends are on",
        ),
        (
            "[springs.b]\njoint = 'left'\nstiffness = 1\npreload = 0\n"
            "[anti_roll_bars.b]\njoint = 'left'\nstiffness = 1",
            "springs.b: this name is used twice",
        ),
        (
            "[measures.m]\nof = { measures = ['joint.left', 'wheel.fl.travel'], factors = [1, 1] }",
            "measures.m.of: adds angles and lengths: the joint left in angle, the travel of wheel fl in length",
        ),
        (
            "[measures.m]\nof = { measures = ['joint.left', 'joint.right'], factors = [1, 0] }",
            "measures.m.of.factors[2]: is 0; leave the measure out",
        ),
        (
            "[measures.m]\nof = { measures = ['joint.left', 'joint.right'], factors = [1, 1, 1] }",
            "measures.m.of: has 2 measures and 3 factors",
        ),
        (
            "[measures.m]\nof = { measures = ['joint.left'], factors = [1] }",
            "measures.m.of.measures: is ['joint.left']; it",
        ),
        ("[measures.m]\nof = 'wheel.fx.travel'", "measures.m.of: there is no wheel 'fx'; known: fl, fr"),
        (
            "[measures.m]\nof = { measures = ['joint.left', 'joint.rigth'], factors = [1, 1] }",
            "measures.m.of.measures[2]: there is no joint 'rigth'; did you mean 'right'?",
        ),
    ],
)
def test_bad_bars_stops_and_sums(more, words):
    found = [text.partition(", ")[2] if text.startswith("line") else text for text in told(WHEELS + more + "\n")]
    assert any(text.startswith(words) for text in found), found
    assert len(found) == 1 + ("measures = ['joint.left'], " in more)


def test_relative_coordinates_among_others_cannot_be_written():
    m = loads(HEAD + ARMS + "[measures.m]\nof = { measures = ['marker.tip.y', 'marker.tip.z'], factors = [1, 1] }\n")
    of = m.measures[0].of
    object.__setattr__(m.measures[0], "of", Combination((of.of[0].since_design, of.of[1]), (1.0, 1.0)))
    with pytest.raises(PrecomputeError, match="cannot be written among others"):
        to_document(m)
    object.__setattr__(m, "axles", (Axle("a", "fl", steering=of.of[0].since_design),))
    object.__setattr__(m, "measures", ())
    with pytest.raises(PrecomputeError, match="cannot be written as steering"):
        to_document(m)
