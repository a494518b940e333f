"""Checked entries of `[elements]` -> devices, in SI units and radians.

Each function raises `Faults` with the place inside the entry, or without any if it depends on a faulty object.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from precompute.device_types import TYPES, KeyFaults, TypeKey, expand, symbol_fault
from precompute.device_types.key_units import scale, written
from precompute.errors import PrecomputeError
from precompute.mechanism_file.geometry import Geometry, placed
from precompute.mechanism_file.measure_objects import BuiltParts, Forces, measured
from precompute.mechanism_file.schema import element_tables as t
from precompute.mechanism_file.schema.amounts import Amount, fitting, in_si
from precompute.mechanism_file.schema.checks import Faults, fault
from precompute.mechanism_file.schema.toml_text import Path
from precompute.mechanism_file.schema.type_tables import TypedEntry
from precompute.model.devices import (
    Device,
    DeviceForce,
    DeviceLoad,
    DeviceNumber,
    DeviceOutput,
    DeviceState,
    DeviceTable,
    DeviceUnknown,
)
from precompute.model.mechanism import Measure
from precompute.quantities import si_unit
from precompute.units import Units


class _Faulty:
    """Collects faults of the parts of an entry, so that all are told."""

    def __init__(self) -> None:
        self.items: list[tuple[Path, str]] = []
        self.depends = False  # on a faulty object

    @contextmanager
    def at(self, *place: str | int) -> Iterator[None]:
        """What goes wrong inside is a fault at `place`, and the rest goes on."""
        try:
            with placed(*place):
                yield
        except Faults as faults:
            self.items += faults.items
            self.depends |= not faults.items

    def tell(self) -> None:
        """Raise what was found, if anything."""
        if self.items or self.depends:
            raise Faults(*self.items)


def device(
    name: str, entry: t.ElementEntry | TypedEntry, geometry: Geometry, parts: BuiltParts, forces: Forces
) -> Device:
    """An element."""
    if isinstance(entry, TypedEntry):
        return _ready(name, entry, geometry, parts, forces)
    faulty = _Faulty()
    on = [(symbol, measure) for symbol, measure, _ in _measures(entry.on, faulty, geometry, parts, forces)]
    loads = [DeviceLoad(symbol, load) for symbol, load in entry.loads.items()]
    for load in loads:
        with faulty.at("loads", load.name):
            parts.cam(load.cam)
    faulty.tell()
    return Device(
        name,
        on=tuple(on),
        parameters=tuple(_number(symbol, own) for symbol, own in entry.parameters.items()),
        inputs=tuple(_number(symbol, own) for symbol, own in entry.inputs.items()),
        states=tuple(_state(symbol, own) for symbol, own in entry.states.items()),
        unknowns=tuple(_unknown(symbol, own) for symbol, own in entry.unknowns.items()),
        forces=tuple(DeviceForce(symbol, formula) for symbol, formula in entry.forces.items()),
        outputs=tuple(DeviceOutput(symbol, o.formula, o.unit, o.text) for symbol, o in entry.outputs.items()),
        tables=tuple(DeviceTable(symbol, *np.array(rows).T) for symbol, rows in entry.tables.items()),
        loads=tuple(loads),
    )


def _measures(
    on: t.On | None, faulty: _Faulty, geometry: Geometry, parts: BuiltParts, forces: Forces
) -> Iterator[tuple[str, Measure, bool]]:
    """Symbols, measures, and whether these are angles."""
    for symbol, of in on.measures.items() if on is not None else ():
        made = None
        with faulty.at("on", *() if on is None or on.alone else (symbol,)):
            made = measured(of, geometry, parts, forces)
        if made is not None:
            yield symbol, *made


# -- numbers ----------------------------------------------------------------------------------------------------------


def _number(symbol: str, entry: t.ParameterEntry | t.InputEntry) -> DeviceNumber:
    """A parameter or an input."""
    unit = entry.own_unit
    given = entry.value if isinstance(entry, t.ParameterEntry) else entry.start
    least, most = (None if bound is None else in_si(bound, unit) for bound in (entry.least, entry.most))
    return DeviceNumber(symbol, in_si(given, unit), si_unit(unit) if unit else "", least, most, entry.text)


def _state(symbol: str, entry: t.StateEntry) -> DeviceState:
    return DeviceState(symbol, entry.rate, in_si(entry.start, entry.unit), entry.unit, entry.text)


def _unknown(symbol: str, entry: t.UnknownEntry) -> DeviceUnknown:
    start, nominal = in_si(entry.start, entry.unit), in_si(entry.nominal, entry.unit)
    return DeviceUnknown(symbol, entry.residual, start, nominal, entry.unit, entry.text)


# -- ready types ------------------------------------------------------------------------------------------------------


def _ready(name: str, entry: TypedEntry, geometry: Geometry, parts: BuiltParts, forces: Forces) -> Device:
    """An element of a ready type, as formulas."""
    kind = TYPES[entry.type]  # type: ignore[attr-defined]
    if wrong := symbol_fault(kind, entry.on.measures):
        raise fault(wrong, "on")
    faulty = _Faulty()
    found = list(_measures(entry.on, faulty, geometry, parts, forces))
    faulty.tell()
    on, units = {symbol: own for symbol, own, _ in found}, {s: "rad" if angle else "m" for s, _, angle in found}
    unit = units[kind.symbols[0]]
    angular = unit == "rad"
    values = {}
    for key in kind.keys:
        if (given := getattr(entry, key.name)) is not None:
            with faulty.at(key.name):
                values[key.name] = _value(key, given, geometry.units, angular, unit)
    faulty.tell()
    try:
        return expand(kind.name, name, on, units, values)
    except KeyFaults as faults:
        raise Faults(*(((key,) if key else (), message) for key, message in faults.faults)) from None


def _value(key: TypeKey, given: Any, units: Units, angular: bool, unit: str) -> Any:
    """The value of a key in SI."""
    if key.columns:
        scales = [scale(column, units, angular) for column in key.columns]
        return [[own(number) for own, number in zip(scales, row, strict=True)] for row in given]
    if key.whole:
        return given.number
    to_si = scale(key.unit, units, angular)

    def one(amount: Amount) -> float:
        try:
            return (fitting(amount.unit, written(key.unit, unit)) if amount.unit else to_si)(amount.number)
        except PrecomputeError as error:
            raise fault(f"is '{amount}': {error}") from None

    return [one(amount) for amount in given] if key.many else one(given)
