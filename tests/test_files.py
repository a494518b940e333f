"""Files that are written whole, drafts and work folders that are tidied up; and what outputs never replace."""

import errno
import os
import re
import socket
import subprocess
import sys
import time

import pytest
from helpers import ROOT

from fmu_src import files
from fmu_src.files import DRAFT, FOLDER, file_behind, named, reason, remove_abandoned, work_folder, write_whole
from precompute.errors import PrecomputeError
from precompute.files import check_writable, other_kind, write_file

posix = pytest.mark.skipif(sys.platform == "win32", reason="there are no such files")


@pytest.fixture
def others(tmp_path):
    """name -> a path in a folder that is no regular file, or leads to none."""
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "fifo")
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(os.path.relpath(tmp_path / "socket"))  # the whole path may be too long for one
        (tmp_path / "to_fifo").symlink_to("fifo")
        (tmp_path / "to_to_fifo").symlink_to("to_fifo")
        (tmp_path / "to_folder").symlink_to("folder")
        (tmp_path / "circle").symlink_to("circle")
        yield tmp_path


OTHERS = {
    "folder": "a directory",
    "fifo": "a FIFO",
    "socket": "a socket",
    "to_fifo": "a FIFO",
    "to_to_fifo": "a FIFO",
    "to_folder": "a directory",
    "circle": "circle|[Tt]oo many",
}


def state(folder):
    """What lies in a folder: names and kinds, not what is in files."""
    return {path.name: path.lstat().st_mode for path in folder.iterdir()}


@posix
@pytest.mark.parametrize("name", OTHERS)
def test_what_is_no_file_is_not_replaced(others, name):
    before = state(others)
    with pytest.raises(OSError, match=OTHERS[name]):
        write_whole(others / name, b"new")
    with pytest.raises(PrecomputeError, match=rf"cannot write '.*{name}': .*({OTHERS[name]})"):
        write_file(others / name, b"new")
    with pytest.raises(PrecomputeError, match=rf"cannot write '.*{name}': .*({OTHERS[name]})"):
        check_writable(others / name)
    assert state(others) == before


def test_a_file_is_replaced_and_keeps_its_mode(tmp_path):
    path = tmp_path / "a.fmu"
    assert write_whole(path, b"old") == path and path.read_bytes() == b"old"
    path.chmod(0o640)
    write_whole(path, b"new")
    assert path.read_bytes() == b"new" and [p.name for p in tmp_path.iterdir()] == ["a.fmu"]
    if sys.platform != "win32":
        assert path.stat().st_mode & 0o777 == 0o640


@posix
def test_links_are_kept_and_their_files_written(tmp_path):
    (tmp_path / "there").mkdir()
    (tmp_path / "there" / "a.fmu").write_text("old")
    for name in ("a.fmu", "none.fmu"):  # the second leads nowhere yet
        (tmp_path / name).symlink_to(f"there/{name}")
        check_writable(tmp_path / name, ".fmu")
        write_whole(tmp_path / name, b"new")
        assert (tmp_path / name).is_symlink() and (tmp_path / "there" / name).read_bytes() == b"new"
    (tmp_path / "astray.fmu").symlink_to("nowhere/a.fmu")
    with pytest.raises(PrecomputeError, match="there is no directory '.*nowhere'; create it first"):
        check_writable(tmp_path / "astray.fmu")
    with pytest.raises(FileNotFoundError):
        write_whole(tmp_path / "astray.fmu", b"new")


def test_content_is_on_the_disk_before_the_name(tmp_path, monkeypatch):
    """So that not even a power failure leaves half a file under it."""
    done = []
    for name in ("fsync", "replace"):
        whole = getattr(os, name)
        monkeypatch.setattr(os, name, lambda *a, name=name, whole=whole: (done.append(name), whole(*a))[1])
    write_whole(tmp_path / "a", b"new")
    assert done == (["fsync", "replace"] if sys.platform == "win32" else ["fsync", "replace", "fsync"])


@pytest.mark.parametrize("step", ["fsync", "replace"])
def test_a_failure_leaves_what_was_there(tmp_path, monkeypatch, step):
    def fail(*arguments):
        raise OSError(errno.ENOSPC, "No space left on device")

    (tmp_path / "a.csv").write_text("old")
    monkeypatch.setattr(os, step, fail)
    with pytest.raises(PrecomputeError, match="a.csv': no space left on device; make room there or choose another"):
        write_file(tmp_path / "a.csv", b"new")
    assert (tmp_path / "a.csv").read_text() == "old" and len(state(tmp_path)) == 1


def test_a_full_disk_tells_where():
    with pytest.raises(OSError, match="there") as caught, named("there"):
        raise OSError(errno.ENOSPC, "No space left on device")
    assert reason(caught.value, "go away") == "no space left on device; make room there or go away"
    assert reason(OSError(errno.EACCES, "Permission denied")) == "permission denied; choose another place"
    with pytest.raises(OSError) as caught, named("there"):
        raise OSError(errno.EPIPE, "Broken pipe")
    assert caught.value.filename is None


# -- what killed processes leave --------------------------------------------------------------------------------------

LIVING = """
import sys, pathlib
from fmu_src import files
with files.work_folder(pathlib.Path(sys.argv[1])) as folder:
    draft, lock = files._own(pathlib.Path(sys.argv[1]), files.DRAFT, lambda place: place.touch())
    (folder / "part").write_text("x")
    print("ready", flush=True)
    sys.stdin.read()
    draft.unlink()
"""


@posix
def test_folders_and_drafts_of_the_living_are_left_and_those_of_the_dead_removed(tmp_path):
    command = [sys.executable, "-P", "-c", LIVING, str(tmp_path)]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "env": {**os.environ, "PYTHONPATH": str(ROOT)}}
    with subprocess.Popen(command, **pipes) as killed, subprocess.Popen(command, **pipes) as living:
        for process in (killed, living):
            assert process.stdout.readline() == b"ready\n"
        assert len(state(tmp_path)) == 4
        remove_abandoned(tmp_path)
        assert len(state(tmp_path)) == 4
        killed.kill()
        killed.wait()
        with work_folder(tmp_path) as folder:
            assert len(state(tmp_path)) == 3 and folder.is_dir()
        assert len(state(tmp_path)) == 2
        write_whole(tmp_path / "a", b"new")
        assert len(state(tmp_path)) == 3
        living.communicate(b"")
    assert list(state(tmp_path)) == ["a"]


@posix
def test_what_only_looks_abandoned_is_left(tmp_path):
    """A link to elsewhere, and files where folders are ours and the other way round."""
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "precious").write_text("x")
    (tmp_path / FOLDER.format("link")).symlink_to("elsewhere")
    (tmp_path / DRAFT.format("link")).symlink_to("elsewhere/precious")
    (tmp_path / FOLDER.format("file")).write_text("x")
    (tmp_path / DRAFT.format("folder")).mkdir()
    os.mkfifo(tmp_path / DRAFT.format("fifo"))
    before = state(tmp_path)
    remove_abandoned(tmp_path)
    assert state(tmp_path) == before and (tmp_path / "elsewhere" / "precious").read_text() == "x"


def test_without_locks_only_age_tells(tmp_path, monkeypatch):
    monkeypatch.setattr(files, "fcntl", None)
    old, new = tmp_path / FOLDER.format("old"), tmp_path / DRAFT.format("new")
    old.mkdir()
    new.write_text("x")
    os.utime(old, (0, time.time() - files.FORGOTTEN - 60))
    with work_folder(tmp_path) as folder:
        (folder / "a").write_text("x")
        write_whole(tmp_path / "b", b"x")
        assert set(state(tmp_path)) == {new.name, folder.name, "b"}
    assert set(state(tmp_path)) == {new.name, "b"}


@posix
def test_a_folder_that_is_taken_away_at_once_is_made_again(tmp_path, monkeypatch):
    """Another process may see it before it is locked."""
    taken = []

    def lock(path, whole=files._lock):
        if not taken:
            taken.append(path)
            path.rmdir()
        return whole(path)

    monkeypatch.setattr(files, "_lock", lock)
    with work_folder(tmp_path) as folder:
        assert folder.is_dir() and folder not in taken


# -- names ------------------------------------------------------------------------------------------------------------


def test_outputs_insist_on_their_suffix(tmp_path):
    for name in ("a.fmu", "b.FMU"):
        check_writable(tmp_path / name, ".fmu")
    for name, example in (("a.csv", "a.fmu"), ("a", "a.fmu"), ("v1.2", "v1.2.fmu"), (".fmu", ".fmu.fmu")):
        with pytest.raises(PrecomputeError, match=rf"must end in \.fmu, as '.*{re.escape(example)}' does"):
            check_writable(tmp_path / name, ".fmu")
    check_writable(tmp_path / "anything")
    assert file_behind(tmp_path / "a.fmu") == (tmp_path / "a.fmu").resolve()


def test_files_that_are_read_are_not_written_by_another_name(tmp_path):
    (tmp_path / "a.csv").write_text("x")
    os.link(tmp_path / "a.csv", tmp_path / "b.csv")
    with pytest.raises(PrecomputeError, match="reads or writes that file itself"):
        check_writable(tmp_path / "b.csv", ".csv", apart_from=[None, tmp_path / "a.csv"])


@pytest.mark.parametrize(
    ("name", "head", "wanted", "command"),
    [
        ("a.fmu", b"PK\3\4", "mechanism", "kinetab info a.fmu"),
        ("a.zip", b"PK\3\4", "mechanism", "kinetab info a.zip"),
        ("a.toml", b"schema = 1", "fmu", "kinetab bake a.toml -o a.fmu"),
        ("a.csv", b"time,F", "fmu", "--input a.csv"),
        ("a.csv", b"time,F", "mechanism", "--input a.csv"),
        ("a.kinetab", b"KINETAB\0", "fmu", "name the FMU"),
    ],
)
def test_a_wrong_kind_of_file_names_the_right_command(tmp_path, monkeypatch, name, head, wanted, command):
    monkeypatch.chdir(tmp_path)
    assert command in other_kind(type(tmp_path)(name), head, wanted)


def test_a_right_kind_of_file_needs_no_words(tmp_path):
    assert other_kind(tmp_path / "a.fmu", b"PK\3\4", "fmu") == ""
    assert other_kind(tmp_path / "a.toml", b"schema", "mechanism") == ""
    assert other_kind(tmp_path / "a", b"schema", "mechanism") == ""
