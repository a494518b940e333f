"""Rows as a quadratic system: value, Jacobian, second derivatives, scaling."""

import numpy as np
import pytest

from precompute.natural.expressions import Coordinates, combination, constant, polynomial
from precompute.natural.quadratic import quadratic_system
from precompute.natural.rows import along, angle, distance, equal, held_dot, parallel

STEP = 1e-30


def mixed_rows():
    """One of each row maker, in space."""
    c = Coordinates()
    rng = np.random.default_rng(17)
    p, q, u, v = (c.vector(name, rng.normal(size=3)) for name in "pquv")
    s, cosine, sine = (c.scalar(name, rng.normal()) for name in ["s", "cos", "sin"])
    rows = [
        *held_dot("dot", p - q, u, 0.3),
        *equal("equal", v, combination([0.5, -1.5], [u, p - constant([1.0, 2.0, 3.0])])),
        *parallel("parallel", p - q, u),
        *angle("angle", u, v, p - q, cosine, sine, 1.7),
        *distance("distance", p - q, s),
        *along("along", p - q, u, s),
    ]
    return quadratic_system(rows, len(c.names)), rows, c.start


def test_values_are_those_of_the_polynomials_at_any_number_of_places():
    system, rows, x = mixed_rows()
    many = x + np.random.default_rng(1).normal(size=(4, 3, len(x)))
    expected = np.stack([row.polynomial.at(many) for row in rows], axis=-1)
    assert np.abs(system.value(many) - expected).max() < 1e-14 * np.abs(expected).max()
    assert system.value(x).shape == (len(rows),)


def test_the_jacobian_is_the_derivative_of_the_values():
    system, rows, x = mixed_rows()
    by_complex_step = np.stack(
        [system.value(x + 1j * STEP * np.eye(len(x))[i]).imag / STEP for i in range(len(x))], axis=1
    )
    assert np.abs(system.jacobian(x) - by_complex_step).max() < 1e-14
    assert system.jacobian(np.stack([x, x]))[1].tolist() == system.jacobian(x).tolist()


def test_the_second_derivative_is_that_of_the_jacobian_everywhere():
    system, _, x = mixed_rows()
    a, b = np.random.default_rng(2).normal(size=(2, len(x)))
    by_complex_step = system.jacobian(x + 1j * STEP * b).imag / STEP @ a
    assert np.abs(system.second(a, b) - by_complex_step).max() < 1e-14
    assert np.abs(system.second(a, b) - system.second(b, a)).max() == 0.0


def test_rows_are_normalised_where_their_gradient_vanishes_too():
    c = Coordinates()
    u = c.vector("u", [0.0, 0.0, 1.0])
    p = c.vector("p", [0.0, 0.0, 2.0])
    system = quadratic_system(parallel("cylinder", p, u), 6)
    assert np.linalg.norm(system.jacobian(c.start), axis=1)[2] == 0.0
    sizes = np.repeat([1.0, 2.0], 3)
    scaled = system.normalised(sizes)
    ratio = system.jacobian(np.ones(6))[2, 0] / scaled.jacobian(np.ones(6))[2, 0]
    assert ratio == pytest.approx(np.linalg.norm([1.0, 1.0, 2.0, 2.0]))
    assert np.abs(scaled.value(c.start + 1.0)).max() < np.abs(system.value(c.start + 1.0)).max()


def test_a_cubic_row_is_refused():
    c = Coordinates()
    s = c.scalar("s", 1.0)
    with pytest.raises(AssertionError, match="quadratic"):
        s * s * s
    assert (s - s).terms == {}
    assert (2.0 + s * 3.0 - polynomial(2.0)).terms == {(0,): 3.0}
