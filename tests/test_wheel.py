"""The wheel, installed where the tree is not: check, bake and run; and the commit that it records."""

import json
import os
import shutil
import site
import subprocess
import sys
import tarfile
import venv
import zipfile

import pytest
from helpers import MECHANISMS, ROOT

PARTS = ("kinetab", "precompute", "fmu_src", "pyproject.toml", "setup.py", "README.md", "LICENSE")
RECORD = "fmu_src/build/commit.txt"
GIT = ("git", "-c", "user.name=a", "-c", "user.email=a@b.c", "-c", "commit.gpgsign=false")


def run(*command, **options):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, **options)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def source(tmp_path_factory):
    """A repository with one commit: a copy, since building leaves folders behind."""
    folder = tmp_path_factory.mktemp("source")
    for name in PARTS:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(ROOT / name, folder / name)
    for words in (("init", "-q"), ("add", "."), ("commit", "-q", "-m", "All")):
        run(*GIT, *words, cwd=folder)
    return folder


@pytest.fixture(scope="module")
def commit(source):
    return run(*GIT, "rev-parse", "HEAD", cwd=source).strip()


def build_wheel(source, folder):
    run(sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "--no-build-isolation", "-w", folder, source)
    (built,) = folder.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def wheel(source, tmp_path_factory):
    return build_wheel(source, tmp_path_factory.mktemp("wheel"))


def recorded(wheel):
    """The commit in a wheel; None if there is none."""
    with zipfile.ZipFile(wheel) as archive:
        return archive.read(RECORD).decode().strip() if RECORD in archive.namelist() else None


def test_it_records_the_commit_and_its_tree_stays_as_it_was(wheel, source, commit):
    assert recorded(wheel) == commit and len(commit) == 40
    assert not (source / RECORD).exists() and not (ROOT / RECORD).exists()


def test_the_source_archive_carries_the_record_on(source, commit, tmp_path):
    script = "import sys; from setuptools import build_meta; build_meta.build_sdist(sys.argv[1])"
    run(sys.executable, "-c", script, tmp_path, cwd=source)
    (archive,) = tmp_path.glob("*.tar.gz")
    with tarfile.open(archive) as file:
        file.extractall(tmp_path, filter="data")
    (unpacked,) = (folder for folder in tmp_path.iterdir() if folder.is_dir())
    run(*GIT, "init", "-q", cwd=tmp_path)  # another repository around it is not ours
    assert (unpacked / RECORD).read_text().strip() == commit
    assert recorded(build_wheel(unpacked, tmp_path)) == commit


def script_commit(folder):
    """What setup.py finds in a folder."""
    script = "import setuptools; setuptools.setup = lambda **_: None; import setup; print(setup.commit().strip())"
    return run(sys.executable, "-c", script, cwd=folder).strip()


def test_changed_files_are_told(source, commit, tmp_path):
    shutil.copytree(source / ".git", tmp_path / ".git")
    shutil.copy(source / "setup.py", tmp_path)
    assert script_commit(tmp_path) == f"{commit}-dirty"


def test_without_a_repository_there_is_no_commit(source, tmp_path):
    shutil.copy(source / "setup.py", tmp_path)
    assert script_commit(tmp_path) == ""
    (tmp_path / "inside").mkdir()
    shutil.copy(source / "setup.py", tmp_path / "inside")
    run(*GIT, "init", "-q", cwd=tmp_path)
    run(*GIT, "commit", "-q", "--allow-empty", "-m", "Not ours", cwd=tmp_path)
    assert script_commit(tmp_path / "inside") == ""
    assert len(script_commit(tmp_path)) == 40


def test_it_holds_every_file_that_the_code_needs(wheel):
    held = set(zipfile.ZipFile(wheel).namelist())
    for half in ("kinetab", "precompute", "fmu_src"):
        for file in (ROOT / half).rglob("*"):
            if file.suffix in {".py", ".c", ".h", ".json", ".css", ".js", ".toml"}:
                assert file.relative_to(ROOT).as_posix() in held


@pytest.mark.fmu
def test_check_bake_and_run_in_an_empty_environment(wheel, commit, tmp_path):
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
    with zipfile.ZipFile(tmp_path / "FourBar.fmu") as archive:
        assert f"(commit {commit})" in archive.read("documentation/index.html").decode()
        assert json.loads(archive.read("documentation/sbom.cdx.json"))["components"][0]["pedigree"] == {
            "commits": [{"uid": commit}]
        }
