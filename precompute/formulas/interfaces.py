"""What formulas ask of an element that they belong to; `model.devices.Device` has it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Protocol

from precompute.measures.measure import Measure

RATE = "_rate"
"""Behind the symbol of a measure: its rate."""


class Named(Protocol):
    """A table."""

    @property
    def name(self) -> str:
        """What formulas call it."""


class Symbol(Named, Protocol):
    """A parameter, an input, a state, an unknown, an output."""

    @property
    def unit(self) -> str:
        """As `fmu_src.model.units` writes it; empty if it is not said."""


class Pushing(Protocol):
    """A force."""

    @property
    def on(self) -> str:
        """Symbol of a measure."""


class Described(Protocol):
    """An element that formulas describe."""

    @property
    def name(self) -> str:
        """What others call it, and the file."""

    @property
    def on(self) -> Sequence[tuple[str, Measure]]:
        """Symbols and measures."""

    @property
    def parameters(self) -> Sequence[Symbol]:
        """Its parameters."""

    @property
    def inputs(self) -> Sequence[Symbol]:
        """Its inputs."""

    @property
    def states(self) -> Sequence[Symbol]:
        """Its states."""

    @property
    def unknowns(self) -> Sequence[Symbol]:
        """Its unknowns."""

    @property
    def loads(self) -> Sequence[Symbol]:
        """Loads of the mechanism that it reads."""

    @property
    def forces(self) -> Sequence[Pushing]:
        """Forces on its measures."""

    @property
    def outputs(self) -> Sequence[Symbol]:
        """Its outputs."""

    @property
    def tables(self) -> Sequence[Named]:
        """Its tables."""

    def symbols(self) -> Iterator[str]:
        """All names that its formulas know."""

    def formulas(self) -> Iterator[tuple[tuple[str, ...], str]]:
        """Where each formula is in the element's table of a file, and its text."""
