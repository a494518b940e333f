"""Equilibrium and small motions of the full model, against closed forms."""

import numpy as np
import pytest
from helpers_reference import ZERO, G, X, Y, body, four_bar, joint, moving

from precompute.errors import SingularityError
from precompute.model.mechanism import Bushing, Coordinate, Damper, JointCoordinate, Marker, Mechanism, Port, Spring
from precompute.reference import Loads, accelerations, equilibrium, full_model, response, simulate, small_motions

EXACT = 1e-7  # of central differences with steps of 1e-5


def pendulum(**more) -> Mechanism:
    """A pendulum of mass 1.5 at 0.5 below its hinge, central inertia 0.2."""
    bob = body("bob", 1.5, [0.0, 0.0, -0.5], 0.2, 0.2, 0.2)
    hinge = joint("hinge", "revolute", "ground", "bob", ZERO, Y)
    of = (Coordinate("a", JointCoordinate("hinge")),)
    return Mechanism("P", (bob,), (hinge,), coordinates=of, gravity=[0, 0, -G], **more)


def test_frequency_and_damping_of_a_pendulum():
    model = full_model(pendulum(dampers=(Damper("c", JointCoordinate("hinge"), damping=0.3),)))
    small = small_motions(model, model.design)
    inertia = 0.2 + 1.5 * 0.25
    w2, c = 1.5 * G * 0.5 / inertia, 0.3 / inertia
    assert small.frequencies == pytest.approx([np.sqrt(w2) / (2 * np.pi)], rel=EXACT)
    np.testing.assert_allclose(small.eigenvalues.real, -c / 2, rtol=EXACT)
    np.testing.assert_allclose(np.abs(small.eigenvalues.imag), np.sqrt(w2 - c**2 / 4), rtol=EXACT)


def test_a_pendulum_hangs_where_spring_and_weight_are_in_balance():
    model, state = moving(pendulum(springs=(Spring("k", JointCoordinate("hinge"), stiffness=3.0, preload=2.0),)))
    rest = equilibrium(model, state)
    a = simulate(model, rest, [0.0]).coordinates["a"].value[0]
    assert 2.0 - 3.0 * a == pytest.approx(1.5 * G * 0.5 * np.sin(a), abs=1e-10)
    assert np.abs(accelerations(model, rest).bodies).max() < 1e-7
    held = equilibrium(model, state, held={"a": 0.25})
    assert simulate(model, held, [0.0]).coordinates["a"].value[0] == pytest.approx(0.25)


def test_a_block_on_a_bushing_gives_way_and_swings():
    K = np.diag([400.0, 900.0, 1600.0, 50.0, 60.0, 18.0])
    bushing = Bushing("b", "ground", "block", ZERO, np.eye(3), K)
    mechanism = Mechanism(
        "Block", (body("block", 4.0, ZERO, 2.0, 1.5, 2.0),), (joint("j", "free", "ground", "block", ZERO),),
        bushings=(bushing,), markers=(Marker("m", "block", ZERO),), ports=(Port("p", "m"),),
    )  # fmt: skip
    model = full_model(mechanism)
    load = Loads(ports={"p": (np.array([4.0, 9.0, -16.0]), np.array([0.0, 0.0, 1.8]))})
    rest = equilibrium(model, model.design, load)
    deflection = simulate(model, rest, [0.0]).bushings["b"].deflection[0]
    np.testing.assert_allclose(deflection, [0.01, 0.01, -0.01, 0.0, 0.0, 0.1], atol=1e-9)
    expected = np.sqrt(np.sort([100.0, 225.0, 400.0, 25.0, 40.0, 9.0])) / (2 * np.pi)
    small = small_motions(model, model.design)
    np.testing.assert_allclose(small.frequencies, expected, rtol=EXACT)
    moved = response(model, model.design, None, load)
    np.testing.assert_allclose([*moved.v[0], *moved.w[0]], deflection, atol=EXACT)


def test_response_to_a_load_with_a_coordinate_held():
    push = Loads(coordinates={"crank": 0.2})
    model, state = moving(four_bar(), {"crank": 0.3})
    rest = equilibrium(model, state)
    at = simulate(model, rest, [0.0]).coordinates["crank"].value[0]
    small = Loads(coordinates={"crank": 1e-5})
    there = simulate(model, equilibrium(model, rest, small), [0.0]).coordinates["crank"].value[0]
    rate = simulate(model, response(model, rest, None, push), [0.0]).coordinates["crank"].rate[0]
    assert rate / 0.2 == pytest.approx((there - at) / 1e-5, rel=1e-4)
    held = response(model, rest, None, push, {"crank": at})
    assert np.abs(held.u).max() < EXACT


def test_small_motions_agree_with_a_simulation():
    model, state = moving(four_bar(), {"crank": 0.3})
    rest = equilibrium(model, state)
    frequency = small_motions(model, rest).frequencies
    assert frequency.size == 1
    at = simulate(model, rest, [0.0]).coordinates["crank"].value[0]
    start = moving(four_bar(), {"crank": at + 1e-4})[1]
    half = 0.5 / frequency[0]
    swung = simulate(model, start, [0.0, half]).coordinates["crank"].value
    assert swung[1] - at == pytest.approx(-(swung[0] - at), rel=1e-3)


def test_no_equilibrium():
    slide = Mechanism(
        "Falling", (body("mass", 1.0, ZERO, 1.0, 1.0, 1.0),), (joint("j", "prismatic", "ground", "mass", ZERO, X),),
        gravity=[1.0, 0.0, 0.0],
    )  # fmt: skip
    model = full_model(slide)
    with pytest.raises(SingularityError, match="'Falling' finds no equilibrium"):
        equilibrium(model, model.design)
