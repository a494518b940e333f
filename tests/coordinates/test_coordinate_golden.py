"""Weights, condition numbers and amplification of the crank-slider: section 4.6 of the dissertation."""

import json

import numpy as np
import pytest
from helpers import GOLDEN, MECHANISMS
from scipy.optimize import brentq

from precompute.kinematics.assembly import close_loops
from precompute.kinematics.coefficients import Closure, factorize, velocity_coefficients
from precompute.kinematics.continuation import follow
from precompute.kinematics.loops import loop_twists
from precompute.kinematics.subspace import allowable_motions
from precompute.kinematics.topology import spanning_tree
from precompute.mechanism_file import load

TOLERANCE = 1e-10
CRANK, CRANK_PIN = 0, 1
ORIGIN = np.zeros(3)


class CrankSlider:
    """The Jacobian of the shipped file at any crank angle."""

    def __init__(self):
        m = load(MECHANISMS / "crank_slider.toml")
        self.topology = spanning_tree(m)
        self.closure = Closure(m, self.topology, (m.coordinates[0].of,))
        self.walked = [close_loops(m, self.topology).q]
        joints = [j.name for j in m.joints]
        self.columns = [self.topology.v_slices[joints.index(n)].start for n in ("crank", "crank_pin", "slider_pin")]
        self.columns.append(self.topology.v_slices[joints.index("slide")].start)

    def q(self, deg):
        """By continuation from the nearest multiple of 15 deg below, which is walked to once."""
        first = int(deg // 15)
        while len(self.walked) <= first:
            self.walked.append(self.step(self.walked[-1], 15 * (len(self.walked) - 1), 15 * len(self.walked)))
        return self.step(self.walked[first], 15 * first, deg)

    def step(self, q, start, end):
        done = follow(self.closure, q[None], np.deg2rad([[start]]), np.deg2rad([[end]]))
        assert done.reached.all()
        return done.q[0]

    def twists(self, deg, point=ORIGIN):
        """(6, 4): columns crank, crank pin, slider pin, slide."""
        return loop_twists(self.topology, self.closure.poses(self.q(deg)), point)[:, self.columns]

    def V(self, deg):
        """The unit null vector with its first entry positive."""
        V = allowable_motions(self.twists(deg)).R[:, 0]
        return V * np.sign(V[0])

    def condition(self, deg, k):
        """Of [Jac; row of joint k]."""
        return np.linalg.cond(np.vstack([self.twists(deg), np.eye(4)[k]]))

    def norm_B(self, deg, coordinate):
        """|dq/dz| through the velocity coefficients that the tables are made of."""
        closure = Closure(self.closure.mechanism, self.topology, (coordinate,))
        factor = factorize(closure, closure.matrix(closure.poses(self.q(deg))))
        return float(np.linalg.norm(velocity_coefficients(closure, factor)))


@pytest.fixture(scope="module")
def mechanism():
    return CrankSlider()


@pytest.fixture(scope="module")
def golden():
    return json.loads((GOLDEN / "coordinate_selection.json").read_text())


def test_weights_singular_values_and_conditions(mechanism, golden):
    joints = mechanism.closure.mechanism.joints
    crank, pin = (type(mechanism.closure.coordinates[0])(j.name) for j in joints[:2])
    for row in golden["table"]:
        deg = row["deg"]
        V, J = mechanism.V(deg), mechanism.twists(deg)
        np.testing.assert_allclose(V, row["V"], atol=TOLERANCE)
        np.testing.assert_allclose(np.linalg.svd(J, compute_uv=False)[:3], row["singular_values_J"], atol=TOLERANCE)
        assert np.linalg.cond(np.vstack([J, V])) == pytest.approx(row["cond_QR"], rel=1e-9)
        for k, coordinate, name in ((CRANK, crank, "01"), (CRANK_PIN, pin, "12")):
            assert mechanism.condition(deg, k) == pytest.approx(row[f"cond_I{name}"], rel=1e-9)
            assert mechanism.norm_B(deg, coordinate) == pytest.approx(row[f"normB_{name}"], rel=1e-9)
            assert 1.0 / abs(V[k]) == pytest.approx(row[f"normB_{name}"], rel=1e-9)


def test_null_vectors_have_their_closed_form(mechanism):
    exact = {0: [2, -3, 1, 0], 90: [1, -1, 0, 1], 180: [2, -1, -1, 0], 270: [1, -1, 0, -1]}
    for deg, v in exact.items():
        np.testing.assert_allclose(mechanism.V(deg), v / np.linalg.norm(v), atol=1e-12)


def test_condition_depends_on_the_reference_point(mechanism, golden):
    for point, conditions in golden["cond_vs_reference_point"].items():
        p = np.array([*map(float, point.strip("()").split(",")), 0.0])
        for deg, condition in zip((0, 90, 180, 270), conditions, strict=True):
            stacked = np.vstack([mechanism.twists(deg, p), mechanism.V(deg)])
            assert np.linalg.cond(stacked) == pytest.approx(condition, rel=1e-9)


def test_weights_cross_at_90_and_270_deg(mechanism, golden):
    def difference(deg):
        V = np.abs(mechanism.V(deg))
        return V[CRANK] - V[CRANK_PIN]

    found = [brentq(difference, a, b, xtol=1e-9) for a, b in ((60, 120), (240, 300))]
    np.testing.assert_allclose(found, golden["weight_crossings_deg"], atol=1e-7)
    assert 1 / abs(mechanism.V(90.0)[CRANK]) == pytest.approx(np.sqrt(3.0), rel=1e-12)


def test_conditions_cross_elsewhere(mechanism, golden):
    """So "largest weight, best condition" is only nearly true."""

    def difference(deg):
        return mechanism.condition(deg, CRANK) - mechanism.condition(deg, CRANK_PIN)

    found = [brentq(difference, a, b, xtol=1e-9) for a, b in ((100, 150), (250, 290))]
    np.testing.assert_allclose(found, golden["cond_crossings_deg"], atol=1e-6)
