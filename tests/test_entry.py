"""How the command begins and ends: interrupts at any moment, outputs that are closed, full or have no reader."""

import os
import random
import signal
import subprocess
import sys
import time
from contextlib import suppress

import pytest
from helpers import MECHANISMS, ROOT

from fmu_src.files import remove_abandoned
from precompute.entry import INTERRUPT_CODE, INTERRUPTED

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals and file handles are those of POSIX")

INTERRUPTS = min(int(os.environ.get("KINETAB_FAULTS", "5")), 50)
CRANK = str(MECHANISMS / "crank_slider.toml")

COMMAND = "import sys; from precompute.entry import main; print('begins', flush=True); sys.exit(main())"
"""The command `kinetab` from where it is our code that runs; what Python does before, and to find it, is its own."""


def begun(*arguments, **more):
    environment = {**os.environ, "PYTHONPATH": str(ROOT), **more.pop("env", {})}
    return subprocess.Popen([sys.executable, "-P", "-c", COMMAND, *map(str, arguments)], env=environment, **more)


def folders(tmp_path):
    """A cache and a place for temporary files of its own."""
    for name in ("cache", "temporary"):
        (tmp_path / name).mkdir(exist_ok=True)
    return {"XDG_CACHE_HOME": str(tmp_path / "cache"), "TMPDIR": str(tmp_path / "temporary"), "KINETAB_CFLAGS": "-O0"}


def test_an_interrupt_at_any_moment_is_answered_in_one_line(tmp_path):
    """While modules are imported, loops solved, C compiled; the folders are left as they were."""
    rng, target = random.Random(1), tmp_path / "a.fmu"
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    for _ in range(INTERRUPTS):
        target.write_text("precious")
        with begun("bake", CRANK, "-o", target, env=folders(tmp_path), **pipes) as process:
            assert process.stdout.readline() == b"begins\n"
            time.sleep(rng.uniform(0.0, 4.0))
            process.send_signal(signal.SIGINT)
            _, said = process.communicate(timeout=60)
        if process.returncode:
            assert (process.returncode, said) == (INTERRUPT_CODE, INTERRUPTED)
            assert target.read_text() == "precious"
        remove_abandoned(tmp_path / "temporary")  # if there was no time for it
        assert not any((tmp_path / "temporary").iterdir()) and len(list(tmp_path.iterdir())) == 3


def test_an_interrupt_does_not_wait_for_what_does_not_end(tmp_path):
    """A compiler that hangs, say, and does not get the interrupt itself."""
    compiler = tmp_path / "cc"
    compiler.write_text(f"#!/bin/sh\ntouch {tmp_path / 'hangs'}\nexec sleep 30\n")
    compiler.chmod(0o755)
    environment = {**folders(tmp_path), "CC": str(compiler)}
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL, "start_new_session": True}
    with begun("bake", CRANK, "-o", tmp_path / "a.fmu", env=environment, **pipes) as process:
        while not (tmp_path / "hangs").exists():
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=25) == INTERRUPT_CODE
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)  # the compiler, if there was no time to end it


def test_a_command_in_the_background_is_not_interrupted():
    """A shell starts it so that it ignores interrupts, and that is kept."""
    ignore = {"preexec_fn": lambda: signal.signal(signal.SIGINT, signal.SIG_IGN)}
    with begun("--version", stdout=subprocess.PIPE, **ignore) as process:
        assert process.stdout.readline() == b"begins\n"
        process.send_signal(signal.SIGINT)
        assert b"kinetab" in process.communicate(timeout=60)[0] and process.returncode == 0


REAL = [sys.executable, "-P", "-m", "kinetab"]


def through_a_shell(words, redirection):
    """The command as a shell starts it."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = ["sh", "-c", f'exec "$@" {redirection}', "sh", *REAL, *map(str, words)]
    return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=120)


def test_a_closed_output_is_said_before_any_work(tmp_path):
    done = through_a_shell(["bake", CRANK, "-o", tmp_path / "a.fmu"], ">&-")
    assert done.returncode == 1
    assert done.stderr == ("kinetab: standard output is closed, so nothing was done; send it to a file or a pipe\n")
    assert not list(tmp_path.iterdir())


def test_without_a_place_for_errors_results_are_as_ever(tmp_path):
    done = through_a_shell(["check", CRANK], "2>&- <&-")
    assert done.returncode == 0 and done.stdout.startswith("CrankSlider")
    done = through_a_shell(["check", tmp_path / "missing.toml"], "2>&-")
    assert done.returncode == 1 and done.stdout == ""


def test_a_reader_that_goes_away_is_no_error_of_ours():
    done = through_a_shell(["check", CRANK], "| true")
    assert done.stderr == ""


def test_an_output_that_can_take_no_more_is_named(tmp_path):
    """A limit of the size of files stands for a full disk."""
    import resource

    limit = {"preexec_fn": lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))}
    with (tmp_path / "report.txt").open("wb") as report:
        environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "1"}
        command = [*REAL, "check", CRANK]
        done = subprocess.run(command, env=environment, stdout=report, stderr=subprocess.PIPE, text=True, **limit)
    assert done.returncode == 1
    assert done.stderr == (
        "kinetab: cannot write to standard output: file too large; make room there or choose another place\n"
    )
