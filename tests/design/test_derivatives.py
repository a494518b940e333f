"""Derivatives by design variables: printed numbers, differences over solved mechanisms, Taylor series."""

import random

import numpy as np
import pytest
from helpers import MECHANISMS, ON_DISCS
from helpers_design import closure_of, geometric, largest_errors

from precompute.design import Design, Dimensioned
from precompute.design.configurations import configurations
from precompute.design.places import places
from precompute.errors import PrecomputeError, ReachError
from precompute.kinematics.correcting import correct
from precompute.mechanism_file import load, loads

STEP = 3e-6
FIRST, SECOND = 3e-8, 3e-7  # differences by STEP, of fourth order: rounding over it

PRINTED = {
    "point.lower_ball.x": ((0.2, 0.04), -0.224349186, -0.040786342),
    "point.lower_ball.y": ((0.2, 0.04), -0.895168523, 0.402624306),
    "point.inner.z": ((0.2, 0.04), -1.898402737, -0.131676343),
    "point.outer.z": ((-0.3, -0.05), -2.785656889, -0.124101430),
    "point.p1.z": ((-0.3, -0.05), -2.231473842, -2.446730514),
    "joint.lower_ball.parent.x": ((0.0, 0.0), 4.75944385, -2.815427851),
    "joint.lower_ball.parent.y": ((0.0, 0.0), -1.54464652, -0.064378564),
    "joint.lower_ball.parent.z": ((0.0, 0.0), -1.07887721, 0.259137281),
}
"""Variable -> (pitman [rad], shock [m]), d steer, d camber [rad/m] of the marker 'wheel': independent numbers."""

ALL = sorted(path for path in MECHANISMS.glob("*.toml") if path.stem not in ON_DISCS)


def at(mechanism, names, z, along=()):
    closure, q = configurations(mechanism, [c.of for c in mechanism.coordinates], np.array(z, dtype=float))
    return closure, q, Dimensioned.of(closure, Design.of(mechanism), names).at(q, along)


def test_the_printed_derivatives_of_steer_and_camber():
    mechanism = load(MECHANISMS / "double_wishbone_rigid.toml")
    for name, (z, steer, camber) in PRINTED.items():
        _, _, found = at(mechanism, [name], [z])
        assert abs(found.steer("wheel").first[0, 2] - steer) < 1e-8, name
        assert abs(found.camber("wheel").first[0, 2] - camber) < 1e-8, name


def test_along_an_axis_and_at_design_a_hardpoint_changes_nothing():
    mechanism = load(MECHANISMS / "double_wishbone_rigid.toml")
    points = [name for name in Design.of(mechanism).variables if name.startswith("point.")]
    _, _, found = at(mechanism, ["point.p3.y"], [[0.2, 0.04], [-0.3, -0.05]])
    for of in (found.steer("wheel"), found.camber("wheel")):
        assert np.abs(of.first[:, 2]).max() < 1e-13
    _, _, found = at(mechanism, points, [[0.0, 0.0]])
    for of in (found.steer("wheel"), found.camber("wheel")):
        assert np.abs(of.first[:, 2:]).max() < 1e-12


FILES = {
    "double_wishbone_rigid": 1,  # axes by the normal of three points; idle spins
    "front_axle": 2,  # a mirrored geometry, an anti-roll bar
    "macpherson": 3,  # mounts on bushings, stiff directions deflected, rods
    "rssr": 5,
    "spatial_slider_crank": 6,
}


@pytest.mark.parametrize("stem", FILES)
def test_derivatives_are_the_limits_of_differences(stem):
    mechanism = load(MECHANISMS / f"{stem}.toml")
    names = random.Random(FILES[stem]).sample(geometric(Design.of(mechanism)), 5)
    assert (largest_errors(mechanism, names, STEP) < [FIRST, SECOND]).all()


@pytest.mark.slow
@pytest.mark.parametrize("path", ALL, ids=lambda path: path.stem)
def test_all_derivatives_are_the_limits_of_differences(path):
    mechanism = load(path)
    names = geometric(Design.of(mechanism))
    for start in range(0, len(names), 12):
        assert (largest_errors(mechanism, names[start : start + 12], STEP) < [FIRST, SECOND]).all()


def test_bump_steer_by_design_variables():
    """With travel as a coordinate: derivatives at held travel, of steer and of its slope along travel."""
    text = (MECHANISMS / "double_wishbone_rigid.toml").read_text(encoding="utf-8")
    mechanism = loads(text.replace('of = "joint.shock"', 'of = "wheel.left.travel"'))
    names = ["point.wheel_centre.z", "point.outer.z", "joint.lower_ball.parent.y", "joint.upper_arm.rx"]
    assert (largest_errors(mechanism, names, STEP) < [FIRST, SECOND]).all()


def test_what_a_cam_measures_has_no_derivatives_by_design():
    mechanism = load(MECHANISMS / "fuel_pump_traction.toml")
    _, _, found = at(mechanism, ["point.shaft.x"], [[0.1, 0.2]])
    with pytest.raises(PrecomputeError, match="the way by which the roller has slipped on the cam of cam has no deriv"):
        found.measure(mechanism.devices[0].on[0][1])


def test_values_out_of_reach_are_told():
    mechanism = load(MECHANISMS / "double_wishbone_rigid.toml")
    with pytest.raises(ReachError, match=r"to joint pitman = 0 deg, joint shock = 19.685 in: it gets to .* Ask for"):
        at(mechanism, [], [[0.0, 0.0], [0.0, 0.5]])


def test_the_radius_of_a_wheel_follows_its_contact_point():
    mechanism = load(MECHANISMS / "double_wishbone_rigid.toml")
    names = ["point.contact_patch.z", "point.wheel_centre.x", "point.wheel_centre.z", "wheel.left.radius"]
    design = Design.of(mechanism)
    radius = places(design, names).wheels["left"].radius
    for k, name in enumerate(names):
        up, down = (design.moved({name: change}).wheel("left").radius for change in (1e-4, -1e-4))
        assert radius.first[k] == pytest.approx((up - down) / 2e-4, abs=1e-9)


def test_an_axis_of_a_planar_loop_cannot_turn_alone():
    mechanism = load(MECHANISMS / "double_wishbone_rigid.toml")
    _, _, found = at(mechanism, ["joint.idler.rz", "point.rev1.z", "point.outer.x"], [[0.1, 0.02]])
    assert found.unfollowed == ("joint.idler.rz",)


@pytest.mark.parametrize(("order", "largest"), [(1, 0.083), (2, 0.0069)])
def test_steer_of_a_moved_hardpoint_by_its_taylor_series(order, largest):
    """lower_ball x + 5 mm over pitman +-0.5 rad and shock +-0.06 m: errors in degrees, as measured independently."""
    mechanism = load(MECHANISMS / "double_wishbone_rigid.toml")
    p, x, step = "point.lower_ball.x", 2, 5e-3
    z = np.array([(a, b) for a in np.linspace(-0.5, 0.5, 11) for b in np.linspace(-0.06, 0.06, 7)])
    _, q, found = at(mechanism, [p], z, [x])
    steer = found.steer("wheel")
    new = Design.of(mechanism).moved({p: step})
    there = correct(closure_of(new), q, z)
    wanted = Dimensioned.of(closure_of(new), Design.of(new), []).at(there.q).steer("wheel").value
    taylor = steer.value + step * steer.first[:, x] + (order == 2) * 0.5 * step**2 * steer.second[:, x, 0]
    assert there.converged.all()
    assert np.degrees(np.abs(taylor - wanted).max()) == pytest.approx(largest, rel=0.02)


KINDS = """
schema = 1
name = "Kinds"
units = { length = "mm", angle = "deg" }
mirror = { from = "left", to = "right" }
axes = { forward = "x", left = "y" }
[points]
a = [0, 300, 0]
b = [40, 310, 60]
c = [-50, 420, 20]
d = [10, 520, 35]
e = [15, 600, 110]
wheel_left = [5, 720, 40]
[bodies.arm_left]
mass = 2
com = "c"
[bodies.link_left]
mass = 1
com = "d"
[bodies.slide_left]
mass = 1
com = [0, 500, 60]
[bodies.hub_left]
mass = 20
com = "e"
[joints.turn_left]
type = "universal"
parent = "ground"
child = "arm_left"
at = "a"
axis = ["a", "b"]
axis2 = ["a", "b", "c"]
[joints.plane_left]
type = "planar"
parent = "arm_left"
child = "link_left"
at = "c"
axis = ["c", "d", "e"]
[joints.steps_left]
type = "sequence"
parent = "link_left"
child = "slide_left"
at = "d"
primitives = [{ translation = ["a", "b"] }, { rotation = ["a", "d"] }]
[joints.tube_left]
type = "cylindrical"
parent = "slide_left"
child = "hub_left"
axis = ["d", "e"]
[joints.rod_left]
type = "rod"
parent = "ground"
child = "hub_left"
at = ["b", "e"]
[springs.bar_left]
between = ["ground", "link_left"]
axis = ["a", "b"]
stiffness = 3
free_length = 0
[springs.coil_left]
between = ["arm_left", "hub_left"]
at = ["c", "e"]
stiffness = 3
free_length = 100
[measures.both_left]
of = { measures = [{ between = ["ground", "hub_left"], at = ["a", "e"] }, "marker.hub_left.z"], factors = [1, -0.5] }
[measures.up_left]
of = "wheel.w_left.travel"
[markers.hub_left]
body = "hub_left"
at = "e"
x_axis = ["d", "e"]
y_axis = ["a", "b"]
spin_axis = ["d", "wheel_left"]
[wheels.w_left]
body = "hub_left"
centre = "wheel_left"
radius = 300
toe = 1
camber = -2
[coordinates.free.u1_left]
of = "joint.turn_left"
[coordinates.free.u2_left]
of = "joint.turn_left[2]"
[coordinates.free.p1_left]
of = "joint.plane_left"
[coordinates.free.p2_left]
of = "joint.plane_left[2]"
[coordinates.free.p3_left]
of = "joint.plane_left[3]"
[coordinates.free.s1_left]
of = "marker.hub_left.x"
relative = true
[coordinates.free.s2_left]
of = "joint.steps_left[2]"
[coordinates.free.t1_left]
of = "joint.tube_left[2]"
"""


def check_kinds(choose):
    """Of a mechanism made for it, with everything mirrored: rods, frames, static angles, relative coordinates."""
    mechanism = loads(KINDS)
    for names in choose(geometric(Design.of(mechanism))):
        assert (largest_errors(mechanism, names, STEP, n=1) < [FIRST, SECOND]).all()


def test_kinds_of_joints_measures_and_places():
    some = ["point.b.z", "point.d.x", "point.e.y", "joint.plane_left.rx", "rod.rod_left.length", "wheel.w_left.toe"]
    check_kinds(lambda names: [[*some, "wheel.w_left.camber", "joint.steps_left.ry", "spring.coil_left.at[2].x"]])


@pytest.mark.slow
def test_every_kind_of_joint_measure_and_place():
    check_kinds(lambda names: [names[start : start + 12] for start in range(0, len(names), 12)])
