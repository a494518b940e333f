"""Bushings and stiff directions of the full model, against closed forms and balances."""

import json
from dataclasses import replace

import numpy as np
import pytest
from helpers import GOLDEN, ROOT, five_point
from helpers_reference import INTEGRATED, ZERO, G, X, Y, Z, body, joint, moving

from precompute.geometry.spatial import rotation_quaternion
from precompute.kinematics.poses import poses
from precompute.kinematics.topology import spanning_tree
from precompute.mechanism_file import load
from precompute.model.mechanism import (
    LOCKED,
    Body,
    Bushing,
    BushingDeflection,
    Coordinate,
    ForceTable,
    Joint,
    JointCoordinate,
    Marker,
    MarkerCoordinate,
    Mechanism,
    Port,
    Spring,
    joint_primitives,
    stiff_primitives,
)
from precompute.reference import Loads, accelerations, assemble, bushing_state, full_model, measure_value, simulate
from precompute.reference.bodies import FullState, turned
from precompute.reference.bushings import all_bushings, bushing_energy, bushing_loads
from precompute.reference.dynamics import potential_energy

AXES = np.linalg.qr(np.array([[1.0, 2.0, 0.5], [-0.3, 1.0, 0.7], [0.2, -0.6, 1.0]]))[0]
AXES = AXES * np.sign(np.linalg.det(AXES))
SYMMETRIC = np.array([[3.0, 1.0, 0.0, 0.2, 0.0, 0.1], [1.0, 4.0, 0.5, 0.0, 0.3, 0.0], [0.0, 0.5, 2.0, 0.0, 0.0, 0.2]])
FULL = np.vstack([SYMMETRIC, np.hstack([SYMMETRIC[:, 3:].T, np.diag([1.0, 2.0, 1.5])])])


def on_bushing(bushing, *bodies, **more) -> Mechanism:
    """A body on one bushing, with the ball that the mechanism file would give it."""
    ball = (*joint_primitives("spherical"), *stiff_primitives(LOCKED["spherical"], bushing.R))
    mount = Joint("mount", "spherical", bushing.parent, bushing.child, bushing.p, bushing.p, ball, "parent", bushing.R)
    return Mechanism("OnBushing", bodies, (mount,), bushings=(bushing,), **more)


def two_bodies(rng) -> tuple[Mechanism, FullState]:
    """Two free bodies with a general bushing between them, anywhere, moving."""
    bushing = Bushing("b", "one", "two", np.array([0.2, 0.1, -0.3]), AXES, 10 * FULL, FULL, np.arange(6.0))
    first = joint("free", "free", "ground", "one", ZERO)
    ball = (*joint_primitives("spherical"), *stiff_primitives(LOCKED["spherical"], AXES))
    mount = Joint("mount", "spherical", "one", "two", bushing.p, bushing.p, ball, "parent", AXES)
    bodies = (body("one", 2.0, [0.1, 0.0, 0.2], 1.0, 1.5, 2.0), body("two", 1.0, [0.5, 0.2, -0.1], 0.5, 0.6, 0.7))
    mechanism = Mechanism("Two", bodies, (first, mount), bushings=(bushing,))
    r = np.array([[0.1, 0.0, 0.2], [0.5, 0.2, -0.1]]) + 0.3 * rng.standard_normal((2, 3))
    quaternion = turned(np.tile([1.0, 0, 0, 0], (2, 1)), 0.8 * rng.standard_normal((2, 3)))
    return mechanism, FullState(r, quaternion, rng.standard_normal((2, 3)), rng.standard_normal((2, 3)), [])


@pytest.mark.parametrize("seed", range(4))
def test_forces_are_the_gradient_of_the_energy_and_in_balance(seed):
    rng = np.random.default_rng(seed)
    mechanism, state = two_bodies(rng)
    elastic = Bushing("b", "one", "two", mechanism.bushings[0].p, AXES, 10 * FULL, preload=np.arange(6.0))
    bushings = all_bushings(full_model(mechanism).bodies, [elastic])
    Q = bushing_loads(bushings, state)
    assert not Q[-6:].any()  # the ground has no part in it

    def energy(step):
        there = FullState(
            state.r + step.reshape(2, 6)[:, 3:],
            turned(state.quaternion, step.reshape(2, 6)[:, :3]),
            state.v,
            state.w,
            [],
        )
        return bushing_energy(bushings, bushing_state(bushings, there).deflection)

    h = 1e-4
    slopes = [
        (8 * (energy(h * e) - energy(-h * e)) - energy(2 * h * e) + energy(-2 * h * e)) / (12 * h) for e in np.eye(12)
    ]
    np.testing.assert_allclose(Q[:12], -np.array(slopes), atol=1e-8)

    force, moment = Q[:12].reshape(2, 6)[:, 3:], Q[:12].reshape(2, 6)[:, :3]
    R = np.array([rotation_matrix(q) for q in state.quaternion])
    np.testing.assert_allclose(force.sum(0), 0.0, atol=1e-12)  # Newton's third law
    about_origin = (R @ moment[..., None])[..., 0] + np.cross(state.r, force)
    np.testing.assert_allclose(about_origin.sum(0), 0.0, atol=1e-12)


def rotation_matrix(q):
    e0, e = q[0], q[1:]
    K = np.array([[0, -e[2], e[1]], [e[2], 0, -e[0]], [-e[1], e[0], 0]])
    return np.eye(3) + 2 * e0 * K + 2 * K @ K


def test_rates_are_those_of_the_deflections():
    mechanism, state = two_bodies(np.random.default_rng(7))
    bushings, h = full_model(mechanism).bushings, 1e-4

    def deflection(t):
        there = FullState(state.r + t * state.v, turned(state.quaternion, t * state.w), state.v, state.w, [])
        return bushing_state(bushings, there).deflection

    slope = five_point(np.array([deflection(n * h) for n in (1, -1, 2, -2)]), h)
    np.testing.assert_allclose(bushing_state(bushings, state).rate, slope, atol=1e-10)


def test_free_bodies_on_a_bushing_conserve_energy_and_momentum():
    mechanism, state = two_bodies(np.random.default_rng(3))
    elastic = Bushing("b", "one", "two", mechanism.bushings[0].p, AXES, 10 * FULL)
    mechanism = Mechanism("Two", mechanism.bodies, mechanism.joints, bushings=(elastic,))
    slow = FullState(state.r, state.quaternion, 0.3 * state.v, 0.3 * state.w, [])
    motion = simulate(full_model(mechanism), slow, np.linspace(0.0, 2.0, 5))
    np.testing.assert_allclose(motion.energy, motion.energy[0], rtol=1e-9)
    mass = np.array([b.mass for b in mechanism.bodies])
    momentum = np.array([mass @ s.v for s in motion.states])
    np.testing.assert_allclose(momentum, momentum[[0]].repeat(5, 0), atol=1e-9)


def test_full_model_and_measures_agree_on_the_deflections():
    """Two implementations of one law."""
    rng = np.random.default_rng(5)
    mechanism, state = two_bodies(rng)
    topology, model = spanning_tree(mechanism).unlocked(), full_model(mechanism)
    # the same relative pose by joint coordinates: place body two by the stiff translations and the ball
    q = np.zeros((1, topology.nq))
    q[0, :3], q[0, 3:7] = 0.1 * rng.standard_normal(3), turned(np.array([[1.0, 0, 0, 0]]), rng.standard_normal((1, 3)))
    q[0, 7:11] = turned(np.array([[1.0, 0, 0, 0]]), 0.7 * rng.standard_normal((1, 3)))
    q[0, 11:] = 0.2 * rng.standard_normal(3)
    P = poses(mechanism, topology, q)
    delta = [float(BushingDeflection("b", i).value(P)[0]) for i in range(6)]
    r = [X.point(b.com)[0] for X, b in zip(P.X[1:], mechanism.bodies, strict=True)]
    quaternion = [rotation_quaternion(X.R)[0] for X in P.X[1:]]
    there = FullState(r, quaternion, state.v, state.w, [])
    np.testing.assert_allclose(bushing_state(model.bushings, there).deflection[0], delta, atol=1e-13)
    np.testing.assert_allclose(delta[:3], q[0, 11:], atol=1e-13)  # what the stiff coordinates are


def test_a_body_on_a_bushing_swings_with_the_frequencies_of_the_closed_form():
    """Translation along x and rotation about z of a body held at its centre of mass: two oscillators."""
    K = np.diag([400.0, 1e3, 1e3, 50.0, 60.0, 18.0])
    bushing = Bushing("b", "ground", "block", ZERO, np.eye(3), K)
    model = full_model(on_bushing(bushing, body("block", 4.0, ZERO, 1.0, 1.0, 2.0)))
    state = FullState([[0.01, 0, 0]], turned(np.array([[1.0, 0, 0, 0]]), np.array([[0.0, 0, 0.5]])), [ZERO], [ZERO], [])
    t = np.linspace(0.0, 1.0, 6)
    motion = simulate(model, state, t)
    np.testing.assert_allclose(motion.bushings["b"].deflection[:, 0], 0.01 * np.cos(10.0 * t), atol=INTEGRATED)
    np.testing.assert_allclose(motion.bushings["b"].deflection[:, 5], 0.5 * np.cos(3.0 * t), atol=INTEGRATED)


def test_damped_translation():
    m, k, c = 2.0, 200.0, 8.0
    bushing = Bushing("b", "ground", "block", ZERO, np.eye(3), k * np.eye(6), c * np.eye(6))
    model = full_model(on_bushing(bushing, body("block", m, ZERO, 1.0, 1.0, 1.0)))
    state = FullState([[0.0, 0.02, 0.0]], [[1.0, 0, 0, 0]], [ZERO], [ZERO], [])
    t = np.linspace(0.0, 1.0, 5)
    motion = simulate(model, state, t)
    a, w = c / (2 * m), np.sqrt(k / m - (c / (2 * m)) ** 2)
    expected = 0.02 * np.exp(-a * t) * (np.cos(w * t) + a / w * np.sin(w * t))
    np.testing.assert_allclose(motion.bushings["b"].deflection[:, 1], expected, atol=INTEGRATED)


def test_a_pendulum_on_a_bushing():
    """Planar pendulum on a pivot that gives way: equations of motion in (x, z, angle) written out.

    The bob hangs below the pivot by l, with deflections x and z of the pivot and k, kappa of the bushing.
    """
    m, inertia, length, k, kappa = 1.5, 0.2, 0.5, 5e3, 3.0
    K = np.diag([k, k, k, kappa, kappa, kappa])
    bushing = Bushing("pivot", "ground", "bob", ZERO, np.eye(3), K)
    mechanism = on_bushing(bushing, body("bob", m, [0, 0, -length], inertia, inertia, inertia), gravity=[0, 0, -G])
    model = full_model(mechanism)
    angle, rate = 0.4, 1.3  # about -y: the bob moves to +x
    com = np.array([length * np.sin(angle), 0.0, -length * np.cos(angle)])
    quaternion = turned(np.array([[1.0, 0, 0, 0]]), np.array([[0.0, -angle, 0.0]]))
    v = rate * length * np.array([np.cos(angle), 0.0, np.sin(angle)])
    state = FullState([com + [0.001, 0, -0.002]], quaternion, [v], [[0.0, -rate, 0.0]], [])
    found = accelerations(model, state).bodies
    force = np.array([-k * 0.001, 0.0, k * 0.002])
    np.testing.assert_allclose(found[3:], force / m + [0, 0, -G], atol=1e-10)
    arm = -com  # from the centre of mass to the pivot
    moment_y = (np.cross(arm, force))[1] + kappa * angle
    np.testing.assert_allclose(found[1], moment_y / inertia, atol=1e-10)
    motion = simulate(model, state, np.linspace(0.0, 0.5, 6))
    np.testing.assert_allclose(motion.energy, motion.energy[0], atol=1e-8)


def test_stiff_pendulum_tends_to_the_rigid_one():
    gravity = np.array([0.0, 0.0, -G])
    bob = body("bob", 1.0, [0.0, 0.0, -1.0], 0.1, 0.1, 0.1)
    hinge = Mechanism(
        "Rigid", (bob,), (joint("hinge", "revolute", "ground", "bob", ZERO, Y),),
        coordinates=(Coordinate("a", JointCoordinate("hinge")),), gravity=gravity,
    )  # fmt: skip
    t = np.array([0.0, 0.1])
    rigid = simulate(*moving(hinge, {"a": 0.3}), t).coordinates["a"].value[-1]
    R = np.column_stack([Y, Z, X])
    primitives = (*joint_primitives("revolute", [Y]), *stiff_primitives(LOCKED["revolute"], R))
    mount = Joint("hinge", "revolute", "ground", "bob", ZERO, ZERO, primitives, "parent", R)
    errors = []
    for k in (1e4, 1e5):
        K = k * np.diag([1.0, 1, 1, 0, 0.1, 0.1])
        bushings = tuple(Bushing(n, "ground", "bob", y * Y, R, K) for n, y in (("l", -0.5), ("r", 0.5)))
        soft = Mechanism("Soft", (bob,), (mount,), bushings=bushings, coordinates=hinge.coordinates, gravity=gravity)
        model, state = moving(soft, {"a": 0.3})
        assert not model.constraints.labels and model.bodies.loose == {"hinge"}
        errors.append(abs(simulate(model, state, t, rtol=1e-9).coordinates["a"].value[-1] - rigid))
    assert errors[1] < 0.2 * errors[0] < 2e-3


@pytest.mark.parametrize("side", ["parent", "child"])
def test_a_joint_that_is_free_or_stiff_everywhere(side):
    """Whether it is left out or built as a chain of massless bodies, the motion is the same."""
    R = np.column_stack([X, Y, Z])
    primitives = (*joint_primitives("revolute", [X]), *stiff_primitives(LOCKED["revolute"], R))
    mount = Joint("m", "revolute", "ground", "arm", ZERO, ZERO, primitives, side, R)
    ends = [("f", 0.3), ("r", -0.3)]
    bushings = tuple(Bushing(n, "ground", "arm", x * X, R, np.diag([9e3, 9e3, 9e3, 0, 5, 5])) for n, x in ends)
    measuring = Spring("s", JointCoordinate("m", 4), stiffness=0.0, free_length=0.0)
    found = []
    for springs, bodies in (((), 1), ((measuring,), 6)):
        mechanism = Mechanism(
            "Arm", (body("arm", 2.0, [0.1, 0.5, 0.0], 0.2, 0.1, 0.2),), (mount,), bushings=bushings, springs=springs,
            coordinates=(Coordinate("a", JointCoordinate("m")),), gravity=[0, 0, -G],
        )  # fmt: skip
        model, state = moving(mechanism, {"a": 0.2}, {"a": 1.0})
        assert len(model.bodies.names) == bodies
        motion = simulate(model, state, np.array([0.0, 0.1]), rtol=1e-10)
        np.testing.assert_allclose(motion.energy, motion.energy[0], atol=1e-7)
        found.append([motion.coordinates["a"].value[-1], *motion.bushings["f"].deflection[-1]])
    np.testing.assert_allclose(*found, atol=1e-8)


def test_a_partly_stiff_joint_keeps_its_locked_directions():
    R = np.column_stack([Y, Z, X])
    primitives = (*joint_primitives("revolute", [Y]), *stiff_primitives(["rz"], R))
    mount = Joint("hinge", "revolute", "ground", "bob", ZERO, ZERO, primitives, "child", R)
    spring = Spring("s", JointCoordinate("hinge", 1), stiffness=40.0, free_length=0.0)
    mechanism = Mechanism(
        "Part", (body("bob", 1.0, [0.3, 0.2, -1.0], 0.1, 0.1, 0.1),), (mount,), springs=(spring,),
        coordinates=(Coordinate("a", JointCoordinate("hinge")),), gravity=[0, 0, -G],
    )  # fmt: skip
    model, state = moving(mechanism, {"a": 0.3}, {"a": 2.0})
    motion = simulate(model, state, np.linspace(0.0, 0.5, 4))
    assert motion.residual.max() < 1e-9
    assert np.abs(motion.springs["s"].value).max() > 1e-3
    np.testing.assert_allclose(motion.energy, motion.energy[0], atol=1e-8)


def test_static_deflection_under_a_load_and_a_table():
    """A damped block on a bushing with a table in x settles where the table has the load."""
    table = ForceTable([-0.01, 0.0, 0.01, 0.02], [-50.0, 0.0, 50.0, 200.0])
    K, C = np.diag([0.0, 1e4, 1e4, 10, 10, 10]), np.diag([150.0, 100, 100, 10, 10, 10])
    tables = (table, None, None, None, None, None)
    bushing = Bushing("b", "ground", "block", ZERO, np.eye(3), K, C, [5.0, 0, 0, 0, 0, 0], tables)
    mechanism = on_bushing(
        bushing, body("block", 1.0, ZERO, 1.0, 1.0, 1.0), markers=(Marker("m", "block", ZERO),), ports=(Port("p", "m"),)
    )
    model = full_model(mechanism)
    loads = {"p": (np.array([120.0, 0, 0]), ZERO)}
    motion = simulate(model, model.design, [0.0, 0.5], lambda t: Loads(ports=loads))
    np.testing.assert_allclose(motion.bushings["b"].deflection[-1, 0], 0.015, atol=1e-7)
    np.testing.assert_allclose(motion.bushings["b"].force[-1, 0], -120.0, atol=1e-3)
    wrench = accelerations(model, motion.states[-1], 0.0, lambda t: Loads(ports=loads)).on_chassis
    np.testing.assert_allclose(wrench[3:], [120.0, 0, 0], atol=1e-3)


def test_assembly_keeps_stiff_directions_at_zero():
    R = np.column_stack([X, Y, Z])
    primitives = (*joint_primitives("revolute", [X]), *stiff_primitives(LOCKED["revolute"], R))
    mount = Joint("m", "revolute", "ground", "arm", ZERO, ZERO, primitives, "parent", R)
    mechanism = Mechanism(
        "Arm", (Body("arm", 1.0, Y, np.eye(3)),), (mount,),
        bushings=(Bushing("b", "ground", "arm", X, R, np.eye(6)), Bushing("c", "ground", "arm", -X, R, np.eye(6))),
        markers=(Marker("tip", "arm", Y),), coordinates=(Coordinate("z", MarkerCoordinate("tip", "z")),),
    )  # fmt: skip
    model = full_model(mechanism)
    state = assemble(model, {"z": 0.5})
    assert measure_value(model, state, JointCoordinate("m")) == pytest.approx(np.pi / 6)
    delta = bushing_state(model.bushings, state).deflection[0]
    np.testing.assert_allclose(delta, [0, 0, 0, np.pi / 6, 0, 0], atol=1e-12)
    assert potential_energy(model, state) == pytest.approx((np.pi / 6) ** 2)


@pytest.mark.parametrize(("variant", "side"), [("A", "child"), ("B", "parent")])
def test_crank_slider_with_a_stiff_direction_follows_the_golden_trajectory(variant, side):
    golden = json.loads((GOLDEN / "crank_slider_stiff.json").read_text())["trajectories"][variant]
    mechanism = load(ROOT / "tests" / "mechanisms" / "crank_slider_stiff.toml")
    joints = [replace(j, stiff_axes=side) if j.stiff else j for j in mechanism.joints]
    model, state = moving(replace(mechanism, joints=tuple(joints)), rates={"crank": 2.0})
    motion = simulate(model, state, golden["t"][:2])
    np.testing.assert_allclose(motion.coordinates["crank"].value, golden["th01"][:2], atol=1e-10)
    np.testing.assert_allclose(motion.springs["crank_pin"].value, golden["s"][:2], atol=1e-10)
