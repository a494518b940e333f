"""How far each variable may go from where it is."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from precompute.arrays import Array
from precompute.design import Variable
from precompute.errors import PrecomputeError
from precompute.quantities import parsed, split

USUAL = ("20mm", "5deg", "80%")
"""Where nobody says: lengths, angles, and shares of the present value of what is neither."""

SHARE = "%"


def ranges(variables: Sequence[Variable], within: Sequence[str] | str | None = None) -> Array:
    """(n,) how far variables may go to both sides [SI].

    Args:
        variables: n of them.
        within: amounts, "10mm", "2deg", "50%", "200 N/mm": each variable takes the first of its kind, shares of the
            present value are for all that is neither length nor angle; without one it takes that of `USUAL`.

    Raises:
        PrecomputeError: an amount is none, or of no variable; a variable has none.
    """
    words = [within] if isinstance(within, str) else list(within or ())
    given, usual = [_amount(word) for word in words], [_amount(word) for word in USUAL]
    out = [next((most for each in (*given, *usual) if (most := _range(v, *each))), 0.0) for v in variables]
    problems = [
        f"--within {word}: none of the variables is measured in that; they are in "
        f"{', '.join(dict.fromkeys(v.unit for v in variables))}"
        for word, amount in zip(words, given, strict=True)
        if not any(_range(v, *amount) for v in variables)
    ]
    problems += [
        f"'{v.name}' is 0 {v.unit}, of which there are no shares: say how far it may go, as in --within 1{v.unit}"
        for v, most in zip(variables, out, strict=True)
        if most == 0.0
    ]
    if problems:
        raise PrecomputeError("\n".join(problems))
    return np.array(out)


def _amount(word: str) -> tuple[float, str]:
    """Number and unit.

    Raises:
        PrecomputeError: it is no positive number with a unit.
    """
    try:
        number, unit = split(word)
        if not (unit and math.isfinite(number) and number > 0.0):
            raise PrecomputeError(f"'{word}' is no positive amount with a unit, such as 10mm, 2deg or 50%")
        if unit != SHARE:
            parsed(unit)
    except PrecomputeError as error:
        raise PrecomputeError(f"--within {word}: {error}") from None
    return number, unit


def _range(variable: Variable, number: float, unit: str) -> float | None:
    """How far a variable may go by an amount [SI]; None if that is of another kind, or nothing."""
    own, dimension = parsed(variable.unit)
    if unit == SHARE:
        return None if dimension in ({"m": 1}, {"rad": 1}) else abs(variable.value) * number / 100.0 or None
    scale, wanted = parsed(unit)
    return scale(number) if wanted == dimension else None
