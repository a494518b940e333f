"""Products, quotients, roots and angles of functions with three derivatives, against power series."""

import numpy as np
import pytest

from precompute.natural import jets
from precompute.natural.carrying import least_rotation, skew_matrix
from precompute.natural.measuring import stretch

FACTORIALS = np.array([1.0, 1.0, 2.0, 6.0])


def jet(*coefficients):
    """The jet at zero of a power series."""
    return tuple(np.array([c]) for c in FACTORIALS * coefficients)


def derivatives(f, h=2e-2):
    """Value and three derivatives of f at zero, by the values around a circle in the complex plane."""
    angle = 2j * np.pi * np.arange(32) / 32
    c = np.fft.fft([f(h * np.exp(a)) for a in angle]) / 32
    return (c[:4] / h ** np.arange(4)).real * FACTORIALS


F, G = (0.7, -0.3, 0.4, 0.2), (1.3, 0.5, -0.2, 0.6)


def series(coefficients):
    return np.polynomial.Polynomial(coefficients)


@pytest.mark.parametrize(
    ("made", "exact"),
    [
        (jets.product(jet(*F), jet(*G)), lambda t: series(F)(t) * series(G)(t)),
        (jets.quotient(jet(*F), jet(*G)), lambda t: series(F)(t) / series(G)(t)),
        (jets.root(jet(*G)), lambda t: np.sqrt(series(G)(t))),
        (jets.angle(jet(*F), jet(*G)), lambda t: np.arctan(series(F)(t) / series(G)(t))),
        (stretch(jet(*F)), lambda t: np.arccos(series(F)(t)) / np.sqrt(1 - series(F)(t) ** 2)),
        (stretch(jet(0.2, 0.3, 0.1, 0.2)), lambda t: np.arccos(z(t)) / np.sqrt(1 - z(t) ** 2)),
    ],
    ids=["product", "quotient", "root", "angle", "stretch near", "stretch far"],
)
def test_against_power_series(made, exact):
    assert np.allclose(np.ravel(made), derivatives(exact), rtol=1e-10, atol=1e-10)


def z(t):
    return series((0.2, 0.3, 0.1, 0.2))(t)


def test_stretch_of_nothing_is_one():
    assert stretch((np.ones(1), np.zeros(1), np.zeros(1))) == (1.0, 0.0, 0.0)


def test_least_rotation_turns_about_the_line_across_both():
    x = np.array([0.6, 0.0, 0.8])
    y = np.array([[0.0, 0.28, 0.96], [0.6, 0.0, 0.8]])
    R = least_rotation(x, (y,))[0]
    assert np.allclose(R @ x, y, atol=1e-15) and np.allclose(R @ np.swapaxes(R, 1, 2), np.eye(3), atol=1e-15)
    across = np.cross(x, y[0])
    assert np.allclose(R[0] @ across, across, atol=1e-15) and np.allclose(R[1], np.eye(3))


def test_skew_matrix_is_the_cross_product():
    a, b = np.random.default_rng(0).standard_normal((2, 3))
    assert np.allclose(skew_matrix(a[None])[0] @ b, np.cross(a, b))
