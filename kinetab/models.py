"""A baked model and an FMU, with what is done to them as methods."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fmu_src.build.python_fmu import build_fmu
from fmu_src.model.reduced_model import ReducedModel as Tables
from kinetab.mechanism import load
from precompute import pipeline
from precompute.errors import SimulationError
from precompute.loading.driven import driven_loads
from precompute.loading.record import JointLoads
from precompute.model.mechanism import Mechanism
from precompute.planning.plan import Plan
from precompute.progress import Progress, unheard
from precompute.report.fmu_info import info_text
from precompute.running.simulation import Run, read_description, real_variables, run_fmu
from precompute.verify.verification import Verification, verify

Inputs = NDArray[Any] | Mapping[str, ArrayLike]
"""Over time: a structured array as `read_inputs` gives it, or names and values, "time" among them, in SI."""


class ReducedModel(Tables):
    """Tables with a certificate, force laws, markers and ports: all that an FMU is made of."""

    def simulate(
        self,
        inputs: Inputs | None = None,
        stop: float | None = None,
        step: float | None = None,
        values: Mapping[str, float] | None = None,
    ) -> Run:
        """Run the FMU of this model, which is made for that and removed.

        Args:
            inputs: over time.
            stop: [s]; by default as the model says.
            step: of communication [s]; by default as the model says.
            values: of parameters and constant inputs, in SI.

        Raises:
            FmuError: its kernel cannot be compiled.
            SimulationError: it cannot be run as asked, or stopped on the way.
        """
        with tempfile.TemporaryDirectory() as folder:
            return Fmu(build_fmu(self, Path(folder) / f"{self.name}.fmu")).simulate(inputs, stop, step, values)


def of(tables: Tables) -> ReducedModel:
    """The same model, with methods."""
    return ReducedModel(**{field.name: getattr(tables, field.name) for field in fields(tables)})


def bake(
    mechanism: Mechanism | str | Path,
    progress: Progress = unheard,
    note: Callable[[str], None] | None = None,
) -> ReducedModel:
    """Solve the loops over the whole range of motion and store what depends on the configuration in tables.

    Args:
        mechanism: the mechanism, or its file.
        progress: called with what is being done, and which share of all is done, from 0 to 1.
        note: called, before the sweep, with what may not be meant: that the motion will leave the tables at once.

    Raises:
        PrecomputeError: the mechanism cannot be assembled, moved or tabulated as asked; the message says what to do.
    """
    found = mechanism if isinstance(mechanism, Mechanism) else load(mechanism)
    return of(pipeline.bake(found, progress, note))


def fill(plan: Plan, mechanism: Mechanism, progress: Progress = unheard) -> ReducedModel:
    """Bake a mechanism by a plan that was made from other numbers: hardpoints, masses, rates, ranges.

    Raises:
        PlanError: the mechanism has another structure, or its numbers do not allow the plan; the message says where.
        PrecomputeError: as `bake`.
    """
    return of(pipeline.fill(plan, mechanism, progress))


class Fmu:
    """An FMU of kinetab, by its path: what it is, a run of it, and its comparison with the full model."""

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        self._description = read_description(self.path)

    @property
    def name(self) -> str:
        """Of the model."""
        return str(self._description.modelName)

    @property
    def inputs(self) -> tuple[str, ...]:
        """Names of the inputs."""
        return tuple(real_variables(self._description, "input"))

    @property
    def outputs(self) -> tuple[str, ...]:
        """Names of the outputs."""
        return tuple(real_variables(self._description, "output"))

    def simulate(
        self,
        inputs: Inputs | None = None,
        stop: float | None = None,
        step: float | None = None,
        values: Mapping[str, float] | None = None,
    ) -> Run:
        """Run it with FMPy; see `ReducedModel.simulate`."""
        return run_fmu(self.path, stop, step, values, None if inputs is None else structured(inputs))

    def loads(self, motion: Mapping[str, ArrayLike] | str | Path, axes: str | None = None) -> JointLoads:
        """What its joints carry while its drives lead it along a motion; see `Mechanism.loads`.

        Raises:
            PrecomputeError: it has no loads or no drives, the motion is faulty, or the FMU stops on the way.
        """
        return driven_loads(self.path, motion if isinstance(motion, Mapping) else Path(motion), axes)

    def verify(
        self,
        stop: float | None = None,
        step: float | None = None,
        values: Mapping[str, float] | None = None,
        inputs: Inputs | None = None,
        free: bool = False,
    ) -> Verification:
        """Compare it with two independent models; `passed` is the verdict.  See `kinetab.verify`."""
        return verify(self.path, stop, step, values, None if inputs is None else structured(inputs), free)

    def __repr__(self) -> str:
        return info_text(self.path)


def structured(inputs: Inputs) -> NDArray[Any]:
    """Inputs over time as a structured array."""
    if isinstance(inputs, np.ndarray):
        return inputs
    columns = {name: np.asarray(values, dtype=float) for name, values in inputs.items()}
    if "time" not in columns:
        raise SimulationError("inputs over time need their times: a column named 'time', in s")
    short = [name for name, values in columns.items() if values.shape != columns["time"].shape]
    if short or columns["time"].ndim != 1:
        wrong = short[0] if short else "time"
        raise SimulationError(f"input '{wrong}' has not one value for each of {columns['time'].size} times")
    data = np.empty(columns["time"].size, dtype=[(name, float) for name in columns])
    for name, values in columns.items():
        data[name] = values
    return data
