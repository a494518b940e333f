"""What `--set` says: parameters and constant inputs of an FMU, with units or in SI."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf
from pathlib import Path
from typing import Any

from fmu_src.model.units import DISPLAY, DisplayUnit
from precompute.errors import PrecomputeError
from precompute.quantities import si
from precompute.running.simulation import SimulationError, read_description, real_variables, unsettable


def settings(pairs: Sequence[str], fmu: Path) -> dict[str, float]:
    """NAME=VALUE pairs as numbers in SI.

    Raises:
        SimulationError: a name is not known, a value no number or out of bounds, or its unit not one of the variable.
    """
    description = read_description(fmu)
    known = real_variables(description, "parameter", "input")
    values = {}
    for pair in pairs:
        name, equals, value = (part.strip() for part in pair.partition("="))
        if not equals or not value:
            raise SimulationError(f"--set {pair}: write NAME=VALUE with a number, such as {example(known)}")
        if name not in known:
            raise SimulationError(f"--set: {unsettable(name, fmu.name, description)}")
        try:
            values[name] = bounded(si(value, known[name].unit or "1"), known[name])
        except PrecomputeError as error:
            raise SimulationError(f"--set {pair}: {error}") from None
    return values


def bounded(value: float, variable: Any) -> float:
    """The value, if the FMU will take it.

    Raises:
        SimulationError: it is outside the bounds of the variable, which are told in the unit that engineers use.
    """
    lower, upper = (default if x is None else float(x) for x, default in ((variable.min, -inf), (variable.max, inf)))
    if not lower <= value <= upper:
        unit = variable.unit or "1"
        shown = DISPLAY.get(unit) or DisplayUnit(unit, 1.0)
        raise SimulationError(f"{shown.text(value)} is outside {shown.range(lower, upper)}; set a value inside")
    return value


def example(known: dict[str, object]) -> str:
    """A setting that this FMU takes."""
    start = next((name for name in known if name.startswith("q_start.")), "q_start.NAME")
    return f"{start}=0.1"
