"""Running an FMU with FMPy: constant or tabulated inputs, results as arrays, CSV out."""

from __future__ import annotations

import csv
import io
import logging
import re
import tempfile
import time
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import fmpy
import numpy as np
from numpy.typing import NDArray

from precompute.arrays import Array
from precompute.errors import PrecomputeError
from precompute.files import write_file
from precompute.model.mechanism import nearest

MAX_STEPS = 1e7
"""More steps than this are taken for a slip of the pen."""

LEVELS = {"WARNING": logging.WARNING, "ERROR": logging.ERROR, "FATAL": logging.ERROR}
PRINTED = re.compile(rf"\[({'|'.join(LEVELS)})\] (.*)", re.DOTALL)
"""A message of an FMU as FMPy prints it."""


class SimulationError(PrecomputeError):
    """The FMU cannot be run as asked."""


@dataclass(frozen=True, eq=False)
class Run:
    """Result of a simulation."""

    name: str
    time: Array  # (nt,) [s]
    outputs: dict[str, Array]  # each (nt,), SI
    units: dict[str, str]
    steps: int
    seconds: float  # wall time of the simulation, without unpacking
    warnings: tuple[str, ...] = ()  # what the FMU said on the way


def run_fmu(
    path: Path,
    stop: float | None = None,
    step: float | None = None,
    values: Mapping[str, float] | None = None,
    inputs: NDArray[Any] | None = None,
) -> Run:
    """Simulate from 0 to `stop` with communication steps `step`, recording every output at every step.

    Args:
        path: the FMU.
        stop: [s]; default from the FMU.
        step: [s]; default from the FMU.
        values: start values of parameters and constant inputs.
        inputs: structured array with a field "time" and one per input, as `read_inputs` gives.
    """
    description = read_description(path)
    settable = [v.name for v in description.modelVariables if v.causality in ("parameter", "input")]
    for name in values or {}:
        if name not in settable:
            raise SimulationError(f"'{name}' is no parameter or input of {path.name}; {nearest(name, settable)}")
    outputs = {v.name: v.unit or "1" for v in description.modelVariables if v.causality == "output"}
    stop, step = times(description, stop, step)
    with unpacked(path) as directory, overheard() as said:
        started = time.perf_counter()
        try:
            result = fmpy.simulate_fmu(
                directory,
                model_description=description,
                stop_time=stop,
                output_interval=step,
                start_values=dict(values or {}),
                input=completed(inputs, description, dict(values or {})),
                output=list(outputs),
            )
        except Exception as error:  # FMPy raises bare exceptions; the FMU's own words say why
            errors = [text for level, text in said if level >= logging.ERROR]
            raise SimulationError(f"{path.name} stopped: {errors[0] if errors else error}") from None
        seconds = time.perf_counter() - started
    if result["time"][-1] < stop - 0.5 * step:
        raise SimulationError(f"{path.name} ended at {result['time'][-1]:g} s of {stop:g} s without saying why")
    return Run(
        name=description.modelName,
        time=np.asarray(result["time"]),
        outputs={name: np.asarray(result[name]) for name in outputs},
        units=outputs,
        steps=len(result["time"]) - 1,
        seconds=seconds,
        warnings=tuple(text for level, text in said if level < logging.ERROR),
    )


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


def completed(inputs: NDArray[Any] | None, description: Any, values: Mapping[str, float]) -> NDArray[Any] | None:
    """Inputs over time with a constant column for each that has none: what was set for it, or its start value."""
    if inputs is None:
        return None
    constant = {
        v.name: values.get(v.name, float(v.start))
        for v in description.modelVariables
        if v.causality == "input" and v.name not in (inputs.dtype.names or ())
    }
    full = np.empty(len(inputs), dtype=[*inputs.dtype.descr, *((name, float) for name in constant)])
    for name in full.dtype.names or ():
        full[name] = constant[name] if name in constant else inputs[name]
    return full


@contextmanager
def unpacked(path: Path) -> Iterator[str]:
    """The FMU's content in a directory of its own, removed afterwards."""
    with tempfile.TemporaryDirectory(prefix="kinetab_") as directory:
        try:
            fmpy.extract(str(path), unzipdir=directory)
        except (OSError, zipfile.BadZipFile, zlib.error) as error:
            raise SimulationError(f"'{path}' cannot be unpacked: {error}; bake it again") from None
        yield directory


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
    """That there is a file to be read as an FMU."""
    if path.is_dir():
        raise SimulationError(f"'{path}' is a directory; name an FMU in it")
    if not path.exists():
        raise SimulationError(f"there is no file '{path}'; bake it first: kinetab bake FILE.toml -o {path.name}")


def read_description(path: Path) -> Any:
    """The FMU's model description, or a plain error."""
    check_file(path)
    try:
        return fmpy.read_model_description(str(path))
    except Exception as error:
        raise SimulationError(f"'{path}' is no FMU that can be read: {error}") from None


def read_inputs(path: Path, fmu: Path) -> NDArray[Any]:
    """Inputs over time from a CSV file: a column `time` and one per input, first row the names."""
    names = [v.name for v in read_description(fmu).modelVariables if v.causality == "input"]
    try:
        text = path.read_text(encoding="utf-8-sig")  # spreadsheets put a byte order mark first
        rows = [row for row in csv.reader(io.StringIO(text)) if any(field.strip() for field in row)]
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise SimulationError(f"'{path}' cannot be read: {getattr(error, 'strerror', None) or error}") from None
    header = [h.strip() for h in rows[0]] if rows else []
    if not header or header[0] != "time":
        raise SimulationError(f"'{path}': the first row must be names, beginning with 'time'")
    if len(set(header)) < len(header):
        raise SimulationError(f"'{path}': a name stands twice in the first row")
    for name in header[1:]:
        if name not in names:
            raise SimulationError(f"'{path}': '{name}' is no input of {fmu.name}; {nearest(name, names)}")
    data = np.empty(len(rows) - 1, dtype=[(h, float) for h in header])
    for i, row in enumerate(rows[1:]):
        try:
            data[i] = tuple(float(x) for x in row)
        except ValueError:
            found = ", ".join(row)[:80]
            raise SimulationError(f"'{path}', line {i + 2}: expected {len(header)} numbers, found {found}") from None
    if len(data) < 1 or not (np.diff(data["time"]) >= 0).all() or not all(np.isfinite(data[h]).all() for h in header):
        raise SimulationError(f"'{path}': needs rows of finite numbers with ascending time")
    return data


def write_csv(run: Run, path: Path) -> None:
    """Time and all outputs, names in the first row."""
    table = np.column_stack([run.time, *run.outputs.values()])
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(["time", *run.outputs])
    writer.writerows([[repr(float(x)) for x in row] for row in table])
    write_file(path, buffer.getvalue().encode())
