"""Force elements of the run-time and their parameters: springs with stops, dampers, constant forces, bushings."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import NamedTuple

from fmu_src.model.law_parts import CURVES, argument_unit, deflection, parameter_unit
from fmu_src.model.reduced_model import Coupling, Element, Law, Parameter
from fmu_src.model.units import effort_of
from precompute.errors import MechanismError
from precompute.model.curve_keys import given_curve
from precompute.model.mechanism import Bushing, ConstantForce, Damper, ForceTable, Mechanism, Spring, Stop

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


def force_elements(
    mechanism: Mechanism, at_design: Sequence[float], parameters: ParameterList
) -> tuple[list[Element], list[Coupling]]:
    """All elements, in the order of `Mechanism.acting`, and the couplings between directions of bushings.

    Args:
        mechanism: with no preload left open.
        at_design: what `Mechanism.elements` measure at design [m or rad].
        parameters: gets theirs.
    """
    first = len(mechanism.elements) - len(mechanism.forces)
    springs = zip(mechanism.springs, at_design, strict=False)
    constant = zip(mechanism.forces, at_design[first:], strict=True)
    elements = [spring_element(mechanism, s, design, parameters) for s, design in springs]
    elements += [damper_element(mechanism, d, parameters) for d in mechanism.dampers]
    elements += [constant_element(mechanism, f, design, parameters) for f, design in constant]
    couplings: list[Coupling] = []
    for bushing in mechanism.bushings:
        couplings += bushing_couplings(bushing, len(elements), parameters)
        elements += [bushing_element(bushing, i, parameters) for i in range(6)]
    return elements, couplings


def cardan_bushings(mechanism: Mechanism, elements: Sequence[Element]) -> tuple[int, ...]:
    """The first elements of the bushings whose moments act about their axes."""
    named = {f"bushing.{b.name}" for b in mechanism.bushings if b.law == "cardan"}
    return tuple(i for i, element in enumerate(elements) if element.name in named and element.direction == 1)


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


def spring_element(mechanism: Mechanism, spring: Spring, design: float, parameters: ParameterList) -> Element:
    """A spring with its stops; as the file does, its parameters have either a free length or a preload."""
    name, unit = f"spring.{spring.name}", measure_unit(mechanism, spring)
    laws = [replace(curve_law(name, spring, "compression", "both", unit, parameters, given_at(spring)), design=design)]
    for key, argument in STOPS.items():
        stop: Stop | None = getattr(spring, key)
        if stop:
            at = Given("at", stop.at, "Value of the measure where the stop engages")
            laws.append(curve_law(f"{name}.{key}", stop, argument, "beyond", unit, parameters, at))
    return Element(name, unit, tuple(laws))


def damper_element(mechanism: Mechanism, damper: Damper, parameters: ParameterList) -> Element:
    """A damper."""
    name, unit = f"damper.{damper.name}", measure_unit(mechanism, damper)
    return Element(name, unit, (curve_law(name, damper, "rate", "both", unit, parameters),))


def constant_element(mechanism: Mechanism, force: ConstantForce, design: float, parameters: ParameterList) -> Element:
    """A constant force; its potential is zero at design."""
    name, unit = f"force.{force.name}", measure_unit(mechanism, force)
    law = curve_law(name, force, "compression", "both", unit, parameters)
    return Element(name, unit, (replace(law, design=design),))


def measure_unit(mechanism: Mechanism, element: Spring | Damper | ConstantForce) -> str:
    """Unit of the measure of an element."""
    return "rad" if element.on.is_angle(mechanism) else "m"


class Given(NamedTuple):
    """The parameter that says where a law is on its curve: from where its argument is counted, or its preload."""

    symbol: str
    value: float
    text: str
    preload: bool = False


def given_at(spring: Spring) -> Given:
    """The free length or preload of a spring, whichever it has."""
    if spring.free_length is not None:
        return Given("free_length", spring.free_length, "Value of the measure at which the spring is free")
    assert spring.preload is not None, "statics has not found it yet"
    text = "Force of the spring at design, positive if it pushes; stiffness or table may change without changing it"
    return Given("preload", spring.preload, text, preload=True)


def curve_law(
    name: str,
    item: Spring | Stop | Damper | ConstantForce,
    argument: str,
    side: str,
    unit: str,
    parameters: ParameterList,
    given: Given | None = None,
) -> Law:
    """The law of an element or stop with its parameters: a number, where it is on its curve, a table."""
    key, value = given_curve(item)
    own: tuple[int, ...] = ()
    if not CURVES[key.curve].table:
        number_unit = parameter_unit(unit, argument, CURVES[key.curve].single[0][1])
        own = (parameters.add(f"{name}.{key.symbol}", value, number_unit, key.text, None if key.signed else 0.0),)
    at = preload = None
    if given is not None:
        where = parameters.add(
            f"{name}.{given.symbol}", given.value, effort_of(unit) if given.preload else unit, given.text
        )
        at, preload = (None, where) if given.preload else (where, None)
    if CURVES[key.curve].table:
        own = parameters.add_table(f"{name}.{key.symbol}", value, unit, argument)
    return Law(argument, side, key.curve, own, at, preload)


def check_preload(mechanism: Mechanism, spring: Spring) -> None:
    """A spring with a table must have its preload somewhere.

    Raises:
        MechanismError: it has not.
    """
    table, preload = spring.table, spring.preload
    if table is None or preload is None:
        return
    if math.isnan(deflection(table.x.tolist(), table.force.tolist(), preload)):
        forces = (preload, float(table.force.min()), float(table.force.max()))
        asked, least, most = (mechanism.units.shown_effort(f, spring.on.is_angle(mechanism)) for f in forces)
        raise MechanismError(
            [
                f"springs.{spring.name}: its table never has the force {asked} that `preload` asks for: it goes from "
                f"{least} to {most} and on with its end slopes; change the preload or extend the table"
            ]
        )


def free_force(spring: Spring) -> float:
    """Force of a spring without deflection [N or N m]; not zero of a table that is not."""
    key, value = given_curve(spring)
    own = [*value.x, *value.force] if isinstance(value, ForceTable) else [value]
    return float(CURVES[key.curve].value(own, 0.0))
