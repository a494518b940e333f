"""Discs on the floor in mechanism files: what they mean, written and read again, and everything that can be wrong."""

import tomllib

import numpy as np
import pytest
from helpers import MECHANISMS, ROOT

from precompute.errors import MechanismError, PrecomputeError
from precompute.mechanism_file import from_document, load, to_document
from precompute.modes import linearize
from precompute.report.assemblies import assemblies
from precompute.solving.solution import solving_model

ROLLING, SLIDING = MECHANISMS / "rolling_disc.toml", ROOT / "tests" / "mechanisms" / "wobbling_disc.toml"


def document(path=ROLLING):
    return tomllib.loads(path.read_text())


def problems(**changes):
    """What is wrong with the disc and the sections given in place of its own."""
    with pytest.raises(MechanismError) as found:
        from_document({**document(), **changes})
    return "\n".join(found.value.problems)


def contact(**changes):
    own = {**document()["joints"]["contact"], **changes}
    return {"joints": {"contact": {key: value for key, value in own.items() if value is not None}}}


def test_a_disc_is_a_body_and_two_joints_on_its_track():
    m = load(ROLLING)
    assert [b.name for b in m.bodies] == ["disc", "contact_fork"] and m.bodies[1].mass == 0.0
    assert [(j.name, j.parent, j.child) for j in m.joints] == [
        ("contact_lean", "ground", "contact_fork"),
        ("contact_spin", "contact_fork", "disc"),
    ]
    assert m.contact is not None and m.carried and m.chassis == "fixed"
    np.testing.assert_allclose(m.contact.point, 0.0, atol=1e-15)
    np.testing.assert_allclose(m.contact.forward, [-1.0, 0.0, 0.0], atol=1e-15)
    assert (m.contact.start.heading, m.contact.start.heading_rate) == pytest.approx((0.3, 0.4))


@pytest.mark.parametrize("path", [ROLLING, SLIDING])
def test_what_is_written_is_read_again(path):
    written = to_document(load(path))
    assert to_document(from_document(written)) == written
    assert not [name for name in written["bodies"] if name.endswith("_fork")]


def test_where_a_disc_touches_that_is_drawn_leaning():
    c = load(SLIDING).contact
    assert c is not None
    arm = c.centre - c.point
    assert np.linalg.norm(arm) == pytest.approx(c.radius) and abs(arm @ c.axis) < 1e-15
    assert abs(np.cross(arm, c.axis) @ c.normal) < 1e-12  # straight below, in the plane of the disc
    assert (c.start.x, c.start.y_rate) == (0.2, -0.3)


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        (contact(contact="slipping"), "joints.contact.contact: is 'slipping'"),
        (contact(radius=0), "joints.contact.radius: is 0"),
        (contact(radius=None), "'radius' is missing"),
        (contact(axis="z"), "the axis is normal to the floor at design: a disc that lies flat has no heading"),
        (contact(child="wheel"), "there is no body 'wheel'"),
        (contact(speed=3), "joints.contact.speed: unknown key; known: at, axis, child, contact, heading"),
        (contact(x_rate=100), "a disc that rolls goes as fast as it spins; leave out the rates of x and y"),
        (contact(parent="disc", child="ground"), "joints.contact.parent: is 'disc'; the floor is the ground"),
    ],
)
def test_a_faulty_disc(changes, text):
    assert text in problems(**changes)


COORDINATES = document()["coordinates"]["free"]


@pytest.mark.parametrize(
    ("free", "text"),
    [
        ("auto", "coordinates.free: with a disc on the floor they must be named"),
        ({"lean": COORDINATES["lean"]}, 'needs one with of = "joint.contact_spin"'),
        ({**COORDINATES, "spin": {"of": "joint.contact_spin", "from": -90, "to": 90}}, "add periodic = true"),
        ({**COORDINATES, "lean": {"of": "joint.contact_lean"}}, "give its range by 'from' and 'to'"),
        ({**COORDINATES, "lean": {"of": "joint.contact_lean", "from": -95, "to": 80}}, "the disc lies flat"),
        (
            {"heading": COORDINATES["lean"], "spin": COORDINATES["spin"]},
            "this name is taken by a coordinate of the disc",
        ),
        (
            {**COORDINATES, "spin": {**COORDINATES["spin"], "driven": True}},
            "coordinates.free.spin.driven: is",
        ),
    ],
)
def test_coordinates_that_do_not_serve(free, text):
    assert text in problems(coordinates={"free": free})


def with_arm(**joint):
    bodies = {**document()["bodies"], "arm": {"mass": 1, "com": [0, 100, 500], "inertia": [1, 1, 1]}}
    own = {"type": "revolute", "parent": "contact_fork", "child": "arm", "at": [0, 100, 500], "axis": "y", **joint}
    return {"bodies": bodies, "joints": {**document()["joints"], "arm": own}}


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        (with_arm(parent="ground"), "nothing else may touch the ground"),
        (with_arm(load=True), "loads of joints are not possible"),
        ({"chassis": "moving"}, 'chassis: "moving" is not possible with a disc on the floor'),
        ({"ports": {"push": {"marker": "hub"}}}, "ports.push: is not possible with a disc on the floor"),
        ({"markers": {"hub": {"body": "ground", "at": "centre"}}}, "markers.hub: is on the ground"),
        ({"experiment": {"static": True}}, "experiment.static: is not possible with a disc on the floor"),
        ({"measures": {"high": {"of": "marker.hub.z"}}}, "which is of a place on the ground"),
        ({"mirror": {"from": "left", "to": "right"}}, "mirror: is not possible with a disc on the floor"),
        (
            {"joints": {**document()["joints"], "second": document()["joints"]["contact"]}},
            "is a second disc on the floor",
        ),
        ({"bodies": {**document()["bodies"], "contact_fork": document()["bodies"]["disc"]}}, "that name is taken"),
    ],
)
def test_what_does_not_go_with_a_disc(changes, text):
    assert text in problems(**changes)


def test_what_takes_no_disc_says_so():
    m = load(ROLLING)
    for what, ask in (("solving", solving_model), ("small motions", linearize), ("assemblies", assemblies)):
        with pytest.raises(PrecomputeError, match=f"{what}.* is not possible with a disc on the floor"):
            ask(m)
