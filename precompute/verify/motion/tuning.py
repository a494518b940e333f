"""The tunable parameters of an FMU set in the mechanism that it was baked from, so that the full model has them too."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from precompute.model.curve_keys import curve_keys
from precompute.model.mechanism import Bushing, Device, Mechanism
from precompute.running.simulation import SimulationError


def tuned(mechanism: Mechanism, values: Mapping[str, float]) -> Mechanism:
    """The mechanism with the FMU's tunable parameters at other values.

    Raises:
        SimulationError: a design parameter is changed, or bushings with the values set would give energy.
    """
    if changed := [name for name, value in values.items() if name.startswith("design.") and value]:
        raise SimulationError(
            f"{' and '.join(map(repr, changed))} cannot be set: an FMU holds its mechanism without the points of its "
            "file, so the full model cannot follow. Bake the file with the change in it and verify that FMU"
        )
    springs = {s.name: s for s in mechanism.springs}
    dampers = {d.name: d for d in mechanism.dampers}
    forces = {f.name: f for f in mechanism.forces}
    gravity = mechanism.gravity.copy()
    for name, value in values.items():
        kind, _, rest = name.partition(".")
        owner, _, field = rest.partition(".")
        if name.startswith("gravity["):
            gravity[int(name[8]) - 1] = value
        elif kind == "spring" and owner in springs:
            springs[owner] = with_parameter(springs[owner], field, value)
        elif kind == "damper" and owner in dampers:
            dampers[owner] = with_parameter(dampers[owner], field, value)
        elif kind == "force" and owner in forces:
            forces[owner] = with_parameter(forces[owner], field, value)
    return replace(
        mechanism,
        springs=tuple(springs.values()),
        dampers=tuple(dampers.values()),
        forces=tuple(forces.values()),
        bushings=tuple(tuned_bushing(b, own_values(b, values)) for b in mechanism.bushings),
        gravity=gravity,
        devices=tuple(tuned_device(device, values) for device in mechanism.devices),
    )


def tuned_device(device: Device, values: Mapping[str, float]) -> Device:
    """An element with formulas, its parameters at other values."""
    names = {p.name: f"element.{device.name}.{p.name}" for p in device.parameters}
    return replace(
        device, parameters=tuple(replace(p, value=values.get(names[p.name], p.value)) for p in device.parameters)
    )


def with_parameter(item: Any, field: str, value: float) -> Any:
    """An element, stop or table with one number changed: k, preload, free_length, at, c, bump_stop.k, table.f[2] ..."""
    head, _, rest = field.partition(".")
    if rest:
        return replace(item, **{head: with_parameter(getattr(item, head), rest, value)})
    if match := re.fullmatch(r"([xf])\[(\d+)\]", field):
        column = {"x": "x", "f": "force"}[match[1]]
        numbers = getattr(item, column).copy()
        numbers[int(match[2]) - 1] = value
        return replace(item, **{column: numbers})
    keys = {key.symbol: key.name for key in curve_keys(type(item))}
    return replace(item, **{keys.get(field, field): value})


def own_values(bushing: Bushing, values: Mapping[str, float]) -> dict[str, float]:
    """The values of a bushing's own parameters, by the end of their names: k[1], c12, preload[3], table[1].f[2]."""
    head = f"bushing.{bushing.name}."
    return {name.removeprefix(head): value for name, value in values.items() if name.startswith(head)}


def tuned_bushing(bushing: Bushing, values: Mapping[str, float]) -> Bushing:
    """A bushing with some numbers changed, all at once, since together they must take up energy."""
    K, C, preload = np.array(bushing.stiffness), np.array(bushing.damping), np.array(bushing.preload)
    tables = list(bushing.tables)
    for field, value in values.items():
        matrix = K if field[0] == "k" else C
        if match := re.fullmatch(r"[kc]\[(\d)\]", field):
            matrix[int(match[1]) - 1, int(match[1]) - 1] = value
        elif match := re.fullmatch(r"[kc](\d)(\d)", field):
            i, j = int(match[1]) - 1, int(match[2]) - 1
            matrix[i, j] = matrix[j, i] = value
        elif match := re.fullmatch(r"preload\[(\d)\]", field):
            preload[int(match[1]) - 1] = value
        elif match := re.fullmatch(r"table\[(\d)\]\.(.*)", field):
            tables[int(match[1]) - 1] = with_parameter(tables[int(match[1]) - 1], match[2], value)
    try:
        return replace(bushing, stiffness=K, damping=C, preload=preload, tables=tuple(tables))
    except ValueError as error:
        raise SimulationError(f"bushing '{bushing.name}' with the values set: {error}") from None
