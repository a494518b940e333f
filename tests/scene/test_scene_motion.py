"""Poses over sliders: splines, what they are exact at, and how much they are off between."""

import numpy as np
import pytest
from helpers import MECHANISMS

from precompute.kinematics.assembly import close_loops
from precompute.kinematics.poses import poses as exact
from precompute.kinematics.topology import spanning_tree
from precompute.mechanism_file import load, loads
from precompute.rig.stand import stand
from precompute.scene import case_motions, free_motion, scene
from precompute.scene.motion import continuous, evaluated, spline, transform
from precompute.sheets.result import kc


def places(mechanism):
    seen = scene(mechanism)
    return [(seen.bodies.index(item.on[0]), item.points) for item in seen.of("marker")]


def test_cubic_polynomials_are_exact():
    x, y = np.arange(6.0), np.arange(7.0)
    values = (x[:, None] ** 3 - 2.0 * x[:, None]) * (1.0 + y**3) + y**2
    c = spline(values[..., None], 2)
    assert c.shape == (8, 9, 1)
    for a, b in ((0.0, 0.0), (2.5, 3.25), (5.0, 6.0), (0.1, 5.9)):
        assert evaluated(c, np.array([a, b]))[0] == pytest.approx((a**3 - 2 * a) * (1 + b**3) + b**2, abs=1e-9)


def test_the_order_is_four():
    def error(n):
        t = np.linspace(0.0, 3.0, n)
        c = spline(np.sin(t)[:, None], 1)
        between = np.linspace(0.0, n - 1, 501)
        found = np.array([evaluated(c, np.array([place]))[0] for place in between])
        return np.abs(found - np.sin(3.0 * between / (n - 1))).max()

    assert np.log2(error(17) / error(33)) > 3.5


def test_quaternions_do_not_jump():
    angle = np.linspace(0.0, 4.0 * np.pi, 33)
    poses = np.zeros((33, 5, 1, 7))
    poses[:, :, 0, 0], poses[:, :, 0, 3] = np.cos(angle / 2)[:, None], np.sin(angle / 2)[:, None]
    flipped = poses * np.where(np.random.default_rng(1).random((33, 5)) < 0.5, -1.0, 1.0)[..., None, None]
    flipped[0, 0] = poses[0, 0]
    np.testing.assert_array_equal(continuous(flipped, 2)[..., :4], poses[..., :4])


@pytest.mark.parametrize("name", ["four_bar", "double_wishbone_rigid"])
def test_free_coordinates_are_exact_where_they_are_stored(name):
    mechanism = load(MECHANISMS / f"{name}.toml")
    motion = free_motion(mechanism, places(mechanism))
    topology = spanning_tree(mechanism)
    design = close_loops(mechanism, topology)
    at = [(a.design - a.first) / (a.last - a.first) * (a.nodes - 1) for a in motion.axes]
    poses = evaluated(motion.coefficients, np.array(at))
    X = exact(mechanism, topology, design.q).X
    for pose, own in zip(poses, X, strict=True):
        np.testing.assert_allclose(transform(pose).p, own.p, atol=1e-5)
        np.testing.assert_allclose(transform(pose).R, own.R, atol=1e-5)
    assert 0.0 < motion.error < 1e-4


def test_cases_are_where_the_rig_has_them():
    mechanism = load(MECHANISMS / "macpherson.toml")
    on = stand(mechanism)
    motions = {motion.name: motion for motion in case_motions(on, places(mechanism))}
    assert list(motions) == ["bump", "roll", "steering"]
    measured = kc(mechanism, cases=["bump", "steering"])
    (wheel,) = mechanism.wheels
    number = on.rig.bench.closure.topology.bodies.index(wheel.body)
    lifted = {}
    for name in ("bump", "steering"):
        motion = motions[name]
        poses = [evaluated(motion.coefficients, np.array([k]))[number] for k in range(motion.axes[0].nodes)]
        lifted[name] = np.array([transform(pose).point(wheel.centre)[2] for pose in poses]) - wheel.centre[2]
    np.testing.assert_allclose(1e3 * lifted["bump"], measured["bump"].input, atol=1e-6)
    assert np.abs(lifted["steering"]).max() < 0.02


def test_more_coordinates_than_axes_have_no_common_grid():
    text = 'schema = 1\nname = "Arms"\nunits = { length = "m" }\n'
    for k in range(4):
        text += f"bodies.b{k} = {{ mass = 1, com = [{k}, 1, 0], inertia = [1, 1, 1] }}\n"
        text += (
            f'joints.j{k} = {{ type = "revolute", parent = "ground", child = "b{k}", at = [{k}, 0, 0], axis = "x" }}\n'
        )
        text += f'coordinates.free.c{k} = {{ of = "joint.j{k}", from = -1, to = 1 }}\n'
    assert free_motion(loads(text), []) is None
