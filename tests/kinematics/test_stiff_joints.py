"""Joints with stiff directions: order of their motions, motion axes, and what the topology makes of them."""

from dataclasses import replace

import numpy as np
import pytest
from helpers import five_point

from precompute.geometry.spatial import so3_log
from precompute.kinematics.coefficients import Closure
from precompute.kinematics.mobility import null_space
from precompute.kinematics.poses import axis_derivatives, design_configuration, move, poses
from precompute.kinematics.topology import spanning_tree
from precompute.model.mechanism import (
    JOINT_TYPES,
    LOCKED,
    Body,
    Bushing,
    Joint,
    JointCoordinate,
    Mechanism,
    Primitive,
    joint_primitives,
    plane_axes,
    stiff_primitives,
)

STEP = 1e-3
AXIS, POINT = np.array([0.6, -0.48, 0.64]), np.array([0.3, -0.2, 0.5])


def stiff_joint(kind, side, name="j", parent="ground", child="b", at=POINT) -> Joint:
    """A joint with every locked direction stiff."""
    y, z = plane_axes(AXIS)
    R = np.column_stack([AXIS, y, z])
    primitives = (*joint_primitives(kind, [AXIS, y][: len(JOINT_TYPES[kind].axes)]), *stiff_primitives(LOCKED[kind], R))
    return Joint(name, kind, parent, child, at, at, primitives, side, R)


def one_body(kind, side) -> Mechanism:
    return Mechanism("One", (Body("b", 1.0, np.zeros(3), np.eye(3)),), (stiff_joint(kind, side),))


@pytest.mark.parametrize("side", ["parent", "child"])
@pytest.mark.parametrize("kind", [kind for kind, locked in LOCKED.items() if locked])
def test_motion_axes_and_their_derivatives(kind, side):
    m = one_body(kind, side)
    t = spanning_tree(m).unlocked()
    assert t.nv == 6 and len(t.stiff) == len(LOCKED[kind]) and not t.locked
    q = move(m, t, design_configuration(m, t), 0.4 * np.random.default_rng(1).standard_normal(6))
    P = poses(m, t, q)
    dS = axis_derivatives(t, P.S, np.eye(6))
    for k, e in enumerate(np.eye(6)):
        around = poses(m, t, move(m, t, q, np.array([1.0, -1.0, 2.0, -2.0])[:, None] * STEP * e))
        turn = five_point(so3_log(around.X[1].R @ P.X[1].R.T), STEP)
        velocity = five_point(around.X[1].p, STEP) - np.cross(turn, P.X[1].p)
        np.testing.assert_allclose(P.S[:, k], [*turn, *velocity], atol=1e-9)
        np.testing.assert_allclose(dS[:, :, k], five_point(around.S, STEP), atol=1e-9)


def test_stiff_directions_are_walked_before_or_after_the_free_ones():
    parent, child = (stiff_joint("revolute", side) for side in ("parent", "child"))
    assert parent.walk == (1, 2, 3, 4, 5, 0) and child.walk == (0, 1, 2, 3, 4, 5)
    assert parent.stiff == child.stiff == (1, 2, 3, 4, 5)
    assert parent.stiff_directions == LOCKED["revolute"]


@pytest.mark.parametrize("kind", ["revolute", "spherical", "planar"])
def test_locked_directions_take_no_part_in_the_mobility(kind):
    m = one_body(kind, "parent")
    t = spanning_tree(m)
    assert t.locked == t.stiff
    free = t.nv - len(t.stiff)
    null = null_space(Closure(m, t), design_configuration(m, t))
    assert null.shape == (t.nv, free)
    np.testing.assert_allclose(null[list(t.stiff)], 0.0, atol=1e-14)
    assert m.stiff_coordinates == tuple(JointCoordinate("j", i) for i in m.joints[0].stiff)


def test_the_tree_does_not_depend_on_stiff_directions():
    """A body on a hinge with stiff directions and on a cylindrical joint hangs on the hinge, as if it were rigid."""
    hinge, slide = stiff_joint("revolute", "parent", "hinge"), stiff_joint("cylindrical", "parent", "slide")
    rigid = replace(slide, primitives=slide.primitives[:2])
    m = Mechanism("Two", (Body("b", 1.0, np.zeros(3), np.eye(3)),), (rigid, hinge))
    assert spanning_tree(m).arcs[0].joint == 1


@pytest.mark.parametrize(("moment", "spins"), [(0.0, 1), (5.0, 0)])
def test_a_link_on_a_bushing_spins_idly_unless_the_bushing_turns_it(moment, spins):
    """A link between two balls, one of them with a bushing around it."""
    a, b = np.zeros(3), np.array([0.0, 1.0, 0.0])
    bodies = (Body("link", 1.0, 0.5 * b, np.diag([1.0, 0.0, 1.0])), Body("end", 1.0, b, np.eye(3)))
    ball = Joint("inner", "spherical", "link", "end", b, b, joint_primitives("spherical"))
    slide = Joint("slide", "prismatic", "ground", "end", b, b, joint_primitives("prismatic", [[0.0, 1.0, 0.0]]))
    stiff = (*joint_primitives("spherical"), *stiff_primitives(LOCKED["spherical"], np.eye(3)))
    mount = Joint("mount", "spherical", "ground", "link", a, a, stiff)
    bushing = Bushing("soft", "ground", "link", a, np.eye(3), np.diag([1e5, 1e5, 1e5, moment, moment, moment]))
    topology = spanning_tree(Mechanism("Link", bodies, (mount, ball, slide), bushings=(bushing,)))
    assert len(topology.spins) == spins
    assert ("bushing 'soft'" in topology.notes[0]) == (spins == 0)


@pytest.mark.parametrize(
    ("primitives", "text"),
    [
        ([Primitive("rotation", AXIS), Primitive("rotation", AXIS, stiff=True)], "only x, y, z, ry, rz|repeats what"),
        ([Primitive("rotation", AXIS, stiff=True), Primitive("rotation", [1, 0, 0])], "must come after the free ones"),
        ([Primitive("rotation", AXIS), Primitive("translation", [1, 0, 0], stiff=True)], "of its axes can be stiff"),
    ],
)
def test_what_a_stiff_joint_cannot_be(primitives, text):
    y, z = plane_axes(AXIS)
    with pytest.raises(ValueError, match=text):
        Joint("j", "revolute", "ground", "b", POINT, POINT, tuple(primitives), "parent", np.column_stack([AXIS, y, z]))
