"""Polynomials through designs: exact for what is quadratic, of third order else."""

import numpy as np
import pytest

from precompute.variants.polynomials import BETWEEN, at, coefficients, designs, probes


def through(f, count):
    zero = (0,) * count
    return f(zero), coefficients(count, {signs: f(signs) for signs in (zero, *designs(count))})


@pytest.mark.parametrize("count", [1, 2, 3, 6])
def test_quadratic_functions_are_met_everywhere(count):
    rng = np.random.default_rng(count)
    linear, square = rng.normal(size=(4, count)), rng.normal(size=(4, count, count))

    def f(u):
        u = np.asarray(u, dtype=float)
        return 1.0 + linear @ u + u @ square @ u

    middle, parts = through(f, count)
    for u in rng.uniform(-2.0, 2.0, (5, count)):
        assert middle + at(parts, tuple(u)) == pytest.approx(f(u), abs=1e-13)
    assert len(designs(count)) == 2 * count + count * (count - 1)


def test_the_error_is_of_third_order_and_largest_where_it_is_looked_for():
    errors = []
    for size in (0.4, 0.2):
        middle, parts = through(lambda u, size=size: np.exp(size * np.array([1.0, 0.7]) @ u)[None], 2)
        errors.append(max(abs(middle + at(parts, u) - np.exp(size * np.dot([1.0, 0.7], u)))[0] for u in probes(2)))
    assert 7.0 < errors[0] / errors[1] < 10.0
    middle, parts = through(lambda u: np.array([u[0] ** 3]), 1)
    u = np.linspace(-1.0, 1.0, 2001)
    gap = np.abs([middle + at(parts, (x,)) - x**3 for x in u]).ravel()
    assert abs(abs(u[int(gap.argmax())]) - BETWEEN) < 1e-3
