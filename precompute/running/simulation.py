"""Running an FMU with FMPy: constant or tabulated inputs, samples as arrays."""

from __future__ import annotations

import io
import logging
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, redirect_stdout
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import fmpy
import numpy as np
from numpy.typing import NDArray

from precompute.arrays import Array
from precompute.errors import SimulationError
from precompute.model.mechanism import nearest
from precompute.running.fmu_archive import opened, unpacked
from precompute.running.samples import Samples
from precompute.running.signals import communication_points, coverage_notes, over_steps, sampled
from precompute.running.stepping import stepped

MAX_STEPS = 1e7
"""More steps than this are taken for a slip of the pen."""

CHECK = "solver.check"
"""The parameter that is 1 while an FMU estimates the error of its steps."""

LEVELS = {"WARNING": logging.WARNING, "ERROR": logging.ERROR, "FATAL": logging.ERROR}
PRINTED = re.compile(rf"\[({'|'.join(LEVELS)})\] (.*)", re.DOTALL)
"""A message of an FMU as FMPy prints it."""


@dataclass(frozen=True, eq=False)
class Run(Samples):
    """Result of a simulation: a sample holds what the inputs are at its time and the outputs that they lead to."""

    steps: int
    seconds: float  # wall time of the steps, with inputs set and outputs read
    solver_step: float | None = None  # [s] longest step of the integrator, as the FMU says at the start
    warnings: tuple[str, ...] = ()  # what the FMU said on the way
    notes: tuple[str, ...] = ()  # what was made of the inputs
    held: dict[str, Array] = field(default_factory=dict)  # (nt,) what each input was over the step that follows


class StoppedError(SimulationError):
    """The FMU failed on the way; `run` holds all samples before that."""

    def __init__(self, message: str, run: Run) -> None:
        super().__init__(message)
        self.run = run


def run_fmu(
    path: Path,
    stop: float | None = None,
    step: float | None = None,
    values: Mapping[str, float] | None = None,
    inputs: NDArray[Any] | None = None,
    check: bool = True,
    points: Array | None = None,
    held: Mapping[str, Array] | None = None,
) -> Run:
    """Simulate from 0 to `stop` with communication steps `step`, recording inputs and outputs at every step.

    Args:
        path: the FMU.
        stop: [s]; default from the FMU.
        step: [s]; default from the FMU.
        values: start values of parameters and constant inputs.
        inputs: structured array with a field "time" and one per input, as `read_inputs` gives; linear between its
            rows, held at their means over each step.  Where a time stands twice the inputs jump, and from that time on
            the later row counts.
        check: let the FMU estimate the error of its steps, if it can, unless `values` say otherwise.
        points: (nt,) communication points from 0 on [s], in place of `stop` and `step`.
        held: (nt,) of some inputs over the steps that follow these points, in place of their means.

    Raises:
        StoppedError: the FMU failed after some samples.
        SimulationError: it cannot be run as asked.
    """
    description = read_description(path)
    if description.fmiVersion != "2.0" or description.coSimulation is None:
        raise SimulationError(f"{path.name} is of FMI {description.fmiVersion}; run takes co-simulation of FMI 2.0")
    values = {**checking(description, check), **(values or {})}
    check_names(path.name, description, values, inputs)
    if points is None:
        stop, step = times(description, stop, step)
        time = communication_points(stop, step, inputs)
    else:
        time, stop, step = points, float(points[-1]), float(np.diff(points).min(initial=1.0))
    outputs, known = real_variables(description, "output"), real_variables(description, "input")
    varying = {} if inputs is None else sampled(inputs, time, step)
    means = {} if inputs is None else over_steps(inputs, time, step, known)
    held = means | dict(held or {})
    rows = sample_space(len(time), len(outputs))
    with unpacked(path) as directory, overheard() as said:
        record = stepped(directory, description, values, time, varying, held, list(outputs), rows)
    constant = {n: values.get(n, float(v.start or 0.0)) for n, v in known.items()}
    count = record.samples
    run = Run(
        name=description.modelName,
        time=time[:count],
        outputs=dict(zip(outputs, rows[:count].T, strict=True)),
        inputs={n: varying[n][:count] if n in varying else np.full(count, constant[n]) for n in known},
        held={n: held[n][:count] if n in held else np.full(count, constant[n]) for n in known},
        units={n: v.unit or "1" for n, v in (outputs | known).items()},
        steps=max(count - 1, 0),
        seconds=record.seconds,
        solver_step=record.solver_step,
        warnings=tuple(text for level, text in said if level < logging.ERROR),
        notes=() if inputs is None else tuple(coverage_notes(inputs, stop, step)),
    )
    if record.failure:
        errors = [text for level, text in said if level >= logging.ERROR]
        raise failed(path.name, run, errors[0] if errors else record.failure)  # the FMU's own words say it best
    return run


def failed(fmu: str, run: Run, why: str) -> SimulationError:
    """The error of a run that ended early, with the samples that it has."""
    if not run.time.size:
        return SimulationError(f"{fmu} does not start: {why}")
    return StoppedError(f"{fmu} stopped at {run.time[-1]:.6g} s: {why}", run)


def sample_space(samples: int, outputs: int) -> Array:
    """Memory for all samples, (samples, outputs)."""
    try:
        return np.empty((samples, outputs))
    except MemoryError:
        raise SimulationError(
            f"{samples} samples of {outputs} outputs take {8e-9 * samples * outputs:.3g} GB, more than there is; "
            "choose a longer --step or a shorter --stop"
        ) from None


def real_variables(description: Any, *causalities: str) -> dict[str, Any]:
    """The variables of some kinds by name; kinetab's FMUs have no other type than Real."""
    return {v.name: v for v in description.modelVariables if v.causality in causalities and v.type == "Real"}


def checking(description: Any, check: bool) -> dict[str, float]:
    """The parameter that lets an FMU estimate the error of its steps, where it has one."""
    return {CHECK: 1.0} if check and CHECK in real_variables(description, "parameter") else {}


def check_names(fmu: str, description: Any, values: Mapping[str, float], inputs: NDArray[Any] | None) -> None:
    """That all that is set can be set, and nothing twice."""
    settable = real_variables(description, "parameter", "input")
    for name in values:
        if name not in settable:
            raise SimulationError(unsettable(name, fmu, description))
    for name in () if inputs is None else [n for n in inputs.dtype.names or () if n != "time"]:
        if name in values:
            raise SimulationError(
                f"'{name}' is set to a constant (--set), but the inputs over time have a column for it; leave one out"
            )
        if settable.get(name) is None or settable[name].causality != "input":
            known = real_variables(description, "input")
            raise SimulationError(f"'{name}' is no input of {fmu}; {nearest(name, known)}")


def unsettable(name: str, fmu: str, description: Any) -> str:
    """Why a variable cannot be set."""
    what = "an output, not a parameter" if name in real_variables(description, "output") else "no parameter or input"
    return f"'{name}' is {what} of {fmu}; {nearest(name, real_variables(description, 'parameter', 'input'))}"


def times(description: Any, stop: float | None, step: float | None) -> tuple[float, float]:
    """Stop time and step, from the FMU's default experiment where they are not given."""
    experiment = description.defaultExperiment
    if stop is None:
        stop = float(getattr(experiment, "stopTime", None) or 1.0)
    if step is None:
        step = float(getattr(experiment, "stepSize", None) or 1e-3)
    if not (np.isfinite(stop) and np.isfinite(step) and stop > 0.0 and step > 0.0):
        raise SimulationError(f"a stop time of {stop:g} s in steps of {step:g} s makes no sense; both must be positive")
    if step > stop or stop / step > MAX_STEPS:
        raise SimulationError(
            f"{stop:g} s in steps of {step:g} s are {stop / step:.3g} steps; choose 1 to {MAX_STEPS:g}"
        )
    return stop, step


@contextmanager
def overheard() -> Iterator[list[tuple[int, str]]]:
    """What FMUs in this process say, with its level, instead of printing it.

    FMUs in Python speak through the logger "kinetab", native ones through FMPy, which prints.  (FMPy's own hook for a
    logger crashes the process at the next FMU that has none.)
    """
    said: list[tuple[int, str]] = []

    class Listener(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            said.append((record.levelno, record.getMessage()))

    class Printed(io.TextIOBase):
        def write(self, text: str) -> int:
            found = PRINTED.fullmatch(text)
            if found:
                said.append((LEVELS[found[1]], found[2]))
            return len(text)

    logger, listener = logging.getLogger("kinetab"), Listener()
    logger.addHandler(listener)
    propagate, logger.propagate = logger.propagate, False
    try:
        with redirect_stdout(Printed()):
            yield said
    finally:
        logger.removeHandler(listener)
        logger.propagate = propagate


def check_file(path: Path) -> None:
    """That there is a file to be read as an FMU, and that it can be."""
    if path.is_dir():
        raise SimulationError(f"'{path}' is a directory; name an FMU in it")
    if not path.exists():
        raise SimulationError(f"there is no file '{path}'; bake it first: kinetab bake FILE.toml -o {path.stem}.fmu")
    with opened(path):
        pass


def read_description(path: Path) -> Any:
    """The FMU's model description, or a plain error."""
    check_file(path)
    try:
        return fmpy.read_model_description(str(path))
    except Exception as error:
        raise SimulationError(f"'{path}' is no FMU that can be read: {error}") from None
