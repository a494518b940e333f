"""A mechanism file that is edited: saves are seen, of the file and of those that it names."""

import os

import pytest

from precompute import following
from precompute.errors import PrecomputeError
from precompute.following import Followed, named_files


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "a.toml"
    path.write_text('points = "p.csv"\n')
    (tmp_path / "p.csv").write_text("a,1,2,3\n")
    return path


def test_the_files_that_a_file_names(path, tmp_path):
    assert named_files(path) == (tmp_path / "p.csv",)
    path.write_text('[points]\nfile = "q.csv"\nb = [1, 2, 3]\n')
    assert named_files(path) == (tmp_path / "q.csv",)
    for text in ("[points]\nb = [1, 2, 3]\n", "name = ", "points = 3\n", "x = " + "[" * 5000):
        path.write_text(text)
        assert named_files(path) == ()
    path.write_bytes(b"\xff\xfe\x00")
    assert named_files(path) == () == named_files(tmp_path / "none.toml")


def test_the_stamp_changes_with_every_file_that_counts(path, tmp_path):
    followed = Followed(path)
    seen = [followed.stamp]

    def changes():
        seen.append(followed.stamp)
        return seen[-1] != seen[-2]

    assert not changes()
    (tmp_path / "p.csv").write_text("a,1,2,30\n")
    assert changes()
    (tmp_path / "other.csv").write_text("a,1,2,3\n")
    assert not changes()
    (tmp_path / "new.toml").write_text('points = "other.csv"\n')
    os.replace(tmp_path / "new.toml", path)  # as editors save
    assert changes()
    (tmp_path / "p.csv").write_text("no longer named")
    assert not changes()
    (tmp_path / "other.csv").unlink()
    assert changes()
    path.unlink()
    assert changes() and not changes()
    path.write_text('points = "p.csv"\n')
    assert changes()


def test_each_save_is_told_once_and_what_is_saved_meanwhile_too(path, monkeypatch):
    """A save in pieces is one."""
    pieces = []

    def sleep(seconds):
        if pieces:
            path.write_text(pieces.pop(0))

    monkeypatch.setattr(following.time, "sleep", sleep)
    saves = Followed(path).saves()
    next(saves)
    path.write_text("name = 1\n")
    next(saves)  # saved while we were at work
    pieces += ["", "na", "name = 22"]
    next(saves)
    assert path.read_text() == "name = 22" and not pieces


def test_a_file_that_is_not_there_is_an_error(tmp_path):
    with pytest.raises(PrecomputeError, match="there is no file"):
        Followed(tmp_path / "none.toml")
