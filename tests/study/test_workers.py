"""Real processes: workers that are killed lose nothing, and memory does not grow."""

import os
import resource
import signal
import subprocess
import sys
import time
from contextlib import contextmanager, nullcontext

import pytest
from helpers import MECHANISMS
from test_study import DOCUMENT, TOML, quiet, result, study

from precompute.cli import main
from precompute.study.cluster import cluster
from precompute.study.running import Parts, by_workers, here, processes
from precompute.study.study import TOGETHER
from precompute.study.writing import write_result

pytestmark = pytest.mark.slow

SAMPLES = 12 * TOGETHER


class Killer:
    """Kills a worker when the first chunks are done."""

    def __init__(self, pids):
        self.pids, self.killed = pids, []

    def __call__(self, done, of):
        if not self.killed and done >= 2:
            self.killed = [next(iter(self.pids()))]
            os.kill(self.killed[0], signal.SIGKILL)


def with_a_killed_worker(path, pids, start):
    killer = Killer(pids)
    parts = Parts.beside(path, study(SAMPLES))
    by_workers(parts, start, 2, killer)
    write_result(parts, path)
    assert killer.killed
    return path.read_bytes()


def test_a_killed_process_loses_nothing(tmp_path):
    started = []

    @contextmanager
    def start():
        with processes(2) as executor:
            started.append(executor)
            yield executor

    found = with_a_killed_worker(tmp_path / "killed.csv", lambda: [*started[-1]._processes], start)
    assert len(started) == 2
    assert found == result(tmp_path / "alone.csv", study(SAMPLES))


def test_a_killed_dask_worker_loses_nothing(tmp_path):
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None, silence_logs=50
    ) as local:
        with cluster(local.scheduler_address) as (executor, workers):
            assert workers == 2
            pids = lambda: [nanny.pid for nanny in local.workers.values()]  # noqa: E731
            found = with_a_killed_worker(tmp_path / "killed.csv", pids, lambda: nullcontext(executor))
        (tmp_path / "tol.toml").write_text(TOML)
        words = ["study", str(MECHANISMS / "macpherson_rigid.toml"), str(tmp_path / "tol.toml"), "--samples", "300"]
        for name, more in (("dask.csv", ["--scheduler", local.scheduler_address]), ("here.csv", [])):
            assert main([*words, "-o", str(tmp_path / name), *more]) == 0
        assert (tmp_path / "dask.csv").read_bytes() == (tmp_path / "here.csv").read_bytes()
    assert found == result(tmp_path / "alone.csv", study(SAMPLES))


def test_a_killed_command_goes_on_and_leaves_no_workers(tmp_path):
    (tmp_path / "tol.toml").write_text(TOML)
    words = [sys.executable, "-m", "kinetab", "study", str(MECHANISMS / "macpherson_rigid.toml"), "tol.toml"]
    words += ["--samples", str(SAMPLES), "--workers", "2", "-o", "r.csv"]
    first = subprocess.Popen(words, cwd=tmp_path)
    parts = tmp_path / "r.csv.parts"
    while not list(parts.glob("*.npz")):
        assert first.poll() is None
        time.sleep(0.02)
    children = subprocess.run(["ps", "-o", "pid=", "--ppid", str(first.pid)], capture_output=True, text=True).stdout
    first.kill()
    first.wait()
    done = {path: path.stat().st_mtime_ns for path in parts.glob("*.npz")}
    assert 0 < len(done) < SAMPLES // TOGETHER and not (tmp_path / "r.csv").exists()
    for _ in range(500):
        alive = [pid for pid in children.split() if os.path.exists(f"/proc/{pid}")]
        if not alive:
            break
        time.sleep(0.02)
    assert not alive
    again = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True)
    assert again.returncode == 0, again.stderr
    assert f"goes on after {len(done)} of {SAMPLES // TOGETHER} parts" in again.stderr
    made = study(SAMPLES, {**DOCUMENT, "curves": [{**DOCUMENT["curves"][0]}]})
    assert (tmp_path / "r.csv").read_bytes() == result(tmp_path / "alone.csv", made)


def test_an_interrupt_stops_workers_at_once_and_says_so(tmp_path):
    (tmp_path / "tol.toml").write_text(TOML)
    words = [sys.executable, "-m", "kinetab", "study", str(MECHANISMS / "macpherson_rigid.toml"), "tol.toml"]
    words += ["--samples", "100000", "--workers", "2", "-o", "r.csv"]
    command = subprocess.Popen(words, cwd=tmp_path, stderr=subprocess.PIPE, text=True, start_new_session=True)
    while not list((tmp_path / "r.csv.parts").glob("*.npz")):
        assert command.poll() is None
        time.sleep(0.02)
    os.killpg(command.pid, signal.SIGINT)
    assert command.communicate(timeout=60)[1] == "kinetab: interrupted; every file is as it was before or complete\n"
    assert command.returncode == 130


def test_memory_is_flat(tmp_path):
    def most(samples):
        made = study(samples)
        parts = Parts.beside(tmp_path / f"{samples}.csv", made)
        here(parts, quiet)
        write_result(parts, tmp_path / f"{samples}.csv")
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024

    few = most(4 * TOGETHER)
    assert most(40 * TOGETHER) - few < 10.0  # MB; results alone are 9 arrays of 10240 numbers, 0.7 MB
