"""Loads of FMUs whose coordinates are driven along a motion: those of exact kinematics."""

from dataclasses import replace

import numpy as np
import pytest
from helpers import MECHANISMS
from helpers_loading import csv_text, led, pendulum, swing, vector

from fmu_src.build.native_fmu import build_native_fmu
from precompute.errors import PrecomputeError
from precompute.loading.driven import driven_loads, held_drive
from precompute.loading.watching import watched
from precompute.mechanism_file import load, loads
from precompute.pipeline import bake

pytestmark = pytest.mark.fmu

STIFF = """
[bushings.pivot]
parent = "ground"
child = "arm"
at = [0, 0, 0]
axis = "x"
stiffness = [200, 1000, 400, 0, 1e7, 1e7]
damping = [0.2, 0.2, 0.2, 0, 0, 0]
"""

SPEED = 2 * np.pi / 0.6

TABLES = 1e-6
"""Of the largest force or moment: tables with a tolerance of 1e-7, whose slopes count too."""


@pytest.fixture(scope="module")
def rssr(tmp_path_factory):
    """The RSSR linkage with its crank driven and all its loads, and its FMU."""
    mechanism = watched(load(MECHANISMS / "rssr.toml"), "joint")
    coordinates = (replace(mechanism.coordinates[0], driven=True, start_rate=0.0),)
    mechanism = replace(mechanism, coordinates=coordinates, tables=replace(mechanism.tables, tolerance=1e-7))
    path = tmp_path_factory.mktemp("rssr") / "RSSR.fmu"
    build_native_fmu(bake(mechanism), path)
    return mechanism, path


def turning():
    """A crank that turns ever faster."""
    t = 0.5 + np.linspace(0.0, 0.6, 61)
    return {"time": t, "crank": SPEED * (t - 0.5) + 2.0 * (t - 0.5) ** 2}


def test_an_fmu_gives_the_loads_of_exact_kinematics(rssr, tmp_path):
    mechanism, fmu = rssr
    (tmp_path / "motion.csv").write_text(csv_text(turning()))
    found, exact = driven_loads(fmu, tmp_path / "motion.csv"), led(mechanism, **turning())
    np.testing.assert_array_equal(found.time, turning()["time"])
    assert found.loads == exact.loads
    for name in exact.loads:
        values = exact.outputs[name]
        kind = [np.abs(exact.outputs[n]).max() for n in exact.loads if exact.units[n] == exact.units[name]]
        np.testing.assert_allclose(found.outputs[name], values, rtol=0.0, atol=TABLES * max(kind), err_msg=name)
        assert found.units[name] == exact.units[name]


@pytest.mark.parametrize("axes", ["ground", "rocker"])
def test_an_fmu_that_has_loads_in_axes_of_joints_gives_them_in_others(rssr, axes):
    mechanism, fmu = rssr
    found, exact = driven_loads(fmu, turning(), axes), led(mechanism, axes, **turning())
    for name in ("joint.A.F", "joint.B.F", "joint.crank.F", "joint.rocker.F"):
        expected = vector(exact, name)
        np.testing.assert_allclose(vector(found, name), expected, rtol=0.0, atol=TABLES * np.abs(expected).max())
    assert "joint.crank.M, joint.rocker.M." in found.undefined[0]  # a drive and a spring act about them
    assert not any(name.startswith("joint.crank.M") for name in found.outputs)
    assert "joint.crank.M[3]" in exact.outputs


def test_rubber_that_moves_by_itself_follows_slow_motions_as_in_equilibrium(tmp_path):
    mechanism = pendulum(joint='stiff = ["y", "z"]\nsecond = "x"\nload = true', more=STIFF)
    build_native_fmu(bake(mechanism), tmp_path / "P.fmu")
    t = np.linspace(0.0, 1.0, 501)
    columns = {"time": t, "angle": 0.4 * np.cos(3.0 * t)}
    found, exact = driven_loads(tmp_path / "P.fmu", columns), led(mechanism, **columns)
    assert set(exact.outputs) == set(found.outputs)
    for name in ("joint.pivot.F[2]", "joint.pivot.F[3]", "drive.angle.force", "q.pivot.z"):
        expected = exact.outputs[name]  # the motion starts with an acceleration, which shakes rubber for a while
        late, most = found.outputs[name][250:], np.abs(expected).max()
        np.testing.assert_allclose(late, expected[250:], rtol=0.0, atol=0.01 * most)


def test_fmus_without_loads_or_drives_say_what_to_do(tmp_path):
    mechanism = replace(pendulum(), coordinates=(replace(pendulum().coordinates[0], driven=False),))
    build_native_fmu(bake(mechanism), tmp_path / "P.fmu")
    t, a, _, _ = swing()
    with pytest.raises(PrecomputeError) as error:
        driven_loads(tmp_path / "P.fmu", {"time": t, "angle": a})
    assert 'P.fmu has no loads; put `loads = "all"` at the top of its mechanism file' in str(error.value)
    assert "no coordinate of P.fmu is driven, so no motion can be given; set `driven = true` of angle" in str(
        error.value
    )


def test_a_motion_that_leaves_the_tables_and_one_of_other_coordinates(rssr, tmp_path):
    mechanism = watched(pendulum(), "joint")
    build_native_fmu(bake(mechanism), tmp_path / "P.fmu")
    t = np.linspace(0.0, 1.0, 101)
    with pytest.raises(PrecomputeError, match=r"'angle' leaves its range, -120 deg to 120 deg, with 12\d.* deg at 0.7"):
        driven_loads(tmp_path / "P.fmu", {"time": t, "angle": 3.0 * t})
    with pytest.raises(PrecomputeError, match="'joint.rocker' is no coordinate that RSSR.fmu is driven by: crank"):
        driven_loads(rssr[1], {"time": t, "joint.rocker": 0.1 * t})


def test_a_step_of_a_drive_ends_at_the_next_sample():
    """So the FMU shows at samples what the motion is there, however long steps are."""
    t = np.array([0.0, 0.1, 0.25, 0.3])
    motion = np.stack([np.sin(5 * t), 5 * np.cos(5 * t), -25 * np.sin(5 * t), 0 * t])
    q, qd, qdd = held_drive(t, motion)
    h = np.diff(t)
    np.testing.assert_allclose((q[:-1] + qd[:-1] * h + qdd[:-1] * h**2 / 2), motion[0][1:], rtol=1e-14)
    np.testing.assert_allclose(qd[:-1] + qdd[:-1] * h, motion[1][1:], rtol=1e-14)
    assert np.isfinite([q, qd, qdd]).all()


SLIDE = """
schema = 1
name = "Slide"
units = { length = "mm", mass = "kg", angle = "deg", force = "N" }
gravity = [0, 0, -9.80665]

[bodies.arm]
mass = 2
com = [300, 0, 0]
inertia = [1e4, 3e4, 3e4]

[bodies.slider]
mass = 1
com = [700, 0, 0]
inertia = [1e3, 2e3, 2e3]

[joints.pivot]
type = "revolute"
parent = "ground"
child = "arm"
at = [0, 0, 0]
axis = "-y"
load = true

[joints.guide]
type = "prismatic"
parent = "arm"
child = "slider"
at = [500, 0, 0]
axis = [0.6, 0, 0.8]
second = "y"
stiff_axes = "child"
load = true

[coordinates.free.angle]
of = "joint.pivot"
from = -60
to = 60
driven = true

[coordinates.free.way]
of = "joint.guide"
from = -100
to = 100
driven = true

[tables]
tolerance = 1e-8
"""


def test_moments_move_with_the_point_that_they_are_about(tmp_path):
    """In axes of the child they are about its point, in those of the ground about the parent's, which slides away."""
    ground = SLIDE.replace("load = true", 'load = true\nload_axes = "ground"')
    build_native_fmu(bake(loads(ground)), tmp_path / "G.fmu")
    t = np.linspace(0.0, 1.0, 41)
    columns = {"time": t, "angle": 0.5 * np.sin(3 * t), "way": 0.05 * np.sin(5 * t)}
    for axes in ("joint", "slider", "ground"):
        found, exact = driven_loads(tmp_path / "G.fmu", columns, axes), led(loads(SLIDE), axes, **columns)
        assert found.loads == exact.loads and not found.undefined
        for name in exact.loads:
            np.testing.assert_allclose(found.outputs[name], exact.outputs[name], rtol=0.0, atol=1e-5, err_msg=name)
    build_native_fmu(bake(loads(SLIDE)), tmp_path / "J.fmu")
    found = driven_loads(tmp_path / "J.fmu", columns, "ground")
    assert (
        "joint.guide.F, joint.guide.M" in found.undefined[0]
    )  # the drive pushes along it, and so turns about the point
