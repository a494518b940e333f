"""A floating chassis with two suspensions: momentum and energy, with a chassis that feels what it carries.

The acceleration of the chassis depends on the wrenches of the suspensions, and these on it, without delay: they are
affine in it, so that six unit accelerations give the matrix.  Everything is integrated together.
"""

import numpy as np
from helpers_corner import corner
from scipy.spatial.transform import Rotation

from fmu_src.numpy_runtime.dynamics import acceleration_at, energies_at, mechanics
from fmu_src.numpy_runtime.ground import chassis_wrench, momentum
from fmu_src.numpy_runtime.steps.runge_kutta import rk_step

MASS, INERTIA, COM = 900.0, np.diag([300.0, 900.0, 1000.0]), np.array([0.3, 0.0, 0.4])
WAYS = [  # of the axes of the two suspensions in those of the chassis, and their origins: front left, rear right
    (np.eye(3), np.array([1.4, 0.0, 0.1])),
    (np.diag([-1.0, -1.0, 1.0]), np.array([-1.2, 0.0, 0.1])),
]


def skew(a):
    return np.array([[0.0, -a[2], a[1]], [a[2], 0.0, -a[0]], [-a[1], a[0], 0.0]])


def carried(R, p):
    """(6, 6) from the twist of the chassis to that of a frame on it; its transpose takes wrenches back."""
    return np.block([[R.T, np.zeros((3, 3))], [-R.T @ skew(p), R.T]])


BODY = np.block([[INERTIA - MASS * skew(COM) @ skew(COM), MASS * skew(COM)], [-MASS * skew(COM), MASS * np.eye(3)]])
CARRIED = [carried(*way) for way in WAYS]


class Floating:
    """State y = [R (9), position (3), V (6), z and zd of each suspension]."""

    def __init__(self):
        self.c = corner(rack=False)
        names = [p.name for p in self.c.model.parameters]
        nothing = [n for n in names if n.startswith("gravity") or n.endswith(".c") or ".c[" in n]
        changes = {**dict.fromkeys(nothing, 0.0), "spring.coil.preload": 500.0}  # less than a tenth of what it has
        self.parameters = self.c.tuned(changes)
        self.inputs = self.c.inputs.copy()
        self.inputs[self.c.slots.loads] = 0.0
        self.n = self.c.runtime.nz

    def parts(self, y):
        """R, p, V, and (z, zd) of both suspensions."""
        n = self.n
        own = y[18:].reshape(2, 2, n)
        return y[:9].reshape(3, 3), y[9:12], y[12:18], own

    def rates(self, _, y):
        R, _, V, own = self.parts(y)
        matrix, right = BODY.copy(), -turning(V, BODY @ V)
        solved = []
        for Ad, (z, zd) in zip(CARRIED, own, strict=True):
            at, twist = mechanics(self.c.runtime, z), Ad @ V
            first = self.wrench(at, zd, twist, np.zeros(6))
            unit = np.array([self.wrench(at, zd, twist, e) - first for e in np.eye(6)]).T
            matrix -= Ad.T @ unit @ Ad
            right += Ad.T @ first
            solved.append((at, zd, twist))
        Vd = np.linalg.solve(matrix, right)
        ends = [R @ skew(V[:3]), R @ V[3:], Vd]
        for Ad, (at, zd, twist) in zip(CARRIED, solved, strict=True):
            ends += [zd, self.zdd(at, zd, twist, Ad @ Vd)]
        return np.concatenate([np.ravel(end) for end in ends])

    def zdd(self, at, zd, V, Vd):
        slots, u = self.c.slots, self.inputs
        u[slots.twist], u[slots.twist_rate] = V, Vd
        return acceleration_at(self.c.runtime, at, zd, self.parameters, u)

    def wrench(self, at, zd, V, Vd):
        return chassis_wrench(at.ground, V, Vd, zd, zd, self.zdd(at, zd, V, Vd), np.zeros(6))

    def conserved(self, y):
        """(7,) linear and angular momentum about the inertial origin, and energy."""
        R, p, V, own = self.parts(y)
        h, energy = BODY @ V, 0.5 * V @ BODY @ V
        for Ad, (z, zd) in zip(CARRIED, own, strict=True):
            at, twist = mechanics(self.c.runtime, z), Ad @ V
            g = at.ground
            h = h + Ad.T @ momentum(g.mass, g.S, g.tensor, g.N, twist, zd)
            own_energy = energies_at(self.c.runtime, at, zd, self.parameters)
            still = momentum(g.mass, g.S, g.tensor, g.N, twist, np.zeros(self.n))
            energy += own_energy.kinetic + own_energy.spring + 0.5 * twist @ still + twist @ g.N @ zd
        linear = R @ h[3:]
        return np.concatenate([linear, R @ h[:3] + np.cross(p, linear), [energy]])


def turning(V, h):
    """V x* h."""
    return np.concatenate([np.cross(V[:3], h[:3]) + np.cross(V[3:], h[3:]), np.cross(V[:3], h[3:])])


def test_momentum_and_energy_are_conserved_to_the_error_of_the_integrator():
    """Springs let go, with all dampers off: fourth order of Runge-Kutta in every conserved quantity."""
    f = Floating()
    R = Rotation.from_rotvec([0.3, -0.2, 0.5]).as_matrix()
    V = np.array([0.8, -0.6, 0.9, 2.0, -1.0, 0.5])
    own = [[[0.02, 3e-4, -2e-4], [0.5, 0.02, 0.03]], [[-0.03, -2e-4, 1e-4], [-0.4, 0.0, -0.02]]]
    start = np.concatenate([R.ravel(), [1.0, 2.0, 3.0], V, np.ravel(own)])
    errors = []
    for h in (4e-4, 2e-4):
        y = start
        for _ in range(round(0.02 / h)):
            y = rk_step(f.rates, y, h)
        errors.append(np.abs(f.conserved(y) - f.conserved(start)) / [2e3, 2e3, 2e3, 2e3, 2e3, 2e3, 1e3])
    moved = f.parts(y)[3][:, 0, 0] - np.array(own)[:, 0, 0]
    assert np.abs(moved).min() > 1e-3 and np.linalg.norm(f.parts(y)[2] - V) > 0.03
    assert errors[1][:6].max() < 1e-8 and errors[1][6] < 2e-5
    assert (errors[1] < errors[0] / 10 + 1e-11).all()
