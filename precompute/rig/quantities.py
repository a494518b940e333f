"""Inputs of the rig and gradients along them in units that people quote, and ranges as they are said.

travel [mm], roll [deg], steering [mm or deg], forces [kN], torque [N m]
"""

from __future__ import annotations

import math
from collections.abc import Mapping

from precompute.errors import PrecomputeError
from precompute.kc.display import Shown
from precompute.quantities import si
from precompute.rig.cases import Unit

DEG = 180.0 / math.pi

INPUTS: dict[Unit, Shown] = {
    "m": Shown("mm", 1e3),
    "rad": Shown("deg", DEG),
    "N": Shown("kN", 1e-3),
    "N.m": Shown("N m", 1.0),
}
"""How an input is shown."""

PER: dict[Unit, Shown] = {
    "m": Shown("mm", 1e-3),
    "rad": Shown("deg", 1.0 / DEG),
    "N": Shown("kN", 1e3),
    "N.m": Shown("(100 N m)", 100.0),
}
"""What a gradient is per: its name, and how much of it is one of SI."""


def gradient_shown(column: Shown, unit: Unit, travel: bool = False) -> Shown:
    """How the gradient of a column along an input is shown: angles along travel per metre, all else per millimetre."""
    if travel and column.unit in ("deg", "deg/m"):
        return Shown("deg/m" if column.unit == "deg" else "deg/m2", column.factor)
    if travel and column.unit == "mm/mm":
        return Shown("1/m", column.factor)
    per = PER[unit]
    return Shown(f"{column.unit}/{per.unit}", column.factor * per.factor)


Range = tuple[float, float]


def ranges_from(given: Mapping[str, float | tuple[float, float] | None]) -> dict[str, Range]:
    """Ranges as people give them: two ends, or one number for both.

    Raises:
        PrecomputeError: a range is empty, or no number.
    """
    found: dict[str, Range] = {}
    for name, value in given.items():
        if value is None:
            continue
        if isinstance(value, str):
            raise PrecomputeError(f"{name} is {value!r}; give one number, or two: from, to")
        try:
            low, high = (-abs(value), abs(value)) if isinstance(value, int | float) else (float(x) for x in value)
        except (TypeError, ValueError):
            raise PrecomputeError(f"{name} is {value!r}; give one number, or two: from, to") from None
        if not (math.isfinite(low) and math.isfinite(high)):
            raise PrecomputeError(f"{name} is {value!r}; its ends must be finite")
        if low >= high:
            raise PrecomputeError(f"{name} goes from {low:g} to {high:g}; the first must be less")
        found[name] = (low, high)
    return found


# -- inputs by name ---------------------------------------------------------------------------------------------------

BY_NAME: dict[str, tuple[str, float]] = {
    "travel": ("m", 1e3),
    "roll": ("rad", DEG),
    "steer": ("", 1.0),  # a travel or an angle
    "lateral": ("N", 1.0),
    "braking": ("N", 1.0),
    "traction": ("N", 1.0),
    "aligning": ("N.m", 1.0),
    "vertical": ("N", 1.0),
}
"""Name of a range -> unit of SI, and how much of what people write without a unit, mm, deg, N or N m, is one of it."""


def unit_of(name: str, turns: bool) -> tuple[str, float]:
    """Of `BY_NAME`, of a steering that turns or slides."""
    return BY_NAME[name] if name != "steer" else BY_NAME["roll" if turns else "travel"]


def parsed_input(name: str, word: str, turns: bool) -> float:
    """An input of the rig in mm, deg, N or N m, with its unit or without.

    Raises:
        PrecomputeError: it is no number, or its unit is not known or one of something else.
    """
    try:
        return float(word)
    except ValueError:
        unit, factor = unit_of(name, turns)
        return factor * si(word, unit)
