"""Discs that roll and slide in the full model: golden numbers, small motions about upright, what a floor can exert."""

import json
from dataclasses import replace

import numpy as np
import pytest
from helpers import GOLDEN
from helpers_reference import ZERO, X, Y, Z
from helpers_rolling import GRAVITY, MASS, PHI, PSI, RADIUS, TH, disc, disc_axes

from precompute.model.mechanism import (
    GROUND,
    Body,
    Coordinate,
    Joint,
    JointCoordinate,
    Marker,
    Mechanism,
    joint_primitives,
)
from precompute.reference import accelerations, assemble, full_model, initial_velocity, recorded, simulate
from precompute.reference.inputs import Inputs
from precompute.reference.least_motion import least_motion
from precompute.reference.model import velocity_jacobian
from precompute.reference.rolling import Rolling
from precompute.reference.statics import small_motions, with_rates

AT_2S = {"psi": 2.299260834913, "th": 1.155101376548, "phi": -12.583683757739}
"""From (psi, th, phi) = (0.3, 1.2, 0), rates (0.4, 0, -6), P = 0."""
P_AT_2S = (1.600097795021, 5.082150921713)
FORCE_AT_2S = (-4.291764097, -3.681194848, 19.563842272)
ENERGY = 22.0076246324


def started(kind, rates, tilt=1.2):
    model = full_model(disc(kind))
    at = assemble(model, {"lean": tilt - TH, "heading": PSI})
    return model, initial_velocity(model, at, rates)


@pytest.fixture(scope="module")
def rolled():
    model, state = started("rolling", {"heading": 0.4, "spin": -6.0})
    return model, simulate(model, state, [0.0, 1.0, 2.0])


def test_a_disc_rolls_as_the_golden_one_for_two_seconds(rolled):
    _, motion = rolled
    at = {name: motion.coordinates[name].value[-1] for name in ("heading", "lean", "spin")}
    assert at["heading"] == pytest.approx(AT_2S["psi"], abs=1e-9)
    assert at["lean"] + TH == pytest.approx(AT_2S["th"], abs=1e-9)
    assert at["spin"] == pytest.approx(AT_2S["phi"], abs=1e-9)
    P = [motion.coordinates[word].value[-1] for word in "xy"]
    np.testing.assert_allclose(P, P_AT_2S, atol=1e-9)
    np.testing.assert_allclose(-motion.chassis.wrench[-1, 3:], FORCE_AT_2S, atol=1e-6)
    np.testing.assert_allclose(motion.energy, ENERGY, rtol=1e-10)


def test_the_point_that_touches_is_at_rest_and_bears_no_moment(rolled):
    model, motion = rolled
    for k, state in enumerate(motion.states):
        assert np.abs(model.rolling.rows(state) @ np.concatenate([state.u, np.zeros(6)])).max() < 1e-9
        P = np.array([motion.coordinates[word].value[k] for word in "xy"] + [0.0])
        moment, force = motion.chassis.wrench[k, :3], motion.chassis.wrench[k, 3:]
        np.testing.assert_allclose(moment, np.cross(P, force), atol=1e-7)


def test_rows_of_a_disc_whose_mass_is_off_its_centre_are_rates_of_the_golden_kinematics():
    """The golden disc of the text in its motion: rows, and their rate along it."""
    g = json.loads((GOLDEN / "rolling_wheel.json").read_text())["disc3d"]
    model = full_model(disc("rolling", com=[0.03, 0.01, RADIUS - 0.05]))
    t = g["t"]
    psi, th, phi = 0.3 + 0.7 * t + 0.2 * t**2, 1.1 + 0.25 * t - 0.1 * t**2, 0.2 + 1.3 * t + 0.15 * t**2
    psid, thd, phid = 0.7 + 0.4 * t, 0.25 - 0.2 * t, 1.3 + 0.3 * t
    at = assemble(model, {"lean": th - TH, "heading": psi, "spin": phi})
    state = initial_velocity(model, at, {"heading": psid, "lean": thd, "spin": phid})
    number = model.bodies.index("disc")
    assert np.abs(state.R[number] @ state.w[number] - g["omega"]).max() < 1e-9
    centre = state.v[number] + np.cross(g["omega"], state.R[number] @ model.rolling.s)
    assert np.abs(centre - g["rOdot"]).max() < 1e-9
    track = model.bodies.index("contact_track")
    assert np.abs(state.v[track] - g["rPdot_true"]).max() < 1e-9
    assert np.abs(disc_axes(psi, th)[0] - g["e"]).max() < 1e-9


def test_the_rate_of_the_rows_is_what_accelerations_lack():
    model, state = started("rolling", {"heading": 0.7, "lean": 0.4, "spin": -3.0})
    h = 1e-4
    rows = [model.rolling.rows(s)[:, :-6] for s in simulate(model, state, [0.0, h, 2.0 * h]).states]
    rate = (-3.0 * rows[0] + 4.0 * rows[1] - rows[2]) / (2.0 * h)
    np.testing.assert_allclose(model.rolling.gamma(state), -rate @ state.u, rtol=1e-5)


@pytest.mark.parametrize(("n", "frequency"), [(3.0, 2.429815), (6.0, 8.408567)])
def test_lean_of_an_upright_disc_swings(n, frequency):
    """Lean frequency^2 = 12/5 n^2 - 4 g/(5 R)."""
    model, state = started("rolling", {"spin": n, "lean": 1e-4}, tilt=TH)
    quarter = 0.5 * np.pi / frequency
    motion = simulate(model, state, quarter * np.arange(5.0))
    lean = motion.coordinates["lean"].value
    np.testing.assert_allclose(lean, 1e-4 / frequency * np.array([0, 1, 0, -1, 0]), atol=2e-6 * 1e-4)


def test_a_slow_disc_falls():
    """Growth 2.469008 1/s at 2 rad/s."""
    growth = 2.469008
    model, state = started("rolling", {"spin": 2.0, "lean": 1e-5}, tilt=TH)
    t = np.linspace(0.0, 0.8, 5)
    motion = simulate(model, state, t)
    expected = 1e-5 / growth * np.sinh(growth * t)
    np.testing.assert_allclose(motion.coordinates["lean"].value, expected, rtol=2e-6, atol=1e-13)


def test_a_disc_that_slides_feels_no_force_along_the_floor():
    model, state = started("sliding", {"heading": 0.4, "spin": -6.0, "x": 0.3, "y": -0.2})
    assert velocity_jacobian(model, state, None).shape[0] == len(model.constraints.labels)
    motion = simulate(model, state, [0.0, 0.5, 1.0])
    force = -motion.chassis.wrench[:, 3:]
    np.testing.assert_allclose(force[:, :2], 0.0, atol=1e-9)
    assert (force[:, 2] > 0.0).all() and np.ptp(force[:, 2]) > 0.1
    np.testing.assert_allclose(motion.energy, motion.energy[0], rtol=1e-10)
    centres = np.array([s.v[model.bodies.index("disc"), :2] for s in motion.states])
    np.testing.assert_allclose(centres, centres[:1] * np.ones((3, 1)), atol=1e-9)
    assert MASS * GRAVITY == pytest.approx(19.62) and PHI == 0.0


def test_small_motions_are_those_of_a_disc_at_rest_that_falls():
    model, state = started("rolling", {}, tilt=TH)
    rates = np.linalg.eigvals(small_motions(model, state).A).real
    assert rates.max() == pytest.approx(4.0 * GRAVITY / (5.0 * RADIUS), rel=1e-5)


def test_a_wheel_rolls_on_a_circle_as_the_golden_one():
    """Its centre on an arm about O'; the arm turns evenly."""
    g = json.loads((GOLDEN / "rolling_wheel.json").read_text())["planar_wheel"]
    reach, O, A = g["R"] + g["Rt"], np.array([*g["O"], 0.0]), np.array([*g["A"], 0.0])  # noqa: E741
    arm = Joint("arm", "revolute", GROUND, "arm", ZERO, ZERO, joint_primitives("revolute", [Z]))
    axle = Joint("axle", "revolute", "arm", "wheel", O, O, joint_primitives("revolute", [Z]))
    mechanism = Mechanism(
        "wheel on a circle",
        bodies=(Body("arm", 1.0, 0.5 * O, np.eye(3)), Body("wheel", 1.0, O + [0.05, 0.02, 0.0], np.eye(3))),
        joints=(arm, axle),
        coordinates=(Coordinate("angle", JointCoordinate("arm")),),
        markers=(Marker("O", "wheel", O), Marker("A", "wheel", A)),
    )
    assert np.linalg.norm(O) == pytest.approx(reach)
    plain = full_model(mechanism)
    number = plain.bodies.index("wheel")
    rows = Rolling(number, O - plain.bodies.com[number], Z, g["R"], Z, (X, Y), centre=ZERO)
    model = replace(plain, rolling=rows)
    state = set_rolling(model)
    even = accelerations(model, state, drives={"angle": lambda t: (t, 1.0, 0.0)})
    motion = recorded(model, np.zeros(1), [state], Inputs(None, None, {"angle": lambda t: (t, 1.0, 0.0)}))
    for name, first, second in (("O", "Od", "Odd"), ("A", "Ad", "Add")):
        assert np.abs(motion.markers[name].v[0, :2] - g[first]).max() < 1e-9
        assert np.abs(even.markers[name][:2] - g[second]).max() < 1e-6 * np.linalg.norm(g[second])


def set_rolling(model):
    """The arm turns by 1 rad/s, and the wheel as it must: its rows are between velocities alone."""
    J = velocity_jacobian(model, model.design, np.zeros(1))
    rhs = np.zeros(len(J))
    rhs[len(model.constraints.labels)] = 1.0
    return with_rates(model, model.design, least_motion(J, rhs))
