"""A suspension on a moving chassis: accelerations, force of a drive, wrench and motions, against the full model.

Without stiff coordinates the difference is that of the tables.  With them it is the same where nothing is deflected.
Elsewhere it falls with the square of the deflections in a mechanism at rest, where the measures matter (second order),
and in proportion to them where it moves, since the inertia is a polynomial of first order whose slope is constant.
"""

import numpy as np
import pytest
from helpers_corner import corner
from scipy.integrate import solve_ivp

from fmu_src.numpy_runtime.state import State
from fmu_src.numpy_runtime.steps.integrator import advance
from precompute.reference import ChassisState, Loads, accelerations, on_chassis, simulate

TABLES = 1e-7  # relative, as asked for in the file
SPAN = np.array([0.08, 0.015, 5e-4, 5e-4])  # of random coordinates: two free ones, two deflections [rad, m]
SPEED = np.array([2.0, 0.3, 0.05, 0.05])


class Random:
    """A suspension and a chassis in random motion, under random loads, with the rack driven."""

    def __init__(self, seed, stiff, share=1.0, speed=1.0):
        rng = np.random.default_rng(seed)
        self.c = corner(stiff=stiff)
        turn = rng.standard_normal(4)
        self.chassis = ChassisState(
            rng.uniform(-1, 1, 3), turn / np.linalg.norm(turn), speed * rng.uniform(-2, 2, 6), rng.uniform(-9, 9, 6)
        )
        self.load = rng.uniform(-1, 1, (2, 3)) * [[1000.0], [100.0]]
        n = self.c.runtime.nz
        self.z, self.zd = (SPAN * rng.uniform(-1, 1, 4))[:n], speed * (SPEED * rng.uniform(-1, 1, 4))[:n]
        self.z[2:] *= share
        self.drive = (self.z[1], self.zd[1], rng.uniform(-5, 5))

    def reduced(self):
        """Acceleration of the arm, force of the drive, wrench on the chassis."""
        c, at = self.c, self.chassis
        u = c.inputs.copy()
        u[c.slots.twist], u[c.slots.twist_rate], u[c.slots.loads] = at.twist, at.rate, self.load.ravel()
        u[c.slots.drives[0].first :][:3] = self.drive
        out = c.outputs(State(0.0, 0, 0, self.z, self.zd), u, c.in_gravity(at.R.T @ c.mechanism.gravity))
        assert out["qdd.rack"] == self.drive[2]
        return out["qdd.arm"], out["drive.rack.force"], [out[f"chassis.{s}[{i}]"] for s in "MF" for i in (1, 2, 3)]

    def full(self):
        """The same of the full model."""
        c, R = self.c, self.chassis.R
        state = on_chassis(c.full_state(self.z, self.zd), self.chassis)
        load = Loads(ports={"wheel": (R @ self.load[0], R @ self.load[1])})
        found = accelerations(c.full, state, 0.0, lambda t: load, {"rack": lambda t: self.drive})
        return found.coordinates["arm"], found.drives["rack"], found.on_chassis

    def errors(self):
        """Of acceleration, drive force and wrench, relative to the largest of their kind."""
        return [
            float(np.abs(np.subtract(ours, theirs)).max() / scale)
            for ours, theirs, scale in zip(self.reduced(), self.full(), (1e3, 1e3, 5e3), strict=True)
        ]


@pytest.mark.parametrize("seed", range(4))
def test_a_rigid_suspension_has_the_accelerations_and_reactions_of_the_full_model(seed):
    assert max(Random(seed, stiff=False).errors()) < TABLES


@pytest.mark.parametrize("seed", range(4))
def test_one_on_bushings_has_them_where_it_is_not_deflected(seed):
    assert max(Random(seed, stiff=True, share=0.0).errors()) < 10 * TABLES


@pytest.mark.parametrize(("speed", "order"), [(0.0, 2), (1.0, 1)])
def test_the_error_falls_with_the_deflections(speed, order):
    errors = [np.max([Random(seed, True, share, speed).errors() for seed in range(4)]) for share in (1.0, 0.1)]
    assert errors[0] < 2e-4 and errors[1] < 1.5 * 0.1**order * errors[0]


# -- motion ----------------------------------------------------------------------------------------------------------


def shaken(t):
    """Heave, pitch, roll and yaw: a twist and its derivative."""
    a, f = np.array([0.5, -0.4, 0.6, 0.4, 0.3, 0.8]), np.array([11.0, 9.0, 7.0, 12.0, 8.0, 10.0])
    return a * np.sin(f * t), a * f * np.cos(f * t)


def attitude(stop):
    """Time -> R of the shaken chassis, by dR/dt = R skew(w)."""

    def rate(t, R):
        return np.cross(R.reshape(3, 3), shaken(t)[0][:3]).ravel()

    dense = solve_ivp(rate, (0.0, stop), np.eye(3).ravel(), "DOP853", dense_output=True, rtol=1e-11, atol=1e-12).sol
    return lambda t: dense(t).reshape(3, 3)


def steered(t):
    """Position, rate and acceleration of the rack."""
    return 5e-3 * np.sin(20 * t), 0.1 * np.cos(20 * t), -2.0 * np.sin(20 * t)


def reduced_motion(c, R, n, h):
    """Outputs after each of n steps h, from the state at rest.  What is held over a step is held at its mean."""
    zd = c.start.zd.copy()
    zd[1] = steered(0.0)[1]
    state, rows = State(0.0, 0, 0, c.start.z, zd), []
    for i in range(n + 1):
        (V, Vd), (q, qd, qdd) = shaken(i * h), steered(i * h)
        p = c.in_gravity(R(i * h).T @ c.mechanism.gravity)
        rows.append(c.outputs(state, driven_inputs(c, V, Vd, (q, qd, qdd)), p))
        u = driven_inputs(c, V, (shaken((i + 1) * h)[0] - V) / h, (q, qd, (steered((i + 1) * h)[1] - qd) / h))
        p = c.in_gravity(R((i + 0.5) * h).T @ c.mechanism.gravity)
        state = advance(c.charts, state, h, p, u, h)
    return rows


def driven_inputs(c, V, Vd, drive):
    """All inputs, with the loads of the file."""
    u = c.inputs.copy()
    u[c.slots.twist], u[c.slots.twist_rate] = V, Vd
    u[c.slots.drives[0].first :][:3] = drive
    return u


@pytest.mark.parametrize(("stiff", "mm", "newton"), [(False, 1e-4, 1e-3), (True, 1e-4, 0.5)])
def test_a_manoeuvre_agrees_with_the_full_model(stiff, mm, newton):
    """0.02 s in steps of 0.25 ms on a chassis that heaves, pitches, rolls and yaws, while the rack is steered."""
    c, h, n = corner(stiff=stiff), 2.5e-4, 80
    R = attitude((n + 1) * h)
    rows = reduced_motion(c, R, n, h)[:: n // 4]
    start = c.full_state(c.start.z, np.array([0.0, steered(0.0)[1], 0.0, 0.0])[: c.runtime.nz])
    motion = simulate(
        c.full,
        on_chassis(start, ChassisState(np.zeros(3), np.array([1.0, 0, 0, 0]), *shaken(0.0))),
        np.linspace(0.0, n * h, 5),
        lambda t: Loads(ports={"wheel": (R(t) @ [0.0, 0.0, 4500.0], np.zeros(3))}),
        rtol=1e-8,
        chassis=shaken,
        drives={"rack": steered},
    )
    p = np.einsum("tji,tj->ti", motion.chassis.R, motion.markers["wheel"].p - motion.chassis.p)
    ours = np.array([[row[f"marker.wheel.r[{i}]"] for i in (1, 2, 3)] for row in rows])
    assert np.ptp(ours, axis=0).max() > 1e-3
    assert 1e3 * np.abs(ours - p).max() < mm
    wrench = np.array([[row[f"chassis.{s}[{i}]"] for s in "MF" for i in (1, 2, 3)] for row in rows])
    assert np.abs(wrench - motion.chassis.wrench).max() < newton and np.ptp(wrench, axis=0).max() > 150.0
    force = np.array([row["drive.rack.force"] for row in rows])
    assert np.abs(force - motion.coordinates["rack"].force).max() < newton
    for i in range(6 * stiff):
        name = "bushing.front"
        found = np.array([[row[f"{name}.{s}[{i + 1}]"] for s in ("deflection", "force")] for row in rows])
        full = motion.bushings["front"]
        assert np.abs(found[:, 0] - full.deflection[:, i]).max() < 1e-6
        assert np.abs(found[:, 1] - full.force[:, i]).max() < newton
