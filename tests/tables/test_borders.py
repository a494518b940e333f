"""Axes with borders: nodes on both sides, splines that end there, nothing smooth across."""

import numpy as np
import pytest

from fmu_src.model.reduced_model import Axis
from fmu_src.numpy_runtime.bspline import Table, TableAxis, evaluate_table
from precompute.tables.blocks import TableBlock
from precompute.tables.certificate import scattered_points
from precompute.tables.factors import factors
from precompute.tables.grid import BESIDE, beside_borders, first_nodes, is_seam, placed, regrade, segments, thinned
from precompute.tables.splines import evaluate_block, interpolate, spline_gradients

LOWER, UPPER, BORDERS = -1.0, 2.0, (-0.25, 1.1)


def pieces(x, order=0):
    """A polynomial of degree 4 between the borders, whose value jumps at one and whose slope does at the other."""
    number = np.searchsorted(BORDERS, x, side="right")
    found = [np.polynomial.Polynomial(c) for c in ([1, -2, 0, 3], [2, 1, -1, 0.5, 2], [0, 4, 1, 1, -1])]
    found[2] = found[2] + (found[1](BORDERS[1]) - found[2](BORDERS[1]))
    return np.choose(number, [p.deriv(order)(x) if order else p(x) for p in found])


def fitted(degree, axis):
    """A block through the nodes of one axis."""
    x = placed(axis, LOWER, UPPER)
    knots, core = interpolate(degree, (x,), pieces(axis)[:, None], pieces(axis, 1)[:, None, None], (False,))
    one, none = np.ones(1), np.zeros(1, dtype=int)
    return TableBlock((0,), knots, ("f",), one * LOWER, 0.0 * one, np.zeros((1, 1)), none, core)


def everywhere():
    x = np.linspace(LOWER, UPPER, 1001)
    return np.concatenate([x, np.array(BORDERS) - 1e-9, np.array(BORDERS), np.array(BORDERS) + 1e-9])


def test_nodes_are_on_both_sides_of_every_border():
    axis = first_nodes(LOWER, UPPER, BORDERS, 17)
    assert (np.diff(axis) > 0.0).all()
    assert is_seam(axis).sum() == len(BORDERS)
    beside = BESIDE * (UPPER - LOWER)
    for b in BORDERS:
        assert np.abs(axis - (b - beside)).min() < 1e-15 and np.abs(axis - (b + beside)).min() < 1e-15
    x = placed(axis, LOWER, UPPER)
    assert x[0] == LOWER and x[-1] == UPPER
    assert sorted(set(x[1:][np.diff(x) == 0.0])) == pytest.approx(BORDERS, abs=1e-15)
    assert [len(axis[s]) >= 7 for s in segments(axis)] == [True] * 3
    assert (thinned(axis) == axis).all()


def test_without_borders_nothing_changes():
    axis = first_nodes(LOWER, UPPER, (), 17)
    assert (axis == np.linspace(LOWER, UPPER, 17)).all()
    assert (thinned(axis) == axis[::2]).all()
    assert (beside_borders(axis, axis) == axis).all()
    assert (first_nodes(LOWER, UPPER, (LOWER, UPPER), 17)[[0, -1]] == [LOWER + 3e-12, UPPER - 3e-12]).all()


def test_finer_nodes_keep_borders_and_segments_that_are_good():
    axis = first_nodes(LOWER, UPPER, BORDERS, 17)
    excess = np.full(len(axis) - 1, 0.5)
    excess[is_seam(axis)] = 1e9  # does not matter
    last = segments(axis)[2]
    excess[last.start : last.stop - 1] = 30.0
    finer = regrade(axis, excess, False, 5, 60)
    assert (finer[: last.start] == axis[: last.start]).all()
    assert len(finer) > len(axis) and is_seam(finer).sum() == 2
    assert finer[-1] == axis[-1] and finer[last.start] == axis[last.start]
    for most in range(len(axis) + 1, len(axis) + 6):
        assert len(axis) < len(regrade(axis, np.full(len(axis) - 1, 1e6), False, 5, most)) <= most


@pytest.mark.parametrize("degree", [5])
def test_pieces_are_reproduced_up_to_their_borders(degree):
    z = everywhere()
    value, slope = evaluate_block(fitted(degree, first_nodes(LOWER, UPPER, BORDERS, 17)), z[:, None])
    assert np.abs(value[:, 0] - pieces(z)).max() < 1e-10
    assert np.abs(slope[:, 0, 0] - pieces(z, 1)).max() < 1e-9


@pytest.mark.parametrize("degree, power", [(1, 2), (3, 4)])
def test_low_degrees_converge_as_they_do_without_borders(degree, power):
    def error(count):
        z = everywhere()
        return np.abs(
            evaluate_block(fitted(degree, first_nodes(LOWER, UPPER, BORDERS, count)), z[:, None])[0][:, 0] - pieces(z)
        ).max()

    assert error(200) < 1.3 * error(100) / 2**power


def test_run_time_takes_the_piece_that_begins_at_a_border():
    block = fitted(5, first_nodes(LOWER, UPPER, BORDERS, 17))
    axis = TableAxis(
        "z",
        Axis("z", "m", LOWER, UPPER, False, "error").words,
        LOWER,
        UPPER,
        False,
        False,
        5,
        len(block.core),
        tuple(block.knots[0]),
    )
    table = Table((axis,), block.core)
    for x in everywhere():
        value, slope = evaluate_table(table, np.array([x]))
        assert value[0] == pytest.approx(pieces(np.array(x)), abs=1e-10)
        assert slope[0, 0] == pytest.approx(pieces(np.array(x), 1), abs=1e-9)


def test_two_axes_with_borders_on_one():
    x, y = first_nodes(LOWER, UPPER, BORDERS, 17), np.linspace(0.0, 1.0, 17)
    f = pieces(x)[:, None] * np.cos(y)
    gradient = np.stack([pieces(x, 1)[:, None] * np.cos(y), -pieces(x)[:, None] * np.sin(y)], axis=-1)
    knots, core = interpolate(5, (placed(x, LOWER, UPPER), y), f[..., None], gradient[:, :, None], (False, False))
    block = TableBlock((0, 1), knots, ("f",), np.zeros(2), np.zeros(1), np.zeros((1, 2)), np.zeros(1, dtype=int), core)
    z = np.stack([everywhere(), np.linspace(0.0, 1.0, len(everywhere()))], axis=-1)
    value, slope = evaluate_block(block, z)
    assert np.abs(value[:, 0] - pieces(z[:, 0]) * np.cos(z[:, 1])).max() < 1e-8
    assert np.abs(slope[:, 0, 0] - pieces(z[:, 0], 1) * np.cos(z[:, 1])).max() < 1e-7


def test_slopes_from_values_do_not_look_across_a_border():
    axis = first_nodes(LOWER, UPPER, BORDERS, 60)
    found = spline_gradients((axis,), pieces(axis)[:, None])
    assert np.abs(found[:, 0, 0] - pieces(axis, 1)).max() < 1e-9


def test_factors_across_a_border():
    axis = first_nodes(LOWER, UPPER, BORDERS, 30)
    x, columns = placed(axis, LOWER, UPPER), np.arange(1, 41)
    value = pieces(axis)[:, None] * columns + np.outer(np.cos(axis), columns**2)
    slope = pieces(axis, 1)[:, None] * columns - np.outer(np.sin(axis), columns**2)
    knots, core = interpolate(3, (x,), value, slope[..., None], (False,))
    small, bases = factors(core, knots, np.full(40, 1e-6), np.full((40, 1), 1e-5))
    assert np.isfinite(small).all()
    assert np.abs(bases[0] @ small - core).max() < 1e-6


def test_scattered_points_look_at_both_sides_of_every_border_and_never_at_one():
    axis = first_nodes(LOWER, UPPER, (0.5, 1.25), 17)  # where points of a Sobol sequence are
    z = scattered_points((axis,), 256)[:, 0]
    for b in (0.5, 1.25):
        near = z[np.abs(z - b) < 0.15] - b
        assert (near < 0.0).sum() > 10 and (near > 0.0).sum() > 10
        assert np.abs(z - b).min() >= BESIDE * (UPPER - LOWER) * (1.0 - 1e-3)
