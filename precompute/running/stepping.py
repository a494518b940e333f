"""The loop of a run: an FMU in FMPy, step by step.

FMPy's own `simulate_fmu` reads outputs before it sets the inputs of that time, and loses all samples if a step fails.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np
from fmpy.fmi2 import FMU2Slave, fmi2Real, fmi2ValueReference

from precompute.arrays import Array

STEP = "solver.step"
"""The parameter that is the longest step of the integrator."""


class Record(NamedTuple):
    """What came of stepping an FMU."""

    samples: int  # that could be taken
    seconds: float  # wall time of the steps, with inputs set and outputs read
    solver_step: float | None  # [s] as the FMU says after initialization
    failure: str  # empty if there was none


def stepped(
    directory: str,
    description: Any,
    values: Mapping[str, float],
    time: Array,
    varying: Mapping[str, Array],
    held: Mapping[str, Array],
    outputs: Sequence[str],
    rows: Array,
) -> Record:
    """At each time inputs are set, the outputs that they lead to read, and a step taken.

    Args:
        directory: of the unpacked FMU.
        description: of its variables.
        values: what is set before the start.
        time: (nt,) communication points [s].
        varying: (nt,) of each input over time, at these points.
        held: the same over the steps that follow them.
        outputs: what to read.
        rows: (nt, ny) where to put it.
    """
    references = {v.name: v.valueReference for v in description.modelVariables}
    read, write = Port([references[n] for n in outputs]), Port([references[n] for n in varying])
    longest = Port([references[n] for n in (STEP,) if n in references])
    at, over = (np.stack([*columns.values(), time], axis=1)[:, :-1] for columns in (varying, held))
    sizes = np.diff(time, append=time[-1]).tolist()
    done, started, solver_step, failure = 0, perf_counter(), None, ""
    try:
        with instance(directory, description) as fmu:
            fmu.setupExperiment(startTime=0.0, stopTime=float(time[-1]))
            Port([references[n] for n in values]).set(fmu, list(values.values()))
            fmu.enterInitializationMode()
            write.set(fmu, at[0])
            fmu.exitInitializationMode()
            solver_step = next(iter(longest.get(fmu).tolist()), None)
            started = perf_counter()
            for i, now in enumerate(time.tolist()):
                write.set(fmu, at[i])
                rows[i] = read.get(fmu)
                done = i + 1
                if done < len(time):
                    write.set(fmu, over[i])
                    fmu.doStep(currentCommunicationPoint=now, communicationStepSize=sizes[i])
            fmu.terminate()
    except Exception as error:  # FMPy raises bare exceptions
        failure = str(error) or type(error).__name__
    return Record(done, perf_counter() - started, solver_step, failure)


class Port:
    """Variables that are set or read in one call, with arrays made once, not at every step as FMPy's `getReal` does."""

    def __init__(self, references: Sequence[int]) -> None:
        self.references = (fmi2ValueReference * len(references))(*references)
        self.reals = (fmi2Real * len(references))()
        self.array = np.frombuffer(self.reals) if references else np.empty(0)

    def set(self, fmu: FMU2Slave, values: Sequence[float] | Array) -> None:
        """Set all."""
        if self.reals:
            self.array[:] = values
            fmu.fmi2SetReal(fmu.component, self.references, len(self.reals), self.reals)

    def get(self, fmu: FMU2Slave) -> Array:
        """Their values, in memory that the next call writes to."""
        if self.reals:
            fmu.fmi2GetReal(fmu.component, self.references, len(self.reals), self.reals)
        return self.array


@contextmanager
def instance(directory: str, description: Any) -> Iterator[FMU2Slave]:
    """An instance of the FMU, freed afterwards whatever happens."""
    identifier = description.coSimulation.modelIdentifier
    fmu = FMU2Slave(
        guid=description.guid, unzipDirectory=directory, modelIdentifier=identifier, instanceName=identifier
    )
    fmu.instantiate()
    try:
        yield fmu
    finally:
        fmu.freeInstance()
