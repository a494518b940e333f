"""The fuel injection pump in both run-times: golden kinematics, forces by Newton's law, loss of contact."""

import json
from dataclasses import replace

import numpy as np
import pytest
from helpers import GOLDEN, MECHANISMS
from helpers_baked import baked, baked_file
from helpers_kernel import Pair

from fmu_src.numpy_runtime.dynamics import prepare
from fmu_src.numpy_runtime.instance import Instance
from fmu_src.slave.kernel_instance import KernelModel
from fmu_src.slave.kernel_library import load_library
from precompute.coordinates.independent import choose_coordinates
from precompute.kinematics.assembly import close_loops
from precompute.kinematics.coefficients import coefficient_derivatives, factorize, velocity_coefficients
from precompute.kinematics.continuation import follow
from precompute.kinematics.topology import spanning_tree
from precompute.mechanism_file import load

FILE = MECHANISMS / "fuel_pump.toml"
PUMP = json.loads((GOLDEN / "fuel_pump.json").read_text())
ROWS = PUMP["rows"]
SPEED = PUMP["summary"]["w"]  # 1000 rpm [rad/s]
MM = 1e-3
BORDERS = (102.0, 258.0)
EXACT, BAKED = 1e-9, 1e-6
GIVEN = {  # vertical force [N], torque with the spin of the roller and without [N m], by cam angle
    110: (437.183509306, 1.810130349, 1.737286946),
    130: (629.116752571, 11.108734054, 10.607882940),
    145: (275.086196701, 3.448169978, 3.587649141),
    150: (312.014248639, 2.268076118, 2.338647264),
}
ANGLES = np.array([row["cam_deg"] for row in ROWS], dtype=float)
BORDER = np.radians(102.0 + 34.48820897371101)  # between flank and nose
BEFORE = 1e-9  # a golden row at a border is the limit from the smaller angle [deg]


def places():
    """The cam angles of the golden rows, on the side that they are of [rad]."""
    return np.radians(np.where(np.isin(ANGLES, BORDERS), ANGLES - BEFORE, ANGLES))


def worst(found, name):
    """The largest error of a column over its values; where these are zero, over the largest."""
    golden = np.array([row[name] for row in ROWS])
    most = np.abs(golden).max()
    return (np.abs(found - golden) / np.where(np.abs(golden) < 1e-9 * most, most, np.abs(golden))).max()


def without_spin(mechanism):
    """A roller that is no body of revolution with inertia about its pin."""
    bodies = (replace(b, inertia=np.zeros((3, 3))) if b.name == "roller" else b for b in mechanism.bodies)
    return replace(mechanism, bodies=tuple(bodies))


@pytest.fixture(scope="module")
def pump(tmp_path_factory):
    return Pair(baked_file("fuel_pump"), tmp_path_factory.mktemp("pump"))


@pytest.fixture(scope="module")
def plain(tmp_path_factory):
    return Pair(baked(without_spin(load(FILE))), tmp_path_factory.mktemp("plain"))


def at(pair, degrees, speed=SPEED):
    """All outputs of both run-times with the shaft at an angle and a speed, by name."""
    found = []
    for instance in (pair.numpy, pair.compiled):
        for name, value in (("q", np.radians(degrees)), ("qd", speed), ("qdd", 0.0)):
            instance.set([pair.names.index(f"drive.shaft.{name}")], [value])
        found.append(dict(zip([pair.names[i] for i in pair.outputs], instance.get(pair.outputs), strict=True)))
    return found


def test_exact_path_against_golden_rows():
    mechanism = load(FILE)
    topology = spanning_tree(mechanism)
    design = close_loops(mechanism, topology)
    closure = choose_coordinates(mechanism, topology, design).closure
    target, steps = places()[:, None], np.linspace(0.0, 1.0, 31)
    q = np.repeat(design.q[None], len(target), axis=0)
    for a, b in zip(steps[:-1], steps[1:], strict=True):
        moved = follow(closure, q, a * target, b * target)
        assert moved.reached.all()
        q = moved.q
    P = closure.poses(q)
    factor = factorize(closure, closure.matrix(P))
    B = velocity_coefficients(closure, factor)
    dB, _, _ = coefficient_derivatives(closure, P, factor, B)
    guide, pin = (topology.scalars[name, 0][1] for name in ("guide", "pin"))
    assert worst(B[:, guide, 0] * SPEED / MM, "q3d") < EXACT
    assert worst(dB[:, guide, 0, 0] * SPEED**2 / MM, "q3dd") < EXACT
    assert worst((B[:, pin, 0] + 1.0) * SPEED, "q4d") < EXACT  # relative to the cam
    assert worst(dB[:, pin, 0, 0] * SPEED**2, "q4dd") < EXACT


def test_both_run_times_against_golden_rows(pump):
    for number in range(2):
        rows = [at(pump, np.degrees(z))[number] for z in places()]
        assert worst([row["marker.plunger.v[3]"] / MM for row in rows], "q3d") < BAKED
        assert worst([row["marker.plunger.a[3]"] / MM for row in rows], "q3dd") < BAKED
        assert worst([row["joint.cam.rolled.rate"] for row in rows], "q4d") < BAKED
        # the traction on the roller turns it, I q4dd = -R T
        assert worst([-row["joint.cam.traction"] * 12.0 * MM / 7.2e-6 for row in rows], "q4dd") < BAKED
        lift = np.array([row["marker.plunger.r[3]"] for row in rows]) / MM - 60.0
        assert np.abs(lift - [row["lift"] for row in ROWS]).max() < 1e-6 * 10.0
        slope = np.array([row["joint.cam.pressure_angle"] for row in rows])
        assert np.abs(slope - [row["pressure_angle"] for row in ROWS]).max() < 1e-6
        contact = np.array([row["joint.cam.contact"] for row in rows])
        assert contact == pytest.approx(places(), abs=1e-9)
    by_place = [at(pump, degrees)[1]["joint.cam.rolled.rate"] for degrees in (0.0, 136.48820897371101 - 1e-7, 180.0)]
    assert by_place == pytest.approx([244.346095, 359.662492, 331.612558], abs=1e-5)


@pytest.mark.parametrize("degrees", GIVEN)
def test_force_on_plunger_and_torque_of_the_shaft(pump, plain, degrees):
    force, spinning, still = GIVEN[degrees]
    for pair, torque in ((pump, spinning), (plain, still)):
        for row in at(pair, degrees):
            slope = row["joint.cam.pressure_angle"]
            # along the normal, and along the path of the roller's centre; both lean by the pressure angle
            vertical = row["joint.cam.normal"] * np.cos(slope) + row["joint.cam.traction"] * np.sin(slope)
            assert vertical == pytest.approx(force, rel=BAKED)
            assert row["drive.shaft.force"] == pytest.approx(torque, rel=BAKED)


def turned(instance, names, rpm, step=1e-3, turns=1.2):
    """Warnings of a run at a constant speed, with the motion of the shaft as its inputs."""
    speed = rpm * np.pi / 30.0
    said = []

    def drive(t):
        for name, value in (("q", speed * t), ("qd", speed), ("qdd", 0.0)):
            instance.set([names.index(f"drive.shaft.{name}")], [value])

    instance.setup(0.0)
    drive(0.0)
    instance.enter_initialization()
    said.append(instance.exit_initialization())
    for i in range(int(turns * 2.0 * np.pi / speed / step)):
        drive(i * step)
        said.append(instance.step(i * step, step))
    return [text for text in said if text and "leaves its cam" in text]


def fresh(pair, number):
    """A new instance of one of the run-times."""
    from helpers_kernel import library

    return Instance(prepare(pair.model)) if number == 0 else KernelModel(load_library(library()), pair.file)()


@pytest.mark.parametrize("number", [0, 1], ids=["numpy", "kernel"])
def test_loss_of_contact_between_steps_is_told_once(plain, number):
    assert turned(fresh(plain, number), plain.names, 1190.0) == []
    said = turned(fresh(plain, number), plain.names, 1206.0)
    assert len(said) == 1
    assert "joint 'cam'" in said[0] and "'shaft' = 136.488 deg" in said[0]


@pytest.mark.parametrize("spin, rpm", [(False, 1198.107), (True, 1185.034)])
def test_contact_is_lost_first_behind_the_flank(pump, plain, spin, rpm):
    """After 136.488 deg and before 223.512 deg: there the normal force is zero first, and nowhere else."""
    after = np.degrees(BORDER) + BEFORE
    for row in at(pump if spin else plain, after, rpm * np.pi / 30.0):
        assert row["joint.cam.normal"] == pytest.approx(0.0, abs=1e-3)
    for degrees in (after - 2.0 * BEFORE, after + 2.0, 360.0 - after - 2.0 * BEFORE, 360.0 - after + 2.0):
        for row in at(pump if spin else plain, degrees, rpm * np.pi / 30.0):
            assert (row["joint.cam.normal"] > 1.0) == (degrees != 360.0 - after - 2.0 * BEFORE)


def test_at_1206_rpm_it_would_be_pulled_for_a_quarter_of_a_degree(plain):
    speed, after = 1206.0 * np.pi / 30.0, np.degrees(BORDER)
    normal = [at(plain, after + x, speed)[1]["joint.cam.normal"] for x in (1e-6, 0.233, 0.235)]
    assert normal[0] < normal[1] < 0.0 < normal[2]
