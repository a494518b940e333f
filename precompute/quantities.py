"""Numbers with units, as users write them: "5deg", "12 mm", "100N/mm", "3000 rpm" -> SI.

A unit is a product of symbols, joined by ".", "*" or a space, each with a power behind it ("m/s2", "m/s^2"); all that
follows a "/" divides.  What it measures must be what the variable measures; an angle is a dimension of its own, so
N m/deg fits N.m/rad and N m does not.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator

from fmu_src.model.units import DISPLAY, SYMBOLS, exponents
from precompute.errors import PrecomputeError
from precompute.hints import nearest
from precompute.units import SCALES, Scale

UNITS: dict[str, tuple[Scale, str]] = {
    **{symbol: (Scale(), symbol) for symbol in SYMBOLS if symbol != "1"},
    **{unit: (scale, next(iter(scales))) for scales in SCALES.values() for unit, scale in scales.items()},
    "um": (Scale(1.0, 1e6), "m"),
    "cm": (Scale(1.0, 100.0), "m"),
    "km": (Scale(1000.0), "m"),
    "ft": (Scale(3048.0, 10000.0), "m"),
    "us": (Scale(1.0, 1e6), "s"),
    "ms": (Scale(1.0, 1000.0), "s"),
    "min": (Scale(60.0), "s"),
    "h": (Scale(3600.0), "s"),
    "mrad": (Scale(1.0, 1000.0), "rad"),
    "rev": (Scale(2.0 * math.pi), "rad"),
    "rpm": (Scale(math.pi, 30.0), "rad/s"),
    "kN": (Scale(1000.0), "N"),
    "MN": (Scale(1e6), "N"),
    "Nm": (Scale(), "N.m"),
    "Nmm": (Scale(1.0, 1000.0), "N.m"),
    "kNm": (Scale(1000.0), "N.m"),
    "Ns": (Scale(), "N.s"),
    "Nms": (Scale(), "N.m.s"),
    "kJ": (Scale(1000.0), "J"),
    "kW": (Scale(1000.0), "W"),
    "kPa": (Scale(1000.0), "Pa"),
    "MPa": (Scale(1e6), "Pa"),
    "bar": (Scale(1e5), "Pa"),
    "mA": (Scale(1.0, 1000.0), "A"),
    "mV": (Scale(1.0, 1000.0), "V"),
    "kV": (Scale(1000.0), "V"),
    "mOhm": (Scale(1.0, 1000.0), "Ohm"),
    "kOhm": (Scale(1000.0), "Ohm"),
    "uH": (Scale(1.0, 1e6), "H"),
    "mH": (Scale(1.0, 1000.0), "H"),
}
"""Symbol -> its scale, and the SI unit that it leads to."""

QUANTITIES = {
    "1": "a pure number",
    "m": "a length",
    "m/s": "a velocity",
    "m/s2": "an acceleration",
    "rad": "an angle",
    "rad/s": "an angular velocity",
    "rad/s2": "an angular acceleration",
    "s": "a time",
    "kg": "a mass",
    "N": "a force",
    "N.m": "a moment",
    "N/m": "a stiffness",
    "N.m/rad": "a stiffness against rotation",
    "N.s/m": "a damping",
    "N.m.s/rad": "a damping of rotation",
}
"""What the units of our FMUs measure, in words."""

NUMBER = re.compile(r"([+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)\s*(.*)")
FACTOR = re.compile(r"([A-Za-z]+)\^?(-?\d)?")


def si(word: str, unit: str) -> float:
    """A number, with a unit or without, in the unit of SI that is asked for; without a unit it is in that.

    Raises:
        PrecomputeError: it is no number, its unit is not known, or it measures something else.
    """
    number, own = split(word)
    return scale_to(own, unit)(number) if own else number


def split(word: str) -> tuple[float, str]:
    """A number and its unit, which is empty if it has none.

    Raises:
        PrecomputeError: it is no number.
    """
    text = word.strip()
    try:
        return float(text), ""
    except ValueError:
        found = NUMBER.fullmatch(text)
    if found is None:
        raise PrecomputeError(f"'{text}' is no number")
    if re.match(r",\d", found[2]):
        raise PrecomputeError(f"'{text}' has a decimal comma; write a point")
    return float(found[1]), found[2]


def scale_to(own: str, unit: str) -> Scale:
    """From a unit to the one of SI that is asked for.

    Raises:
        PrecomputeError: it is not known, or it measures something else.
    """
    scale, dimension = parsed(own)
    if dimension != exponents(unit):
        raise PrecomputeError(f"{own} is no unit of {wanted(unit)}{instead(dimension)}")
    return scale


def si_unit(unit: str) -> str:
    """The unit of SI for what a unit measures, as FMUs have it: "N/m" for "N/mm"; one of SI stays as it is.

    Raises:
        PrecomputeError: it is not known.
    """
    if exponents(unit) is not None:
        return unit
    sides: tuple[dict[str, int], dict[str, int]] = ({}, {})
    for factor, power in factors(unit):
        above, _, below = UNITS[factor][1].partition("/")
        for part, way in ((above, power), (below, -power)):
            for symbol in part.split(".") if part else ():
                side = sides[way < 0]
                side[symbol] = side.get(symbol, 0) + abs(way)
    above, below = (".".join(s if n == 1 else f"{s}{n}" for s, n in side.items()) for side in sides)
    return (above or "1") + (f"/({below})" if "." in below else f"/{below}" if below else "")


def parsed(unit: str) -> tuple[Scale, dict[str, int]]:
    """Scale to SI of a unit, and exponents of the base units."""
    scale, total = Scale(), dict[str, int]()
    for factor, power in factors(unit):
        own, base = UNITS[factor]
        for _ in range(abs(power)):
            scale = scale.times(own) if power > 0 else scale.per(own)
        for name, exponent in (exponents(base) or {}).items():
            total[name] = total.get(name, 0) + power * exponent
    return scale, {name: power for name, power in sorted(total.items()) if power}


def factors(unit: str) -> Iterator[tuple[str, int]]:
    """The symbols of a unit, each with its power."""
    above, *below = unit.replace("°", "deg").replace("µ", "u").split("/")
    for part, sign in ((above, 1), *((part, -1) for part in below)):
        for factor in re.split(r"[.*·\s]+", part.strip().removeprefix("(").removesuffix(")")):
            if factor == "1" and below and sign > 0:  # 1/s
                continue
            found = FACTOR.fullmatch(factor)
            if found is None or found[1] not in UNITS:
                raise PrecomputeError(f"there is no unit '{factor}' here; {nearest(factor, UNITS)}")
            yield found[1], sign * int(found[2] or 1)


def wanted(unit: str) -> str:
    """What a unit measures, with units that may be written for it."""
    shown = f" or {DISPLAY[unit].name}" if unit in DISPLAY else ""
    return f"{QUANTITIES[unit]} ({unit}{shown})" if unit in QUANTITIES else f"what is in {unit}"


def instead(dimension: dict[str, int]) -> str:
    """What a dimension is of, if there are words for it."""
    return next((f", but of {text}" for unit, text in QUANTITIES.items() if exponents(unit) == dimension), "")
