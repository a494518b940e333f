"""Bennett's linkage: overconstrained in space, so that rank is a matter of closure (a = 1, 30 deg; b = 2, 90 deg)."""

from dataclasses import replace

import numpy as np
import pytest
from helpers import MECHANISMS
from helpers_baked import baked

from precompute.mechanism_file import load
from precompute.reference import assemble, full_model, initial_velocity, simulate
from precompute.reference.assembly import closed, rank_of
from precompute.reference.model import moved, violation
from precompute.report.inspection import inspect

BENNETT = MECHANISMS.parent.parent / "tests" / "mechanisms" / "bennett.toml"


def test_its_links_are_those_of_bennett():
    m = load(BENNETT)
    axes = {joint.name: (joint.p_P, joint.primitives[0].axis) for joint in m.joints}
    around = ["crank", "A", "B", "rocker", "crank"]
    for one, other, length, twist in zip(around, around[1:], (1.0, 2.0) * 2, (30.0, 90.0) * 2, strict=False):
        (p, u), (q, v) = axes[one], axes[other]
        assert np.linalg.norm(q - p) == pytest.approx(length, abs=1e-12)
        assert abs(u @ v) == pytest.approx(np.cos(np.radians(twist)), abs=1e-12)
        assert max(abs((q - p) @ u), abs((q - p) @ v)) < 1e-12  # along the common normal


def test_it_is_checked_and_baked():
    m = load(BENNETT)
    report = inspect(m)
    assert report.dof == 1 and not report.problems
    assert baked(m).certificate.tolerance == m.tables.tolerance


def test_ten_seconds_of_the_full_model():
    """Through full turns and without loss: energy stays, and so does tan(crank/2) tan(A/2) = sin 60/sin 30."""
    m = replace(load(BENNETT), springs=(), dampers=(), gravity=np.zeros(3))
    model = full_model(m)
    state = initial_velocity(model, assemble(model, {"crank": 0.5}), {"crank": 3.0})
    with np.errstate(over="raise", invalid="raise"):
        motion = simulate(model, state, np.linspace(0.0, 10.0, 21), rtol=1e-9)
    assert np.ptp(motion.coordinates["crank"].value) > 4.0 * np.pi
    assert np.abs(motion.energy / motion.energy[0] - 1.0).max() < 1e-6 and motion.residual.max() < 1e-10
    p = {joint.name: joint.p_P for joint in m.joints}
    turned = np.array([state.R[model.bodies.index("crank")] for state in motion.states])
    A = p["crank"] + (p["A"] - p["crank"]) @ np.swapaxes(turned, 1, 2)
    crank = np.arctan2(A[:, 1], A[:, 0])
    B = motion.markers["B"].p
    across = np.cross(turned @ m.joints[1].primitives[0].axis, A)
    angle = np.arctan2(np.einsum("ti,ti->t", B - A, across), np.einsum("ti,ti->t", B - A, A))
    np.testing.assert_allclose(np.tan(crank / 2) * np.tan(angle / 2), np.sqrt(3.0), rtol=1e-7)


def test_the_rank_is_that_of_closed_positions():
    """A millionth of a turn off them the Jacobian has full rank; so a bare rank would hold the linkage fast."""
    model = full_model(load(BENNETT))
    push = 1e-6 * np.random.default_rng(3).standard_normal(model.unit.size)
    open_ = moved(model, model.design, push)
    assert rank_of(model, model.design) == 17 and rank_of(model, open_) == 18
    there = closed(model, open_, None, rank_of(model, model.design))
    assert violation(model, there) < 1e-12 and np.abs(there.r - open_.r).max() < 1e-4  # and no long way to close it
