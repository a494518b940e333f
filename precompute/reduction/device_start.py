"""Whether the formulas of elements have values where the motion starts: asked by `check` and `bake` alike.

Measures and their rates are those of the start as the file has it, states, parameters and inputs have their start
values, loads are zero, and stiff directions are held.  Every formula that has no value there is told, with what it
read; those that read it are not.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from fmu_src.errors import StepError
from fmu_src.model.devices import Device
from fmu_src.model.programs import Entry, FormulaFailure, Op, run
from fmu_src.model.units import rate_of
from fmu_src.numpy_runtime.devices import slots_of
from precompute.arrays import Array
from precompute.coordinates.charts import Atlas
from precompute.errors import MechanismError
from precompute.formulas.linking import Link, path_of
from precompute.kinematics.assembly import Configuration
from precompute.kinematics.coefficients import solver, velocity_coefficients
from precompute.kinematics.continuation import follow
from precompute.model.devices import Device as FileDevice
from precompute.model.mechanism import Mechanism
from precompute.reduction.devices import device_links, devices
from precompute.reduction.elements import ParameterList

Values = Mapping[str, tuple[float, str]]
"""By symbol, with the name of its element: value and unit."""


def check_start(mechanism: Mechanism, atlas: Atlas, design: Configuration) -> None:
    """Raises MechanismError with every formula that has no value at the start."""
    if not mechanism.devices:
        return
    parameters = ParameterList()
    found = devices(mechanism, 0, parameters)
    s, sdot = measures_at_start(mechanism, atlas, design)
    problems = [
        problem
        for linked, device in zip(device_links(mechanism), found, strict=True)
        for problem in start_problems(mechanism, linked, device, [p.value for p in parameters.items], s, sdot)
    ]
    if problems:
        raise MechanismError(problems, f"mechanism '{mechanism.name}'")


def measures_at_start(mechanism: Mechanism, atlas: Atlas, design: Configuration) -> tuple[Array, Array]:
    """Measures of all devices (n,) and their rates; those of the design if the start is in another chart or too far."""
    piece = atlas.pieces[0]
    coordinates = piece.coordinates
    closure, q, z = coordinates.closure, design.q, coordinates.design
    rates = np.zeros(z.size)
    if len(atlas.pieces) == 1:
        for k, c in enumerate(coordinates.free):
            rates[k] = 0.0 if c.driven else c.start_rate
        start = np.array(z)
        start[: len(coordinates.free)] = [z[k] if c.start is None else c.start for k, c in enumerate(coordinates.free)]
        there = follow(closure, piece.centre.q[None], z[None], start[None])
        q = there.q[0] if there.reached[0] else q
    P = closure.poses(q)
    B = velocity_coefficients(closure, solver(closure, closure.matrix(P)))
    on = [measure for device in mechanism.devices for _, measure in device.on]
    s = np.array([float(measure.value(P)) for measure in on])
    return s, np.array([float(measure.row(P) @ B @ rates) for measure in on])


def start_problems(
    mechanism: Mechanism,
    linked: Link[FileDevice],
    device: Device,
    parameters: Sequence[float],
    s: Array,
    sdot: Array,
) -> Iterator[str]:
    """Formulas of a device that have no value, and unknowns that are not found.

    Args:
        mechanism: whose elements they are.
        linked: elements that read one another.
        device: the same of the run-time.
        parameters: of all devices.
        s: (n,) measures of all devices.
        sdot: (n,) their rates.
    """
    on = [c.element for c in device.connections]
    starts = [*(state.start for state in device.states), *(unknown.start for unknown in device.unknowns)]
    active = [*s[on].tolist(), *sdot[on].tolist(), *starts]
    given = [*(parameters[i] for i in device.parameters), *(i.start for i in device.inputs), *[0.0] * device.pressing]
    if device.unknowns:
        inner = replace(device, formulas=device.formulas[: device.inner])
        told = list(_without_value(mechanism, linked, inner, active, given))
        if not told:
            try:
                slots = slots_of(inner, active, given)
                active[device.u :] = [entry.value for entry in slots[device.u : device.active]]
            except StepError as error:
                kinds = [formula.key[1] for formula in linked.formulas]
                first = kinds.index("unknowns" if "unknowns" in kinds else "forces")
                told = [f"{_place(linked, first)}: at the start {str(error).partition(': ')[2]}"]
        yield from told
        if told:
            return
    yield from _without_value(mechanism, linked, device, active, given)


def _without_value(
    mechanism: Mechanism, linked: Link[FileDevice], device: Device, active: Sequence[float], given: Sequence[float]
) -> Iterator[str]:
    """Formulas that have no value, but for those that read such."""
    none = [0.0] * device.active
    slots: list[Entry | None] = [Entry(x, row) for x, row in zip(active, np.eye(device.active).tolist(), strict=True)]
    slots += [Entry(x, none) for x in given]
    words = slot_words(mechanism, linked)
    for number, formula in enumerate(device.formulas):
        read = [operand for op, operand in zip(formula.code[::2], formula.code[1::2], strict=True) if op == Op.SLOT]
        if any(slots[i] is None for i in read):
            slots.append(None)
            continue
        try:
            slots.append(run(formula.code, device.constants, device.tables, slots))  # type: ignore[arg-type]
        except FormulaFailure as failure:
            with_what = {words[i][0]: (slots[i].value, words[i][1]) for i in read}  # type: ignore[union-attr]
            yield (
                f"{_place(linked, number)}: {failure} at the start{told_values(formula.owner, with_what)}; give other "
                "values, or guard it with if(...)"
            )
            slots.append(None)


def _place(linked: Link[FileDevice], number: int) -> str:
    """Where a formula is in the file."""
    key = linked.formulas[number].key
    element = next(e for e in linked.elements if e.name == key[0])
    return ".".join(("elements", element.name, *path_of(element, key)))


def slot_words(mechanism: Mechanism, linked: Link[FileDevice]) -> list[tuple[str, str]]:
    """Name and unit of each slot of a device that may be read."""
    measures = [(f"{e.name}.{symbol}", on.unit(mechanism)) for e in linked.elements for symbol, on in e.on]
    words = [*measures, *((f"{name}_rate", rate_of(unit)) for name, unit in measures)]
    for part in ("states", "unknowns", "loads", "parameters", "inputs"):
        words += [(f"{e.name}.{item.name}", item.unit) for e in linked.elements for item in getattr(e, part)]
    words += [(load.name, load.unit) for e in linked.elements for load in e.loads for _ in range(1 + len(measures))]
    outputs = {(e.name, output.name): output.unit for e in linked.elements for output in e.outputs}
    return words + [
        (f"{key[0]}.{key[2]}", outputs.get((key[0], key[2]), "")) for key in (f.key for f in linked.formulas)
    ]


def told_values(owner: str, read: Values) -> str:
    """What a formula read, in words."""
    told = [
        f"{name.removeprefix(f'{owner}.')} = {value:.6g}" + f" {unit}" * (unit not in ("", "1"))
        for name, (value, unit) in read.items()
    ]
    if not told:
        return ""
    *others, last = told
    return f", with {', '.join(others)} and {last}" if others else f", with {last}"
