"""The fuel injection pump with its roller on a film of oil, whose deflections move the contact on the cam."""

from functools import cache

import numpy as np
import pytest
from helpers import MECHANISMS
from helpers_baked import baked_file
from helpers_kernel import Pair, library

from fmu_src.numpy_runtime.dynamics import prepare
from fmu_src.numpy_runtime.instance import Instance
from fmu_src.slave.kernel_instance import KernelModel
from fmu_src.slave.kernel_library import load_library
from precompute.mechanism_file import load
from precompute.reference import deflected, full_model, simulate

FILE = MECHANISMS / "fuel_pump_film.toml"
W = 1000.0 * np.pi / 30.0
TURN, CLEARANCE = 0.06, 6e-6
BORDERS = 102.0, 136.48820897371101, 223.51179102628899, 258.0
"""Of them six, all but those of the top circle [deg]."""
SHOWN = (
    "q.film.x", "q.film.z", "element.film.force_y", "element.film.force_z", "element.film.thickness",
    "joint.cam.normal", "joint.cam.traction", "joint.cam.pressure_angle", "marker.plunger.r[3]", "drive.shaft.force",
    "element.film.loss",
)  # fmt: skip


@pytest.fixture(scope="module")
def pair(tmp_path_factory):
    return Pair(baked_file("fuel_pump_film"), tmp_path_factory.mktemp("film"))


def turning(pair, turns, step=1e-4, inner=1e-4, numpy=False, start=(0.0, 0.0), from_deg=0.0, speed=W, told=()):
    """All of `SHOWN` after each step at 1000 rpm, (n, outputs), from a start at an angle of the shaft.

    Nothing may be said but what contains the words that are told.
    """
    kernel = KernelModel(load_library(library()), pair.file)
    made = Instance(prepare(pair.model)) if numpy else kernel()

    def put(**values):
        made.set([pair.names.index(name) for name in values], list(values.values()))

    def drive(t):
        put(**{"drive.shaft.q": np.radians(from_deg) + speed * t, "drive.shaft.qd": speed, "drive.shaft.qdd": 0.0})

    put(**{"solver.step": inner, "q_start.film.x": start[0], "q_start.film.z": start[1]})
    made.setup(0.0)
    drive(0.0)
    made.enter_initialization()
    said = [made.exit_initialization()]
    found, outputs = [], [pair.names.index(name) for name in SHOWN]
    for i in range(round(turns * TURN / step)):
        drive(i * step)
        said.append(made.step(i * step, step))
        found.append(made.get(outputs))
    assert [text for text in said if text and not (told and all(words in text for words in told))] == []
    assert sum(bool(text) for text in said) == bool(told)
    return dict(zip(SHOWN, np.array(found).T, strict=True))


@cache
def settled(pair):
    """Three turns in steps of 0.1 ms."""
    return turning(pair, 4.0)


def test_it_comes_to_a_periodic_motion_in_steps_of_a_tenth_of_a_millisecond(pair):
    found, n = settled(pair), round(TURN / 1e-4)
    for name in ("q.film.x", "q.film.z"):
        changes = [np.abs(found[name][k * n : (k + 1) * n] - found[name][(k - 1) * n : k * n]).max() for k in (1, 2, 3)]
        assert changes[1] < 0.05 * changes[0] and changes[2] < 5e-4 * CLEARANCE
    last = {name: values[-n:] for name, values in found.items()}
    assert 2.9e-6 < last["element.film.thickness"].min() < 3.3e-6  # of 6 um
    assert last["joint.cam.normal"].min() > 100.0  # never pulled
    assert (last["element.film.loss"] > 0.0).all()


def test_over_a_turn_the_film_carries_what_the_cam_presses_with(pair):
    """Means over a turn of a periodic motion: momenta come back, so all forces on the roller cancel, and its turns."""
    n = round(TURN / 1e-4)
    last = {name: values[-n:] for name, values in settled(pair).items()}
    lean, N, T = last["joint.cam.pressure_angle"], last["joint.cam.normal"], last["joint.cam.traction"]
    # along the normal away from the cam and along the path of the roller's centre; gravity is off
    up, across = N * np.cos(lean) + T * np.sin(lean), N * np.sin(lean) - T * np.cos(lean)
    assert -last["element.film.force_z"].mean() == pytest.approx(up.mean(), rel=3e-3)
    assert abs(last["element.film.force_y"].mean()) == pytest.approx(abs(across.mean()), abs=2e-3 * up.mean())
    # of the plunger, on which the spring acts too
    lift = last["marker.plunger.r[3]"] - 0.06
    assert (300.0 + 30e3 * lift).mean() == pytest.approx(up.mean(), rel=3e-3)


def test_shorter_steps_change_little(pair):
    coarse, fine = turning(pair, 1.0), turning(pair, 1.0, inner=4e-6)
    for name in ("q.film.x", "q.film.z"):
        assert np.abs(coarse[name] - fine[name]).max() < 2e-3 * CLEARANCE
    inside = np.abs((np.degrees(W * 1e-4 * np.arange(1, 601)))[:, None] - BORDERS).min(axis=1) > 3.0
    assert np.abs(coarse["joint.cam.normal"] - fine["joint.cam.normal"])[inside].max() < 5.0


def test_both_run_times_agree_over_borders(pair):
    """From 130 to 142 deg, over a border at which the normal force falls to a quarter."""
    given = {"from_deg": 130.0, "start": (-1.1e-6, 1.5e-6), "turns": 1.0 / 30.0}
    kernel, numpy = turning(pair, **given), turning(pair, **given, numpy=True)
    for name in SHOWN:
        assert numpy[name] == pytest.approx(kernel[name], rel=1e-11, abs=1e-12 * np.abs(kernel[name]).max())
    assert kernel["joint.cam.normal"].min() < 0.3 * kernel["joint.cam.normal"].max()


@pytest.mark.parametrize("rpm, told", [(1150.0, ()), (1300.0, ("leaves its cam at 'shaft' = 136.488 deg",))])
def test_both_sides_of_a_border_are_looked_at_whatever_the_deflections(pair, rpm, told):
    """Loss of contact is told once, where the flank ends; at 1000 rpm, and a little faster, there is none."""
    turning(pair, 0.5, inner=5e-5, speed=rpm * np.pi / 30.0, told=told)


@pytest.mark.slow
def test_it_moves_as_the_full_model_does_which_has_the_profile_as_it_is(pair):
    """Over the same border; what its place in the tables costs is within a nanometre, 1e-6 mm."""
    start, from_deg, turns = (-1.1e-6, 1.5e-6), 130.0, 1.0 / 30.0
    found = turning(pair, turns, inner=4e-6, start=start, from_deg=from_deg)
    mechanism = load(FILE)
    full = full_model(mechanism)
    at = dict(zip(mechanism.stiff_coordinates, ((x, 0.0) for x in start), strict=True))
    state = deflected(full, {"shaft": (np.radians(from_deg), W)}, at)
    times = np.linspace(0.0, turns * TURN, 21)
    drives = {"shaft": lambda t: (np.radians(from_deg) + W * t, W, 0.0)}
    motion = simulate(full, state, times, rtol=1e-9, drives=drives)
    for name, own in (("q.film.x", "film.y"), ("q.film.z", "film.z")):
        error = np.abs(found[name] - motion.devices[f"element.{own}"][1:]).max()
        print(f"{name}: {1e3 * error:.2g} mm off the full model")
        assert error < 2e-9
    lift = np.abs(found["marker.plunger.r[3]"] - motion.markers["plunger"].p[1:, 2]).max()
    print(f"lift: {1e3 * lift:.2g} mm off the full model")
    assert lift < 2e-9
