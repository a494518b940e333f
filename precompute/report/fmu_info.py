"""What `kinetab info` tells of an FMU, from its model description and the model file inside."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from fmu_src.build.pages.running import method
from fmu_src.model.reduced_model import Axis, ReducedModel
from fmu_src.numpy_runtime.steps.pace import SWINGS
from precompute.reduction.default_step import device_speed
from precompute.report.command_text import accuracy, stiff_lines, told
from precompute.running.fmu_archive import opened
from precompute.running.model_reader import read_model
from precompute.running.simulation import read_description
from precompute.tables.table_size import table_size

BEYOND = {"error": "beyond it a step fails", "linear": "beyond it tables go on linearly"}


def info_text(path: Path) -> str:
    """A few lines.

    Raises:
        SimulationError: it is no FMU, or none of ours.
    """
    description = read_description(path)
    model = read_model(path)
    counts = Counter(v.causality for v in description.modelVariables)
    size = path.stat().st_size / 1024
    c = model.certificate
    lines = [
        f"{model.name}: {model.description}" if model.description else model.name,
        f"{description.generationTool}, FMI {description.fmiVersion} co-simulation, {size:.0f} KiB, {description.guid}",
        runs_in(path),
        f"{model.stop_time:g} s in steps of {model.step_size:g} s by default; {integrator(model)}",
        "the ground moves: its twist, acceleration and gravity are inputs" if model.moving else "",
        *(coordinate_line(axis) for chart in model.charts for axis in chart.axes),
        *stiff_lines(model),
        *element_lines(model),
        table_size(model).text(),
        f"largest table error at {c.points} fresh configurations: {accuracy(c)}",
        ", ".join(f"{counts[kind]} {kind}s" for kind in ("parameter", "input", "output")) + "; --variables lists them",
    ]
    first, *rest = [line for line in lines if line]
    return "\n  ".join([first, *rest])


@dataclass(frozen=True)
class Platforms:
    """What an FMU runs on."""

    native: bool  # it needs no Python
    platforms: tuple[str, ...]
    kernels: tuple[str, ...]  # of a Python FMU: where it is compiled
    front: bool  # it finds Python through PATH on Linux


def platforms_of(path: Path) -> Platforms:
    """By what is in its archive."""
    with opened(path) as archive:
        names = archive.namelist()
    platforms = sorted({name.split("/")[1] for name in names if name.startswith("binaries/") and name.count("/") == 2})
    kernels = sorted({name.split("/")[2] for name in names if name.startswith("resources/kinetab_kernel_")})
    native = "resources/slavemodule.txt" not in names
    return Platforms(native, tuple(platforms), tuple(kernels), "resources/pythonfmu.so" in names)


def runs_in(path: Path) -> str:
    """What runs it, and where."""
    of = platforms_of(path)
    if of.native:
        return f"native FMU for {', '.join(of.platforms)}; needs no Python"
    front = ", on Linux found through PATH" if of.front else ""
    how = f"compiled for {', '.join(of.kernels)}, elsewhere NumPy" if of.kernels else "runs in NumPy"
    return f"Python FMU for {', '.join(of.platforms)}; needs Python 3.11 or later{front}; {how}"


def integrator(model: ReducedModel) -> str:
    """How it steps."""
    return method(model) + ("" if model.stiff else swift(model))


def swift(model: ReducedModel) -> str:
    """What elements make of explicit steps, and whether they do so where the motion starts."""
    if not model.devices:
        return ""
    speed = device_speed(model)
    limit = SWINGS[model.method] / model.longest_step
    there = f"as at the start, by up to {speed:.4g} 1/s" if speed > limit else "not at the start"
    return f", linearly implicit of order 3 where elements are too fast for that, {there}"


def element_lines(model: ReducedModel) -> Iterator[str]:
    """States of elements and where they start, their unknowns and inputs."""
    for device in model.devices:
        for name in dict.fromkeys(formula.owner for formula in device.formulas):
            kinds = (("state", device.states), ("unknown", device.unknowns), ("input", device.inputs))
            told = []
            for noun, items in kinds:
                own = [item for item in items if item.name.startswith(f"{name}.")]
                starts = (f"{i.name.partition('.')[2]} = {i.start:.6g}" + f" {i.unit}" * (i.unit != "1") for i in own)
                told += [f"{noun}{'s' * (len(own) > 1)} {', '.join(starts)}"] if own else []
            yield f"element {name}: {'; '.join(told) or 'no states, no inputs'}"


def coordinate_line(axis: Axis) -> str:
    """A coordinate and its range."""
    lower, upper = (told(axis).text(end) for end in (axis.lower, axis.upper))
    beyond = "periodic" if axis.periodic else BEYOND[axis.outside]
    return f"coordinate {axis.name}: {lower} to {upper}, {beyond}"


def variable_lines(path: Path) -> Iterator[str]:
    """Name, causality, unit, start value and meaning of each variable."""
    table = read_description(path).modelVariables
    width = max(len(v.name) for v in table)
    for v in table:
        start = "" if v.start is None else f"{float(v.start):.6g}"
        yield f"{v.name:<{width}}  {v.causality:<9}  {v.unit or '':<10}  {start:>12}  {v.description or ''}".rstrip()
