"""Mechanisms elsewhere and on the other side of the car, against the full model, and the car's loads at rest."""

from dataclasses import replace
from math import pi

import numpy as np
import pytest
from corners.car import CHASSIS, CORNERS, GRAVITY, MECHANISMS, corner, loads
from corners.placement import MIRROR, Placement, placed

from precompute.errors import PrecomputeError
from precompute.mechanism_file import load
from precompute.reference import Loads, accelerations, deflected, full_model

ROUNDING = 1e-12
SOLVED = 1e-8  # relative, of accelerations of a full model

MOTIONS = {  # values and rates of the free coordinates
    "double_wishbone": {"pitman": (0.1, 0.8), "shock": (0.02, 0.5)},
    "five_link": {"wheel": (0.33, 0.7)},
    "macpherson": {"strut": (0.02, 0.7), "rack": (0.01, -0.2)},
}
HINGE = {"x": -1.0, "y": 1.0, "z": 1.0, "ry": -1.0, "rz": -1.0}
BALL = {"x": 1.0, "y": -1.0, "z": 1.0}
CROSS = {"x": -1.0, "y": -1.0, "z": -1.0, "rz": 1.0}
SIGNS = {"revolute": HINGE, "spherical": BALL, "universal": CROSS, "sequence": {None: 1.0}}
"""Of mirrored deflections: the x axis of a hinge, about which it turns, is axial and turns round, of a ball the y axis;
rotations about what did not turn round count the other way; None: along the link."""


@pytest.mark.parametrize("name", MOTIONS)
def test_mirrored_twice_it_is_the_same(name):
    there, back = (Placement(sign * np.array([1.0, 0.0, 0.5]), mirrored=True) for sign in (1.0, -1.0))
    one = load(MECHANISMS / f"{name}.toml")
    two = placed(placed(one, there), back)
    for a, b in zip(one.bodies, two.bodies, strict=True):
        np.testing.assert_allclose(b.com, a.com, atol=ROUNDING)
        np.testing.assert_allclose(b.inertia, a.inertia, atol=ROUNDING)
    for a, b in zip(one.joints, two.joints, strict=True):
        np.testing.assert_allclose(b.p_P, a.p_P, atol=ROUNDING)
        assert a.stiff_directions == b.stiff_directions
    for a, b in zip(one.bushings, two.bushings, strict=True):
        np.testing.assert_allclose(b.R, a.R, atol=ROUNDING)
        np.testing.assert_allclose(b.stiffness, a.stiffness)
    for a, b in zip(one.coordinates, two.coordinates, strict=True):
        assert (b.lower, b.upper) == pytest.approx((a.lower, a.upper))


def moving(mechanism, motion, F, M, signs=None):
    """The full model's accelerations with deflected rubber, under a force and a moment at the contact point."""
    model, rng = full_model(mechanism), np.random.default_rng(3)
    deflections = {}
    for joint in mechanism.joints:
        for of, direction in zip(joint.stiff, joint.stiff_directions, strict=True):
            size, rate = 1e-4 * rng.uniform(-1, 1, 2) * (signs[joint.kind][direction] if signs else 1.0)
            coordinate = next(c for c in mechanism.stiff_coordinates if (c.joint, c.index) == (joint.name, of))
            deflections[coordinate] = (size, 10.0 * rate)
    found = accelerations(model, deflected(model, motion, deflections), 0.0, lambda t: Loads({"contact": (F, M)}))
    return found, np.array([*found.coordinates.values()])


@pytest.mark.parametrize("name", MOTIONS)
def test_the_mirror_image_under_mirrored_loads_moves_as_the_mirror_image(name):
    mechanism = load(MECHANISMS / f"{name}.toml")
    F, M = np.array([1000.0, 700.0, 4000.0]), np.array([50.0, -80.0, 30.0])
    here, q = moving(mechanism, MOTIONS[name], F, M)
    there, p = moving(
        placed(mechanism, Placement(np.zeros(3), mirrored=True)), MOTIONS[name], MIRROR @ F, -MIRROR @ M, SIGNS
    )
    np.testing.assert_allclose(p, q, rtol=SOLVED, atol=SOLVED * np.abs(q).max())
    for marker, a in here.markers.items():
        np.testing.assert_allclose(there.markers[marker], MIRROR @ a, atol=SOLVED * np.abs(a).max())
        alpha = here.rotations[marker]
        np.testing.assert_allclose(there.rotations[marker], -MIRROR @ alpha, atol=SOLVED * np.abs(alpha).max())


@pytest.mark.parametrize("name", MOTIONS)
def test_turned_and_moved_it_moves_alike(name):
    mechanism = load(MECHANISMS / f"{name}.toml")
    place = Placement(np.array([1.0, 2.0, 0.3]), turn=pi / 2)
    F, M = np.array([1000.0, 700.0, 4000.0]), np.array([50.0, -80.0, 30.0])
    motion = {k: (value + (0.3 if k == "wheel" else 0.0), rate) for k, (value, rate) in MOTIONS[name].items()}
    here, q = moving(mechanism, MOTIONS[name], F, M)
    there, p = moving(placed(mechanism, place), motion, place.T @ F, place.T @ M)
    np.testing.assert_allclose(p, q, rtol=SOLVED, atol=SOLVED * np.abs(q).max())
    a = here.markers["wheel"]
    np.testing.assert_allclose(there.markers["wheel"], place.T @ a, atol=SOLVED * np.abs(a).max())


def test_what_cannot_be_placed_is_said():
    place = Placement(np.zeros(3), mirrored=True)
    with pytest.raises(PrecomputeError, match="vertical gravity"):
        placed(load(MECHANISMS / "four_bar.toml"), place)


@pytest.mark.parametrize(("relative", "up"), [(False, 0.4), (True, 0.0)])
def test_wheel_travel_counted_from_design_stays_where_it_is(relative, up):
    m = load(MECHANISMS / "five_link.toml")
    (wheel,) = m.coordinates
    of = wheel.of.since_design if relative else wheel.of
    (there,) = placed(
        replace(m, coordinates=(replace(wheel, of=of),)), Placement(np.array([0.0, 0.0, 0.4]), mirrored=True)
    ).coordinates
    assert there.of == of and there.lower == pytest.approx(wheel.lower + up, abs=1e-12)


@pytest.mark.parametrize("rigid", [True, False])
def test_the_loads_at_rest_hold_the_car(rigid):
    """Forces and moments about any point: here about the centre of gravity of all bodies."""
    corners = {name: corner(name, rigid) for name in CORNERS}
    bodies = [(CHASSIS.mass, np.array(CHASSIS.com)), *((b.mass, b.com) for c in corners.values() for b in c.bodies)]
    mass = sum(m for m, _ in bodies)
    centre = sum(m * p for m, p in bodies) / mass
    held = {name: (loads(rigid)[name], corners[name].marker("contact").p - centre) for name in CORNERS}
    assert sum(load for load, _ in held.values()) == pytest.approx(mass * GRAVITY, rel=ROUNDING)
    moment = sum(np.cross(p, [0.0, 0.0, load]) for load, p in held.values())
    np.testing.assert_allclose(moment, 0.0, atol=1e-9 * mass * GRAVITY)
    assert all(abs(c.marker("contact").p[2]) < ROUNDING for c in corners.values())


def test_only_as_a_left_wheel_has_the_double_wishbone_caster():
    left = corner("front_left", rigid=True)
    balls = {j.name: j.p_P for j in left.joints}
    assert balls["upper_ball"][0] < balls["lower_ball"][0] and left.marker("wheel").p[1] > 0.5
