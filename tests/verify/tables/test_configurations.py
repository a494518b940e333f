from types import SimpleNamespace

import numpy as np
import pytest
from helpers import ROOT
from helpers_baked import baked
from helpers_model import double_pendulum

from precompute.mechanism_file import load
from precompute.verify.tables.configurations import (
    SEEN,
    breaks,
    configurations,
    design_matrix,
    partly_seen,
    peaks,
    seen,
    weights,
)

TESTED = ROOT / "tests" / "mechanisms"


@pytest.fixture(scope="module")
def corner():
    """Two axes, two stiff coordinates."""
    return baked(load(TESTED / "corner.toml"))


@pytest.fixture(scope="module")
def pairs():
    """Four axes in two decoupled pairs."""
    return baked(load(TESTED / "two_pairs.toml"))


def models(request, names=("crank_slider", "crank_slider_charts")):
    found = [request.getfixturevalue("baked")(name) for name in names]
    return [*found, request.getfixturevalue("corner"), request.getfixturevalue("pairs")]


def test_there_are_enough_and_all_lie_in_their_tables(request):
    for model in models(request):
        found = configurations(model)
        assert sum(own.rest for own in found) >= 200
        for chart, own in zip(model.charts, found, strict=True):
            for axis, z in zip(chart.axes, own.z.T, strict=False):
                assert axis.lower < z.min() and z.max() < axis.upper
                assert z.max() - z.min() > 0.99 * (axis.upper - axis.lower)


def test_there_is_one_in_every_cell_of_each_grid(request):
    for model in models(request):
        for chart, own in zip(model.charts, configurations(model), strict=True):
            z = own.z[: own.rest]
            for block in chart.blocks:
                for k, axis in enumerate(block.axes):
                    p = block.degree
                    cells = np.unique(block.knots[k][p : len(block.knots[k]) - p])
                    counts, _ = np.histogram(z[:, axis], cells)
                    assert counts.min() >= 1
                    assert not np.isin(z[:, axis], cells).any()


def test_every_coefficient_over_one_or_two_axes_is_seen(request):
    for model in models(request):
        for chart, own in zip(model.charts, configurations(model), strict=True):
            z = own.z[: own.rest]
            assert all(seen(block, z).min() >= SEEN for block in chart.blocks if block.axes)
            assert not list(partly_seen(chart, z))
            assert list(partly_seen(chart, z[:9]))


def test_peaks_are_where_weights_are_largest(corner):
    chart = corner.charts[0]
    for block in (b for b in chart.blocks if b.axes):
        ends = chart.axes[block.axes[0]]
        x = np.linspace(ends.lower, ends.upper, 2001)
        fine = design_matrix(block, 0, x).max(axis=0)
        assert np.allclose(np.diag(design_matrix(block, 0, peaks(block, 0))), fine, rtol=0.2)


@pytest.mark.parametrize("degree", [3, 5])
@pytest.mark.parametrize("border", np.radians([102.0, 136.48797681, 223.51202319, 258.0]))
def test_peaks_at_borders_of_cams_are_on_their_own_side(degree, border):
    """The mean of equal knots is rounded to one side of them or the other; the B-spline is zero on one."""
    ends = np.zeros(degree + 1), np.full(degree + 1, 2.0 * np.pi)
    inner = np.linspace(0.3, border - 0.1, 5), np.full(degree + 1, border), np.linspace(border + 0.1, 6.0, 5)
    block = SimpleNamespace(knots=(np.concatenate([ends[0], *inner, ends[1]]),), degree=degree)
    assert np.diag(design_matrix(block, 0, peaks(block, 0))).min() > 0.2


def test_weights_are_what_the_run_time_multiplies_coefficients_by(corner):
    chart = corner.charts[0]
    block = next(b for b in chart.blocks if len(b.axes) == 2)
    z = configurations(corner)[0].z[:5, : len(chart.axes)]
    from fmu_src.numpy_runtime.bspline import evaluate_table, prepare_table

    table = prepare_table(chart, block)
    by_weight = np.tensordot(weights(block, z), block.coefficients, axes=len(block.axes))
    for one, expected in zip(z, by_weight, strict=True):
        assert np.allclose(evaluate_table(table, one[list(block.axes)])[0], expected, rtol=1e-12, atol=1e-12)


def test_an_axis_without_tables_has_cells_too(corner):
    bare = corner.charts[0].__class__(corner.charts[0].axes, corner.charts[0].rows, (), (), (), None)
    assert len(breaks(bare, 0)) == 17


def test_deflections_reach_the_radius_and_stay_within_it(corner):
    (own,) = configurations(corner)
    radius = np.array([stiff.radius for stiff in corner.stiff])
    d = own.z[:, -len(radius) :] / radius
    assert not d[: own.rest].any() and (np.abs(d[own.rest :]).max(axis=1) > 0.0).all()
    assert np.abs(d).sum(axis=1).max() <= 1.0 + 1e-12
    assert (d.max(axis=0) == 1.0).all() and (d.min(axis=0) == -1.0).all()
    assert (np.count_nonzero(d, axis=1) > 1).sum() >= 16


def test_a_grid_that_is_too_fine_is_not_seen_everywhere():
    model = double_pendulum(nodes=121)
    (own,) = configurations(model)
    assert own.rest == 1024 and list(partly_seen(model.charts[0], own.z))
