"""The full model in motion, against closed forms, hand-derived equations and independently computed numbers."""

import numpy as np
import pytest
from helpers_reference import CLOSED, INTEGRATED, POINTWISE, ZERO, G, X, Y, Z, body, crank_slider, joint, moving
from scipy.special import ellipk

from precompute.model.mechanism import (
    Coordinate,
    Damper,
    Distance,
    Joint,
    JointCoordinate,
    Marker,
    MarkerCoordinate,
    Mechanism,
    Primitive,
    Rod,
    Spring,
    joint_primitives,
)
from precompute.reference import FullState, Loads, accelerations, full_model, simulate

# -- open chains against closed forms ---------------------------------------------------------------------------------


def pendulum(length=0.7, **more) -> Mechanism:
    """A point mass, hanging along -y at design."""
    return Mechanism(
        name="pendulum",
        bodies=(body("bob", 2.0, [0.0, -length, 0.0]),),
        joints=(joint("pivot", "revolute", "ground", "bob", ZERO, Z),),
        gravity=[0.0, -G, 0.0],
        **more,
    )


def test_a_pendulum_has_its_large_amplitude_period():
    length, start = 0.7, 2.0
    model, state = moving(pendulum(coordinates=(Coordinate("angle", JointCoordinate("pivot")),)), {"angle": start})
    period = 4.0 * np.sqrt(length / G) * ellipk(np.sin(start / 2.0) ** 2)

    motion = simulate(model, state, period * np.array([0.0, 0.25, 0.5, 0.75, 1.0]))

    angle = motion.coordinates["angle"]
    np.testing.assert_allclose(angle.value, [start, 0.0, -start, 0.0, start], atol=INTEGRATED)
    np.testing.assert_allclose(angle.rate[[0, 2, 4]], 0.0, atol=INTEGRATED)
    np.testing.assert_allclose(motion.energy, motion.energy[0], rtol=INTEGRATED)
    assert motion.residual.max() < CLOSED


def test_the_ground_may_be_the_child_of_a_joint():
    hanging = pendulum()
    turned = Mechanism(
        "pendulum",
        hanging.bodies,
        (joint("pivot", "revolute", "bob", "ground", ZERO, Z),),
        coordinates=(Coordinate("angle", JointCoordinate("pivot")),),
        markers=(Marker("bob", "bob", [0.0, -0.7, 0.0]), Marker("fixed", "ground", [1.0, 2.0, 3.0])),
        gravity=hanging.gravity,
    )
    model, state = moving(turned, {"angle": 0.5}, {"angle": 2.0})

    motion = simulate(model, state, [0.0])

    np.testing.assert_allclose(
        motion.markers["bob"].p[0], 0.7 * np.array([-np.sin(0.5), -np.cos(0.5), 0.0]), atol=CLOSED
    )
    np.testing.assert_allclose(motion.markers["bob"].w[0], [0.0, 0.0, -2.0], atol=CLOSED)
    np.testing.assert_allclose(motion.markers["fixed"].p[0], [1.0, 2.0, 3.0], atol=0.0)
    assert accelerations(model, state).coordinates["angle"] == pytest.approx(-G / 0.7 * np.sin(0.5), rel=POINTWISE)


def double_pendulum(m=(1.3, 0.8), length=0.9, c=(0.4, 0.5), moment=(0.11, 0.07)) -> Mechanism:
    bodies = [
        body(name, mass, [offset, 0.0, 0.0], 0.6 * J, 0.6 * J, J)
        for name, mass, offset, J in zip("ab", m, (c[0], length + c[1]), moment, strict=True)
    ]
    joints = (joint("A", "revolute", "ground", "a", ZERO, Z), joint("B", "revolute", "a", "b", [length, 0.0, 0.0], Z))
    coordinates = (Coordinate("q1", JointCoordinate("A")), Coordinate("q2", JointCoordinate("B")))
    return Mechanism("double pendulum", tuple(bodies), joints, coordinates=coordinates, gravity=[0.0, -G, 0.0])


def double_pendulum_acceleration(q1, q2, w1, w2, Q, m=(1.3, 0.8), l=0.9, c=(0.4, 0.5), I=(0.11, 0.07)):  # noqa: E741
    """Derived by hand: M(q) qdd + h(q, qd) + g(q) = Q with relative angles."""
    M12 = I[1] + m[1] * (c[1] ** 2 + l * c[1] * np.cos(q2))
    M11 = I[0] + I[1] + m[0] * c[0] ** 2 + m[1] * (l**2 + c[1] ** 2 + 2.0 * l * c[1] * np.cos(q2))
    M = np.array([[M11, M12], [M12, I[1] + m[1] * c[1] ** 2]])
    k = m[1] * l * c[1] * np.sin(q2)
    h = np.array([-k * (2.0 * w1 * w2 + w2**2), k * w1**2])
    g2 = m[1] * c[1] * G * np.cos(q1 + q2)
    g = np.array([(m[0] * c[0] + m[1] * l) * G * np.cos(q1) + g2, g2])
    return np.linalg.solve(M, np.array(Q) - h - g)


@pytest.mark.parametrize("seed", range(5))
def test_a_double_pendulum_accelerates_as_derived_by_hand(seed):
    q1, q2, w1, w2, Q1, Q2 = np.random.default_rng(seed).uniform(-3.0, 3.0, 6)
    model, state = moving(double_pendulum(), {"q1": q1, "q2": q2}, {"q1": w1, "q2": w2})

    found = accelerations(model, state, loads=lambda t: Loads(coordinates={"q1": Q1, "q2": Q2})).coordinates

    expected = double_pendulum_acceleration(q1, q2, w1, w2, (Q1, Q2))
    np.testing.assert_allclose([found["q1"], found["q2"]], expected, atol=POINTWISE, rtol=POINTWISE)


def test_a_free_symmetric_top_precesses_and_keeps_its_angular_momentum():
    A, C, w0, spin = 2.0, 3.0, 0.8, 4.0
    mechanism = Mechanism(
        "top",
        (body("top", 5.0, ZERO, A, A, C),),
        (joint("float", "free", "ground", "top", ZERO),),
        markers=(Marker("tip", "top", [0.0, 0.0, 1.0]),),
    )
    model = full_model(mechanism)
    state = FullState(model.design.r, model.design.quaternion, [[1.0, 2.0, 3.0]], [[w0, 0.0, spin]], [])

    motion = simulate(model, state, [0.0, 0.7, 1.9])

    body_rate = (C - A) / A * spin  # Euler's equations: w turns about the axis of the body
    for t, s in zip(motion.t, motion.states, strict=True):
        expected = [w0 * np.cos(body_rate * t), w0 * np.sin(body_rate * t), spin]
        np.testing.assert_allclose(s.w[0], expected, atol=INTEGRATED)
        np.testing.assert_allclose(s.r[0], t * np.array([1.0, 2.0, 3.0]), atol=INTEGRATED)
    tip = motion.markers["tip"]
    momentum = [R @ np.diag([A, A, C]) @ R.T @ w for R, w in zip(tip.R, tip.w, strict=True)]
    np.testing.assert_allclose(momentum, [[A * w0, 0.0, C * spin]] * 3, atol=INTEGRATED)
    relative = tip.p - np.array([s.r[0] for s in motion.states])
    np.testing.assert_allclose(tip.v, np.cross(tip.w, relative) + [1.0, 2.0, 3.0], atol=INTEGRATED)


def test_a_chain_of_prismatic_joints_with_a_spring_oscillates():
    mechanism = Mechanism(
        "cross slide",
        (body("slide", 2.0, ZERO), body("block", 3.0, [0.5, 0.0, 0.0], 0.1, 0.1, 0.1)),
        (joint("x", "prismatic", "ground", "slide", ZERO, X), joint("y", "prismatic", "slide", "block", ZERO, Y)),
        springs=(Spring("sx", JointCoordinate("x"), stiffness=20.0, free_length=0.3),),
        coordinates=(Coordinate("x", JointCoordinate("x")), Coordinate("y", MarkerCoordinate("M", "y"))),
        markers=(Marker("M", "block", [0.5, 0.0, 0.0]),),
        gravity=[0.0, -G, 0.0],
    )
    model, state = moving(mechanism, {"x": 0.1}, {"y": 2.0})

    motion = simulate(model, state, [0.0, 0.4, 1.1])

    t = motion.t
    np.testing.assert_allclose(motion.coordinates["x"].value, 0.3 - 0.2 * np.cos(2.0 * t), atol=INTEGRATED)
    np.testing.assert_allclose(motion.coordinates["y"].value, 2.0 * t - 0.5 * G * t**2, atol=INTEGRATED)
    np.testing.assert_allclose(motion.springs["sx"].force, 4.0 * np.cos(2.0 * t), atol=20 * INTEGRATED)


def test_angles_are_counted_over_many_turns_and_springs_wind_up():
    k, inertia, rate = 0.5, 0.2, 30.0
    mechanism = Mechanism(
        "wound up",
        (body("disc", 1.0, ZERO, 0.1, 0.1, inertia),),
        (joint("axle", "revolute", "ground", "disc", ZERO, Z),),
        springs=(Spring("clock", JointCoordinate("axle"), stiffness=k, preload=0.0),),
        coordinates=(Coordinate("angle", JointCoordinate("axle")),),
    )
    model, state = moving(mechanism, {"angle": -15.0}, {"angle": rate})
    w = np.sqrt(k / inertia)

    motion = simulate(model, state, [0.0, 1.0, 2.5])

    expected = -15.0 * np.cos(w * motion.t) + rate / w * np.sin(w * motion.t)  # nearly four turns to either side
    assert np.abs(expected).max() > 3.0 * np.pi
    np.testing.assert_allclose(motion.coordinates["angle"].value, expected, atol=INTEGRATED)
    np.testing.assert_allclose(motion.springs["clock"].force, -k * expected, atol=INTEGRATED)


def test_a_rod_carries_a_conical_pendulum():
    length, tilt = 1.2, 0.6
    mechanism = Mechanism(
        "conical pendulum",
        (body("bob", 2.0, [length * np.sin(tilt), 0.0, -length * np.cos(tilt)]),),
        (joint("float", "free", "ground", "bob", ZERO),),
        rods=(Rod("string", "ground", "bob", ZERO, [length * np.sin(tilt), 0.0, -length * np.cos(tilt)], length),),
        gravity=[0.0, 0.0, -G],
        coordinates=tuple(Coordinate(a, MarkerCoordinate("bob", a)) for a in "xy"),
        markers=(Marker("bob", "bob", [length * np.sin(tilt), 0.0, -length * np.cos(tilt)]),),
    )
    turning = np.sqrt(G / (length * np.cos(tilt)))
    model, state = moving(mechanism, {}, {"y": turning * length * np.sin(tilt)})

    motion = simulate(model, state, [0.0, 1.0, 2.0])

    phase = turning * motion.t
    ring = np.array([np.cos(phase), np.sin(phase), 0.0 * phase - 1.0 / np.tan(tilt)]).T
    np.testing.assert_allclose(motion.markers["bob"].p, length * np.sin(tilt) * ring, atol=INTEGRATED)
    assert motion.residual.max() < CLOSED


# -- closed loops -----------------------------------------------------------------------------------------------------


def test_the_crank_slider_follows_its_reference_trajectory():
    """Independent recomputation of the crank-slider of section 3.7 of the dissertation on precomputation.

    Its reduced ODE and its maximal-coordinate DAE agree to 5e-14.
    """
    model, state = moving(crank_slider(), {}, {"th01": 2.0})

    motion = simulate(model, state, [0.0, 1.0, 2.5, 5.0])

    th01 = motion.coordinates["th01"]
    expected = [0.0, 1.8051044519176853, 4.855277962719032, 9.526722032772092]
    np.testing.assert_allclose(th01.value, expected, atol=1e-9)
    np.testing.assert_allclose(th01.rate, [2.0, 1.9562485369662252, 1.8120447954079706, 2.0057392214248413], atol=1e-9)
    np.testing.assert_allclose(motion.energy, 66.0, atol=1e-8)
    phi = -np.arcsin(np.sin(expected) / 2.0)
    np.testing.assert_allclose(motion.springs["k"].value, 2.0 - np.cos(expected) - 2.0 * np.cos(phi), atol=1e-9)


def test_the_energy_that_is_lost_is_the_work_of_the_dampers():
    dampers = (Damper("c", Distance("ground", "slider", np.array([8.0, 2.0, 0.0]), np.array([5.0, 1.0, 0.0])), 15.0),)
    model, state = moving(crank_slider(dampers=dampers), {}, {"th01": 2.0})
    t = np.linspace(0.0, 1.0, 41)

    motion = simulate(model, state, t, rtol=1e-9)

    power = motion.dampers["c"].force * motion.dampers["c"].rate
    lost = (
        -(t[1] - t[0]) / 3.0 * (power[0] + power[-1] + 4.0 * power[1::2].sum() + 2.0 * power[2:-1:2].sum())
    )  # Simpson
    assert (np.diff(motion.energy) < 0.0).all()
    assert motion.energy[0] - motion.energy[-1] == pytest.approx(lost, rel=1e-4)


# -- joints as sequences ----------------------------------------------------------------------------------------------


def hung(kind: str, primitives) -> Mechanism:
    """A heavy body on one joint, on an arm that turns, with a spring on its second primitive."""
    second = Joint("J", kind, "arm", "load", np.array([0.5, 0.1, 0.0]), np.array([0.5, 0.1, 0.0]), primitives)
    return Mechanism(
        "hung",
        (body("arm", 1.0, [0.3, 0.0, 0.0], 0.1, 0.2, 0.2), body("load", 2.0, [0.6, -0.4, 0.2], 0.2, 0.3, 0.25)),
        (joint("A", "revolute", "ground", "arm", ZERO, Y), second),
        springs=(Spring("s", JointCoordinate("J", 1), stiffness=3.0, preload=0.5),),
        coordinates=(
            Coordinate("a", JointCoordinate("A")),
            *(Coordinate(f"q{k}", JointCoordinate("J", k)) for k in range(len(primitives))),
        ),
        gravity=[0.0, 0.0, -G],
    )


@pytest.mark.parametrize(
    ("kind", "axes"), [("universal", (X, [0.6, 0.8, 0.0])), ("cylindrical", (Z,)), ("planar", ([0.0, 0.6, 0.8],))]
)
def test_a_sequence_moves_like_the_standard_joint_it_spells_out(kind, axes):
    primitives = joint_primitives(kind, axes)
    values = {"a": 0.4, **{f"q{k}": 0.3 - 0.5 * k for k in range(len(primitives))}}
    rates = {"a": -1.0, **{f"q{k}": 1.5 - k for k in range(len(primitives))}}
    found = []
    for as_kind in (kind, "sequence"):
        model, state = moving(hung(as_kind, primitives), values, rates)
        second = accelerations(model, state).coordinates
        motion = simulate(model, state, [0.0, 0.3])
        found.append([*second.values(), *(c.value[-1] for c in motion.coordinates.values())])
        np.testing.assert_allclose(motion.energy, motion.energy[0], rtol=INTEGRATED)
    np.testing.assert_allclose(found[1], found[0], atol=POINTWISE * 10)


def test_a_rotation_then_a_translation_is_motion_in_polar_coordinates():
    primitives = (Primitive("rotation", Z), Primitive("translation", X))
    mechanism = Mechanism(
        "polar",
        (body("bead", 2.0, ZERO),),
        (Joint("J", "sequence", "ground", "bead", ZERO, ZERO, primitives),),
        coordinates=(Coordinate("phi", JointCoordinate("J", 0)), Coordinate("r", JointCoordinate("J", 1))),
        markers=(Marker("bead", "bead", ZERO),),
    )
    model, state = moving(mechanism, {"r": 0.5, "phi": 0.8}, {"r": 0.7, "phi": 3.0})

    found = accelerations(model, state).coordinates

    assert found["r"] == pytest.approx(0.5 * 3.0**2, rel=POINTWISE)
    assert found["phi"] == pytest.approx(-2.0 * 0.7 * 3.0 / 0.5, rel=POINTWISE)
    np.testing.assert_allclose(accelerations(model, state).markers["bead"], 0.0, atol=POINTWISE)  # no force
