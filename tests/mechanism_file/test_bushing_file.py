"""Bushings, stiff directions and the joints that are made for them, as the mechanism file gives them."""

import numpy as np
import pytest

from precompute.errors import MechanismError
from precompute.mechanism_file import from_document, loads, to_document
from precompute.model.bushings import equivalent_bushing
from precompute.model.mechanism import JointCoordinate

TEXT = """
schema = 1
name = "Arm"
units = { length = "mm", mass = "kg", angle = "deg", force = "N" }
chassis = "moving"

[points]
F = [100, 300, 0]
R = [-100, 300, 0]
B = [0, 700, 0]

[bodies.arm]
mass = 2
com = [0, 500, 0]
inertia = [20000, 20000, 20000]

[bodies.upright]
mass = 5
com = "B"
inertia = [20000, 20000, 20000]

[bushings.front]
parent = "ground"
child = "arm"
at = "F"
axis = "x"
stiffness = [500, 5000, 5000, 2000, 40000, 40000]
damping = [1, 2, 3, 4, 5, 6]
preload = [10, 0, 0, 1000, 0, 0]

[bushings.rear]
parent = "ground"
child = "arm"
at = "R"
axis = "x"
second = "z"
stiffness = [500, 5000, 5000, 2000, 40000, 0]
tables = { rz = [[-1, -40000], [0, 0], [1, 40000]] }

[bushings.top]
parent = "arm"
child = "upright"
at = "B"
axis = "z"
stiffness = [500, 500, 500, 10, 10, 10]

[springs.corner]
between = ["ground", "arm"]
at = [[0, 500, 400], [0, 500, 0]]
stiffness = 20
preload = "static"

[coordinates.free.arm]
of = "joint.arm_mount"
from = -10
to = 10
driven = "filtered"
filter_time = 0.01

[tables]
taylor = 1
stiff = "quasistatic"
"""

HINGE = '[joints.hinge]\ntype = "revolute"\nparent = "ground"\nchild = "arm"\nat = "F"\naxis = "x"\n'
HINGED = TEXT.replace("joint.arm_mount", "joint.hinge") + HINGE


def edited(old, new):
    assert old in TEXT
    return TEXT.replace(old, new, 1)


def problems(text):
    with pytest.raises(MechanismError) as caught:
        loads(text)
    return list(caught.value.problems)


def test_units_and_settings():
    m = loads(TEXT)
    front, rear, _ = m.bushings
    per_degree = 180.0 / np.pi / 1000.0  # N mm/deg in N m/rad
    k = [5e5, 5e6, 5e6, *(per_degree * np.array([2000.0, 40000, 40000]))]
    np.testing.assert_allclose(front.stiffness, np.diag(k), rtol=1e-14)
    c = [1e3, 2e3, 3e3, *(per_degree * np.array([4.0, 5, 6]))]
    np.testing.assert_allclose(front.damping, np.diag(c), rtol=1e-14)
    np.testing.assert_allclose(front.preload, [10, 0, 0, 1, 0, 0])
    np.testing.assert_array_equal(front.R, np.eye(3))
    np.testing.assert_array_equal(rear.R, np.array([[1.0, 0, 0], [0, 0, -1], [0, 1, 0]]))
    np.testing.assert_allclose(rear.linear_stiffness[5, 5], 40000 * per_degree)
    np.testing.assert_allclose(rear.tables[5].x, np.deg2rad([-1, 0, 1]))
    assert m.chassis == "moving" and m.tables.taylor == 1 and m.tables.stiff == "quasistatic"
    assert m.springs[0].static_preload and m.springs[0].preload is None
    assert m.coordinates[0].driven == "filtered" and m.coordinates[0].filter_time == 0.01


def test_a_full_matrix_has_coupling_in_force_per_angle():
    rows = np.diag([500.0, 5000, 5000, 2000, 40000, 40000])
    rows[0, 4] = rows[4, 0] = 30.0
    m = loads(edited("stiffness = [500, 5000, 5000, 2000, 40000, 40000]", f"stiffness = {rows.tolist()}"))
    K = m.bushings[0].stiffness
    np.testing.assert_allclose(K[0, 4], 30.0 * 180.0 / np.pi)
    np.testing.assert_array_equal(K, K.T)


def test_joints_are_made_for_bodies_on_bushings():
    m = loads(TEXT)
    arm, upright = m.joints
    assert (arm.name, arm.kind, arm.parent, arm.child) == ("arm_mount", "revolute", "ground", "arm")
    np.testing.assert_allclose(arm.p_P, [0, 0.3, 0])
    np.testing.assert_allclose(arm.primitives[0].axis, [-1, 0, 0])  # from the first to the second
    assert arm.stiff_directions == ("x", "y", "z", "ry", "rz") and arm.stiff_axes == "parent"
    np.testing.assert_allclose(arm.R[:, 2], [0, 0, 1])
    assert (upright.name, upright.kind) == ("upright_mount", "spherical")
    np.testing.assert_array_equal(upright.R, m.bushings[2].R)
    assert upright.stiff_directions == ("x", "y", "z")
    assert m.coordinates[0].of == JointCoordinate("arm_mount")
    assert len(m.stiff_coordinates) == 8


def test_made_joints_are_written_and_read_again():
    document = to_document(loads(TEXT))
    assert list(document["joints"]) == ["arm_mount", "upright_mount"]
    again = from_document(document)
    assert to_document(again) == document
    assert [j.name for j in again.joints] == ["arm_mount", "upright_mount"]


def test_a_joint_of_the_file_takes_the_place_of_the_one_made():
    m = loads(HINGED + 'stiff = ["rz", "y"]')
    assert [j.name for j in m.joints] == ["hinge", "upright_mount"]
    assert m.joints[0].stiff_directions == ("y", "rz")
    assert m.joints[0].walk == (1, 2, 0)


THIRD = """
[bushings.third]
parent = "ground"
child = "arm"
at = [0, {y}, 0]
axis = "x"
stiffness = [300, 1000, 1000, 2000, 40000, 40000]
"""


def test_bushings_that_are_not_on_a_line_make_a_mount_with_six_stiff_directions():
    """Such an arm turns nowhere freely: no coordinate of it is free, and the three hold all six directions."""
    text = TEXT.replace("joint.arm_mount", "joint.steering").replace('driven = "filtered"\nfilter_time = 0.01\n', "")
    hinge = '[joints.steering]\ntype = "revolute"\nparent = "upright"\nchild = "wheel"\nat = "B"\naxis = "z"\n'
    wheel = "[bodies.wheel]\nmass = 9\ncom = [0, 750, 0]\ninertia = [2e5, 3e5, 2e5]\n"
    m = loads(text + THIRD.format(y=500) + wheel + hinge)
    mount = m.joint("arm_mount")
    assert mount.kind == "fixed" and mount.stiff_directions == ("x", "y", "z", "rx", "ry", "rz")
    np.testing.assert_allclose(mount.p_P, np.mean([b.p for b in m.bushings if b.child == "arm"], axis=0))
    equivalent = equivalent_bushing(mount, m.bushings)
    np.testing.assert_allclose(np.diag(equivalent.stiffness)[:3], [1.3e6, 11e6, 11e6])  # their sums along x, y, z
    assert np.linalg.eigvalsh(equivalent.stiffness)[0] > 0.0
    again = from_document(to_document(m)).joint("arm_mount")
    assert again.kind == "fixed" and again.stiff_directions == mount.stiff_directions


@pytest.mark.parametrize(("y", "kind"), [(300, "revolute"), (309, "revolute"), (311, "fixed"), (289, "fixed")])
def test_bushings_nearly_on_a_line_make_a_hinge(y, kind):
    """200 mm apart, a twentieth is 10 mm."""
    text = TEXT.replace("joint.arm_mount", "marker.tip.z") + '[markers.tip]\nbody = "arm"\nat = "B"\n'
    m = loads(text.replace('driven = "filtered"\nfilter_time = 0.01\n', "") + THIRD.format(y=y))
    assert m.joint("arm_mount").kind == kind
    if kind == "revolute":  # about the two that are farthest apart
        np.testing.assert_allclose(m.joint("arm_mount").primitives[0].axis, [-1, 0, 0])


def test_bushings_at_one_point_get_a_ball():
    m = loads(
        edited('at = "R"', 'at = "F"')
        .replace('of = "joint.arm_mount"', 'of = "joint.arm_mount[2]"')
        .replace("-10", "-1")
    )
    assert m.joints[0].kind == "spherical"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            edited("[500, 5000, 5000, 2000,", "[-1, 5000, 5000, 2000,"),
            "stiffness[1]: is -1; it must be zero or positive",
        ),
        (edited("[500, 500, 500, 10, 10, 10]", "[1, 2]"), "is [1, 2]; it must be six numbers"),
        (edited("[500, 500, 500, 10, 10, 10]", str(np.tri(6).tolist())), "is not symmetric: row 2, column 1 is 1"),
        (
            edited("[500, 500, 500, 10, 10, 10]", str((np.ones((6, 6)) - np.eye(6) * 0.5).tolist())),
            "stiffness: is indefinite: it gives energy away in one direction",
        ),
        (edited('child = "upright"', 'child = "arm"'), "bushings.top: joins body 'arm' to itself; give it two bodies"),
        (edited('child = "upright"', 'child = "uprigt"'), "there is no body 'uprigt'; did you mean 'upright'?"),
        (edited('second = "z"', 'second = "x"'), "bushings.rear.second: is parallel to the x axis"),
        (edited("2000, 40000, 0]", "2000, 40000, 9]"), "stiffness: of direction 6 must be zero, since a table takes"),
        (edited("tables = { rz", "tables = { rw"), "tables.rw: unknown key; known: rx, ry"),
        (edited("stiffness = [500, 500, 500, 10, 10, 10]\n", ""), "bushings.top: needs 'stiffness', six numbers"),
        (edited("[1, 40000]]", "[1, -1]]"), "table of direction 6 falls: a negative stiffness; make its forces ascend"),
        (edited("damping = [1, 2,", "damping = [-1, 2,"), "damping[1]: is -1; it must be zero or positive"),
        (
            edited("[500, 500, 500, 10, 10, 10]", str(np.diag([1.0, 1, 1, 1, 1, -1]).tolist())),
            "stiffness[6][6]: is -1; what is on the diagonal must be zero or positive",
        ),
        (
            edited("[500, 500, 500, 10, 10, 10]", "[0, 0, 0, 0, 0, 0]"),
            "joints.upright_mount: no bushing between its bodies holds the stiff direction x, y, z; give one of them",
        ),
        (edited('preload = "static"', 'preload = "ride"'), "preload: is 'ride'; it must be a number or \"static\""),
        (edited("filter_time = 0.01\n", ""), 'needs a filter_time if driven = "filtered"'),
        (edited('driven = "filtered"', "driven = true"), 'needs a filter_time if driven = "filtered"'),
        (edited('driven = "filtered"', 'driven = "yes"'), "driven: is 'yes'; it must be true, false or \"filtered\""),
        (edited("taylor = 1", "taylor = 4"), "tables.taylor: is 4; choose between 1 and 3"),
        (edited("taylor = 1", 'about = "statics"'), "tables.about: is 'statics'; did you mean 'static'?"),
        (edited('chassis = "moving"', 'chassis = "mobile"'), "chassis: is 'mobile'; choose one of fixed, moving"),
        (HINGED + 'stiff = ["rx"]', "stiff[1]: is 'rx', which is free in a revolute joint; it locks x, y, z, ry"),
        (HINGED + 'stiff = ["a"]', "stiff[1]: is 'a'; known: rx, ry"),
        (HINGED + 'stiff = ["y", "y"]', "stiff[2]: 'y' is given twice"),
        (HINGED + 'second = "y"', "has 'second' without 'stiff'"),
        (
            TEXT + '[joints.arm_mount]\ntype = "free"\nparent = "ground"\nchild = "upright"',
            "the joint 'arm_mount' that it would get has a name that is taken; add a joint between 'ground' and 'arm'",
        ),
        (
            TEXT.replace("joint.arm_mount", "joint.hinge")
            .replace("[500, 5000, 5000, 2000, 40000, 40000]", "[0, 5, 5, 1, 1, 1]")
            .replace("[500, 5000, 5000, 2000, 40000, 0]", "[0, 5, 5, 1, 1, 0]")
            + HINGE
            + 'stiff = ["x", "y"]',
            "joints.hinge: no bushing between its bodies holds the stiff direction x; give one of them a stiffness",
        ),
    ],
)
def test_faults_are_told(text, expected):
    found = problems(text)
    assert expected in found[0] and len(found) == 1, found


@pytest.mark.parametrize("stiff", ["quasistatic", "dynamic"])
def test_the_midpoint_rule_is_for_all(stiff):
    text = TEXT.replace('"quasistatic"', f'"{stiff}"') + '[experiment]\nmethod = "midpoint"\n'
    assert loads(text).experiment.method == "midpoint"


def test_a_joint_that_locks_everything_leaves_its_bushings_nothing():
    weld = '[joints.weld]\ntype = "fixed"\nparent = "ground"\nchild = "arm"\n'
    found = problems(TEXT.replace("joint.arm_mount", "joint.upright_mount[2]") + weld)
    text = "joint 'weld' between the same bodies leaves it no deflection; take the joint out"
    assert len(found) == 2 and all(text in problem for problem in found), found


def test_a_stiff_primitive_must_not_repeat_a_free_one():
    sequence = 'type = "sequence"\nparent = "ground"\nchild = "arm"\nat = "F"\nprimitives = '
    rows = '[{ rotation = "x" }, { translation = "y", stiff = true }, { rotation = "x", stiff = true }]'
    found = problems(TEXT + "[joints.hinge]\n" + sequence + rows)
    assert any("the stiff rotation about [1.0, 0.0, 0.0] repeats what the joint does" in text for text in found), found
    found = problems(TEXT + "[joints.hinge]\n" + sequence + "[{ ball = true, stiff = true }]")
    assert any("a ball cannot be stiff" in text for text in found), found
