"""What the length of the steps costs: a run against the same one in steps of half the length.

A method of order p leaves an error e in steps of h and e/2^p in steps of h/2; the two runs differ by d, so

    e = d 2^p / (2^p - 1)                                                                       (1)

Inputs over time are held at their means over a communication step, whatever the steps within: the same again, with half
the communication step and p = 2.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fmu_src.numpy_runtime.steps.integrator import substeps
from fmu_src.numpy_runtime.steps.step_error import order
from precompute.arrays import Array
from precompute.running.model_reader import read_model
from precompute.running.signals import NEAR
from precompute.running.simulation import Run, SimulationError, StoppedError, run_fmu
from precompute.running.stepping import STEP

HELD_ORDER = 2
"""To which inputs are followed that are held at their means."""


@dataclass(frozen=True)
class Change:
    """The largest difference of one quantity between two runs."""

    difference: float  # SI
    time: float  # [s] when it is largest


@dataclass(frozen=True)
class StepComparison:
    """What halving steps changes, by output."""

    step: float  # [s] of the integrator in the run as asked
    order: int  # of its method
    changes: dict[str, Change]
    communication: float  # [s] communication step
    held: dict[str, Change]  # the same of the communication step; empty if no inputs change over time


def step_error(
    path: Path, run: Run, step: float, values: Mapping[str, float], inputs: NDArray[Any] | None, names: Iterable[str]
) -> StepComparison:
    """Run again in steps of half the length; where inputs change over time, also with half the communication step.

    Args:
        path: the FMU, one of kinetab's.
        run: the run as asked.
        step: its communication step [s].
        values: its start values, parameters and constant inputs.
        inputs: its inputs over time.
        names: outputs to compare.
    """
    model = read_model(path)
    used = step / substeps(step, run.solver_step or model.longest_step)
    finer = {**values, STEP: 0.5 * used}
    stop, names = float(run.time[-1]), list(names)
    fine = again(path, stop, step, finer, inputs)
    changes = {name: change(name, run, fine) for name in names}
    held = {}
    if inputs is not None and any(np.ptp(values) > 0.0 for values in run.inputs.values()):
        often = again(path, stop, 0.5 * step, finer, inputs)
        held = {name: change(name, fine, often) for name in names}
    return StepComparison(used, order(model), changes, step, held)


def richardson(order: int) -> float:
    """Error of a run over its difference to one in steps of half the length, (1)."""
    return 2.0**order / (2.0**order - 1.0)


def again(path: Path, stop: float, step: float, values: Mapping[str, float], inputs: NDArray[Any] | None) -> Run:
    """The same run in other steps."""
    try:
        return run_fmu(path, stop, step, values, inputs, check=False)
    except StoppedError as error:
        raise SimulationError(f"--step-error: the run in steps of half the length failed: {error}") from None


def change(name: str, run: Run, finer: Run) -> Change:
    """The largest difference at the times of the first run, which the finer one has too."""
    near = NEAR * float(np.diff(run.time).max(initial=0.0))
    at = np.searchsorted(finer.time, run.time - near)
    distance = np.abs(difference(name, run.outputs[name], finer.outputs[name][at]))
    worst = int(np.argmax(distance))
    return Change(float(distance[worst]), float(run.time[worst]))


def difference(name: str, one: Array, other: Array) -> Array:
    """Of two histories; roll, pitch and yaw may jump by a turn in one of them a step earlier."""
    plain = one - other
    return plain - 2.0 * math.pi * np.round(plain / (2.0 * math.pi)) if ".angle[" in name else plain
