"""An FMU against the independent full model: same start, same constant loads, errors in mm, deg and N."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from fmu_src.model.reduced_model import ReducedModel
from precompute.coordinates.candidates import candidates
from precompute.mechanism_file import from_document
from precompute.model.mechanism import Mechanism
from precompute.reference import (
    ChassisState,
    Drive,
    FullModel,
    FullMotion,
    FullState,
    assemble,
    deflected,
    full_model,
    initial_velocity,
    on_chassis,
    simulate,
)
from precompute.running.model_reader import read_model
from precompute.running.simulation import Run, SimulationError, run_fmu
from precompute.threads import one_thread
from precompute.verify.branch_points import before_branch_points
from precompute.verify.comparison import Difference, compare, notes
from precompute.verify.held_inputs import drives, held_inputs
from precompute.verify.tuning import tuned

TOLERANCE = 1e-9
"""Of the full model's integrator, relative."""

FINER = 10.0
"""Stiff models run with a step this much finer than their own, unless `solver.step` is given."""

SAMPLES = 101
"""Times at which the two are compared."""


@dataclass(frozen=True)
class Verification:
    """All differences, and what they were measured with."""

    name: str
    stop: float
    residual: float  # of the full model's constraints [m]
    differences: tuple[Difference, ...]
    notes: tuple[str, ...]  # what was not compared, or not on equal terms
    warnings: tuple[str, ...]  # what the FMU said, such as of steps that are too long: a difference may come from that

    def worst(self, unit: str) -> Difference | None:
        """The largest difference in that unit."""
        return max((d for d in self.differences if d.unit == unit), key=lambda d: d.error, default=None)


@one_thread
def verify(
    path: Path, stop: float | None = None, step: float | None = None, values: Mapping[str, float] | None = None
) -> Verification:
    """Run the FMU in FMPy and the full model at tight tolerance, and compare.

    Args:
        path: the FMU.
        stop: [s]; default from the FMU.
        step: communication step [s]; default from the FMU.
        values: start values, parameters and constant inputs of the FMU; the full model gets the same.
    """
    model = read_model(path)
    if model.stiff:  # the step of the integrator is not what is verified
        values = {"solver.step": model.step_size / FINER, **(values or {})}
    run = run_fmu(path, stop, step, values)  # first: it knows the names of all parameters
    mechanism = tuned(from_document(model.mechanism, f"the mechanism in {path.name}"), dict(values or {}))
    mechanism = started(mechanism, model)
    pick = np.unique(np.linspace(0, len(run.time) - 1, SAMPLES).round().astype(int))
    pick, passed = before_branch_points(mechanism, run, pick)
    motion = reference_motion(mechanism, model, run, pick, started_at(values or {}, model, run))
    return Verification(
        name=model.name,
        stop=float(run.time[pick[-1]]),
        residual=float(np.max(motion.residual)),
        differences=tuple(compare(mechanism, run, pick, motion)),
        notes=(*notes(mechanism), *passed, *step_notes(values or {}, model)),
        warnings=run.warnings,
    )


def started_at(values: Mapping[str, float], model: ReducedModel, run: Run) -> dict[str, float]:
    """The values, with the start that the FMU has found where it starts at rest.

    Raises:
        SimulationError: several charts serve the motion, so that coordinates do not tell where that is.
    """
    if not values.get("solver.static"):
        return dict(values)
    if len(model.charts) > 1:
        raise SimulationError(
            "with 'solver.static' = 1 the full model cannot be started where the FMU starts, since several charts "
            "serve its motion; leave it out, and set q_start"
        )
    starts = {f"q_start.{c.name}": float(run.outputs[f"q.{c.name}"][0]) for c in model.coordinates}
    return {**values, **starts, **{f"qd_start.{c.name}": 0.0 for c in model.coordinates}}


def step_notes(values: Mapping[str, float], model: ReducedModel) -> Iterator[str]:
    """With what step of the integrator the FMU was run, where that matters."""
    if model.stiff:
        step = values["solver.step"]
        yield f"solver.step = {step:g} s: tables are compared, not steps; set it to see what a step costs"


def started(mechanism: Mechanism, model: ReducedModel) -> Mechanism:
    """The mechanism in the coordinates of the chart that the motion starts in."""
    names = [axis.name for axis in model.charts[0].axes]
    if names == [c.name for c in mechanism.coordinates or ()]:
        return mechanism
    known = {c.coordinate.name: c.coordinate for c in candidates(mechanism)}
    own = zip(names, model.starts, strict=True)
    return replace(mechanism, coordinates=tuple(replace(known[n], start=s.value, start_rate=s.rate) for n, s in own))


def reference_motion(
    mechanism: Mechanism, model: ReducedModel, run: Run, pick: NDArray[np.intp], values: Mapping[str, float]
) -> FullMotion:
    """The full model from the FMU's start, under its constant inputs, at the times picked from the run."""
    inputs, driven = held_inputs(mechanism, values), drives(model, values)
    full = full_model(replace(mechanism, gravity=inputs.gravity), lengths=preloaded_at(model))
    state = start_state(full, model, run, values, driven)
    return simulate(
        full,
        on_chassis(state, ChassisState(twist=inputs.twist(0.0)[0])),
        run.time[pick],
        inputs.loads,
        rtol=TOLERANCE,
        chassis=inputs.twist if mechanism.chassis == "moving" else None,
        drives=driven,
    )


def preloaded_at(model: ReducedModel) -> dict[str, float]:
    """What springs measure where they have their preloads, by name: a rough design may close in several ways."""
    springs = [e for e in model.elements if e.name.startswith("spring.") and e.laws]
    return {e.name.removeprefix("spring."): e.laws[0].design for e in springs if e.laws[0].design is not None}


def start_state(
    full: FullModel, model: ReducedModel, run: Run, values: Mapping[str, float], driven: Mapping[str, Drive]
) -> FullState:
    """The full model in the FMU's start configuration; its stiff directions are deflected as the FMU's are."""
    motions = {
        c.name: (
            values.get(f"q_start.{c.name}", c.start or 0.0),
            values.get(f"qd_start.{c.name}", c.start_rate),
        )
        for c in full.coordinates
    }
    motions.update({name: drive(0.0)[:2] for name, drive in driven.items()})
    stiff = zip(full.mechanism.stiff_coordinates, model.stiff, strict=True)
    at_start = {of: (float(run.outputs[f"q.{s.name}"][0]), float(run.outputs[f"qd.{s.name}"][0])) for of, s in stiff}
    if at_start:
        return deflected(full, motions, at_start)
    state = assemble(full, {name: value for name, (value, _) in motions.items()})
    return initial_velocity(full, state, {name: rate for name, (_, rate) in motions.items()})
