"""Mirror images of parts: they move as the mirror image, and their forces are the mirror image of the forces."""

from dataclasses import replace

import numpy as np
import pytest

from precompute.geometry.placement import Placement, mirror
from precompute.model.bushings import moved_child
from precompute.model.images import PartImages
from precompute.model.joint_types import JOINT_TYPES, LOCKED
from precompute.model.mechanism import (
    Axes,
    Bushing,
    BushingDeflection,
    Combination,
    ConstantForce,
    Coordinate,
    Damper,
    ForceTable,
    Joint,
    JointCoordinate,
    MarkerAngle,
    MarkerCoordinate,
    Measure,
    Primitive,
    RelativeAngle,
    Spring,
    Stop,
    Wheel,
    WheelTravel,
    joint_primitives,
    stiff_primitives,
)

ROUNDING = 1e-14
NAMES = {"body": {"l": "r"}, "joint": {"j_l": "j_r"}, "marker": {"m_l": "m_r"}, "wheel": {"w_l": "w_r"}}
NAMES["bushing"] = {"b_l": "b_r"}


def images(axis=1, joint=None, axes=None):
    axes = axes or Axes()
    return PartImages(mirror(axis), {} if joint is None else {joint.name: joint}, axes, axes, NAMES)


def random_frame(rng, x=None, y=None):
    x = rng.standard_normal(3) if x is None else x
    y = rng.standard_normal(3) if y is None else y
    x = x / np.linalg.norm(x)
    y = y - (x @ y) * x
    y = y / np.linalg.norm(y)
    return np.column_stack([x, y, np.cross(x, y)])


def random_joint(rng, kind, stiff_axes):
    """A joint of a kind with all that it locks stiff; of a sequence any motions."""
    p = rng.uniform(-1, 1, 3)
    if kind == "sequence":
        made = [Primitive(k, rng.standard_normal(3)) for k in ("rotation", "translation", "rotation")]
        return Joint("j_l", kind, "l", "c", p, p, (*made, Primitive("ball")))
    axes = rng.standard_normal((len(JOINT_TYPES[kind].axes), 3))
    free = joint_primitives(kind, axes)
    R = random_frame(rng, *axes)
    return Joint("j_l", kind, "l", "c", p, p, (*free, *stiff_primitives(LOCKED[kind], R)), stiff_axes, R)


@pytest.mark.parametrize("axis", range(3))
@pytest.mark.parametrize("stiff_axes", ["parent", "child"])
@pytest.mark.parametrize("kind", [*JOINT_TYPES, "sequence"])
def test_a_mirrored_joint_moves_as_the_mirror_image(kind, stiff_axes, axis):
    """In coordinates that are signs times those of which they are the image, large motions and all."""
    rng = np.random.default_rng(len(kind) + axis)
    joint = random_joint(rng, kind, stiff_axes)
    there = images(axis, joint)
    image, T = there.joint("j_r", joint), there.at.T
    assert (image.parent, image.child, image.kind) == ("r", "c", kind)
    amounts = rng.uniform(-1, 1, (len(joint.primitives), 3))
    mirrored = amounts.copy()
    for i, primitive in enumerate(joint.primitives):
        if primitive.kind == "ball":
            mirrored[i] = -T @ amounts[i]
        else:
            mirrored[i] = there.joint_sign("j_l", i) * amounts[i]
    here, over = moved_child(joint, amounts, 1.0), moved_child(image, mirrored, 1.0)
    np.testing.assert_allclose(over.R, T @ here.R @ T, atol=ROUNDING)
    np.testing.assert_allclose(over.p, T @ here.p, atol=ROUNDING)


@pytest.mark.parametrize("kind", [*JOINT_TYPES, "sequence"])
def test_a_joint_mirrored_twice_is_the_same(kind):
    joint = random_joint(np.random.default_rng(8), kind, "parent")
    back = replace(images(joint=joint), names={})
    image = back.joint("j_l", joint)
    again = replace(back, joints={"j_l": image}).joint("j_l", image)
    np.testing.assert_array_equal(again.R, joint.R)
    for a, b in zip(again.primitives, joint.primitives, strict=True):
        assert a.axis is b.axis is None or np.array_equal(a.axis, b.axis)


def test_which_coordinates_of_joints_count_the_other_way():
    """As docs/mechanism-file.md says, of a mirror in y = 0."""
    x, y = np.array([1.0, 0.0, 0.2]), np.array([0.0, 1.0, 0.3])
    expected = {
        "revolute": [1, -1, 1, 1, -1, -1],  # angle; x y z ry rz
        "prismatic": [1, -1, 1, -1, 1, -1],  # travel; y z rx ry rz
        "cylindrical": [1, -1, -1, 1, 1, -1],  # travel, angle; y z ry rz
        "universal": [1, 1, -1, -1, -1, 1],  # angles; x y z rz
        "spherical": [1, 1, -1, 1],  # ball; x y z
        "fixed": [1, -1, 1, -1, 1, -1],
        "free": [1, -1, 1, 1],  # x y z, ball
    }
    for kind, signs in expected.items():
        axes = [x, y][: len(JOINT_TYPES[kind].axes)]
        R = random_frame(np.random.default_rng(1), *(axes or [x, y]))
        made = (*joint_primitives(kind, axes), *stiff_primitives(LOCKED[kind], R))
        joint = Joint("j_l", kind, "l", "c", np.zeros(3), np.zeros(3), made, "parent", R)
        there = images(joint=joint)
        assert [there.joint_sign("j_l", i) for i in range(len(made))] == signs, kind
    still = Joint("j_l", "fixed", "l", "c", np.ones(3), np.ones(3), stiff_primitives(LOCKED["fixed"], np.eye(3)))
    assert np.array_equal(images(joint=still).joint("j_r", still).R, np.eye(3))  # global axes stay global


def force_of(bushing, deflection):
    force = bushing.preload - bushing.stiffness @ deflection
    for i, table in enumerate(bushing.tables):
        if table is not None:
            force[i] -= np.interp(deflection[i], table.x, table.force)
    return force


@pytest.mark.parametrize("axis", range(3))
def test_forces_of_a_mirrored_bushing_are_the_mirror_image(axis):
    rng = np.random.default_rng(5)
    A = rng.standard_normal((6, 6))
    K = A @ A.T
    K[1], K[:, 1], K[4], K[:, 4] = 0.0, 0.0, 0.0, 0.0
    table = ForceTable([-2, 0, 1, 2], [-9, 0, 1, 4])
    tables = (None, table, None, None, table, None)
    b = Bushing("b_l", "l", "c", rng.uniform(-1, 1, 3), random_frame(rng), K, A.T @ A, rng.standard_normal(6), tables)
    there = images(axis)
    image, T = there.bushing("b_r", b), there.at.T
    np.testing.assert_array_equal(image.p, T @ b.p)
    assert np.linalg.det(image.R) == pytest.approx(1.0)
    np.testing.assert_allclose(image.R[:, 2], T @ b.R[:, 2], atol=ROUNDING)  # what was up stays up
    d, theta = rng.uniform(-1, 1, (2, 3))  # in G, of the child
    here = force_of(b, np.concatenate([b.R.T @ d, b.R.T @ theta]))
    over = force_of(image, np.concatenate([image.R.T @ (T @ d), image.R.T @ (-T @ theta)]))
    np.testing.assert_allclose(image.R @ over[:3], T @ b.R @ here[:3], atol=1e-12)
    np.testing.assert_allclose(image.R @ over[3:], -T @ b.R @ here[3:], atol=1e-12)
    signs = [there.bushing_sign(i) for i in range(6)]
    np.testing.assert_array_equal(image.damping, b.damping * np.outer(signs, signs))
    along = image.R.T @ T @ d
    np.testing.assert_allclose(along, np.array(signs[:3]) * (b.R.T @ d), atol=ROUNDING)


# -- laws on measures that count the other way ------------------------------------------------------------------------


def spring_force(s, x):
    compressed = s.free_length - x
    f = s.stiffness * compressed if s.table is None else np.interp(compressed, s.table.x, s.table.force)
    f += 0.0 if s.bump_stop is None else s.bump_stop.stiffness * max(s.bump_stop.at - x, 0.0)
    return f - (0.0 if s.rebound_stop is None else s.rebound_stop.stiffness * max(x - s.rebound_stop.at, 0.0))


ACROSS, ALONG = MarkerCoordinate("m_l", "y"), MarkerCoordinate("m_l", "z")


@pytest.mark.parametrize(("on", "sign"), [(ACROSS, -1.0), (ALONG, 1.0)])
@pytest.mark.parametrize("law", [{"stiffness": 3.0}, {"table": ForceTable([-1, 0, 2], [-5, 1, 2])}])
def test_a_mirrored_spring_has_the_image_of_its_force(on, sign, law):
    stops = {"bump_stop": Stop(0.2, 7.0), "rebound_stop": Stop(0.9, 5.0)}
    spring = Spring("s_l", on, **law, free_length=0.4, **stops)
    image = images().spring("s_r", spring)
    assert image.on == MarkerCoordinate("m_r", on.axis) and image.name == "s_r"
    for x in (-0.5, 0.1, 0.3, 0.5, 1.0):
        assert spring_force(image, sign * x) == pytest.approx(sign * spring_force(spring, x), abs=1e-12)
    preloaded = images().spring("s_r", Spring("s_l", on, **law, preload=4.0))
    assert preloaded.preload == sign * 4.0


@pytest.mark.parametrize(("on", "sign"), [(ACROSS, -1.0), (ALONG, 1.0)])
def test_mirrored_dampers_forces_and_coordinates_count_as_their_measure(on, sign):
    table = ForceTable([-2, 0, 1], [-3, 0, 4])
    damper = images().damper("d_r", Damper("d_l", on, table=table))
    rates = np.linspace(-2, 1, 7)
    ours = np.interp(sign * rates, damper.table.x, damper.table.force)
    np.testing.assert_allclose(ours, sign * np.interp(rates, table.x, table.force))
    assert images().force("f_r", ConstantForce("f_l", on, 2.0)).value == sign * 2.0
    c = images().coordinate("c_r", Coordinate("c_l", on, 0.1, 0.7, start=0.2, start_rate=3.0))
    assert (c.lower, c.upper) == ((-0.7, -0.1) if sign < 0 else (0.1, 0.7))
    assert (c.start, c.start_rate) == (sign * 0.2, sign * 3.0)


SIGNS = {"roll": (1.0, -1.0, -1.0), "pitch": (-1.0, 1.0, -1.0), "yaw": (-1.0, -1.0, 1.0)}
"""Of turns, mirrored across x, y, z: an angle about the mirror's normal is the same."""


def test_measures_have_images():
    there = images(joint=random_joint(np.random.default_rng(2), "cylindrical", "parent"))
    assert BushingDeflection("b_l", 1).image(there) == (BushingDeflection("b_r", 1), -1.0, 0.0)
    assert JointCoordinate("j_l", 1).image(there) == (JointCoordinate("j_r", 1), -1.0, 0.0)
    assert WheelTravel("w_l").image(there) == (WheelTravel("w_r"), 1.0, 0.0)
    assert WheelTravel("w_l").image(images(2)) == (WheelTravel("w_r"), -1.0, 0.0)
    turned = RelativeAngle("l", "c", [1, 0, 0]).image(there)
    assert turned.of.same(RelativeAngle("r", "c", [-1, 0, 0])) and turned.sign == 1.0
    both = Combination((ACROSS, ALONG), (2.0, 3.0)).image(there)
    expected = Combination((MarkerCoordinate("m_r", "y"), MarkerCoordinate("m_r", "z")), (-2.0, 3.0))
    assert both.of.same(expected) and both[1:] == (1.0, 0.0)
    moved = replace(there, at=Placement(np.eye(3), np.array([0.0, 0.5, 0.0])))
    assert ACROSS.image(moved) == (MarkerCoordinate("m_r", "y"), 1.0, 0.5)
    assert ACROSS.since_design.image(moved).shift == 0.0
    there_and_back = {(name, axis): MarkerAngle("m_l", name).image(images(axis)) for name in SIGNS for axis in range(3)}
    assert there_and_back == {
        (name, axis): (MarkerAngle("m_r", name), signs[axis], 0.0) for name, signs in SIGNS.items() for axis in range(3)
    }
    sloping = replace(there, at=Placement(random_frame(np.random.default_rng(3))))
    with pytest.raises(ValueError, match="comes to lie along no global axis"):
        ACROSS.image(sloping)
    with pytest.raises(ValueError, match="a roll comes to be about no axis of the vehicle"):
        MarkerAngle("m_l", "roll").image(sloping)


def test_a_measure_without_an_image_says_so():
    class Nameless(Measure):
        name = "nameless"

    Nameless.__abstractmethods__ = frozenset()
    with pytest.raises(ValueError, match="the nameless has no mirror image"):
        Nameless().image(images())


def test_a_mirrored_wheel_is_on_the_other_side_only_if_left_is_mirrored():
    wheel = Wheel("w_l", "l", [0.1, 0.7, 0.3], [0.02, 1.0, -0.03], "left", 0.3, 0.31, 2e5)
    other = images().wheel("w_r", wheel)
    assert (other.name, other.body, other.side) == ("w_r", "r", "right")
    np.testing.assert_array_equal(other.centre, [0.1, -0.7, 0.3])
    np.testing.assert_allclose(other.spin_axis, wheel.spin_axis * [-1, 1, -1])  # points left, the same toe and camber
    np.testing.assert_allclose(other.outboard, wheel.outboard * [1, -1, 1])
    behind = images(0).wheel("w_r", wheel)
    assert behind.side == "left" and behind.centre[0] == -0.1
