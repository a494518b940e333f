"""Loads in the mechanism file: what is asked for, in which axes, and what is wrong."""

import numpy as np
import pytest
from helpers_corner import FILE, document

from precompute.errors import MechanismError
from precompute.mechanism_file import from_document, loads, to_document

TEXT = FILE.read_text(encoding="utf-8")


def with_load(joint, **keys):
    found = document()
    found["joints"][joint].update(keys)
    return found


def test_a_joint_has_the_directions_that_it_locks_in_its_own_axes():
    joint = from_document(with_load("arm_mount", load=True)).joint("arm_mount")
    assert joint.loads == ("x", "y", "z", "ry", "rz")
    np.testing.assert_allclose(joint.R[:, 0], joint.axes[0], atol=1e-15)


def test_axes_of_the_ground_have_all_three_or_none():
    mechanism = from_document(with_load("ball", load=True, load_axes="ground"))
    assert mechanism.joint("ball").loads == ("x", "y", "z")
    assert from_document(with_load("rack", load=True, load_axes="ground")).joint("rack").loads == (
        *("x", "y", "z"),
        *("rx", "ry", "rz"),
    )


def test_a_list_asks_for_some():
    assert from_document(with_load("arm_mount", load=["rz", "y"])).joint("arm_mount").loads == ("y", "rz")


@pytest.mark.parametrize("asked", ["all", ["arm_mount", "ball", "rack", "upper_front", "upper_rear", "tie_rod"]])
def test_all_of_them(asked):
    mechanism = from_document({**document(), "loads": asked})
    assert all(joint.loads == joint.loadable for joint in mechanism.joints) and all(r.load for r in mechanism.rods)
    again = from_document(to_document(mechanism))
    assert to_document(again) == to_document(mechanism)


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ('type = "spherical"', 'type = "spherical"\nload = ["rx"]', "joints.ball.load[1]: is 'rx', which is free in a "
         "spherical joint and carries no load; it carries x, y, z"),
        ('type = "prismatic"', 'type = "prismatic"\nload = ["x"]', "joints.rack.load[1]: is 'x', which is free in a "
         "prismatic joint and carries no load; it carries y, z, rx, ry, rz"),
        ('type = "spherical"', 'type = "spherical"\nload = ["F"]', "joints.ball.load[1]: is 'F'; "),
        ('type = "spherical"', 'type = "spherical"\nload = "yes"', "joints.ball.load: is 'yes'; it must be true"),
        ('type = "spherical"', 'type = "spherical"\nload_axes = "ground"', "has 'load_axes' without 'load'"),
        ('type = "rod"', 'type = "rod"\nload = ["x"]', "joints.upper_front.load: is ['x']; "),
        ("schema = 1", 'schema = 1\nloads = ["bal"]', "loads[1]: there is no joint 'bal'; did you mean 'ball'"),
        ("schema = 1", "schema = 1\nloads = true", "loads: is true; it must be \"all\" or a list of joints"),
    ],
)  # fmt: skip
def test_faults_are_told(old, new, expected):
    with pytest.raises(MechanismError) as error:
        loads(TEXT.replace(old, new, 1))
    assert any(expected in problem for problem in error.value.problems), error.value.problems
    assert len(error.value.problems) == 1


def test_a_free_joint_carries_nothing():
    text = TEXT + '\n[bodies.loose]\nmass = 1\ncom = [0, 0, 0]\n[joints.loose]\ntype = "free"\nparent = "ground"\n'
    with pytest.raises(MechanismError, match="joints.loose.load: a free joint carries no load"):
        loads(text + 'child = "loose"\nload = true\n')
