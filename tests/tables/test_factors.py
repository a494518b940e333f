"""Tables as factors: what they may err they do not exceed, and it is part of the certificate."""

import zlib
from dataclasses import replace

import numpy as np
import pytest
from helpers import ROOT
from helpers_baked import baked
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.interpolate import NdBSpline

from fmu_src.model.factors import expanded
from precompute.errors import SweepError
from precompute.mechanism_file import load
from precompute.pipeline import bake
from precompute.tables import factors as module
from precompute.tables.blocks import TableBlock
from precompute.tables.certificate import DERIVATIVE_FACTOR, Scales
from precompute.tables.factors import SHARE, factorized, factors

TOLERANCE = 1e-6
STIFF = ROOT / "tests" / "mechanisms" / "crank_slider_stiff.toml"


def knots_of(degree, spans):
    return np.concatenate(([0.0] * degree, np.linspace(0.0, 1.0, spans + 1) ** 1.3, [1.0] * degree))


def smooth(rng, knots, degree, nc, noise):
    """Coefficients of nc columns of very different sizes that are nearly sums of three functions along each axis."""
    shape = [len(t) - degree - 1 for t in knots]
    found = rng.normal(size=(*(3,) * len(knots), nc))
    for k, n in enumerate(shape):
        waves = np.cos(np.outer(np.linspace(0.0, 1.0, n), np.arange(3)))
        found = np.moveaxis(np.tensordot(waves, found, (1, k)), 0, k)
    return (found + noise * rng.normal(size=found.shape)) * 10.0 ** rng.uniform(-6, 6, nc)


def spread(coefficients):
    return np.ptp(coefficients.reshape(-1, coefficients.shape[-1]), axis=0)


@settings(deadline=None, max_examples=60)
@given(
    st.integers(0, 2**32 - 1),
    st.integers(1, 3),
    st.sampled_from((1, 3, 5)),
    st.sampled_from((0.0, 1e-9, 1e-5)),
    st.sampled_from((1e-11, 1e-6, 1e-3)),
)
def test_neither_values_nor_slopes_err_by_more_than_they_may(seed, nb, degree, noise, tolerance):
    rng = np.random.default_rng(seed)
    knots = tuple(knots_of(degree, int(rng.integers(4, 9))) for _ in range(nb))
    c = smooth(rng, knots, degree, 7, noise)
    value = tolerance * spread(c)
    slope = value[:, None] * rng.uniform(0.1, 30.0, (7, nb))
    core, bases = factors(c, knots, value, slope)
    error = NdBSpline(knots, expanded(core, bases) - c, degree)
    z = rng.uniform(size=(300, nb))
    assert (np.abs(error(z)).max(axis=0) <= value).all()
    for k in range(nb):
        along = error(z, nu=[int(i == k) for i in range(nb)])
        assert (np.abs(along).max(axis=0) <= slope[:, k]).all()


@pytest.mark.parametrize("nb", [1, 2, 3])
def test_sums_of_a_few_functions_are_found(nb):
    knots = (knots_of(3, 9),) * nb
    c = smooth(np.random.default_rng(1), knots, 3, 40, 1e-12)
    core, bases = factors(c, knots, 1e-6 * spread(c), np.outer(1e-5 * spread(c), np.ones(nb)))
    assert core.shape == (*(3,) * nb, 40) and [basis.shape for basis in bases] == [(12, 3)] * nb


def test_numbers_are_short_and_always_the_same():
    knots = (knots_of(5, 9),) * 2
    c = smooth(np.random.default_rng(2), knots, 5, 200, 1e-7)
    c[..., 3] = 0.0
    scale = np.maximum(spread(c), 1e-6)
    made = [factors(c.copy(), knots, 1e-6 * scale, np.outer(1e-5 * scale, np.ones(2))) for _ in range(2)]
    core, bases = made[0]
    assert not core[..., 3].any()
    assert len(zlib.compress(core.tobytes())) < 0.5 * core.nbytes
    assert all(a.tobytes() == b.tobytes() for a, b in zip((core, *bases), (made[1][0], *made[1][1]), strict=True))
    assert all((basis.max(axis=0) >= -basis.min(axis=0)).all() for basis in bases)


def block_of(c, knots):
    n = c.shape[-1]
    nb = len(knots)
    names = tuple(f"c{i}" for i in range(n))
    return TableBlock(tuple(range(nb)), knots, names, np.zeros(nb), np.zeros(n), np.zeros((n, nb)), np.arange(n), c)


def test_a_block_that_would_not_get_smaller_stays_as_it_is():
    knots = (knots_of(3, 9),)
    few = block_of(np.random.default_rng(3).normal(size=(12, 2)), knots)
    rough = block_of(np.random.default_rng(3).normal(size=(12, 40)), knots)
    for block in (few, rough):
        scales = Scales(spread(block.core), spread(block.core)[:, None])
        assert factorized(block, scales, TOLERANCE) is block
    nothing = replace(few, core=np.zeros((12, 0)), stored=np.array([-1, -1]))
    assert factorized(nothing, Scales(np.ones(2), np.ones((2, 1))), TOLERANCE) is nothing


def test_columns_without_a_table_do_not_count():
    """Scales are those of all columns, coefficients those of some."""
    knots = (knots_of(3, 9),)
    c = smooth(np.random.default_rng(4), knots, 3, 40, 0.0)
    block = replace(block_of(c, knots), stored=np.concatenate(([-1], np.arange(40))))
    value = np.concatenate(([1e-300], spread(c)))
    found = factorized(block, Scales(value, value[:, None]), TOLERANCE)
    allowed = SHARE * TOLERANCE * min(1.0, DERIVATIVE_FACTOR) * spread(c)
    assert found.bases and (np.abs(found.coefficients - c).max(axis=0) <= allowed).all()


def test_a_full_turn_ends_where_it_began():
    blocks = [block for block in baked(load(STIFF)).charts[0].blocks if block.axes]
    assert any(block.bases for block in blocks)
    for block in blocks:
        c, p = block.coefficients, block.degree
        np.testing.assert_allclose(c[:p], c[len(c) - p :], rtol=0, atol=1e-13 * np.abs(c).max())


def test_the_certificate_is_that_of_the_factors(monkeypatch):
    """With factors that are too coarse no grid reaches the tolerance."""
    monkeypatch.setattr(module, "SHARE", 1e3)
    mechanism = load(STIFF)
    few = replace(mechanism, tables=replace(mechanism.tables, max_nodes=100))
    with pytest.raises(SweepError, match="the tables do not reach the tolerance"):
        bake(few)
