import numpy as np
import pytest

from precompute.verify.motion.paths import PEAK, Turning, Waypoints, stretched, timed, to_and_fro

PATH = Waypoints((0.0, 0.5, 1.5, 2.0), (0.3, 2.0, -1.0, 0.3), rate=0.7)


@pytest.mark.parametrize("path", [PATH, Turning(0.4, -2.0)], ids=str)
def test_rates_and_accelerations_are_derivatives(path):
    for t in (0.05, 0.3, 0.49, 0.51, 1.2, 1.9):
        before, (_, rate, acceleration), after = (path.at(t + d) for d in (-1e-6, 0.0, 1e-6))
        slopes = [(b - a) / 2e-6 for a, b in zip(before[:2], after[:2], strict=True)]
        assert slopes == pytest.approx([rate, acceleration], abs=1e-6)


def test_it_passes_its_waypoints_at_rest_and_begins_with_its_rate():
    assert PATH.at(0.0) == pytest.approx((0.3, 0.7, 0.0))
    for t, value in zip(PATH.times[1:], PATH.values[1:], strict=True):
        assert PATH.at(t) == pytest.approx((value, 0.0, 0.0), abs=1e-12)
        assert PATH.at(t - 1e-9) == pytest.approx((value, 0.0, 0.0), abs=1e-6)  # also the acceleration does not jump
    assert PATH.at(9.0) == (0.3, 0.0, 0.0)


def test_the_peak_of_a_segment():
    path = Waypoints((0.0, 2.0), (0.0, 3.0))
    assert max(path.at(t)[1] for t in np.linspace(0.0, 2.0, 201)) == pytest.approx(PEAK * 1.5)


def test_to_and_fro():
    assert to_and_fro(1.0, 0.0, -5.0, 4.0, 2, first_up=True) == (1.0, 4.0, -5.0, 4.0, -5.0, 1.0)
    assert to_and_fro(1.0, 0.0, -5.0, 4.0, 1, first_up=False) == (1.0, -5.0, 4.0, 1.0)
    assert to_and_fro(1.0, -0.1, -5.0, 4.0, 1, first_up=True)[1] == -5.0  # it goes that way already


def test_stretching_keeps_the_pace_of_a_start_that_moves():
    path = timed((0.0, 1.0, -1.0, 0.0), 0.5, lambda length: length)
    assert path.times == (0.0, 1.0, 3.0, 4.0)
    assert stretched(path, 7.0).times == pytest.approx((0.0, 1.0, 5.0, 7.0))
    assert stretched(timed((0.0, 1.0, 0.0), 0.0, lambda length: length), 4.0).times == pytest.approx((0.0, 2.0, 4.0))
    assert stretched(Turning(0.0, 1.0), 9.0) == Turning(0.0, 1.0)
