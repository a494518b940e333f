"""The full model under inputs in pieces: what jumps between them, and loads in axes that the chassis carries along."""

import numpy as np
import pytest
from helpers_reference import INTEGRATED, ZERO, G, X, Y, Z, body, four_bar, joint, moving

from precompute.errors import PrecomputeError
from precompute.model.mechanism import Coordinate, JointCoordinate, Marker, Mechanism, Port
from precompute.reference import (
    ChassisState,
    Inputs,
    Loads,
    Piece,
    carried,
    coordinate_values,
    followed,
    on_chassis,
    recorded,
    simulate,
)
from precompute.reference.simulation import entered

TWISTS = np.array([[0.3, -0.2, 0.5, 4.0, 1.0, -2.0], [-0.4, 0.6, 0.1, -3.0, 2.0, 1.0]])


def pendulum(gravity=ZERO, start=0.5):
    """A bob on a hinge along y at the side of the chassis' origin."""
    bob = body("bob", 1.5, [0.4, 0.3, -1.0], 0.1, 0.2, 0.15)
    hinge = joint("hinge", "revolute", "ground", "bob", [0.4, 0.3, 0.0], Y)
    of = (Coordinate("a", JointCoordinate("hinge")),)
    marker = Marker("tip", "bob", np.array([0.4, 0.3, -1.2]))
    mechanism = Mechanism(
        "P", (bob,), (hinge,), coordinates=of, gravity=gravity, markers=(marker,), ports=(Port("tip", "tip"),)
    )
    return moving(mechanism, {"a": start}, {"a": 1.0})


def test_another_twist_leaves_velocities_relative_to_the_chassis_alone():
    _, state = pendulum()
    pose = {"p": np.array([1.0, 2.0, 3.0]), "quaternion": np.array([0.5, 0.1, -0.7, 0.5])}
    first, second = (on_chassis(state, ChassisState(**pose, twist=V)) for V in TWISTS)
    found = carried(first, TWISTS[1], np.zeros(6))
    for what in ("r", "quaternion", "v", "w"):
        np.testing.assert_allclose(getattr(found, what), getattr(second, what), atol=1e-14)


def test_pieces_of_one_smooth_history_are_that_history():
    model, state = moving(four_bar(), {"crank": 0.3}, {"crank": 2.0})
    t = np.linspace(0.0, 0.5, 6)
    smooth = simulate(model, state, t, lambda t: Loads(coordinates={"crank": 3.0 * t}))
    inputs = Inputs(loads=lambda t: Loads(coordinates={"crank": 3.0 * t}))
    *_, last = followed(model, state, [Piece(a, b, inputs) for a, b in zip(t[:-1], t[1:], strict=True)])
    assert coordinate_values(model, last)[0] == pytest.approx(smooth.coordinates["crank"].value[-1], abs=INTEGRATED)


def test_forces_that_jump_give_parabolas():
    """A slide pushed by 2 N for a second and by -6 N for the next: m = 2 kg."""
    mass = Mechanism(
        "Slide", (body("mass", 2.0, X, 0.1, 0.1, 0.1),), (joint("slide", "prismatic", "ground", "mass", X, X),),
        coordinates=(Coordinate("x", JointCoordinate("slide")),),
    )  # fmt: skip
    model, state = moving(mass, {"x": 0.0}, {"x": 0.0})
    pieces = [
        Piece(k, k + 1.0, Inputs(loads=lambda t, force=force: Loads(coordinates={"x": force})))
        for k, force in enumerate([2.0, -6.0])
    ]
    found = [coordinate_values(model, state)[0] for state in followed(model, state, pieces)]
    np.testing.assert_allclose(found, [0.5, 0.0], atol=INTEGRATED)


def test_loads_that_the_chassis_carries_turn_with_it():
    """Gravity and a force in chassis axes, on a chassis that turns; gravity as an acceleration of the chassis instead.

    du/dt + w x u = -g with u(0) = 0, so u = -(t - (1 - cos a)/w^2 K + (a - sin a)/w^3 K^2) g,   a = |w| t, K = skew(w)
    """
    w, g, force = np.array([0.6, -0.4, 0.9]), np.array([1.0, 0.0, -G]), np.array([3.0, 2.0, -1.0])
    size, across = float(np.linalg.norm(w)), np.cross(w, g)

    def twist(t):
        a = size * t
        u = -t * g + (1 - np.cos(a)) / size**2 * across - (a - np.sin(a)) / size**3 * np.cross(w, across)
        return np.concatenate([w, u]), np.concatenate([np.zeros(3), -g - np.cross(w, u)])

    t = np.linspace(0.0, 0.6, 4)
    loads = {"tip": (force, np.array([0.1, 0.2, 0.3]))}
    V = np.concatenate([w, np.zeros(3)])
    model, state = pendulum()
    state = on_chassis(state, ChassisState(twist=V))
    plain = simulate(
        model, state, t, lambda t: Loads(loads, gravity=g, carried=True), chassis=lambda t: (V, np.zeros(6))
    )
    lifted = simulate(model, state, t, lambda t: Loads(loads, carried=True), chassis=twist)
    np.testing.assert_allclose(plain.coordinates["a"].value, lifted.coordinates["a"].value, atol=INTEGRATED)
    np.testing.assert_allclose(plain.chassis.wrench, lifted.chassis.wrench, atol=1e-6)
    fixed = simulate(model, state, t, lambda t: Loads(loads, gravity=g), chassis=lambda t: (V, np.zeros(6)))
    assert np.abs(fixed.coordinates["a"].value - plain.coordinates["a"].value).max() > 1e-2


def test_a_drive_that_leaps_takes_its_coordinate_along_and_no_other():
    arms = tuple(body(name, 1.0, X if name == "one" else 2 * X, 0.1, 0.1, 0.1) for name in ("one", "two"))
    hinges = (joint("a", "revolute", "ground", "one", ZERO, Z), joint("b", "revolute", "one", "two", X, Z))
    both = Mechanism("Two", arms, hinges, coordinates=tuple(Coordinate(n, JointCoordinate(n)) for n in "ab"))
    model, state = moving(both, {"a": 0.2, "b": -0.4}, {"a": 1.0, "b": 3.0})
    there = entered(model, state, Inputs(drives={"a": lambda t: (0.5, -2.0, 0.0)}), 0.0)
    np.testing.assert_allclose(coordinate_values(model, there), [0.5, -0.4], atol=1e-12)
    rates = recorded(model, np.array([0.0]), [there], Inputs()).coordinates
    assert rates["a"].rate[0] == pytest.approx(-2.0) and rates["b"].rate[0] == pytest.approx(3.0)


def test_what_diverges_is_said():
    model, state = pendulum()
    huge = Inputs(loads=lambda t: Loads(coordinates={"a": np.nan if t > 0.1 else 0.0}))
    with pytest.raises(PrecomputeError, match="'P': the full model diverged at t = 0.1"):
        list(followed(model, state, [Piece(0.0, 0.2, huge)]))
