import numpy as np
import pytest

from precompute.verify.tables.promise import FLOOR, LARGE, STEEPER, STIFF_FLOOR, STIFF_SHARE, Promise

TOLERANCE, STIFF, LENGTH = 1e-6, 1e-3, 0.5
PACE = np.array([2.0, 0.003])
SIZE = np.array([LENGTH])
REST = np.array([True, True, True, False])
ONE = np.array([[0.0], [0.1], [0.2], [5.0]])  # of the deflected one the range is not taken


@pytest.fixture
def promise():
    """An angle as axis, a stiff length."""
    return Promise(TOLERANCE, STIFF, LENGTH, PACE, np.array([True, False]), 1, REST)


def test_values_are_relative_to_their_range_and_deflected_ones_to_what_is_natural(promise):
    limit = promise.values(ONE, SIZE)
    assert np.allclose(limit[:3], TOLERANCE * 0.2, rtol=1e-3)
    assert np.allclose(limit[3], STIFF * LENGTH, rtol=1e-2)


def test_what_hardly_moves_is_relative_to_what_is_natural(promise):
    assert np.allclose(promise.values(1e-9 * ONE, SIZE)[:3], TOLERANCE * FLOOR * LENGTH, rtol=0.02)


def test_what_moves_further_than_is_natural_is_relative_to_its_range(promise):
    assert np.allclose(promise.values(50.0 * ONE, SIZE)[3], STIFF * 10.0, rtol=1e-2)


def test_slopes(promise):
    slopes = np.zeros((4, 1, 2))
    slopes[:, 0, 0], slopes[:, 0, 1] = [0.0, 1.0, 3.0, 9.0], 0.003
    limit = promise.slopes(slopes, ONE, SIZE)
    assert np.allclose(limit[:3, 0, 0], STEEPER * TOLERANCE * 3.0, rtol=1e-3)
    large = STIFF_FLOOR * LENGTH * PACE[1] / (LARGE * LENGTH)
    assert np.allclose(limit[:3, 0, 1], STIFF_SHARE * STIFF * large, rtol=1e-3)
    assert np.allclose(limit[3, 0, 1], STEEPER * STIFF * LENGTH, rtol=0.02)


def test_slopes_that_hardly_change_are_relative_to_the_values(promise):
    slopes = np.full((4, 1, 2), 7.0)
    assert np.allclose(promise.slopes(slopes, ONE, SIZE)[:3, 0, 0], STEEPER * TOLERANCE * 0.2, rtol=1e-3)


def test_accelerations_are_allowed_more_where_stiff_coordinates_move(promise):
    slopes, stirred = np.zeros((4, 1, 2)), np.array([False, True, False, True])
    limit = promise.seconds(ONE, slopes, SIZE, stirred)
    assert np.allclose(limit[[0, 2]], STEEPER**3 * TOLERANCE * 0.2, rtol=0.05)
    assert limit[1, 0] - limit[0, 0] == pytest.approx(2.0 * STIFF * LENGTH)
    assert limit[3, 0] > limit[1, 0]


def test_the_force_of_a_stiff_coordinate_is_as_accurate_as_slopes_of_inertia(promise):
    J, exact, still = np.tile(np.diag([4.0, 9.0]), (4, 1, 1)), np.zeros((4, 2)), np.zeros(4, dtype=bool)
    energy = (2.0 * PACE[0] + 3.0 * PACE[1]) ** 2
    tabulated, none = (promise.inertia_forces(exact, J, still, order)[0] for order in (1, 0))
    assert tabulated[0] == none[0] < 1e-4 * tabulated[1]
    coefficient = STIFF_SHARE * STIFF * STIFF_FLOOR / (LARGE * LENGTH)
    assert tabulated[1] == pytest.approx(energy * coefficient, rel=1e-2)
    assert none[1] == pytest.approx(energy * STIFF / PACE[1], rel=1e-2)


def test_rounding_is_no_error():
    tight = Promise(1e-11, 0.0, LENGTH, PACE[:1], np.array([True]), 1, REST)
    assert np.allclose(tight.values(np.full((4, 1), 40.0), SIZE), 4e-11, rtol=1e-3)
