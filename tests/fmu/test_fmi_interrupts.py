"""Ctrl-C in a host in Python is the host's: the call it falls into ends well, and then the host gets it."""

import subprocess
import sys

import pytest
from helpers import ROOT
from helpers_kinds import FRONTS, builder
from helpers_model import crank_slider

pytestmark = [pytest.mark.fmu, pytest.mark.skipif(sys.platform == "win32", reason="signals are sent")]

HOST = ROOT / "tests" / "host" / "interrupted.py"
INTERRUPTS = 100


@pytest.mark.parametrize("kind", FRONTS)
def test_the_host_gets_interrupts_and_the_fmu_none(kind, tmp_path):
    path = builder(kind)(crank_slider(), tmp_path / "crank.fmu")
    command = [sys.executable, str(HOST), str(path), str(tmp_path / "crank"), str(INTERRUPTS)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) == INTERRUPTS
