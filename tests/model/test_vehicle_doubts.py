"""Warnings of wheels and the vehicle: slips that make a suspension which can be computed and is none."""

import re

import pytest

from precompute.mechanism_file import loads
from precompute.templates.library import template

CORNER = template("double-wishbone")


def warned(old, new, text=CORNER):
    changed, count = re.subn(old, new, text, count=1, flags=re.MULTILINE)
    assert count == 1
    return loads(changed).warnings


@pytest.mark.parametrize(
    ("name", "place"),
    [
        ("tie_outer", "joints.tie_rod_left"),
        ("upper_ball", "joints.upper_ball_left"),
        ("contact_patch", None),
    ],
)
def test_a_point_of_a_carrier_on_the_other_side(name, place):
    x, y, z = map(float, re.search(rf"^{name} = \[(.*)\]", CORNER, re.MULTILINE)[1].split(","))
    line = f"{name} = [{x:g}, {-y:g}, {z:g}]"
    if place is None:  # a contact that is not below the centre is an error, not a doubt
        with pytest.raises(Exception, match=r"wheels\.left\.contact"):
            warned(rf"^{name} = .*$", line)
        return
    (found,) = warned(rf"^{name} = .*$", line)
    assert found == (
        f"{place}: lies {y:g} mm to the right, but the wheel of 'upright_left', on which it is, 780 mm to the left; is "
        "a sign wrong?"
    )


def test_a_carrier_of_two_wheels_is_on_both_sides():
    assert loads(template("solid-axle")).warnings == ()


def test_a_middle_plane_that_is_not_at_the_origin_is_no_mistake():
    """Seen from the upright: all is moved by 720 mm, and half of the upright is across the origin."""
    moved = re.sub(
        r"^((?!gravity)\w+ = \[[-\d.]+, )([\d.]+)(, [-\d.]+\])",
        lambda found: f"{found[1]}{float(found[2]) - 720:g}{found[3]}",
        CORNER,
        flags=re.MULTILINE,
    )
    text = moved.replace("[wheels.left]", '[wheels.left]\nside = "left"')
    assert "lower_ball = [8, 5, 185]" in text and "upper_ball = [-22, -45, 480]" in text
    assert loads(text).warnings == ()


def test_points_in_metres_in_a_file_in_millimetres():
    """Hardpoints alone were pasted; what the template has of its own is still in mm, and so is its extent."""
    head, points, rest = re.split(r"(^\[points\]\n(?:.*\n)*?)(?=^# --)", CORNER, maxsplit=1, flags=re.MULTILINE)
    small = re.sub(r"(?<=[\[ ])-?\d+(?=[,\]])", lambda found: f"{int(found[0]) / 1000}", points)
    (found,) = loads(head + small + rest).warnings
    assert found.startswith("wheels.left: has a radius of 0.32")
    assert found.endswith(' mm; units.length is "mm": are its points in another unit?')


def test_gravity_that_points_up():
    (found,) = warned(r"^gravity = .*?\]", "gravity = [0, 0, 9.80665]")
    assert found == "gravity: points up, as 'axes' has it (z up without it); down is [0, 0, -9.80665]"


def test_bodies_that_are_heavier_than_the_vehicle():
    (found,) = warned("^mass = 40$", "mass = 40000")
    assert (
        found == "bodies: have 40018.5 kg together; vehicle.mass, of all of it, is 1650 kg. Is a mass in another unit?"
    )
