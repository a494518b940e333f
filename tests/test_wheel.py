"""The wheel, installed where the tree is not: check, bake and run."""

import os
import shutil
import site
import subprocess
import sys
import venv
import zipfile

import pytest
from helpers import MECHANISMS, ROOT

PARTS = ("kinetab", "precompute", "fmu_src", "pyproject.toml", "README.md", "LICENSE")


def run(*command, **options):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, **options)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    source = tmp_path_factory.mktemp("source")
    for name in PARTS:  # a copy, since building leaves folders behind
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, source / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(ROOT / name, source / name)
    folder = tmp_path_factory.mktemp("wheel")
    run(sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "--no-build-isolation", "-w", folder, source)
    (built,) = folder.glob("*.whl")
    return built


def test_it_holds_every_file_that_the_code_needs(wheel):
    held = set(zipfile.ZipFile(wheel).namelist())
    for half in ("kinetab", "precompute", "fmu_src"):
        for file in (ROOT / half).rglob("*"):
            if file.suffix in {".py", ".c", ".h", ".json"}:
                assert file.relative_to(ROOT).as_posix() in held


@pytest.mark.fmu
def test_check_bake_and_run_in_an_empty_environment(wheel, tmp_path):
    venv.create(tmp_path / "env", with_pip=False)
    python = tmp_path / "env" / ("Scripts" if os.name == "nt" else "bin") / "python"
    (place,) = run(python, "-c", "import site; print(site.getsitepackages()[0])").splitlines()
    run(sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--target", place, wheel)
    with open(os.path.join(place, "dependencies.pth"), "w") as file:  # those that these tests run with, but not kinetab
        file.write("\n".join(site.getsitepackages()))
    env = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    options = {"cwd": tmp_path, "env": env}
    assert place in run(python, "-c", "import kinetab; print(kinetab.__file__)", **options)
    mechanism = shutil.copy(MECHANISMS / "four_bar.toml", tmp_path)
    assert "Degrees of freedom: 1" in run(python, "-m", "kinetab", "check", mechanism, **options)
    run(python, "-m", "kinetab", "bake", mechanism, "-o", "FourBar.fmu", **options)
    assert "us per step" in run(python, "-m", "kinetab", "run", "FourBar.fmu", "--stop", "0.01", **options)
