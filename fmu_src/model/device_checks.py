"""What devices must satisfy before they may be written or run."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator

from .devices import MOST_ACTIVE, Device
from .programs import problem
from .reduced_model import ReducedModel


def device_problems(model: ReducedModel) -> Iterator[str]:
    """What is wrong with the devices of a model, in words."""
    taken: set[int] = set()
    for number, device in enumerate(model.devices):
        what = f"device {number + 1}"
        for c in device.connections:
            if not 0 <= c.element < len(model.elements) or model.elements[c.element].laws or c.element in taken:
                yield f"{what} is connected to number {c.element} of the elements, which is not there for it alone"
            taken.add(c.element)
        for i in device.parameters:
            if not 0 <= i < len(model.parameters):
                yield f"{what} reads number {i} of {len(model.parameters)} parameters"
        for own in device.loads:
            if not (0 <= own.load < len(model.loads) and 0 <= own.unknown < len(device.unknowns)):
                yield f"{what} reads load {own.load} of {len(model.loads)} as unknown {own.unknown}"
        if device.loads and (model.stiff or model.track is not None):
            yield f"{what} reads a load, which is not possible with stiff coordinates or a disc on the floor"
        yield from _formula_problems(what, device)
        yield from _number_problems(what, device)


def _formula_problems(what: str, device: Device) -> Iterator[str]:
    if device.active > MOST_ACTIVE:
        yield f"{what} has {device.active} slots that change over a step; {MOST_ACTIVE} are the most"
    count = len(device.formulas)
    if not 0 <= device.inner <= count:
        yield f"{what} has {device.inner} of {count} formulas that residuals need"
    for i, formula in enumerate(device.formulas):
        if text := problem(formula.code, len(device.constants), device.given + i, len(device.tables)):
            yield f"the formula of the {formula.what} of element '{formula.owner}' cannot be run: {text}"
    for name, i, most in (
        *((state.name, state.rate, count) for state in device.states),
        *((unknown.name, unknown.residual, device.inner) for unknown in device.unknowns),
        *((output.name, output.formula, count) for output in device.outputs),
        *((c.name, c.force, count) for c in device.connections if c.force != -1),
    ):
        if not 0 <= i < most:
            yield f"'{name}' of {what} has formula {i} of {most}"


def _number_problems(what: str, device: Device) -> Iterator[str]:
    for unknown in device.unknowns:
        if not 0.0 < unknown.nominal < math.inf:
            yield f"the nominal value of '{unknown.name}' is {unknown.nominal:.9g}; it must be positive"
    for table in device.tables:
        ascending = all(a < b for a, b in zip(table.x[:-1], table.x[1:], strict=True))
        if len(table.x) < 2 or len(table.x) != len(table.y) or not ascending:
            yield f"a table of {what} has not as many y as ascending x, two at least"
    numbers: Iterable[float | None] = (
        *(state.start for state in device.states),
        *(unknown.start for unknown in device.unknowns),
        *(number for given in device.inputs for number in (given.start, given.minimum, given.maximum)),
        *device.constants,
        *(number for table in device.tables for number in (*table.x, *table.y)),
    )
    if not all(math.isfinite(number) for number in numbers if number is not None):
        yield f"{what} has numbers that are not finite"
