"""`kinetab verify` as a user meets it."""

import json
import re

import pytest
from helpers import MECHANISMS

from fmu_src.build.python_fmu import build_fmu
from precompute.cli import main

pytestmark = pytest.mark.fmu
CRANK = MECHANISMS / "crank_slider.toml"


@pytest.fixture(scope="module")
def crank(tmp_path_factory, baked):
    return build_fmu(baked("crank_slider"), tmp_path_factory.mktemp("fmu") / "crank.fmu")


@pytest.fixture
def verify(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def verify(*arguments):
        code = main(["verify", "--quiet", *map(str, arguments)])
        out, err = capsys.readouterr()
        assert "Traceback" not in out + err
        return code, out, err

    return verify


def test_it_covers_its_range_and_passes(verify, crank):
    code, out, err = verify(crank, "--mechanism", CRANK)
    assert code == 0 and err == "" and out.endswith("\nPASS\n")
    assert "Tables against kinematics in natural coordinates, at" in out
    assert "led through its range by forces on its coordinates\n  covered crank  100 %" in out
    assert re.search(r"full model: constraint residual \S+ mm\n", out)


def test_json_has_all_and_the_verdict(verify, crank):
    code, out, err = verify(crank, "--free", "--stop", "0.5", "--json")
    found = json.loads(out)
    assert code == 0 and found["passed"] and found["faults"] == [] and found["limits"]["mm"] == 0.01
    assert 0.1 < found["dynamics"]["coverage"][0]["share"] < 0.2 and "covers only" in err
    assert found["dynamics"]["manner"] == "moving by itself" and found["kinematics"]["configurations"] >= 200
    assert all(d["passes"] and d["error"] <= d["limit"] for d in found["dynamics"]["own"])


def test_inputs_over_time(verify, crank, tmp_path):
    (tmp_path / "loads.csv").write_text("time,Q.crank\n0,0\n0.2,20\n0.2,-20\n0.5,0\n")
    code, out, _ = verify(crank, "--input", "loads.csv", "--stop", "0.5", "--step", "10ms")
    assert code == 0 and "under inputs over time (Q.crank)" in out


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("time,Q.krank\n0,1\n", "'Q.krank' is no input of crank.fmu; did you mean 'Q.crank'?"),
        ("time,Q.crank\n0,much\n", "line 2, column 2 (Q.crank): 'much' is no number"),
    ],
)
def test_bad_inputs_are_told(verify, crank, tmp_path, text, told):
    (tmp_path / "loads.csv").write_text(text)
    code, out, err = verify(crank, "--input", "loads.csv")
    assert code == 1 and out == "" and told in err


def test_another_version_of_the_file_is_told(verify, crank, tmp_path):
    (tmp_path / "crank.toml").write_text(CRANK.read_text().replace("tolerance = 1e-8", "tolerance = 1e-7"))
    code, out, err = verify(crank, "--mechanism", "crank.toml")
    assert code == 1 and out == ""
    assert "crank.fmu was baked from another version of 'crank.toml'" in err
    assert "tables.tolerance: 1e-07 in the file, 1e-08 in the FMU" in err


@pytest.mark.parametrize("option", [("--relative", "-1"), ("--mm", "0"), ("--newton", "inf")])
def test_limits_are_numbers(crank, option):
    with pytest.raises(SystemExit) as stop:
        main(["verify", str(crank), *option])
    assert stop.value.code == 2
