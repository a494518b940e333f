"""What `--set` says: parameters and constant inputs of an FMU, with units or in SI."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from precompute.errors import PrecomputeError
from precompute.verify.quantities import si
from precompute.verify.simulation import SimulationError, read_description, real_variables, unsettable


def settings(pairs: Sequence[str], fmu: Path) -> dict[str, float]:
    """NAME=VALUE pairs as numbers in SI.

    Raises:
        SimulationError: a name is not known, a value no number, or its unit not one of the variable.
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
            values[name] = si(value, known[name].unit or "1")
        except PrecomputeError as error:
            raise SimulationError(f"--set {pair}: {error}") from None
    return values


def example(known: dict[str, object]) -> str:
    """A setting that this FMU takes."""
    start = next((name for name in known if name.startswith("q_start.")), "q_start.NAME")
    return f"{start}=0.1"
