"""`law = "cardan"` of bushings as a user meets it: file, tables, both run-times, full model; and the difference."""

import tomllib
from dataclasses import replace

import numpy as np
import pytest
from helpers_corner import Corner
from helpers_kernel import Pair, random_numbers
from helpers_reference import ZERO, body, joint

from fmu_src.model.laws import forces
from fmu_src.numpy_runtime.dynamics import acceleration
from fmu_src.numpy_runtime.state import State
from precompute.errors import MechanismError
from precompute.geometry.spatial import rotation, rotation_quaternion
from precompute.mechanism_file import from_document, load, store
from precompute.model.mechanism import Bushing, Mechanism
from precompute.pipeline import bake
from precompute.reference import Loads, accelerations, bushing_state
from precompute.reference.bodies import FullState, all_bodies
from precompute.reference.bushings import all_bushings
from precompute.verify.kinematic_check import kinematic_check

TEXT = """
schema = 1
name = "Arm"
units = { length = "mm", mass = "kg", angle = "deg", force = "N" }
gravity = [0, 0, -9.81]

[bodies.arm]
mass = 5
com = [0, 300, 0]
inertia = [60e3, 20e3, 70e3]

[bushings.front]
parent = "ground"
child = "arm"
at = [100, 0, 0]
axis = [3, 0.4, 0.2]
stiffness = [800, 900, 700, 30000, 90000, 60000]
damping = [0.3, 0.5, 0.4, 20, 30, 40]
preload = [0, 0, 0, 5000, 20000, -10000]
law = "cardan"

[bushings.rear]
parent = "ground"
child = "arm"
at = [-100, 0, 10]
axis = "x"
stiffness = [400, 500, 500, 20000, 70000, 0]
damping = [0.3, 0.5, 0.4, 20, 30, 40]
tables = { rz = [[-5, -300000], [0.5, 30000], [5, 600000]] }
law = "cardan"

[markers.tip]
body = "arm"
at = [10, 400, 30]

[ports.tip]
marker = "tip"

[coordinates.free.arm]
of = "joint.arm_mount"
from = -25
to = 25

[tables]
tolerance = 1e-7
stiff_tolerance = 1e-3
"""


def document(law="cardan", **tables):
    found = tomllib.loads(TEXT)
    for bushing in found["bushings"].values():
        bushing["law"] = law
    found["tables"] |= tables
    return found


@pytest.fixture(scope="module")
def arm():
    return Corner(bake(from_document(document())))


def test_the_file_says_it_and_keeps_it(tmp_path):
    mechanism = from_document(document())
    assert {b.law for b in mechanism.bushings} == {"cardan"}
    store.save(mechanism, tmp_path / "arm.toml")
    assert {b.law for b in load(tmp_path / "arm.toml").bushings} == {"cardan"}
    assert {b.law for b in from_document(document("rotation_vector")).bushings} == {"rotation_vector"}
    with pytest.raises(MechanismError, match="front.law: is 'gimbal'; choose one of rotation_vector, cardan"):
        from_document(document("gimbal"))


def test_tables_hold_the_angles_of_the_witness(arm):
    found = kinematic_check(arm.model, arm.mechanism)
    assert not found.faults and any("bushing.front" in d.quantity for d in found.differences)


def states(arm, seed, n=5, size=1.0):
    """Random states within table and radius."""
    rng = np.random.default_rng(seed)
    radius = np.array([stiff.radius for stiff in arm.model.stiff])
    axis = arm.model.charts[0].axes[0]
    for _ in range(n):
        z = np.concatenate([[rng.uniform(axis.lower, axis.upper)], size * radius * rng.uniform(-1, 1, radius.size)])
        yield z, 5.0 * np.concatenate([[1.0], radius]) * rng.uniform(-1, 1, z.size), rng


@pytest.mark.parametrize("size", [0.2, 1.0])
def test_accelerations_and_moments_are_those_of_the_full_model(arm, size):
    """The Taylor polynomials are what is left: third order of the deflections."""
    for z, zd, rng in states(arm, 1, size=size):
        F, M = 500.0 * rng.standard_normal(3), 100.0 * rng.standard_normal(3)
        inputs = arm.inputs.copy()
        inputs[arm.slots.loads] = np.concatenate([F, M])
        full = arm.full_state(z, zd)
        load = Loads(ports={"tip": (F, M)})
        exact = accelerations(arm.full, full, loads=lambda t, load=load: load)
        found = acceleration(arm.runtime, z, zd, arm.parameters, inputs)
        largest = abs(exact.coordinates["arm"]) + 100.0
        assert abs(found[0] - exact.coordinates["arm"]) < 0.01 * size * largest
        shown = arm.outputs(State(0.0, 0, 0, z, zd), inputs)
        state = bushing_state(arm.full.bushings, full)
        for name, force, delta in zip(("front", "rear"), state.force, state.deflection, strict=True):
            own = np.array([shown[f"bushing.{name}.force[{i}]"] for i in range(1, 7)])
            moved = np.array([shown[f"bushing.{name}.deflection[{i}]"] for i in range(1, 7)])
            np.testing.assert_allclose(moved, delta, atol=2e-5 * size**2)
            np.testing.assert_allclose(own[3:], force[3:], atol=0.01 * size**2 * np.abs(force[3:]).max())


def test_both_run_times_agree(arm, tmp_path):
    follows = document(stiff="quasistatic")
    for model in (arm.model, replace(arm.model, method="midpoint"), bake(from_document(follows))):
        both, rng = Pair(model, tmp_path), np.random.default_rng(3)
        for _ in range(3):
            numbers = random_numbers(both, rng)
            assert both.difference(numbers, rng) < 1e-12
            assert both.difference(numbers, rng, step=1e-3) < 1e-12


# -- the difference between the laws -----------------------------------------------------------------------------------


def moments(law, R, K):
    """On a body that is turned by R on a bushing with rates K (3,), in the axes of its parent."""
    bushing = Bushing("b", "ground", "one", ZERO, np.eye(3), np.diag([0.0, 0.0, 0.0, *K]), law=law)
    free = joint("free", "free", "ground", "one", ZERO)
    bodies = all_bodies(Mechanism("One", (body("one", 1.0, ZERO, 1.0, 1.0, 1.0),), (free,)))
    still = np.zeros((1, 3))
    state = FullState(still, rotation_quaternion(R)[None], still, still, [])
    return bushing_state(all_bushings(bodies, [bushing]), state).on_child[0, 1]


def turned(theta):
    size = float(np.linalg.norm(theta))
    return rotation(np.asarray(theta) / size, size)


@pytest.mark.parametrize("size", [0.1, 0.01])
def test_the_moments_differ_by_products_of_two_angles(size):
    """To first order they are the same; the leading term of docs/equations.md is all up to third order."""
    rng = np.random.default_rng(7)
    for _ in range(10):
        K, theta = rng.uniform(50.0, 500.0, 3), size * rng.uniform(-1.0, 1.0, 3)
        R = turned(theta)
        difference = moments("cardan", R, K) - moments("rotation_vector", R, K)
        (k1, k2, k3), (t1, t2, t3) = K, theta
        leading = [t2 * t3 * (k1 + k3 - k2), t3 * t1 * (k2 + k1 - k3), t1 * t2 * (k2 - k3 - k1)]
        np.testing.assert_allclose(difference, 0.5 * np.array(leading), atol=500.0 * size**3)
        np.testing.assert_allclose(moments("cardan", R, K), -K * theta, atol=2 * 500.0 * size**2)


def test_the_case_in_the_docs():
    """Rates 100, 400, 400 N m/rad, turned by 10 deg about the axis and 3 deg about both others."""
    K, theta = np.array([100.0, 400.0, 400.0]), np.deg2rad([10.0, 3.0, 3.0])
    cardan, vector = (moments(law, turned(theta), K) for law in ("cardan", "rotation_vector"))
    np.testing.assert_allclose(cardan, [-17.33, -19.03, -22.65], atol=5e-3)
    np.testing.assert_allclose(vector, [-17.48, -19.53, -22.27], atol=5e-3)
    assert np.linalg.norm(cardan - vector) / np.linalg.norm(vector) == pytest.approx(0.0187, abs=5e-5)


def test_moments_about_axes_do_work_around_a_cycle(arm):
    """Which is the energy that does not come back: without a preload of third order, as docs/equations.md says."""
    model = arm.model
    p = arm.tuned({f"bushing.front.preload[{i}]": 0.0 for i in (4, 5, 6)})
    front = model.cardans[0]
    t = np.linspace(0.0, 2.0 * np.pi, 2001)

    def work(size, law):
        a = size * np.stack([np.cos(t), np.sin(t), np.cos(2.0 * t + 0.7)], axis=-1)
        s = np.zeros((t.size, len(model.elements)))
        s[:, front + 3 : front + 6] = a
        own = model if law == "cardan" else replace(model, cardans=())
        still = [0.0] * len(model.elements)
        f = np.array([forces(own, p, row, still) for row in s.tolist()])[:, front + 3 : front + 6]
        return float((0.5 * (f[1:] + f[:-1]) * np.diff(a, axis=0)).sum())

    assert abs(work(0.1, "vector")) < 1e-9
    large, small = work(0.1, "cardan"), work(0.05, "cardan")
    assert abs(large) > 1e-3 and large / small == pytest.approx(8.0, rel=0.1)
