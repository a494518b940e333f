"""Force elements of the run-time and their parameters: springs with stops, dampers, the six directions of bushings."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import combinations

import numpy as np

from fmu_src.model.reduced_model import Coupling, Element, Law, LawKind, Parameter
from precompute.errors import MechanismError
from precompute.model.mechanism import Bushing, Damper, ForceTable, Mechanism, Spring, Stop


@dataclass
class ParameterList:
    """Collects parameters and hands out their indices."""

    items: list[Parameter] = field(default_factory=list)

    def add(self, name: str, value: float, unit: str, description: str, minimum: float | None = None) -> int:
        """Index of a new parameter."""
        self.items.append(Parameter(name, float(value), unit, description, minimum))
        return len(self.items) - 1

    def add_table(self, prefix: str, table: ForceTable, x_unit: str, f_unit: str) -> tuple[int, ...]:
        """Indices of all x, then all forces of a table."""
        n = range(len(table.x))
        x = [self.add(f"{prefix}.x[{i + 1}]", table.x[i], x_unit, "Abscissa of the force table") for i in n]
        f = [self.add(f"{prefix}.f[{i + 1}]", table.force[i], f_unit, "Force of the force table") for i in n]
        return (*x, *f)


def force_elements(mechanism: Mechanism, parameters: ParameterList) -> tuple[list[Element], list[Coupling]]:
    """All elements, in the order of `Mechanism.measures`, and the couplings between directions of bushings."""
    elements = [spring_element(mechanism, s, parameters) for s in mechanism.springs]
    elements += [damper_element(mechanism, d, parameters) for d in mechanism.dampers]
    couplings: list[Coupling] = []
    for bushing in mechanism.bushings:
        couplings += bushing_couplings(bushing, len(elements), parameters)
        elements += [bushing_element(bushing, i, parameters) for i in range(6)]
    return elements, couplings


def bushing_element(bushing: Bushing, i: int, parameters: ParameterList) -> Element:
    """One direction of a bushing: f = preload - k s - c sdot, or a table in place of k s."""
    name, n = f"bushing.{bushing.name}", i + 1
    unit, effort = ("m", "N") if i < 3 else ("rad", "N.m")
    what = f"{'along' if i < 3 else 'about'} its axis {i % 3 + 1}"
    table = bushing.tables[i]
    if table is None:
        text = f"Stiffness of bushing {bushing.name} {what}"
        k = parameters.add(f"{name}.k[{n}]", bushing.stiffness[i, i], f"{effort}/{unit}", text, 0.0)
        law = Law("linear", (k,))
    else:
        law = Law("linear_table", parameters.add_table(f"{name}.table[{n}]", table, unit, effort))
    text = f"Damping of bushing {bushing.name} {what}"
    c = parameters.add(f"{name}.c[{n}]", bushing.damping[i, i], f"{effort}.s/{unit}", text, 0.0)
    text = f"Force of bushing {bushing.name} on its child {what}, without deflection"
    p = parameters.add(f"{name}.preload[{n}]", bushing.preload[i], effort, text)
    return Element(name, unit, (law, Law("damper", (c,)), Law("constant", (p,))), direction=n)


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
    name = f"spring.{spring.name}"
    unit, effort, rate = units(mechanism, spring)
    free = spring.free_length
    assert free is not None
    what = "Value of the measure at which the spring is free"
    if spring.table is None:
        k = parameters.add(f"{name}.k", spring.stiffness or 0.0, rate, "Stiffness", 0.0)
        laws = [Law("spring", (k, parameters.add(f"{name}.free_length", free, unit, what)))]
    else:
        free_index = parameters.add(f"{name}.free_length", free, unit, what)
        laws = [Law("spring_table", (free_index, *parameters.add_table(f"{name}.table", spring.table, unit, effort)))]
    if spring.bump_stop:
        laws.append(stop_law(f"{name}.bump_stop", "stop_below", spring.bump_stop, parameters, unit, effort, rate))
    if spring.rebound_stop:
        laws.append(stop_law(f"{name}.rebound_stop", "stop_above", spring.rebound_stop, parameters, unit, effort, rate))
    return Element(name, unit, tuple(laws))


def stop_law(name: str, kind: LawKind, stop: Stop, parameters: ParameterList, unit: str, effort: str, rate: str) -> Law:
    """A one-sided spring."""
    at = "Value of the measure where the stop engages"
    if stop.table is None:
        k = parameters.add(f"{name}.k", stop.stiffness or 0.0, rate, "Stiffness of the stop", 0.0)
        return Law(kind, (k, parameters.add(f"{name}.at", stop.at, unit, at)))
    index = parameters.add(f"{name}.at", stop.at, unit, at)
    with_table: LawKind = "stop_below_table" if kind == "stop_below" else "stop_above_table"
    return Law(with_table, (index, *parameters.add_table(f"{name}.table", stop.table, unit, effort)))


def damper_element(mechanism: Mechanism, damper: Damper, parameters: ParameterList) -> Element:
    """A damper."""
    name = f"damper.{damper.name}"
    unit, effort, _ = units(mechanism, damper)
    if damper.table is None:
        c_unit = "N.m.s/rad" if unit == "rad" else "N.s/m"
        laws = (Law("damper", (parameters.add(f"{name}.c", damper.damping or 0.0, c_unit, "Damping", 0.0),)),)
    else:
        laws = (Law("damper_table", parameters.add_table(f"{name}.table", damper.table, f"{unit}/s", effort)),)
    return Element(name, unit, laws)


def units(mechanism: Mechanism, element: Spring | Damper) -> tuple[str, str, str]:
    """Units of the measure, the force and the stiffness."""
    return ("rad", "N.m", "N.m/rad") if element.on.is_angle(mechanism) else ("m", "N", "N/m")


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
