"""A motion of an FMU against the independent full model: same start, same inputs, errors in mm, deg and N.

The FMU is run twice, in steps of its own and in finer ones.  What the finer run errs is the fault of the tables and is
judged; what the other errs besides is what steps cost.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fmu_src.model.reduced_model import ReducedModel
from fmu_src.numpy_runtime.steps.step_error import order
from precompute.model.mechanism import Mechanism
from precompute.progress import Progress, part, stages, unheard
from precompute.running.simulation import Run, StoppedError, read_description, run_fmu, times
from precompute.running.stepping import STEP
from precompute.verify.findings import Difference, DynamicCheck
from precompute.verify.limits import Limits
from precompute.verify.motion import devices
from precompute.verify.motion.branch_points import before_branch_points
from precompute.verify.motion.comparison import Trace, compare, difference, notes
from precompute.verify.motion.coverage import covered, strain
from precompute.verify.motion.excitation import Leg, excitation
from precompute.verify.motion.full_motion import Followed, followed_run, started
from precompute.verify.motion.pieces import given_inputs
from precompute.verify.motion.tuning import tuned

FINER = {2: 16.0, 3: 10.0, 4: 10.0}
"""Order of a method: own step over the one with which tables are judged."""

SAMPLES = 101
"""Times at which the two are compared, at least."""

RUNS = 0.05
"""About the share of a leg that the two runs of the FMU take; the rest is the full model's."""

LED = "led through its range by forces on its coordinates"
DRIVEN = "led through its range by its drives"
FREE = "moving by itself"


@dataclass(frozen=True)
class Manoeuvre:
    """What an FMU is run with."""

    manner: str
    legs: tuple[Leg, ...]
    step: float  # [s] communication step
    limited: Mapping[str, str]  # what keeps coordinates from more of their tables
    ours: bool  # whether the inputs were found here, not given


@dataclass(frozen=True, eq=False)
class Compared:
    """One leg: two runs of the FMU and the full model."""

    values: dict[str, float]
    own: Run
    fine: Run
    pick: NDArray[np.intp]  # samples that were compared
    full: Followed
    failure: str  # why it ended early; "" if it did not
    notes: tuple[str, ...]


def manoeuvre(
    path: Path,
    model: ReducedModel,
    values: Mapping[str, float],
    stop: float | None,
    step: float | None,
    inputs: NDArray[Any] | None,
    free: bool,
) -> Manoeuvre:
    """The inputs that were given, or none, or those that lead it through its range."""
    if inputs is None and not free:
        found = excitation(model, values, stop, step)
        forced = any(c.driven == "no" for c in model.coordinates)
        return Manoeuvre(LED if forced else DRIVEN, found.legs, found.step, found.limited, ours=True)
    stop, step = times(read_description(path), stop, step)
    names = () if inputs is None else [name for name in inputs.dtype.names or () if name != "time"]
    manner = f"under inputs over time ({', '.join(names)})" if names else FREE
    return Manoeuvre(manner, (Leg({}, inputs, stop),), step, {}, ours=False)


def dynamic_check(
    path: Path,
    model: ReducedModel,
    mechanism: Mechanism,
    values: Mapping[str, float],
    course: Manoeuvre,
    limits: Limits,
    progress: Progress = unheard,
) -> DynamicCheck:
    """Run the FMU and the full model and compare.

    Args:
        path: the FMU.
        model: that it holds.
        mechanism: that it was baked from.
        values: start values, parameters and constant inputs.
        course: what moves it.
        limits: of the differences.
        progress: called with what is being done, and which share of it is done.

    Raises:
        SimulationError: the FMU cannot be run as asked, or stops on the way under inputs that were given.
    """
    own = values.get(STEP, model.longest_step)
    fine = min(own, model.longest_step) / FINER[order(model)]
    legs, offset, found = [], 0.0, []
    for leg, told in zip(course.legs, stages(progress, [leg.stop for leg in course.legs]), strict=True):
        done = compared(path, model, mechanism, {**values, **leg.starts}, leg, course, fine, told)
        legs.append(done)
        found.append([[later(t, offset) for t in traces] for traces in traced(mechanism, model, done)])
        offset += float(done.fine.time[done.pick[-1]])
        if done.failure:
            break
    runs = [(until(done.fine, done.pick[-1]), done.values) for done in legs]
    said = [*notes(mechanism), *(note for done in legs for note in done.notes)]
    stiff, share = strain(model, runs)
    return DynamicCheck(
        manner=course.manner,
        stop=offset,
        legs=len(legs),
        residual=max(float(np.max(done.full.motion.residual)) for done in legs),
        differences=judged([fine_ for fine_, _ in found], limits),
        own=judged([own_ for _, own_ in found], limits),
        step=legs[0].own.solver_step or own,
        fine=fine,
        coverage=covered(model, runs, course.limited),
        devices=devices.covered(mechanism, [run for run, _ in runs]),
        strained=stiff,
        strain=share,
        notes=tuple(dict.fromkeys(said)),
        warnings=tuple(dict.fromkeys(text for done in legs for text in done.own.warnings)),
        failure=legs[-1].failure,
    )


def compared(
    path: Path,
    model: ReducedModel,
    mechanism: Mechanism,
    values: dict[str, float],
    leg: Leg,
    course: Manoeuvre,
    fine: float,
    progress: Progress,
) -> Compared:
    """One leg: the FMU in two lengths of steps, then the full model."""
    progress("the FMU runs", 0.0)
    own, stopped = ran(path, leg, course, values)  # first: it knows the names of all parameters
    finer, stopped_fine = ran(path, leg, course, {**values, STEP: fine}, check=False)
    count = min(len(own.time), len(finer.time))
    moved = started(tuned(mechanism, values), model)
    pick = np.unique(np.linspace(0, count - 1, SAMPLES).round().astype(np.intp))
    pick, passed = before_branch_points(moved, finer, pick)
    full = followed_run(moved, model, given_inputs(model, finer, values), pick, values, part(progress, RUNS, 1.0))
    failure = full.failure or stopped or stopped_fine
    return Compared(values, own, finer, pick[: len(full.motion.t)], full, failure, (*finer.notes, *passed))


def ran(path: Path, leg: Leg, course: Manoeuvre, values: Mapping[str, float], check: bool = True) -> tuple[Run, str]:
    """A run, and why it ended early.

    Raises:
        SimulationError: it cannot be run, or it ended early under inputs that were given: that is for who gave them.
    """
    try:
        return run_fmu(path, leg.stop, course.step, values, leg.inputs, check), ""
    except StoppedError as error:
        if not course.ours or len(error.run.time) < 2:
            raise
        return error.run, str(error)


def traced(mechanism: Mechanism, model: ReducedModel, done: Compared) -> tuple[list[Trace], list[Trace]]:
    """All quantities of the run in fine steps, and of that in steps of its own."""
    moved = started(tuned(mechanism, done.values), model)
    fine, own = (list(compare(moved, run, done.pick, done.full.motion)) for run in (done.fine, done.own))
    return fine, own


def later(trace: Trace, offset: float) -> Trace:
    """With its times counted from the start of the first leg."""
    return replace(trace, t=trace.t + offset)


def judged(legs: Sequence[Sequence[Trace]], limits: Limits) -> tuple[Difference, ...]:
    """The largest difference of each quantity over all legs."""
    return tuple(difference(parts, limits) for parts in zip(*legs, strict=True))


def until(run: Run, number: int) -> Run:
    """A run up to a sample."""
    keep = slice(0, number + 1)

    def short(columns: Mapping[str, Any]) -> dict[str, Any]:
        return {name: values[keep] for name, values in columns.items()}

    return replace(run, time=run.time[keep], outputs=short(run.outputs), inputs=short(run.inputs), held=short(run.held))
