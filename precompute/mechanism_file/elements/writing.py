"""Devices -> entries of `[elements]` in SI; ready types are formulas by then."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from precompute.mechanism_file.schema.measure_words import numbers
from precompute.model.devices import Device, DeviceNumber, DeviceOutput, DeviceState, DeviceTable, DeviceUnknown
from precompute.model.mechanism import Measure


def element_table(device: Device, written: Callable[[Measure], Any]) -> dict[str, Any]:
    """The table of an element.

    Args:
        device: the element.
        written: how the file has a measure.
    """
    sections: dict[str, dict[str, Any]] = {
        "on": {symbol: written(on) for symbol, on in device.on},
        "parameters": {p.name: _number(p, "value") for p in device.parameters},
        "inputs": {i.name: _number(i, "start") for i in device.inputs},
        "states": {state.name: _state(state) for state in device.states},
        "unknowns": {unknown.name: _unknown(unknown) for unknown in device.unknowns},
        "loads": {load.name: load.load for load in device.loads},
        "forces": {force.on: force.formula for force in device.forces},
        "outputs": {output.name: _output(output) for output in device.outputs},
        "tables": {table.name: _table(table) for table in device.tables},
    }
    return {name: section for name, section in sections.items() if section}


def _number(item: DeviceNumber, key: str) -> Any:
    bounds = {"min": item.minimum, "max": item.maximum}
    more = {bound: _plain(value) for bound, value in bounds.items() if value is not None} | _told(item)
    return {key: _plain(item.value)} | more if more else _plain(item.value)


def _state(state: DeviceState) -> dict[str, Any]:
    start = {"start": _plain(state.start)} if state.start else {}
    return {"rate": state.rate} | start | _told(state)


def _unknown(unknown: DeviceUnknown) -> Any:
    start = {"start": _plain(unknown.start)} if unknown.start else {}
    nominal = {"nominal": _plain(unknown.nominal)} if unknown.nominal != DeviceUnknown.nominal else {}
    more = start | nominal | _told(unknown)
    return {"residual": unknown.residual} | more if more else unknown.residual


def _output(output: DeviceOutput) -> Any:
    more = _told(output)
    return {"formula": output.formula} | more if more else output.formula


def _told(item: DeviceNumber | DeviceState | DeviceUnknown | DeviceOutput) -> dict[str, str]:
    return {key: value for key, value in (("unit", item.unit), ("text", item.text)) if value}


def _table(table: DeviceTable) -> list[list[float]]:
    return [numbers(row) for row in zip(table.x.tolist(), table.y.tolist(), strict=True)]  # type: ignore[arg-type]


def _plain(value: float) -> float:
    return float(value) + 0.0  # minus zero becomes zero
