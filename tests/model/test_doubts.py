"""What is doubtful in a mechanism and yet no error: warnings and notes, in the units of the file."""

import re

import helpers_rig
import numpy as np
import pytest
from helpers import MECHANISMS, joint
from helpers_corner import document
from helpers_elements import ACROSS, SLIDE, bob, element

from precompute.errors import MechanismError
from precompute.mechanism_file import from_document, load, loads, to_document
from precompute.model.bushings import locked_directions
from precompute.model.doubts import idle_rates, links_without_length
from precompute.model.mechanism import Body, Bushing, Mechanism, Rod
from precompute.planning.outline import outline
from precompute.units import Units

PENDULUM = """
schema = 1
name = "Pendulum"
units = { length = "mm", angle = "deg" }
gravity = [0, 0, -9.81]

[bodies.arm]
mass = 2
com = [0, 0, -200]
inertia = [9e4, 1e5, 2e4]

[joints.pivot]
type = "revolute"
parent = "ground"
child = "arm"
at = [0, 0, 0]
axis = "y"

[markers.tip]
body = "arm"
at = [0, 0, -400]
"""


def edited(*changes):
    text = PENDULUM
    for old, new in changes:
        assert old in text
        text = text.replace(old, new, 1)
    return loads(text)


def test_published_files_have_nothing_doubtful():
    assert {file.name: load(file).warnings for file in MECHANISMS.glob("*.toml") if load(file).warnings} == {}
    assert loads(PENDULUM).warnings == ()


# -- inertia ----------------------------------------------------------------------------------------------------------

UNPHYSICAL = ("inertia = [9e4, 1e5, 2e4]", "inertia = [9e4, 1.5e5, 2e4]")


def test_an_inertia_against_the_triangle_inequality_is_a_warning_in_the_files_units():
    (warning,) = edited(UNPHYSICAL).warnings
    assert warning == (
        "bodies.arm.inertia: the principal moments 20000, 90000 and 150000 kg mm2 violate the triangle inequality (the "
        "largest is 36.4 % above the sum of the others): no rigid body has them. Check the numbers and the products' "
        "signs; if they are meant so, allow_unphysical_inertia = true says it"
    )


def test_it_can_be_said_that_it_is_meant_so_and_that_is_saved():
    allowed = edited(UNPHYSICAL, ("2e4]\n", "2e4]\nallow_unphysical_inertia = true\n"))
    assert allowed.warnings == () and allowed.bodies[0].allow_unphysical_inertia
    assert to_document(allowed)["bodies"]["arm"]["allow_unphysical_inertia"] is True
    assert from_document(to_document(allowed)).warnings == ()
    assert "allow_unphysical_inertia" not in to_document(edited(UNPHYSICAL))["bodies"]["arm"]
    assert outline(allowed) == outline(edited(UNPHYSICAL))  # it is no matter of the plan


@pytest.mark.parametrize(
    ("inertia", "message"),
    [
        ("[9e4, 1e5, -2]", "line 10, bodies.arm.inertia: .*negative principal moment, -2 kg mm2"),
        ("[0, 1e5, 2e4]", "line 10, bodies.arm.inertia: .*triangle inequality .*and the smallest is zero"),
    ],
)
def test_one_that_is_not_positive_definite_stays_an_error(inertia, message):
    for cure in ("", "\nallow_unphysical_inertia = true"):
        with pytest.raises(MechanismError, match=message):
            edited(("inertia = [9e4, 1e5, 2e4]", f"inertia = {inertia}{cure}"))
    with pytest.raises(ValueError, match="kg m2"):
        Body("b", 1.0, np.zeros(3), np.diag([0.0, 1.0, 3.0]))


# -- bushings ---------------------------------------------------------------------------------------------------------


def test_directions_of_bushings_that_a_joint_locks_are_named():
    (note,) = idle_rates(from_document(document()))
    assert note == (
        "bushings front, rear: joint 'arm_mount' between the same bodies locks directions z, ry, rz; rates given there "
        "have no effect, since it does not give way there"
    )


@pytest.mark.parametrize(
    ("at", "turned", "locked"),
    [
        ([0.0, 0.0, 0.0], 0.0, ("x", "y", "z", "ry", "rz")),  # on the axis of the hinge only the angle is left
        ([0.3, 0.0, 0.0], 0.0, ("x", "y", "z", "ry", "rz")),
        ([0.0, 0.1, 0.0], 0.0, ("x", "ry", "rz")),  # off it, y moves to second order
        ([0.0, 0.0, 0.0], 0.3, ("x", "y", "z", "rz")),  # its axes turned about z: about x and y it turns
    ],
)
def test_locked_directions_of_a_bushing_across_a_hinge(at, turned, locked):
    hinge = joint("revolute", "hinge", "a", "b", np.zeros(3), np.array([1.0, 0, 0]))
    R = np.array([[np.cos(turned), -np.sin(turned), 0], [np.sin(turned), np.cos(turned), 0], [0, 0, 1]])
    for parent, child in (("a", "b"), ("b", "a")):
        bushing = Bushing("rubber", parent, child, np.array(at), R, np.eye(6))
        assert locked_directions(hinge, bushing) == locked


def test_rates_of_zero_are_not_worth_a_note():
    rigid = document()
    for bushing in rigid["bushings"].values():
        bushing["stiffness"] = [*bushing["stiffness"][:2], 0, bushing["stiffness"][3], 0, 0]
        bushing["damping"] = [0] * 6
        bushing.pop("preload", None)
    assert idle_rates(from_document(rigid)) == ()


# -- coincident points ------------------------------------------------------------------------------------------------


def link(kind, second, axes=((0.0, 1.0, 0.0), (0.0, 1.0, 0.0))):
    """A body between two joints, the second at a point of one's choice."""
    own = [[np.array(axis)] if kind == "revolute" else [] for axis in axes]
    bodies = tuple(Body(name, 1.0, np.array([0.5, 0.0, 0.3]), np.eye(3)) for name in ("link", "end"))
    joints = (
        joint(kind, "first", "ground", "link", np.array([0.2, 0.0, 0.0]), *own[0]),
        joint(kind, "second", "link", "end", np.array(second), *own[1]),
    )
    return Mechanism("m", bodies, joints, units=Units(length="mm"))


def test_a_link_whose_joints_coincide_is_called_that():
    (warning,) = link("revolute", [0.2, 0.0, 0.0]).warnings
    assert warning == (
        "bodies.link: its joints 'first' and 'second' coincide (0 mm apart): a link without length; check the points"
    )
    assert [body for body, _ in links_without_length(link("spherical", [0.2, 0.0, 1e-8]))] == ["link"]
    assert [body for body, _ in links_without_length(link("revolute", [0.2, 3.0, 0.0]))] == ["link"]  # along the axis


def test_other_links_are_not():
    assert links_without_length(link("revolute", [0.2, 0.0, 0.1])) == []
    assert links_without_length(link("spherical", [0.2, 0.1, 0.0])) == []
    crossing = ((0.0, 1.0, 0.0), (1.0, 0.0, 0.0))  # the cross of a Hooke's joint
    assert links_without_length(link("revolute", [0.2, 0.0, 0.0], crossing)) == []


def test_ends_that_coincide_without_a_file():
    with pytest.raises(ValueError, match="both ends coincide at design"):
        Rod("rod", "ground", "a", np.zeros(3), np.zeros(3), 0.0)


# -- units ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("change", "warning"),
    [
        (
            ('length = "mm"', 'length = "m"'),
            'units.length: is "m", so that the mechanism spans 400 m. Are its points in mm? Then units = { length = '
            '"mm" }, and it spans 0.4 m',
        ),
        (
            ("[9e4, 1e5, 2e4]", "[0.09, 0.1, 0.02]"),
            "bodies.arm.inertia: with its mass it makes a radius of gyration of 0.224 mm, but its points are up to 400 "
            "mm apart. Inertias are in kg mm2 here; was it given in others?",
        ),
        (
            ("[9e4, 1e5, 2e4]", "[9e10, 1e11, 2e10]"),
            "bodies.arm.inertia: with its mass it makes a radius of gyration of 2.24e+05 mm, but the whole mechanism "
            "spans 400 mm. Inertias are in kg mm2 here; was it given in others?",
        ),
        (
            ("-9.81]", "-9810]"),
            "gravity: is 9810 m/s2; it is given in m/s2 whatever the unit of length: [0, 0, -9.81], say",
        ),
    ],
)
def test_what_looks_like_another_unit_gets_a_hint(change, warning):
    assert edited(change).warnings == (warning,)


def test_metres_read_as_millimetres():
    small = re.sub(r"-(\d)00\]", r"-0.\1]", PENDULUM)
    (warning,) = loads(small).warnings
    assert 'is "mm", so that the mechanism spans 0.4 mm. Are its points in m? Then units = { length = "m" }' in warning


def test_a_size_that_no_unit_explains_is_a_plain_question():
    (warning,) = edited(("at = [0, 0, -400]", "at = [0, 0, -4e9]")).warnings
    assert warning.endswith("spans 4e+09 mm. Is that meant?")


def test_an_axle_that_forgets_its_other_wheel_is_told():
    given = helpers_rig.document()
    given["mirror"] = {"to": "r", "bodies": ["lower_arm", "upright", "strut_rod"]}
    (warning,) = from_document(given).warnings
    assert warning.startswith("wheels.left_r: is on no axle, and axle 'front' has no right wheel")
    assert 'write right = "left_r" in [axles.front]' in warning
    assert not helpers_rig.both_sides().warnings and not helpers_rig.mechanism().warnings


# -- elements ---------------------------------------------------------------------------------------------------------


def test_what_remembers_a_deflection_without_inertia_is_told():
    """Dynamic ones have rates, springs and dampers remember nothing, and other measures move with the axes."""
    rubber = element("prony", on=(("s", ACROSS),), force="-F", rates={"F": "k*s_rate - F"}, k=1.0)
    plain = element("plain", on=(("s", ACROSS),), force="-c*s_rate", rates={"F": "-F"}, c=1.0)
    other = element("other", on=(("s", SLIDE),), force="-F", rates={"F": "s_rate - F"})
    (warning,) = bob(rubber, plain, other, stiff="quasistatic").warnings
    assert warning.startswith("elements.prony: remembers the deflection of bushing 'rubber' by 's_rate', which with")
    assert bob(rubber, plain, other).warnings == ()
