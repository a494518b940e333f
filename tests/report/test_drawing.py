"""The picture of a mechanism: its parts where they are, and the same bytes each time."""

from dataclasses import replace

import numpy as np
import pytest
from helpers import MECHANISMS

from precompute.mechanism_file import load, loads
from precompute.report.drawing import Placed, coil, draw
from precompute.scene.parts import attachments

PNG = b"\x89PNG\r\n\x1a\n"


@pytest.mark.parametrize(
    "name",
    ["crank_slider", "double_wishbone", "five_link", "geneva", "macpherson", "planetary_train", "rope_pulleys", "rssr"],
)
def test_a_picture_is_a_png_and_the_same_each_time(name):
    mechanism = load(MECHANISMS / f"{name}.toml")
    picture = draw(mechanism)
    assert picture.startswith(PNG) and len(picture) > 10_000
    assert draw(mechanism) == picture


def test_points_that_a_joint_holds_together_are_one():
    """Also where the file gives them apart, since the loops are closed."""
    mechanism = load(MECHANISMS / "double_wishbone.toml")
    placed = Placed(mechanism)
    for joint in mechanism.joints:
        gap = placed.at((joint.parent, joint.p_P)) - placed.at((joint.child, joint.p_C))
        assert joint.kind == "prismatic" or np.abs(gap).max() < 1e-3  # [mm]
    for rod in mechanism.rods:
        a, b = (placed.at(point) for point in ((rod.parent, rod.p_P), (rod.child, rod.p_C)))
        assert np.linalg.norm(b - a) == pytest.approx(1e3 * rod.length, rel=1e-9)


def test_every_body_has_points():
    mechanism = load(MECHANISMS / "five_link.toml")
    assert {body.name for body in mechanism.bodies} <= {body for body, _ in attachments(mechanism)}
    placed = Placed(mechanism)
    assert all(len(placed.of(item)) >= 2 for item in placed.scene.of("body"))


PENDULUM = """
schema = 1
name = "Pendulum"
units = { length = "mm", mass = "kg", angle = "deg", force = "N" }
gravity = [0, -9.80665, 0]
bodies.rod = { mass = 1, com = COM, inertia = [1000, 1000, 1000] }
joints.pin = { type = "revolute", parent = "ground", child = "rod", at = [1, 2, 3], axis = "z" }
"""


@pytest.mark.parametrize("com", [[101, 2, 3], [1, 2, 3], [1e5, 2, 3], [1.0001, 2, 3]])
def test_a_body_with_one_joint_is_drawn_to_its_mass_centre(com):
    mechanism = loads(PENDULUM.replace("COM", str(com)))
    placed = Placed(mechanism)
    points = placed.of(placed.scene.of("body")[0])
    expected = np.unique(np.round([[1, 2, 3], com], 3), axis=0)
    np.testing.assert_allclose(points, expected, atol=1e-9)
    assert draw(mechanism).startswith(PNG)


def test_a_constant_force_between_two_points_is_drawn():
    pull = 'forces.pull = { between = ["ground", "rod"], at = [[300, 2, 3], [101, 2, 3]], value = 5 }\n'
    mechanism = loads(PENDULUM.replace("COM", "[101, 2, 3]") + pull)
    assert ("ground", [0.3, 0.002, 0.003]) in [(body, p.tolist()) for body, p in attachments(mechanism)]
    assert draw(mechanism) != draw(replace(mechanism, forces=()))


def test_a_coil_ends_where_the_spring_does():
    a, b = np.array([1.0, 2.0, 3.0]), np.array([1.0, 2.0, 8.0])
    points = coil(a, b)
    np.testing.assert_array_equal(points[[0, -1]], [a, b])
    assert (np.diff(points[:, 2]) > 0.0).all() and np.ptp(points[:, :2], axis=0).max() == pytest.approx(0.6)
