"""A 1 ms step with 6 inputs set and 20 outputs read: the kernel in C, FMUs in FMPy, the native FMU in a C host."""

from __future__ import annotations

import shutil
import subprocess
import time
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from tempfile import TemporaryDirectory

from fmpy import extract, read_model_description
from fmpy.fmi2 import FMU2Slave

from fmu_src.build.compile import KERNEL, PLATFORMS, compile_c, compiler, current_platform
from fmu_src.build.native_fmu import build_native_fmu
from fmu_src.build.python_fmu import build_fmu
from parts.kernel import Kernel
from parts.master import STEP, Master, steps_for, usual, ways
from parts.models import LOADS, ROOT, Baked
from parts.timing import interleaved

WAYS = ("kernel, step alone", "kernel", "native FMU, C host", "native FMU, FMPy", "Python FMU, FMPy")


class Slave:
    """An FMU in FMPy's low-level interface, initialized."""

    def __init__(self, path: Path, master: Master) -> None:
        description = read_model_description(path)
        self.folder, self.master, self.time = extract(path), master, 0.0
        self.fmu = FMU2Slave(
            guid=description.guid,
            unzipDirectory=self.folder,
            modelIdentifier=description.coSimulation.modelIdentifier,
            instanceName="bench",
        )
        self.fmu.instantiate()
        self.fmu.setupExperiment(startTime=0.0)
        self.fmu.enterInitializationMode()
        self.fmu.exitInitializationMode()
        self.steps = 3
        self.steps = steps_for(self.time_once())

    def time_once(self) -> float:
        """Processor time per step, with inputs and outputs [us]."""
        fmu, inputs, outputs, loads, now = self.fmu, self.master.inputs, self.master.outputs, list(LOADS), self.time
        start = time.process_time()
        for _ in range(self.steps):
            fmu.setReal(inputs, loads)
            fmu.doStep(now, STEP)
            fmu.getReal(outputs)
            now += STEP
        self.time = now
        return 1e6 * (time.process_time() - start) / self.steps

    def close(self) -> None:
        """Free it and its folder."""
        self.fmu.terminate()
        self.fmu.freeInstance()
        shutil.rmtree(self.folder, ignore_errors=True)


def measure(baked: Baked, repetitions: int) -> dict[str, object]:
    """Times [us] of all ways to run one model."""
    model = baked.model
    master = usual(model)
    with TemporaryDirectory() as name:
        folder = Path(name)
        native = build_native_fmu(model, folder / "native.fmu", sources=False)
        slaves = {
            "native FMU, FMPy": Slave(native, master),
            "Python FMU, FMPy": Slave(build_fmu(model, folder / "python.fmu"), master),
        }
        alone, called = ways(Kernel(baked.library, baked.path), master).values()
        candidates = {
            "kernel, step alone": alone,
            "kernel": called,
            "native FMU, C host": hosted(native, master, folder),
        }
        candidates |= {name: slave.time_once for name, slave in slaves.items()}
        times = interleaved({name: candidates[name] for name in WAYS}, repetitions)
        for slave in slaves.values():
            slave.close()
    return {
        "free": len(model.coordinates),
        "stiff": len(model.stiff),
        "inputs": len(master.inputs),
        "outputs": len(master.outputs),
        "us": {name: asdict(timing) for name, timing in times.items()},
    }


def hosted(fmu: Path, master: Master, folder: Path) -> Callable[[], float]:
    """The native FMU in the tests' C host, which counts its own processor time."""
    flags = ("-O2", "-std=c99", f"-I{KERNEL}")
    source = ROOT / "tests" / "host" / "host.c"
    host = compile_c(compiler(current_platform()), [source], folder / "host", flags, ("-ldl",))
    description = read_model_description(fmu)
    unpacked = Path(extract(fmu, folder / "unpacked"))
    platform = current_platform()
    identifier = description.coSimulation.modelIdentifier
    binary = unpacked / "binaries" / platform / f"{identifier}{PLATFORMS[platform].suffix}"
    inputs = ",".join(f"{vr}={value!r}" for vr, value in zip(master.inputs, LOADS, strict=True))
    outputs = ",".join(map(str, master.outputs))
    words = [str(host), "-t", str(binary), description.guid, (unpacked / "resources").as_uri()]

    def time_once(steps: int) -> float:
        command = [*words, str(steps), repr(STEP), inputs, outputs]
        return 1e-3 * float(subprocess.run(command, capture_output=True, text=True, check=True).stdout)

    steps = steps_for(time_once(100))
    return lambda: time_once(steps)
