"""Loads in the axes of the ground, of joints and of bodies."""

import numpy as np
import pytest
from helpers import MECHANISMS
from helpers_loading import led, pendulum, swing, vector

from precompute.errors import PrecomputeError
from precompute.loading.exact import exact_loads
from precompute.loading.motion import read_motion
from precompute.mechanism_file import load
from precompute.solving.prescribed import prescribed
from precompute.solving.solution import solve_motion

BALLS = ("arm_front", "lower_ball")


@pytest.fixture(scope="module")
def corner():
    """The shipped corner and a part of its motion."""
    mechanism = load(MECHANISMS / "macpherson_rigid.toml")
    motion = read_motion(MECHANISMS / "macpherson_rigid_motion.csv", mechanism, "macpherson_rigid.toml")
    return mechanism, motion[::50], {}


def loads_in(corner, axes):
    mechanism, motion, known = corner
    if axes not in known:
        known[axes] = exact_loads(mechanism, motion, axes)
    return known[axes]


def rotation(mechanism, motion, marker):
    """(n, 3, 3) of a body from the roll, pitch and yaw of a marker on it, by natural coordinates."""
    orders = {name: list(values) for name, values in motion.coordinates.motions.items()}
    out = solve_motion(mechanism, prescribed(motion.time, orders)).outputs
    roll, pitch, yaw = (out[f"marker.{marker}.angle[{i}]"] for i in (1, 2, 3))

    def about(axis, angle):
        i, j = (axis + 1) % 3, (axis + 2) % 3
        R = np.zeros((len(angle), 3, 3))
        R[:, axis, axis], R[:, i, i], R[:, j, j] = 1.0, np.cos(angle), np.cos(angle)
        R[:, i, j], R[:, j, i] = -np.sin(angle), np.sin(angle)
        return R

    return about(2, yaw) @ about(1, pitch) @ about(0, roll)


@pytest.mark.parametrize("name", ["joint.lower_ball.F", "joint.strut.M", "joint.top_mount.F", "rod.tie_rod.F"])
def test_axes_of_a_body_turn_with_it(corner, name):
    mechanism, motion, _ = corner
    R = rotation(mechanism, motion, "wheel")
    ground, upright = (vector(loads_in(corner, axes), name) for axes in ("ground", "upright"))
    assert np.abs(R[5] - np.eye(3)).max() > 0.02
    np.testing.assert_allclose(upright, np.einsum("nji,nj->ni", R, ground), rtol=0.0, atol=1e-9 * np.abs(ground).max())


@pytest.mark.parametrize("ball", BALLS)
def test_a_force_has_one_size_in_all_axes(corner, ball):
    sizes = [
        np.linalg.norm(vector(loads_in(corner, axes), f"joint.{ball}.F"), axis=1)
        for axes in (None, "joint", "ground", "lower_arm", "upright")
    ]
    for size in sizes[1:]:
        np.testing.assert_allclose(size, sizes[0], rtol=1e-12)


def test_a_rod_pulls_along_its_line(corner):
    found = loads_in(corner, "ground")
    tension = found.outputs["rod.tie_rod.force"]
    np.testing.assert_allclose(np.linalg.norm(vector(found, "rod.tie_rod.F"), axis=1), np.abs(tension), rtol=1e-12)
    pulled = tension > 0.0  # the rack is inboard of the upright
    assert pulled.any() and (found.outputs["rod.tie_rod.F[2]"][pulled] < 0.0).all()


def test_in_its_own_axes_a_pendulum_feels_gravity_and_spin():
    t, a, ad, add = swing()
    given = {"time": t, "angle": a, "angle__rate": ad, "angle__acceleration": add}
    own, arm = (
        led(pendulum(joint='second = "x"\nload = true\nstiff_axes = "child"'), **given),
        led(pendulum(), "arm", **given),
    )
    along = -2.0 * 0.5 * ad**2 + 2.0 * 9.80665 * np.sin(a)  # axes -y, x and z, fixed to the arm
    np.testing.assert_allclose(own.outputs["joint.pivot.F[2]"], along, atol=1e-12)
    np.testing.assert_allclose(arm.outputs["joint.pivot.F[1]"], along, atol=1e-12)


def test_a_vector_that_is_not_wholly_defined_is_left_out_in_other_axes():
    mechanism = load(MECHANISMS / "four_bar.toml")
    ground = led(mechanism, "ground", time=[0.0], crank=[0.0])
    assert "joint.crank.F[1]" in ground.outputs and "joint.crank.F[3]" not in ground.outputs
    found = led(mechanism, "coupler", time=[0.0], crank=[0.0])
    assert not any(name.startswith("joint.crank.F") for name in found.outputs)
    assert "joint.crank.F" in found.undefined[-1] and "all three components" in found.undefined[-1]


def test_axes_of_nothing():
    with pytest.raises(
        PrecomputeError, match="there is no body 'amr' whose axes loads could be in; did you mean 'arm'"
    ):
        led(pendulum(), "amr", time=[0.0], angle=[0.0])
