"""Steer and camber of wheels, since design and absolute, against the rotation that the FMU shows."""

import numpy as np
import pytest
from helpers_kernel import FIRST, Pair
from scipy.spatial.transform import Rotation

from fmu_src.numpy_runtime.outputs import camber_change, steer_absolute, steer_camber
from precompute.mechanism_file import loads
from precompute.pipeline import bake

TOE, CAMBER = np.radians(1.5), np.radians(-2.0)  # of the left wheel at design: turned to the left, top inboard
WHEEL = """
schema = 1
name = "Wheels"

[bodies.fork]
mass = 1
com = [0, 0, 0.1]
inertia = [0.1, 0.1, 0.1]

[bodies.hub]
mass = 2
com = [0, 0, 0]
inertia = [0.2, 0.3, 0.2]

[joints.steer]
type = "revolute"
parent = "ground"
child = "fork"
at = [0, 0, 0]
axis = "z"

[joints.lean]
type = "revolute"
parent = "fork"
child = "hub"
at = [0, 0, 0]
axis = "x"

[markers.left]
body = "hub"
at = [0, 0.7, 0]
spin_axis = [{x}, {y}, {z}]

[markers.right]
body = "hub"
at = [0, -0.7, 0]
spin_axis = [{x}, -{y}, {z}]

[coordinates.free.steer]
of = "joint.steer"
from = -3.0
to = 3.0

[coordinates.free.lean]
of = "joint.lean"
from = -1.0
to = 1.0
"""
AXIS = np.array([-np.sin(TOE) * np.cos(CAMBER), np.cos(TOE) * np.cos(CAMBER), -np.sin(CAMBER)])
ANGLES = ("steer", "camber", "steer_absolute", "camber_change")


@pytest.fixture(scope="module")
def wheels(tmp_path_factory):
    x, y, z = map(repr, AXIS.tolist())
    text = WHEEL.replace("{x}", x).replace("{y}", y).replace("{z}", z)
    return Pair(bake(loads(text)), tmp_path_factory.mktemp("wheels")).start()


def shown(both, *names):
    """Outputs, which must be the same in NumPy and the kernel to 1e-12."""
    found = [np.array(each.get([both.names.index(n) for n in names])) for each in (both.numpy, both.compiled)]
    np.testing.assert_allclose(found[1], found[0], rtol=1e-12, atol=1e-12)
    return found[0]


def at(both, steer, lean):
    """Both run-times where the hub is turned."""
    numbers = both.numbers().copy()
    numbers[FIRST : FIRST + 2] = steer, lean
    for instance in (both.numpy, both.compiled):
        instance.restore(both.block(numbers))
    return both


def wrapped(angle):
    return (angle + np.pi) % (2 * np.pi) - np.pi


def test_at_design_steer_and_the_change_of_camber_are_zero(wheels):
    left, right = (shown(at(wheels, 0.0, 0.0), *(f"marker.{side}.{a}" for a in ANGLES)) for side in ("left", "right"))
    np.testing.assert_allclose(left, [0.0, CAMBER, TOE, 0.0], atol=1e-9)
    np.testing.assert_allclose(right, [0.0, CAMBER, -TOE, 0.0], atol=1e-9)  # toe out on both sides, alike


@pytest.mark.parametrize("lean", [-0.3, 0.0, 0.5])
@pytest.mark.parametrize("steer", [-2.9, -0.2, 0.1, 1.7, 2.95])
def test_they_are_those_of_the_rotation(wheels, steer, lean):
    for side, sign in (("left", 1.0), ("right", -1.0)):
        spin = AXIS * [1.0, sign, 1.0]
        names = [*(f"marker.{side}.angle[{i}]" for i in (1, 2, 3)), *(f"marker.{side}.{a}" for a in ANGLES)]
        *turned, since, camber, absolute, change = shown(at(wheels, steer, lean), *names)
        u = Rotation.from_euler("xyz", turned).apply(spin)
        forward = sign * np.cross(u, [0.0, 0.0, 1.0])  # of the wheel, level
        heading = np.arctan2(forward[1], forward[0])
        assert absolute == pytest.approx(heading, abs=1e-9)
        assert since == pytest.approx(wrapped(heading - sign * TOE), abs=1e-6)
        assert camber == pytest.approx(-np.arcsin(u[2]), abs=1e-6)
        assert change == pytest.approx(camber - CAMBER, abs=1e-12)
        assert wrapped(absolute - since) == pytest.approx(sign * TOE, abs=1e-9)


def test_a_left_turn_is_positive_on_both_sides():
    for outboard in (1.0, -1.0):
        design = (0.0, outboard, 0.0)
        turned = outboard * np.array([-np.sin(0.1), np.cos(0.1), 0.0])
        assert steer_absolute(turned, design) == pytest.approx(0.1) == steer_camber(turned, design)[0]
        assert camber_change(turned, design) == pytest.approx(0.0)


def test_headings_go_from_minus_to_plus_half_a_turn():
    design = (-np.sin(0.3), np.cos(0.3), 0.0)  # 0.3 rad to the left
    for turn in np.linspace(-7.0, 7.0, 57):
        u = np.array([-np.sin(0.3 + turn), np.cos(0.3 + turn), 0.0])
        found = steer_absolute(u, design), steer_camber(u, design)[0]
        np.testing.assert_allclose(np.exp(1j * np.array(found)), np.exp(1j * np.array([0.3 + turn, turn])), atol=1e-12)
        assert max(map(abs, found)) <= np.pi
