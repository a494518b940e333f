from dataclasses import replace

import numpy as np
import pytest
from helpers_model import fit_chart, with_terms
from hypothesis import given
from hypothesis import strategies as st
from scipy.interpolate import BSpline, NdBSpline

from fmu_src.errors import StepError, TableRangeError
from fmu_src.model.rows import CHUNK, Need, Rows
from fmu_src.numpy_runtime.bspline import BORDER_ULPS, basis, evaluate_table, find_span, prepare_table
from fmu_src.numpy_runtime.reading import prepare_reading, read
from precompute.reduction.arrangement import lay_out
from precompute.reduction.loose import LooseChart
from precompute.tables.blocks import TableBlock

ROUNDING = 1e-12  # both sides do the same sums in another order
SLOPE_ROUNDING = 1e-11  # slopes have the knot distance in the denominator
DIFFERENCE = 1e-7  # error of a central difference with step 1e-5 at values of order 1

EPS = np.finfo(float).eps


def smooth(*z):
    x = sum((i + 1) * 0.7 * zi for i, zi in enumerate(z))
    return np.stack((np.sin(x), np.cos(1.3 * x) * z[0], np.exp(-0.5 * x)), axis=-1)


def chart(outside="error", nz=1, degree=5, nodes=12):
    specs = [(f"q{i}", "rad", -0.5 - 0.1 * i, 1.0 + 0.2 * i, False, outside, nodes + i) for i in range(nz)]
    return fit_chart(specs, ("a", "b", "c"), smooth, degree=degree)


def turning(nodes=40):
    """One periodic axis; the second column also grows by 0.5 per rad."""
    spec = ("turn", "rad", -1.0, 2 * np.pi - 1.0, True, "error", nodes)
    return fit_chart([spec], ("a", "b"), lambda x: np.stack((np.sin(x), np.cos(2 * x)), axis=-1), slopes={"b": [0.5]})


def laid_out(table):
    """The chart with its columns as rows."""
    count = len(table.columns)
    rows = Rows((CHUNK,) * len(Need), (-1, -1, -1), 0, 0, 0, (), -1, -1, -1, -1, (), ())
    return lay_out(with_terms(table, range(count)), rows, np.arange(count))


def evaluate(table, z):
    """Values (nc,) and gradient (nc, nz) of all columns."""
    reading = prepare_reading(laid_out(table), np.zeros(0), CHUNK, np.ones(CHUNK, dtype=bool))
    value, slopes = read(reading, z)
    return value[: len(table.columns)], slopes[:, : len(table.columns)].T


def gradient_by_difference(function, z, h=1e-5):
    steps = h * np.eye(len(z))
    return np.stack([(function(z + e) - function(z - e)) / (2 * h) for e in steps], axis=-1)


# --- basis functions --------------------------------------------------------------------------------------------------


@given(
    degree=st.integers(1, 7),
    widths=st.lists(st.floats(0.01, 10.0), min_size=1, max_size=12),
    where=st.floats(0.0, 1.0),
    clamped=st.booleans(),
)
def test_basis_is_a_partition_of_unity_and_equals_scipy(degree, widths, where, clamped):
    breaks = np.concatenate(([0.0], np.cumsum(widths)))
    if clamped:
        knots = np.concatenate((np.zeros(degree), breaks, np.full(degree, breaks[-1])))
    else:
        outer = np.arange(1, degree + 1)
        knots = np.concatenate((-outer[::-1] * 0.3, breaks, breaks[-1] + outer * 0.3))
    count = len(knots) - degree - 1
    x = float(where * breaks[-1])
    span = find_span(knots.tolist(), degree, count, x)
    assert degree <= span < count
    values, slopes = basis(knots.tolist(), degree, span, x)

    assert min(values) >= -EPS
    assert sum(values) == pytest.approx(1.0, abs=1e-13)
    assert abs(sum(slopes)) <= 1e-12 * max(1.0, max(map(abs, slopes)))

    dense = np.zeros(count)
    dense[span - degree : span + 1] = values
    expected = BSpline(knots, np.eye(count), degree)(x)
    np.testing.assert_allclose(dense, expected, rtol=0, atol=1e-12)


def test_the_upper_border_belongs_to_the_last_span():
    knots = [0.0, 0.0, 0.0, 1.0, 2.0, 3.0, 3.0, 3.0]
    assert [find_span(knots, 2, 5, x) for x in (-1.0, 0.0, 0.99, 1.0, 3.0, 4.0)] == [2, 2, 2, 3, 4, 4]


# --- inside the table -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("nz", [1, 2, 3])
@pytest.mark.parametrize("degree", [3, 5])
def test_values_and_slopes_equal_scipy(nz, degree):
    table = chart(nz=nz, degree=degree)
    reference = NdBSpline(table.blocks[0].knots, table.blocks[0].coefficients, degree)
    rng = np.random.default_rng(nz)
    lower, upper = [axis.lower for axis in table.axes], [axis.upper for axis in table.axes]
    points = [np.array(lower), np.array(upper), *rng.uniform(lower, upper, size=(20, nz))]
    for z in points:
        value, gradient = evaluate(table, z)
        assert value.shape == (3,) and gradient.shape == (3, nz)
        np.testing.assert_allclose(value, np.squeeze(reference(z)), rtol=0, atol=ROUNDING)
        for k in range(nz):
            slope = np.squeeze(reference(z, nu=np.eye(nz, dtype=int)[k]))
            np.testing.assert_allclose(gradient[:, k], slope, rtol=0, atol=SLOPE_ROUNDING)


def test_a_periodic_axis_runs_on_for_many_turns():
    table = turning()
    reference = BSpline(table.blocks[0].knots[0], table.blocks[0].coefficients, 5, extrapolate="periodic")
    for x in (-1.0, 2 * np.pi - 1.0, 0.3, 7.5, -20.0, 12345.6):
        value, gradient = evaluate(table, np.array([x]))
        rounding = ROUNDING + 4 * EPS * abs(x)
        np.testing.assert_allclose(value, reference(x) + [0.0, 0.5 * x], rtol=0, atol=rounding)
        np.testing.assert_allclose(gradient[:, 0], reference(x, nu=1) + [0.0, 0.5], rtol=0, atol=10 * rounding)


def test_a_periodic_axis_has_no_seam():
    table = turning()
    below, above = (evaluate(table, np.array([-1.0 + d])) for d in (-1e-9, 1e-9))
    np.testing.assert_allclose(below[0], above[0], atol=1e-8)
    np.testing.assert_allclose(below[1], above[1], atol=1e-7)


@given(st.floats(-1e6, 1e6))
def test_every_turn_reads_the_same_spline(x):
    table = turning()
    value, gradient = evaluate(table, np.array([x]))
    again, same = evaluate(table, np.array([(x + 1.0) % (2 * np.pi) - 1.0]))
    np.testing.assert_allclose(value[0], again[0], atol=1e-9)
    np.testing.assert_allclose(gradient[:, 0], same[:, 0], atol=1e-8)


def test_constant_and_sloped_columns_need_no_spline():
    spec = ("q", "m", 0.0, 1.0, False, "error", 8)
    table = fit_chart(
        [spec], ("const", "var", "line"), lambda x: np.stack((0 * x + 3, x**2, 0 * x), -1), slopes={"line": [2.0]}
    )
    assert table.blocks[0].stored.tolist() == [-1, 0, -1] and table.blocks[0].coefficients.shape == (8, 1)
    value, gradient = evaluate(table, np.array([0.25]))
    np.testing.assert_allclose(value, [3.0, 0.0625, 0.5], atol=ROUNDING)
    np.testing.assert_allclose(gradient[:, 0], [0.0, 0.5, 2.0], atol=ROUNDING)


def test_a_table_of_some_columns_keeps_their_order_and_repeats():
    whole = chart(nz=2)
    z = np.array([0.2, 0.3])
    value, gradient = evaluate(whole, z)
    some, slopes = evaluate_table(prepare_table(whole, laid_out(whole).blocks[0], np.array([2, 0, 2])), z)
    np.testing.assert_array_equal(some, value[[2, 0, 2]])
    np.testing.assert_array_equal(slopes, gradient.T[:, [2, 0, 2]])


def test_a_table_of_no_columns_is_empty():
    whole = chart(nz=2)
    table = prepare_table(whole, laid_out(whole).blocks[0], np.zeros(0, dtype=int))
    value, slopes = evaluate_table(table, np.array([0.2, 0.3]))
    assert value.shape == (0,) and slopes.shape == (2, 0)


# --- outside the table ------------------------------------------------------------------------------------------------


def test_leaving_a_table_names_coordinate_value_range_and_next_step():
    with pytest.raises(TableRangeError, match=r"'q0' = 1\.25 rad is outside its table \[-0\.5, 1\] rad.*bake"):
        evaluate(chart(), np.array([1.25]))


def test_a_few_roundings_beyond_the_border_are_on_it():
    table = chart()
    border = evaluate(table, np.array([1.0]))
    beside = evaluate(table, np.array([1.0 + 4 * EPS]))
    np.testing.assert_array_equal(border[0], beside[0])
    with pytest.raises(TableRangeError):
        evaluate(table, np.array([1.0 + 4 * BORDER_ULPS * EPS]))


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("make", [chart, turning, lambda: chart("linear")])
def test_what_is_not_a_number_is_refused(make, bad):
    with pytest.raises(StepError, match=r"the motion diverged: .*solver\.step"):
        evaluate(make(), np.array([bad]))


@pytest.mark.parametrize("side", [0, 1])
def test_linear_continuation_has_value_and_slope_of_the_border(side):
    table = chart("linear")
    border = (table.axes[0].lower, table.axes[0].upper)[side]
    value, gradient = evaluate(table, np.array([border]))
    excess = 0.4 if side else -0.4
    beyond, slope = evaluate(table, np.array([border + excess]))
    np.testing.assert_allclose(beyond, value + gradient[:, 0] * excess, atol=ROUNDING)
    np.testing.assert_allclose(slope, gradient, atol=ROUNDING)


@given(st.lists(st.floats(-2.0, 2.5), min_size=2, max_size=2))
def test_the_gradient_is_the_derivative_of_the_value_outside_too(point):
    table = LINEAR_2D
    z = np.array(point)
    axes = LINEAR_CHART.axes
    if any(abs(z[k] - b) < 2e-5 for k in (0, 1) for b in (axes[k].lower, axes[k].upper)):
        return  # a difference across the border mixes two formulas
    _, slopes = evaluate_table(table, z)
    expected = gradient_by_difference(lambda x: evaluate_table(table, x)[0], z)
    np.testing.assert_allclose(slopes.T, expected, atol=DIFFERENCE * 10)


def test_the_gradient_is_a_gradient_outside_too():
    """Mixed second derivatives agree, so a loop outside the table does no work."""
    table, h = LINEAR_2D, 1e-5
    for z in (np.array([1.5, 0.3]), np.array([0.3, 2.0]), np.array([-1.0, 1.9])):
        by_0 = (evaluate_table(table, z + [h, 0])[1][1] - evaluate_table(table, z - [h, 0])[1][1]) / (2 * h)
        by_1 = (evaluate_table(table, z + [0, h])[1][0] - evaluate_table(table, z - [0, h])[1][0]) / (2 * h)
        np.testing.assert_allclose(by_0, by_1, atol=DIFFERENCE * 10)


LINEAR_CHART = chart("linear", nz=2)
LINEAR_2D = prepare_table(LINEAR_CHART, laid_out(LINEAR_CHART).blocks[0], np.arange(3))


def test_blocks_over_some_axes_each():
    """A column over a, one over b, a constant: together a chart over both."""
    over_a = fit_chart([("a", "m", -1.0, 1.0, False, "error", 12)], ("f",), lambda x: np.sin(x)[..., None])
    over_b = fit_chart([("b", "m", 0.0, 2.0, False, "error", 15)], ("g",), lambda x: np.exp(x)[..., None])
    nothing = TableBlock((), (), ("c",), np.zeros(0), np.array([3.0]), np.zeros((1, 0)), np.array([-1]), np.zeros(0))
    both = LooseChart(
        (over_a.axes[0], over_b.axes[0]),
        (nothing, over_a.blocks[0], replace(over_b.blocks[0], axes=(1,))),
        over_a.terms,
        (),
        over_a.certificate,
    )
    value, gradient = evaluate(both, np.array([0.3, 0.7]))
    np.testing.assert_allclose(value, [3.0, np.sin(0.3), np.exp(0.7)], atol=1e-6)
    np.testing.assert_allclose(gradient, [[0, 0], [np.cos(0.3), 0], [0, np.exp(0.7)]], atol=1e-4)
