"""Motions from arrays and CSV files: derivatives, and what is wrong with a file."""

import numpy as np
import pytest

from precompute.errors import PrecomputeError
from precompute.solving.prescribed import prescribed, read_prescribed

KNOWN = ["crank", "joint.crank", "rack", "arm_mount.x"]


def sine(t):
    """A motion and three derivatives, (4, n)."""
    return np.stack([np.sin(3 * t), 3 * np.cos(3 * t), -9 * np.sin(3 * t), -27 * np.cos(3 * t)])


def spline_errors(n):
    t = np.linspace(0.0, 2.0, n)
    found = prescribed(t, {"crank": sine(t)[0]}).motions["crank"]
    return np.abs(found - sine(t)).max(axis=1)


def test_splines_converge_in_all_derivatives():
    """Halving the distance of samples: orders 5, 4 and 3 of rate, acceleration and jerk, on the whole interval."""
    coarse, fine = spline_errors(41), spline_errors(81)
    assert fine[0] == 0.0
    order = np.log2(coarse[1:] / fine[1:])
    assert (order > [4.7, 3.7, 2.7]).all()
    assert (fine[1:] < [1e-6, 1e-4, 1e-2]).all()


def test_the_jerk_is_continuous():
    """Between two samples the jerk changes by as much as its slope says, not by jumps."""
    t = np.linspace(0.0, 2.0, 401)
    jerk = prescribed(t, {"crank": sine(t)[0]}).motions["crank"][3]
    assert np.abs(np.diff(jerk)).max() < 1.05 * 81 * (t[1] - t[0])


def test_few_samples_are_a_polynomial():
    t = np.array([0.0, 0.3, 1.0, 1.4])
    cubic = prescribed(t, {"crank": 2 * t**3 - t}).motions["crank"]
    expected = np.stack([2 * t**3 - t, 6 * t**2 - 1, 12 * t, 12 + 0 * t])
    assert np.abs(cubic - expected).max() < 1e-11
    assert prescribed([0.0], {"crank": [0.2]}).motions["crank"].tolist() == [[0.2], [0.0], [0.0], [0.0]]
    assert np.allclose(prescribed([0.0, 2.0], {"crank": [1.0, 2.0]}).motions["crank"][1], 0.5)


def test_given_derivatives_are_kept_and_serve_those_above():
    t = np.linspace(0.0, 2.0, 81)
    s = sine(t)
    all_of_them = prescribed(t, {"crank": s}).motions["crank"]
    assert (all_of_them == s).all()
    with_rate = prescribed(t, {"crank": (s[0], s[1])}).motions["crank"]
    assert (with_rate[1] == s[1]).all()
    assert np.abs(with_rate[3] - s[3]).max() < 0.1 * spline_errors(81)[3]
    with_acceleration = prescribed(t, {"crank": (s[0], None, s[2])}).motions["crank"]
    assert (with_acceleration[2] == s[2]).all() and np.abs(with_acceleration[1] - s[1]).max() == spline_errors(81)[1]


@pytest.mark.parametrize(
    "time, given, words",
    [
        ([0.0, 0.0], {"crank": [1.0, 2.0]}, "ascend, none of them twice"),
        ([0.0, np.nan], {"crank": [1.0, 2.0]}, "must be finite"),
        ([0.0, 1.0], {"crank": [1.0, 2.0, 3.0]}, r"'crank': crank has shape \(3,\), expected \(2,\)"),
        ([0.0, 1.0], {"crank": [1.0, np.inf]}, "not finite"),
        ([0.0, 1.0], {"crank": np.ones((5, 2))}, "has 5 columns"),
    ],
)
def test_arrays_that_are_no_motion(time, given, words):
    with pytest.raises(PrecomputeError, match=words):
        prescribed(time, given)


def read(tmp_path, text):
    path = tmp_path / "motion.csv"
    path.write_text(text)
    return read_prescribed(path, "arm.toml", KNOWN)


def test_a_file_as_spreadsheets_write_it(tmp_path):
    motion = read(tmp_path, "time;crank;rack;rack.rate\n0;0,5;1;2\n0,5;0,75;2;3\n")
    assert motion.time.tolist() == [0.0, 0.5]
    assert motion.derivative(0)["crank"].tolist() == [0.5, 0.75]
    assert motion.derivative(1)["rack"].tolist() == [2.0, 3.0]
    assert np.allclose(motion.derivative(1)["crank"], 0.5)


@pytest.mark.parametrize(
    "text, words",
    [
        ("time,cranc\n0,1\n", "line 1, column 2: 'cranc' is no coordinate of arm.toml; did you mean 'crank'?"),
        ("time,cranc.rate\n0,1\n", "'cranc.rate' is no coordinate of arm.toml; did you mean 'crank'?"),
        ("time,zz\n0,1\n", "known: arm_mount.x, crank, joint.crank, rack"),
        ("time,rack,crank.rate\n0,1,2\n", "column 3: 'crank.rate' needs a column 'crank' with the values themselves"),
        ("crank\n0\n", "the first row must be names, beginning with 'time'"),
        ("time,crank,crank\n0,1,2\n", "the name 'crank' stands twice"),
        ("time,crank\n", "no row of numbers"),
        ("time,crank\n0,1\n1,x\n", "line 3, column 2 (crank): 'x' is no number"),
        ("time,crank\n0,1\n1,1\n1,2\n", "line 4, column 1 (time): 1 stands twice; a motion cannot jump"),
        ("time,crank\n1,1\n0,2\n", "0 follows 1; it needs ascending time"),
    ],
)
def test_files_that_are_no_motion(tmp_path, text, words):
    with pytest.raises(PrecomputeError) as error:
        read(tmp_path, text)
    assert words in str(error.value)


def test_all_problems_of_the_names_at_once(tmp_path):
    with pytest.raises(PrecomputeError) as error:
        read(tmp_path, "time,cranc,rack.rate\n0,1,2\n")
    assert "2 problems" in str(error.value)
