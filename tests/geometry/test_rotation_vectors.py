import numpy as np
import pytest
from helpers import five_point

from precompute.geometry.rotation_vectors import inverse_left_jacobian, inverse_left_jacobian_derivative
from precompute.geometry.spatial import quaternion_exp, quaternion_rotation, so3_log

STEP = 1e-3


def rotation_of(theta):
    return quaternion_rotation(quaternion_exp(theta))


@pytest.mark.parametrize("angle", [0.0, 1e-9, 1e-3, 0.3, 0.999, 1.001, 2.0, 3.1])
def test_derivatives_of_the_rotation_vector(angle):
    theta = angle * np.array([0.48, -0.6, 0.64])
    L, dL = inverse_left_jacobian(theta), inverse_left_jacobian_derivative(theta)
    for k, w in enumerate(np.eye(3)):
        steps = np.array([1.0, -1.0, 2.0, -2.0])[:, None] * STEP * w
        if angle < 3.0:  # beyond, the stencil crosses half a turn
            change = five_point(so3_log(rotation_of(steps) @ rotation_of(theta)), STEP)
            np.testing.assert_allclose(change, L[:, k], atol=1e-10)
        np.testing.assert_allclose(five_point(inverse_left_jacobian(theta + steps), STEP), dL[..., k], atol=1e-9)


def test_series_and_closed_form_meet():
    theta = np.array([[0.0, 0.0, 1.0 - 1e-12], [0.0, 0.0, 1.0 + 1e-12]])
    for f in (inverse_left_jacobian, inverse_left_jacobian_derivative):
        below, above = f(theta)
        np.testing.assert_allclose(below, above, atol=1e-11)
