"""Free and stiff coordinates together obey the equations of motion of the full model.

The reduced equations are written out here: inertia and its derivatives by the coefficients of all independent
coordinates, bushings by their measures; nothing is tabulated or expanded.
"""

import tomllib
from dataclasses import replace

import numpy as np
import pytest
from helpers import ROOT

from precompute.geometry.spatial import rotation_quaternion
from precompute.kinematics.assembly import close_loops
from precompute.kinematics.coefficients import Closure, coefficient_derivatives, factorize, velocity_coefficients
from precompute.kinematics.continuation import follow
from precompute.kinematics.inertia import reduced_inertia, reduced_inertia_derivatives, spatial_inertias
from precompute.kinematics.topology import spanning_tree
from precompute.mechanism_file import from_document
from precompute.model.mechanism import BushingDeflection
from precompute.reference import ChassisState, FullState, accelerations, full_model, on_chassis

EXACT = 1e-9  # rounding times the condition of the loops


def suspension(law):
    """The suspension with both arms on bushings alone: two free and ten stiff coordinates."""
    text = (ROOT / "tests" / "mechanisms" / "suspension_stiff.toml").read_text(encoding="utf-8")
    document = tomllib.loads(text)
    for arm in ("lower_arm", "upper_arm"):
        del document["joints"][arm]
    for k, bushing in enumerate(document["bushings"].values()):
        bushing["stiffness"] = [100.0, 200.0, 300.0, 40.0, 50.0, 60.0 + k]
        bushing["damping"] = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]
        bushing["preload"] = [5.0, -3.0, 2.0 + k, 1.0, 4.0, -2.0]
        bushing["law"] = law
    return from_document(document)


class Reduced:
    """The mechanism at values z and rates zd of all its independent coordinates."""

    def __init__(self, mechanism, z, zd):
        self.m, self.t = mechanism, spanning_tree(mechanism).unlocked()
        c = Closure(mechanism, self.t, (*(c.of for c in mechanism.coordinates), *mechanism.stiff_coordinates))
        done = follow(c, close_loops(mechanism, self.t).q[None], np.zeros((1, len(z))), z[None])
        assert done.reached.all()
        self.q, self.zd, self.P = done.q, zd, c.poses(done.q)
        factor = factorize(c, c.matrix(self.P))
        self.B = velocity_coefficients(c, factor)
        _, self.W, self.dW = coefficient_derivatives(c, self.P, factor, self.B)

    def forces(self):
        """Q of the bushings."""
        force = np.zeros(len(self.zd))
        for bushing in self.m.bushings:
            of = [BushingDeflection(bushing.name, i) for i in range(6)]
            delta = np.array([s.value(self.P)[0] for s in of])
            gradient = np.array([(s.row(self.P) @ self.B[0])[0] for s in of])
            if bushing.law == "cardan":  # forces act along, moments about the axes of the parent
                V = [self.W[0, self.t.bodies.index(body), :3] for body in (bushing.child, bushing.parent)]
                E = self.P.pose(bushing.parent).R[0] @ bushing.R
                gradient[3:] = E.T @ (V[0] - V[1])
            law = bushing.preload - bushing.stiffness @ delta - bushing.damping @ gradient @ self.zd
            force += gradient.T @ law
        return force

    def solve(self, V, Vd, gravity):
        """zdd and the wrench on the chassis, for its twist V, Vd and gravity in chassis axes.

        With x = [V; zd] and T = 1/2 x^T M x:  d/dt (M x)_z - dT/dz = Q,  wrench = -(hdot + V x* h), h = (M x)_b, and
        gravity as an acceleration of the chassis.
        """
        M_b = spatial_inertias(self.m, self.t, self.P)
        M = reduced_inertia(M_b, self.W)[0]
        dM = reduced_inertia_derivatives(M_b, self.W, self.dW)[0]
        x = np.concatenate([V, self.zd])
        bias = dM @ self.zd @ x
        slope = 0.5 * np.einsum("i,ijk,j->k", x, dM, x)
        push = Vd - np.concatenate([np.zeros(3), gravity])
        zdd = np.linalg.solve(M[6:, 6:], self.forces() - M[6:, :6] @ push - bias[6:] + slope)
        h = M[:6] @ x
        carried = np.concatenate([np.cross(V[:3], h[:3]) + np.cross(V[3:], h[3:]), np.cross(V[:3], h[3:])])
        return zdd, -(M[:6] @ np.concatenate([push, zdd]) + bias[:6] + carried)

    def state(self, model, chassis):
        """The same as a state of the full model; links between balls do not spin there, as their spin is idle here."""
        r, quaternion, v, w = [], [], [], []
        for body, X, W in zip(self.m.bodies, self.P.X[1:], self.W[0, 1:], strict=True):
            turning, moving = np.split(W @ self.zd, 2)
            r.append(X.point(body.com)[0])
            quaternion.append(rotation_quaternion(X.R)[0])
            v.append(moving + np.cross(turning, r[-1]))
            w.append(X.R[0].T @ turning)
        state = on_chassis(FullState(r, quaternion, v, w, np.zeros_like(model.design.angles)), chassis)
        w = np.array(state.w)
        for spin in self.t.spins:
            for k in spin.group:
                w[k - 1] -= (w[k - 1] @ spin.axis) * spin.axis
        return replace(state, w=w)

    def angular_acceleration(self, name, zdd):
        k = self.t.bodies.index(name)
        return self.W[0, k, :3] @ zdd + np.einsum("cij,i,j->c", self.dW[0, k, :3], self.zd, self.zd)


def random_motion(seed, law):
    """A suspension with deflected bushings, moving."""
    mechanism, rng = suspension(law), np.random.default_rng(seed)
    n = len(mechanism.coordinates) + len(mechanism.stiff_coordinates)
    assert n == 12
    size = np.array([0.2, 0.02] + [0.005, 0.005, 0.005, 0.02, 0.02] * 2)
    reduced = Reduced(mechanism, size * rng.uniform(-1, 1, n), 10 * size * rng.uniform(-1, 1, n))
    model = full_model(mechanism)
    assert model.bodies.loose == {"lower_arm_mount", "upper_arm_mount"}
    return mechanism, reduced, model, rng


@pytest.mark.parametrize("law", ["rotation_vector", "cardan"])
@pytest.mark.parametrize("seed", range(3))
def test_free_and_stiff_coordinates_obey_the_full_model(seed, law):
    mechanism, reduced, model, _ = random_motion(seed, law)
    zdd, wrench = reduced.solve(np.zeros(6), np.zeros(6), mechanism.gravity)
    exact = accelerations(model, reduced.state(model, ChassisState()))
    np.testing.assert_allclose(zdd[:2], [exact.coordinates[c.name] for c in mechanism.coordinates], rtol=EXACT)
    np.testing.assert_allclose(wrench, exact.on_chassis, atol=EXACT * np.abs(wrench).max())
    for name in ("lower_arm", "upper_arm", "hub", "steering_link"):
        k = model.bodies.index(name)
        turning = reduced.P.X[k + 1].R[0] @ exact.bodies.reshape(-1, 6)[k, :3]
        found = reduced.angular_acceleration(name, zdd)
        np.testing.assert_allclose(found, turning, atol=EXACT * np.abs(zdd).max())


@pytest.mark.parametrize("seed", range(3))
def test_the_same_on_a_chassis_that_moves_in_every_direction(seed):
    mechanism, reduced, model, rng = random_motion(seed, ("rotation_vector", "cardan")[seed % 2])
    V, Vd, turn = rng.uniform(-2, 2, 6), rng.uniform(-9, 9, 6), rng.standard_normal(4)
    chassis = ChassisState(rng.uniform(-1, 1, 3), turn / np.linalg.norm(turn), V, Vd)
    zdd, wrench = reduced.solve(V, Vd, chassis.R.T @ mechanism.gravity)
    exact = accelerations(model, reduced.state(model, chassis))
    np.testing.assert_allclose(zdd[:2], [exact.coordinates[c.name] for c in mechanism.coordinates], rtol=EXACT)
    np.testing.assert_allclose(wrench, exact.on_chassis, atol=EXACT * np.abs(wrench).max())
