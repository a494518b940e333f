"""What `kinetab run` says: numbers with significant digits."""

from pathlib import Path

import numpy as np
import pytest

from precompute.report.run_text import kept, ran, ranges, significant
from precompute.running.simulation import Run


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.00123456, "0.00123"), (0.5, "0.500"), (6.638, "6.64"), (12.34, "12.3"), (999.6, "1000"), (123456.0, "123000")],
)
def test_significant_digits(value, text):
    assert significant(value) == text


def run(seconds):
    t = np.linspace(0.0, 2.0, 2001)
    outputs = {"marker.wheel.r[3]": 0.3 + 0.05 * np.sin(np.pi * t), "q.arm": np.radians(10.0) * t}
    units = {"marker.wheel.r[3]": "m", "q.arm": "rad"}
    return Run("Corner", t, outputs, {}, units, 2000, seconds)


def test_speeds_have_significant_digits():
    assert ran(run(0.01234), []) == "Corner: 2 s in 2000 steps, 6.17 us per step with 2 outputs read, 162 x real time"
    assert (
        ran(run(100.0), [Path("a.csv")])
        == "Corner: 2 s in 2000 steps, 50000 us per step with 2 outputs read, 0.0200 x real time -> a.csv"
    )


def test_the_time_of_a_step_is_told_with_what_was_done_in_it():
    checked = run(0.01234)
    checked.outputs["solver.error"] = np.array([0.0, 0.5])
    assert "us per step with 3 outputs read and its error measured" in ran(checked, [])


def test_ranges():
    lines = ranges(run(1.0), ["marker.wheel.r[3]", "q.arm"]).splitlines()
    assert lines[0].split() == ["smallest", "largest", "at", "the", "end"]
    assert lines[1].split() == ["wheel", "z", "250", "350", "300", "mm"]
    assert lines[2].split() == ["arm", "0", "20", "20", "deg"]


def test_what_is_kept():
    assert kept(run(1.0), [Path("a.csv"), Path("a.png")]) == "the 2001 samples up to then are in a.csv and a.png"
    assert "--csv" in kept(run(1.0), [])
