"""Results of stages in a folder: found again, damaged, foreign, unwritable, too many, used by several at once."""

import logging
import os
import pickle
import random
import shutil
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from fmu_src.build.kept_files import name_of, tell_once
from precompute.cache import stages as module
from precompute.cache.stages import NO_CACHE, SUFFIX, Stages, bound, decoded
from precompute.model.parts import Marker


class Stage:
    """Makes a marker of a number, and counts how often it does."""

    def __init__(self):
        self.calls = 0

    def __call__(self, number, more=None, progress=None):
        self.calls += 1
        if progress:
            progress("made")
        if number < 0:
            raise ValueError("negative")
        return Marker(f"m{number}", "body", np.array([1.0, 2.0, number]))


@pytest.fixture
def stage():
    return Stage()


def entries(folder):
    return sorted(folder.glob(f"*{SUFFIX}"))


def test_a_stage_is_done_once_for_what_it_is_given(tmp_path, stage):
    first, second = Stages(tmp_path / "deep" / "cache"), Stages(tmp_path / "deep" / "cache")
    made = first.of("markers", stage, 1)
    found = second.of("markers", stage, 1, progress=print)
    assert stage.calls == 1 and found is not made and found.name == "m1"
    assert found.p.tobytes() == made.p.tobytes() and type(found) is Marker
    assert (dict(first.reused), dict(second.reused)) == ({}, {"markers": 1})
    second.of("markers", stage, 2), second.of("markers", stage, 1, "more"), second.of("others", stage, 1)
    assert stage.calls == 4 and len(entries(tmp_path / "deep" / "cache")) == 4


def test_without_a_folder_every_stage_is_done(tmp_path, stage, monkeypatch):
    NO_CACHE.of("markers", stage, 1), NO_CACHE.of("markers", stage, 1)
    assert stage.calls == 2 and not NO_CACHE.reused
    monkeypatch.setattr(module, "program", lambda: "")  # our sources are not at hand
    Stages(tmp_path).of("markers", stage, 1)
    assert stage.calls == 3 and entries(tmp_path) == []


def test_another_program_finds_nothing(tmp_path, stage, monkeypatch):
    for number, name in enumerate(("a", "b", "a")):
        monkeypatch.setattr(module, "program", lambda name=name: name)
        Stages(tmp_path).of("markers", stage, 1)
        assert stage.calls == min(number + 1, 2)


def test_what_fails_is_not_kept(tmp_path, stage):
    for _ in range(2):
        with pytest.raises(ValueError, match="negative"):
            Stages(tmp_path).of("markers", stage, -1)
    assert stage.calls == 2 and entries(tmp_path) == []


def test_damaged_entries_are_made_anew(tmp_path, stage):
    """Cut short, emptied, with a bit changed: at random places."""
    rng = random.Random(2)
    right = Stages(tmp_path).of("markers", stage, 5).p.tobytes()
    for k in range(30):
        (entry,) = entries(tmp_path)
        content = bytearray(entry.read_bytes())
        if k % 3:
            content[rng.randrange(len(content))] ^= 1 << rng.randrange(8)
        else:
            del content[rng.randrange(len(content)) if k else 0 :]
        entry.write_bytes(content)
        assert Stages(tmp_path).of("markers", stage, 5).p.tobytes() == right
        assert stage.calls == k + 2 and len(entries(tmp_path)) == 1
    Stages(tmp_path).of("markers", stage, 5)
    assert stage.calls == 31


class Evil:
    def __reduce__(self):
        return os.system, ("echo harm",)


@pytest.mark.parametrize(
    "content", [pickle.dumps(Evil()), pickle.dumps(Path("x")), b"no pickle", b"", pickle.dumps(len)]
)
def test_an_entry_that_is_no_data_of_ours_is_not_taken_even_with_the_right_name(content, tmp_path, stage, capfd):
    Stages(tmp_path).of("markers", stage, 1)
    (entry,) = entries(tmp_path)
    stem = entry.name.rpartition("-")[0]
    entry.unlink()
    (tmp_path / name_of(stem, SUFFIX, content)).write_bytes(content)
    assert Stages(tmp_path).of("markers", stage, 1).name == "m1" and stage.calls == 2
    assert "harm" not in capfd.readouterr().out


def test_what_is_read_holds_types_arrays_and_numbers_alone():
    for value in (
        np.float64(1.5),
        np.arange(3),
        Marker("m", "b", np.zeros(3)),
        slice(1, 2),
        frozenset({1}),
        {"a": (1,)},
    ):
        assert type(decoded(pickle.dumps(value, protocol=5))) is type(value)
    for value in (os.system, Path("x"), np.load, logging.Formatter()):
        with pytest.raises(pickle.UnpicklingError, match="no data of ours"):
            decoded(pickle.dumps(value, protocol=5))


def test_a_cache_that_cannot_be_written_to_costs_time_only(tmp_path, stage, caplog):
    (tmp_path / "file").write_text("no folder")
    tell_once.cache_clear()
    for _ in range(2):
        assert Stages(tmp_path / "file").of("markers", stage, 1).name == "m1"
    assert stage.calls == 2
    (record,) = caplog.records
    assert f"what a bake has made is not kept: cannot write to '{tmp_path / 'file'}'" in record.getMessage()


def test_a_folder_that_is_removed_meanwhile_is_made_again(tmp_path, stage):
    stages = Stages(tmp_path / "cache")
    stages.of("markers", stage, 1)
    shutil.rmtree(tmp_path / "cache")
    stages.of("markers", stage, 1), stages.of("markers", stage, 1)
    assert stage.calls == 2


def test_what_was_not_used_for_longest_is_removed_first(tmp_path, stage, monkeypatch):
    stages = Stages(tmp_path)
    for number in range(4):
        stages.of("markers", stage, number)
        for entry in entries(tmp_path):  # as if it had been a while ago
            os.utime(entry, ns=(0, entry.stat().st_mtime_ns - 10**9 * (4 - number)))
    stages.of("markers", stage, 0)  # used again
    (tmp_path / "kinetab-library.so").write_bytes(bytes(10**6))  # none of ours
    size = max(entry.stat().st_size for entry in entries(tmp_path))
    monkeypatch.setattr(module, "MOST_BYTES", 3 * size)
    stages.of("markers", stage, 9)
    assert len(entries(tmp_path)) == 3 and (tmp_path / "kinetab-library.so").exists()
    calls = stage.calls
    for number, again in ((0, 0), (3, 0), (9, 0), (1, 1)):
        stages.of("markers", stage, number)
        assert stage.calls - calls == again


def test_entries_that_vanish_while_they_are_counted_are_none(tmp_path, monkeypatch):
    for k in range(3):
        (tmp_path / f"{k}{SUFFIX}").write_bytes(bytes(100))
    unlink = Path.unlink

    def twice(path):
        unlink(path), unlink(path)

    monkeypatch.setattr(Path, "unlink", twice)
    bound(tmp_path, 0)
    assert entries(tmp_path) == []


def test_several_at_once_take_and_give_whole_entries(tmp_path, monkeypatch):
    """While others remove what they find."""
    monkeypatch.setattr(module, "MOST_BYTES", 2000)

    def work(seed):
        rng, stage = random.Random(seed), Stage()
        stages, right = Stages(tmp_path), True
        until = time.monotonic() + 1.0
        while time.monotonic() < until:
            number = rng.randrange(6)
            right &= stages.of("markers", stage, number).p[2] == number
        return right, sum(stages.reused.values()), stage.calls

    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(work, range(4)))
    assert all(right for right, _, _ in found)
    assert sum(reused for _, reused, _ in found) > 0 and sum(calls for _, _, calls in found) > 6
