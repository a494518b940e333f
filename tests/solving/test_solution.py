"""Motions that are solved exactly: golden data, derivatives of one another, tables of an FMU, ends of reach."""

import json

import numpy as np
import pytest
from helpers import GOLDEN, MECHANISMS

import kinetab as kt
from precompute.errors import PrecomputeError
from precompute.solving.prescribed import prescribed
from precompute.solving.solution import CHUNK, solve_motion

TESTS = GOLDEN.parent / "mechanisms"
FOUR_BAR = MECHANISMS / "four_bar.toml"

STENCIL = np.array([1, -8, 0, 8, -1]) / 12
"""Of a central difference of fourth order."""


def vector(samples, name):
    """(n, 3)."""
    return np.stack([samples.values[f"{name}[{i}]"] for i in (1, 2, 3)], axis=1)


def test_the_four_bar_of_the_text():
    """Its file is drawn with the crank at 60 deg, where the golden data are, at a rate of 1 rad/s."""
    golden = json.loads((GOLDEN / "kinematic_analysis.json").read_text())
    moved = kt.solve(FOUR_BAR, [0.0], {"crank": ([0.0], [1.0])})
    expected = golden["ex3_10"]["q"], *(golden["fourbar_phidot1"][name] for name in ("qd", "qdd", "qddd"))
    for symbol, q in zip(("r", "v", "a", "jerk"), expected, strict=True):
        found = vector(moved, f"marker.coupler_pin.{symbol}")[0]
        assert np.abs(found - [*q[2:], 0.0]).max() < 1e-10, symbol


def wave(t, size, frequency, phase):
    """A motion and its three derivatives."""
    arguments = frequency * t + phase
    return [size * frequency**k * np.sin(arguments + k * np.pi / 2) for k in range(4)]


MOTIONS = {
    "rssr": (MECHANISMS / "rssr.toml", {"crank": (2.0, 3.0, 0.4)}),
    "macpherson": (MECHANISMS / "macpherson.toml", {"rack": (0.03, 4.0, 0.2), "strut": (0.04, 7.0, 0.9)}),
    "corner, deflected": (
        TESTS / "corner.toml",
        {
            "arm": (0.15, 4.0, 0.2),
            "rack": (0.02, 3.0, 0.9),
            "arm_mount.x": (0.002, 5.0, 0.1),
            "arm_mount.y": (0.001, 6.0, 0.3),
        },
    ),
    "by the wheel's height": (TESTS / "corner.toml", {"marker.wheel.z": (0.03, 4.0, 0.2), "rack": (0.02, 3.0, 0.9)}),
}


@pytest.mark.parametrize("which", MOTIONS)
def test_each_rate_is_the_derivative_of_what_is_below_it(which):
    """Five samples about each of some times; given rates are exact, so only the differences err, in order 4."""
    path, waves = MOTIONS[which]
    mechanism = kt.load(path)
    h = 2e-4
    t = (np.linspace(0.0, 1.0, 7)[:, None] + h * np.arange(-2, 3)).ravel()
    given = {name: wave(t, *w) for name, w in waves.items()}
    if "marker.wheel.z" in given:
        given["marker.wheel.z"][0] = given["marker.wheel.z"][0] + mechanism.marker("wheel").p[2]
    moved = solve_motion(mechanism, prescribed(t, given))
    columns = [(m.name, i) for m in mechanism.markers for i in (1, 2, 3)]
    chains = [[f"marker.{m}.{s}[{i}]" for s in ("r", "v", "a", "jerk")] for m, i in columns]
    chains += [[f"marker.{m}.{s}[{i}]" for s in ("w", "alpha")] for m, i in columns]
    for name in moved.outputs:
        if name.endswith((".length", ".angle")) or name.count(".") == 1 and name.startswith("measure."):
            owner = name.removesuffix(".length").removesuffix(".angle")
            chains.append([name, f"{owner}.rate", f"{owner}.acceleration", f"{owner}.jerk"])
    for chain in chains:
        for below, above in zip(chain, chain[1:], strict=False):
            values, rates = moved.values[below].reshape(-1, 5), moved.values[above].reshape(-1, 5)
            size = np.abs(rates).max() + np.abs(values).max()
            assert np.abs(values @ STENCIL / h - rates[:, 2]).max() < 1e-9 * size + 1e-9, above


def test_rotation_and_angular_velocity_of_a_marker_belong_together():
    """Rdot = w x R, with R from roll, pitch and yaw."""
    h = 1e-3
    t = 0.3 + h * np.arange(-2, 3)
    moved = kt.solve(MECHANISMS / "rssr.toml", t, {"crank": wave(t, 2.0, 3.0, 0.4)})
    name = next(name for name in moved.outputs if name.endswith(".w[1]")).removesuffix(".w[1]")
    from scipy.spatial.transform import Rotation

    R = Rotation.from_euler("xyz", vector(moved, f"{name}.angle")).as_matrix()
    slope = np.tensordot(STENCIL, R, 1) / h
    w = vector(moved, f"{name}.w")[2]
    assert np.linalg.norm(w) > 1.0
    assert np.abs(slope - np.cross(w, R[2], axisa=0, axisb=0, axisc=0)).max() < 1e-9


def test_any_coordinate_may_lead():
    """The four-bar driven by its rocker goes where it went by its crank."""
    t = np.linspace(0.0, 0.3, 31)
    by_crank = kt.solve(FOUR_BAR, t, {"crank": wave(t, 1.0, 2.0, 0.1)})
    rocker = [by_crank.outputs[f"spring.rocker.{what}"] for what in ("angle", "rate", "acceleration", "jerk")]
    by_rocker = kt.solve(FOUR_BAR, t, {"joint.rocker": rocker})
    for symbol, tolerance in (("r", 1e-12), ("v", 1e-11), ("a", 1e-10), ("jerk", 1e-9)):
        name = f"marker.coupler_pin.{symbol}"
        assert np.abs(vector(by_rocker, name) - vector(by_crank, name)).max() < tolerance
    for name in ("q.crank", "qd.crank", "qdd.crank"):
        assert np.abs(by_rocker.outputs[name] - by_crank.values[name]).max() < 1e-10


def test_many_turns_stay_on_the_branch_and_count():
    t = np.linspace(0.0, 10.0, 6 * CHUNK + 1)
    moved = kt.solve(FOUR_BAR, t, {"crank": 2 * np.pi * t})
    once = kt.solve(FOUR_BAR, [0.0], {"crank": ([0.0], [2 * np.pi])})
    for symbol in ("r", "v"):
        last = vector(moved, f"marker.coupler_pin.{symbol}")[-1]
        assert np.abs(last - vector(once, f"marker.coupler_pin.{symbol}")[0]).max() < 1e-9
    assert moved.inputs["q.crank"][-1] == pytest.approx(20 * np.pi)
    assert abs(moved.outputs["spring.rocker.angle"][-1]) < 1e-12


@pytest.mark.fmu
def test_what_the_fmu_says_of_the_same_motion(fmu):
    run = kt.run(fmu("crank_slider"), stop=1.0, step=0.01)
    given = {"crank": [run.outputs[f"{q}.crank"] for q in ("q", "qd", "qdd")]}
    moved = kt.solve(MECHANISMS / "crank_slider.toml", run.time, given)
    compared = [name for name in moved.outputs if name in run.outputs]
    markers = {f"marker.{m}.{s}[{i}]" for m in ("crank_pin", "slider") for s in ("r", "v", "w", "angle") for i in "123"}
    assert {"qdd.crank", "spring.slider.length", "damper.slider.rate", *markers} <= set(compared)
    for name in compared:
        size = np.abs(run.outputs[name]).max() + 1.0
        assert np.abs(moved.outputs[name] - run.outputs[name]).max() < 1e-6 * size, name
        assert moved.units[name] == run.units[name]


SHORT = """
schema = 1
name = "Short"
units = { length = "mm", mass = "kg", angle = "deg" }
[points]
A = [0, 0, 0]
P = [1000, 0, 0]
Q = [1062.5, 496.0783708246107, 0]
B = [3000, 0, 0]
[bodies.crank]
mass = 1
com = "P"
inertia = [1, 1, 1]
[bodies.coupler]
mass = 1
com = "Q"
inertia = [1, 1, 1]
[bodies.rocker]
mass = 1
com = "B"
inertia = [1, 1, 1]
[joints.crank]
type = "revolute"
parent = "ground"
child = "crank"
at = "A"
axis = "z"
[joints.pin]
type = "revolute"
parent = "crank"
child = "coupler"
at = "P"
axis = "z"
[joints.coupler]
type = "revolute"
parent = "coupler"
child = "rocker"
at = "Q"
axis = "z"
[joints.rocker]
type = "revolute"
parent = "ground"
child = "rocker"
at = "B"
axis = "z"
[markers.pin]
body = "rocker"
at = "Q"
"""
"""Links 1, 0.5 and 2 on a base of 3, crank at 0 deg: it reaches 51.3178 deg on either side."""


def test_a_motion_that_leaves_the_reach_is_told_with_time_and_place():
    t = np.linspace(0.0, 1.0, 101)
    with pytest.raises(PrecomputeError) as error:
        kt.solve(kt.loads(SHORT), t, {"crank": np.radians(100.0) * t})
    words = str(error.value)
    assert words.startswith("crank = 52 deg at 0.52 s cannot be reached")
    assert "crank = 51.3178 deg, at 0.513178 s" in words


def test_a_motion_that_starts_out_of_reach():
    with pytest.raises(
        PrecomputeError, match=r"crank = 90 deg at 2 s .*; from design .* as far as crank = 51.3178 deg"
    ):
        kt.solve(kt.loads(SHORT), [2.0, 3.0], {"crank": [np.pi / 2, 0.0]})


def test_a_dead_centre_in_the_motion_is_told_with_its_time():
    """Coupler and rocker in line give the rocker no say."""
    reach = np.arccos((1.0 + 9.0 - 2.5**2) / 6.0)
    with pytest.raises(PrecomputeError, match=r"51\.3178 deg.*1 s"):
        kt.solve(kt.loads(SHORT), [0.0, 1.0], {"crank": [0.0, reach]})


@pytest.mark.parametrize(
    "given, words",
    [
        ({}, r"'Corner' has 2 freedoms and 0 of its coordinates are given: none. Still free to move: .*arm.*"),
        (
            {"rack": [0.0]},
            r"'Corner' has 2 freedoms and 1 of its coordinates are given: 'rack'\. Still free.*joint\.arm",
        ),
        ({"arm": [0.0], "rack": [0.0], "wheel_z": [0.3]}, "'arm' and 'wheel_z' clash"),
        ({"arm": [0.0], "spring.coil.length": [0.3]}, "'arm' and 'spring.coil.length' clash"),
        ({"rock": [0.0]}, "no coordinate 'rock'; did you mean 'rack'"),
    ],
)
def test_too_few_too_many_and_clashing_coordinates(given, words):
    with pytest.raises(PrecomputeError, match=words):
        kt.solve(TESTS / "corner.toml", [0.0], given)
