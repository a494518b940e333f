"""Curves through points: polynomials exactly, derivatives, straight on beyond their ends."""

import numpy as np
import pytest

from precompute.geometry.smooth_curve import SmoothCurve


def test_polynomials_of_degree_five_are_met_with_all_derivatives():
    polynomial = np.polynomial.Polynomial([0.3, -1.0, 0.5, 0.2, -0.1, 0.05])
    x = np.array([-2.0, -1.2, -0.3, 0.1, 0.9, 1.4, 2.0])
    curve, at = SmoothCurve(x, polynomial(x)), np.linspace(-2.0, 2.0, 41)
    for order in range(4):
        expected = polynomial.deriv(order)(at) if order else polynomial(at)
        np.testing.assert_allclose(curve.at(at, order), expected, atol=1e-11)


@pytest.mark.parametrize("count", [2, 3, 4, 5])
def test_few_points_give_the_polynomial_through_them(count):
    x = np.linspace(-1.0, 1.0, count)
    curve = SmoothCurve(x, x ** (count - 1))
    np.testing.assert_allclose(curve.at(np.array([0.3])), 0.3 ** (count - 1), atol=1e-14)


def test_beyond_its_points_a_curve_goes_straight_on():
    curve = SmoothCurve([0.0, 1.0, 2.0, 3.0], [0.0, 1.0, 4.0, 9.0])
    np.testing.assert_allclose(curve.at(np.array([4.0, -1.0])), [15.0, 0.0], atol=1e-12)
    np.testing.assert_allclose(curve.at(np.array([4.0, -1.0]), 1), [6.0, 0.0], atol=1e-12)
    assert not curve.at(np.array([4.0, -1.0]), 2).any()
    assert curve.covers(0.0, 3.0, 0.0) and not curve.covers(-0.1, 3.0, 0.05) and not curve.covers(0.0, 3.1, 0.05)


def test_images_count_otherwise_and_say_the_same():
    x = np.linspace(-1.0, 2.0, 8)
    curve = SmoothCurve(x, np.sin(x))
    image, at = curve.image(-1.0, 0.3, -1.0, 0.7), np.linspace(-1.0, 2.0, 9)
    np.testing.assert_allclose(image.at(-at + 0.3), -curve.at(at) + 0.7, atol=1e-13)
    assert not image.same(curve) and image.image(-1.0, 0.3, -1.0, 0.7).at(np.array(0.5)) == pytest.approx(
        np.sin(0.5), abs=1e-4
    )


@pytest.mark.parametrize(
    ("x", "y", "match"),
    [([0.0], [0.0], "two points"), ([0.0, 0.0], [1.0, 2.0], "ascend"), ([0.0, np.nan], [1.0, 2.0], "finite")],
)
def test_points_that_give_no_curve_are_refused(x, y, match):
    with pytest.raises(ValueError, match=match):
        SmoothCurve(x, y)
