"""`kinetab run` as a user meets it."""

import re

import numpy as np
import pytest
from helpers_model import double_pendulum
from helpers_stiff import stiff_pendulum

from fmu_src.build.python_fmu import build_fmu
from precompute.cli import main

pytestmark = pytest.mark.fmu


@pytest.fixture(scope="module")
def pendulum(tmp_path_factory):
    return build_fmu(double_pendulum(nodes=15), tmp_path_factory.mktemp("fmu") / "pendulum.fmu")


@pytest.fixture
def run(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def run(*arguments):
        code = main(["run", *map(str, arguments)])
        out, err = capsys.readouterr()
        assert "Traceback" not in out + err
        return code, out, err

    return run


def read(path):
    return np.genfromtxt(path, delimiter=",", names=True, deletechars="")


def test_inputs_are_columns(run, fmu, tmp_path):
    (tmp_path / "in.csv").write_text("time;Q.crank\n0;0\n0,1;5\n")
    code, out, err = run(fmu("crank_slider"), "--input", "in.csv", "--stop", "100ms", "--csv", "out.csv")
    assert code == 0 and "0.1 s in 100 steps" in out and err == ""
    table = read("out.csv")
    np.testing.assert_allclose(table["Q.crank"], 50.0 * table["time"], atol=1e-12)


def test_samples_before_a_failure_are_kept(run, pendulum):
    push = ("--set", "Q.alpha=50", "--stop", "3", "--step", "10ms")
    code, out, err = run(pendulum, *push, "--csv", "kept.csv", "--plot", "kept.png")
    assert code == 1 and out == ""
    assert re.search(
        r"pendulum.fmu stopped at 0\.\d+ s: .*'alpha'.*\n  the \d+ samples up to then are in kept.csv and", err
    )
    assert 10 < len(read("kept.csv")) < 300
    with open("kept.png", "rb") as picture:
        assert picture.read(4) == b"\x89PNG"
    assert "--csv and --plot would keep the samples" in run(pendulum, *push)[2]


def test_set_against_a_column(run, fmu, tmp_path):
    (tmp_path / "in.csv").write_text("time,Q.crank\n0,0\n0.1,5\n")
    code, _, err = run(fmu("crank_slider"), "--input", "in.csv", "--set", "Q.crank=3")
    assert code == 1 and "'Q.crank' is set to a constant (--set), but the inputs over time have a column for it" in err


def test_inputs_that_start_late_or_end_early_are_told(run, fmu, tmp_path):
    (tmp_path / "in.csv").write_text("time,Q.crank\n0.01,0\n0.02,5\n")
    code, _, err = run(fmu("crank_slider"), "--input", "in.csv", "--stop", "0.03")
    assert code == 0
    assert "note: the inputs over time start at 0.01 s; their first row is held" in err
    assert "note: the inputs over time end at 0.02 s; their last row is held" in err


def test_units(run, fmu):
    code, _, _ = run(fmu("crank_slider"), "--set", "q_start.crank=5deg", "--stop", "1ms", "--csv", "out.csv")
    assert code == 0 and read("out.csv")["q.crank"][0] == pytest.approx(np.radians(5.0), rel=1e-15)
    code, _, err = run(fmu("crank_slider"), "--set", "q_start.crank=5mm")
    assert code == 1 and "mm is no unit of an angle (rad or deg), but of a length" in err
    with pytest.raises(SystemExit) as caught:
        run(fmu("crank_slider"), "--stop", "5mm")
    assert caught.value.code == 2


def test_show(run, fmu):
    code, out, _ = run(fmu("crank_slider"), "--show", "slider.x,crank", "--stop", "0.01", "--plot", "out.svg")
    assert code == 0 and re.search(r"\n  slider x +\S+ +\S+ +\S+  mm\n  crank ", out)
    with open("out.svg", encoding="utf-8") as picture:
        text = picture.read()
    assert "<!-- slider x -->" in text and "<!-- crank -->" in text and "energy" not in text
    code, out, err = run(fmu("crank_slider"), "--show", "slidr.x", "--plot", "none.png")
    assert code == 1 and out == "" and "did you mean 'slider.x'" in err


def test_step_error(run, fmu, tmp_path):
    fast = ("--set", "qd_start.crank=300rpm", "--stop", "0.05", "--step", "5ms")
    code, out, _ = run(
        fmu("crank_slider"), *fast, "--set", "solver.step=5ms", "--show", "slider.x,crank", "--step-error"
    )
    assert code == 0 and "this run in steps of 5 ms against one in steps of 2.5 ms. The method has order 4" in out
    assert re.search(r"\n  slider x +\d\.\de-\d\d +\d\.\de-\d\d +0\.\d+  mm\n", out) and "inputs over time" not in out
    (tmp_path / "in.csv").write_text("time,Q.crank\n0,0\n0.05,50\n")
    code, out, _ = run(fmu("crank_slider"), *fast, "--input", "in.csv", "--step-error")
    assert code == 0 and "communication steps: these of 5 ms against 2.5 ms, of order 2" in out
    assert "total energy" in out  # all that is drawn without --show


def test_what_the_fmu_says_is_passed_on(run, tmp_path):
    soft = build_fmu(stiff_pendulum(nodes=15), tmp_path / "soft.fmu")
    code, _, err = run(soft, "--stop", "0.2", "--step", "1ms", "--set", "port.bob.F[2]=-4kN")
    assert code == 0 and re.search(r"^kinetab: warning: .*mount\.", err, re.M)
