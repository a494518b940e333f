"""All numbers of all elements at one instant, by element and symbol.

What is given (measures, rates, parameters, inputs, states, unknowns) is there from the start; a formula is evaluated
when somebody asks for it.  Unknowns make the residuals of all elements that read one another vanish together.

Loads that formulas read are linear in the forces f on all measures,

    N = N_0 + A f                                                                           (1)

and are sought together with all unknowns.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from precompute.arrays import Array
from precompute.errors import MechanismError, NoResponseError, PrecomputeError
from precompute.formulas.syntax import FormulaError, Tree, names, parse
from precompute.model.devices import Device, DeviceTable
from precompute.reference.devices.formulas import NoValueError, Value, value
from precompute.reference.devices.newton import NoRootError, newton


class Symbol(NamedTuple):
    """Of an element."""

    element: str
    name: str


class Formula(NamedTuple):
    """Which one: of an element, its "states", "unknowns", "forces" or "outputs", and of what there."""

    element: str
    kind: str
    name: str


Given = Mapping[Symbol, Value]


class Pressing(NamedTuple):
    """Of (1)."""

    loads: tuple[Symbol, ...]  # nl
    forces: tuple[Symbol, ...]  # (nd,) on which measures
    N_0: Array  # (nl,) [N]
    A: Array  # (nl, nd)


@dataclass(frozen=True, eq=False)
class Elements:
    """All elements with their formulas."""

    items: tuple[Device, ...]
    trees: Mapping[Formula, Tree]
    groups: tuple[tuple[Device, ...], ...]  # those that read one another

    @classmethod
    def of(cls, items: Sequence[Device]) -> Elements:
        """Read all texts.

        Raises:
            MechanismError: one of them is no formula.
        """
        trees, problems = {}, []
        for device in items:
            for path, text in device.formulas():
                try:
                    trees[Formula(device.name, path[0], path[1])] = parse(text)
                except FormulaError as error:
                    problems.append(f"elements.{device.name}.{'.'.join(path)}: {error.message}")
        if problems:
            raise MechanismError(problems)
        return cls(tuple(items), trees, tuple(_groups(items, trees)))


def _groups(items: Sequence[Device], trees: Mapping[Formula, Tree]) -> Iterator[tuple[Device, ...]]:
    """Elements that read one another, in the order of the first of each."""
    left = {device.name: device for device in items}
    reads = [(key.element, name.name.split(".")[0]) for key, tree in trees.items() for name in names(tree)]
    pairs = [pair for pair in reads if pair[0] != pair[1] and pair[1] in left]
    while left:
        found = {next(iter(left))}
        while more := {name for pair in pairs if found & {*pair} for name in pair} - found:
            found |= more
        yield tuple(device for device in items if device.name in found)
        left = {name: device for name, device in left.items() if name not in found}


@dataclass(eq=False)
class Reading:
    """Numbers at one instant."""

    elements: Elements
    values: dict[Symbol, Value]  # given, and what was asked for since
    open: set[Formula] = field(default_factory=set)  # formulas that are being evaluated

    def of(self, element: str, name: str) -> Value:
        """The number that a symbol of an element stands for, or one of another: "other.symbol".

        Raises:
            MechanismError: it stands for nothing.
            NoResponseError: it has no value here.
        """
        other, point, rest = name.partition(".")
        symbol = Symbol(other, rest) if point else Symbol(element, name)
        if symbol not in self.values:
            key = Formula(symbol.element, "outputs", symbol.name)
            if key not in self.elements.trees:
                raise MechanismError([f"elements.{element}: there is no symbol '{name}'"])
            self.values[symbol] = self.formula(key)
        return self.values[symbol]

    def formula(self, key: Formula) -> Value:
        """What a formula gives."""
        if key in self.open:
            raise MechanismError([f"elements.{key.element}.{key.kind}.{key.name}: needs itself"])
        self.open.add(key)
        device = next(item for item in self.elements.items if item.name == key.element)
        try:
            found = value(self.elements.trees[key], _Names(self, device))
        except NoValueError as error:
            raise NoResponseError(f"element '{key.element}': its formula {key.kind}.{key.name} {error}") from None
        self.open.discard(key)
        return found


@dataclass(eq=False)
class _Names:
    """What formulas of one element find."""

    reading: Reading
    device: Device

    def number(self, name: str) -> Value:
        return self.reading.of(self.device.name, name)

    def table(self, name: str) -> DeviceTable:
        return next(table for table in self.device.tables if table.name == name)


def reading(
    elements: Elements, given: Given, guess: Sequence[float], pressing: Pressing | None = None
) -> tuple[Reading, Array]:
    """Everything at one instant, and the unknowns (nu,), element by element.

    Args:
        elements: all of them.
        given: measures, rates, parameters, inputs and states.
        guess: (nu,) unknowns where to look.
        pressing: what loads come from, if formulas read any.

    Raises:
        PrecomputeError: unknowns are not found, or a formula that they need has no value.
    """
    places = [Symbol(device.name, unknown.name) for device in elements.items for unknown in device.unknowns]
    near = dict(zip(places, guess, strict=True))
    found = dict(given)
    if pressing is not None:
        start = [near[symbol] for symbol in places] + pressing.N_0.tolist()
        u = solved(elements, found, elements.items, start, pressing)
        found |= dict(zip((*places, *pressing.loads), u.tolist(), strict=True))
        return Reading(elements, found), np.array([found[symbol] for symbol in places], dtype=float)
    for group in elements.groups:
        own = [symbol for device in group for symbol in places if symbol.element == device.name]
        if own:
            u = solved(elements, found, group, [near[symbol] for symbol in own])
            found |= dict(zip(own, u.tolist(), strict=True))
    return Reading(elements, found), np.array([found[symbol] for symbol in places], dtype=float)


def solved(
    elements: Elements, given: Given, group: Sequence[Device], guess: Sequence[float], pressing: Pressing | None = None
) -> Array:
    """Unknowns (nu,) of some elements, and loads behind them."""
    own = [(device.name, unknown) for device in group for unknown in device.unknowns]
    symbols = [Symbol(name, unknown.name) for name, unknown in own]
    keys = [Formula(name, "unknowns", unknown.name) for name, unknown in own]
    symbols += pressing.loads if pressing is not None else ()

    def residuals(u: Sequence[Value]) -> list[Value]:
        here = Reading(elements, {**given, **dict(zip(symbols, u, strict=True))})
        own = [here.formula(key) for key in keys]
        if pressing is None:
            return own
        pushed = [Formula(element, "forces", on) for element, on in pressing.forces]
        forces = [here.formula(key) if key in elements.trees else 0.0 for key in pushed]
        carried = pressing.N_0 + pressing.A @ np.array(forces)  # (1)
        return [*own, *(np.array(u[len(keys) :]) - carried).tolist()]

    try:
        usual = [unknown.nominal for _, unknown in own] + [1.0] * (len(symbols) - len(keys))
        return newton(residuals, guess, usual)
    except NoRootError as error:
        names_ = ", ".join(f"'{symbol.element}.{symbol.name}'" for symbol in symbols)
        raise PrecomputeError(f"the unknowns {names_} {error}") from None
