"""Wheel travel, relative angles and sums of measures in the full model: values, rates and curvatures."""

from dataclasses import replace

import numpy as np
import pytest
from test_reference_constraints import DERIVATIVE, EXACT, pair, random_state, slope

from precompute.errors import PrecomputeError
from precompute.model.mechanism import (
    Axes,
    Bushing,
    BushingDeflection,
    Combination,
    Distance,
    JointCoordinate,
    MarkerAngle,
    MarkerCoordinate,
    ReadMeasure,
    RelativeAngle,
    Spring,
    Wheel,
    WheelTravel,
)
from precompute.reference.measures import has_form, measure_curvature, measure_motion
from precompute.reference.metrics import metric_value
from precompute.reference.model import measure_value, open_model

LENGTH = Distance("a", "b", np.array([1.0, 1.0, 0.0]), np.array([-0.3, 0.2, 0.4]))
ANGLE = RelativeAngle("a", "b", [0.48, -0.6, 0.64])
MEASURES = (
    WheelTravel("w"),
    ANGLE,
    RelativeAngle("ground", "b", [0, 0, -2]),
    Combination((WheelTravel("w"), LENGTH, MarkerCoordinate("M", "x")), (0.5, -2.0, 1.0)),
    Combination((ANGLE, JointCoordinate("J")), (1.0, -0.25)),
    *(MarkerAngle("M", angle) for angle in ("roll", "pitch", "yaw")),
)


def model(measures=MEASURES):
    leaning = Axes([0.8, 0, -0.6], [0, 1, 0], [0.6, 0, 0.8])
    wheel = Wheel("w", "b", [0.2, 0.7, -0.3], [0, 1, 0], "left", 0.3)
    read = tuple(ReadMeasure(f"m{i}", of) for i, of in enumerate(measures))
    m = pair("revolute")
    bushing = Bushing("B", "a", "b", np.zeros(3), np.eye(3), np.eye(6))
    return open_model(replace(m, axes=leaning, wheels=(wheel,), measures=read, bushings=(bushing,)))


@pytest.mark.parametrize("seed", range(3))
def test_derivatives_are_those_of_central_differences(seed):
    found = model()
    state = random_state(found, seed)
    near = measure_motion(found.measures, state)
    state = replace(state, angles=near.angles)
    values = slope(lambda s: measure_motion(found.measures, s).values, state)
    rates = slope(lambda s: measure_motion(found.measures, s).rates, state)
    scale = 1.0 + np.abs(rates)
    assert (np.abs(near.rates - values) < 10 * DERIVATIVE * scale**2).all()
    assert (np.abs(measure_curvature(found.measures, state) - rates) < 10 * DERIVATIVE * scale**2).all()
    angles = slope(lambda s: measure_motion(found.measures, s).angles, state)
    np.testing.assert_allclose(near.angle_rates, angles, atol=1e-6 * np.abs(angles).max())


@pytest.mark.parametrize("seed", range(3))
def test_values_are_what_they_measure(seed):
    found = model()
    m, state = found.mechanism, random_state(found, seed)
    a, b = (found.bodies.index(name) for name in "ab")
    R = state.R

    def point(body, p):
        return state.r[body] + R[body] @ (np.array(p) - found.bodies.com[body])

    travel = (point(b, m.wheels[0].centre) - m.wheels[0].centre) @ m.axes.up
    assert measure_value(found, state, WheelTravel("w")) == pytest.approx(travel, abs=EXACT)
    n, x = ANGLE.axis, ANGLE.across
    seen = R[a].T @ R[b] @ x
    turned = np.arctan2(np.cross(n, x) @ seen, x @ seen)
    assert measure_value(found, state, ANGLE) == pytest.approx(turned, abs=EXACT)
    parts = [measure_value(found, state, of) for of in MEASURES[3].of]
    expected = np.dot(parts, MEASURES[3].factors)
    assert measure_value(found, state, MEASURES[3]) == pytest.approx(expected, abs=EXACT)


def test_angles_of_sums_are_counted_over_whole_turns():
    found = model()
    state = random_state(found, 1)
    near = measure_motion(found.measures, state)
    ahead = replace(state, angles=near.angles + 2.0 * np.pi)
    more = measure_motion(found.measures, ahead).values - near.values
    whole = {"m1": 1.0, "m2": 1.0, "m3": 0.0, "m4": 0.75}
    read = [r.name for r in found.formed]
    for name, turns in whole.items():
        assert more[read.index(name)] == pytest.approx(2.0 * np.pi * turns)


def test_sums_with_deflections_of_bushings_are_read_and_not_acted_on():
    of = Combination((BushingDeflection("B", 1), LENGTH), (2.0, 3.0))
    found = model((of,))
    assert not has_form(of) and found.formed == ()
    state = random_state(found, 2)
    value = metric_value(found.mechanism, found.bodies, state, of)
    parts = metric_value(found.mechanism, found.bodies, state, BushingDeflection("B", 1))
    assert value == pytest.approx(2.0 * parts + 3.0 * measure_value(found, state, LENGTH), abs=EXACT)
    with pytest.raises(PrecomputeError, match="no gradient of the bushing"):
        open_model(replace(found.mechanism, springs=(Spring("s", of, stiffness=1.0, preload=0.0),)))
