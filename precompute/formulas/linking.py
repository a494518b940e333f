"""What each name in the formulas of all elements stands for, and in which order formulas are evaluated.

Elements that read one another are linked into one device of the FMU.  Its formulas are evaluated one after the other,
each behind those that it reads; first those that residuals need, since unknowns are sought with them.  Outputs that
need one another in a ring have no order: an algebraic loop.

A load of the mechanism that formulas read grows with the forces of all elements, so these are linked into one device;
the load is one of its unknowns, and its residual is made here (see `fmu_src.model.devices`, (2)).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from fmu_src.model.devices import MOST_ACTIVE
from fmu_src.model.units import effort_of, rate_of
from precompute.formulas import dimensions
from precompute.formulas.compiling import Program, program
from precompute.formulas.dimensions import Dimension, dimension_of
from precompute.formulas.interfaces import RATE, Described
from precompute.formulas.syntax import (
    COMPARISONS,
    FUNCTIONS,
    NEGATIVE,
    OPERATORS,
    Call,
    FormulaError,
    Name,
    Tree,
    names,
)
from precompute.formulas.syntax import parse as parsed
from precompute.hints import nearest
from precompute.measures.measure import Measure

Element = TypeVar("Element", bound=Described)

Key = tuple[str, str, str]
"""Element, what the formula gives ("states", "unknowns", "loads", "forces", "outputs"), and of which name."""

WHAT = {
    "states": "rate of state",
    "unknowns": "residual of",
    "loads": "residual of load",
    "forces": "force on",
    "outputs": "output",
}
"""How messages name a formula."""

CALLED = frozenset({*FUNCTIONS, *OPERATORS, *COMPARISONS, NEGATIVE})
"""What trees may call besides tables."""


@dataclass(frozen=True)
class FormulaProblem:
    """A mistake in a formula of an element."""

    element: str
    path: tuple[str, ...]  # in its table of the file
    column: int  # of the formula, from 1; 0 for what concerns the whole element
    message: str

    def __str__(self) -> str:
        where = f" (at column {self.column} of the formula)" if self.column else ""
        return f"elements.{'.'.join((self.element, *self.path))}: {self.message}{where}"


@dataclass(frozen=True)
class LinkedFormula:
    """A formula with its program; slots are numbered as `fmu_src.model.devices` says."""

    key: Key
    program: Program


@dataclass(frozen=True)
class Link(Generic[Element]):
    """Elements that read one another, with their formulas in order."""

    elements: tuple[Element, ...]
    formulas: tuple[LinkedFormula, ...]
    inner: int  # so many, the first ones, are what residuals need

    def number(self, element: str, kind: str, name: str) -> int:
        """Of a formula; -1 if there is none."""
        keys = [formula.key for formula in self.formulas]
        return keys.index((element, kind, name)) if (element, kind, name) in keys else -1


def link(
    elements: Sequence[Element], unit_of: Callable[[Measure], str], aside: Collection[str] = ()
) -> tuple[tuple[Link[Element], ...], tuple[FormulaProblem, ...]]:
    """The links of all elements, or every mistake that is in their formulas; no links where some are set aside.

    Args:
        elements: of a mechanism.
        unit_of: "m" or "rad", of a measure; empty if it is not known.
        aside: names of elements that are not among them: what formulas read of these is not looked at.
    """
    known = {element.name: element for element in elements}
    problems: list[FormulaProblem] = []
    trees: dict[Key, Tree] = {}
    for element in elements:
        for path, text in element.formulas():
            try:
                tree = parsed(text)
            except FormulaError as error:
                problems.append(FormulaProblem(element.name, path, error.column, error.message))
                continue
            key: Key = (element.name, path[0], path[1])
            trees[key] = tree
            wrong = [*_unknown(tree, element, known, aside), *_misfits(tree, key, known, unit_of)]
            problems += [FormulaProblem(element.name, path, error.column, error.message) for error in wrong]
            problems += _size(tree, element, path)
        problems += _forces_on_nothing(element)
    links = []
    groups = _groups(elements, trees)
    trees |= _load_residuals(elements)
    for members in groups:
        order, rings = _ordered([key for key in trees if key[0] in members], trees, known)
        own_elements = tuple(element for element in elements if element.name in members)
        problems += [*rings, *_count(own_elements)]
        if not problems and not aside:
            links.append(_linked(own_elements, order, trees, known))
    return (() if problems else tuple(links)), tuple(problems)


# -- names ------------------------------------------------------------------------------------------------------------


def path_of(element: Described, key: Key) -> tuple[str, ...]:
    """Where a formula is in the table of its element."""
    return next(path for path, _ in element.formulas() if path[:2] == key[1:])


def _named(name: str, element: Described, known: Mapping[str, Described]) -> tuple[Described | None, str]:
    """The element that a name belongs to, and its symbol there."""
    owner, dot, symbol = name.partition(".")
    return (known.get(owner), symbol) if dot else (element, name)


def _calls(tree: Tree) -> Iterable[Call]:
    if isinstance(tree, Call):
        yield tree
        for argument in tree.arguments:
            yield from _calls(argument)


def _unknown(
    tree: Tree, element: Described, known: Mapping[str, Described], aside: Collection[str]
) -> Iterable[FormulaError]:
    """Names that stand for nothing."""
    tables = [table.name for table in element.tables]
    for call in _calls(tree):
        if call.function not in CALLED and call.function not in tables:
            hint = nearest(call.function, [*FUNCTIONS, *tables])
            yield FormulaError(f"there is no function or table '{call.function}'; {hint}", call.column)
    for name in names(tree):
        owner, symbol = _named(name.name, element, known)
        if owner is None:
            other = name.name.partition(".")[0]
            if other not in aside:
                yield FormulaError(f"there is no element '{other}'; {nearest(other, [*known, *aside])}", name.column)
            continue
        symbols = [s for s in owner.symbols() if s not in [table.name for table in owner.tables]]
        if symbol in symbols:
            continue
        if name.name in FUNCTIONS:
            yield FormulaError(f"'{name.name}' is a function; write {name.name}(...)", name.column)
        elif symbol in tables and owner is element:
            yield FormulaError(f"'{symbol}' is a table; write {symbol}(x)", name.column)
        elif symbol in ("t", "time"):
            yield FormulaError("there is no time in formulas; make it an input", name.column)
        else:
            prefix = "" if owner is element else f"{owner.name}."
            hint = nearest(
                name.name, [*(prefix + s for s in symbols), "pi"] if not prefix else [prefix + s for s in symbols]
            )
            yield FormulaError(f"there is no symbol '{name.name}'; {hint}", name.column)


def _forces_on_nothing(element: Described) -> Iterable[FormulaProblem]:
    symbols = [symbol for symbol, _ in element.on]
    for force in element.forces:
        if force.on not in symbols:
            text = (
                f"there is no measure '{force.on}' in its `on`; {nearest(force.on, symbols)}"
                if symbols
                else (f"there is no measure '{force.on}': the element has no `on`")
            )
            yield FormulaProblem(element.name, ("forces", force.on), 0, text)


# -- units ------------------------------------------------------------------------------------------------------------


def _misfits(
    tree: Tree, key: Key, known: Mapping[str, Described], unit_of: Callable[[Measure], str]
) -> list[FormulaError]:
    """Units that do not fit."""
    element = known[key[0]]

    def dimension(name: str) -> Dimension | None:
        owner, symbol = _named(name, element, known)
        return None if owner is None else dimension_of(_unit(owner, symbol, unit_of))

    result: Dimension | None = None
    if key[1] == "states":
        unit = next(state.unit for state in element.states if state.name == key[2])
        result = dimension_of(rate_of(unit)) if unit else None
    elif key[1] == "outputs":
        result = dimension_of(next(output.unit for output in element.outputs if output.name == key[2]))
    elif key[1] == "forces":
        unit = next((unit_of(measure) for symbol, measure in element.on if symbol == key[2]), "")
        result = dimension_of(effort_of(unit)) if unit else None
    return dimensions.check(tree, dimension, result)


def _unit(element: Described, symbol: str, unit_of: Callable[[Measure], str]) -> str:
    """Of a symbol; empty if it is not known."""
    for name, measure in element.on:
        if symbol in (name, name + RATE):
            unit = unit_of(measure)
            return rate_of(unit) if unit and symbol != name else unit
    parts = (element.parameters, element.inputs, element.states, element.unknowns, element.loads, element.outputs)
    return next((item.unit for part in parts for item in part if item.name == symbol), "")


# -- order ------------------------------------------------------------------------------------------------------------


def _groups(elements: Sequence[Described], trees: Mapping[Key, Tree]) -> list[set[str]]:
    """Elements that read one another, directly or by others."""
    groups = [{element.name} for element in elements]
    for (name, _, _), tree in trees.items():
        for other in (found.name.partition(".")[0] for found in names(tree) if "." in found.name):
            joined = [group for group in groups if group & {name, other}]
            if len(joined) > 1:
                groups = [group for group in groups if group not in joined] + [set().union(*joined)]
    if any(element.loads for element in elements):
        acting = {element.name for element in elements if element.loads or element.forces}
        joined = [group for group in groups if group & acting]
        groups = [group for group in groups if group not in joined] + [set().union(*joined)]
    first = {element.name: number for number, element in enumerate(elements)}
    return sorted(groups, key=lambda group: min(first[name] for name in group))


FORCE = "force:"
"""Before the symbol of a measure: the force on it, which the residuals of loads read."""


def without_forces(symbol: str) -> str:
    """The slot of a load without the forces of elements, N_0."""
    return f"{symbol}:0"


def per_force(symbol: str, element: str, on: str) -> str:
    """The slot of how much a load changes per force on a measure, N_k."""
    return f"{symbol}:{element}:{on}"


def _load_residuals(elements: Sequence[Described]) -> dict[Key, Tree]:
    """0 = N - N_0 - sum_k N_k f_k of each load, with the forces of all elements."""
    found: dict[Key, Tree] = {}
    acting = [(element.name, force.on) for element in elements for force in element.forces]
    for element in elements:
        for load in element.loads:
            tree: Tree = Call("-", (Name(load.name, 0), Name(f"{element.name}.{without_forces(load.name)}", 0)), 0)
            for other, on in acting:
                share = Name(f"{element.name}.{per_force(load.name, other, on)}", 0)
                tree = Call("-", (tree, Call("*", (share, Name(f"{other}.{FORCE}{on}", 0)), 0)), 0)
            found[element.name, "loads", load.name] = tree
    return found


def _reads(key: Key, trees: Mapping[Key, Tree], known: Mapping[str, Described]) -> list[Key]:
    """Outputs that a formula reads, and forces."""
    found = []
    for name in names(trees[key]):
        owner, symbol = _named(name.name, known[key[0]], known)
        kind = "forces" if symbol.startswith(FORCE) else "outputs"
        if owner is not None and (other := (owner.name, kind, symbol.removeprefix(FORCE))) in trees:
            found.append(other)
    return list(dict.fromkeys(found))


def _ordered(
    keys: Sequence[Key], trees: Mapping[Key, Tree], known: Mapping[str, Described]
) -> tuple[list[tuple[Key, bool]], list[FormulaProblem]]:
    """Formulas, each behind those that it reads, and whether residuals need it; rings of outputs."""
    order: dict[Key, bool] = {}
    rings: list[FormulaProblem] = []

    def visit(key: Key, inner: bool, way: tuple[Key, ...]) -> None:
        if key in way:
            ring = [f"{name}.{symbol}" for name, _, symbol in (*way[way.index(key) :], key)]
            text = (
                f"is part of an algebraic loop: {' needs '.join(ring)}; break it by a state, which takes time, or make "
                "one of them an unknown with a residual"
            )
            if not any(set(ring) & set(problem.message.split()) for problem in rings):
                rings.append(FormulaProblem(key[0], path_of(known[key[0]], key), 0, text))
            return
        if key in order:
            return
        for other in _reads(key, trees, known):
            visit(other, inner, (*way, key))
        order.setdefault(key, inner)

    for key in keys:
        if key[1] in ("unknowns", "loads"):
            visit(key, True, ())
    for key in keys:
        visit(key, False, ())
    return list(order.items()), rings


def _linked(
    elements: tuple[Element, ...],
    order: Sequence[tuple[Key, bool]],
    trees: Mapping[Key, Tree],
    known: Mapping[str, Described],
) -> Link[Element]:
    slots = {name: number for number, name in enumerate(_given(elements))}
    first = len(slots)
    tables = {
        (e.name, table.name): number for number, (e, table) in enumerate((e, t) for e in elements for t in e.tables)
    }
    formulas = []
    for number, (key, _) in enumerate(order):
        element = known[key[0]]

        def slot(name: str, element: Described = element) -> int:
            owner, symbol = _named(name, element, known)
            assert owner is not None
            return slots[f"{owner.name}.{symbol}"]

        own = {name: n for (owner, name), n in tables.items() if owner == element.name}
        formulas.append(LinkedFormula(key, program(trees[key], slot, own)))
        if key[1] == "outputs":
            slots[f"{key[0]}.{key[2]}"] = first + number
        if key[1] == "forces":
            slots[f"{key[0]}.{FORCE}{key[2]}"] = first + number
    return Link(elements, tuple(formulas), sum(inner for _, inner in order))


def _given(elements: Sequence[Described]) -> Iterable[str]:
    """Names of the slots before those of formulas."""
    for e in elements:
        yield from (f"{e.name}.{symbol}" for symbol, _ in e.on)
    for e in elements:
        yield from (f"{e.name}.{symbol}{RATE}" for symbol, _ in e.on)
    for part in ("states", "unknowns", "loads", "parameters", "inputs"):
        for e in elements:
            yield from (f"{e.name}.{item.name}" for item in getattr(e, part))
    for e in elements:
        for load in e.loads:
            yield f"{e.name}.{without_forces(load.name)}"
            yield from (f"{e.name}.{per_force(load.name, o.name, symbol)}" for o in elements for symbol, _ in o.on)


def _size(tree: Tree, element: Described, path: tuple[str, ...]) -> Iterator[FormulaProblem]:
    """A formula that is too long or too deep to run."""
    tables = {table.name: number for number, table in enumerate(element.tables)}
    if all(call.function in tables or call.function in CALLED for call in _calls(tree)):
        if problem := program(tree, lambda name: 0, tables).problem:
            yield FormulaProblem(element.name, path, 0, problem)


def _count(elements: Sequence[Described]) -> Iterator[FormulaProblem]:
    """Too many that read one another."""
    active = sum(2 * len(e.on) + len(e.states) + len(e.unknowns) + len(e.loads) for e in elements)
    if active > MOST_ACTIVE:
        names = ", ".join(e.name for e in elements)
        text = (
            f"the elements that read one another ({names}) have {active} measures, rates, states, unknowns and "
            f"loads; at most {MOST_ACTIVE} are possible: divide them"
        )
        yield FormulaProblem(elements[0].name, (), 0, text)
