"""Table 1 of Zou, Abdel-Malek and Wang: derivatives by complex step, at random bodies."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.linalg import expm

from precompute.design.constraints import Side, distance, dot_1, dot_2, spherical

STEP = 1e-30
TOLERANCE = 1e-8
"""Of the issue; what is left is rounding, below 1e-14."""


def tilde(a):
    return np.array([[0, -a[2], a[1]], [a[2], 0, -a[0]], [-a[1], a[0], 0]])


def random_side(rng):
    return Side(
        rng.normal(size=3), expm(tilde(rng.normal(size=3))), rng.normal(size=3), expm(tilde(rng.normal(size=3)))
    )


def varied(side, what, k):
    """A side after a step along the imaginary axis; turns are about global axes."""
    e = 1j * STEP * np.eye(3)[k]
    if what == "r":
        return replace(side, r=side.r + e)
    if what == "pi":
        return replace(side, A=(np.eye(3) + tilde(e)) @ side.A)
    if what == "s":
        return replace(side, s=side.s + e)
    return replace(side, C=(np.eye(3) + side.A.T @ tilde(e) @ side.A) @ side.C)


def kinds(rng):
    a, b = rng.normal(size=(2, 3))
    return {
        "dot-1": lambda i, j, length: dot_1(i, a, j, b),
        "dot-2": lambda i, j, length: dot_2(i, a, j),
        "spherical": lambda i, j, length: spherical(i, j),
        "distance": lambda i, j, length: distance(i, j, length),
    }


@pytest.mark.parametrize("name", ["dot-1", "dot-2", "spherical", "distance"])
@pytest.mark.parametrize("seed", range(3))
def test_derivatives(name, seed):
    rng = np.random.default_rng(seed)
    constraint, i, j, length = kinds(rng)[name], random_side(rng), random_side(rng), 0.7
    rows = constraint(i, j, length)
    for what in ("r", "pi", "s", "xi"):
        for k in range(3):
            of_i, of_j = (
                constraint(varied(i, what, k), j, length).value.imag / STEP,
                constraint(i, varied(j, what, k), length).value.imag / STEP,
            )
            np.testing.assert_allclose(getattr(rows, what)[0][:, k], of_i, rtol=0, atol=TOLERANCE)
            np.testing.assert_allclose(getattr(rows, what)[1][:, k], of_j, rtol=0, atol=TOLERANCE)
    along = constraint(i, j, length + 1j * STEP).value.imag / STEP
    np.testing.assert_allclose(rows.length, along, rtol=0, atol=TOLERANCE)


def test_values():
    i = Side(np.array([1.0, 0.0, 0.0]), np.eye(3), np.array([0.0, 2.0, 0.0]), tilde([0, 0, 1.0]) + np.diag([0, 0, 1.0]))
    j = Side(np.array([4.0, 0.0, 0.0]), np.eye(3), np.array([0.0, 2.0, 4.0]))
    ex, ey, ez = np.eye(3)
    np.testing.assert_array_equal(spherical(i, j).value, [3.0, 0.0, 4.0])
    np.testing.assert_array_equal(distance(i, j, 5.0).value, [0.0])
    np.testing.assert_array_equal(dot_1(i, ex, j, ey).value, [1.0])  # x of the joint is y of the body
    np.testing.assert_array_equal(dot_2(i, ey, j).value, [-3.0])
    np.testing.assert_array_equal(dot_2(i, ez, j).value, [4.0])


def test_a_rigid_motion_of_both_bodies_changes_nothing():
    rng = np.random.default_rng(7)
    i, j = random_side(rng), random_side(rng)
    for name, constraint in kinds(rng).items():
        if name == "spherical":
            continue  # a vector, which turns along
        rows = constraint(i, j, 0.7)
        np.testing.assert_allclose(rows.r[0] + rows.r[1], 0.0, atol=1e-14)
        moment = sum(rows.pi[k] + np.cross(side.r, rows.r[k]) for k, side in enumerate((i, j)))
        np.testing.assert_allclose(moment, 0.0, atol=1e-13)
