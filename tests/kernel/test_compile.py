"""The kernel's compilation: compilers, cache, messages."""

import ctypes
import hashlib
import os
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from helpers_fmu import ROOT

from fmu_src.build import compile as compilation
from fmu_src.build import library_cache
from fmu_src.build.compile import PLATFORMS, compiler, current_platform, libraries, library
from fmu_src.build.compiling import ERROR_LINES
from fmu_src.build.kept_files import tell_once
from fmu_src.errors import BuildError

TINY = '#include "tiny.h"\n__attribute__((visibility("default"))) int kt_tiny(void) { return TINY; }\n'


@pytest.fixture
def tiny(tmp_path, monkeypatch):
    """A kernel of one function, an empty cache and no CC."""
    kernel = tmp_path / "kernel"
    kernel.mkdir()
    (kernel / "tiny.c").write_text(TINY)
    (kernel / "tiny.h").write_text("#define TINY 7\n")
    monkeypatch.setattr(compilation, "KERNEL", kernel)
    monkeypatch.setattr(library_cache, "_own_folder", [])
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("LOCALAPPDATA", str(tmp_path / "cache"))
    monkeypatch.delenv("CC", raising=False)
    monkeypatch.delenv("KINETAB_CFLAGS", raising=False)
    return kernel


@pytest.fixture
def nothing(monkeypatch):
    """No compiler at all."""
    monkeypatch.setenv("PATH", "")
    monkeypatch.setattr(compilation.importlib.util, "find_spec", lambda name: None)


linux = pytest.mark.skipif(sys.platform != "linux", reason="the cache is elsewhere")


def test_it_is_compiled_once(tiny, monkeypatch):
    first = library()
    assert first.suffix == PLATFORMS[current_platform()].suffix
    monkeypatch.setattr(compilation, "compile_c", None)
    assert library() == library(current_platform()) == first
    assert libraries([current_platform()]) == {current_platform(): first.read_bytes()}


@linux
def test_what_is_in_the_cache(tiny, tmp_path):
    assert library().parent == tmp_path / "cache" / "kinetab"
    found = sorted(os.listdir(tmp_path / "cache" / "kinetab"))
    assert found[0] == library().name and len(found) == 2 and found[1].startswith("probe-")


def test_more_flags_are_another_library(tiny, monkeypatch):
    first = library()
    monkeypatch.setenv("KINETAB_CFLAGS", "-O0 -DTINY=9 -g")
    (tiny / "tiny.h").write_text("")
    assert ctypes.CDLL(str(library())).kt_tiny() == 9
    (tiny / "tiny.h").write_text("#define TINY 7\n")
    monkeypatch.delenv("KINETAB_CFLAGS")
    assert library() == first


def test_other_content_is_another_library(tiny):
    first = library()
    (tiny / "tiny.h").write_text("#define TINY 8\n")
    second = library()
    assert first != second and first.read_bytes() != second.read_bytes()


def test_the_bytes_do_not_depend_on_the_place(tiny, tmp_path, monkeypatch):
    first = library().read_bytes()
    other = shutil.copytree(tiny, tmp_path / "other place")
    monkeypatch.setattr(compilation, "KERNEL", other)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "other cache"))
    assert library().read_bytes() == first


def test_no_compiler_is_said_in_words(tiny, nothing):
    with pytest.raises(BuildError, match=r"no C compiler is found .*install a C compiler .*kinetab\[native\]"):
        library()


def test_other_platforms_take_ziglang(tiny, nothing):
    other = next(name for name in PLATFORMS if name != current_platform())
    with pytest.raises(BuildError, match=rf"compiling for {other} .* takes ziglang"):
        library(other)


def test_an_unknown_platform(tiny):
    with pytest.raises(BuildError, match="there is no platform 'vax'; known are linux64"):
        library("vax")


def test_missing_sources(tiny):
    (tiny / "tiny.c").unlink()
    with pytest.raises(BuildError, match="C files are missing in .*install kinetab again"):
        library()


def test_cc_is_taken_with_its_arguments(tiny, monkeypatch):
    monkeypatch.setenv("CC", "cc -DMORE=1")
    assert compiler(current_platform()).command[1:] == ("-DMORE=1",)
    with_arguments = library()
    monkeypatch.setenv("CC", "cc")
    assert library() != with_arguments


def test_a_cc_that_does_not_exist(tiny, monkeypatch):
    monkeypatch.setenv("CC", "no-such-compiler -O3")
    with pytest.raises(BuildError, match="CC is 'no-such-compiler -O3', but there is no such command"):
        library()


def test_a_compiler_that_fails_is_quoted(tiny):
    (tiny / "tiny.c").write_text("int kt_tiny(void) { return nowhere; }\n")
    with pytest.raises(BuildError, match=r"(?s)the C compiler .* failed:.*tiny\.c:1.*error.*nowhere") as caught:
        library()
    assert len(str(caught.value).splitlines()) <= 1 + ERROR_LINES


@linux
def test_a_cache_that_cannot_be_written_to(tiny, tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    path = library()
    assert path.is_file() and tmp_path not in path.parents
    assert library() == path


@linux
def test_a_cache_that_cannot_be_written_to_is_named_once(tiny, tmp_path, monkeypatch, caplog):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    tell_once.cache_clear()
    first = library()
    assert library() == first
    (note,) = [record.getMessage() for record in caplog.records]
    assert note.startswith(f"compiled libraries are not kept: cannot write to '{tmp_path / 'file' / 'kinetab'}': not a")


@pytest.mark.parametrize("damage", [b"", b"\x7fELF", None])
def test_a_damaged_library_is_compiled_again(tiny, damage):
    """Cut short, or with one bit changed."""
    first = library()
    content = first.read_bytes()
    first.write_bytes(content[:-1] + bytes([content[-1] ^ 4]) if damage is None else damage)
    assert library() == first and first.read_bytes() == content
    assert libraries([current_platform()]) == {current_platform(): content}


def test_a_name_tells_the_content(tiny):
    path = library()
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    assert re.fullmatch(rf"kinetab-[0-9a-f]{{16}}-{digest[:16]}\.\w+", path.name)


@linux
def test_what_killed_compilers_leave_is_not_among_the_temporary_files_of_others(tiny, tmp_path, monkeypatch):
    """They work in a folder of ours, with files of their own and those of the compiler."""
    tool = tmp_path / "cc"
    tool.write_text('#!/bin/sh\necho "$TMPDIR" >> "$0.said"\nexec cc "$@"\n')
    tool.chmod(0o755)
    monkeypatch.setenv("CC", str(tool))
    library()
    folders = set((tmp_path / "cc.said").read_text().split())
    assert folders and all(Path(folder).name.startswith("kinetab-work-") for folder in folders)
    assert not any(Path(folder).exists() for folder in folders)


@linux
def test_an_interrupt_ends_the_compilers(tiny, tmp_path, monkeypatch):
    tool = tmp_path / "cc"
    tool.write_text(f"#!/bin/sh\necho $$ > {tmp_path / 'hangs'}\nexec sleep 600\n")
    tool.chmod(0o755)
    monkeypatch.setenv("CC", str(tool))

    def interrupt():
        while not (tmp_path / "hangs").exists():
            time.sleep(0.01)
        signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)  # as Ctrl-C does: it ends what waits

    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        threading.Thread(target=interrupt).start()
        with pytest.raises(KeyboardInterrupt):
            library()
    finally:
        signal.signal(signal.SIGINT, before)
    with pytest.raises(ProcessLookupError):
        os.kill(int((tmp_path / "hangs").read_text()), 0)


AT_ONCE = """
import pathlib, sys
from fmu_src.build import compile as compilation
compilation.KERNEL = pathlib.Path(sys.argv[1])
print(compilation.library())
"""


def test_several_processes_at_once(tiny, tmp_path):
    command = [sys.executable, "-P", "-c", AT_ONCE, str(tiny)]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    running = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) for _ in range(5)]
    said = {process.communicate(timeout=60)[0].strip() for process in running}
    assert said == {str(library())} and not any(process.returncode for process in running)
    found = sorted(os.listdir(library().parent))
    assert found[0] == library().name and len(found) == 2 and found[1].startswith("probe-")


def test_ziglang_compiles_for_another_platform(tiny):
    pytest.importorskip("ziglang")
    other = "aarch64-linux" if current_platform() != "aarch64-linux" else "linux64"
    data = library(other).read_bytes()
    assert data[:4] == b"\x7fELF" and int.from_bytes(data[18:20], "little") in (0xB7, 0x3E)
    assert b"kt_tiny" in data


def test_nothing_is_left_beside_the_sources(tiny):
    before = sorted(tiny.iterdir())
    library()
    assert sorted(tiny.iterdir()) == before
