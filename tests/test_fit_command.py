"""`kinetab fit` as a user meets it."""

import re

import pytest
from helpers import MECHANISMS

from precompute.cli import main
from precompute.sheets.measured import read_measured

STRUT = MECHANISMS / "macpherson_rigid.toml"
RIG = """travel [mm],toe [deg],camber.left [deg]
-60,0.3,1.0
0,0,0
30,nan,-0.7
60,-0.3,-1.5
"""


@pytest.fixture
def fit(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "rig.csv").write_text(RIG)

    def fit(*arguments, table="rig.csv"):
        code = main(["fit", "-q", str(STRUT), table, *map(str, arguments)])
        out, err = capsys.readouterr()
        assert "Traceback" not in out + err
        return code, " ".join(out.split()), err

    return fit


def test_variables_curves_and_a_new_file_with_its_comments(fit, tmp_path, capsys):
    code, out, err = fit("--vary", "point.tie_outer.z,point.lower_ball.z", "--within", "5mm", "-o", "fitted.toml")
    assert code == 0 and not err
    assert "MacPhersonRigid: 2 variables from 7 numbers of 2 curves of rig.csv" in out
    assert "point.lower_ball.z 200 195 -5 - at bound mm" in out
    assert re.search(r"point\.tie_outer\.z 250 24\d\.\d+ -\S+ \+-\S+ \+-5 mm", out)
    assert "toe.left of bump 3 0.006 deg" in out and "camber.left of bump 4 0.025 deg" in out
    assert "At its bound: point.lower_ball.z; the closest that was reached leaves" in out
    assert "Note: 1 of 4 rows has no number for toe.left of bump. wrote fitted.toml" in out
    before, after = STRUT.read_text().splitlines(), (tmp_path / "fitted.toml").read_text().splitlines()
    changed = [line.partition(" =")[0] for line in after if line not in before]
    assert changed == ["lower_ball", "tie_outer"] and len(after) == len(before)
    largest = re.search(r"camber.left of bump 4 .*? (\S+) deg travel (\S+) mm Cond", out)
    assert main(["kc", "fitted.toml", "--cases", "bump", "--travel", "60", "--compare", "rig.csv"]) == 0
    told = re.search(r"camber.left +(\S+) deg at (\S+) mm", capsys.readouterr().out)
    assert float(told[1]) == pytest.approx(-float(largest[1]), rel=1e-2) and told[2] == largest[2]


def test_without_output_nothing_is_written(fit, tmp_path):
    code, out, _ = fit("--vary", "point.tie_outer.z", "--metrics", "toe", "--hold", "patch")
    assert code == 0 and "camber" not in out and "wrote" not in out
    assert [path.name for path in tmp_path.iterdir()] == ["rig.csv"]


MISTAKES = {
    ("--vary", "point.tie_outr.z"): "no design variable fits 'point.tie_outr.z'; did you mean 'point.tie_outer.z'?",
    ("--vary", ","): "name at least one design variable",
    ("--vary", "point"): "'rig.csv' has 7 numbers for 33 variables",
    ("--vary", "point.tie_outer", "--metrics", "tow"): "'rig.csv' has no numbers of 'tow'; did you mean 'toe'?",
    ("--vary", "point.tie_outer", "--within", "5deg"): "--within 5deg: none of the variables is measured in that",
    ("--vary", "point.tie_outer", "-o", STRUT): "reads or writes that file itself",
    ("--vary", "point.tie_outer", "-o", "rig.csv"): "cannot write 'rig.csv'",
    ("--vary", "point.tie_outer", "--axle", "rear"): "there is no axle 'rear'",
}


@pytest.mark.parametrize("words", MISTAKES)
def test_mistakes_are_told_and_nothing_is_written(fit, tmp_path, words):
    code, _, err = fit(*words)
    assert code == 1 and MISTAKES[words] in err
    assert (tmp_path / "rig.csv").read_text() == RIG


TABLES = {
    "travel [mm],tow [deg]\n0,1\n": "has no column that is a metric",
    "travel [mm],toe [deg],tow\n0,1,1\n": "column 'tow': there is no metric 'tow'; did you mean",
    "travel [mm],toe [N]\n0,1\n": "'toe' is in [N]; it must be in deg",
    "travel [mm],toe [deg]\n": "has no table",
    "travel [mm],toe [deg]\n0,nan\n": "has no column that is a metric with numbers in it",
    "travel [mm],toe [deg]\n-600,1\n0,1\n700,1\n": "bump ends at 0 mm: -600 mm cannot be reached",
    "case,input,toe\nlateral,1,x\n": "'toe' is 'x', which is no number",
}


@pytest.mark.parametrize("table", TABLES)
def test_tables_that_cannot_be_used(fit, tmp_path, table):
    (tmp_path / "other.csv").write_text(table)
    code, _, err = fit("--vary", "point.tie_outer.z", table="other.csv")
    assert code == 1 and TABLES[table] in err


def test_rows_of_a_table_are_counted(tmp_path):
    (tmp_path / "rig.csv").write_text(RIG)
    found = read_measured(tmp_path / "rig.csv")
    assert found.rows == {"bump": 4} and len(found.cases["bump"]["toe"][0]) == 3
