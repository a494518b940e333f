"""What results depend on besides what stages are given: every byte of our sources."""

import pytest

from precompute.cache.program import program, source_digest


@pytest.fixture
def package(tmp_path):
    (tmp_path / "inner").mkdir()
    (tmp_path / "a.py").write_text("x = 1\n")
    (tmp_path / "inner" / "b.py").write_text("y = 2\n")
    (tmp_path / "notes.txt").write_text("no source")
    return tmp_path


def test_a_byte_a_name_and_a_new_file_make_another_program(package):
    seen = {source_digest(package)}
    (package / "notes.txt").write_text("still none")
    assert source_digest(package) in seen
    (package / "inner" / "b.py").write_text("y = 3\n")
    seen.add(source_digest(package))
    (package / "inner" / "b.py").rename(package / "inner" / "c.py")
    seen.add(source_digest(package))
    (package / "d.py").write_text("")
    seen.add(source_digest(package))
    (package / "d.py").write_text("x = 1\n")
    (package / "a.py").write_text("")
    seen.add(source_digest(package))
    assert len(seen) == 5


def test_without_sources_there_is_no_telling(package, tmp_path_factory):
    assert source_digest(package, tmp_path_factory.mktemp("empty")) == ""


def test_it_stays_the_same_while_the_process_runs():
    assert program() == program() and len(program()) == 64
