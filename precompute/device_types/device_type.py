"""What a ready type of elements is: its keys in the mechanism file, and how they become formulas."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from precompute.measures.measure import Measure
from precompute.model.devices import Device


@dataclass(frozen=True)
class TypeKey:
    """A key of the type in the file.

    In its unit "E" stands for the effort (N, or N.m on an angle) and "L" for the measure of `on` (m or rad), see
    `key_units`.  A key that gives a number becomes a parameter of the FMU of the same name, unless it ends in "_start":
    then it is the start value of the input that is named before that.
    """

    name: str  # e.g. "stiffness"
    unit: str  # SI unit of the FMU parameter
    text: str
    default: float | None = None  # SI; None: required
    minimum: float | None = None  # of each number
    positive: bool = False  # above zero
    many: bool = False  # a list of numbers: parameters rate_1, rate_2, ... of `rates`
    columns: tuple[str, ...] = ()  # rows of numbers with these units, in place of one number; "deg" is always deg
    optional: bool = False  # may be left out, though it has no default
    setting: bool = False  # no parameter of the FMU: it decides what is made
    whole: bool = False  # a whole number


On = tuple[tuple[str, Measure], ...]
"""Symbols and measures, as `Device.on` has them."""

Expand = Callable[[str, On, str, Mapping[str, Any]], Device]
"""Of an element's name, its measures, the unit "m" or "rad" of the first of them, and the values of all keys in SI, to
the element.  What is left out has its default, or None.  Raises `KeyFaults`."""


@dataclass(frozen=True)
class TypeMeasure:
    """A measure that elements of the type are connected to."""

    symbol: str  # in the file and in formulas
    unit: str = ""  # "m" or "rad", if it must have that
    text: str = ""


ALONE = (TypeMeasure("s"),)
"""One measure, whose symbol in formulas is "s"."""

LENGTH = (TypeMeasure("s", "m"),)
"""One that is no angle."""


@dataclass(frozen=True)
class DeviceType:
    """A ready type."""

    name: str
    text: str  # what it is, with its inputs and outputs
    diagram: str
    keys: tuple[TypeKey, ...]
    expand: Expand
    measures: tuple[TypeMeasure, ...] = ALONE

    @property
    def symbols(self) -> list[str]:
        """Of its measures."""
        return [measure.symbol for measure in self.measures]

    def key(self, name: str) -> TypeKey:
        """One of its keys."""
        return next(key for key in self.keys if key.name == name)


class KeyFaults(ValueError):
    """Values of keys that make no element.

    Attributes:
        faults: key, or empty for the whole element, and what is wrong; all of them.
    """

    def __init__(self, *faults: tuple[str, str]) -> None:
        super().__init__("; ".join(f"{key}: {message}" if key else message for key, message in faults))
        self.faults = faults
