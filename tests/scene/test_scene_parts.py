"""What is drawn of a mechanism: a hinge by two points holds its bodies at both."""

import numpy as np
import pytest
from helpers import MECHANISMS

from precompute.errors import MechanismError
from precompute.mechanism_file import from_document, load, loads, to_document
from precompute.scene import scene

GATE = """
schema = 1
name = "Gate"
units = { length = "mm", mass = "kg", angle = "deg", force = "N" }
[points]
low = [0, 0, 0]
high = [0, 0, 900]
aside = [50, 0, 0]
latch = [1000, 0, 450]
[bodies.gate]
mass = 10
com = "latch"
inertia = [1e6, 1e6, 1e6]
[joints.hinge]
type = "revolute"
parent = "ground"
child = "gate"
HINGE
[markers.latch]
body = "gate"
at = "latch"
"""


def corners(mechanism, body):
    """Points of a body in mm."""
    (item,) = (item for item in scene(mechanism).of("body") if item.name == body)
    return sorted(np.round(1e3 * item.points, 6).tolist())


@pytest.mark.parametrize(
    ("hinge", "ends"),
    [
        ('axis = ["low", "high"]', [0.0, 900.0]),
        ('at = "low"\naxis = ["high", "low"]', [0.0, 900.0]),
        ('at = [0, 0, 100]\naxis = ["low", "high"]', [100.0, 900.0]),
        ('at = "low"\naxis = "z"\nreach = -300', [-300.0, 0.0]),
        ('axis = ["low", "high"]\nreach = 0', [0.0]),
        ('at = "aside"\naxis = ["low", "high"]', None),  # its points are a direction
        ('at = "low"\naxis = "z"', [0.0]),
    ],
)
def test_a_hinge_reaches_from_its_place_to_the_other_point_of_its_axis(hinge, ends):
    mechanism = loads(GATE.replace("HINGE", hinge))
    wanted = [[50.0, 0.0, 0.0]] if ends is None else [[0.0, 0.0, z] for z in ends]
    assert corners(mechanism, "gate") == sorted([*wanted, [1000.0, 0.0, 450.0]])
    assert corners(from_document(to_document(mechanism)), "gate") == corners(mechanism, "gate")
    (joint,) = scene(mechanism).of("joint")
    assert sorted(np.round(1e3 * joint.points, 6).tolist()) == sorted(wanted)
    assert len(scene(mechanism).of("ground")) == len(wanted)


def test_no_other_joint_has_a_reach():
    with pytest.raises(MechanismError, match="'reach'"):
        loads(GATE.replace("HINGE", 'at = "low"\nreach = 100').replace("revolute", "spherical"))


@pytest.mark.parametrize("name", ["double_wishbone_rigid", "front_axle"])
def test_arms_of_rigid_wishbones_look_like_an_a(name):
    mechanism = load(MECHANISMS / f"{name}.toml")
    for body in (body.name for body in mechanism.bodies if "upper_arm" in body.name or "lower_arm" in body.name):
        assert len(corners(mechanism, body)) >= 3, body


def test_an_image_reaches_to_the_image_of_the_point():
    mechanism = load(MECHANISMS.parent.parent / "precompute/templates/pushrod-rocker.toml")
    for arm in ("lower_arm", "upper_arm"):
        left, right = (corners(mechanism, f"{arm}_{side}") for side in ("left", "right"))
        assert len(left) >= 3
        np.testing.assert_allclose(sorted([x, -y, z] for x, y, z in right), left, atol=1e-6)
