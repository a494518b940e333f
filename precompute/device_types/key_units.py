"""Units of keys: "E" stands for the effort and "L" for the measure, as in "E.s/L" of a damping."""

from __future__ import annotations

import re

from fmu_src.model.units import effort_of
from precompute.units import Scale, Units

_SYMBOL = re.compile(r"(?P<symbol>[A-Za-z]+)(?P<power>\d*)")


def written(unit: str, measure: str) -> str:
    """A unit as the FMU has it, for a measure in "m" or "rad": "E.s/L" is "N.s/m" or "N.m.s/rad"."""
    stands = {"E": effort_of(measure), "L": measure}
    return _SYMBOL.sub(lambda found: stands.get(found["symbol"], found["symbol"]) + found["power"], unit)


def scale(unit: str, units: Units, angular: bool) -> Scale:
    """From the units of a file to SI.  What is no length, angle, mass or force is in SI anyway.

    Args:
        unit: of the key.
        units: of the file.
        angular: whether the measure is an angle.
    """
    length, force = units.scale("length"), units.scale("force")
    stands = {
        "E": units.effort(angular),
        "L": units.measure(angular),
        "m": length,
        "kg": units.scale("mass"),
        "N": force,
        "Pa": force.per(length).per(length),
    }
    found = Scale()
    above, _, below = unit.partition("/")
    for part, divides in ((above, False), (below, True)):
        for symbol, power in _SYMBOL.findall(part):
            for _ in range(int(power or 1) if symbol in stands else 0):
                found = found.per(stands[symbol]) if divides else found.times(stands[symbol])
    return found
