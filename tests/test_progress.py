"""How far a long job is: shares of stages, and what is said of them in a terminal, in a pipe and where all is quiet."""

import os
import re
import subprocess
import sys
import time

import pytest
from helpers import MECHANISMS, ROOT

import kinetab as kt
from precompute import progress_bar
from precompute.progress import part, stages
from precompute.progress_bar import NEARLY, Estimate, duration, shown

CRANK = str(MECHANISMS / "crank_slider.toml")


def heard():
    told = []
    return told, lambda what, share: told.append((what, share))


def test_stages_lie_one_after_the_other():
    told, progress = heard()
    first, second, none = stages(progress, [1.0, 3.0, 0.0])
    first("a", 0.5)
    second("b", 0.5)
    none("c", 0.0)
    part(second, 0.5, 1.0)("d", 0.5)
    assert told == [("a", 0.125), ("b", 0.625), ("c", 1.0), ("d", 0.8125)]


def test_a_bake_goes_on_and_never_says_that_it_is_done():
    told, progress = heard()
    kt.bake(kt.load(CRANK), progress)
    shares = [share for _, share in told]
    assert len({what for what, _ in told}) > 3
    assert shares == sorted(shares) and shares[0] == 0.0 and 0.7 < shares[-1] < 1.0


def test_what_is_left(monkeypatch):
    """As if all went on as until now; it runs down while nothing is heard, and nothing is ever lost."""
    now = [100.0]
    monkeypatch.setattr(progress_bar.time, "monotonic", lambda: now[0])
    estimate = Estimate()
    estimate("a", 0.0)
    now[0] += 10.0
    assert estimate.left() == ""
    estimate("b", 0.25)
    assert estimate.left() == "about 30 s left"
    now[0] += 20.0
    assert estimate.left() == "about 10 s left"
    estimate("c", 0.1)
    assert (estimate.what, estimate.share) == ("c", 0.25)
    estimate("c", 1.0)
    assert estimate.share == NEARLY


def test_what_was_done_before_took_no_time(monkeypatch):
    now = [0.0]
    monkeypatch.setattr(progress_bar.time, "monotonic", lambda: now[0])
    estimate = Estimate()
    estimate("a", 0.5)
    now[0] = 10.0
    estimate("a", 0.6)
    assert estimate.left() == "about 40 s left"


@pytest.mark.parametrize(("seconds", "said"), [(3.4, "3 s"), (42.0, "40 s"), (600.0, "10 min"), (7200.0, "2.0 h")])
def test_durations(seconds, said):
    assert duration(seconds) == said


def test_lines_where_it_is_piped(monkeypatch, capsys):
    monkeypatch.setattr(progress_bar, "PAUSE", 0.05)
    with shown() as progress:
        for k in range(20):
            progress("doing", k / 20)
            time.sleep(0.01)
    lines = capsys.readouterr().err.splitlines()
    assert 2 <= len(lines) <= 5
    assert all(re.fullmatch(r"kinetab: \d+ %, \d+ s: doing", line) for line in lines)
    with shown(quiet=True) as progress:
        time.sleep(0.06)
        progress("doing", 0.5)
    assert capsys.readouterr().err == ""


def test_what_is_short_says_nothing(capsys):
    with shown() as progress:
        progress("doing", 0.5)
    assert capsys.readouterr().err == ""


@pytest.mark.skipif(sys.platform == "win32", reason="there is no such terminal")
def test_a_terminal_has_one_bar(tmp_path):
    """Never at 100 % while it works, and gone at the end."""
    import pty

    main, end = pty.openpty()
    command = [sys.executable, "-P", "-m", "kinetab", "bake", CRANK, "-o", str(tmp_path / "a.fmu")]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "TERM": "xterm", "COLUMNS": "100"}
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=end, env=environment) as process:
        os.close(end)
        seen = b""
        while True:
            try:
                more = os.read(main, 4096)
            except OSError:  # the other end is closed
                break
            if not more:
                break
            seen += more
    os.close(main)
    assert process.returncode == 0
    percents = [int(p) for p in re.findall(rb"(\d+) %", seen)]
    assert percents and percents == sorted(percents) and max(percents) < 100 and b"\n\n" not in seen
    assert b"compiling the kernel" in seen
