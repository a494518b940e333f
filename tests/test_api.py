"""`import kinetab`: the documented names, the commands as functions, and what an import leaves alone."""

import os
import subprocess
import sys

import numpy as np
import pytest
from helpers import MECHANISMS, ROOT

import kinetab as kt
from kinetab.__main__ import main

CRANK = MECHANISMS / "crank_slider.toml"


def test_every_name_is_there_and_documented():
    for name in kt.__all__:
        assert getattr(kt, name).__doc__ or name == "__version__", name


def test_check_prints_what_the_command_prints(capsys):
    assert main(["check", str(CRANK)]) == 0
    assert str(kt.check(CRANK)).strip() == capsys.readouterr().out.strip()
    assert kt.check(kt.load(CRANK)).dof == 1


@pytest.mark.fmu
@pytest.mark.parametrize("native", [False, True])
def test_from_a_file_to_a_verified_run(tmp_path, baked, native):
    fmu = kt.build(baked("crank_slider"), tmp_path / "CrankSlider.fmu", native=native)
    run = kt.run(fmu, stop=0.01, values={"qd_start.crank": 1.0})
    assert run.outputs["q.crank"].shape == run.time.shape
    assert np.ptp(run.outputs["q.crank"]) > 0.0
    found = kt.verify(str(fmu), stop=0.5, free=True)
    assert found.passed and max(d.error for d in found.differences) < 1e-3
    assert not kt.verify(fmu, stop=0.5, free=True, limits=kt.Limits(mm=1e-12, relative=0.0)).passed


def test_an_import_changes_no_environment_variable_and_no_thread():
    script = (
        "import os, numpy, threadpoolctl\n"
        "before = dict(os.environ), threadpoolctl.threadpool_info()\n"
        "import kinetab, sys\n"
        "assert dict(os.environ) == before[0]\n"
        "known = {p['filepath']: p['num_threads'] for p in before[1]}\n"
        f"kinetab.check({str(CRANK)!r})\n"
        "for pool in threadpoolctl.threadpool_info():\n"
        "    assert known.get(pool['filepath'], pool['num_threads']) == pool['num_threads'], pool\n"
        "    assert pool['num_threads'] == 2, pool\n"
    )
    kept = {name: value for name, value in os.environ.items() if not name.endswith("_NUM_THREADS")}
    env = {**kept, "OPENBLAS_NUM_THREADS": "2", "PYTHONPATH": str(ROOT)}
    done = subprocess.run([sys.executable, "-c", script], env=env, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_python_m_kinetab():
    done = subprocess.run([sys.executable, "-m", "kinetab", "--version"], capture_output=True, text=True, cwd=ROOT)
    assert done.returncode == 0 and done.stdout.strip() == f"kinetab {kt.__version__}"
