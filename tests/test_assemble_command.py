"""`kinetab assemble` as a user meets it."""

import json

import pytest
from helpers import MECHANISMS
from helpers_rough import rough_four_bar

import kinetab as kt
from precompute.cli import main

FOUR_BAR = MECHANISMS / "four_bar.toml"


@pytest.fixture
def assemble(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def assemble(*arguments):
        code = main(["assemble", *map(str, arguments)])
        out, err = capsys.readouterr()
        assert "Traceback" not in out + err
        return code, out, err

    return assemble


@pytest.fixture
def rough(tmp_path):
    def rough(**links):
        (tmp_path / "rough.toml").write_text(rough_four_bar(**links))
        return "rough.toml"

    return rough


@pytest.mark.parametrize("name", ["four_bar", "crank_slider", "rssr", "spatial_slider_crank"])
def test_branches_are_listed_with_markers_condition_and_the_design(assemble, name):
    code, out, err = assemble(MECHANISMS / f"{name}.toml", "--branches")
    assert code == 0 and not err
    assert "2 assemblies with crank = 0 deg (400 of 400 starts closed the loops)" in out
    assert "the drawing is closed" in out and "1  the design's; condition number" in out
    assert "2  condition number" in out and "joints moved by up to" in out and out.count("marker [") == 2


def test_a_rough_drawing_is_closed_and_written(assemble, rough, tmp_path, capsys):
    code, out, _ = assemble(rough(coupler_at=116.5, rocker_at=187.6), "-o", "fixed.toml")
    assert code == 0 and "assembled with crank = 0 deg" in out
    assert "the drawing was open by 3.368 m and was closed by Newton's method with the inputs held" in out
    assert "wrote fixed.toml: assembly 1 is its design position" in out
    assert main(["check", "fixed.toml"]) == 0
    assert "was open" not in capsys.readouterr().out  # the drawing is closed now


def test_another_branch_is_written_and_is_the_design_of_the_new_file(assemble):
    code, out, _ = assemble(FOUR_BAR, "--branch", 2, "-o", "other.toml")
    assert code == 0 and "2  condition" in out and "1  the design's" not in out
    code, out, _ = assemble("other.toml", "--branches")
    first = out.partition("\n1  the design's")[2].partition("\n2  ")[0]
    assert "1.56678  -1.39494" in first and "2.73679  1.98261" in out


def test_inputs_elsewhere(assemble):
    code, out, _ = assemble(FOUR_BAR, "--at", "crank=30deg", "-o", "at.toml")
    assert code == 0 and "assembled with crank = 30 deg" in out and "the one that the design leads to" in out
    crank = kt.load("at.toml").coordinates[0]
    assert [round(x, 9) for x in (crank.lower, crank.upper)] == [-1.570796327, 4.71238898]  # -90 to 270 deg


def test_an_input_beyond_reach_is_another_error_than_a_loop_that_cannot_close(assemble, rough):
    code, out, err = assemble(rough(coupler=0.5, at=0.0), "--at", "crank=60deg")
    assert code == 1 and not out
    assert "crank = 60 deg is out of reach" in err and "reaches from -51.3178 deg to 51.3178 deg" in err
    code, _, err = assemble(rough(coupler=0.5), "--at", "crank=-10deg")
    assert code == 0 and not err
    code, _, err = assemble(rough(coupler=0.5, rocker=1.0), "--at", "crank=10deg")
    assert code == 1 and "cannot be closed" in err and "too short to meet" in err


def test_as_json(assemble):
    code, out, _ = assemble(FOUR_BAR, "--branches", "--json", "-o", "same.toml")
    data = json.loads(out)
    assert code == 0 and len(data["assemblies"]) == 2 and data["assemblies"][0]["design"]


def test_long_lists_are_cut_off(assemble):
    axle = MECHANISMS / "five_link.toml"
    _, out, _ = assemble(axle, "--branches")
    assert "... and 7 more, farther away; --all lists them" in out and out.count("condition number") == 9
    assert assemble(axle, "--branches", "--all")[1].count("condition number") == 16


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--at", "crank"], "--at crank: write NAME=VALUE, such as crank=30deg"),
        (["--at", "crank="], "write NAME=VALUE"),
        (["--at", "=3"], "write NAME=VALUE"),
        (["--at", "crank=30mm"], "--at crank=30mm: mm is no unit of an angle"),
        (["--at", "crank=thirty"], "'thirty' is no number"),
        (["--at", "crank=nan"], "is not a finite number"),
        (["--at", "crank=1e300"], "is no place for 'FourBar'"),
        (["--at", "crnk=1"], "no independent coordinate 'crnk'; did you mean 'crank'?"),
        (["--at", "crank=1", "--at", "crank=2"], "'crank' is given twice"),
        (["--branch", "3"], "--branch 3: there are assemblies 1 to 2"),
        (["--branch", "0"], "--branch 0: there are assemblies 1 to 2"),
        (["-o", "fixed.txt"], "its name must end in .toml"),
        (["-o", "nowhere/fixed.toml"], "there is no directory"),
        (["-o", str(FOUR_BAR)], "this command reads or writes that file itself"),
    ],
)
def test_bad_input(assemble, arguments, message):
    before = FOUR_BAR.read_bytes()
    code, out, err = assemble(FOUR_BAR, *arguments)
    assert code == 1 and not out and message in err and FOUR_BAR.read_bytes() == before


def test_a_file_that_is_there_is_kept_if_nothing_can_be_written(assemble, rough, tmp_path):
    (tmp_path / "kept.toml").write_text("mine")
    assert assemble(rough(coupler=0.5), "-o", "kept.toml")[0] == 1
    assert assemble(FOUR_BAR, "--branch", 7, "-o", "kept.toml")[0] == 1
    assert (tmp_path / "kept.toml").read_text() == "mine"


def test_from_python(tmp_path):
    ways = kt.assemble(FOUR_BAR, at={"crank": 0.5}, branches=True)
    assert isinstance(ways, kt.Assemblies) and len(ways.found) == 2 and "2 assemblies" in str(ways)
    kt.save(ways.redrawn(1).mechanism, tmp_path / "other.toml")
    again = kt.assemble(tmp_path / "other.toml")
    assert again.design.iterations == 0
    with pytest.raises(kt.ReachError):
        kt.assemble(MECHANISMS / "crank_slider_charts.toml", at={"slider": 9.0})
