"""Mechanism files of any size and shape: a paragraph in bounded time and memory."""

import os
import subprocess
import sys

import pytest
from helpers import MECHANISMS, ROOT

from precompute.errors import MOST_SHOWN, MechanismError
from precompute.mechanism_file import bounds, load, loads
from precompute.mechanism_file.bounds import MOST_BYTES, MOST_ENTRIES, MOST_PARTS, MOST_ROWS, document_problems
from precompute.mechanism_file.store import from_document

CRANK = (MECHANISMS / "crank_slider.toml").read_text()


def markers(count):
    return CRANK + "".join(f'\n[markers.m{i}]\nbody = "crank"\nat = [0.{i}, 0, 0]\n' for i in range(count))


def dotted(count, part="a"):
    return ".".join([part] * count)


HUGE = {
    "key of 100 000 parts": (f"{CRANK}\n{dotted(100_000)} = 1\n", "a key of 100000 parts; keys have at most 20"),
    "header of 100 000 parts": (f"{CRANK}\n[{dotted(100_000)}]\n", "a key of 100000 parts"),
    "quoted parts": (f"{CRANK}\n{dotted(100_000, chr(34) * 2)} = 1\n", "a key of 100000 parts"),
    "spaced parts": (f"{CRANK}\n{' . '.join('a' * 100_000)} = 1\n", "a key of 100000 parts"),
    "inline parts": (f"{CRANK}\nx = {{ {dotted(100_000)} = 1 }}\n", "a key of 100000 parts"),
    "20 000 markers": (markers(20_000), "markers: has 20002 entries; at most 1000 are taken"),
    "nested lists": (f"x = {'[' * 100_000}{']' * 100_000}\n{CRANK}", "is nested too deeply"),
    "nested tables": ("x = " + "{a=" * 100_000 + "1" + "}" * 100_000 + f"\n{CRANK}", "is nested too deeply"),
    "long list": (f"x = [{'1,' * 500_000}]\n{CRANK}", "x: has 500000 entries; at most 10000 are taken"),
    "long file": (CRANK + "#" * MOST_BYTES, "is longer than 2 MiB"),
    "long word": ("a" * 2_000_000, "expected 'key = value'"),
    "many quotes": ('"' * 2_000_000, "expected 'key = value'"),
}


@pytest.mark.parametrize("case", HUGE)
def test_huge_files_are_refused_in_words(case):
    text, message = HUGE[case]
    with pytest.raises(MechanismError) as caught:
        loads(text)
    (problem,) = caught.value.problems
    assert message in problem and len(problem) < 300


@pytest.mark.skipif(sys.platform != "linux", reason="limits of a process are those of Linux")
@pytest.mark.parametrize("case", ["key of 100 000 parts", "20 000 markers"])
def test_the_command_answers_in_bounded_time_and_memory(case, tmp_path):
    """Half a minute of one processor and a gigabyte, of which most is Python with its packages."""
    import resource

    def limit():
        resource.setrlimit(resource.RLIMIT_CPU, (30, 30))
        resource.setrlimit(resource.RLIMIT_DATA, (2**30, 2**30))

    (tmp_path / "huge.toml").write_text(HUGE[case][0])
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "OPENBLAS_NUM_THREADS": "1"}
    command = [sys.executable, "-P", "-m", "kinetab", "check", str(tmp_path / "huge.toml")]
    done = subprocess.run(command, env=environment, preexec_fn=limit, capture_output=True, text=True)
    assert done.returncode == 1 and done.stdout == ""
    assert HUGE[case][1] in done.stderr and done.stderr.count("\n") == 2


ENDLESS = """
import sys
with open(sys.argv[1], "w") as pipe:
    while True:
        pipe.write("# and so on\\n")
"""


@pytest.mark.skipif(sys.platform == "win32", reason="there are no FIFOs")
def test_what_never_ends_is_read_to_the_limit(tmp_path):
    """Another program may send it."""
    os.mkfifo(tmp_path / "pipe")
    with subprocess.Popen([sys.executable, "-c", ENDLESS, tmp_path / "pipe"], stderr=subprocess.DEVNULL):
        with pytest.raises(MechanismError, match="is longer than 2 MiB"):
            load(tmp_path / "pipe")


def test_what_is_within_the_limits_is_taken():
    """Many dots in comments and numbers, keys as long as may be, lists of some thousand rows."""
    rows = ", ".join(f"[{i / 100}, {i}]" for i in range(5000))
    text = CRANK.replace("damping = 0", f"table = [{rows}]") + f"# {dotted(1000)}\n" + "# 1.2.3\n" * 1000
    assert len(loads(text).markers) == 2
    with pytest.raises(MechanismError, match="unknown key"):
        loads(f"{dotted(MOST_PARTS)} = 1\n{CRANK}")


def test_limits_hold_for_documents_too(monkeypatch):
    document = {"points": dict.fromkeys(map(str, range(MOST_ENTRIES + 1))), "x": [[0] * (MOST_ROWS + 1)]}
    assert document_problems(document) == [
        f"points: has {MOST_ENTRIES + 1} entries; at most {MOST_ENTRIES} are taken",
        f"x[1]: has {MOST_ROWS + 1} entries; at most {MOST_ROWS} are taken",
    ]
    with pytest.raises(MechanismError, match="2 problems"):
        from_document(document)
    monkeypatch.setattr(bounds, "MOST_ENTRIES", 1)
    assert document_problems({"a": 1, "b": 2}) == ["the file: has 2 entries; at most 1 are taken"]


def test_not_all_of_a_thousand_problems_are_printed():
    error = MechanismError([f"problem {i}" for i in range(1000)])
    assert len(error.problems) == 1000 and len(str(error).splitlines()) == MOST_SHOWN + 2
    assert str(error).endswith("  ... and 900 more")
