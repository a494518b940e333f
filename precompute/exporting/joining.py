"""Whether the FMUs of a system fit together: names, causality, type and unit of every connection, every start value."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from precompute.errors import MechanismError, PrecomputeError
from precompute.exporting.system import System, Value, split
from precompute.hints import nearest
from precompute.running.simulation import read_description

BASES = ("kg", "m", "s", "A", "K", "mol", "cd", "rad", "factor", "offset")
"""Attributes of a unit's definition, by FMI 2.0 and SSP 1.0 alike."""

TYPES = {"Real": (int, float), "Integer": (int,), "Boolean": (bool,), "String": (str,), "Enumeration": (str,)}
"""Of variables, and what their values are in a file."""

LARGEST = 1e300
"""Numbers are less."""


@dataclass(frozen=True)
class Connector:
    """A variable of an FMU that is connected or has a value."""

    name: str
    kind: str  # causality
    type: str
    unit: str | None


@dataclass(frozen=True)
class Joined:
    """A system that fits together."""

    system: System
    connectors: Mapping[str, tuple[Connector, ...]]  # by instance, of its connected variables
    values: Mapping[str, tuple[tuple[Connector, Value], ...]]  # by instance
    units: Mapping[str, Mapping[str, float]]  # of all of these: unit -> attributes of its definition
    compared: int  # connections whose ends both have a unit
    open: Mapping[str, tuple[str, ...]]  # by instance: inputs that are neither connected nor given


def joined(system: System) -> Joined:
    """Looks at the FMUs.

    Raises:
        MechanismError: with everything that does not fit.
    """
    problems: list[str] = []
    fmus = {name: fmu for name, path in system.fmus.items() if (fmu := _described(name, path, problems))}
    pairs = [(_end(a, "output", fmus, problems), _end(b, "input", fmus, problems)) for a, b in system.connections]
    for (a, b), (start, end) in zip(system.connections, pairs, strict=True):
        if start and end:
            problems += (
                f"'{a}' -> '{b}': {text}" for text in _misfits(start, end, fmus[split(a)[0]], fmus[split(b)[0]])
            )
    values: dict[str, list[tuple[Connector, Value]]] = {name: [] for name in system.fmus}
    for name, value in system.starts.items():
        if found := _started(name, value, fmus, problems):
            values[split(name)[0]].append((found, value))
    connectors: dict[str, dict[str, Connector]] = {name: {} for name in system.fmus}
    for names, ends in zip(system.connections, pairs, strict=True):
        for name, one in zip(names, ends, strict=True):
            if one:
                connectors[split(name)[0]][one.name] = one
    units = _units(fmus, connectors, values, problems)
    if problems:
        raise MechanismError(list(dict.fromkeys(problems)), f"the system '{system.name}'")
    return Joined(
        system,
        {name: tuple(found.values()) for name, found in connectors.items()},
        {name: tuple(found) for name, found in values.items()},
        units,
        sum(bool(a and b and a.unit and b.unit) for a, b in pairs),
        {name: left for name in fmus if (left := _open(fmus[name], connectors[name], values[name]))},
    )


@dataclass(frozen=True)
class _Fmu:
    """Of an FMU, what matters to others."""

    name: str
    variables: Mapping[str, Any]  # fmpy's, by name
    units: Mapping[str, Mapping[str, float]]

    def connector(self, name: str) -> Connector:
        variable = self.variables[name]
        unit = variable.unit or (variable.declaredType.unit if variable.declaredType else None)
        return Connector(name, variable.causality or "local", variable.type, unit)


def _described(name: str, path: Path, problems: list[str]) -> _Fmu | None:
    try:
        found = read_description(path)
    except PrecomputeError as error:
        problems.append(f"component '{name}': {error}")
        return None
    if found.fmiVersion != "2.0" or found.coSimulation is None:
        problems.append(f"component '{name}': '{path}' is no FMU for co-simulation by FMI 2.0")
        return None
    units = {u.name: {b: float(getattr(u.baseUnit, b)) for b in BASES} for u in found.unitDefinitions if u.baseUnit}
    return _Fmu(name, {v.name: v for v in found.modelVariables}, units)


def _variable(
    name: str, fits: Callable[[Any], bool], fmus: Mapping[str, _Fmu], problems: list[str]
) -> tuple[Any, Connector] | None:
    """A variable of an FMU; `fits` says which ones a name that is not there may stand for."""
    instance, own = split(name)
    if instance not in fmus:  # that is told
        return None
    fmu = fmus[instance]
    if own not in fmu.variables:
        others = [n for n, v in fmu.variables.items() if fits(v)]
        problems.append(f"'{name}': '{instance}' has no variable '{own}'; {nearest(own, others)}")
        return None
    return fmu.variables[own], fmu.connector(own)


def _end(name: str, wanted: str, fmus: Mapping[str, _Fmu], problems: list[str]) -> Connector | None:
    """One end of a connection."""
    if not (found := _variable(name, lambda v: v.causality == wanted, fmus, problems)):
        return None
    _, connector = found
    if connector.kind != wanted:
        hint = "; give it a value in [parameters]" if connector.kind == "parameter" else ""
        problems.append(
            f"'{name}' is a variable of the kind {connector.kind}; a connection needs an {wanted} there{hint}"
        )
        return None
    return connector


def _misfits(a: Connector, b: Connector, start: _Fmu, end: _Fmu) -> Iterator[str]:
    """Why two ends do not fit."""
    if a.type != b.type:
        yield f"the types are {a.type} and {b.type}"
    if not (a.unit and b.unit):
        return
    one, two = start.units.get(a.unit), end.units.get(b.unit)
    if one != two if one and two else a.unit != b.unit:
        yield f"the units are {a.unit} and {b.unit}; masters copy numbers as they are"


def _started(name: str, value: Value, fmus: Mapping[str, _Fmu], problems: list[str]) -> Connector | None:
    """A variable that gets a value."""
    if not (own := _variable(name, _settable, fmus, problems)):
        return None
    variable, found = own
    if not _settable(variable):
        problems.append(f"'{name}' is a variable of the kind {found.kind}, and its start cannot be set")
    elif not isinstance(value, TYPES.get(found.type, ())) or (isinstance(value, bool) and found.type != "Boolean"):
        problems.append(f"'{name}' is {value!r}; its type is {found.type}")
    elif found.type == "Enumeration" and value not in (items := [item.name for item in variable.declaredType.items]):
        problems.append(f"'{name}' is '{value}'; {nearest(str(value), items)}")
    elif found.type in ("Real", "Integer") and (why := _outside(value, variable)):
        problems.append(f"'{name}' is {value!r}; {why}")
    elif isinstance(value, str) and not value.isprintable():
        problems.append(f"'{name}' is {value!r}; what cannot be printed cannot be written")
    else:
        return found
    return None


def _outside(value: Any, variable: Any) -> str:
    """Why a number is none that the FMU takes."""
    if not abs(value) < LARGEST:
        return "a finite number is expected"
    if variable.type == "Integer" and abs(value) >= 2**31:
        return "whole numbers of FMI have 32 bits"
    if variable.min is not None and value < float(variable.min):
        return f"the least that the FMU takes is {variable.min}"
    if variable.max is not None and value > float(variable.max):
        return f"the most that the FMU takes is {variable.max}"
    return ""


def _settable(variable: Any) -> bool:
    """Before the initialization, by FMI 2.0."""
    exact = variable.initial is None and variable.causality == "parameter"  # the default of these
    by_start = exact or variable.causality == "input" or variable.initial in ("exact", "approx")
    return by_start and variable.variability != "constant"


def _units(
    fmus: Mapping[str, _Fmu],
    connectors: Mapping[str, Mapping[str, Connector]],
    values: Mapping[str, list[tuple[Connector, Value]]],
    problems: list[str],
) -> dict[str, Mapping[str, float]]:
    """Definitions of all units that are used; one that its FMU does not define is left out."""
    found: dict[str, tuple[str, Mapping[str, float]]] = {}
    for name, fmu in fmus.items():
        used = {c.unit for c in (*connectors[name].values(), *(c for c, _ in values[name]))}
        for unit in sorted(u for u in used if u in fmu.units and u):
            first, definition = found.setdefault(unit, (name, fmu.units[unit]))
            if definition != fmu.units[unit]:
                problems.append(f"the unit '{unit}' of '{first}' is another than that of '{name}'")
    return {unit: definition for unit, (_, definition) in found.items()}


def _open(fmu: _Fmu, connected: Mapping[str, Connector], values: list[tuple[Connector, Value]]) -> tuple[str, ...]:
    given = connected.keys() | {c.name for c, _ in values}
    return tuple(name for name, v in fmu.variables.items() if v.causality == "input" and name not in given)
