"""Units at the FMI border: which exist, what they are in SI base units, and how tools may display them."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass

SYMBOLS: dict[str, dict[str, int]] = {
    "1": {},
    "m": {"m": 1},
    "kg": {"kg": 1},
    "s": {"s": 1},
    "rad": {"rad": 1},
    "N": {"kg": 1, "m": 1, "s": -2},
    "J": {"kg": 1, "m": 2, "s": -2},
    "W": {"kg": 1, "m": 2, "s": -3},
    "Pa": {"kg": 1, "m": -1, "s": -2},
    "Hz": {"s": -1},
    "A": {"A": 1},
    "V": {"kg": 1, "m": 2, "s": -3, "A": -1},
    "Ohm": {"kg": 1, "m": 2, "s": -3, "A": -2},
    "H": {"kg": 1, "m": 2, "s": -2, "A": -2},
    "K": {"K": 1},
}
"""Symbol -> exponents of the SI base units and rad."""


@dataclass(frozen=True)
class DisplayUnit:
    """How a tool or a message may show a unit: shown = factor * value."""

    name: str
    factor: float

    def text(self, value: float, digits: int = 6) -> str:
        """A value in SI, as a message names it: "350 mm"."""
        return f"{self.factor * value:.{digits}g}{self._behind}"

    def range(self, lower: float, upper: float, digits: int = 6) -> str:
        """The same of two ends: "[-30, 30] deg"."""
        return f"[{self.factor * lower:.{digits}g}, {self.factor * upper:.{digits}g}]{self._behind}"

    @property
    def _behind(self) -> str:
        return "" if self.name == "1" else f" {self.name}"


DISPLAY: dict[str, DisplayUnit] = {
    "rad": DisplayUnit("deg", 180.0 / math.pi),
    "rad/s": DisplayUnit("deg/s", 180.0 / math.pi),
    "m": DisplayUnit("mm", 1e3),
    "N/m": DisplayUnit("N/mm", 1e-3),
    "N.m/rad": DisplayUnit("N.m/deg", math.pi / 180.0),
}


NOMINAL = {
    "m": 0.1,
    "rad": 0.1,
    "m/s2": 10.0,
    "rad/s2": 10.0,
    "N": 1e3,
    "N.m": 1e2,
    "J": 1e2,
    "W": 1e2,
    "N/m": 1e5,
    "N.m/rad": 1e3,
    "N.s/m": 1e3,
    "N.m.s/rad": 10.0,
}
"""What is usual in mechanisms of the size of a vehicle's suspension; 1 for other units."""


@dataclass(frozen=True)
class Unit:
    """One unit as the model description defines it."""

    name: str
    exponents: dict[str, int] | None  # of the base units; None for a unit that is not known
    display: DisplayUnit | None


def unit(name: str) -> Unit:
    """The definition of a unit such as "N.m/rad"; one that cannot be read keeps its name and has no exponents."""
    return Unit(name, exponents(name), DISPLAY.get(name))


def exponents(name: str) -> dict[str, int] | None:
    """Exponents of the base units of a unit, None if it cannot be read; see `factors`."""
    parts = factors(name)
    if parts is None:
        return None
    total: dict[str, int] = {}
    for symbol, power, sign in parts:
        for base, own in SYMBOLS[symbol].items():
            total[base] = total.get(base, 0) + sign * own * power
    return {base: power for base, power in sorted(total.items()) if power}


def factors(name: str) -> list[tuple[str, int, int]] | None:
    """Symbol, power, and 1 above or -1 below the line, of each factor of a unit; None if it cannot be read.

    Factors are joined by ".", what follows the one "/" divides (in parentheses if it has several factors), and a
    number behind a symbol is its power: "m/s2", "N.m.s/rad", "J/(kg.m)".
    """
    above, _, below = name.partition("/")
    below = below.removeprefix("(").removesuffix(")")
    found = []
    for side, sign in ((above, 1), (below, -1)):
        for factor in side.split(".") if side else ():
            part = re.fullmatch(r"([A-Za-z]+|1)(-?\d+)?", factor)
            if part is None or part[1] not in SYMBOLS:
                return None
            found.append((part[1], int(part[2] or 1), sign))
    return found


def told_in(name: str, base: Mapping[str, DisplayUnit]) -> DisplayUnit:
    """A unit with symbols of it replaced: "N.m/rad" is "N mm/deg" with mm for m and deg for rad.

    One that cannot be read stays as it is.
    """
    parts = factors(name)
    if parts is None:
        return DisplayUnit(name, 1.0)
    factor, sides = 1.0, {1: "", -1: ""}
    for symbol, power, sign in parts:
        told = base.get(symbol, DisplayUnit(symbol, 1.0))
        factor *= told.factor ** (sign * power)
        sides[sign] += f" {told.name}{power if power != 1 else ''}"
    above, below = (side.strip() for side in sides.values())
    return DisplayUnit(above + (f"/({below})" if " " in below else f"/{below}" if below else ""), factor)


def rate_of(name: str) -> str:
    """Unit of the rate of a measure in m or rad."""
    return f"{name}/s"


def effort_of(name: str) -> str:
    """Unit of what works on a measure in m or rad: a force or a torque."""
    return "N.m" if name == "rad" else "N"
