"""Cardan angles: the three turns, their rates against differences, and how they differ from the rotation vector."""

import numpy as np
import pytest

from fmu_src.model.cardan import on_angles, spin, turning_slopes
from precompute.geometry.cardan_angles import cardan_angles, cardan_rates, cardan_rates_derivative
from precompute.geometry.spatial import quaternion_exp, quaternion_rotation, rotation, skew

E1, E2, E3 = np.eye(3)
RANGE = np.array([3.0, 3.0, 1.4])


def turned(a):
    return rotation(E2, a[..., 1]) @ rotation(E3, a[..., 2]) @ rotation(E1, a[..., 0])


def some(seed, n=20):
    return np.random.default_rng(seed).uniform(-1.0, 1.0, (n, 3)) * RANGE


def test_angles_of_three_turns():
    a = some(1)
    np.testing.assert_allclose(cardan_angles(turned(a)), a, atol=1e-14)


def test_rates_turn_the_rotation():
    """dR/dt = skew(w) R for w = G da/dt; G of the run-time is the inverse of the rates'."""
    a, h = some(2), 1e-5
    for k in range(3):
        slope = (turned(a + h * np.eye(3)[k]) - turned(a - h * np.eye(3)[k])) / (2 * h)
        for i, (angles, dR) in enumerate(zip(a, slope, strict=True)):
            w = np.array(spin(angles, np.eye(3)[k]))
            np.testing.assert_allclose(dR, skew(w) @ turned(angles), atol=1e-9)
            np.testing.assert_allclose(cardan_rates(a)[i] @ w, np.eye(3)[k], atol=1e-12)


def test_derivatives_of_the_rates():
    a, h = some(3), 1e-5
    for k in range(3):
        slope = (cardan_rates(a + h * np.eye(3)[k]) - cardan_rates(a - h * np.eye(3)[k])) / (2 * h)
        np.testing.assert_allclose(cardan_rates_derivative(a)[..., k], slope, atol=1e-6)


def test_moments_do_the_work_of_forces_on_angles():
    rng = np.random.default_rng(4)
    for a in some(4):
        m, rates = rng.standard_normal(3), rng.standard_normal(3)
        assert np.dot(m, spin(a, rates)) == pytest.approx(np.dot(on_angles(a, m), rates), abs=1e-14)
        D, h = np.array(turning_slopes(a, m)), 1e-6
        for k in range(3):
            step = h * np.eye(3)[k]
            slope = (np.array(on_angles(a + step, m)) - np.array(on_angles(a - step, m))) / (2 * h)
            np.testing.assert_allclose(D[:, k], slope, atol=1e-9)


@pytest.mark.parametrize("size", [0.1, 0.01])
def test_the_rotation_vector_is_the_same_to_first_order(size):
    """And what they differ by is (-t2 t3, -t3 t1, t1 t2)/2, up to third order."""
    theta = size * np.random.default_rng(5).uniform(-1.0, 1.0, (50, 3))
    difference = cardan_angles(quaternion_rotation(quaternion_exp(theta))) - theta
    t1, t2, t3 = theta.T
    leading = 0.5 * np.stack([-t2 * t3, -t3 * t1, t1 * t2], axis=-1)
    assert np.abs(difference - leading).max() < 0.5 * size**3
    assert np.abs(difference).max() > 0.2 * size**2
