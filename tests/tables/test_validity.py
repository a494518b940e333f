"""The radius of stiff coordinates keeps its promise everywhere in the table and for all deflections together."""

from functools import cache

import numpy as np
import pytest
from helpers import ROOT

from fmu_src.model.reduced_model import Axis
from fmu_src.model.remainder import function_values, functions, monomials, products
from precompute.kinematics.continuation import follow
from precompute.mechanism_file import load
from precompute.pipeline import survey
from precompute.tables.remainder import axis_functions, explored, fitted, simplex, spread
from precompute.tables.splines import axes_of
from precompute.tables.validity import largest_within, validity

FILES = {
    "corner": "tests/mechanisms/corner.toml",
    "crank_slider_stiff": "tests/mechanisms/crank_slider_stiff.toml",
    "five_link": "integration/mechanisms/five_link.toml",
    "macpherson": "integration/mechanisms/macpherson.toml",
}
TOLERANCE = 1e-3


@cache
def found(name):
    """Coordinates, fields, axes, samples, and what validity makes of them."""
    seen = survey(load(ROOT / FILES[name]))
    coordinates, layout = seen.atlas.pieces[0].coordinates, seen.layouts[0]
    own = coordinates, layout.columns.fields, axes_of(coordinates), layout.samples
    return own, validity(*own, TOLERANCE)


def elsewhere(coordinates, fields, axes, samples, rng, n=40):
    """Fresh configurations all over the table, ends included."""
    full, nf = coordinates.full, fields.nf
    share = np.concatenate([rng.random((n, nf)), rng.integers(0, 2, (8, nf))])
    to = np.zeros((len(share), nf + fields.ns))
    to[:, :nf] = [axis.lower for axis in axes] + share * [axis.upper - axis.lower for axis in axes]
    z = full.values(full.poses(samples))
    near = [int(np.argmin(np.abs(z[:, :nf] - x).max(axis=1))) for x in to[:, :nf]]
    there = follow(full, samples[near], z[near], to)
    assert there.reached.all()
    return explored(coordinates, fields, axes, there.q)


@pytest.mark.parametrize("name", FILES)
def test_errors_are_within_the_tolerance_wherever_deflections_are_within_the_radius(name):
    own, valid = found(name)
    rng = np.random.default_rng(21)
    fresh = elsewhere(*own, rng)
    ns = fresh.fields.ns
    alone = np.concatenate([np.eye(ns), -np.eye(ns)])
    u = np.concatenate([np.repeat(alone[None], len(fresh.q), 0), simplex(rng, (len(fresh.q), 40), ns)], axis=1)
    value, _, reached = fresh.remainders(np.arange(len(fresh.q)), u * valid.radius)
    error = (np.abs(value) / fresh.scale).max(axis=-1)
    assert reached.all() and error.max() < 1.05 * TOLERANCE  # 5 %: what lies between the places that were looked at
    assert error.max() > 0.7 * TOLERANCE  # and it is not much smaller than need be


@pytest.mark.parametrize("name", FILES)
def test_remainders_are_what_exact_solutions_leave(name):
    """At fresh configurations and deflections: all fields together to a third, half of the places to a tenth."""
    own, valid = found(name)
    rng = np.random.default_rng(22)
    fresh = elsewhere(*own, rng)
    P = function_values(fresh.axes, axis_functions(fresh), fresh.z)
    u = simplex(rng, (12,), fresh.fields.ns)
    value, _, _ = fresh.remainders(np.arange(len(fresh.q)), np.repeat((u * valid.radius)[None], len(fresh.q), 0))
    exact = (np.abs(value) / fresh.scale).max(axis=-1)
    ours = np.max([np.abs(part.at(P, u)).max(axis=-1) for part in valid.remainders], axis=0)
    ratio = ours / exact
    assert 0.9 < np.median(ratio) < 1.1 and (np.abs(np.log(ratio)) < np.log(1.5)).mean() > 0.9


def alone(error):
    return largest_within(lambda tried: {i: error(d) for i, d in tried.items()}, np.array([0.01]), TOLERANCE)[0]


def test_a_search_along_one_coordinate_ends_where_the_error_meets_the_tolerance():
    for order, factor in ((2.0, 3.0), (3.0, 700.0)):
        assert alone(lambda d, p=order, c=factor: c * d**p) == pytest.approx((1e-3 / factor) ** (1 / order), rel=0.1)
    assert alone(lambda d: 0.0) == pytest.approx(0.05)
    assert 0.0 < alone(lambda d: np.inf if d > 0.004 else 0.1 * d) <= 0.02


@pytest.mark.parametrize("degree", [2, 3, 4])
def test_polynomials_are_found_from_values_and_from_slopes(degree):
    rng = np.random.default_rng(1)
    ns, factors = 4, monomials(4, degree)
    exact = rng.standard_normal((len(factors), 3))
    many = simplex(rng, (2 * len(factors),), ns)
    np.testing.assert_allclose(fitted(many, degree, products(many, factors) @ exact, None), exact, atol=1e-6)
    few = simplex(rng, (len(factors) // 2,), ns)
    h = 1e-6
    steps = [products(few + h * e, factors) - products(few - h * e, factors) for e in np.eye(ns)]
    slope = np.stack([step @ exact / (2 * h) for step in steps], axis=-1)
    np.testing.assert_allclose(fitted(few, degree, products(few, factors) @ exact, slope), exact, atol=1e-4)


def test_functions_of_axes():
    table = Axis("x", "m", -1.0, 3.0, False, "error")
    turn = Axis("t", "rad", 0.0, 2.0 * np.pi, True, "error")
    z = np.array([[0.5, 0.3], [2.0, 4.0], [9.0, -2.0]])
    numbers = functions(2, 3)
    assert len(numbers) == 10 and numbers.sum(axis=1).max() == 3
    found = {tuple(n): p for n, p in zip(numbers.tolist(), function_values((table, turn), numbers, z).T, strict=True)}
    x = np.clip((z[:, 0] - 1.0) / 2.0, -1.0, 1.0)
    np.testing.assert_allclose(found[2, 0], 2 * x**2 - 1)
    np.testing.assert_allclose(found[3, 0], 4 * x**3 - 3 * x)
    np.testing.assert_allclose(found[1, 1], x * np.cos(z[:, 1]))
    np.testing.assert_allclose(found[0, 2], np.sin(z[:, 1]))
    np.testing.assert_allclose(found[0, 3], np.cos(2 * z[:, 1]))


def test_places_that_tell_functions_apart():
    x = np.linspace(-1.0, 1.0, 41)
    P = np.stack([x**0, x, x**2], axis=-1)
    chosen = spread(P)
    assert len(chosen) == len(set(chosen.tolist())) >= 4 and {0, 40} <= set(chosen.tolist())
