"""`kinetab loads` as a user meets it."""

import re

import numpy as np
import pytest
from helpers import MECHANISMS
from helpers_loading import PENDULUM, arm_force, csv_text, swing

import kinetab as kt
from precompute.cli import main

STRUT = MECHANISMS / "macpherson_rigid.toml"


@pytest.fixture
def run(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "pendulum.toml").write_text(PENDULUM.replace("CHASSIS", "").replace("JOINT", ""))

    def run(mechanism, columns, *arguments):
        text = columns if isinstance(columns, str) else csv_text(columns)
        (tmp_path / "motion.csv").write_text(text)
        code = main(["loads", str(mechanism), "--input", "motion.csv", *arguments])
        out, err = capsys.readouterr()
        assert "Traceback" not in out + err
        return code, out, err

    return run


def swinging():
    t, a, ad, add = swing()
    return {"time": t, "angle": a, "angle.rate": ad, "angle.acceleration": add}


def test_from_a_motion_to_all_files(run, tmp_path):
    files = ["--csv", "loads.csv", "--folder", "out", "--rainflow", "pairs.csv", "--plot", "loads.png"]
    code, out, err = run("pendulum.toml", swinging(), "--axes", "ground", *files)
    assert code == 0 and err == ""
    first = (
        "Pendulum: 201 samples from 0 s to 1 s, 7 loads in axes of the ground -> loads.csv, out, pairs.csv, loads.png"
    )
    assert out.splitlines()[0] == first
    table = np.genfromtxt(tmp_path / "loads.csv", delimiter=",", names=True, deletechars="")
    force, moment = arm_force(*swing()[1:])
    np.testing.assert_allclose(table["joint.pivot.F[3]"], force[:, 2], rtol=0.0, atol=1e-12)
    np.testing.assert_allclose(table["drive.angle.force"], moment, rtol=0.0, atol=1e-12)
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["drive.angle.csv", "pivot.csv"]
    assert (tmp_path / "loads.png").read_bytes().startswith(b"\x89PNG")
    assert (tmp_path / "pairs.csv").read_text().startswith("load,unit,range_from,range_to,mean,cycles\n")


def test_the_summary_has_extremes_with_times_and_range_pairs(run):
    _, out, _ = run("pendulum.toml", swinging())
    _, moment = arm_force(*swing()[1:])
    t = swing()[0]
    line = next(line for line in out.splitlines() if line.startswith("  angle drive force"))
    low, low_at, high, high_at, pairs, _ = (float(cell) for cell in line.split()[3:9])
    assert (low, high) == pytest.approx((moment.min(), moment.max()), rel=1e-4)
    assert (low_at, high_at) == pytest.approx((t[moment.argmin()], t[moment.argmax()]), abs=1e-9)
    assert pairs >= 0.5 and "N m" in line
    assert re.search(r"zero throughout: pivot Fx, pivot My, pivot Mz", out)  # in its own axes, x along it
    assert "rainflow cycles (ASTM E1049) of more than 10 %" in out


def test_some_of_them(run):
    code, out, _ = run("pendulum.toml", swinging(), "--show", "pivot.Fy")
    assert code == 0 and "pivot Fy" in out and "pivot Fz" not in out


def test_loads_that_are_not_defined_are_told_why(run):
    code, _, err = run(MECHANISMS / "four_bar.toml", "time,crank\n0,0\n")
    assert code == 0
    assert "kinetab: note: not defined, left out: joint.crank.F[1], M[2], M[3];" in err
    assert "(in place of a hinge a ball has two more, a cylindrical joint one)" in err


def test_the_example_of_the_docs(run):
    motion = (MECHANISMS / "macpherson_rigid_motion.csv").read_text()
    rows = motion.splitlines()
    code, out, err = run(STRUT, "\n".join([rows[0], *rows[1:402]]) + "\n", "--show", "rack.drive.force,tie_rod.force")
    assert code == 0 and err == "" and "rack drive force" in out and "tie_rod force" in out


T = np.linspace(0.0, 1.0, 101)


@pytest.mark.parametrize(
    "columns, words",
    [
        ({"time": T, "rack": 0 * T}, ["there is no column 'strut'; it is a coordinate of macpherson_rigid.toml"]),
        (
            {"time": T, "rac": T, "strut": T, "port.contakt.F[3]": T},
            [
                "'motion.csv' has 3 problems",
                "line 1, column 2: 'rac' is no coordinate or input of macpherson_rigid.toml; did you mean 'rack'?",
                "line 1, column 4: 'port.contakt.F[3]' is no",
                "no column 'rack'",
            ],
        ),
        ("time,rack,strut\n0,0,0\n0.1,0,0\n0.1,0,0\n", ["line 4, column 1 (time): 0.1 stands twice"]),
        ("time,rack,strut\n0,0,0\n0.2,0,0\n0.1,0,0\n", ["line 4, column 1 (time): 0.1 follows 0.2"]),
        (
            "time,rack,strut\n0,0,nan\n0.2,inf,0\n",
            ["line 2, column 3 (strut): 'nan' is not finite", "line 3, column 2"],
        ),
        ("rack,strut\n0,0\n", ["the first row must be names, beginning with 'time'"]),
        (
            {"time": T, "rack": 0.1 * T**2, "strut": 0.1 * T**2},
            [
                "'rack' leaves its range, -70 mm to 70 mm",
                "at 0.84 s and goes to 100 mm at 1 s",
                "'strut' leaves its range",
            ],
        ),
        (
            {"time": T, "rack": np.where(T > 0.5, 0.02, 0.0), "strut": 0 * T},
            ["'rack' is not smooth enough to have accelerations: at 0.5", "mm/s2", "'rack.acceleration' too, finer"],
        ),
    ],
)
def test_motions_that_cannot_be(run, tmp_path, columns, words):
    (tmp_path / "loads.csv").write_text("kept")
    code, out, err = run(STRUT, columns, "--csv", "loads.csv", "--plot", "loads.png", "--folder", "out")
    assert code == 1 and out == "" and err.startswith("kinetab: 'motion.csv'")
    for word in words:
        assert word in err
    assert (tmp_path / "loads.csv").read_text() == "kept"
    assert not (tmp_path / "loads.png").exists() and not (tmp_path / "out").exists()


def test_a_rough_motion_is_warned_about_and_done(run):
    bump = np.where((T > 0.3) & (T < 0.5), 0.2 * (1 - np.cos(2 * np.pi * (T - 0.3) / 0.2)), 0.0)
    code, out, err = run("pendulum.toml", {"time": T, "angle": bump})
    assert code == 0 and out
    assert err.startswith("kinetab: warning: 'motion.csv': 'angle' tells its accelerations only roughly: at 0.3")


@pytest.mark.parametrize(
    "arguments, words",
    [
        (["--axes", "amr"], "there is no body 'amr' whose axes loads could be in; did you mean 'arm'?"),
        (["--csv", "motion.csv"], "reads or writes that file itself"),
        (["--csv", "a.csv", "--rainflow", "a.csv"], "reads or writes that file itself"),
        (["--folder", "motion.csv"], "cannot write to 'motion.csv': it is no directory"),
        (["--folder", "no/where"], "there is no directory 'no'; create it first"),
        (["--csv", "loads.txt"], "its name must end in .csv"),
        (["--show", "pivto.Fy"], "--show: nothing is called 'pivto.Fy'; did you mean 'pivot.Fy'?"),
    ],
)
def test_options_that_make_no_sense(run, arguments, words):
    code, out, err = run("pendulum.toml", swinging(), *arguments)
    assert code == 1 and words in err and out == ""


def test_help_says_what_the_file_is(capsys):
    with pytest.raises(SystemExit):
        main(["loads", "--help"])
    out = capsys.readouterr().out
    assert "NAME.rate" in out and "drive.NAME.q" in out and "SI" in out and "port.contact.F[3]" in out


def test_from_python(tmp_path):
    path = tmp_path / "pendulum.toml"
    path.write_text(PENDULUM.replace("CHASSIS", "").replace("JOINT", ""))
    found = kt.load(path).loads(swinging(), axes="ground")
    assert isinstance(found, kt.JointLoads)
    (tmp_path / "motion.csv").write_text(csv_text(swinging()))
    same = kt.load(path).loads(tmp_path / "motion.csv", axes="ground")
    for name, values in found.outputs.items():
        np.testing.assert_array_equal(same.outputs[name], values)
    assert found.extremes("drive.angle.force").largest == found.outputs["drive.angle.force"].max()
    assert found.cycles("joint.pivot.F[3]").shape[1] == 3
