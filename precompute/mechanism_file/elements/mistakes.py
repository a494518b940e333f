"""What is wrong with the formulas of all elements, each mistake with its place in the file.

Elements that could not be built are looked at too, as far as their tables tell which symbols they have: all mistakes
come at once.  Images of a mirror have the formulas of their originals, and are looked at if these are sound.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np

from precompute.formulas.linking import FormulaProblem, link
from precompute.mechanism_file.measure_objects import BuiltParts
from precompute.mechanism_file.schema.element_tables import ALONE, ElementEntry, is_measure
from precompute.mechanism_file.schema.toml_text import Path
from precompute.mechanism_file.telling import Column, Problem
from precompute.model.devices import (
    Device,
    DeviceForce,
    DeviceNumber,
    DeviceOutput,
    DeviceState,
    DeviceTable,
    DeviceUnknown,
)
from precompute.model.mechanism import JointCoordinate, Measure

UNKNOWN: Measure = JointCoordinate("", 0)
"""Stands for a measure that could not be made."""

_TEXT_IN = {"states": "rate", "unknowns": "residual", "outputs": "formula"}
"""The key that has the formula, where it is not written short."""


def mistakes(entries: Any, built: Mapping[str, Device], images: Mapping[str, str], parts: BuiltParts) -> list[Problem]:
    """All of them.

    Args:
        entries: the section as the document has it, faulty elements too.
        built: the elements that could be built, with those that are mirror images.
        images: elements -> what their images are called.
        parts: what measures ask for their units.
    """
    entries = entries if isinstance(entries, dict) else {}
    made = (built.get(name) or stand_in(name, entry) for name, entry in entries.items())
    elements = [element for element in made if element is not None]
    known = {element.name for element in elements}
    aside = ({*entries} | {*images.values()} | {*built}) - known
    found = _linked(elements, aside, parts)
    if not found:  # that images are as sound as their originals is tried; none has a place of its own in the file
        originals = {image: name for name, image in images.items()}
        every = [*elements, *(device for name, device in built.items() if name not in known)]
        found = _linked(every, aside - {*built}, parts)
        found = [FormulaProblem(originals.get(p.element, p.element), p.path, p.column, p.message) for p in found]
    return [_placed(problem, entries) for problem in found]


def _linked(elements: Sequence[Device], aside: Collection[str], parts: BuiltParts) -> list[FormulaProblem]:
    return list(link(elements, lambda on: "" if on is UNKNOWN else on.unit(parts), aside)[1])


def _placed(problem: FormulaProblem, entries: Mapping[str, Any]) -> Problem:
    """A mistake with the place of its text in the document, which may be written long or short."""
    place: Path = ("elements", problem.element, *problem.path)
    written: Any = entries
    for key in place[1:]:
        written = written.get(key) if isinstance(written, dict) else None
    section = problem.path[0] if problem.path else ""
    if isinstance(written, dict) and section in _TEXT_IN and len(problem.path) == 2:
        place = (*place, _TEXT_IN[section])
    elif not isinstance(written, str) and len(problem.path) == 3:  # its short form has no such key
        place = place[:-1]
    return ((*place, Column(problem.column)) if problem.column else place), problem.message


# -- elements that could not be built ---------------------------------------------------------------------------------


def stand_in(name: str, entry: Any) -> Device | None:
    """An element with the symbols and formulas of a faulty table; None if the table does not tell all symbols."""
    if not isinstance(entry, dict) or "type" in entry or not {*entry} <= {*ElementEntry.keys()}:
        return None
    on = entry.get("on", {})
    symbols = [ALONE] if is_measure(on) else list(on)
    tables = {section: entry.get(section, {}) for section in ElementEntry.keys() if section != "on"}
    if not all(isinstance(table, dict) for table in tables.values()):
        return None
    formulas = {
        section: {s: _formula(own, _TEXT_IN[section]) for s, own in tables[section].items()} for section in _TEXT_IN
    }
    try:
        return Device(
            name,
            on=tuple((symbol, UNKNOWN) for symbol in symbols),
            parameters=tuple(DeviceNumber(symbol, 0.0) for symbol in tables["parameters"]),
            inputs=tuple(DeviceNumber(symbol, 0.0) for symbol in tables["inputs"]),
            states=tuple(DeviceState(symbol, text) for symbol, text in formulas["states"].items()),
            unknowns=tuple(DeviceUnknown(symbol, text) for symbol, text in formulas["unknowns"].items()),
            forces=tuple(DeviceForce(symbol, _formula(own, "")) for symbol, own in tables["forces"].items()),
            outputs=tuple(DeviceOutput(symbol, text) for symbol, text in formulas["outputs"].items()),
            tables=tuple(DeviceTable(symbol, np.arange(2.0), np.zeros(2)) for symbol in tables["tables"]),
        )
    except ValueError:  # its symbols are no names, or twice the same, which is reported
        return None


def _formula(written: Any, key: str) -> str:
    """A formula, long or short; one that is missing stands for a number."""
    text = written.get(key) if isinstance(written, dict) else written
    return text if isinstance(text, str) else "0"
