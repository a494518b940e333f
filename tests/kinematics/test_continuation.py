from dataclasses import replace

import numpy as np
import pytest
from helpers import MECHANISMS, joint, random_body, rod_four_bar

from precompute.kinematics.assembly import close_loops
from precompute.kinematics.coefficients import Closure, condition_numbers, solver
from precompute.kinematics.continuation import MAX_CONDITION, carried, follow, regular
from precompute.kinematics.topology import spanning_tree
from precompute.mechanism_file import load
from precompute.model.mechanism import JointCoordinate, Rod


def start(mechanism, *coordinates):
    t = spanning_tree(mechanism)
    q = close_loops(mechanism, t).q
    c = Closure(mechanism, t, tuple(JointCoordinate(name) for name in coordinates))
    return c, q[None], c.values(c.poses(q))[None]


def test_a_long_step_stays_on_the_branch():
    """One call from 0 to 170 deg gives the same configuration as 34 small steps."""
    c, q, z = start(load(MECHANISMS / "crank_slider.toml"), "crank")
    once = follow(c, q, z, np.array([[np.deg2rad(170.0)]]))
    q_small, z_small = q, z
    for target in np.deg2rad(np.arange(5.0, 171.0, 5.0)):
        step = follow(c, q_small, z_small, np.array([[target]]))
        q_small, z_small = step.q, step.z
    assert once.reached.all()
    np.testing.assert_allclose(once.q, q_small, atol=1e-12)


def test_samples_of_a_batch_do_not_disturb_each_other():
    mechanism = load(MECHANISMS / "crank_slider.toml")
    by_crank, q, z = start(mechanism, "crank")
    q = follow(by_crank, q, z, np.array([[1.0]])).q  # off the dead centre
    c = start(mechanism, "slide")[0]
    z = c.values(c.poses(q))
    targets = np.array([[0.9], [1.5], [9.9]])
    batch = follow(c, np.repeat(q, 3, 0), np.repeat(z, 3, 0), targets)
    np.testing.assert_array_equal(batch.reached, [True, True, False])
    for i in (0, 1):
        np.testing.assert_allclose(batch.q[i], follow(c, q, z, targets[i : i + 1]).q[0], atol=1e-12)
    assert 1.9 < batch.z[2, 0] <= 2.0  # stopped just before the dead centre


def test_a_change_point_is_not_passed_unnoticed():
    """A parallelogram is singular when flat; stepping from 60 to 120 deg of its crank jumps over it."""
    c, q, z = start(rod_four_bar(2.0), "a")
    over = follow(c, q, z, np.array([[-2.0]]))  # cranks start upright; flat at -pi/2
    assert not over.reached.any()
    assert over.z[0, 0] == pytest.approx(-np.pi / 2, abs=0.05)


def test_two_change_points_at_once_are_not_passed_either():
    """Two parallelograms on one crank go flat together: two singular values pass zero, a determinant keeps its sign."""
    m = rod_four_bar(2.0)
    rng = np.random.default_rng(1)
    z = np.array([0.0, 0.0, 1.0])
    double = replace(
        m,
        bodies=(*m.bodies, random_body(rng, "third")),
        joints=(*m.joints, joint("revolute", "c", "ground", "third", np.array([-2.0, 0, 0]), z)),
        rods=(*m.rods, Rod("other", "left", "third", np.array([0.0, 1, 0]), np.array([-2.0, 1, 0]), 2.0)),
    )
    c, q, here = start(double, "a")
    over = follow(c, q, here, np.array([[-2.0]]))
    assert not over.reached.any()
    assert over.z[0, 0] == pytest.approx(-np.pi / 2, abs=0.05)


def test_the_guard_is_that_of_singular_values():
    """Bounds save work where they decide; the verdict is that of the eigenvalues of K and of the condition number."""
    c, q, z = start(load(MECHANISMS / "crank_slider.toml"), "crank")
    angles = np.deg2rad([[20.0], [80.0], [120.0], [170.0], [179.9999999]])
    q = follow(c, np.repeat(q, 5, 0), np.repeat(z, 5, 0), angles).q
    by_slide = start(load(MECHANISMS / "crank_slider.toml"), "slide")[0]  # its dead centre is at 180 deg
    A = by_slide.matrix(by_slide.poses(q))
    verdicts = []
    for i in range(4):
        for sign in (1.0, -1.0):
            inverse = np.repeat(sign * solver(by_slide, A[i : i + 1]).inverse, 5, 0)
            K = carried(inverse, A, by_slide.rate_weight)
            expected = (np.linalg.eigvals(K).real.min(axis=-1) > 0.0) & (condition_numbers(by_slide, A) < MAX_CONDITION)
            np.testing.assert_array_equal(regular(by_slide, inverse, A), expected)
            alone = [regular(by_slide, inverse[k : k + 1], A[k : k + 1])[0] for k in range(5)]
            np.testing.assert_array_equal(alone, expected)  # where the bound decides for one, it does for all
            verdicts += expected.tolist()
    assert any(verdicts) and not all(verdicts) and condition_numbers(by_slide, A)[-1] > MAX_CONDITION
