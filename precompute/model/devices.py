"""Elements that are described by formulas: measures, parameters, inputs, states, unknowns, forces, outputs.  SI units.

A formula is a text; `precompute.formulas` says what it may hold.  It reads, by name,

    s, s_rate       a measure that the element is connected to, and its rate
    p, i, x, u      parameters, inputs, states, unknowns
    N               loads of the mechanism
    y               outputs of its own
    OTHER.y         the same of another element, its outputs and all the rest
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from fmu_src.model.units import exponents
from precompute.arrays import Array, frozen_array
from precompute.formulas.interfaces import RATE
from precompute.formulas.syntax import FUNCTIONS
from precompute.measures.measure import Measure

LOAD = re.compile(r"joint\.(\w+)\.normal", re.ASCII)
"""Loads that formulas may read: normal forces of cams."""

MOST_MEASURES = 6
"""That one element is connected to."""

SYMBOL = re.compile(r"[A-Za-z_]\w*", re.ASCII)

RESERVED = frozenset({"pi", "force", *FUNCTIONS})
"""No symbols: a number, the forces among the FMU's variables, functions of formulas."""


def symbol_problem(symbol: str) -> str | None:
    """Why a name cannot be a symbol of formulas."""
    if not SYMBOL.fullmatch(symbol):
        return "formulas cannot read; use letters, digits and underscores, starting with a letter"
    return "has a meaning of its own in formulas or in FMUs; choose another" if symbol in RESERVED else None


def check_unit(name: str, unit: str) -> None:
    """Raises ValueError if a unit is none of SI: formulas are in SI, and so are the variables of an FMU."""
    if unit and exponents(unit) is None:
        raise ValueError(f"'{name}' has the unit '{unit}', which is none of SI; write for example N.s/m")


@dataclass(frozen=True)
class DeviceNumber:
    """A parameter or an input."""

    name: str
    value: float  # of an input its start
    unit: str = ""  # as `fmu_src.model.units` writes it; empty: not said
    minimum: float | None = None
    maximum: float | None = None
    text: str = ""

    def __post_init__(self) -> None:
        check_unit(self.name, self.unit)
        for bound in (self.value, self.minimum, self.maximum):
            if bound is not None and not math.isfinite(bound):
                raise ValueError(f"'{self.name}' is {bound}; it must be finite")
        if self.minimum is not None and self.maximum is not None and self.minimum > self.maximum:
            raise ValueError(f"'{self.name}' has its min {self.minimum:g} above its max {self.maximum:g}")
        if self.minimum is not None and self.value < self.minimum:
            raise ValueError(f"'{self.name}' is {self.value:g}, below its min {self.minimum:g}")
        if self.maximum is not None and self.value > self.maximum:
            raise ValueError(f"'{self.name}' is {self.value:g}, above its max {self.maximum:g}")


@dataclass(frozen=True)
class DeviceState:
    """A state and the formula of its rate."""

    name: str
    rate: str
    start: float = 0.0
    unit: str = ""
    text: str = ""

    def __post_init__(self) -> None:
        check_unit(self.name, self.unit)
        if not math.isfinite(self.start):
            raise ValueError(f"'{self.name}' starts at {self.start}; it must be finite")


@dataclass(frozen=True)
class DeviceUnknown:
    """An unknown: the value that makes a formula zero."""

    name: str
    residual: str
    start: float = 0.0  # where the search begins
    nominal: float = 1.0  # how large it usually is; far smaller steps of the search count as none
    unit: str = ""
    text: str = ""

    def __post_init__(self) -> None:
        check_unit(self.name, self.unit)
        if not math.isfinite(self.start):
            raise ValueError(f"'{self.name}' starts at {self.start}; it must be finite")
        if not 0.0 < self.nominal < math.inf:
            raise ValueError(f"'{self.name}' has the nominal value {self.nominal:g}; it must be positive")


@dataclass(frozen=True)
class DeviceLoad:
    """A load of the mechanism that formulas read: it grows with the forces that they give."""

    name: str
    load: str  # what the FMU calls it, e.g. "joint.cam.normal"
    unit: str = "N"

    def __post_init__(self) -> None:
        if LOAD.fullmatch(self.load) is None:
            raise ValueError(
                f"'{self.name}' is the load '{self.load}'; elements read normal forces of cams, for example "
                "joint.cam.normal"
            )

    @property
    def cam(self) -> str:
        """The joint that has it."""
        return self.load.split(".")[1]


@dataclass(frozen=True)
class DeviceOutput:
    """A formula with a name, which other formulas may read too."""

    name: str
    formula: str
    unit: str = ""
    text: str = ""

    def __post_init__(self) -> None:
        check_unit(self.name, self.unit)


@dataclass(frozen=True)
class DeviceForce:
    """A force on a measure, positive if it makes the measure grow."""

    on: str  # symbol of the measure
    formula: str


@dataclass(frozen=True, eq=False)
class DeviceTable:
    """A piecewise linear function, NAME(x) in formulas; its end slopes continue."""

    name: str
    x: Array  # (n,) ascending
    y: Array  # (n,)

    def __post_init__(self) -> None:
        object.__setattr__(self, "x", frozen_array(self.x))
        object.__setattr__(self, "y", frozen_array(self.y, self.x.shape, "y"))
        if self.x.ndim != 1 or self.x.size < 2:
            raise ValueError(f"table '{self.name}' needs at least two rows")
        if not (np.diff(self.x) > 0.0).all():
            raise ValueError(f"the first column of table '{self.name}' must ascend")


@dataclass(frozen=True, eq=False)
class Device:
    """An element."""

    name: str
    on: tuple[tuple[str, Measure], ...] = ()  # symbol and measure
    parameters: tuple[DeviceNumber, ...] = ()
    inputs: tuple[DeviceNumber, ...] = ()
    states: tuple[DeviceState, ...] = ()
    unknowns: tuple[DeviceUnknown, ...] = ()
    forces: tuple[DeviceForce, ...] = ()
    outputs: tuple[DeviceOutput, ...] = ()
    tables: tuple[DeviceTable, ...] = ()
    loads: tuple[DeviceLoad, ...] = ()

    def __post_init__(self) -> None:
        if len(self.on) > MOST_MEASURES:
            raise ValueError(f"is connected to {len(self.on)} measures; at most {MOST_MEASURES} are possible")
        if not (self.on or self.states or self.unknowns or self.outputs):
            raise ValueError("has neither measures nor states nor outputs: it does nothing")
        seen: set[str] = set()
        for symbol in self.symbols():
            if problem := symbol_problem(symbol):
                raise ValueError(f"has the symbol '{symbol}', which {problem}")
            if symbol in seen:
                raise ValueError(f"has two symbols '{symbol}'; rename one")
            seen.add(symbol)

    @property
    def pushed(self) -> tuple[Measure, ...]:
        """The measures that forces act on."""
        forces = {force.on for force in self.forces}
        return tuple(on for symbol, on in self.on if symbol in forces)

    def symbols(self) -> Iterator[str]:
        """All names that its formulas know."""
        for symbol, _ in self.on:
            yield symbol
            yield symbol + RATE
        for part in (self.parameters, self.inputs, self.states, self.unknowns, self.loads, self.outputs, self.tables):
            for item in part:
                yield item.name

    def formulas(self) -> Iterator[tuple[tuple[str, ...], str]]:
        """Where each formula is in the element's table of a file, and its text."""
        for state in self.states:
            yield ("states", state.name, "rate"), state.rate
        for unknown in self.unknowns:
            yield ("unknowns", unknown.name), unknown.residual
        for force in self.forces:
            yield ("forces", force.on), force.formula
        for output in self.outputs:
            yield ("outputs", output.name), output.formula
