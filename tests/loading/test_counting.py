"""Extremes and range pairs."""

import numpy as np
import pytest

from precompute.loading.counting import CLASSES, cycles, extremes, histogram, large_cycles

ASTM = np.array([-2.0, 1.0, -3.0, 5.0, -1.0, 3.0, -4.0, 4.0, -2.0])
"""ASTM E1049-85, figure 6."""


def counted(values):
    found = cycles(values)
    return {r: float(found[found[:, 0] == r, 2].sum()) for r in np.unique(found[:, 0]).tolist()}


def test_range_pairs_are_those_of_the_standard():
    assert counted(ASTM) == {3.0: 0.5, 4.0: 1.5, 6.0: 0.5, 8.0: 1.0, 9.0: 0.5}


def test_points_between_reversals_do_not_count():
    fine = np.interp(np.linspace(0, len(ASTM) - 1, 801), np.arange(len(ASTM)), ASTM)
    assert counted(np.round(fine, 12)) == counted(ASTM)


def test_means():
    found = cycles(ASTM)
    assert found[found[:, 2] == 1.0].tolist() == [[4.0, 1.0, 1.0]]  # -1 to 3, the loop that closes


def test_ripple_of_rounding_is_no_cycle():
    t = np.linspace(0.0, 1.0, 1001)
    wavy = 100.0 * np.sin(2 * np.pi * 3 * t) + 1e-9 * np.where(np.arange(1001) % 2, 1.0, -1.0)
    assert large_cycles(wavy) == 3.5  # the ends are halves
    assert len(cycles(wavy)) == 6
    assert cycles(np.full(10, 5.0)).shape == (0, 3)
    assert large_cycles(np.full(10, 5.0)) == 0.0 and list(histogram(np.array([5.0]))) == []


def test_a_histogram_has_all_cycles_in_classes():
    rows = np.array(list(histogram(ASTM)))
    assert rows[:, 3].sum() == pytest.approx(cycles(ASTM)[:, 2].sum())
    np.testing.assert_allclose(rows[:, 1] - rows[:, 0], 9.0 / CLASSES)
    for low, high, _, count in rows:
        inside = [n for r, n in counted(ASTM).items() if low < r <= high * (1 + 1e-12)]
        assert sum(inside) == count
    row = next(row for row in rows if row[0] < 4.0 <= row[1])
    assert row[2] == pytest.approx((1.0 * 1.0 - 1.0 * 0.5) / 1.5)  # -1 to 3 closes; 1 to -3 is a half


def test_extremes_with_their_times():
    assert extremes(np.arange(9.0), ASTM) == (-4.0, 6.0, 5.0, 3.0)
