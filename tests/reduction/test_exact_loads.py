"""Loads from exact kinematics: published numbers, the multipliers of the full model, balances of bodies."""

import json
from dataclasses import replace

import numpy as np
import pytest
from helpers import GOLDEN, MECHANISMS, random_mechanism
from helpers_loads import BEARINGS, CRANK_AXIS, CRANK_SPEED, Exact, Full, random_ports, watched

from precompute.errors import PrecomputeError
from precompute.kinematics.coefficients import factorize, velocity_coefficients
from precompute.kinematics.inertia import effective_inertias
from precompute.kinematics.poses import velocities
from precompute.kinematics.topology import spanning_tree
from precompute.mechanism_file import load
from precompute.model.mechanism import Marker
from precompute.reference import ChassisState

ROUNDING = 2e-10
"""Of loads, relative to the largest: the full model solves for multipliers by singular values."""


@pytest.fixture(scope="module")
def rssr():
    """Published crank angles, and vectors of the loads there with the crank driven and no other force."""
    golden = json.loads((GOLDEN / "rssr.json").read_text())
    mechanism = load(MECHANISMS / "rssr.toml")
    exact = Exact(watched(replace(mechanism, springs=()), "ground"))
    psi = np.radians(np.array(golden["psi_deg"], dtype=float))[:, None]
    found = exact.at(psi, np.full_like(psi, CRANK_SPEED), np.zeros_like(psi))

    def vector(name):
        return np.stack([found[f"joint.{name}[{i}]"] for i in (1, 2, 3)], axis=-1)

    return golden, vector


def test_forces_in_the_balls_of_the_rssr(rssr):
    golden, vector = rssr
    np.testing.assert_allclose(vector("A.F"), golden["fA_RSSR"], rtol=0.0, atol=1e-12)
    np.testing.assert_allclose(vector("B.F"), -np.array(golden["fB_RSSR"]), rtol=0.0, atol=1e-12)  # coupler on rocker


@pytest.mark.parametrize("degrees", BEARINGS)
def test_bearings_of_the_rssr(rssr, degrees):
    golden, vector = rssr
    at = golden["psi_deg"].index(degrees)
    for name, expected in BEARINGS[degrees].items():
        np.testing.assert_allclose(vector(name)[at], expected, rtol=0.0, atol=1e-8)


def test_the_bearing_of_the_crank_has_the_torque_of_its_drive(rssr):
    golden, vector = rssr
    np.testing.assert_allclose(vector("crank.M") @ CRANK_AXIS, golden["tau_RSSR"], rtol=0.0, atol=1e-12)


def compared(exact, rng, spread=0.4, speed=2.0, chassis=None, deflection=0.0):
    """Largest difference from the full model at a random state, over the largest load."""
    c, m = exact.coordinates, exact.mechanism
    lower, upper = (np.array([getattr(x, end) for x in c.free]) for end in ("lower", "upper"))
    z = c.design + spread * (rng.uniform(lower, upper) - c.design)
    z = np.concatenate([z, deflection * rng.normal(size=len(c.stiff))])
    rates = speed * rng.normal(size=z.size) * np.concatenate([upper - lower, np.full(len(c.stiff), 0.01)])
    found, (given, ground) = Full(exact).at(z, rates, random_ports(m, rng), chassis)
    loads = exact.at(*given, **ground)
    if chassis is None:
        topology = c.closure.topology
        idle = {topology.bodies[b] for spin in topology.spins for b in spin.group}  # these spin as they like there
        for marker in (marker for marker in m.markers if marker.body not in idle):
            for i in range(3):
                a, wd = f"marker.{marker.name}.a[{i + 1}]", f"marker.{marker.name}.wd[{i + 1}]"
                assert loads[a][0] == pytest.approx(found.markers[marker.name][i], rel=1e-8, abs=1e-7)
                assert loads[wd][0] == pytest.approx(found.rotations[marker.name][i], rel=1e-8, abs=1e-7)
    named = [name for name in loads if name in found.loads]
    assert len(named) == len(exact.dependence.loads) > 0
    largest = max(abs(value) for value in found.loads.values())
    return max(abs(loads[name][0] - found.loads[name]) for name in named) / largest


def moving_chassis(rng):
    """A chassis that tumbles."""
    e = rng.normal(size=4)
    return ChassisState(rng.normal(size=3), e / np.linalg.norm(e), rng.normal(size=6), 3.0 * rng.normal(size=6))


def without_spin(mechanism):
    """Links between two balls without inertia about their lines: the full model lets a chassis set them spinning."""
    inertias = effective_inertias(mechanism, spanning_tree(mechanism))
    return replace(
        mechanism, bodies=tuple(replace(b, inertia=own) for b, own in zip(mechanism.bodies, inertias, strict=True))
    )


@pytest.mark.parametrize("axes", ["joint", "ground"])
@pytest.mark.parametrize("name", ["rssr", "double_wishbone_rigid", "four_bar", "spatial_slider_crank"])
def test_the_full_model_has_the_same_loads(name, axes):
    exact, rng = Exact(watched(load(MECHANISMS / f"{name}.toml"), axes)), np.random.default_rng(1)
    for _ in range(2):
        assert compared(exact, rng) < ROUNDING


@pytest.mark.parametrize("axes", ["joint", "ground"])
@pytest.mark.parametrize("name", ["macpherson", "five_link"])
def test_with_deflections_too(name, axes):
    exact, rng = Exact(watched(load(MECHANISMS / f"{name}.toml"), axes)), np.random.default_rng(2)
    assert not exact.dependence.undefined
    assert compared(exact, rng, deflection=1e-3) < ROUNDING


@pytest.mark.parametrize("axes", ["joint", "ground"])
@pytest.mark.parametrize("name", ["rssr", "double_wishbone_rigid", "macpherson"])
def test_on_a_moving_chassis(name, axes):
    mechanism = without_spin(replace(load(MECHANISMS / f"{name}.toml"), chassis="moving"))
    exact, rng = Exact(watched(mechanism, axes)), np.random.default_rng(3)
    assert compared(exact, rng, chassis=moving_chassis(rng), deflection=1e-3) < ROUNDING


@pytest.mark.parametrize("seed", [0, 3, *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(4, 12))])
def test_random_mechanisms(seed):
    """Joints of every kind, in any direction, cut or not; axes fixed to the parent, the child and the ground."""
    rng = np.random.default_rng(seed)
    mechanism = replace(random_mechanism(seed), gravity=np.array([0.3, -9.0, 2.0]), coordinates=None)
    fixed_to = {joint.name: str(rng.choice(["parent", "child"])) for joint in mechanism.joints}
    axes = str(rng.choice(["joint", "ground"]))
    try:
        exact = Exact(watched(replace(mechanism, chassis="moving"), axes, fixed_to))
    except PrecomputeError:
        pytest.skip("it cannot be moved")
    assert compared(exact, rng, spread=0.1, speed=0.3, chassis=moving_chassis(rng)) < 1e-8


def test_a_planar_loop_leaves_the_shares_across_its_plane_undefined():
    """Of a hinge: the force along its axis and the moments across it; what lies in the plane is defined."""
    mechanism = load(MECHANISMS / "four_bar.toml")
    found = Exact(watched(mechanism, "ground")).dependence
    normal = int(np.argmax(np.abs(mechanism.joints[0].axes[0])))
    across = {f"F[{normal + 1}]", *(f"M[{i + 1}]" for i in range(3) if i != normal)}
    for joint in mechanism.joints:
        own = {load.opening.name.split(".")[2] for load in found.undefined if load.opening.part == joint.name}
        assert own == (across if joint.kind == "revolute" else own)
    assert {load.closed_by for load in found.undefined} == {("crank_pin",)}


# -- balances ----------------------------------------------------------------------------------------------------------


class Balance:
    """Forces on a body or on the ground, and their moments about a point."""

    def __init__(self, about):
        self.about, self.force, self.moment = about, np.zeros(3), np.zeros(3)

    def add(self, force, at, moment=(0.0, 0.0, 0.0)):
        self.force = self.force + force
        self.moment = self.moment + moment + np.cross(at - self.about, force)


class Corner:
    """A suspension in motion, deflected if it can be, with its loads in ground axes and those of the full model."""

    def __init__(self, name, hub):
        mechanism = load(MECHANISMS / f"{name}.toml")
        self.hub = next(body for body in mechanism.bodies if body.name == hub)
        mechanism = watched(
            replace(mechanism, markers=(*mechanism.markers, Marker("middle", hub, self.hub.com))), "ground"
        )
        self.mechanism, self.exact, rng = mechanism, Exact(mechanism), np.random.default_rng(4)
        c = self.exact.coordinates
        span = np.array([x.upper - x.lower for x in c.free])
        z = np.concatenate([c.design + 0.1 * span, 1e-3 * rng.normal(size=len(c.stiff))])
        rates = np.concatenate([3.0 * span, 0.05 * rng.normal(size=len(c.stiff))])
        self.ports = random_ports(mechanism, rng)
        self.full, (given, _) = Full(self.exact).at(z, rates, self.ports)
        self.rates, self.forces = given[1][0], given[3][0]
        self.loads = {name: float(value[0]) for name, value in self.exact.at(*given).items()}
        self.P = c.full.poses(self.exact.configurations(z[None]))

    def vector(self, name):
        return np.array([self.loads[f"{name}[{i}]"] for i in (1, 2, 3)])

    def place(self, body, p):
        return self.P.pose(body).point(p)[0]

    def carried(self, about, body):
        """What joints, with the bushings and springs on them, rods, springs and ports exert on a body."""
        m, found = self.mechanism, Balance(about)
        for joint in (joint for joint in m.joints if body in (joint.parent, joint.child)):
            sign = 1.0 if joint.child == body else -1.0
            turns = bool({"rx", "ry", "rz"} & {*joint.loads})
            moment = sign * self.vector(f"joint.{joint.name}.M") if turns else np.zeros(3)
            found.add(sign * self.vector(f"joint.{joint.name}.F"), self.place(joint.parent, joint.p_P), moment)
        lines = [(rod.parent, rod.p_P, rod.child, rod.p_C, -self.loads[f"rod.{rod.name}.force"]) for rod in m.rods]
        elements = zip(m.acting, self.forces, strict=True)
        lines += [(on.body_a, on.p_a, on.body_b, on.p_b, f) for on, f in elements if hasattr(on, "body_b")]
        for one, p, other, q, force in lines:
            a, b = self.place(one, p), self.place(other, q)
            push = force * (b - a) / np.linalg.norm(b - a)
            if body in (one, other):
                found.add(push if body == other else -push, b if body == other else a)
        for port in (port for port in m.ports if m.marker(port.marker).body == body):
            force, moment = self.ports[port.name]
            found.add(force, self.place(body, m.marker(port.marker).p), moment)
        return found

    def turning(self):
        """Angular velocity (3,) of the hub."""
        c = self.exact.coordinates.full
        B = velocity_coefficients(c, factorize(c, c.matrix(self.P)))
        W = velocities(c.topology.reach, self.P.S, B)[0, c.topology.bodies.index(self.hub.name)]
        return W[:3] @ self.rates


@pytest.fixture(
    scope="module", params=[("macpherson", "upright"), ("five_link", "upright"), ("double_wishbone_rigid", "hub")]
)
def suspension(request):
    return Corner(*request.param)


def test_momentum_of_the_hub(suspension):
    """Joints, rods, springs, ports and weight: their sum is what its mass and inertia take."""
    body = suspension.hub
    middle = suspension.place(body.name, body.com)
    found = suspension.carried(middle, body.name)
    found.add(body.mass * suspension.mechanism.gravity, middle)
    R, w = suspension.P.pose(body.name).R[0], suspension.turning()
    inertia = R @ body.inertia @ R.T
    taken = inertia @ suspension.vector("marker.middle.wd") + np.cross(w, inertia @ w)
    largest = max(abs(value) for value in suspension.loads.values())
    assert np.abs(found.force - body.mass * suspension.vector("marker.middle.a")).max() < 1e-9 * largest
    assert np.abs(found.moment - taken).max() < 1e-9 * largest


def test_the_whole_corner_stands_on_the_ground(suspension):
    """What its joints exert on the ground, bushings with them, against the wrench that the full model has there."""
    if suspension.exact.dependence.undefined:
        return pytest.skip("the shares of its steering linkage are not defined")
    found = suspension.carried(np.zeros(3), "ground")
    largest = np.abs(suspension.full.on_chassis).max()
    assert np.abs(found.force - suspension.full.on_chassis[3:]).max() < 1e-9 * largest
    assert np.abs(found.moment - suspension.full.on_chassis[:3]).max() < 1e-9 * largest
