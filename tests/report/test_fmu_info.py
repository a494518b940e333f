"""`kinetab info`: what it tells of FMUs of each kind, and of files that are none."""

import zipfile

import pytest
from helpers_kinds import builder
from helpers_model import crank_slider, double_pendulum
from helpers_stiff import stiff_pendulum

from fmu_src.build.compile import current_platform
from precompute.cli import main
from precompute.report.fmu_info import info_text, variable_lines
from precompute.running.simulation import SimulationError

pytestmark = pytest.mark.fmu


@pytest.mark.parametrize(
    ("kind", "says"),
    [
        ("native", f"native FMU for {current_platform()}; needs no Python"),
        ("python", f"compiled for {current_platform()}, elsewhere NumPy"),
        ("numpy", "runs in NumPy"),
    ],
)
def test_each_kind_says_where_it_runs(kind, says, tmp_path):
    text = info_text(builder(kind)(crank_slider(nodes=20), tmp_path / "a.fmu"))
    assert says in text and text.startswith("CrankSlider: Crank-slider with a spring\n")
    assert "kinetab 0." in text and "periodic" in text and "Runge-Kutta of order 4" in text


def test_ranges_accuracy_and_deflections(tmp_path):
    text = info_text(builder("native")(double_pendulum(nodes=8), tmp_path / "a.fmu"))
    assert "coordinate alpha: -91.6732 deg to 91.6732 deg, beyond it a step fails" in text
    assert "largest table error at" in text and "tolerance" in text
    soft = info_text(builder("native")(stiff_pendulum(nodes=12, moving=True), tmp_path / "b.fmu"))
    assert (
        "linearly implicit" in soft and "deflections valid up to: mount.x 10 mm" in soft and "the ground moves" in soft
    )


def test_all_variables_are_listed(tmp_path, capsys):
    path = builder("native")(double_pendulum(nodes=8), tmp_path / "a.fmu")
    assert main(["info", str(path), "--variables"]) == 0
    said = capsys.readouterr().out
    lines = list(variable_lines(path))
    assert said.endswith("\n".join(lines) + "\n")
    (line,) = [line for line in lines if line.startswith("q_start.alpha ")]
    assert line.split()[:4] == ["q_start.alpha", "parameter", "rad", "0.5"]


def test_what_is_no_fmu_of_ours(tmp_path, capsys):
    assert main(["info", str(tmp_path / "missing.fmu")]) == 1
    assert "bake it first" in capsys.readouterr().err
    assert main(["run", str(tmp_path / "missing.toml")]) == 1
    assert "-o missing.fmu" in capsys.readouterr().err
    path = builder("native")(crank_slider(nodes=20), tmp_path / "a.fmu")
    with zipfile.ZipFile(path) as source, zipfile.ZipFile(tmp_path / "b.fmu", "w") as target:
        for name in source.namelist():
            if not name.endswith(".kinetab"):
                target.writestr(name, source.read(name))
    with pytest.raises(SimulationError, match="holds no kinetab model"):
        info_text(tmp_path / "b.fmu")
