"""One FMI variable, and the names that several groups of variables share."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from ..model.reduced_model import Axis, ReducedModel
from ..model.units import DISPLAY, NOMINAL
from .source import Source

XYZ = ("x", "y", "z")


@dataclass(frozen=True)
class Variable:
    """One FMI variable of type Real."""

    name: str
    causality: Literal["parameter", "input", "output"]
    variability: Literal["fixed", "tunable", "discrete", "continuous"]
    initial: Literal["exact", "calculated"] | None  # None for inputs
    start: float | None  # None for outputs
    unit: str
    description: str
    minimum: float | None = None
    maximum: float | None = None
    nominal: float | None = None  # None: see `size`
    depends_on: tuple[str, ...] = ()  # outputs: inputs that act on it at once
    depends_initially_on: tuple[str, ...] | None = ()  # outputs: what fixes it at the start; None: everything
    source: Source | None = None  # outputs: where they come from

    @property
    def display_unit(self) -> str | None:
        """What a tool may show it in."""
        return DISPLAY[self.unit].name if self.unit in DISPLAY else None

    @property
    def size(self) -> float:
        """How large it is about: its own nominal value, or that of its start, or what is usual for its unit."""
        return self.nominal or abs(self.start or 0.0) or NOMINAL.get(self.unit, 1.0)


def span(axis: Axis) -> tuple[float | None, float | None, float]:
    """Minimum, maximum and nominal of a coordinate; only a table that must not be left bounds it."""
    if axis.periodic:
        return None, None, 1.0
    size = max(abs(axis.lower), abs(axis.upper))
    if axis.outside == "linear":
        return None, None, size
    return axis.lower, axis.upper, size


def parameter_names(model: ReducedModel, indices: Iterable[int]) -> tuple[str, ...]:
    """Names of parameters, each once, in order."""
    return tuple(model.parameters[i].name for i in dict.fromkeys(indices))
