"""`kinetab solve` as a user meets it."""

import re

import numpy as np
import pytest
from helpers import GOLDEN, MECHANISMS

from precompute.cli import main

FOUR_BAR = MECHANISMS / "four_bar.toml"
CORNER = GOLDEN.parent / "mechanisms" / "corner.toml"
TURN = "time;crank\n" + "".join(f"{k / 20};{2 * np.pi * k / 20:.12f}\n" for k in range(21))


@pytest.fixture
def solve(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def solve(mechanism, motion, *arguments):
        (tmp_path / "motion.csv").write_text(motion)
        code = main(["solve", str(mechanism), "--input", "motion.csv", *arguments])
        out, err = capsys.readouterr()
        assert "Traceback" not in out + err
        return code, out, err

    return solve


def test_a_table_and_a_picture(solve, tmp_path):
    code, out, err = solve(FOUR_BAR, TURN, "--csv", "out.csv", "--plot", "out.png")
    assert code == 0 and err == ""
    assert re.fullmatch(r"FourBar: 21 samples from 0 s to 1 s, given crank; \d+ quantities -> out.csv, out.png\n", out)
    table = np.genfromtxt(tmp_path / "out.csv", delimiter=",", names=True, deletechars="")
    assert np.abs(table["q.crank"] - 2 * np.pi * table["time"]).max() < 1e-11
    assert np.abs(table["qd.crank"] - 2 * np.pi).max() < 1e-8
    crank_side = table["marker.coupler_pin.r[1]"] - 3.0, table["marker.coupler_pin.r[2]"]
    assert np.abs(np.hypot(*crank_side) - 2.0).max() < 1e-12
    assert (tmp_path / "out.png").read_bytes().startswith(b"\x89PNG")


def test_ranges_of_what_is_asked_for(solve):
    code, out, _ = solve(FOUR_BAR, TURN, "--show", "coupler_pin.x,crank.velocity")
    assert code == 0
    assert re.search(r"coupler_pin x +\d", out) and re.search(r"crank velocity +360 +360", out)


def test_stiff_directions_that_are_held_are_told(solve):
    _, out, _ = solve(CORNER, "time,arm,rack\n0,0,0\n1,0.1,0.01\n", "--csv", "out.csv")
    assert "given arm, rack, 2 stiff directions at zero" in out
    code, out, _ = solve(CORNER, "time,arm,rack,arm_mount.x,arm_mount.y\n0,0,0,0.001,0\n", "--csv", "out.csv")
    assert code == 0 and "one sample at 0 s, given arm, rack, arm_mount.x, arm_mount.y; " in out


@pytest.mark.parametrize(
    "mechanism, motion, words",
    [
        (
            FOUR_BAR,
            "time,cranc\n0,0\n",
            "'motion.csv', line 1, column 2: 'cranc' is no coordinate of four_bar.toml; did you",
        ),
        (FOUR_BAR, "time\n0\n", "'motion.csv': 'FourBar' has 1 freedom and 0 of its coordinates are given"),
        (FOUR_BAR, "time,crank,joint.rocker\n0,0,0\n", "'crank' and 'joint.rocker' clash"),
        (
            CORNER,
            "time,arm,rack\n0,0,0\n1,0.1,9\n",
            r"rack = 9000 mm at 1 s cannot be reached; the mechanism gets as far",
        ),
    ],
)
def test_motions_that_cannot_be(solve, tmp_path, mechanism, motion, words):
    (tmp_path / "out.csv").write_text("kept")
    code, out, err = solve(mechanism, motion, "--csv", "out.csv", "--plot", "out.png")
    assert code == 1 and out == ""
    assert words in err and err.startswith("kinetab: ")
    assert (tmp_path / "out.csv").read_text() == "kept" and not (tmp_path / "out.png").exists()


def test_files_that_would_be_lost_and_results_that_nobody_keeps(solve):
    assert "reads or writes that file itself" in solve(FOUR_BAR, TURN, "--csv", "motion.csv")[2]
    code, _, err = solve(FOUR_BAR, TURN)
    assert code == 1 and "add --csv FILE, --plot FILE, --json or --show NAMES" in err


def test_help_says_what_the_file_is(capsys):
    with pytest.raises(SystemExit):
        main(["solve", "--help"])
    out = capsys.readouterr().out
    assert "NAME.rate" in out and "degree 5" in out and "SI" in out
