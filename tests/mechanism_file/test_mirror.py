"""[mirror]: which objects have images, what these are called, that they are mirror images, and names that clash."""

import numpy as np
import pytest

from precompute.errors import MechanismError
from precompute.geometry.placement import mirror
from precompute.mechanism_file import loads, parse_document, to_document
from precompute.reference import Loads, accelerations, assemble, full_model

CORNER = """
schema = 1
name = "Axle"
units = { length = "mm", mass = "kg", angle = "deg", force = "N" }
gravity = [0, 0, -9.80665]

[mirror]
from = "left"
to = "right"

[points]
front_left = [160, 350, 210]
rear_left = [-150, 360, 220]
ball_left = [10, 690, 200]
top_left = [-20, 600, 800]
strut_left = [0, 660, 420]
inner_left = [-130, 340, 250]
outer_left = [-120, 680, 240]

[bodies]
rack = { mass = 3, com = [-130, 0, 250] }
arm_left = { mass = 4, com = [0, 500, 210], inertia = [3e4, 2e4, 5e4, 1e3, 2e3, 3e3] }
hub_left = { mass = 40, com = [0, 730, 310], inertia = [9e5, 14e5, 9e5, 1e4, 2e4, 3e4] }
rod_left = { mass = 3, com = [-20, 610, 770], inertia = [2e4, 2e4, 4e3] }

[joints]
rack = { type = "prismatic", parent = "ground", child = "rack", axis = "y" }
arm_left = { type = "revolute", parent = "ground", child = "arm_left", axis = ["rear_left", "front_left"] }
ball_left = { type = "spherical", parent = "arm_left", child = "hub_left", at = "ball_left" }
strut_left = { type = "cylindrical", parent = "hub_left", child = "rod_left", axis = ["strut_left", "top_left"] }
top_left = { type = "universal", parent = "ground", child = "rod_left", at = "top_left", axis = "x", axis2 = "y" }
tie_left = { type = "rod", parent = "rack", child = "hub_left", at = ["inner_left", "outer_left"] }

[springs.coil_left]
between = ["ground", "hub_left"]
at = ["top_left", "strut_left"]
stiffness = 25
preload = 4000

[springs.across_left]
on = "marker.hub_left.y"
stiffness = 3
preload = 200

[dampers.strut_left]
joint = "strut_left"
table = [[-1000, -900], [0, 0], [1000, 1700]]

[springs.steering]
joint = "rack"
stiffness = 10
free_length = 0

[anti_roll_bars.bar]
on = { measures = ["joint.arm_left", "joint.arm_right"], factors = [1, -1] }
stiffness = 5000

[markers.hub_left]
body = "hub_left"
at = [0, 760, 310]
spin_axis = "y"

[ports.hub_left]
marker = "hub_left"
force = [100, 200, 4000]

[wheels.left]
body = "hub_left"
centre = [0, 760, 310]
toe = 0.2
camber = -0.5
radius = 310

[axles.front]
left = "left"
right = "right"
steering = "rack"

[coordinates.free]
rack = { of = "joint.rack", from = -60, to = 60 }
travel_left = { of = "wheel.left.travel", from = -80, to = 80 }
"""
T = np.diag([1.0, -1.0, 1.0])


def told(text):
    with pytest.raises(MechanismError) as error:
        loads(text)
    return list(error.value.problems)


@pytest.fixture(scope="module")
def axle():
    return loads(CORNER)


def test_all_that_is_on_a_mirrored_body_has_an_image_and_the_rest_is_shared(axle):
    names = {
        "bodies": ["rack", "arm_left", "hub_left", "rod_left", "arm_right", "hub_right", "rod_right"],
        "joints": [
            *("rack", "arm_left", "ball_left", "strut_left", "top_left"),
            *("arm_right", "ball_right", "strut_right", "top_right"),
        ],
        "rods": ["tie_left", "tie_right"],
        "springs": ["coil_left", "across_left", "steering", "coil_right", "across_right", "bar"],
        "dampers": ["strut_left", "strut_right"],
        "markers": ["hub_left", "hub_right"],
        "ports": ["hub_left", "hub_right"],
        "wheels": ["left", "right"],
        "axles": ["front"],
        "coordinates": ["rack", "travel_left", "travel_right"],
    }
    assert {section: [part.name for part in getattr(axle, section)] for section in names} == names
    tie = axle.rods[1]
    assert (tie.parent, tie.child) == ("rack", "hub_right")
    assert [w.side for w in axle.wheels] == ["left", "right"]


def test_what_is_saved_has_the_images_as_objects(axle):
    document = to_document(axle)
    assert "mirror" not in document
    assert to_document(parse_document(document)) == document


def full_state(axle, values):
    model = full_model(axle)
    return model, assemble(model, values)


def test_with_equal_travel_the_sides_are_mirror_images(axle):
    model, state = full_state(axle, {"rack": 0.0, "travel_left": 0.05, "travel_right": 0.05})
    for name in ("arm", "hub", "rod"):
        left, right = (model.bodies.index(f"{name}_{side}") for side in ("left", "right"))
        np.testing.assert_allclose(state.R[right], T @ state.R[left] @ T, atol=1e-11)
        np.testing.assert_allclose(state.r[right], T @ state.r[left], atol=1e-11)
        assert np.abs(state.R[left] - np.eye(3)).max() > 0.01


def test_the_full_model_moves_symmetrically_and_antisymmetrically(axle):
    """Equal travel under mirrored loads accelerates both sides alike; exchanged sides give exchanged answers."""
    model, state = full_state(axle, {"rack": 0.0, "travel_left": 0.04, "travel_right": 0.04})
    F, M = np.array([300.0, 500.0, 4000.0]), np.array([20.0, -30.0, 50.0])
    loads_both = Loads({"hub_left": (F, M), "hub_right": (T @ F, -T @ M)})
    found = accelerations(model, state, 0.0, lambda t: loads_both)
    np.testing.assert_allclose(found.markers["hub_right"], T @ found.markers["hub_left"], atol=1e-7)
    np.testing.assert_allclose(found.rotations["hub_right"], -T @ found.rotations["hub_left"], atol=1e-6)
    assert abs(found.coordinates["rack"]) < 1e-7

    there = {"rack": 0.02, "travel_left": 0.05, "travel_right": -0.03}
    across = {"rack": -0.02, "travel_left": -0.03, "travel_right": 0.05}
    one, other = full_state(axle, there), full_state(axle, across)
    a = accelerations(*one, 0.0, lambda t: Loads({"hub_left": (F, M)}))
    b = accelerations(*other, 0.0, lambda t: Loads({"hub_right": (T @ F, -T @ M)}))
    np.testing.assert_allclose(b.markers["hub_right"], T @ a.markers["hub_left"], atol=1e-6)
    np.testing.assert_allclose(b.markers["hub_left"], T @ a.markers["hub_right"], atol=1e-6)


def test_points_with_the_word_have_images_for_use_in_the_file():
    more = '[markers.foot_right]\nbody = "rack"\nat = "ball_right"\n'
    foot = loads(CORNER + more).marker("foot_right")
    np.testing.assert_array_equal(foot.p, [0.01, -0.69, 0.2])


def test_a_file_without_words_is_mirrored_as_a_whole_with_the_word_behind():
    text = CORNER.replace('from = "left"\n', "").replace("_left", "").replace("[wheels.left]", "[wheels.w]")
    text = text.partition("[anti_roll_bars")[0]
    first, _, rest = text.partition("[springs.across]")
    m = loads(first + rest[rest.index("[dampers") :])
    assert [b.name for b in m.bodies] == [
        *("rack", "arm", "hub", "rod", "rack_right", "arm_right", "hub_right", "rod_right")
    ]
    assert [s.name for s in m.springs] == ["coil", "steering", "coil_right", "steering_right"]
    assert m.rods[1].parent == "rack_right"


def test_named_bodies_and_joints_alone_are_mirrored():
    text = """
    schema = 1
    name = "M"
    [mirror]
    plane = "x"
    to = "rear"
    bodies = ["a"]
    joints = ["c"]
    [bodies]
    a = { mass = 1, com = [1, 0, 0] }
    b = { mass = 1, com = [2, 0, 0] }
    [joints]
    a = { type = "revolute", parent = "ground", child = "a", at = [1, 2, 3], axis = "z" }
    b = { type = "free", parent = "ground", child = "b" }
    c = { type = "rod", parent = "ground", child = "b", at = [[3, 0, 0], [2, 0, 1]] }
    """
    m = loads(text)
    assert [b.name for b in m.bodies] == ["a", "b", "a_rear"]
    assert [r.name for r in m.rods] == ["c", "c_rear"]
    assert [j.name for j in m.joints] == ["a", "b", "a_rear"]
    np.testing.assert_array_equal(m.joint("a_rear").p_P, [-1, 2, 3])
    assert m.rods[1].child == "b" and np.array_equal(m.rods[1].p_C, [-2, 0, 1])


def test_joints_made_of_bushings_have_images():
    text = """
    schema = 1
    name = "M"
    [mirror]
    from = "l"
    to = "r"
    [bodies]
    arm_l = { mass = 1, com = [0, 1, 0] }
    [bushings]
    front_l = { parent = "ground", child = "arm_l", at = [1, 1, 0], axis = "x", stiffness = [1, 2, 3, 4, 5, 6] }
    rear_l = { parent = "ground", child = "arm_l", at = [-1, 1, 0], axis = "x", stiffness = [1, 2, 3, 4, 5, 6] }
    [coordinates.free.swing_l]
    of = "joint.arm_l_mount"
    from = -0.1
    to = 0.2
    """
    m = loads(text)
    assert [j.name for j in m.joints] == ["arm_l_mount", "arm_r_mount"]
    left, right = m.joints
    np.testing.assert_allclose(right.axes[0], mirror(1).axial(left.axes[0]))
    assert [b.name for b in m.bushings] == ["front_l", "rear_l", "front_r", "rear_r"]
    assert (m.coordinates[1].lower, m.coordinates[1].upper) == (-0.1, 0.2)
    document = to_document(m)
    assert to_document(parse_document(document)) == document


# -- what can be wrong ------------------------------------------------------------------------------------------------


def test_a_name_that_is_taken_clashes():
    (problem,) = told(CORNER + "\n[bodies.hub_right]\nmass = 1\ncom = [0, 0, 0]\n")
    assert problem.partition(", ")[2] == (
        "bodies.hub_left: its mirror image would be called 'hub_right', a name that is taken; take that object out of "
        "the file, or choose another word in [mirror]"
    )


def test_springs_bars_and_stops_share_their_names():
    more = "\n[stops.coil_right]\njoint = 'rack'\nabove = 50\nstiffness = 10\n"
    (problem,) = told(CORNER + more)
    assert problem.partition(", ")[2].startswith(
        "springs.coil_left: its mirror image would be called 'coil_right', a n"
    )


def test_an_object_without_the_word_has_no_name_for_its_image():
    found = told(CORNER.replace("[springs.coil_left]", "[springs.coil]").replace("[wheels.left]", "[wheels.w]"))
    assert any(
        "springs.coil: has a mirror image, but no 'left' in its name that 'right' could replace; call it for example "
        "coil_left" in text
        for text in found
    )
    assert any("wheels.w: has a mirror image, but no 'left'" in text for text in found)


def test_a_point_that_is_no_image_clashes():
    (problem,) = told(CORNER.replace("[bodies]", "ball_right = [10, -600, 200]\n\n[bodies]"))
    assert "points.ball_left: its mirror image 'ball_right' is in the file as another point, 90 mm away" in problem
    assert loads(CORNER.replace("[bodies]", "ball_right = [10, -690, 200]\n\n[bodies]"))


@pytest.mark.parametrize(
    ("mirror", "words"),
    [
        (
            'from = "right"\nto = "left"',
            "mirror.from: nothing has the word 'right' in its name, as hub_right has; bodies: ",
        ),
        ('from = "left"', "mirror: 'to' is missing; write for example to = \"right\""),
        ('to = "the right"', "mirror.to: is 'the right'; it must be a word of names"),
        ('to = "right"\nplane = "w"', "mirror.plane: is 'w'; choose one of x, y, z"),
        (
            'from = "left"\nto = "right"\nbodies = ["hup_left"]',
            "mirror.bodies[1]: there is no body 'hup_left'; did you m",
        ),
        ('from = "left"\nto = "right"\njoints = []', "mirror.joints: is []; it must be a list of names"),
        ('from = "left"\nto = "right"\nbody = "x"', "mirror.body: unknown key; did you mean 'bodies'?"),
    ],
)
def test_bad_mirrors(mirror, words):
    found = told(CORNER.replace('from = "left"\nto = "right"', mirror))
    assert any(text.partition(", ")[2].startswith(words) for text in found), found


def test_one_fault_of_an_original_is_told_once():
    found = told(CORNER.replace("mass = 40", "mass = -40"))
    assert len(found) == 1 and "bodies.hub_left.mass: is -40 kg" in found[0]


def test_a_bushing_and_a_joint_may_name_the_image_of_a_point():
    text = """
schema = 1
name = "Axle"
mirror = { from = "left", to = "right" }
[points]
inner_left = [0.0, 0.3, 0.0]
[bodies.beam]
mass = 2
com = [0, 0, 0]
[bushings.left]
parent = "ground"
child = "beam"
at = "inner_left"
axis = "x"
stiffness = [1, 1, 1, 1, 1, 1]
[bushings.other]
parent = "ground"
child = "beam"
at = "inner_right"
axis = "x"
stiffness = [1, 1, 1, 1, 1, 1]
"""
    mechanism = loads(text)
    assert [b.name for b in mechanism.bushings] == ["left", "other"]
    assert mechanism.bushing("other").p.tolist() == [0.0, -0.3, 0.0]
