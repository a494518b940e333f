"""The same in libcosim: its fixed-step algorithm couples FMUs as `fmpy_master` does.

libcosim is loaded in a process of its own, so that nothing it does can disturb the one that asks.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from coupling.system import Record
from precompute.exporting import System
from precompute.exporting.system import split


def run(system: System, stop: float, step: float, recorded: Sequence[str]) -> Record:
    """As `fmpy_master.run`, in this process; without the start, which libcosim does not show."""
    from libcosimpy.CosimExecution import CosimExecution
    from libcosimpy.CosimLogging import CosimLogLevel, log_output_level
    from libcosimpy.CosimObserver import CosimObserver
    from libcosimpy.CosimSlave import CosimLocalSlave

    log_output_level(CosimLogLevel.WARNING)
    execution = CosimExecution.from_step_size(round(1e9 * step))
    slaves = {name: execution.add_local_slave(CosimLocalSlave(str(path), name)) for name, path in system.fmus.items()}
    references = {
        f"{name}.{v.name.decode()}": v.reference
        for name, slave in slaves.items()
        for v in execution.slave_variables(slave)
    }
    for name, value in system.starts.items():
        execution.real_initial_value(slaves[split(name)[0]], references[name], value)
    for source, target in system.connections:
        execution.connect_real_variables(
            slaves[split(source)[0]], references[source], slaves[split(target)[0]], references[target]
        )
    observer = CosimObserver.create_last_value()
    execution.add_observer(observer)

    groups = {name: [n for n in recorded if split(n)[0] == name] for name in slaves}
    steps, rows = round(stop / step), []
    started = time.process_time()
    for _ in range(steps):
        execution.step()
        row: dict[str, float] = {}
        for name, names in groups.items():
            row.update(zip(names, observer.last_real_values(slaves[name], [references[n] for n in names]), strict=True))
        rows.append([row[name] for name in recorded])
    seconds = time.process_time() - started
    return Record(np.arange(1, steps + 1) * step, dict(zip(recorded, np.array(rows).T, strict=True)), seconds)


def run_apart(system: System, stop: float, step: float, recorded: Sequence[str]) -> Record:
    """As `run`, in a process of its own."""
    with tempfile.TemporaryDirectory(prefix="kinetab_") as folder:
        job, result = Path(folder, "job.json"), Path(folder, "result.npz")
        fmus = {name: str(path) for name, path in system.fmus.items()}
        words = [fmus, list(system.connections), dict(system.starts), stop, step, list(recorded)]
        job.write_text(json.dumps(words), encoding="utf-8")
        command = [sys.executable, "-m", "coupling.libcosim_master", str(job), str(result)]
        done = subprocess.run(command, capture_output=True, text=True, cwd=Path(__file__).resolve().parents[1])
        if done.returncode != 0:
            raise RuntimeError(f"libcosim ended with code {done.returncode}:\n{done.stderr[-2000:]}")
        with np.load(result) as found:
            values = dict(zip(recorded, found["rows"], strict=True))
            return Record(found["time"], values, float(found["seconds"]))


def leave() -> None:
    """End a process that libcosim has run in, without the ends of its libraries.

    pythonfmu's library, the binary of the small parts, releases its guard of the interpreter twice there, which now and
    then is an abort after all work is done.
    """
    sys.stdout.flush()
    os._exit(0)


def main(job: str, result: str) -> None:
    """Run what a file asks for."""
    fmus, connections, starts, *how = json.loads(Path(job).read_text(encoding="utf-8"))
    system = System({n: Path(p) for n, p in fmus.items()}, tuple((a, b) for a, b in connections), starts)
    record = run(system, *how)
    np.savez(result, time=record.time, rows=np.array(list(record.values.values())), seconds=record.seconds)


if __name__ == "__main__":
    main(*sys.argv[1:])
    leave()
