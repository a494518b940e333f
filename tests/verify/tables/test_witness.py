"""Inertia from natural coordinates and body data: closed forms and identities."""

import numpy as np
import pytest
from helpers import MECHANISMS, joint, random_body

from precompute.kinematics.topology import spanning_tree
from precompute.mechanism_file import load
from precompute.model.mechanism import Coordinate, JointCoordinate, Marker, Mechanism
from precompute.natural import natural_model
from precompute.verify.tables.witness import conditions, inertias, witness

RNG = np.random.default_rng(2)
Z = np.array([0.0, 0.0, 1.0])


def rotation(angle):
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])


def test_a_pendulum():
    """One body on a hinge at the origin: everything turns with it."""
    body = random_body(np.random.default_rng(0), "bob")
    pendulum = Mechanism(
        "Pendulum",
        [body],
        [joint("revolute", "hinge", "ground", "bob", np.zeros(3), Z)],
        markers=[Marker("tip", "bob", np.array([0.3, -0.2, 0.5]))],
        coordinates=(Coordinate("hinge", JointCoordinate("hinge"), -1.0, 1.0),),
    )
    angles = np.array([-0.7, 0.1, 0.9])
    model = natural_model(pendulum)
    zd, zdd = np.full((3, 1), 2.0), np.full((3, 1), -3.0)
    found = witness(model, model.positions({"hinge": angles}), zd, zdd)
    m, c = body.mass, body.com
    about_origin = body.inertia + m * ((c @ c) * np.eye(3) - np.outer(c, c))
    turned = np.array([rotation(a) @ about_origin @ rotation(a).T for a in angles])
    centre = np.array([rotation(a) @ c for a in angles])
    assert np.allclose(found.tensor(), turned, atol=1e-12)
    assert np.allclose(found.inertia()[:, 0, 0], about_origin[2, 2], atol=1e-12)
    assert np.allclose(found.inertia_force()[:, 0], -3.0 * about_origin[2, 2], atol=1e-11)
    S, dS, second = found.first_moment()
    assert np.allclose(S, m * centre, atol=1e-12)
    assert np.allclose(dS[:, :, 0], m * np.cross(Z, centre), atol=1e-12)
    assert np.allclose(second, m * (-3.0 * np.cross(Z, centre) + 4.0 * np.cross(Z, np.cross(Z, centre))), atol=1e-11)
    N = found.momentum()[:, :, 0]
    assert np.allclose(N[:, :3], turned[:, :, 2], atol=1e-12) and np.allclose(N[:, 3:], dS[:, :, 0], atol=1e-12)
    R, A, alpha = found.rotation(pendulum.markers[0])
    assert np.allclose(R, [rotation(a) for a in angles]) and np.allclose(A[:, :, 0], Z)
    assert np.allclose(alpha, -3.0 * Z)


@pytest.mark.parametrize("name", ["rssr", "double_wishbone_rigid"])
def test_identities(name):
    """Momentum is the slope of S, energy is that of the bodies, and (3) is J zdd + c, slopes of J by differences."""
    mechanism = load(MECHANISMS / f"{name}.toml")
    model, names = natural_model(mechanism), [c.name for c in mechanism.coordinates]
    nz, h = len(names), 1e-4
    middle = np.array([0.5 * (c.lower + c.upper) for c in mechanism.coordinates])
    width = np.array([c.upper - c.lower for c in mechanism.coordinates])
    z = middle + 0.3 * width * RNG.uniform(-1, 1, (3, nz))
    zd, zdd = width * RNG.uniform(-1, 1, (2, 3, nz))

    def at(z):
        return witness(model, model.positions(dict(zip(names, z.T, strict=True))), zd, zdd)

    here = at(z)
    J, S, N = here.inertia(), here.first_moment(), here.momentum()
    assert np.allclose(N[:, 3:], S[1], atol=1e-12 * np.abs(N).max())
    assert (np.linalg.eigvalsh(J) > 0.0).all()
    twice = sum(
        m * (at.v**2).sum(1) + np.einsum("ni,nij,nj->n", at.w, tensor, at.w) for m, at, _, _, tensor in here.bodies
    )
    assert np.allclose(np.einsum("ni,nij,nj->n", zd, J, zd), twice, rtol=1e-10)
    dJ = np.stack([(at(z + step).inertia() - at(z - step).inertia()) for step in h * np.diag(width)], axis=1)
    dJ /= 2.0 * h * width[:, None, None]  # (n, k, i, j)
    c = np.einsum("njki,ni,nj->nk", dJ, zd, zd) - 0.5 * np.einsum("nkij,ni,nj->nk", dJ, zd, zd)
    exact = here.inertia_force()
    assert np.allclose(np.einsum("nij,nj->ni", J, zdd) + c, exact, rtol=1e-6, atol=1e-6 * np.abs(exact).max())


def test_a_link_between_balls_has_no_inertia_about_its_line():
    mechanism = load(MECHANISMS / "rssr.toml")
    (spin,) = spanning_tree(mechanism).spins
    found = inertias(mechanism)
    assert spin.ideal and np.allclose(found[spin.body - 1] @ spin.axis, 0.0, atol=1e-15)
    others = [i for i in range(len(found)) if i != spin.body - 1]
    assert all((found[i] == mechanism.bodies[i].inertia).all() for i in others)


def test_the_condition_tells_of_a_branch_point():
    from helpers_branching import parallelogram

    model = natural_model(parallelogram())
    flat = np.pi - 1.0  # of the crank, from design
    found = conditions(model, model.positions({"crank": np.array([0.5, flat - 0.1, flat - 1e-3])}))
    assert found[2] > 50.0 * found[1] > 100.0 * found[0] / 50.0
