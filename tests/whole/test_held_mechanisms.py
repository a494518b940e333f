"""Shipped mechanisms with couplings and constraints against closed forms, by exact kinematics."""

import numpy as np
import pytest
from helpers import MECHANISMS

from precompute.coordinates.independent import choose_coordinates
from precompute.kinematics.assembly import close_loops
from precompute.kinematics.coefficients import factorize, velocity_coefficients
from precompute.kinematics.continuation import follow
from precompute.kinematics.topology import spanning_tree
from precompute.mechanism_file import load
from precompute.model.mechanism import JointCoordinate
from precompute.reference import Loads, accelerations, assemble, full_model, initial_velocity

EXACT = 1e-12


class Exact:
    """A shipped mechanism at values of its coordinates."""

    def __init__(self, stem, z):
        self.mechanism = load(MECHANISMS / f"{stem}.toml")
        self.topology = spanning_tree(self.mechanism)
        self.design = close_loops(self.mechanism, self.topology)
        self.coordinates = choose_coordinates(self.mechanism, self.topology, self.design)
        closure, self.z = self.coordinates.closure, np.asarray(z, dtype=float).reshape(len(z), -1)
        n = len(self.z)
        start = np.repeat(self.design.q[None], n, 0), np.repeat(self.coordinates.design[None], n, 0)
        done = follow(closure, *start, self.z)
        assert done.reached.all()
        self.q, self.P = done.q, closure.poses(done.q)
        self.B = velocity_coefficients(closure, factorize(closure, closure.matrix(self.P)))

    def value(self, joint):
        return JointCoordinate(joint, 0).value(self.P)

    def rate(self, joint):
        return self.B[:, self.topology.scalars[joint, 0][1]]


def test_the_planetary_train_turns_as_willis_says():
    z = np.random.default_rng(0).uniform(-3.0, 3.0, (40, 2))
    found = Exact("planetary_train", z)
    assert np.abs(20 * z[:, 0] + 52 * z[:, 1] - 72 * found.value("carrier")).max() < 72 * EXACT
    assert np.abs(found.rate("carrier") - [20 / 72, 52 / 72]).max() < EXACT


def test_the_rope_over_two_pulleys_keeps_its_length():
    found = Exact("rope_pulleys", np.linspace(-0.2, 0.2, 41)[:, None])
    m = found.mechanism
    distances = [of.value(found.P) for coupling in m.couplings for of in coupling.of.made_of if of.segment]
    length = np.sum(distances, axis=0)
    assert len(distances) == 3 and np.ptp(length) < EXACT
    assert np.abs(found.value("weight") + 2.0 * found.z[:, 0]).max() < EXACT  # twice as far, the other way


def test_the_tension_of_the_rope_is_that_of_newton():
    """At rest but for the acceleration that weights, pulley and bearing leave."""
    m = load(MECHANISMS / "rope_pulleys.toml")
    model = full_model(m)
    state = initial_velocity(model, assemble(model, {"load": 0.05}), {})
    found = accelerations(model, state)
    a, g, radius = found.coordinates["load"], 9.80665, 0.2
    expected_left, expected_right = 10.0 * (a + g) / 2.0, 6.0 * (g - 2.0 * a)
    assert found.loads["coupling.rope_left.force"] == pytest.approx(expected_left, abs=1e-9)
    assert found.loads["coupling.rope_right.force"] == pytest.approx(expected_right, abs=1e-9)
    inertia = m.bodies[2].inertia[1, 1]
    assert expected_right - expected_left == pytest.approx(
        inertia * (2.0 * a / radius) / radius, abs=1e-9
    )  # the pulley


def test_the_geneva_wheel_follows_its_closed_form():
    crank = np.radians(np.linspace(-45.0, 45.0, 31))
    found = Exact("geneva", crank[:, None])
    share = np.sqrt(0.5)
    expected = -np.arctan2(share * np.sin(crank), 1.0 - share * np.cos(crank))
    assert np.abs(found.value("wheel") - expected).max() < 1e-11
    rate = (0.5 - share * np.cos(crank)) / (1.5 - 2.0 * share * np.cos(crank))
    assert np.abs(found.rate("wheel")[:, 0] - rate).max() < 1e-10
    assert np.abs(found.rate("wheel")[[0, -1]]).max() < 1e-10  # at rest where the pin enters and leaves
    assert np.abs(found.value("wheel")[[0, -1]] - np.radians([45.0, -45.0])).max() < 1e-10


def test_the_scotch_yoke_moves_by_a_sine():
    crank = np.linspace(-np.pi, np.pi, 41)
    found = Exact("scotch_yoke", crank[:, None])
    assert np.abs(found.value("yoke") - 0.05 * np.sin(crank)).max() < EXACT
    assert np.abs(found.rate("yoke")[:, 0] - 0.05 * np.cos(crank)).max() < EXACT


def test_the_moment_at_the_pinion_is_the_ratio_times_the_force_at_the_rack():
    """And what its own inertia and damper take; the ratio is the slope of the table where the pinion stands."""
    z = np.array([[-6.0, -0.04], [-1.5, 0.03], [0.4, 0.0], [3.0, 0.05], [7.5, -0.02]])
    found = Exact("macpherson_rack_pinion", z)
    m, rng = found.mechanism, np.random.default_rng(1)
    ratio, curve = found.rate("rack")[:, 0], m.couplings[0].of.parts[-1].curve
    assert np.ptp(ratio) > 1e-4 and np.abs(ratio - curve.at(z[:, 0], 1)).max() < EXACT
    model, inertia = full_model(m), m.bodies[[b.name for b in m.bodies].index("pinion")].inertia[2, 2]
    for at, slope in zip(z, ratio, strict=True):
        rates, second = rng.uniform(-2.0, 2.0, (2, 2)) * [1.0, 0.1]
        motion = list(zip(("pinion", "strut"), at, rates, second, strict=True))
        drives = {name: lambda t, own=own: own for name, *own in motion}
        road = Loads(ports={"contact": (np.array([500.0, -800.0, 4500.0]), np.zeros(3))})
        state = assemble(model, {name: value for name, value, *_ in motion})
        state = initial_velocity(model, state, {name: rate for name, _, rate, _ in motion})
        done = accelerations(model, state, loads=lambda t, road=road: road, drives=drives)
        force = done.loads["coupling.rack.force"]  # of the teeth on the rack
        own = inertia * second[0] + m.dampers[1].damping * rates[0]
        assert abs(force) > 10.0
        assert done.drives["pinion"] - own == pytest.approx(slope * force, rel=1e-9, abs=1e-9)
