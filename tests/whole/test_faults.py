"""Bakes that are killed, find a damaged cache or a full disk: nothing that existed is damaged, the next one is right.

KINETAB_FAULTS is how many kills there are; `make faults` has 200.
"""

import hashlib
import json
import os
import random
import signal
import subprocess
import sys
import time

import pytest
from helpers import MECHANISMS, ROOT
from helpers_model import crank_slider

from fmu_src.build import compile as compilation
from fmu_src.build.native_fmu import build_native_fmu
from fmu_src.build.python_fmu import build_fmu

KILLS = int(os.environ.get("KINETAB_FAULTS", "5"))
DAMAGES = min(KILLS, 20)
DISKS = min(KILLS, 20)
"""Full disks at each place."""

PAGE = 4096

OLD = "precious"
DRILL = ROOT / "tests" / "host" / "drill.py"
NO_NAMESPACE = 77

TINY = '__attribute__((visibility("default"))) int kt_tiny(void) { return %d; }\n'

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="processes are forked and disks mounted as on Linux")


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """A mechanism that is baked in a second, and C files that are compiled in no time."""
    folder = tmp_path_factory.mktemp("faults")
    text = (MECHANISMS / "crank_slider.toml").read_text().replace("tolerance = 1e-8", "tolerance = 1e-3")
    (folder / "tiny.toml").write_text(text)
    for part, names in (("kernel", ("tiny.c", "fmi2.c", "location.c")), ("front", ("front.c",))):
        (folder / part).mkdir()
        for i, name in enumerate(names):
            (folder / part / name).write_text(TINY.replace("tiny", name[:-2]) % i)
    return folder


class Drill:
    """Bakes in other processes, with folders of their own for output, temporary files and cache."""

    def __init__(self, place):
        self.place = place
        environment = {**os.environ, "PYTHONPATH": str(ROOT), "CC": "cc"}
        environment.pop("KINETAB_CFLAGS", None)
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
        self.server = subprocess.Popen([sys.executable, str(DRILL), str(place)], env=environment, text=True, **pipes)
        self.folders = {name: place / name for name in ("output", "temporary", "cache")}
        self.target = self.folders["output"] / "tiny.fmu"

    def bake(self, native, kill=None, full=None):
        """A bake that may be killed after some seconds, or find a full disk; see drill.py."""
        for folder in self.folders.values():
            folder.mkdir(exist_ok=True)
        environment = {"TMPDIR": str(self.folders["temporary"]), "XDG_CACHE_HOME": str(self.folders["cache"])}
        arguments = ["bake", str(self.place / "tiny.toml"), "-o", str(self.target), *(["--native"] if native else [])]
        command = {"arguments": arguments, "environment": environment, "kill": kill, "full": full}
        self.server.stdin.write(json.dumps(command) + "\n")
        self.server.stdin.flush()
        return json.loads(self.server.stdout.readline())

    def end(self):
        with self.server as server:
            server.stdin.close()
            assert server.wait(60) == 0


@pytest.fixture(scope="module")
def drill(place):
    drill = Drill(place)
    yield drill
    drill.end()


@pytest.fixture(scope="module")
def right(drill):
    """native -> the FMU of a bake that nothing disturbed, and how long that took."""
    found = {}
    for native in (False, True):
        empty(drill)
        started = time.monotonic()
        answer = drill.bake(native)
        assert answer["code"] == 0, answer["printed"]
        found[native] = drill.target.read_bytes(), time.monotonic() - started
        assert no_litter(drill) and is_valid(drill)
    return found


def empty(drill):
    """Nothing from earlier bakes."""
    for folder in drill.folders.values():
        for path in sorted(folder.rglob("*"), reverse=True):
            path.rmdir() if path.is_dir() else path.unlink()


def no_litter(drill):
    """Whether there is nothing but the FMU and the libraries."""
    here = sorted(path.name for path in drill.folders["output"].iterdir())
    kept = [path for path in drill.folders["cache"].rglob("*") if path.is_file()]
    return here == ["tiny.fmu"] and not any(drill.folders["temporary"].iterdir()) and all(fits(path) for path in kept)


def fits(library):
    """Whether a library in the cache has the content that its name tells."""
    return library.stem.rpartition("-")[2] == hashlib.sha256(library.read_bytes()).hexdigest()[:16]


def is_valid(drill):
    """Whether all that the cache would give is whole."""
    libraries = list(drill.folders["cache"].rglob("*.so"))
    return libraries and all(fits(path) for path in libraries)


def test_killed_bakes_do_no_damage_and_the_next_one_is_right_and_tidies_up(drill, right):
    """At random moments; every other time with an empty cache, so that compilers run."""
    rng = random.Random(1)
    ended = []
    for i in range(KILLS):
        native = bool(i & 1)
        fmu, seconds = right[native]
        if i % 4 < 2:
            empty(drill)
        drill.target.write_text(OLD)
        answer = drill.bake(native, kill=rng.uniform(0.0, 1.1 * seconds))
        ended.append(answer["code"])
        assert drill.target.read_bytes() in ((OLD.encode(), fmu) if answer["code"] else (fmu,))
        assert all(fits(path) for path in drill.folders["cache"].rglob("*.so"))
        assert drill.bake(native)["code"] == 0
        assert drill.target.read_bytes() == fmu and no_litter(drill), [*drill.place.rglob("*kinetab-*")]
    assert -signal.SIGKILL in ended


def test_a_damaged_cache_is_noticed_and_mended(place, tmp_path, monkeypatch):
    """Libraries cut short, emptied or with a bit changed never get into an FMU."""
    monkeypatch.setattr(compilation, "KERNEL", place / "kernel")
    monkeypatch.setattr(compilation, "FRONT", place / "front")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("CC", "cc")
    monkeypatch.delenv("KINETAB_CFLAGS", raising=False)
    rng, model = random.Random(2), crank_slider()
    for build in (build_native_fmu, build_fmu):
        whole = build(model, tmp_path / "a.fmu").read_bytes()
        before = {path: path.read_bytes() for path in (tmp_path / "cache").rglob("*.so")}
        for i in range(DAMAGES):
            path, content = rng.choice(sorted(before.items()))
            damaged = bytearray(content[: rng.randrange(len(content))] if i % 2 else content)
            if not i % 2:
                damaged[rng.randrange(len(content))] ^= 1 << rng.randrange(8)
            path.write_bytes(damaged)
            assert build(model, tmp_path / "a.fmu").read_bytes() == whole
            assert {path: path.read_bytes() for path in (tmp_path / "cache").rglob("*.so")} == before


def test_tables_that_are_damaged_in_the_cache_are_made_anew(drill, right):
    """Cut short or with a bit changed; without a cache it is the same FMU too."""
    rng, (fmu, _) = random.Random(6), right[False]
    empty(drill)
    assert drill.bake(False)["code"] == 0
    (path,) = drill.folders["cache"].rglob("tables-*.stage")
    whole = path.read_bytes()
    for i in range(DAMAGES):
        damaged = bytearray(whole[: rng.randrange(len(whole))] if i % 2 else whole)
        if not i % 2:
            damaged[rng.randrange(len(whole))] ^= 1 << rng.randrange(8)
        path.write_bytes(damaged)
        answer = drill.bake(False)
        assert answer["code"] == 0 and "from the cache" not in answer["printed"]
        assert drill.target.read_bytes() == fmu and path.read_bytes() == whole
    assert "from the cache: tables" in drill.bake(False)["printed"] and drill.target.read_bytes() == fmu


def sizes(seed, most):
    """Of disks that are too small, each for a Python FMU or a native one."""
    rng = random.Random(seed)
    return [(rng.randrange(2, most // PAGE) * PAGE, bool(i % 2)) for i in range(DISKS)]


def on_a_full_disk(drill, native, name, size, files):
    empty(drill)
    if name != "output":
        drill.target.write_text(OLD)
    answer = drill.bake(native, full={"folder": str(drill.folders[name]), "bytes": size, "files": files})
    if answer["code"] == NO_NAMESPACE:
        pytest.skip("this system lets no user mount a disk in memory (user namespaces)")
    assert "Traceback" not in answer["printed"]
    return answer


def check_the_next_bakes(drill, right):
    for native, (fmu, _) in right.items():
        assert drill.bake(native)["code"] == 0 and drill.target.read_bytes() == fmu and no_litter(drill)


def test_a_full_disk_for_the_output_keeps_the_old_file_and_is_named(drill, right):
    for size, native in sizes(3, min(len(fmu) for fmu, _ in right.values())):
        answer = on_a_full_disk(drill, native, "output", size, {"tiny.fmu": OLD})
        assert answer["code"] == 1 and answer["disk"] == {"tiny.fmu": OLD}
        assert answer["printed"] == (
            f"kinetab: cannot write the FMU '{drill.target}': no space left on device; "
            "make room there or choose another place\n"
        )
    check_the_next_bakes(drill, right)


def test_a_full_disk_for_temporary_files_keeps_the_old_file_and_is_named(drill, right):
    """With room for a part of what building takes, the disk is full while C is compiled, or later, or not at all."""
    codes = set()
    for size, native in sizes(4, 20 * PAGE):
        answer = on_a_full_disk(drill, native, "temporary", size, {})
        codes.add(answer["code"])
        if answer["code"]:
            assert drill.target.read_text() == OLD
            assert "no space left on device" in answer["printed"] or "KiB are free in" in answer["printed"]
            assert str(drill.folders["temporary"]) in answer["printed"]
            assert answer["printed"].endswith("let TMPDIR name another folder\n")
        else:
            assert drill.target.read_bytes() == right[native][0]
        assert answer["disk"] == {}
    assert 1 in codes
    check_the_next_bakes(drill, right)


def test_a_full_disk_for_the_cache_is_named_and_done_without(drill, right):
    told = []
    for size, native in sizes(5, 12 * PAGE):
        answer = on_a_full_disk(drill, native, "cache", size, {})
        assert answer["code"] == 0 and drill.target.read_bytes() == right[native][0]
        told.append(f"cannot write to '{drill.folders['cache'] / 'kinetab'}': no space left" in answer["printed"])
        assert all(name.endswith((".so", ".stage")) for name in answer["disk"])
    assert any(told)
    check_the_next_bakes(drill, right)
