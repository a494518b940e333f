"""Forces of springs, stops, dampers and bushings, with their potentials and slopes.

A positive force makes its measure s grow.  The potential V of a law satisfies f = -dV/ds exactly; laws of the rate have
none.  What laws are made of, and equations (1) to (4), are in `law_parts`.  Couplings add the off-diagonal entries of a
bushing's stiffness and damping; their potential is k s_a s_b.  What elements give is the force on their measure, but of
bushings with Cardan angles, whose moments act about the axes of the parent: see `cardan`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Protocol

import numpy as np

from ..errors import StepError
from .cardan import on_angles, spin, turning_slopes
from .law_parts import ARGUMENTS, CURVES, SIDES
from .reduced_model import Coupling, Element, Law, ReducedModel

INDEFINITE = 1e-9
"""Of the largest entry: eigenvalues of a bushing may be negative by this much, from rounding."""


def is_linear(law: Law) -> bool:
    """Whether its force is a constant, or one plus a part in proportion to the measure or its rate."""
    return CURVES[law.curve].linear and not SIDES[law.side].beyond


def law_force(law: Law, parameters: Sequence[float], s: float, sdot: float) -> float:
    """Force of one law, equation (2)."""
    own, u = _at(law, parameters, s, sdot)
    curve, sign = CURVES[law.curve], ARGUMENTS[law.argument].sign
    if law.preload is not None:
        p, x = parameters[law.preload], _start(law, parameters, own)
        return sign * (p + (curve.value(own, x + u) - curve.value(own, x)))
    return sign * curve.value(own, max(u, 0.0) if SIDES[law.side].beyond else u)


def law_potential(law: Law, parameters: Sequence[float], s: float) -> float:
    """Its potential, equation (3); zero for a law of the rate."""
    if ARGUMENTS[law.argument].rate:
        return 0.0
    curve, (own, u) = CURVES[law.curve], _at(law, parameters, s, 0.0)
    if law.preload is not None:
        p, x = parameters[law.preload], _start(law, parameters, own)
        return (p - curve.value(own, x)) * u + (curve.integral(own, x + u) - curve.integral(own, x))
    if SIDES[law.side].beyond and u <= 0.0:
        return u * curve.value(own, 0.0)
    return curve.integral(own, u)


def law_slopes(law: Law, parameters: Sequence[float], s: float, sdot: float) -> tuple[float, float]:
    """df/ds and df/dsdot, equation (4); of one side, where the law has a corner."""
    own, u = _at(law, parameters, s, sdot)
    if law.preload is not None:
        u += _start(law, parameters, own)
    slope = 0.0 if SIDES[law.side].beyond and u <= 0.0 else -CURVES[law.curve].slope(own, u)
    return (0.0, slope) if ARGUMENTS[law.argument].rate else (slope, 0.0)


def _at(law: Law, parameters: Sequence[float], s: float, sdot: float) -> tuple[list[float], float]:
    """Parameters of the curve, and u of equation (1)."""
    reference = (law.design or 0.0) if law.reference is None else parameters[law.reference]
    return [parameters[i] for i in law.parameters], ARGUMENTS[law.argument].of(s, sdot, reference)


def _start(law: Law, parameters: Sequence[float], own: Sequence[float]) -> float:
    """Where on its curve a law with a preload is at design, x of equation (5)."""
    return 0.0 if CURVES[law.curve].linear else _inverse(law, parameters, own)


def _inverse(law: Law, parameters: Sequence[float], own: Sequence[float]) -> float:
    """The x, nearest zero, at which the curve of a law with a preload is that preload."""
    inverse = CURVES[law.curve].inverse
    assert inverse is not None and law.preload is not None, "refused before"
    return inverse(own, parameters[law.preload])


def free_value(law: Law, parameters: Sequence[float]) -> float:
    """The s at which a law that is given by a preload has no deflection; that of the design if its slope is zero."""
    x = _inverse(law, parameters, [parameters[i] for i in law.parameters])
    return (law.design or 0.0) + ARGUMENTS[law.argument].sign * x


def design_force(law: Law, parameters: Sequence[float]) -> float:
    """The force of a law at design."""
    return law_force(law, parameters, law.design or 0.0, 0.0)


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
        force += law_force(law, parameters, s, sdot)
        potential += law_potential(law, parameters, s)
    return force, potential


def force_only(element: Element, parameters: Sequence[float], s: float, sdot: float) -> float:
    """The force of `element_force`, without the work of the potential."""
    force = 0.0
    for law in element.laws:
        force += law_force(law, parameters, s, sdot)
    return force


class HasLaws(Protocol):
    """What forces come from: a model, or the laws of a mechanism that has no tables."""

    @property
    def elements(self) -> tuple[Element, ...]:
        """Ne of them."""

    @property
    def couplings(self) -> tuple[Coupling, ...]:
        """Between two elements each."""

    @property
    def cardans(self) -> tuple[int, ...]:
        """First elements of bushings whose moments act about axes."""


def forces(model: HasLaws, parameters: Sequence[float], s: Sequence[float], sdot: Sequence[float]) -> list[float]:
    """Generalized forces (ne) of all elements on their measures [N or N.m], at the measures and their rates (ne)."""
    found = efforts(model, parameters, s, sdot)
    for first in model.cardans:
        angles = slice(first + 3, first + 6)
        found[angles] = on_angles(s[angles], found[angles])
    return found


def efforts(model: HasLaws, parameters: Sequence[float], s: Sequence[float], sdot: Sequence[float]) -> list[float]:
    """What the elements give (ne) [N or N.m], couplings included: forces, or moments about the axes of a bushing."""
    if model.cardans:
        sdot = list(sdot)
        for first in model.cardans:
            angles = slice(first + 3, first + 6)
            sdot[angles] = spin(s[angles], sdot[angles])
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
        own = law_slopes(law, parameters, s, sdot)
        along, rate = along + own[0], rate + own[1]
    return along, rate


def cardan_slopes(model: ReducedModel, parameters: Sequence[float], s: Sequence[float]) -> list[list[list[float]]]:
    """What moments about axes add to the slopes of forces on angles, at rest: (3, 6) of each bushing that has them.

    Of f = G^T m, (G^T - 1) dm/ds + D over its six deflections s; `element_slopes` and couplings are the dm/ds.
    """
    found = []
    m = efforts(model, parameters, s, [0.0] * len(s)) if model.cardans else []
    for first in model.cardans:
        angles = slice(first + 3, first + 6)
        slope = [[0.0] * 6 for _ in range(6)]
        for i in range(6):
            slope[i][i] = element_slopes(model.elements[first + i], parameters, s[first + i], 0.0)[0]
        for pair in model.couplings:
            if 0 <= pair.a - first < 6 and 0 <= pair.b - first < 6:
                slope[pair.a - first][pair.b - first] -= parameters[pair.stiffness]
                slope[pair.b - first][pair.a - first] -= parameters[pair.stiffness]
        added = [[0.0] * 6 for _ in range(3)]
        D = turning_slopes(s[angles], m[angles])
        for column in range(6):
            own = [slope[3 + i][column] for i in range(3)]
            on = on_angles(s[angles], own)
            for j in range(3):
                added[j][column] = on[j] - own[j] + (D[j][column - 3] if column >= 3 else 0.0)
        found.append(added)
    return found


def bent_slopes(
    model: ReducedModel, parameters: Sequence[float], s: Sequence[float], sdot: Sequence[float]
) -> list[tuple[float, float]]:
    """Slopes over s and sdot of each law that is not linear."""
    return [
        law_slopes(law, parameters, s[i], sdot[i])
        for i, element in enumerate(model.elements)
        for law in element.laws
        if not is_linear(law)
    ]


def check_laws(model: ReducedModel, parameters: Sequence[float]) -> None:
    """Refuse parameter values that no law can use.

    Args:
        model: the model, for the names.
        parameters: values of all its parameters.

    Raises:
        StepError: a parameter is not finite, the x of a table do not ascend, a table never has a preload, or a bushing
            would give energy away.
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
            _check_preload(model, parameters, element, law)
    for name in {model.elements[c.a].name for c in model.couplings}:
        _check_bushing(model, parameters, name)


def _check_preload(model: ReducedModel, parameters: Sequence[float], element: Element, law: Law) -> None:
    """The table of a law with a preload must have that force."""
    if law.preload is None or math.isfinite(_inverse(law, parameters, [parameters[i] for i in law.parameters])):
        return
    name, value, forces = model.parameters[law.preload].name, parameters[law.preload], table_f(law)
    low, high = (pick(parameters[i] for i in forces) for pick in (min, max))
    raise StepError(
        f"parameter '{name}' = {value:.9g} is a force that the table of '{element.name}' never has: it goes from "
        f"{low:.9g} to {high:.9g} and on with its end slopes; set another preload, or preload and table together, "
        "before the step"
    )


def _check_bushing(model: ReducedModel, parameters: Sequence[float], name: str) -> None:
    """The stiffness and the damping of a bushing with couplings must be positive semidefinite."""
    numbers = [i for i, element in enumerate(model.elements) if element.name == name and element.direction]
    for which, what in enumerate(("stiffness", "damping")):
        matrix = np.zeros((len(numbers), len(numbers)))
        for k, i in enumerate(numbers):
            linear = (law for law in model.elements[i].laws if is_linear(law))
            matrix[k, k] = -sum(law_slopes(law, parameters, 0.0, 0.0)[which] for law in linear)
        for c in (c for c in model.couplings if c.a in numbers and c.b in numbers):
            a, b = numbers.index(c.a), numbers.index(c.b)
            matrix[a, b] = matrix[b, a] = parameters[(c.stiffness, c.damping)[which]]
        values = np.linalg.eigvalsh(matrix)
        if values[0] < -INDEFINITE * np.abs(matrix).max():
            raise StepError(
                f"the {what} of '{name}' is indefinite: with these values it gives energy away (smallest eigenvalue "
                f"{values[0]:.4g}); change the directions and their couplings together, before the step"
            )


def table_x(law: Law) -> tuple[int, ...]:
    """Indices of the parameters x_1..x_n of a law with a table; empty for the others."""
    return law.parameters[len(CURVES[law.curve].single) :][: len(table_f(law))]


def table_f(law: Law) -> tuple[int, ...]:
    """The same of f_1..f_n."""
    if not CURVES[law.curve].table:
        return ()
    single = len(CURVES[law.curve].single)
    return law.parameters[(len(law.parameters) + single) // 2 :]
