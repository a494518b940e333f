"""What force laws are made of: an argument, the side of it that counts, and a curve over it.

    u = s - s_ref,  s_ref - s  or  sdot                      the argument                             (1)
    v = u  or  max(u, 0)                                     the side
    f = -c(v), or +c(v) where u falls as s grows             the curve c                              (2)

A positive force makes the measure s grow.  Laws of s have the potential V with f = -dV/ds; those of sdot have none:

    V = integral of c(v) from 0 to u                                                                  (3)
    df/ds  or  df/dsdot = -c'(u), zero where the side does not count                                  (4)

A law may be given by a preload p, the value of its curve where the mechanism is at design, instead of s_ref.  Then
s_ref is the value of s at design, u is counted from there, and c stands for

    c_p(v) = p + c(x + v) - c(x),   c(x) = p                                                          (5)

with x, of several, the one nearest zero; of a straight line any x will do, also where its slope is zero.  V is zero at
design, and the deflection of the curve, x + v, is zero at the free value of s, where v = -x.

The lists here are the only ones.  `laws` evaluates them, `build/law_files.py` writes the kernel's `laws_list.h` and
docs/force-laws.md from them, and the files of mechanisms name the curves.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from .units import effort_of, rate_of

CurveFunction = Callable[[Sequence[float], float], float]
"""Of the curve's parameters and v."""


@dataclass(frozen=True)
class Argument:
    """What a law is a function of."""

    name: str
    formula: str
    of: Callable[[float, float, float], float]  # s, sdot and s_ref -> u
    sign: float  # of the force, for a positive curve
    rate: bool = False  # of sdot, without a reference


@dataclass(frozen=True)
class Side:
    """Which u count."""

    name: str
    formula: str
    beyond: bool  # only positive ones


@dataclass(frozen=True)
class Curve:
    """A function of v.  Its parameters: single ones, then, if it is a table, x_1..x_n and f_1..f_n with ascending x."""

    name: str
    formula: str
    single: tuple[tuple[str, int], ...]  # symbol, and n of its unit: that of f over that of u to the n
    table: bool
    linear: bool  # a straight line: its laws are added up before a step
    value: CurveFunction
    integral: CurveFunction  # from 0 to v
    slope: CurveFunction
    inverse: CurveFunction | None = None  # of a force: the v nearest zero, nan if none; where preloads are possible


# --- tables -----------------------------------------------------------------------------------------------------------


def interpolate(x: Sequence[float], f: Sequence[float], u: float) -> float:
    """Piecewise linear table through (x, f) at u; the end slopes continue."""
    i = min(max(bisect_right(x, u) - 1, 0), len(x) - 2)
    return f[i] + (u - x[i]) * (f[i + 1] - f[i]) / (x[i + 1] - x[i])


def slope_at(x: Sequence[float], f: Sequence[float], u: float) -> float:
    """Slope of `interpolate`."""
    i = min(max(bisect_right(x, u) - 1, 0), len(x) - 2)
    return (f[i + 1] - f[i]) / (x[i + 1] - x[i])


def integral(x: Sequence[float], f: Sequence[float], u: float) -> float:
    """Integral of `interpolate` from 0 to u."""
    return _integral_from_start(x, f, u) - _integral_from_start(x, f, 0.0)


def _integral_from_start(x: Sequence[float], f: Sequence[float], u: float) -> float:
    """Integral of `interpolate` from x[0] to u."""
    i = min(max(bisect_right(x, u) - 1, 0), len(x) - 2)
    whole = sum(0.5 * (f[j] + f[j + 1]) * (x[j + 1] - x[j]) for j in range(i))
    return whole + 0.5 * (f[i] + interpolate(x, f, u)) * (u - x[i])


def deflection(x: Sequence[float], f: Sequence[float], force: float) -> float:
    """The u nearest zero where `interpolate` is a force; nan if it never is."""
    found, last = math.nan, len(x) - 2
    for i in range(last + 1):
        rise, low, high = f[i + 1] - f[i], -math.inf if i == 0 else x[i], math.inf if i == last else x[i + 1]
        if rise == 0.0:
            u = min(max(0.0, low), high) if force == f[i] else math.nan
        elif (i == 0 or (force - f[i]) * rise >= 0.0) and (i == last or (f[i + 1] - force) * rise >= 0.0):
            u = x[i] + (force - f[i]) / rise * (x[i + 1] - x[i])
        else:
            continue
        if math.isfinite(u) and not abs(u) >= abs(found):
            found = u
    return found


def _halves(p: Sequence[float]) -> tuple[Sequence[float], Sequence[float]]:
    """The x and f of a table."""
    return p[: len(p) // 2], p[len(p) // 2 :]


# --- the lists --------------------------------------------------------------------------------------------------------

ARGUMENTS = {
    argument.name: argument
    for argument in (
        Argument("extension", "s - s_ref", lambda s, _, reference: s - reference, -1.0),
        Argument("compression", "s_ref - s", lambda s, _, reference: reference - s, 1.0),
        Argument("rate", "ds/dt", lambda _, sdot, _reference: sdot, -1.0, rate=True),
    )
}

SIDES = {side.name: side for side in (Side("both", "u", False), Side("beyond", "max(u, 0)", True))}

CURVES = {
    curve.name: curve
    for curve in (
        Curve(
            "linear",
            "k v",
            single=(("k", 1),),
            table=False,
            linear=True,
            value=lambda p, v: p[0] * v,
            integral=lambda p, v: 0.5 * p[0] * v * v,  # products: a power of a huge float raises, these are infinite
            slope=lambda p, _: p[0],
            inverse=lambda p, force: force / p[0] if p[0] != 0.0 and math.isfinite(force / p[0]) else 0.0,
        ),
        Curve(
            "table",
            "piecewise linear through (x_i, f_i), the end slopes continue",
            single=(),
            table=True,
            linear=False,
            value=lambda p, v: interpolate(*_halves(p), v),
            integral=lambda p, v: integral(*_halves(p), v),
            slope=lambda p, v: slope_at(*_halves(p), v),
            inverse=lambda p, force: deflection(*_halves(p), force),
        ),
        Curve(
            "constant",
            "p",
            single=(("p", 0),),
            table=False,
            linear=True,
            value=lambda p, _: p[0],
            integral=lambda p, v: p[0] * v,
            slope=lambda _p, _v: 0.0,
        ),
    )
}


def argument_unit(measure: str, argument: str) -> str:
    """Unit of u, for a measure in m or rad."""
    return rate_of(measure) if ARGUMENTS[argument].rate else measure


def parameter_unit(measure: str, argument: str, power: int) -> str:
    """Unit of a single parameter of a curve: that of the force over that of u to a power."""
    effort, n = effort_of(measure), "" if power == 1 else str(power)
    if power == 0:
        return effort
    return f"{effort}.s{n}/{measure}{n}" if ARGUMENTS[argument].rate else f"{effort}/{measure}{n}"


def size_problem(curve: str, given: int) -> str | None:
    """What is wrong with a number of parameters, if anything."""
    single = len(CURVES[curve].single)
    if not CURVES[curve].table:
        return None if given == single else f"it needs {single}"
    good = (given - single) % 2 == 0 and given - single >= 4
    return None if good else f"it needs {single} and then as many x as f, at least 2 of each"
