"""Loads along given motions from exact kinematics: closed forms, published numbers, balances."""

import json
from dataclasses import replace

import numpy as np
import pytest
from helpers import GOLDEN, MECHANISMS
from helpers_loading import ARM, INERTIA, MASS, G, arm_force, led, pendulum, swing, vector

from precompute.errors import PrecomputeError
from precompute.loading.exact import exact_loads
from precompute.loading.motion import given_motion, read_motion
from precompute.mechanism_file import load
from precompute.model.mechanism import Marker
from precompute.solving.prescribed import prescribed
from precompute.solving.solution import solve_motion

ROUNDING = 1e-9
"""Of the largest force in a balance."""

CRANK_SPEED = 10.471975511965978


def test_a_pendulum_with_rates_that_are_given():
    t, a, ad, add = swing()
    found = led(pendulum(), "ground", time=t, angle=a, angle__rate=ad, angle__acceleration=add)
    force, moment = arm_force(a, ad, add)
    np.testing.assert_allclose(vector(found, "joint.pivot.F"), force, rtol=0.0, atol=1e-12)
    np.testing.assert_allclose(found.outputs["drive.angle.force"], moment, rtol=0.0, atol=1e-12)
    assert found.units["drive.angle.force"] == found.units["joint.pivot.M[1]"] == "N.m"
    np.testing.assert_allclose(found.outputs["joint.pivot.M[2]"], -moment, rtol=0.0, atol=1e-12)  # the drive is in it


def test_rates_that_are_not_given_come_from_a_spline_of_order_four():
    errors = []
    for n in (51, 101):
        t, a, ad, add = swing(n)
        found = led(pendulum(), time=t, angle=a)
        moment = arm_force(a, ad, add)[1]
        errors.append(np.abs(found.outputs["drive.angle.force"] - moment)[10:-10].max())
    assert errors[1] < errors[0] / 12 and errors[1] < 1e-4


def test_a_force_on_a_port_and_the_one_of_the_file():
    t = np.zeros(1)
    plain = led(pendulum(), "ground", time=t, angle=t)
    loaded = led(pendulum(), "ground", time=t, angle=t, **{"port__end__F[3]": t + 10.0, "port__end__M[2]": t + 3.0})
    difference = vector(loaded, "joint.pivot.F") - vector(plain, "joint.pivot.F")
    np.testing.assert_allclose(difference, [[0, 0, -10.0]], atol=1e-12)
    torque = loaded.outputs["drive.angle.force"] - plain.outputs["drive.angle.force"]
    np.testing.assert_allclose(torque, -10.0 * ARM + 3.0, atol=1e-12)
    file = replace(pendulum(), ports=(replace(pendulum().ports[0], force=(0.0, 0.0, 10.0), moment=(0.0, 3.0, 0.0)),))
    same = led(file, "ground", time=t, angle=t)
    np.testing.assert_allclose(vector(same, "joint.pivot.F"), vector(loaded, "joint.pivot.F"), atol=1e-12)


def test_a_chassis_that_spins_and_accelerates():
    t, a, ad, add = swing()
    spin, ramp = 2.0, 1.5
    columns = {"chassis__w[3]": spin * t, "chassis__v[1]": ramp * t, "gravity[3]": 0 * t}
    given = {"time": t, "angle": a, "angle__rate": ad, "angle__acceleration": add}
    found = led(pendulum('chassis = "moving"'), "ground", **given, **columns)
    r = ARM * np.stack([np.cos(a), 0 * a, np.sin(a)], -1)
    relative = arm_force(a, ad, add)[0] / MASS - [0, 0, G]
    v = ARM * ad[:, None] * np.stack([-np.sin(a), 0 * a, np.cos(a)], -1)
    w, wd = np.array([0.0, 0.0, 1.0]) * (spin * t)[:, None], np.array([0.0, 0.0, spin])
    v0, v0d = np.array([1.0, 0.0, 0.0]) * (ramp * t)[:, None], np.array([ramp, 0.0, 0.0])
    frame = v0d + np.cross(w, v0) + np.cross(wd, r) + np.cross(w, np.cross(w, r)) + 2 * np.cross(w, v)
    np.testing.assert_allclose(vector(found, "joint.pivot.F"), MASS * (relative + frame), rtol=0.0, atol=1e-9)
    # about the axis -y through the pivot: of the mass as a point, and of its inertia, which is about y and z
    about = -np.cross(r, MASS * (relative + frame))[:, 1]
    inertia = INERTIA * (add - (spin * t) ** 2 * -np.sin(a) * np.cos(a))
    np.testing.assert_allclose(found.outputs["drive.angle.force"], about + inertia, rtol=0.0, atol=1e-9)


def test_the_rssr_of_the_published_numbers():
    golden = json.loads((GOLDEN / "rssr.json").read_text())
    psi = np.radians(np.array(golden["psi_deg"], dtype=float))
    order = np.argsort(psi)
    mechanism = replace(load(MECHANISMS / "rssr.toml"), springs=())
    columns = {"crank": psi[order], "crank__rate": 0 * psi + CRANK_SPEED, "crank__acceleration": 0 * psi}
    found = led(mechanism, "ground", time=psi[order] / CRANK_SPEED, **columns)
    tau = np.array(golden["tau_RSSR"])[order]
    np.testing.assert_allclose(found.outputs["drive.crank.force"], tau, rtol=0.0, atol=1e-12)
    for name, force in (("A", golden["fA_RSSR"]), ("B", -np.array(golden["fB_RSSR"]))):
        np.testing.assert_allclose(vector(found, f"joint.{name}.F"), np.array(force)[order], rtol=0.0, atol=1e-12)


@pytest.fixture(scope="module")
def corner():
    """The shipped MacPherson corner along a part of its shipped motion."""
    file = MECHANISMS / "macpherson_rigid.toml"
    mechanism = load(file)
    motion = read_motion(MECHANISMS / "macpherson_rigid_motion.csv", mechanism, file.name)
    return mechanism, motion[100:400:10], exact_loads(mechanism, motion[100:400:10], "ground")


def accelerations(mechanism, motion, body):
    """(n, 3) of a centre of mass, by natural coordinates, which share no code with loads."""
    marked = replace(mechanism, markers=(*mechanism.markers, Marker("mass", body.name, body.com)))
    orders = {name: list(values) for name, values in motion.coordinates.motions.items()}
    moved = solve_motion(marked, prescribed(motion.time, orders))
    return moved, np.stack([moved.outputs[f"marker.mass.a[{i}]"] for i in (1, 2, 3)], axis=-1)


def test_the_forces_on_the_hub_are_its_mass_times_acceleration(corner):
    mechanism, motion, found = corner
    upright = next(b for b in mechanism.bodies if b.name == "upright")
    moved, a = accelerations(mechanism, motion, upright)
    spring = mechanism.springs[0]
    ends = {}
    for end, (body, p) in zip(("top", "low"), spring.on.segment, strict=True):
        marked = replace(mechanism, markers=(Marker("p", body, p),), ports=())
        orders = {name: list(values) for name, values in motion.coordinates.motions.items()}
        there = solve_motion(marked, prescribed(motion.time, orders))
        ends[end] = np.stack([there.outputs[f"marker.p.r[{i}]"] for i in (1, 2, 3)], axis=-1)
    line = ends["low"] - ends["top"]
    length = np.linalg.norm(line, axis=1)
    design = np.linalg.norm(spring.on.segment[1][1] - spring.on.segment[0][1])
    push = spring.preload + spring.stiffness * (design - length)
    assert spring.bump_stop.at < length.min() and length.max() < spring.rebound_stop.at  # no stop is hit
    forces = vector(found, "joint.lower_ball.F") + vector(found, "joint.strut.F") + vector(found, "rod.tie_rod.F")
    forces += motion.vectors("port.contact.F") + push[:, None] * line / length[:, None]
    expected = upright.mass * (a - mechanism.gravity)
    np.testing.assert_allclose(forces, expected, rtol=0.0, atol=ROUNDING * np.abs(push).max())


def test_the_whole_corner_is_in_balance(corner):
    """Ground on arm, strut rod and rack, and the contact: mass times acceleration of all bodies."""
    mechanism, motion, found = corner
    total = np.zeros((len(motion.time), 3))
    for body in mechanism.bodies:
        total += body.mass * (accelerations(mechanism, motion, body)[1] - mechanism.gravity)
    joints = ("arm_front", "arm_rear", "top_mount", "rack")
    forces = sum(vector(found, f"joint.{name}.F") for name in joints) + motion.vectors("port.contact.F")
    np.testing.assert_allclose(forces, total, rtol=0.0, atol=ROUNDING * np.abs(forces).max())


def test_the_shipped_motion_needs_no_force_along_the_strut(corner):
    _, _, found = corner
    assert np.abs(found.outputs["drive.strut.force"]).max() < 1e-3
    assert np.abs(found.outputs["drive.rack.force"]).max() > 100.0


def test_other_coordinates_give_the_same_loads(corner):
    mechanism, motion, found = corner
    moved = accelerations(mechanism, motion, mechanism.bodies[0])[0]
    orders = [f"marker.wheel.{symbol}[3]" for symbol in "rva"]
    columns = {"time": motion.time, "joint.rack": motion.coordinates.motions["rack"][0]}
    columns |= {
        f"joint.rack{d}": motion.coordinates.motions["rack"][k] for k, d in ((1, ".rate"), (2, ".acceleration"))
    }
    columns |= dict(
        zip(("wheel_z", "wheel_z.rate", "wheel_z.acceleration"), map(moved.outputs.get, orders), strict=True)
    )
    columns |= {name: motion.inputs[name] for name in motion.given}
    other = exact_loads(mechanism, given_motion(columns, mechanism), "ground")
    np.testing.assert_allclose(other.outputs["q.strut"], motion.coordinates.motions["strut"][0], atol=1e-10)
    for name in ("joint.lower_ball.F", "joint.top_mount.F"):
        np.testing.assert_allclose(
            vector(other, name), vector(found, name), rtol=0.0, atol=2e-3
        )  # no force in the strut
    assert "drive.wheel_z.force" in other.outputs and "drive.strut.force" not in other.outputs


def test_loads_that_the_file_asks_for_and_all_where_it_asks_for_none():
    t = np.zeros(1)
    assert led(pendulum(), time=t, angle=t).loads == (
        "drive.angle.force",
        *(f"joint.pivot.F[{i}]" for i in (1, 2, 3)),
        "joint.pivot.M[2]",
        "joint.pivot.M[3]",
    )
    some = pendulum(joint='load = ["y"]')
    assert led(some, time=t, angle=t).loads == ("drive.angle.force", "joint.pivot.F[2]")
    assert len(led(some, "ground", time=t, angle=t).loads) == 7


def test_loads_that_are_not_defined_are_told_and_not_given():
    mechanism = load(MECHANISMS / "four_bar.toml")
    found = led(mechanism, time=np.zeros(1), crank=np.zeros(1))
    assert len(found.undefined) == 1 and "holds these directions more than once" in found.undefined[0]
    assert "joint.crank.F[2]" in found.outputs and "joint.crank.F[1]" not in found.outputs


STIFF = """
[bushings.pivot]
parent = "ground"
child = "arm"
at = [0, 0, 0]
axis = "x"
stiffness = [200, 1000, 400, 0, 1e7, 1e7]
damping = [1, 1, 1, 0, 0, 0]
"""


def test_rubber_deflects_by_what_it_carries_inertia_included():
    t, a, ad, add = swing(41)
    mechanism = pendulum(joint='stiff = ["y", "z"]\nsecond = "x"', more=STIFF)
    found = led(mechanism, "ground", time=t, angle=a, angle__rate=ad, angle__acceleration=add)
    force = arm_force(a, ad, add)[0]
    # the joint's own axes are -y, x and -y x x = z
    np.testing.assert_allclose(-200e3 * found.outputs["q.pivot.y"], force[:, 0], rtol=0.0, atol=1e-5)
    np.testing.assert_allclose(-400e3 * found.outputs["q.pivot.z"], force[:, 2], rtol=0.0, atol=1e-5)
    np.testing.assert_allclose(vector(found, "joint.pivot.F"), force, rtol=0.0, atol=1e-5)
    assert any("equilibrium" in note for note in found.notes)


def test_rubber_that_cannot_carry_what_acts_is_told():
    soft = STIFF.replace("[200, 1000, 400", "[200, 1000, 1e-9")
    mechanism = pendulum(joint='stiff = ["y", "z"]\nsecond = "x"', more=soft)
    with pytest.raises(PrecomputeError, match=r"no deflection of 'pivot.z' carries what acts at 0 s: .* is left"):
        led(mechanism, time=np.zeros(1), angle=np.zeros(1))


def test_a_motion_that_the_loops_cannot_follow():
    mechanism = load(MECHANISMS / "macpherson_rigid.toml")
    t = np.linspace(0.0, 1.0, 41)
    columns = {"time": t, "rack": 0 * t, "wheel_z": 0.31 + 0.5 * t**2}
    with pytest.raises(PrecomputeError, match=r"wheel_z = .* mm at .* s cannot be reached; the loops close as far as"):
        exact_loads(mechanism, given_motion(columns, mechanism))


def test_coordinates_that_the_given_ones_stand_for_keep_to_their_ranges():
    mechanism = load(MECHANISMS / "macpherson_rigid.toml")
    t = np.linspace(0.0, 1.0, 41)
    columns = {"time": t, "rack": 0 * t, "wheel_z": 0.31 + 0.1 * t**2}
    with pytest.raises(PrecomputeError, match=r"'strut' leaves its range, -80 mm to 80 mm, with 8\d.* mm at 0.9"):
        exact_loads(mechanism, given_motion(columns, mechanism))


def test_coordinates_that_do_not_determine_the_motion():
    mechanism = load(MECHANISMS / "macpherson_rigid.toml")
    columns = {"time": [0.0], "strut": [0.0], "marker.lower_ball.z": [0.2]}
    with pytest.raises(PrecomputeError, match="the motion: 'strut' and 'marker.lower_ball.z' cannot be independent"):
        exact_loads(mechanism, given_motion(columns, mechanism))


def test_full_turns():
    mechanism = load(MECHANISMS / "rssr.toml")
    t = np.linspace(0.0, 1.2, 121)
    found = led(mechanism, time=t, crank=CRANK_SPEED * t)
    np.testing.assert_allclose(
        found.outputs["joint.A.F[1]"][:60], found.outputs["joint.A.F[1]"][60:120], rtol=0.0, atol=1e-7
    )


def test_a_wheel_is_a_port_at_its_contact_with_a_bearing():
    mechanism = load(MECHANISMS / "macpherson_rigid.toml")
    t = np.zeros(1)
    given = {"time": t, "rack": t, "strut": t, "port__contact__F[3]": t}
    force = {1: -800.0, 2: 1000.0, 3: 4500.0}
    port = led(mechanism, **given | {f"port__contact__F[{i}]": t + f for i, f in force.items()})
    wheel = {f"wheel__left__F[{i}]": t + f for i, f in force.items()}
    held = led(mechanism, **given, **wheel, wheel__left__torque=t - 0.31 * 800.0)  # a brake on the carrier
    rolling = led(mechanism, **given, **wheel)
    for name in port.loads:
        assert held.outputs[name] == pytest.approx(port.outputs[name], abs=1e-8)
    assert abs(rolling.outputs["joint.lower_ball.F[1]"] - port.outputs["joint.lower_ball.F[1]"])[0] > 100.0


def test_a_preload_that_is_left_to_statics_holds_design():
    spring = '\n[springs.hold]\njoint = "pivot"\nstiffness = 100\npreload = "static"\n'
    mechanism = pendulum(more=spring)
    t, a, ad, add = swing(21)
    held = led(mechanism, time=[0.0], angle=[0.0])
    assert held.outputs["drive.angle.force"] == pytest.approx([0.0], abs=1e-9)
    found = led(mechanism, time=t, angle=a, angle__rate=ad, angle__acceleration=add)
    rate = np.degrees(0.1)  # 100 N mm per deg
    expected = arm_force(a, ad, add)[1] - MASS * G * ARM + rate * a
    np.testing.assert_allclose(found.outputs["drive.angle.force"], expected, rtol=0.0, atol=1e-9)


def test_a_file_that_names_no_coordinates():
    mechanism = load(MECHANISMS / "short" / "macpherson_corner.toml")
    found = led(mechanism, time=[0.0], joint__arm=[0.0])
    assert "drive.joint.arm.force" in found.outputs and "joint.lower_ball.F[1]" in found.outputs
    with pytest.raises(
        PrecomputeError, match=r"has 1 degree of freedom but 0 independent .* \(joint.arm, joint.strut\)"
    ):
        led(mechanism, time=[0.0])
