"""Ready types -> elements: the values of keys are checked, and parameters made of them."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from numbers import Real
from typing import Any

import numpy as np

from precompute.device_types.device_type import DeviceType, KeyFaults, TypeKey
from precompute.device_types.key_units import written
from precompute.hints import nearest
from precompute.measures.measure import Measure
from precompute.model.devices import Device, DeviceNumber

S = "s"
"""Symbol of the measure in the formulas of ready types."""

START = "_start"
"""Behind the name of an input: the key of its start value."""


def expanded(
    kind: DeviceType, name: str, on: Mapping[str, Measure], units: Mapping[str, str], values: Mapping[str, Any]
) -> Device:
    """The element.

    Args:
        kind: its type.
        name: its name.
        on: its measures by their symbols.
        units: "m" or "rad", of each.
        values: in SI, of the keys that are given.

    Raises:
        KeyFaults: with all that is wrong with the values.
    """
    faults = list(_faults(kind, units, values))
    if faults:
        raise KeyFaults(*faults)
    ordered = tuple((symbol, on[symbol]) for symbol in kind.symbols)
    return kind.expand(
        name, ordered, units[kind.symbols[0]], {key.name: values.get(key.name, key.default) for key in kind.keys}
    )


def symbol_fault(kind: DeviceType, symbols: Collection[str]) -> str:
    """What is wrong with the symbols of `on`; empty if they are those of the type."""
    if {*symbols} == {*kind.symbols}:
        return ""
    if len(kind.symbols) == 1:
        return f"names {', '.join(symbols)}; '{kind.name}' has one measure, called {kind.symbols[0]}"
    wanted = ", ".join(f"{measure.symbol} ({measure.text})" for measure in kind.measures)
    given = "is one measure" if {*symbols} == {S} else f"names {', '.join(symbols) or 'nothing'}"
    return f"{given}; '{kind.name}' has {len(kind.symbols)}: {wanted}"


def _faults(kind: DeviceType, units: Mapping[str, str], values: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    if fault := symbol_fault(kind, units):
        yield "on", fault
    for measure in kind.measures:
        unit = units.get(measure.symbol, measure.unit)
        if measure.unit and unit != measure.unit:
            given, wanted = ("an angle", "lengths") if unit == "rad" else ("a length", "angles")
            alone = len(kind.measures) == 1
            fault = f"is {given}" if alone else f"{measure.symbol} is {given}"
            yield "on", f"{fault}; '{kind.name}' acts on {wanted}{'' if alone else ' there'}"
    known = [key.name for key in kind.keys]
    for name in values:
        if name not in known:
            yield name, f"'{kind.name}' has no such key; {nearest(name, known)}"
    for key in kind.keys:
        value = values.get(key.name)
        if value is not None:
            yield from ((key.name, fault) for fault in _wrong(key, value))
        elif key.default is None and not key.optional:
            yield key.name, f"is missing; '{kind.name}' needs it: {key.text}"


def _wrong(key: TypeKey, value: Any) -> Iterator[str]:
    """What is wrong with the value of a key."""
    if key.columns:
        rows = np.array(value, dtype=float) if _even(value, len(key.columns)) else None
        if rows is None or not np.isfinite(rows).all():
            yield f"must be rows of {len(key.columns)} finite numbers each"
        return
    if key.many and (not isinstance(value, Sequence) or isinstance(value, str) or not value):
        yield "must be a list of numbers"
        return
    for number in value if key.many else (value,):
        if not isinstance(number, int | float) or isinstance(number, bool) or not math.isfinite(number):
            yield f"is {number!r}; it must be a finite number"
        elif key.positive and number <= 0.0:
            yield f"is {number:g}; it must be positive"
        elif key.minimum is not None and number < key.minimum:
            yield f"is {number:g}; it must be {key.minimum:g} at least"
        elif key.whole and number != int(number):
            yield f"is {number:g}; it must be a whole number"


def _even(value: Any, width: int) -> bool:
    """Whether it is rows of so many numbers."""
    if not isinstance(value, Sequence | np.ndarray) or isinstance(value, str) or not len(value):
        return False
    return all(
        isinstance(row, Sequence | np.ndarray)
        and len(row) == width
        and all(isinstance(number, Real) and not isinstance(number, bool) for number in row)
        for row in value
    )


# -- for the types ----------------------------------------------------------------------------------------------------


def parameters(keys: Sequence[TypeKey], values: Mapping[str, Any], unit: str) -> tuple[DeviceNumber, ...]:
    """Parameters of the FMU: of all keys that give numbers, as far as these are there."""
    return tuple(
        DeviceNumber(name, float(number), written(key.unit, unit), 0.0 if key.positive else key.minimum, None, key.text)
        for key in keys
        if not (key.columns or key.setting or key.name.endswith(START)) and values[key.name] is not None
        for name, number in _named(key, values[key.name])
    )


def _named(key: TypeKey, value: Any) -> list[tuple[str, float]]:
    """Of many, in the singular: the first of `rates` is rate_1."""
    one = key.name.removesuffix("s")
    return [(f"{one}_{k}", number) for k, number in enumerate(value, 1)] if key.many else [(key.name, value)]


def started(key: TypeKey, values: Mapping[str, Any], unit: str) -> tuple[DeviceNumber, ...]:
    """The input whose start value a key gives, if it does."""
    value = values[key.name]
    if value is None:
        return ()
    name = key.name.removesuffix(START)
    return (DeviceNumber(name, float(value), written(key.unit, unit), key.minimum, None, key.text),)
