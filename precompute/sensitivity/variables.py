"""Which design variables are asked for, how far they are changed in a difference, and what derivatives are per."""

from __future__ import annotations

from collections.abc import Sequence
from fnmatch import fnmatchcase
from typing import Literal, NamedTuple

import numpy as np

from precompute.design import Design, Variable
from precompute.design.variables import hint
from precompute.errors import MechanismError, PrecomputeError
from precompute.units import Units

LENGTH_STEP, ANGLE_STEP, SHARE_STEP = 2e-4, 1e-3, 1e-3
"""Of differences: [m], [rad], and of the present value of what is neither length nor angle."""

Kind = Literal["point", "length", "angle", "other"]
"""Coordinates of hardpoints; other lengths; angles; all else."""


class Per(NamedTuple):
    """What derivatives by a variable are shown per."""

    unit: str
    amount: float  # [SI]


def kind_of(variable: Variable, units: Units) -> Kind:
    """What a variable is."""
    if variable.path[0] == "points":
        return "point"
    if variable.unit == units.length:
        return "length"
    return "angle" if variable.unit == units.angle else "other"


def per(variable: Variable, units: Units) -> Per:
    """A millimetre, a degree, or a percent of what is neither; a unit of the file, if that is zero now."""
    match kind_of(variable, units):
        case "point" | "length":
            return Per("mm", 1e-3)
        case "angle":
            return Per("deg", float(np.pi) / 180.0)
    if variable.value == 0.0:
        return Per(variable.unit, float(variable.scale(1.0)))
    return Per("%", 0.01 * abs(variable.value))


def difference_step(variable: Variable, units: Units) -> float:
    """How far it is changed [SI]."""
    match kind_of(variable, units):
        case "point" | "length":
            return LENGTH_STEP
        case "angle":
            return ANGLE_STEP
    return SHARE_STEP * (abs(variable.value) or float(variable.scale(1.0)))


def matching(design: Design, words: Sequence[str] | None) -> list[Variable]:
    """Variables by patterns (`point.*.z`) or beginnings (`point.outer`); all without any.

    Raises:
        PrecomputeError: there is no pattern, or one that fits none.
    """
    known = design.variables
    if words is None:
        return [*known.values()]
    words = [words] if isinstance(words, str) else words
    if not words:
        raise PrecomputeError("name at least one design variable, as point.outer.z")
    fits = {word: [name for name in known if _fits(name, word)] for word in words}
    if none := [word for word, found in fits.items() if not found]:
        text = [f"no design variable fits '{word}'; {hint(word, known)}" for word in none]
        raise MechanismError(text, f"mechanism '{design.mechanism.name}'")
    wanted = {name for found in fits.values() for name in found}
    return [variable for name, variable in known.items() if name in wanted]


def _fits(name: str, word: str) -> bool:
    return name == word or name.startswith(f"{word.rstrip('.')}.") or fnmatchcase(name, word)
