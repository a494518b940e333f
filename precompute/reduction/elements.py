"""Force elements of the run-time and their parameters: springs with stops, dampers, the six directions of bushings."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import combinations
from typing import NamedTuple

import numpy as np

from fmu_src.model.law_parts import CURVES, argument_unit, parameter_unit
from fmu_src.model.reduced_model import Coupling, Element, Law, Parameter
from fmu_src.model.units import effort_of
from precompute.errors import MechanismError
from precompute.model.curve_keys import given_curve
from precompute.model.mechanism import Bushing, Damper, ForceTable, Mechanism, Spring, Stop

STOPS = {"bump_stop": "compression", "rebound_stop": "extension"}
"""Stops of a spring -> the arguments of their laws."""


@dataclass
class ParameterList:
    """Collects parameters and hands out their indices."""

    items: list[Parameter] = field(default_factory=list)

    def add(self, name: str, value: float, unit: str, description: str, minimum: float | None = None) -> int:
        """Index of a new parameter."""
        self.items.append(Parameter(name, float(value), unit, description, minimum))
        return len(self.items) - 1

    def add_table(self, prefix: str, table: ForceTable, measure: str, argument: str) -> tuple[int, ...]:
        """Indices of all x, then all forces of a table of a law on a measure in m or rad."""
        n, x_unit, f_unit = range(len(table.x)), argument_unit(measure, argument), effort_of(measure)
        x = [self.add(f"{prefix}.x[{i + 1}]", table.x[i], x_unit, "Abscissa of the force table") for i in n]
        f = [self.add(f"{prefix}.f[{i + 1}]", table.force[i], f_unit, "Force of the force table") for i in n]
        return (*x, *f)


def force_elements(mechanism: Mechanism, parameters: ParameterList) -> tuple[list[Element], list[Coupling]]:
    """All elements, in the order of `Mechanism.acting`, and the couplings between directions of bushings."""
    elements = [spring_element(mechanism, s, parameters) for s in mechanism.springs]
    elements += [damper_element(mechanism, d, parameters) for d in mechanism.dampers]
    couplings: list[Coupling] = []
    for bushing in mechanism.bushings:
        couplings += bushing_couplings(bushing, len(elements), parameters)
        elements += [bushing_element(bushing, i, parameters) for i in range(6)]
    return elements, couplings


def bushing_element(bushing: Bushing, i: int, parameters: ParameterList) -> Element:
    """One direction of a bushing: f = preload - k s - c sdot, or a table in place of k s."""
    name, n, unit = f"bushing.{bushing.name}", i + 1, "m" if i < 3 else "rad"
    what = f"{'along' if i < 3 else 'about'} its axis {i % 3 + 1}"
    table = bushing.tables[i]
    if table is None:
        text = f"Stiffness of bushing {bushing.name} {what}"
        k = parameters.add(f"{name}.k[{n}]", bushing.stiffness[i, i], parameter_unit(unit, "extension", 1), text, 0.0)
        elastic = Law("extension", "both", "linear", (k,))
    else:
        own = parameters.add_table(f"{name}.table[{n}]", table, unit, "extension")
        elastic = Law("extension", "both", "table", own)
    text = f"Damping of bushing {bushing.name} {what}"
    c = parameters.add(f"{name}.c[{n}]", bushing.damping[i, i], parameter_unit(unit, "rate", 1), text, 0.0)
    text = f"Force of bushing {bushing.name} on its child {what}, without deflection"
    p = parameters.add(f"{name}.preload[{n}]", bushing.preload[i], effort_of(unit), text)
    laws = (elastic, Law("rate", "both", "linear", (c,)), Law("compression", "both", "constant", (p,)))
    return Element(name, unit, laws, direction=n)


def bushing_couplings(bushing: Bushing, first: int, parameters: ParameterList) -> list[Coupling]:
    """Off-diagonal entries of the stiffness and damping of a bushing whose directions are elements from `first` on."""
    found = []
    for i, j in combinations(range(6), 2):
        k, c = float(bushing.stiffness[i, j]), float(bushing.damping[i, j])
        if k or c:
            effort, unit = "N" if i < 3 else "N.m", "m" if j < 3 else "rad"
            names = [f"bushing.{bushing.name}.{symbol}{i + 1}{j + 1}" for symbol in "kc"]
            text = f"of bushing {bushing.name} between its directions {i + 1} and {j + 1}"
            stiffness = parameters.add(names[0], k, f"{effort}/{unit}", f"Stiffness {text}")
            damping = parameters.add(names[1], c, f"{effort}.s/{unit}", f"Damping {text}")
            found.append(Coupling(first + i, first + j, stiffness, damping))
    return found


def spring_element(mechanism: Mechanism, spring: Spring, parameters: ParameterList) -> Element:
    """A spring with its stops."""
    name, unit = f"spring.{spring.name}", measure_unit(mechanism, spring)
    assert spring.free_length is not None
    free = Reference("free_length", spring.free_length, "Value of the measure at which the spring is free")
    laws = [curve_law(name, spring, "compression", "both", unit, parameters, free)]
    for key, argument in STOPS.items():
        stop: Stop | None = getattr(spring, key)
        if stop:
            at = Reference("at", stop.at, "Value of the measure where the stop engages")
            laws.append(curve_law(f"{name}.{key}", stop, argument, "beyond", unit, parameters, at))
    return Element(name, unit, tuple(laws))


def damper_element(mechanism: Mechanism, damper: Damper, parameters: ParameterList) -> Element:
    """A damper."""
    name, unit = f"damper.{damper.name}", measure_unit(mechanism, damper)
    return Element(name, unit, (curve_law(name, damper, "rate", "both", unit, parameters),))


def measure_unit(mechanism: Mechanism, element: Spring | Damper) -> str:
    """Unit of the measure of a spring or damper."""
    return "rad" if element.on.is_angle(mechanism) else "m"


class Reference(NamedTuple):
    """The parameter from which the argument of a law is counted."""

    symbol: str
    value: float
    text: str


def curve_law(
    name: str,
    item: Spring | Stop | Damper,
    argument: str,
    side: str,
    unit: str,
    parameters: ParameterList,
    reference: Reference | None = None,
) -> Law:
    """The law of a spring, stop or damper with its parameters: a number, the reference, a table."""
    key, value = given_curve(item)
    own: tuple[int, ...] = ()
    if not CURVES[key.curve].table:
        number_unit = parameter_unit(unit, argument, CURVES[key.curve].single[0][1])
        own = (parameters.add(f"{name}.{key.symbol}", value, number_unit, key.text, 0.0),)
    at = None
    if reference is not None:
        at = parameters.add(f"{name}.{reference.symbol}", reference.value, unit, reference.text)
    if CURVES[key.curve].table:
        own = parameters.add_table(f"{name}.{key.symbol}", value, unit, argument)
    return Law(argument, side, key.curve, own, at)


def preload_deflection(spring: Spring) -> float:
    """Deflection, the one nearest zero, at which the spring's force is its preload."""
    assert spring.preload is not None
    if spring.table is None:
        return spring.preload / spring.stiffness if spring.stiffness else 0.0
    x, f = spring.table.x, spring.table.force
    found = []
    for i in range(len(x) - 1):
        rise = f[i + 1] - f[i]
        if rise == 0.0 and f[i] == spring.preload:
            found.append(float(np.clip(0.0, x[i], x[i + 1])))
        low = -np.inf if i == 0 else 0.0  # end slopes continue
        high = np.inf if i == len(x) - 2 else 1.0
        share = (spring.preload - f[i]) / rise if rise else np.nan
        if low <= share <= high:
            found.append(float(x[i] + share * (x[i + 1] - x[i])))
    if found:
        return min(found, key=abs)
    raise MechanismError(
        [f"springs.{spring.name}: its table never has the force {spring.preload:g} N that `preload` asks for"]
    )
