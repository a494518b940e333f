"""What pyproject.toml cannot say: a wheel or source archive made from the repository records its commit.

A source archive carries the record on to the wheels that are made from it; a checkout, installed as it lies, has none.
"""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py
from setuptools.command.sdist import sdist

ROOT = Path(__file__).resolve().parent
RECORD = Path("fmu_src", "build", "commit.txt")


def commit() -> str:
    """The commit of this repository, "-dirty" after it if files were changed; what is recorded if this is none."""
    if (ROOT / RECORD).is_file():
        return (ROOT / RECORD).read_text(encoding="ascii")
    if not (ROOT / ".git").exists():  # a repository that holds this folder is not ours
        return ""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    command = ["git", "describe", "--always", "--dirty", "--abbrev=40", "--exclude=*"]
    try:
        done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)
    except OSError:  # no git
        return ""
    return done.stdout if done.returncode == 0 else ""


def record(folder: str) -> None:
    """Write the commit, if there is one, into a tree of packages."""
    target = Path(folder) / RECORD
    found = commit()
    target.unlink(missing_ok=True)  # it may be a link, or of an earlier build
    if found:
        target.write_text(found, encoding="ascii")


class BuildPy(build_py):
    """Packages for a wheel, with the record."""

    def run(self) -> None:
        """Build, then record."""
        super().run()
        if not self.editable_mode:
            record(self.build_lib)


class Sdist(sdist):
    """The source archive, with the record."""

    def make_release_tree(self, base_dir: str, files: list[str]) -> None:
        """Copy, then record."""
        super().make_release_tree(base_dir, files)
        record(base_dir)


setup(cmdclass={"build_py": BuildPy, "sdist": Sdist})
