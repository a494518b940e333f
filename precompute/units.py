"""Units of the mechanism file.  Everything behind the file is SI and radians; here are the factors that lead there.

    value in SI = value in the file * factor

Time is always in seconds.  A quantity on a joint angle is "angular": its measure is an angle and its effort a torque.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

_POUND = 0.45359237  # [kg], exact by definition
_STANDARD_GRAVITY = 9.80665  # [m/s2], exact by definition
_FOOT = 0.3048  # [m], exact by definition

FACTORS: dict[str, dict[str, float]] = {
    "length": {"m": 1.0, "mm": 1e-3, "in": _FOOT / 12.0},
    "mass": {"kg": 1.0, "lb": _POUND, "slug": _POUND * _STANDARD_GRAVITY / _FOOT},
    "angle": {"rad": 1.0, "deg": math.pi / 180.0},
    "force": {"N": 1.0, "lbf": _POUND * _STANDARD_GRAVITY},
}
"""Quantity -> unit -> factor to SI.  The first unit of each is the default."""


@dataclass(frozen=True)
class Units:
    """The units a file is written in."""

    length: str = "m"
    mass: str = "kg"
    angle: str = "rad"
    force: str = "N"

    def __post_init__(self) -> None:
        for quantity, factors in FACTORS.items():
            if getattr(self, quantity) not in factors:
                raise ValueError(f"{quantity} is '{getattr(self, quantity)}'; choose one of {', '.join(factors)}")

    def factor(self, quantity: str) -> float:
        """Factor to SI of "length", "mass", "angle" or "force"."""
        return FACTORS[quantity][getattr(self, quantity)]

    def measure(self, angular: bool = False) -> float:
        """Factor of a length, or of an angle; of their rates as well, since time is in seconds."""
        return self.factor("angle" if angular else "length")

    def effort(self, angular: bool = False) -> float:
        """Factor of a force, or of a torque (force * length)."""
        return self.factor("force") * (self.factor("length") if angular else 1.0)

    def slope(self, angular: bool = False) -> float:
        """Factor of effort / measure, as a stiffness has it; of a damping as well."""
        return self.effort(angular) / self.measure(angular)

    def inertia(self) -> float:
        """Factor of a moment of inertia (mass * length^2)."""
        return self.factor("mass") * self.factor("length") ** 2
