"""Inputs over time: between rows, at jumps, before and after; and what holds over a step."""

import numpy as np
import pytest

from precompute.running.signals import communication_points, coverage_notes, over_steps, sampled


def table(*rows, names=("a",)):
    return np.array(list(rows), dtype=[("time", float), *((name, float) for name in names)])


RAMP = table((0.0, 1.0), (1.0, 3.0))
JUMP = table((0.0, 0.0), (0.3, 3.0), (0.3, 10.0), (1.0, 10.0))


def test_linear_between_rows_and_held_outside():
    late = table((0.2, 1.0), (0.4, 2.0))
    found = sampled(late, np.array([0.0, 0.1, 0.2, 0.3, 0.4, 0.9]), 0.1)["a"]
    np.testing.assert_allclose(found, [1, 1, 1, 1.5, 2, 2], rtol=1e-15)


def test_rows_are_met_to_the_bit():
    """Also where a multiple of the step is a rounding away from the time of the row."""
    rng = np.random.default_rng(1)
    own = table(*((round(0.1 * i, 1), value) for i, value in enumerate(rng.normal(size=11))))
    time = 0.1 * np.arange(11)
    assert (time != own["time"]).any()
    np.testing.assert_allclose(sampled(own, time, 0.1)["a"], own["a"], rtol=1e-14)


def test_at_a_jump_the_later_row_counts():
    for time in (0.3, np.nextafter(0.3, 0.0), 0.1 * 3):
        assert sampled(JUMP, np.array([time]), 0.1)["a"][0] == pytest.approx(10.0, rel=1e-14)
    assert sampled(JUMP, np.array([0.299]), 0.1)["a"][0] == pytest.approx(2.99)


def test_a_jump_between_steps_is_a_communication_point():
    np.testing.assert_allclose(communication_points(1.0, 0.25, JUMP), [0, 0.25, 0.3, 0.5, 0.75, 1.0])
    np.testing.assert_allclose(communication_points(1.0, 0.1, JUMP), 0.1 * np.arange(11))  # it is one already
    np.testing.assert_allclose(communication_points(0.2, 0.1, JUMP), [0, 0.1, 0.2])


def test_the_last_step_is_shorter_if_need_be():
    points = communication_points(1.0, 0.3, None)
    np.testing.assert_allclose(points, [0, 0.3, 0.6, 0.9, 1.0])
    assert points[-1] == 1.0
    assert len(communication_points(0.3, 0.1, None)) == 4  # 0.3 / 0.1 is a rounding below 3


def test_the_mean_holds_over_a_step():
    time = np.array([0.0, 0.25, 0.5, 1.0])
    np.testing.assert_allclose(over_steps(RAMP, time, 0.25, ["a"])["a"][:-1], [1.25, 1.75, 2.5], rtol=1e-15)


def test_what_an_fmu_goes_on_with_by_its_rate_is_taken_at_the_start():
    names = ("drive.rack.q", "drive.rack.qd", "drive.rack.qdd", "chassis.w[2]", "chassis.wd[2]", "drive.lazy.q")
    own = table((0.0, *[0.0] * 6), (1.0, *[1.0] * 6), names=names)
    over = over_steps(own, np.array([0.0, 0.5, 1.0]), 0.5, names)
    found = {name: values[1] for name, values in over.items()}
    at_start = {"drive.rack.q", "drive.rack.qd", "chassis.w[2]"}
    assert found == {name: 0.5 if name in at_start else 0.75 for name in names}  # lazy is filtered: it has no rate


def test_what_is_not_covered_is_told():
    assert list(coverage_notes(RAMP, 1.0, 0.1)) == []
    late, early = coverage_notes(table((0.2, 1.0), (0.4, 2.0)), 1.0, 0.1)
    assert late == "the inputs over time start at 0.2 s; their first row is held from 0 s until then"
    assert early == "the inputs over time end at 0.4 s; their last row is held from then until 1 s"
