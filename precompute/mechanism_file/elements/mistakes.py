"""What is wrong with the formulas of all elements, each mistake with its place in the file.

Elements that could not be built are looked at too, as far as their tables tell which symbols they have: all mistakes
come at once.  Images of a mirror have the formulas of their originals, and are looked at if these are sound.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from precompute.formulas.interfaces import RATE
from precompute.formulas.linking import FormulaProblem, link
from precompute.mechanism_file.measure_objects import BuiltParts
from precompute.mechanism_file.schema.element_tables import ALONE, ElementEntry, is_measure
from precompute.mechanism_file.schema.toml_text import Path
from precompute.mechanism_file.telling import Column, Problem
from precompute.model.devices import Device
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


def _linked(elements: Sequence[Device | StandIn], aside: Collection[str], parts: BuiltParts) -> list[FormulaProblem]:
    return list(link(elements, lambda on: "" if on is UNKNOWN else on.unit(parts), aside)[1])


def _placed(problem: FormulaProblem, entries: Mapping[str, Any]) -> Problem:
    """A mistake with the place of its text in the document."""
    entry = entries.get(problem.element)
    place: Path = ("elements", problem.element, *formula_place(entry, problem.path))
    return ((*place, Column(problem.column)) if problem.column else place), problem.message


def formula_place(entry: Any, path: tuple[str, ...]) -> tuple[str, ...]:
    """Where the text of a formula is in the table of its element, which may have it long or short."""
    if len(path) < 2 or path[0] not in _TEXT_IN:
        return path
    section = entry.get(path[0]) if isinstance(entry, dict) else None
    written = section.get(path[1]) if isinstance(section, dict) else None
    return path[:2] if isinstance(written, str) else (*path[:2], _TEXT_IN[path[0]])


# -- elements that could not be built ---------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Item:
    """A parameter, input ... of which only the name is known; or a force on the measure of that name."""

    name: str
    text: str = ""  # the formula, if it has one
    unit: str = ""

    @property
    def on(self) -> str:
        return self.name


@dataclass(frozen=True)
class StandIn:
    """An element with the symbols and formulas of a faulty table."""

    name: str
    on: tuple[tuple[str, Measure], ...]
    parameters: tuple[_Item, ...]
    inputs: tuple[_Item, ...]
    states: tuple[_Item, ...]
    unknowns: tuple[_Item, ...]
    loads: tuple[_Item, ...]
    forces: tuple[_Item, ...]
    outputs: tuple[_Item, ...]
    tables: tuple[_Item, ...]

    def symbols(self) -> Iterator[str]:
        """All names that its formulas know, good or bad."""
        for symbol, _ in self.on:
            yield from (symbol, symbol + RATE)
        for part in (self.parameters, self.inputs, self.states, self.unknowns, self.loads, self.outputs, self.tables):
            yield from (item.name for item in part)

    def formulas(self) -> Iterator[tuple[tuple[str, ...], str]]:
        """Those that it has."""
        for section in (*_TEXT_IN, "forces"):
            rate = ("rate",) if section == "states" else ()
            for item in getattr(self, section):
                if item.text:
                    yield (section, item.name, *rate), item.text


def stand_in(name: str, entry: Any) -> StandIn | None:
    """What stands for a faulty element; None if its table does not tell all symbols."""
    if not isinstance(entry, dict) or "type" in entry or not {*entry} <= {*ElementEntry.keys()}:
        return None
    on = entry.get("on", {})
    tables = {section: entry.get(section, {}) for section in ElementEntry.keys() if section != "on"}
    if not all(isinstance(table, dict) for table in tables.values()):
        return None
    items = {
        section: tuple(
            _Item(str(symbol), _formula(written, _TEXT_IN.get(section, ""))) for symbol, written in table.items()
        )
        for section, table in tables.items()
    }
    return StandIn(name, tuple((symbol, UNKNOWN) for symbol in ([ALONE] if is_measure(on) else on)), **items)


def _formula(written: Any, key: str) -> str:
    """A formula, long or short; empty if there is none."""
    text = written.get(key) if isinstance(written, dict) else written
    return text if isinstance(text, str) else ""
