"""Units of the mechanism file: the scales that lead from them to SI and radians, and back where a message has a number.

Time is always in seconds.  A quantity on a joint angle is "angular": its measure is an angle and its effort a torque.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TypeVar

from fmu_src.model.units import DisplayUnit
from precompute.arrays import Array

_Quantity = TypeVar("_Quantity", float, Array)


@dataclass(frozen=True)
class Scale:
    """A factor to SI as a fraction: 350 mm / 1000 is 0.35 m, while 350 * 0.001 is not quite."""

    up: float = 1.0
    down: float = 1.0

    def __call__(self, value: _Quantity) -> _Quantity:
        """A value of the file in SI."""
        return value * self.up / self.down

    def back(self, value: _Quantity) -> _Quantity:
        """A value in SI in units of the file."""
        return value * self.down / self.up

    def times(self, other: Scale) -> Scale:
        """Scale of a product."""
        return Scale(self.up * other.up, self.down * other.down)

    def per(self, other: Scale) -> Scale:
        """Scale of a quotient."""
        return Scale(self.up * other.down, self.down * other.up)


_POUND = 0.45359237  # [kg], exact by definition, as are the next two
_STANDARD_GRAVITY = 9.80665  # [m/s2]
_FOOT = 0.3048  # [m]

SCALES: dict[str, dict[str, Scale]] = {
    "length": {"m": Scale(), "mm": Scale(1.0, 1000.0), "in": Scale(254.0, 10000.0)},
    "mass": {"kg": Scale(), "lb": Scale(_POUND), "slug": Scale(_POUND * _STANDARD_GRAVITY, _FOOT)},
    "angle": {"rad": Scale(), "deg": Scale(math.pi, 180.0)},
    "force": {"N": Scale(), "lbf": Scale(_POUND * _STANDARD_GRAVITY)},
}
"""Quantity -> unit -> scale.  The first unit of each is the default."""


@dataclass(frozen=True)
class Units:
    """The units a file is written in."""

    length: str = "m"
    mass: str = "kg"
    angle: str = "rad"
    force: str = "N"

    def __post_init__(self) -> None:
        for quantity, scales in SCALES.items():
            if getattr(self, quantity) not in scales:
                raise ValueError(f"{quantity} is '{getattr(self, quantity)}'; choose one of {', '.join(scales)}")

    def scale(self, quantity: str) -> Scale:
        """Scale of a "length", "mass", "angle" or "force"."""
        return SCALES[quantity][getattr(self, quantity)]

    def measure(self, angular: bool = False) -> Scale:
        """Scale of a length, or of an angle; of their rates as well, since time is in seconds."""
        return self.scale("angle" if angular else "length")

    def effort(self, angular: bool = False) -> Scale:
        """Scale of a force, or of a torque (force * length)."""
        return self.scale("force").times(self.scale("length")) if angular else self.scale("force")

    def slope(self, angular: bool = False, power: int = 1) -> Scale:
        """Scale of effort / measure^power; of the first as a stiffness has it, and a damping as well."""
        scale = self.effort(angular)
        for _ in range(power):
            scale = scale.per(self.measure(angular))
        return scale

    def shown(self, value: float, quantity: str = "length", digits: int = 6) -> str:
        """A "length", "mass", "angle", "force" or "inertia" in SI, as a message names it: "350 mm"."""
        if quantity == "inertia":
            return f"{self.inertia().back(value):.{digits}g} {self.mass} {self.length}2"
        return f"{self.scale(quantity).back(value):.{digits}g} {getattr(self, quantity)}"

    def told(self, unit: str) -> DisplayUnit:
        """How messages of an FMU, or about one, name what it has in "m" or "rad"."""
        scale = self.measure(unit == "rad")
        return DisplayUnit(self.angle if unit == "rad" else self.length, scale.down / scale.up)

    def told_effort(self, unit: str) -> DisplayUnit:
        """The same of forces on it."""
        scale, angular = self.effort(unit == "rad"), unit == "rad"
        return DisplayUnit(f"{self.force} {self.length}" if angular else self.force, scale.down / scale.up)

    def shown_effort(self, value: float, angular: bool = False, digits: int = 6) -> str:
        """A force or torque in SI, as a message names it: "350 N mm"."""
        unit = f"{self.force} {self.length}" if angular else self.force
        return f"{self.effort(angular).back(value):.{digits}g} {unit}"

    def shown_stiffness(self, value: float, angular: bool = False) -> str:
        """A stiffness in SI, as a message names it: "180 N/mm"."""
        unit = f"{self.force} {self.length}/{self.angle}" if angular else f"{self.force}/{self.length}"
        return f"{self.slope(angular).back(value):.5g} {unit}"

    def inertia(self) -> Scale:
        """Scale of a moment of inertia (mass * length^2)."""
        return self.scale("mass").times(self.scale("length")).times(self.scale("length"))


USUAL = Units(length="mm", angle="deg")
"""What messages use where there is no file, or where an FMU does not tell the units of its file."""
