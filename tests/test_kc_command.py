"""`kinetab kc` and the lines of an axle in `kinetab check`, as a user meets them."""

import json

import pytest
from helpers import MECHANISMS

from precompute.cli import main

RIGID = str(MECHANISMS / "double_wishbone_rigid.toml")
STRUT = str(MECHANISMS / "macpherson.toml")
SHORT = ["--cases", "bump", "--points", "3", "--travel", "-20:20"]


def test_a_table_in_the_terminal(capsys):
    assert main(["kc", RIGID, *SHORT]) == 0
    out = capsys.readouterr().out
    assert "Parallel bump (bump): travel -20 to 20 mm, 3 points" in out
    assert "toe.left" in out and "deg/m" in out and "Axes: ISO 8855" in out


def test_the_list_needs_no_file(capsys):
    assert main(["kc", "--list"]) == 0
    out = capsys.readouterr().out
    assert "roll_centre_height" in out and "toe_per_lateral_parallel" in out


def test_a_stranger_asks_for_one_metric(capsys):
    """By the name that tables have, or a part of it: definition, unit and signs in three conventions."""
    assert main(["kc", "--list", "steer.left,ackermann"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("steer  [deg]  position, per wheel") and "positive in sae: turned to the right" in out
    assert "docs/kc.md#steer" in out and "ackermann_percentage" in out and "toe_per" not in out
    assert main(["kc", "--list", "camberr"]) == 1
    assert "there is no metric 'camberr'; did you mean 'camber'?" in capsys.readouterr().err


def test_files_and_what_is_laid_over(capsys, tmp_path):
    files = ["--csv", str(tmp_path / "a.csv"), "--json", str(tmp_path / "a.json"), "--plot", str(tmp_path / "a.png")]
    assert main(["kc", RIGID, *SHORT, *files]) == 0
    assert all((tmp_path / name).stat().st_size > 1000 for name in ("a.csv", "a.json", "a.png"))
    capsys.readouterr()
    assert main(["kc", RIGID, *SHORT, "--compare", str(tmp_path / "a.csv"), "--compare", RIGID]) == 0
    out = capsys.readouterr().out
    assert "a.csv, its largest difference from DoubleWishboneRigid" in out
    assert out.count("bump             toe.left") == 2 and " 0 deg at" in out


def test_json_and_csv_on_the_standard_output(capsys):
    assert main(["kc", RIGID, *SHORT, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["convention"] == "iso"
    assert main(["kc", RIGID, *SHORT, "--convention", "sae", "--csv"]) == 0
    assert capsys.readouterr().out.startswith("case,input,input_unit,toe.left [deg]")


def test_ranges_with_units(capsys):
    options = ["--cases", "bump,steering,lateral", "--points", "3", "--show", "toe"]
    assert main(["kc", STRUT, *options, "--travel", "-1in:1in", "--steer", "-5mm:5mm", "--lateral", "1.5kN"]) == 0
    out = capsys.readouterr().out
    assert "travel -25.4 to 25.4 mm" in out and "steering -5 to 5 mm" in out and "force -1.5 to 1.5 kN" in out


def test_a_range_beyond_reach_ends_the_curve_and_not_the_command(capsys):
    assert main(["kc", RIGID, "--cases", "bump", "--points", "5", "--travel", "-400:100", "--show", "camber"]) == 0
    assert "Note: bump ends at" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--csv", "--json"], "cannot both be printed"),
        (["--travel", "-80..80"], "a range is written as -80:80"),
        (["--secant", "20"], "write it as travel=20,roll=1"),
        (["--secant", "travel=1:2"], "one step is enough"),
        (["--secant", "travel=0"], "step of secants along travel is 0.0; give a positive number"),
        (["--travel", "80:-80"], "travel goes from 80 to -80; the first must be less"),
        (["--travel", "3kN"], "kN is no unit of a length"),
        (["--travel", "1:2:3"], "a range has two ends"),
        (["--steer", "-5mm:5mm"], "mm is no unit of an angle"),
        (["--axle", "rear"], "no axle 'rear' in 'DoubleWishboneRigid'; known: front"),
        (["--cases", "bump,rol"], "no case 'rol'; did you mean 'roll'?"),
        (["--show", "anti_squat", *SHORT], "anti_squat needs a rear axle"),
        (["--show", "tow", *SHORT], "no metric 'tow'; did you mean 'toe'?"),
        (["--points", "1"], "ask for two or more"),
        (["--csv", "kc.txt"], "its name must end in .csv"),
        (["--plot", "kc.nothing"], "no picture ends in '.nothing'"),
        (["--compare", "not_there.csv"], "'not_there.csv' cannot be read"),
    ],
)
def test_bad_options(capsys, options, message):
    assert main(["kc", RIGID, *options]) == 1
    captured = capsys.readouterr()
    assert message in captured.err and captured.err.startswith("kinetab: ")
    assert bool(captured.out) == ("--json" in options)  # problems, for programs


def test_a_mechanism_without_wheels(capsys):
    assert main(["kc", str(MECHANISMS / "crank_slider.toml")]) == 1
    assert "it has no wheel; give it [wheels.NAME]" in capsys.readouterr().err
    assert main(["kc"]) == 1
    assert "name a mechanism file" in capsys.readouterr().err


def test_check_begins_with_what_an_engineer_reads(capsys):
    assert main(["check", STRUT]) == 0
    lines = capsys.readouterr().out.splitlines()
    at = lines.index("Axle 'front' at design")
    words = ["motion ratio", "wheel rate", "ride frequency", "static load", "bump steer", "stops touch"]
    assert [line[2:].partition("  ")[0] for line in lines[at + 1 : at + 7]] == words
    assert "28.365 N/mm" in lines[at + 2] and "1.245 Hz" in lines[at + 3]
    assert at < next(k for k, line in enumerate(lines) if line.startswith("Degrees of freedom"))


def test_check_says_what_is_missing_for_it(capsys, tmp_path):
    text = (MECHANISMS / "macpherson.toml").read_text()
    start, end = text.index("[vehicle]"), text.index("# -- tables")
    (tmp_path / "a.toml").write_text(text[:start] + text[end:])
    assert main(["check", str(tmp_path / "a.toml")]) == 0
    assert "wheel rate      28.365 N/mm" in capsys.readouterr().out
