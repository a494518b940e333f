"""FMUs of others: archives that would write elsewhere, fill the disk, or are none."""

import os
import re
import sys
import zipfile

import pytest
from helpers_model import crank_slider

from fmu_src.build.archive import pack
from fmu_src.build.native_fmu import build_native_fmu
from precompute.cli import main
from precompute.errors import SimulationError
from precompute.running import fmu_archive
from precompute.running.fmu_archive import opened, unpacked

COMMANDS = ("info", "run", "verify")


@pytest.fixture(scope="module")
def content(tmp_path_factory):
    """The files of a good FMU."""
    path = build_native_fmu(crank_slider(), tmp_path_factory.mktemp("good") / "good.fmu")
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def check_refused(capsys, path, message):
    """By all commands, in one paragraph."""
    for command in COMMANDS:
        assert main([command, str(path)]) == 1
        out, err = capsys.readouterr()
        assert out == "" and err.startswith("kinetab: ") and err.count("\n") == 1 and re.search(message, err), err


@pytest.mark.parametrize("name", ["/tmp/evil.txt", "../evil.txt", "resources/../../evil.txt", "C:/evil", "a\\..\\b"])
def test_places_outside_the_fmu_are_refused(capsys, content, tmp_path, name):
    path = tmp_path / "a" / "evil.fmu"
    path.parent.mkdir()
    path.write_bytes(pack({**content, name: b"evil"}))
    check_refused(capsys, path, rf"holds a file '{re.escape(name)}', whose place is not inside the FMU")
    assert sorted(tmp_path.rglob("*")) == [path.parent, path]


def test_a_good_fmu_is_unpacked_and_removed_again(content, tmp_path):
    path = tmp_path / "good.fmu"
    path.write_bytes(pack(content))
    with unpacked(path) as folder:
        assert os.path.exists(os.path.join(folder, "modelDescription.xml"))
    assert not os.path.exists(folder)


def test_what_would_fill_the_disk_is_refused(capsys, content, tmp_path, monkeypatch):
    path = tmp_path / "large.fmu"
    path.write_bytes(pack({**content, "resources/zeros": bytes(2**22)}))
    monkeypatch.setattr(fmu_archive, "MOST_BYTES", 2**22)
    check_refused(capsys, path, r"holds \d+ files of \d+ MiB; it is not unpacked")
    monkeypatch.undo()
    monkeypatch.setattr(fmu_archive, "MOST_FILES", 3)
    check_refused(capsys, path, r"no FMU should have more than 3 files")
    monkeypatch.undo()
    monkeypatch.setattr(fmu_archive, "MOST_DESCRIPTION", 3)
    check_refused(capsys, path, "has a model description of")


def test_archives_that_are_no_fmu_or_damaged(capsys, content, tmp_path):
    path = tmp_path / "a.fmu"
    path.write_bytes(pack({"readme.txt": b"hello"}))
    check_refused(capsys, path, "is an archive without 'modelDescription.xml', so it is no FMU")
    path.write_bytes(pack(content)[:-100])
    check_refused(capsys, path, "cannot be opened as an FMU")
    path.write_bytes(b"")
    check_refused(capsys, path, "cannot be opened as an FMU")


def test_an_encrypted_fmu_is_called_that(capsys, content, tmp_path):
    data = bytearray(pack(content))
    place = data.rindex(b"PK\1\2")
    data[place + 8] |= 1  # its flag in the table of contents
    (tmp_path / "a.fmu").write_bytes(data)
    check_refused(capsys, tmp_path / "a.fmu", "is encrypted")


@pytest.mark.skipif(sys.platform == "win32", reason="there are no FIFOs")
def test_a_fifo_is_not_waited_for(capsys, tmp_path):
    os.mkfifo(tmp_path / "a.fmu")
    check_refused(capsys, tmp_path / "a.fmu", "it is a FIFO, not a file")


def test_opened_says_what_cannot_be_read(tmp_path):
    with pytest.raises(SimulationError, match="cannot be read: no such file"), opened(tmp_path / "none.fmu"):
        pass
