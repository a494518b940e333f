"""`kinetab sensitivity`, as a user meets it."""

import csv
import json

from helpers import MECHANISMS

from precompute.cli import main

RIGID = str(MECHANISMS / "double_wishbone_rigid.toml")
SOME = ["--metric", "wheel.left.toe", "--variables", "point.out*,point.inner"]


def test_a_table_ranked_per_millimetre(capsys):
    assert main(["sensitivity", RIGID, *SOME, "--over", "travel=-60:60:13"]) == 0
    out = capsys.readouterr().out
    rows = [line.split()[0] for line in out.splitlines() if line.startswith("  point.")]
    assert rows[:2] == ["point.inner.z", "point.outer.z"] and len(rows) == 6
    assert "13 points" in out and "largest [deg]" in out and "slope there [deg/m]" in out


def test_files_and_the_standard_output(capsys, tmp_path):
    names = {option: tmp_path / f"toe.{option}" for option in ("csv", "json")} | {"plot": tmp_path / "toe.png"}
    files = [word for option, path in names.items() for word in (f"--{option}", str(path))]
    assert main(["sensitivity", RIGID, *SOME, "--over", "steer=5deg:10deg:2", *files]) == 0
    table = list(csv.reader(names["csv"].read_text().splitlines()))
    assert table[0][:4] == ["variable", "per", "steering [deg]", "toe.left [deg]"] and len(table) == 1 + 2 + 6 * 2
    found = json.loads(names["json"].read_text())
    assert found["metric"] == "toe.left" and {v["per"] for v in found["variables"]} == {"mm"}
    assert names["plot"].stat().st_size > 10_000
    capsys.readouterr()
    assert main(["sensitivity", RIGID, *SOME, "--over", "roll", "--rigid", "--csv"]) == 0
    assert capsys.readouterr().out.startswith("variable,per,roll [deg],toe.left [deg],method,error")


def test_mistakes_are_told(capsys):
    wrong = {
        ("--over", "travel=-60..60"): "a range is written as -80:80",
        ("--over", "travel=-60:60:x"): "the number of points is 'x'",
        ("--over", "travel=1:2:3:4"): "write it as travel=-60:60:13",
        ("--over", "travel=10:20:1"): "one point is no range",
        ("--variables", "nonsense"): "known: body.hub,",
        ("--metric", "turning_circle"): "turning_circle is not defined at any point of the case bump",
        ("--over", "travle"): "did you mean 'travel'?",
        ("--variables", "point.uter.z"): "did you mean 'point.outer.z'?",
        ("--metric", "wheel.left.camper"): "did you mean 'camber'?",
        ("--csv", "toe.txt"): ".csv",
    }
    for words, said in wrong.items():
        assert main(["sensitivity", RIGID, *SOME, *words]) == 1
        assert said in capsys.readouterr().err
