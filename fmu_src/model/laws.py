"""Force laws of springs, stops, dampers and bushings, with their potentials and slopes.

A positive force makes its measure s grow.  The potential V of a law satisfies f = -dV/ds exactly; dampers have none.
Tables are piecewise linear, the end slopes continue.  The laws are those listed at `reduced_model.LawKind`.  Couplings
add the off-diagonal entries of a bushing's stiffness and damping; their potential is k s_a s_b.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from ..errors import StepError
from .reduced_model import Element, Law, ReducedModel

LawFunction = Callable[[Sequence[float], float, float], float]

LEADING = {"spring_table": 1, "stop_below_table": 1, "stop_above_table": 1, "linear_table": 0, "damper_table": 0}
"""How many parameters precede x_1..x_n, f_1..f_n in the laws that have a table."""

LINEAR_KINDS = frozenset({"spring", "linear", "constant", "damper"})

INDEFINITE = 1e-9
"""Of the largest entry: eigenvalues of a bushing may be negative by this much, from rounding."""

PLAIN = {"spring": 2, "stop_below": 2, "stop_above": 2, "linear": 1, "constant": 1, "damper": 1}
"""How many parameters the laws without a table have."""


def element_force(element: Element, parameters: Sequence[float], s: float, sdot: float) -> tuple[float, float]:
    """Force and potential of a spring or damper with its stops.

    Args:
        element: the laws.
        parameters: values of all parameters of the model; tables ascending (see `check_laws`).
        s: the measure [m or rad].
        sdot: its rate.

    Returns:
        Force [N or N.m], positive if it makes s grow, and potential [J].
    """
    force = potential = 0.0
    for law in element.laws:
        own = [parameters[i] for i in law.parameters]
        force += FORCES[law.kind](own, s, sdot)
        if law.kind in POTENTIALS:
            potential += POTENTIALS[law.kind](own, s, sdot)
    return force, potential


def force_only(element: Element, parameters: Sequence[float], s: float, sdot: float) -> float:
    """The force of `element_force`, without the work of the potential."""
    force = 0.0
    for law in element.laws:
        force += FORCES[law.kind]([parameters[i] for i in law.parameters], s, sdot)
    return force


def forces(model: ReducedModel, parameters: Sequence[float], s: Sequence[float], sdot: Sequence[float]) -> list[float]:
    """Forces (ne) of all elements [N or N.m], couplings included, at their measures and rates (ne)."""
    found = [force_only(element, parameters, s[i], sdot[i]) for i, element in enumerate(model.elements)]
    for pair in model.couplings:
        k, c = parameters[pair.stiffness], parameters[pair.damping]
        found[pair.a] -= k * s[pair.b] + c * sdot[pair.b]
        found[pair.b] -= k * s[pair.a] + c * sdot[pair.a]
    return found


def potential(model: ReducedModel, parameters: Sequence[float], s: Sequence[float]) -> float:
    """Potential [J] of all elements and couplings at their measures (ne)."""
    total = sum(element_force(element, parameters, s[i], 0.0)[1] for i, element in enumerate(model.elements))
    return total + sum(parameters[pair.stiffness] * s[pair.a] * s[pair.b] for pair in model.couplings)


def element_slopes(element: Element, parameters: Sequence[float], s: float, sdot: float) -> tuple[float, float]:
    """df/ds and df/dsdot of the force of `element_force`; of one side, where a law has a corner."""
    along = rate = 0.0
    for law in element.laws:
        own = [parameters[i] for i in law.parameters]
        if law.kind in SLOPES:
            along += SLOPES[law.kind](own, s, sdot)
        elif law.kind in RATE_SLOPES:
            rate += RATE_SLOPES[law.kind](own, s, sdot)
    return along, rate


def bent_slopes(
    model: ReducedModel, parameters: Sequence[float], s: Sequence[float], sdot: Sequence[float]
) -> list[tuple[float, float]]:
    """Slopes over s and sdot of each law that is not linear."""
    return [
        element_slopes(replace(element, laws=(law,)), parameters, s[i], sdot[i])
        for i, element in enumerate(model.elements)
        for law in element.laws
        if law.kind not in LINEAR_KINDS
    ]


def check_laws(model: ReducedModel, parameters: Sequence[float]) -> None:
    """Refuse parameter values that no law can use.

    Args:
        model: the model, for the names.
        parameters: values of all its parameters.

    Raises:
        StepError: a parameter is not finite, the x of a table do not ascend, or a bushing would give energy away.
    """
    for parameter, value in zip(model.parameters, parameters, strict=True):
        if not math.isfinite(value):
            raise StepError(f"parameter '{parameter.name}' is {value}; set a finite number")
    for element in model.elements:
        for law in element.laws:
            for a, b in zip(table_x(law)[:-1], table_x(law)[1:], strict=True):
                if not parameters[a] < parameters[b]:
                    raise StepError(
                        f"parameter '{model.parameters[b].name}' = {parameters[b]:.9g} must be above "
                        f"'{model.parameters[a].name}' = {parameters[a]:.9g}: the x values of the table of "
                        f"'{element.name}' must ascend; set them together, before the step"
                    )
    for name in {model.elements[c.a].name for c in model.couplings}:
        _check_bushing(model, parameters, name)


def _check_bushing(model: ReducedModel, parameters: Sequence[float], name: str) -> None:
    """The stiffness and the damping of a bushing with couplings must be positive semidefinite."""
    numbers = [i for i, element in enumerate(model.elements) if element.name == name and element.direction]
    for kind, what in (("linear", "stiffness"), ("damper", "damping")):
        matrix = np.zeros((len(numbers), len(numbers)))
        for k, i in enumerate(numbers):
            matrix[k, k] = sum(parameters[law.parameters[0]] for law in model.elements[i].laws if law.kind == kind)
        for c in (c for c in model.couplings if c.a in numbers and c.b in numbers):
            a, b = numbers.index(c.a), numbers.index(c.b)
            matrix[a, b] = matrix[b, a] = parameters[c.stiffness if what == "stiffness" else c.damping]
        values = np.linalg.eigvalsh(matrix)
        if values[0] < -INDEFINITE * np.abs(matrix).max():
            raise StepError(
                f"the {what} of '{name}' is indefinite: with these values it gives energy away (smallest eigenvalue "
                f"{values[0]:.4g}); change the directions and their couplings together, before the step"
            )


def table_x(law: Law) -> tuple[int, ...]:
    """Indices of the parameters x_1..x_n of a law with a table; empty for the others."""
    if law.kind not in LEADING:
        return ()
    rest = law.parameters[LEADING[law.kind] :]
    return rest[: len(rest) // 2]


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


def _table(p: Sequence[float], lead: int) -> tuple[Sequence[float], Sequence[float]]:
    """The x and f values behind `lead` other parameters."""
    n = (len(p) - lead) // 2
    return p[lead : lead + n], p[lead + n :]


def _half_square(k: float, u: float) -> float:
    """1/2 k u^2; a product, since the power of a huge float raises where a product is infinite."""
    return 0.5 * k * u * u


def _stop_table_potential(p: Sequence[float], u: float) -> float:
    """Integral of table(max(v, 0)) from 0 to u; u is how far the stop is pressed, negative when it is free."""
    x, f = _table(p, 1)
    return integral(x, f, u) if u > 0.0 else u * interpolate(x, f, 0.0)


FORCES: dict[str, LawFunction] = {
    "spring": lambda p, s, _: p[0] * (p[1] - s),
    "spring_table": lambda p, s, _: interpolate(*_table(p, 1), p[0] - s),
    "stop_below": lambda p, s, _: p[0] * max(p[1] - s, 0.0),
    "stop_below_table": lambda p, s, _: interpolate(*_table(p, 1), max(p[0] - s, 0.0)),
    "stop_above": lambda p, s, _: -p[0] * max(s - p[1], 0.0),
    "stop_above_table": lambda p, s, _: -interpolate(*_table(p, 1), max(s - p[0], 0.0)),
    "linear": lambda p, s, _: -p[0] * s,
    "linear_table": lambda p, s, _: -interpolate(*_table(p, 0), s),
    "constant": lambda p, _s, _: p[0],
    "damper": lambda p, _, sdot: -p[0] * sdot,
    "damper_table": lambda p, _, sdot: -interpolate(*_table(p, 0), sdot),
}

POTENTIALS: dict[str, LawFunction] = {
    "spring": lambda p, s, _: _half_square(p[0], p[1] - s),
    "spring_table": lambda p, s, _: integral(*_table(p, 1), p[0] - s),
    "stop_below": lambda p, s, _: _half_square(p[0], max(p[1] - s, 0.0)),
    "stop_below_table": lambda p, s, _: _stop_table_potential(p, p[0] - s),
    "stop_above": lambda p, s, _: _half_square(p[0], max(s - p[1], 0.0)),
    "stop_above_table": lambda p, s, _: _stop_table_potential(p, s - p[0]),
    "linear": lambda p, s, _: _half_square(p[0], s),
    "linear_table": lambda p, s, _: integral(*_table(p, 0), s),
    "constant": lambda p, s, _: -p[0] * s,
}

SLOPES: dict[str, LawFunction] = {
    "spring": lambda p, _s, _: -p[0],
    "spring_table": lambda p, s, _: -slope_at(*_table(p, 1), p[0] - s),
    "stop_below": lambda p, s, _: -p[0] if s < p[1] else 0.0,
    "stop_below_table": lambda p, s, _: -slope_at(*_table(p, 1), p[0] - s) if s < p[0] else 0.0,
    "stop_above": lambda p, s, _: -p[0] if s > p[1] else 0.0,
    "stop_above_table": lambda p, s, _: -slope_at(*_table(p, 1), s - p[0]) if s > p[0] else 0.0,
    "linear": lambda p, _s, _: -p[0],
    "linear_table": lambda p, s, _: -slope_at(*_table(p, 0), s),
}

RATE_SLOPES: dict[str, LawFunction] = {
    "damper": lambda p, _s, _: -p[0],
    "damper_table": lambda p, _, sdot: -slope_at(*_table(p, 0), sdot),
}
