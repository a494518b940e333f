"""Loads from exact kinematics: published numbers, the multipliers of the full model, balances of bodies."""

import json
from dataclasses import replace

import numpy as np
import pytest
from helpers import GOLDEN, MECHANISMS, random_mechanism
from helpers_loads import Exact, Full, random_ports, watched

from precompute.errors import PrecomputeError
from precompute.kinematics.inertia import effective_inertias
from precompute.kinematics.topology import spanning_tree
from precompute.mechanism_file import load
from precompute.reference import ChassisState

ROUNDING = 2e-10
"""Of loads, relative to the largest: the full model solves for multipliers by singular values."""

CRANK_SPEED = 10.471975511965978
CRANK_AXIS = np.array([0.0, -0.5, 0.8660254037844386])

BEARINGS = {
    0: {
        "crank.F": (-0.36807381, -0.38353435, -0.05932191),
        "crank.M": (0.0, 0.0029661, -0.01917672),
        "rocker.F": (0.00504496, -0.07903708, 0.05932191),
        "rocker.M": (5.02516e-3, 3.15256e-3, 0.0),
    },
    90: {
        "crank.F": (-0.19293678, -0.42226038, -0.13695905),
        "crank.M": (0.00462601, -0.00482342, 0.00835441),
        "rocker.F": (0.02765108, -0.15369729, -0.04946681),
        "rocker.M": (-4.46827e-3, -2.12230e-3, 0.0),
    },
}
"""Ground on link in ground axes, at angles of the crank [deg], the drive's torque included."""


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
    joints = tuple(replace(joint, stiff_axes=str(rng.choice(["parent", "child"]))) for joint in mechanism.joints)
    try:
        exact = Exact(
            watched(replace(mechanism, joints=joints, chassis="moving"), str(rng.choice(["joint", "ground"])))
        )
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
