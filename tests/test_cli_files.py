"""Files on the command line: outputs that must not be replaced, suffixes, and files of the wrong kind."""

import os
import re
import sys

import pytest
from helpers import MECHANISMS
from test_files import others, state  # noqa: F401

from precompute.cli import main

CRANK = MECHANISMS / "crank_slider.toml"

OUTPUTS = {
    "bake": (["bake", str(CRANK), "-o"], ".fmu"),
    "csv": (["run", "FMU", "--stop", "0.01", "--csv"], ".csv"),
    "plot": (["run", "FMU", "--stop", "0.01", "--plot"], ".png"),
    "check": (["check", str(CRANK), "--plot"], ".png"),
}


def kinetab(capsys, fmu, *arguments):
    code = main([str(fmu("crank_slider")) if a == "FMU" else str(a) for a in arguments])
    out, err = capsys.readouterr()
    assert "Traceback" not in out + err
    return code, out, err


@pytest.mark.fmu
@pytest.mark.skipif(sys.platform == "win32", reason="there are no such files")
@pytest.mark.parametrize("output", OUTPUTS)
def test_no_output_replaces_what_is_no_file(capsys, fmu, others, output):  # noqa: F811
    """Each kind of it, under a name with the right ending."""
    words, suffix = OUTPUTS[output]
    names = ("folder", "fifo", "socket", "to_fifo", "circle")
    for name in names:
        (others / name).rename(others / f"{name}{suffix}")
    (others / f"to_fifo{suffix}").unlink()
    (others / f"to_fifo{suffix}").symlink_to(f"fifo{suffix}")
    (others / f"circle{suffix}").unlink()
    (others / f"circle{suffix}").symlink_to(f"circle{suffix}")
    before = state(others)
    for name in names:
        code, out, err = kinetab(capsys, fmu, *words, others / f"{name}{suffix}")
        assert code == 1 and out == "" and err.count("\n") == 1
        assert re.match(rf"kinetab: cannot write '.*{name}{suffix}': (it is a|its links|too many)", err), err
    assert state(others) == before


@pytest.mark.fmu
@pytest.mark.parametrize("output", OUTPUTS)
@pytest.mark.parametrize("name", ["out", "out.txt", "out.toml", "out.sh"])
def test_outputs_insist_on_their_suffix(capsys, fmu, tmp_path, output, name):
    words, suffix = OUTPUTS[output]
    code, out, err = kinetab(capsys, fmu, *words, tmp_path / name)
    assert code == 1 and out == "" and err.count("\n") == 1 and not list(tmp_path.iterdir())
    assert re.search(rf"'.*{name}': (its name must|no picture)", err) and suffix[1:] in err


@pytest.mark.fmu
@pytest.mark.skipif(sys.platform == "win32", reason="links take rights there")
def test_an_output_through_a_link_is_the_file_behind_it(capsys, fmu, tmp_path):
    (tmp_path / "real.csv").write_text("old")
    (tmp_path / "link.csv").symlink_to("real.csv")
    assert kinetab(capsys, fmu, "run", "FMU", "--stop", "0.01", "--csv", tmp_path / "link.csv")[0] == 0
    assert os.readlink(tmp_path / "link.csv") == "real.csv"
    assert (tmp_path / "real.csv").read_text().startswith("time,")


@pytest.mark.fmu
@pytest.mark.parametrize(
    ("words", "command"),
    [
        (["check", "FMU"], "kinetab info .*crank_slider.fmu"),
        (["bake", "FMU"], "kinetab run .*crank_slider.fmu"),
        (["run", CRANK], r"kinetab bake .*crank_slider.toml -o crank_slider.fmu"),
        (["verify", CRANK], r"kinetab bake .*crank_slider.toml -o crank_slider.fmu"),
        (["info", CRANK], r"kinetab check .*crank_slider.toml"),
        (["bake", "inputs.csv"], "kinetab run FILE.fmu --input inputs.csv"),
        (["check", "inputs.csv"], "kinetab run FILE.fmu --input inputs.csv"),
        (["run", "inputs.csv"], "kinetab run FILE.fmu --input inputs.csv"),
        (["info", "inputs.csv"], "kinetab run FILE.fmu --input inputs.csv"),
        (["run", "FMU", "--input", "FMU"], "kinetab info .*crank_slider.fmu"),
        (["run", "FMU", "--input", CRANK], "kinetab check .*crank_slider.toml"),
        (["check", "model.kinetab"], "name the FMU"),
        (["run", "model.kinetab"], "name the FMU"),
    ],
)
def test_a_wrong_kind_of_file_names_the_right_command(capsys, fmu, tmp_path, monkeypatch, words, command):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "inputs.csv").write_text("time,Q.crank\n0,0\n")
    (tmp_path / "model.kinetab").write_bytes(b"KINETAB\0...")
    code, out, err = kinetab(capsys, fmu, *words)
    assert code == 1 and out == "" and re.search(command, err), err
    assert len(list(tmp_path.iterdir())) == 2
