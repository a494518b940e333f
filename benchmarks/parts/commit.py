"""Models and kernels of another commit: made by its own code in a temporary worktree, kept in build/bench."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from parts.models import KEPT, ROOT, TIMED
from parts.variants import compilers

SCRIPT = Path(__file__).with_name("commit_side.py")
COMPILER = "gcc"


@dataclass(frozen=True)
class Side:
    """A model of the commit, and its kernels."""

    model: Path
    bake_s: float  # processor time of its bake
    variables: list[str]  # names by value reference
    libraries: dict[str, Path]  # by family of processors


def sides(commit: str) -> dict[str, Side]:
    """What the commit makes of `models.TIMED`; made once.

    Raises:
        SystemExit: there is no such commit.
    """
    done = git("rev-parse", "--verify", "--quiet", f"{commit}^{{commit}}", check=False)
    if not done:
        raise SystemExit(f"there is no commit {commit}")
    key = hashlib.sha256(f"{SCRIPT.read_text(encoding='utf-8')} {TIMED}".encode()).hexdigest()[:8]
    folder = KEPT / f"{done[:12]}_{key}"
    told = folder / "sides.json"
    if not told.exists():
        with worktree(done) as tree:
            make(tree, folder)
    found = json.loads(told.read_text(encoding="utf-8"))
    return {
        name: Side(
            folder / side["model"],
            side["bake_s"],
            side["variables"],
            {family: folder / file for family, file in side["libraries"].items()},
        )
        for name, side in found.items()
    }


@contextmanager
def worktree(commit: str) -> Iterator[Path]:
    """The commit's tree, for a while."""
    with TemporaryDirectory(prefix="kinetab_") as folder:
        tree = Path(folder) / "tree"
        git("worktree", "add", "--detach", "--quiet", str(tree), commit)
        try:
            yield tree
        finally:
            git("worktree", "remove", "--force", str(tree))


def make(tree: Path, folder: Path) -> None:
    """Let the code in a tree bake and compile into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    paths = os.pathsep.join(map(str, (tree, tree / "benchmarks")))
    more = {"PYTHONPATH": paths, "CC": compilers()[COMPILER]}
    # -P: our own modules beside the script are not to be found
    subprocess.run(
        [sys.executable, "-P", str(SCRIPT), str(folder), *TIMED], cwd=tree, env=os.environ | more, check=True
    )


def git(*words: str, check: bool = True) -> str:
    """What a command of git says."""
    done = subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True, check=check)
    return done.stdout.strip()
