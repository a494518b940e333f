"""The full model on a moving chassis and with driven coordinates, against closed forms and balances."""

import numpy as np
import pytest
from helpers_reference import INTEGRATED, POINTWISE, ZERO, G, X, Y, Z, body, four_bar, joint, moving

from precompute.errors import MechanismError
from precompute.model.mechanism import (
    LOCKED,
    Bushing,
    Coordinate,
    Joint,
    JointCoordinate,
    Marker,
    Mechanism,
    Spring,
    joint_primitives,
    stiff_primitives,
)
from precompute.reference import ChassisState, accelerations, initial_velocity, on_chassis, simulate
from precompute.reference.bodies import rotations


def slider(**more) -> Mechanism:
    """A mass on a slide along the chassis' x axis, on a spring."""
    return Mechanism(
        "Slider", (body("mass", 2.0, X, 0.1, 0.2, 0.3),), (joint("slide", "prismatic", "ground", "mass", X, X),),
        springs=(Spring("k", JointCoordinate("slide"), stiffness=50.0, free_length=0.0),),
        coordinates=(Coordinate("x", JointCoordinate("slide")),), markers=(Marker("m", "mass", X),), **more,
    )  # fmt: skip


def shaken(t):
    """A twist that turns and moves about all axes, and its derivative."""
    a, f = np.array([0.7, -0.5, 0.9, 0.8, -0.6, 1.1]), np.array([3.0, 2.0, 4.0, 5.0, 3.5, 2.5])
    return a * np.cos(f * t), -a * f * np.sin(f * t)


def test_coriolis_and_centrifugal_forces_on_a_turning_slide():
    """x = 1 + s:  m sdd = m w^2 (1 + s) - k s;  the slide carries 2 m w sdot, the spring k s."""
    w, m, k = 3.0, 2.0, 50.0
    twist = np.array([0.0, 0.0, w, 0.0, 0.0, 0.0])
    model, state = moving(slider(), {"x": 0.1}, {"x": 0.4})
    state = on_chassis(state, ChassisState(twist=twist))
    t = np.linspace(0.0, 1.0, 6)
    motion = simulate(model, state, t, chassis=lambda t: (twist, np.zeros(6)))
    wn, rest = np.sqrt(k / m - w**2), w**2 / (k / m - w**2)
    s = rest + (0.1 - rest) * np.cos(wn * t) + 0.4 / wn * np.sin(wn * t)
    sd = -wn * (0.1 - rest) * np.sin(wn * t) + 0.4 * np.cos(wn * t)
    np.testing.assert_allclose(motion.coordinates["x"].value, s, atol=INTEGRATED)
    np.testing.assert_allclose(motion.coordinates["x"].rate, sd, atol=INTEGRATED)
    coriolis = 2 * m * w * sd
    expected = np.column_stack([0 * t, 0 * t, -coriolis * (1 + s), k * s, -coriolis, 0 * t])
    np.testing.assert_allclose(motion.chassis.wrench, expected, atol=1e-6)
    angle = np.arctan2(motion.chassis.R[:, 1, 0], motion.chassis.R[:, 0, 0])
    np.testing.assert_allclose(np.unwrap(angle), w * t, atol=INTEGRATED)


def test_an_accelerating_chassis_is_gravity():
    """A pendulum on a chassis that accelerates with -g, and one that hangs in gravity g."""

    def pendulum(gravity):
        bob = body("bob", 1.0, [0.0, 0.0, -1.0], 0.1, 0.1, 0.1)
        hinge = joint("hinge", "revolute", "ground", "bob", ZERO, Y)
        of = (Coordinate("a", JointCoordinate("hinge")),)
        return moving(Mechanism("P", (bob,), (hinge,), coordinates=of, gravity=gravity), {"a": 0.5}, {"a": 1.0})

    t = np.linspace(0.0, 1.0, 5)
    hanging = simulate(*pendulum([0.0, 0.0, -G]), t)
    model, state = pendulum(ZERO)
    rate = np.array([0, 0, 0, 0, 0, G])
    lifted = simulate(model, on_chassis(state, ChassisState(rate=rate)), t, chassis=lambda t: (rate * t, rate))
    np.testing.assert_allclose(lifted.coordinates["a"].value, hanging.coordinates["a"].value, atol=INTEGRATED)
    np.testing.assert_allclose(lifted.chassis.wrench, hanging.chassis.wrench, atol=1e-6)
    np.testing.assert_allclose(lifted.chassis.p[:, 2], 0.5 * G * t**2, atol=INTEGRATED)


def arm_on_bushings() -> Mechanism:
    """An arm on two bushings with damping."""
    R = np.eye(3)
    primitives = (*joint_primitives("revolute", [X]), *stiff_primitives(LOCKED["revolute"], R))
    mount = Joint("mount", "revolute", "ground", "arm", ZERO, ZERO, primitives, "parent", R)
    K, C = np.diag([4e3, 8e3, 8e3, 2, 50, 50]), np.diag([5.0, 5, 5, 0.1, 0.1, 0.1])
    preload = np.array([30.0, -20, 10, 1, 2, -1])
    return Mechanism(
        "Arm", (body("arm", 3.0, [0.1, 0.5, 0.05], 0.3, 0.1, 0.35),), (mount,),
        bushings=tuple(Bushing(n, "ground", "arm", x * X, R, K, C, preload) for n, x in (("f", 0.3), ("r", -0.25))),
        coordinates=(Coordinate("crank", JointCoordinate("mount")),), gravity=[0, 0, -G],
    )  # fmt: skip


@pytest.mark.parametrize("mechanism", [four_bar(tilt=0.4), arm_on_bushings()], ids=lambda m: m.name)
def test_the_wrench_on_the_chassis_balances_the_momentum(mechanism):
    """All momentum that the bodies gain comes from gravity and the chassis, at any motion of it."""
    t = 0.7
    pose = ChassisState([0.3, -0.2, 0.5], np.array([0.8, 0.36, -0.48, 0.0]), *shaken(t))
    model, state = moving(mechanism, {"crank": 0.2}, {"crank": 1.5})
    state = on_chassis(state, pose)
    found = accelerations(model, state)
    assert np.abs(found.on_chassis).min() > 1e-3
    a = found.bodies.reshape(-1, 6)
    R, mass, inertia = rotations(state.quaternion), model.bodies.mass, model.bodies.inertia
    rates = np.einsum("bij,bj->bi", inertia, a[:, :3]) + np.cross(state.w, np.einsum("bij,bj->bi", inertia, state.w))
    force = mass[:, None] * (a[:, 3:] - mechanism.gravity)
    moment = np.einsum("bij,bj->bi", R, rates) + np.cross(state.r - pose.p, force)
    gained = np.concatenate([pose.R.T @ moment.sum(0), pose.R.T @ force.sum(0)])
    np.testing.assert_allclose(found.on_chassis, -gained, atol=1e3 * POINTWISE)


def test_a_turning_chassis_is_a_driven_carrier():
    """A chassis that swings about z, and a carrier on the fixed ground whose joint is driven to do the same."""

    def swing(t):
        return 0.6 * np.sin(3 * t), 1.8 * np.cos(3 * t), -5.4 * np.sin(3 * t)

    def twist(t):
        _, rate, acceleration = swing(t)
        return np.array([0, 0, rate, 0, 0, 0]), np.array([0, 0, acceleration, 0, 0, 0])

    def pendulum(parent):
        return joint("hinge", "revolute", parent, "bob", [0.4, 0.0, 0.0], X)

    bob = body("bob", 1.5, [0.4, 0.3, -0.8], 0.1, 0.2, 0.3)
    of, gravity = Coordinate("a", JointCoordinate("hinge")), np.array([0.0, 0.0, -G])
    t = np.linspace(0.0, 1.0, 5)
    model, state = moving(Mechanism("M", (bob,), (pendulum("ground"),), coordinates=(of,), gravity=gravity))
    V, Vd = twist(0.0)
    turning = simulate(model, on_chassis(state, ChassisState(twist=V, rate=Vd)), t, chassis=twist)

    carrier = joint("turn", "revolute", "ground", "carrier", ZERO, Z)
    both = (of, Coordinate("turn", JointCoordinate("turn")))
    massless = body("carrier", 0.0, ZERO)
    model, state = moving(
        Mechanism("D", (massless, bob), (carrier, pendulum("carrier")), coordinates=both, gravity=gravity)
    )
    driven = simulate(model, initial_velocity(model, state, {"turn": 1.8}), t, drives={"turn": swing})
    np.testing.assert_allclose(driven.coordinates["turn"].value, 0.6 * np.sin(3 * t), atol=INTEGRATED)
    np.testing.assert_allclose(turning.coordinates["a"].value, driven.coordinates["a"].value, atol=INTEGRATED)
    torque = driven.coordinates["turn"].force
    np.testing.assert_allclose(-turning.chassis.wrench[:, 2], torque, atol=1e-6)


def test_the_force_of_a_driven_pendulum():
    m, length, inertia = 1.2, 0.7, 0.3
    bob = body("bob", m, [0.0, 0.0, -length], inertia, inertia, inertia)
    hinge = joint("hinge", "revolute", "ground", "bob", ZERO, Y)
    of = (Coordinate("a", JointCoordinate("hinge")),)
    model, state = moving(Mechanism("P", (bob,), (hinge,), coordinates=of, gravity=[0, 0, -G]), rates={"a": 2.0})
    t = np.linspace(0.0, 2.0, 9)
    motion = simulate(model, state, t, drives={"a": lambda t: (np.sin(2 * t), 2 * np.cos(2 * t), -4 * np.sin(2 * t))})
    np.testing.assert_allclose(motion.coordinates["a"].value, np.sin(2 * t), atol=INTEGRATED)
    expected = -4 * np.sin(2 * t) * (inertia + m * length**2) + m * G * length * np.sin(np.sin(2 * t))
    np.testing.assert_allclose(motion.coordinates["a"].force, expected, atol=1e-7)


def test_tighter_tolerance_means_a_smaller_error():
    model, state = moving(arm_on_bushings(), {"crank": 0.1})
    V, Vd = shaken(0.0)
    state = on_chassis(state, ChassisState(twist=V, rate=Vd))
    last = {
        rtol: simulate(model, state, [0.0, 0.3], rtol=rtol, chassis=shaken).coordinates["crank"].value[-1]
        for rtol in (1e-4, 1e-7, 1e-12)
    }
    assert abs(last[1e-7] - last[1e-12]) < 0.1 * abs(last[1e-4] - last[1e-12]) + 1e-12
    assert abs(last[1e-7] - last[1e-12]) < 1e-6


def test_a_drive_of_nothing_is_refused():
    model, state = moving(slider())
    with pytest.raises(MechanismError, match="there is no coordinate 'y'"):
        simulate(model, state, [0.0, 0.1], drives={"y": lambda t: (0.0, 0.0, 0.0)})
