"""The worked examples in docs/extending: each patch applies, passes its tests, and touches as few files as it says."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from helpers import ROOT

PATCHES = sorted((ROOT / "docs" / "extending").glob("*.patch"))
pytestmark = [
    pytest.mark.parametrize("patch", PATCHES, ids=lambda patch: patch.stem),
    pytest.mark.skipif(not (ROOT / ".git").exists(), reason="git knows which files are the tree"),
]


def touched(patch: Path) -> list[str]:
    """Files that a patch adds, changes or removes."""
    return sorted(set(re.findall(r"^diff --git a/\S+ b/(\S+)$", patch.read_text(encoding="utf-8"), re.M)))


def is_test(name: str) -> bool:
    return name.startswith("tests/")


def run(*command: str, cwd: Path) -> str:
    env = {**os.environ, "PYTHONPATH": str(cwd), "GIT_CEILING_DIRECTORIES": str(cwd.parent)}
    done = subprocess.run(command, cwd=cwd, env=env, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, f"{' '.join(command)}\n{done.stdout}{done.stderr}"
    return done.stdout


def test_it_touches_as_few_files_as_it_says(patch):
    first = patch.read_text(encoding="utf-8").splitlines()[0]
    bound = re.fullmatch(r"# files <= (\d+): \S.*", first)
    assert bound, f"the first line is {first!r}; it must be like '# files <= 3: a kind of joint'"
    sources = [name for name in touched(patch) if not is_test(name)]
    assert len(sources) <= int(bound[1]), sources


def test_the_page_links_to_it_and_says_how_many_files(patch):
    page = (ROOT / "docs" / "extending.md").read_text(encoding="utf-8")
    count = re.search(rf"\(extending/{patch.name}\) \| (\d+) \|", page)
    assert count and int(count[1]) == len([name for name in touched(patch) if not is_test(name)])


def test_it_applies_and_passes_its_tests(patch, tmp_path):
    tree = tmp_path / "tree"
    for name in run("git", "ls-files", "--cached", "--others", "--exclude-standard", cwd=ROOT).splitlines():
        if (ROOT / name).is_file():
            (tree / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, tree / name)
    run("git", "apply", str(patch), cwd=tree)
    own = [name for name in touched(patch) if is_test(name) and Path(name).name.startswith("test_")]
    assert own, "it brings no test"
    head = patch.read_text(encoding="utf-8").partition("\ndiff --git")[0]
    for module in re.findall(r"^# write: (\S+)$", head, re.M):
        run(sys.executable, "-m", module, cwd=tree)
    named = re.findall(r"^# run: (.*)$", head, re.M)
    check = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *own, *" ".join(named).split()]
    told = run(*check, cwd=tree)
    assert re.search(r"\b\d+ passed", told), told
