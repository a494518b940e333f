"""Checked entries of `[elements]` -> devices, in SI units and radians.

Each function raises `Faults` with the place inside the entry, or without any if it depends on a faulty object.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, TypeVar

import numpy as np

from fmu_src.model.units import exponents
from precompute.device_types import TYPES, KeyFaults, TypeKey, expand
from precompute.device_types.key_units import scale, written
from precompute.errors import PrecomputeError
from precompute.mechanism_file.geometry import Geometry, placed
from precompute.mechanism_file.measure_objects import BuiltParts, Forces, measured
from precompute.mechanism_file.schema import element_tables as t
from precompute.mechanism_file.schema.amounts import Amount, parsed_scale
from precompute.mechanism_file.schema.checks import Faults, fault
from precompute.mechanism_file.schema.toml_text import Path
from precompute.model.devices import (
    RATE,
    Device,
    DeviceForce,
    DeviceNumber,
    DeviceOutput,
    DeviceState,
    DeviceTable,
    DeviceUnknown,
)
from precompute.model.mechanism import Measure
from precompute.quantities import scale_to, si_unit
from precompute.units import Scale, Units

_Made = TypeVar("_Made")


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
    name: str, entry: t.ElementEntry | t.TypedEntry, geometry: Geometry, parts: BuiltParts, forces: Forces
) -> Device:
    """An element."""
    if isinstance(entry, t.TypedEntry):
        return _ready(name, entry, geometry, parts, forces)
    faulty = _Faulty()
    on = [(symbol, measure) for symbol, measure, _ in _measures(entry.on, faulty, geometry, parts, forces)]
    parameters = _all(faulty, "parameters", entry.parameters, lambda symbol, own: _number(symbol, own, "value"))
    inputs = _all(faulty, "inputs", entry.inputs, lambda symbol, own: _number(symbol, own, "start"))
    states = _all(faulty, "states", entry.states, _state)
    unknowns = _all(faulty, "unknowns", entry.unknowns, _unknown)
    faulty.items += _twice(entry, [symbol for symbol, _ in on])
    faulty.tell()
    return Device(
        name,
        on=tuple(on),
        parameters=parameters,
        inputs=inputs,
        states=states,
        unknowns=unknowns,
        forces=tuple(DeviceForce(symbol, formula) for symbol, formula in entry.forces.items()),
        outputs=tuple(DeviceOutput(symbol, o.formula, o.unit, o.text) for symbol, o in entry.outputs.items()),
        tables=tuple(DeviceTable(symbol, *np.array(rows).T) for symbol, rows in entry.tables.items()),
    )


def _measures(
    on: t.On | None, faulty: _Faulty, geometry: Geometry, parts: BuiltParts, forces: Forces
) -> Iterator[tuple[str, Measure, bool]]:
    """Symbols, measures, and whether these are angles."""
    for symbol, of in on.measures.items() if on is not None else ():
        with faulty.at("on", *() if on is None or on.alone else (symbol,)):
            measure, angular = measured(of, geometry, parts, forces)
            yield symbol, measure, angular


def _all(
    faulty: _Faulty, section: str, entries: Mapping[str, Any], make: Callable[[str, Any], _Made]
) -> tuple[_Made, ...]:
    """The objects of a section that can be made."""
    made = []
    for symbol, entry in entries.items():
        with faulty.at(section, symbol):
            made.append(make(symbol, entry))
    return tuple(made)


def _twice(entry: t.ElementEntry, on: list[str]) -> Iterator[tuple[Path, str]]:
    """Symbols that stand for two things."""
    seen = {own: "a measure" if own == symbol else "the rate of a measure" for symbol in on for own in _own(symbol)}
    for section in ("parameters", "inputs", "states", "unknowns", "outputs", "tables"):
        noun = section.removesuffix("s")
        article = "an" if noun[0] in "aeiou" else "a"
        for symbol in getattr(entry, section):
            if symbol in seen:
                yield (section, symbol), f"this symbol is {seen[symbol]} already; rename one"
            seen.setdefault(symbol, f"{article} {noun}")


def _own(symbol: str) -> tuple[str, str]:
    return symbol, symbol + RATE


# -- numbers ----------------------------------------------------------------------------------------------------------


def _number(symbol: str, entry: t.ParameterEntry | t.InputEntry, key: str) -> DeviceNumber:
    """A parameter or an input: the numbers beside a unit are in it."""
    given: Amount = getattr(entry, key)
    unit = entry.unit or given.unit
    value, least, most = (
        _si(amount, unit, at) for at, amount in ((key, given), ("min", entry.least), ("max", entry.most))
    )
    assert value is not None
    for bound, word, beyond in ((least, "min", value < (least or 0.0)), (most, "max", value > (most or 0.0))):
        if bound is not None and beyond:
            limit = entry.least if word == "min" else entry.most
            assert limit is not None
            raise fault(f"is {_shown(given)}; its {word} is {_shown(limit)}", key)
    return DeviceNumber(symbol, value, si_unit(unit) if unit else "", least, most, entry.text)


def _state(symbol: str, entry: t.StateEntry) -> DeviceState:
    return DeviceState(symbol, entry.rate, _given(entry.start, entry.unit, "start"), entry.unit, entry.text)


def _unknown(symbol: str, entry: t.UnknownEntry) -> DeviceUnknown:
    nominal = _given(entry.nominal, entry.unit, "nominal")
    if nominal <= 0.0:
        raise fault(f"is {_shown(entry.nominal)}; it must be positive", "nominal")
    start = _given(entry.start, entry.unit, "start")
    return DeviceUnknown(symbol, entry.residual, start, nominal, entry.unit, entry.text)


def _given(amount: Amount, unit: str, key: str) -> float:
    """A number that is there."""
    if amount.unit and not unit:
        raise fault(f'is {_shown(amount)}, but the unit is not said: add unit = "{si_unit(amount.unit)}"', key)
    value = _si(amount, unit, key)
    assert value is not None
    return value


def _si(amount: Amount | None, unit: str, key: str) -> float | None:
    """A number in SI; it is in a unit unless it has one of its own, which must be of the same kind."""
    if amount is None:
        return None
    if not amount.unit:
        return (parsed_scale(unit) if unit else Scale())(amount.number)
    try:
        return _fitting(amount.unit, si_unit(unit))(amount.number)
    except PrecomputeError as error:
        raise fault(f"is {_shown(amount)}: {error}", key) from None


def _fitting(own: str, unit: str) -> Scale:
    """From a unit to one of SI that measures the same."""
    return parsed_scale(own) if exponents(own) == exponents(unit) is not None else scale_to(own, unit)


def _shown(amount: Amount) -> str:
    return f"{amount.number:g} {amount.unit}".rstrip()


# -- ready types ------------------------------------------------------------------------------------------------------


def _ready(name: str, entry: t.TypedEntry, geometry: Geometry, parts: BuiltParts, forces: Forces) -> Device:
    """An element of a ready type, as formulas."""
    kind = TYPES[entry.type]  # type: ignore[attr-defined]
    if list(entry.on.measures) != [t.ALONE]:
        raise fault(f"names {', '.join(entry.on.measures)}; '{kind.name}' has one measure, called {t.ALONE}", "on")
    faulty = _Faulty()
    found = list(_measures(entry.on, faulty, geometry, parts, forces))
    faulty.tell()
    ((_, on, angular),) = found
    unit = "rad" if angular else "m"
    values = {}
    for key in kind.keys:
        if (given := getattr(entry, key.name)) is not None:
            with faulty.at(key.name):
                values[key.name] = _value(key, given, geometry.units, angular, unit)
    faulty.tell()
    try:
        return expand(kind.name, name, on, unit, values)
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
            return (_fitting(amount.unit, written(key.unit, unit)) if amount.unit else to_si)(amount.number)
        except PrecomputeError as error:
            raise fault(f"is {_shown(amount)}: {error}") from None

    return [one(amount) for amount in given] if key.many else one(given)
