"""A master in FMPy: all FMUs step side by side, then their outputs are copied.  The loop is `simulate`."""

from __future__ import annotations

import shutil
import time
from collections.abc import Collection, Sequence
from contextlib import ExitStack
from typing import Any

import numpy as np
from fmpy import extract, read_model_description
from fmpy.fmi2 import FMU2Slave, fmi2Real, fmi2ValueReference

from coupling.system import Record
from precompute.exporting import System
from precompute.exporting.system import split
from precompute.hints import nearest


class Instance:
    """One FMU of the system: its inputs are set and its outputs read in one call each."""

    def __init__(self, name: str, system: System, recorded: Sequence[str]) -> None:
        path = str(system.fmus[name])
        description = read_model_description(path)
        self.references = {v.name: v.valueReference for v in description.modelVariables}
        self.outputs = [
            n for n in dict.fromkeys([*(a for a, _ in system.connections), *recorded]) if split(n)[0] == name
        ]
        self.inputs = [(a, b) for a, b in system.connections if split(b)[0] == name]
        self.read, self.found = self.places(self.outputs), (fmi2Real * len(self.outputs))()
        self.written = self.places([b for _, b in self.inputs])
        self.folder = extract(path)
        self.fmu = FMU2Slave(
            guid=description.guid,
            unzipDirectory=self.folder,
            modelIdentifier=description.coSimulation.modelIdentifier,
            instanceName=name,
        )
        self.fmu.instantiate()
        self.fmu.setupExperiment(startTime=0.0)
        starts = {n: value for n, value in system.starts.items() if split(n)[0] == name}
        if starts:
            self.fmu.fmi2SetReal(self.fmu.component, self.places(list(starts)), len(starts), reals(starts.values()))
        self.fmu.enterInitializationMode()

    def places(self, names: Sequence[str]) -> Any:
        """Value references, as C wants them: made once, not at every step as FMPy's own `getReal` does."""
        for name in names:
            if split(name)[1] not in self.references:
                raise ValueError(f"there is no variable '{name}'; {nearest(split(name)[1], list(self.references))}")
        return (fmi2ValueReference * len(names))(*(self.references[split(name)[1]] for name in names))

    def get(self, bus: dict[str, float]) -> None:
        """Outputs onto the bus."""
        self.fmu.fmi2GetReal(self.fmu.component, self.read, len(self.read), self.found)
        bus.update(zip(self.outputs, self.found, strict=True))

    def set(self, bus: dict[str, float]) -> None:
        """Inputs from the bus."""
        if self.written:
            values = reals([bus[source] for source, _ in self.inputs])
            self.fmu.fmi2SetReal(self.fmu.component, self.written, len(self.written), values)

    def close(self) -> None:
        """Free all it holds, whatever happened."""
        self.fmu.freeInstance()
        shutil.rmtree(self.folder, ignore_errors=True)


def reals(values: Collection[float]) -> Any:
    """An array of C."""
    return (fmi2Real * len(values))(*values)


def run(system: System, stop: float, step: float, recorded: Sequence[str]) -> Record:
    """Simulate from 0 to `stop` in communication steps `step` and record variables by `instance.variable`."""
    with ExitStack() as stack:
        instances = []
        for name in system.fmus:
            instances.append(Instance(name, system, recorded))
            stack.callback(instances[-1].close)
        record = simulate(instances, stop, step, recorded)
        for instance in instances:
            instance.fmu.terminate()
    return record


def simulate(instances: Sequence[Instance], stop: float, step: float, recorded: Sequence[str]) -> Record:
    """The loop."""
    bus: dict[str, float] = {}
    for _ in instances:
        transfer(instances, bus)
    for instance in instances:
        instance.fmu.exitInitializationMode()
    transfer(instances, bus)

    steps = round(stop / step)
    rows = np.empty((steps + 1, len(recorded)))
    rows[0] = [bus[name] for name in recorded]
    started = time.process_time()
    for i in range(steps):
        for instance in instances:
            instance.fmu.doStep(currentCommunicationPoint=i * step, communicationStepSize=step)
        transfer(instances, bus)
        rows[i + 1] = [bus[name] for name in recorded]
    seconds = time.process_time() - started
    return Record(np.arange(steps + 1) * step, dict(zip(recorded, rows.T, strict=True)), seconds)


def transfer(instances: Sequence[Instance], bus: dict[str, float]) -> None:
    """All outputs are read before any input is set."""
    for instance in instances:
        instance.get(bus)
    for instance in instances:
        instance.set(bus)
