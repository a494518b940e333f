"""Loads by openings against the DeNOC form: twists from N_L N_D, multipliers of cut joints, then the way back."""

import json
from dataclasses import replace

import numpy as np
import pytest
from helpers import GOLDEN, MECHANISMS, random_body, random_joint
from helpers_denoc import Denoc
from helpers_loads import CRANK_SPEED, Exact, Full, random_ports, watched

from precompute.mechanism_file import load
from precompute.model.mechanism import JointCoordinate, Mechanism, Rod

ROUNDING = 1e-9
"""Relative to the largest; loops are closed to 1e-12 of their size."""

LONG = ["revolute", "revolute", "revolute", "revolute", "prismatic", "spherical"]
SHORT = ["revolute", "revolute", "prismatic", "spherical"]


def twists_agree(denoc):
    """t = N thetadot, and t from base to body, against velocities from the closed loops."""
    theta, _ = denoc.speeds()
    t = (denoc.N @ theta).reshape(-1, 6)
    for link, own in zip(denoc.links, t, strict=True):
        w, v = denoc.table_twists[link.body, :3], denoc.table_twists[link.body, 3:]
        expected = np.concatenate([w, v + np.cross(w, link.O)])
        scale = 1.0 + np.abs(denoc.table_twists).max()
        assert np.abs(own - expected).max() < 1e-12 * scale
        assert np.abs(denoc.twists()[0][link.body] - expected).max() < 1e-12 * scale


def loads_agree(exact, denoc, loads, external, torques=None, drives=()):
    """Every load that is defined."""
    found, driven, missing = denoc.reactions(external, torques, drives)
    largest = max(np.abs(wrench).max() for wrench in found.values())
    assert missing < ROUNDING * largest
    assert len(exact.dependence.loads) > 0
    for own in exact.dependence.loads:
        opening = own.opening
        wrench = found[opening.part if opening.carrier != "row" else opening.row(exact.mechanism).label]
        expected = -wrench if opening.carrier == "row" else np.concatenate([wrench[3:], wrench[:3]])[opening.index]
        assert loads[opening.name][0] == pytest.approx(expected, abs=ROUNDING * largest), opening.name
    return found, driven


def test_the_rssr_with_the_force_in_its_cut_ball():
    """At all published crank angles: multipliers at A, reactions on the way back, the torque of the drive."""
    golden = json.loads((GOLDEN / "rssr.json").read_text())
    mechanism = replace(load(MECHANISMS / "rssr.toml"), springs=())
    exact = Exact(watched(mechanism, "ground"))
    for k, psi in enumerate(golden["psi_deg"]):
        z, zd, zdd = np.array([np.radians(psi)]), np.array([CRANK_SPEED]), np.zeros(1)
        denoc = Denoc(exact, z, zd, zdd)
        assert [denoc.mechanism.joints[c].name for c in denoc.topology.chords] == ["A"]
        twists_agree(denoc)
        loads = exact.at(z[None], zd[None], zdd[None])
        found, torque = loads_agree(exact, denoc, loads, np.zeros(18), drives=("crank",))
        np.testing.assert_allclose(found["A"][3:], golden["fA_RSSR"][k], rtol=0.0, atol=1e-12)
        np.testing.assert_allclose(found["B"][3:], -np.array(golden["fB_RSSR"][k]), rtol=0.0, atol=1e-12)
        assert torque["crank"] == pytest.approx(golden["tau_RSSR"][k], abs=1e-12)


def forces_of(denoc, mechanism, forces, ports):
    """w^e of springs and dampers between points and of ports; torques of those on joints of the tree."""
    external, torques = np.zeros(6 * len(denoc.links)), np.zeros(denoc.size)
    for on, force in zip(mechanism.acting, forces, strict=True):
        if isinstance(on, JointCoordinate):
            torques[denoc.rate_of(on.joint)] += force
        else:
            external += force * denoc.pull(on.body_a, on.p_a, on.body_b, on.p_b)
    for port in mechanism.ports:
        marker, (force, moment) = mechanism.marker(port.marker), ports[port.name]
        at = denoc.point(marker.body, marker.p)
        external += denoc.between("ground", marker.body, at, np.concatenate([moment, force]))
    return external, torques


def test_a_suspension_with_four_cut_joints():
    """Planar steering linkage, idle spins, springs on points and joints, forces at the wheel."""
    mechanism = watched(load(MECHANISMS / "double_wishbone_rigid.toml"), "ground")
    exact, rng = Exact(mechanism), np.random.default_rng(7)
    full = Full(exact)
    for _ in range(2):
        z, zd = exact.coordinates.design + rng.uniform(-0.03, 0.03, 2), rng.normal(size=2) * [1.0, 0.5]
        ports = random_ports(mechanism, rng)
        _, (given, _) = full.at(z, zd, ports)
        denoc = Denoc(exact, z, zd, given[2][0])
        assert len(denoc.topology.chords) == 4
        twists_agree(denoc)
        loads_agree(exact, denoc, exact.at(*given), *forces_of(denoc, mechanism, given[3][0], ports))


def random_loops(seed):
    """Two spatial loops of hinges, slides and balls in any order and direction, and a rod across: one freedom."""
    rng = np.random.default_rng(seed)
    bodies, joints = [], []
    for prefix, end, kinds in (("a", "ground", LONG), ("b", "a5", SHORT)):
        names = ["ground", *(f"{prefix}{i}" for i in range(1, len(kinds))), end]
        order = rng.permutation(kinds)
        bodies += [random_body(rng, name) for name in names[1:-1]]
        joints += [random_joint(rng, f"{prefix}j{i}", names[i], names[i + 1], str(k)) for i, k in enumerate(order)]
    p, q = rng.uniform(-1, 1, (2, 3))
    rods = [Rod("rod", "a1", "a4", p, q, float(np.linalg.norm(p - q)))]
    return Mechanism("Loops", bodies, joints, rods, gravity=np.array([0.3, -9.0, 2.0]))


@pytest.mark.parametrize("seed", range(4))
def test_random_trees_with_cut_joints_and_a_rod(seed):
    mechanism, rng = watched(random_loops(seed), "ground"), np.random.default_rng(seed)
    exact = Exact(mechanism)
    (own,) = exact.coordinates.free
    z = exact.coordinates.design + 0.03 * (own.upper - own.lower) * rng.uniform(-1, 1, 1)
    _, (given, _) = Full(exact).at(z, 0.3 * rng.normal(size=1))
    denoc = Denoc(exact, z, given[1][0], given[2][0])
    twists_agree(denoc)
    loads_agree(exact, denoc, exact.at(*given), np.zeros(6 * len(denoc.links)))
