import numpy as np
import pytest

from precompute.tables.grid import GRADING, GROWTH, regrade

AXIS = np.linspace(-1.0, 3.0, 17)


def test_ends_stay_and_nodes_ascend():
    new = regrade(AXIS, np.geomspace(1e-3, 50, 16), periodic=False, order=5, most=2001)
    assert new[0] == AXIS[0] and new[-1] == AXIS[-1]
    assert (np.diff(new) > 0).all() and len(new) > len(AXIS)


def test_cells_are_smaller_where_the_error_is_larger():
    width = np.diff(regrade(AXIS, np.geomspace(1e-6, 30, 16), periodic=False, order=5, most=2001))
    assert width[-1] < width[0]
    assert width.max() / width.min() < 1.5 * GRADING


def test_even_errors_keep_the_grid_uniform():
    width = np.diff(regrade(AXIS, np.full(16, 7.0), periodic=False, order=5, most=2001))
    np.testing.assert_allclose(width, width[0])


def test_periodic_axes_stay_uniform():
    width = np.diff(regrade(AXIS, np.geomspace(1e-6, 30, 16), periodic=True, order=5, most=2001))
    np.testing.assert_allclose(width, width[0])


@pytest.mark.parametrize("excess", [1.5, 1e9])
def test_growth_is_bounded_below_and_above(excess):
    cells = len(regrade(AXIS, np.full(16, excess), periodic=False, order=5, most=2001)) - 1
    assert 16 < cells <= GROWTH * 16


def test_there_are_no_more_nodes_than_allowed():
    assert len(regrade(AXIS, np.full(16, 1e9), periodic=False, order=5, most=20)) == 20
