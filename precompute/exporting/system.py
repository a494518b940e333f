"""A system of FMUs as data, and the file that describes it.

name = "QuarterCar"                                                 optional, as the next two
stop_time = 2                                                       [s]
step_size = 0.001                                                   [s] of communication
connections = [
    ["tyre.F[1:3]", "suspension.wheel.left.F[1:3]"],                from outputs to inputs; all three at once
]

[components]                                                        FMUs, relative to this file
suspension = "Suspension.fmu"
tyre = "Tyre.fmu"

[parameters]                                                        and start values of inputs, in their units
"tyre.radius" = 0.31
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from precompute.errors import MechanismError
from precompute.hints import nearest
from precompute.mechanism_file.store import document_of, text_of

Value = Any
"""A number, true or false, or a text."""

KEYS = ("name", "stop_time", "step_size", "connections", "components", "parameters")

INSTANCE = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*")
"""What masters take as the name of an instance; a point ends it."""

SPAN = re.compile(r"(.*)\[(\d{1,6}):(\d{1,6})\]", re.S)
"""A vector's name, and its first and last component."""


@dataclass(frozen=True)
class System:
    """FMUs by instance name; connections and start values by `instance.variable`."""

    fmus: Mapping[str, Path]
    connections: tuple[tuple[str, str], ...]  # (output, input)
    starts: Mapping[str, Value]
    name: str = "System"
    stop_time: float = 1.0  # [s]
    step_size: float = 1e-3  # [s]

    def __post_init__(self) -> None:
        problems = []
        for name in (*(name for pair in self.connections for name in pair), *self.starts):
            instance, variable = split(name)
            if instance not in self.fmus:
                problems.append(f"'{name}' names no FMU of the system; {nearest(instance, self.fmus)}")
            elif not variable:
                problems.append(f"'{name}' names an FMU and none of its variables; write '{name}.VARIABLE'")
        inputs = [to for _, to in self.connections]
        problems += [f"connected twice: {name}" for name in dict.fromkeys(inputs) if inputs.count(name) > 1]
        if problems:
            raise MechanismError(list(dict.fromkeys(problems)), f"the system '{self.name}'")


def split(name: str) -> tuple[str, str]:
    """Instance and variable of `instance.variable`."""
    instance, _, variable = name.partition(".")
    return instance, variable


def read_system(path: Path) -> System:
    """The system that a file describes; its FMUs are not looked at.

    Raises:
        MechanismError: the file cannot be read, or with every problem in it.
    """
    document, _ = document_of(text_of(path), str(path))
    if "components" not in document and {"bodies", "joints"} & document.keys():
        raise MechanismError(
            ["is a mechanism file; bake it, and name its FMU in [components] of a file that describes a system"],
            str(path),
        )
    problems = [f"there is no key '{key}'; {nearest(key, KEYS)}" for key in document if key not in KEYS]
    fmus = {name: path.parent / file for name, file in _components(document, problems)}
    connections = tuple(pair for entry in _list(document, problems) for pair in _pairs(entry, problems))
    starts = dict[str, Value]()
    for name, value in _starts(_table(document, "parameters", problems), problems):
        if name in starts:
            problems.append(f"parameters: '{name}' is given twice")
        starts[name] = value
    name = document.get("name", path.stem)
    if not isinstance(name, str) or not name.strip() or not name.isprintable():
        problems.append(f"name: {name!r} is no name")
    times = {key: _time(document[key], key, problems) for key in ("stop_time", "step_size") if key in document}
    try:
        found = System(fmus, connections, starts, str(name), **times)
    except MechanismError as error:
        problems += error.problems
    if problems:
        raise MechanismError(problems, str(path))
    return found


def _table(document: Mapping[str, Any], key: str, problems: list[str]) -> Mapping[str, Any]:
    given = document.get(key, {})
    if not isinstance(given, dict):
        problems.append(f"{key}: is a table; write [{key}]")
        return {}
    return given


def _components(document: Mapping[str, Any], problems: list[str]) -> Iterator[tuple[str, str]]:
    given = _table(document, "components", problems)
    if not given and not problems:
        problems.append('[components] says which FMUs there are; write below it NAME = "FILE.fmu"')
    for name, file in given.items():
        if not INSTANCE.fullmatch(name):
            problems.append(f"components: {name!r} is no name; letters, digits, '_' and '-' make one")
        if not isinstance(file, str) or not file or "\0" in file:
            problems.append(f"components: {name!r} is {file!r}; the name of an FMU is expected")
        else:
            yield name, file


def _list(document: Mapping[str, Any], problems: list[str]) -> Sequence[Any]:
    given = document.get("connections", [])
    if not isinstance(given, list):
        problems.append('connections: is a list; write connections = [["a.output", "b.input"]]')
        return []
    return given


def _pairs(entry: Any, problems: list[str]) -> Iterator[tuple[str, str]]:
    """The connections that one entry stands for."""
    if not isinstance(entry, list) or len(entry) != 2 or not all(isinstance(name, str) for name in entry):
        problems.append(f'connections: {entry!r} is no pair; write ["a.output", "b.input"]')
        return
    ends = [components_of(name) for name in entry]
    if len(ends[0]) != len(ends[1]) or not ends[0]:
        problems.append(f"connections: '{entry[0]}' has {len(ends[0])} components, '{entry[1]}' {len(ends[1])}")
        return
    yield from zip(*ends, strict=True)


def components_of(name: str) -> list[str]:
    """`a.r[1:3]` is `a.r[1]`, `a.r[2]`, `a.r[3]`; any other name is itself."""
    if not (found := SPAN.fullmatch(name)):
        return [name]
    return [f"{found[1]}[{i}]" for i in range(int(found[2]), int(found[3]) + 1)]


def _starts(table: Mapping[str, Any], problems: list[str], prefix: str = "") -> Iterator[tuple[str, Value]]:
    """Values by name; tables in tables are names with points."""
    for key, value in table.items():
        name = f"{prefix}{key}"
        if isinstance(value, dict):
            yield from _starts(value, problems, f"{name}.")
            continue
        names, values = components_of(name), value if isinstance(value, list) else [value]
        if len(names) != len(values):
            problems.append(f"parameters: '{name}' has {len(names)} components and {len(values)} values")
        elif wrong := [x for x in values if not isinstance(x, (bool, int, float, str))]:
            problems.append(f"parameters: '{name}' is {wrong[0]!r}; a number, true, false or a text is expected")
        else:
            yield from zip(names, values, strict=True)


def _time(value: Any, key: str, problems: list[str]) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0.0 < value < 1e15:
        problems.append(f"{key}: is {value!r}; a positive number of seconds is expected")
        return 1.0
    return float(value)
