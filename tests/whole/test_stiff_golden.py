"""Independent numbers for stiff directions and equivalent bushings, through mechanism files."""

import json
from dataclasses import replace

import numpy as np
import pytest
from helpers import GOLDEN, ROOT

from precompute.kinematics.assembly import close_loops
from precompute.kinematics.coefficients import Closure, coefficient_derivatives, factorize, velocity_coefficients
from precompute.kinematics.continuation import follow
from precompute.kinematics.inertia import (
    quadratic_coefficients,
    reduced_inertia,
    reduced_inertia_derivatives,
    spatial_inertias,
)
from precompute.kinematics.topology import spanning_tree
from precompute.mechanism_file import load
from precompute.model.bushings import equivalent_bushing

FILES = ROOT / "tests" / "mechanisms"
INCH, LBF = 0.0254, 0.45359237 * 9.80665
EXACT = 1e-10


def golden(name):
    return json.loads((GOLDEN / f"{name}.json").read_text())


class Solved:
    """A mechanism at values of its free and stiff coordinates, both independent."""

    def __init__(self, mechanism, z):
        self.mechanism, self.topology = mechanism, spanning_tree(mechanism).unlocked()
        q = close_loops(mechanism, self.topology).q
        of = (*(c.of for c in mechanism.coordinates), *mechanism.stiff_coordinates)
        c = self.closure = Closure(mechanism, self.topology, of)
        q, here = np.repeat(q[None], len(z), 0), np.zeros_like(z)
        for share in np.linspace(0, 1, 13)[1:]:
            done = follow(c, q, here, share * z)
            assert done.reached.all()
            q, here = done.q, done.z
        self.q, self.P = done.q, c.poses(done.q)
        factor = factorize(c, c.matrix(self.P))
        self.B = velocity_coefficients(c, factor)
        self.dB, self.W, self.dW = coefficient_derivatives(c, self.P, factor, self.B)

    def joint(self, name):
        """Value, first and second derivatives of a joint's first coordinate."""
        iq, iv = self.topology.scalars[name, 0]
        return self.q[:, iq], self.B[:, iv], self.dB[:, iv]


def with_axes(mechanism, side):
    joints = [replace(j, stiff_axes=side) if j.stiff else j for j in mechanism.joints]
    return replace(mechanism, joints=tuple(joints))


@pytest.mark.parametrize(("variant", "side"), [("A", "child"), ("B", "parent")])
def test_crank_slider_inertia(variant, side):
    rows = golden("crank_slider_stiff")["table"][variant]
    mechanism = with_axes(load(FILES / "crank_slider_stiff.toml"), side)
    s = Solved(mechanism, np.array([[np.deg2rad(r["deg"]), r["s"]] for r in rows]))
    M_b = spatial_inertias(mechanism, s.topology, s.P)
    J = reduced_inertia(M_b, s.W)[:, 6:, 6:]
    dJ = reduced_inertia_derivatives(M_b, s.W, s.dW)[:, 6:, 6:]
    Q = quadratic_coefficients(dJ)
    found = {"J": J, "dJ_dth": dJ[..., 0], "dJ_ds": dJ[..., 1], "Q_th": Q[:, 0], "Q_s": Q[:, 1]}
    for joint, key in (("crank_pin", "th12"), ("slider_pin", "th23")):
        value, first, second = s.joint(joint)
        found |= {key: value, f"B_{key}": first, f"H_{key}": second}
    for key, value in found.items():
        np.testing.assert_allclose(value, [r[key] for r in rows], atol=1e-9, err_msg=key)


@pytest.mark.parametrize(("order", "side"), [("FS", "child"), ("SF", "parent")])
def test_suspension_derivatives_and_exact_solutions(order, side):
    rows = [r for r in golden("suspension_stiff")["table"] if r["order"] == order]
    mechanism = with_axes(load(FILES / "suspension_stiff.toml"), side)
    z = np.array([[0.0, r["t"] * INCH, 0.0, 0.0] for r in rows])
    s = Solved(mechanism, z)
    units = np.array([1.0, INCH, 1.0, 1.0])
    bent = Solved(mechanism, z + [0.0, 0.0, 0.1, 0.1])
    for joint, key in (("lower_arm", "th0d"), ("upper_arm", "th0h")):
        _, first, second = s.joint(joint)
        np.testing.assert_allclose(first * units, [r[f"grad_a_t_sL_sU_{key}"] for r in rows], atol=EXACT)
        np.testing.assert_allclose(second * np.outer(units, units), [r[f"hess_{key}"] for r in rows], atol=1e-9)
        exact = [r["exact_at_sL_sU_0p1"][key] for r in rows]
        np.testing.assert_allclose(bent.joint(joint)[0], exact, atol=EXACT)
    for value, key in zip(kingpin(bent), ("th1", "th2", "th3"), strict=True):
        np.testing.assert_allclose(value, [r["exact_at_sL_sU_0p1"][key] for r in rows], atol=EXACT)


def kingpin(s):
    """The hub on the lower arm: CK Rx(th1) Ry(th2) Rz(th3) CK^T."""
    CK = np.array(golden("suspension_rigid")["constants"]["CK"])
    arm, hub = (s.P.X[s.topology.bodies.index(name)].R for name in ("lower_arm", "hub"))
    K = CK.T @ np.swapaxes(arm, -1, -2) @ hub @ CK
    return np.arctan2(-K[:, 1, 2], K[:, 2, 2]), np.arcsin(K[:, 0, 2]), np.arctan2(-K[:, 0, 1], K[:, 0, 0])


@pytest.mark.parametrize(("arm", "key", "front"), [("upper_arm", "uca", "upper"), ("lower_arm", "lca", "lower")])
def test_equivalent_bushing(arm, key, front):
    """Golden rows: lateral, about the axis, about the normal; ours: along and about axis, y, z, so y is -lateral."""
    expected = golden("equivalent_bushing")[key]
    mechanism = load(FILES / "suspension_stiff.toml")
    equivalent = equivalent_bushing(mechanism.joint(arm), mechanism.bushings)
    assert [b.name for b in equivalent.bushings] == [f"{front}_front", f"{front}_rear"]
    rows = np.array([[-b[1] / INCH, b[3], b[5]] for b in equivalent.B]).reshape(6, 2)  # inch, rad
    np.testing.assert_allclose(rows, expected["Bk"], atol=1e-12)
    stiffness = equivalent.stiffness / (LBF * INCH)
    np.testing.assert_allclose(stiffness, expected["K3_100I"], atol=1e-8)


def test_projected_deflections_and_forces():
    mechanism = load(FILES / "suspension_stiff.toml")
    equivalent = equivalent_bushing(mechanism.joint("lower_arm"), mechanism.bushings)
    q, qdot = np.array([0.0, 0.01]), np.zeros(2)
    deflections = equivalent.deflections(q)
    np.testing.assert_allclose(np.abs(deflections[:, 1]) / INCH, 0.0879, atol=1e-12)
    force = equivalent.forces(q, qdot)
    work = np.sum(force * deflections)
    np.testing.assert_allclose(work, -q @ equivalent.stiffness @ q, rtol=1e-12)


def test_rigid_limit_and_locked_directions():
    """With its stiff directions locked the mechanism is the rigid one."""
    stiff = load(FILES / "suspension_stiff.toml")
    free = [replace(j, primitives=j.primitives[:1]) if j.stiff else j for j in stiff.joints]
    rigid = replace(stiff, joints=tuple(free), bushings=())
    z = np.array([[0.1, 1.5 * INCH]])
    angles = []
    for mechanism in (stiff, rigid):
        topology = spanning_tree(mechanism)
        closure = Closure(mechanism, topology, tuple(c.of for c in mechanism.coordinates))
        q = close_loops(mechanism, topology).q[None]
        done = follow(closure, q, np.zeros((1, 2)), z)
        indices = [topology.scalars[name, 0][0] for name in ("lower_arm", "upper_arm")]
        angles.append(done.q[0, indices])
        locked = [topology.scalars[c.joint, c.index][0] for c in mechanism.stiff_coordinates]
        assert np.abs(done.q[0, locked]).max(initial=0.0) < 1e-14
    np.testing.assert_allclose(*angles, atol=1e-12)
