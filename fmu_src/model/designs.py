"""A model with other values p of its design parameters: hardpoints that move while the FMU runs.

Every number that the mechanism gives the model is a polynomial of second order in them,

    x(p) = x(0) + sum_k x_k m_k,    m = u_1, ..., u_n, u_1 u_1, u_1 u_2, ..., u_n u_n,    u = p/range               (1)

in tables as coefficients of splines over the knots that they have at p = 0.  So a model at p is a model as any other:
the sum is made once, when p is set, and steps cost what they cost without it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import combinations_with_replacement
from typing import Any, NamedTuple

import numpy as np

from .factors import expanded
from .reduced_model import Block, DesignInfo, ReducedModel
from .rows import CHUNK

MOST_DESIGNS = 6

BEYOND = 10.0
"""So many times its range a design parameter may be, with a warning; a polynomial means nothing there."""


def design_name(design: DesignInfo) -> str:
    """What the FMU calls it."""
    return f"design.{design.name}"


def products(count: int) -> list[tuple[int, ...]]:
    """The factors of each m of (1)."""
    return [factors for order in (1, 2) for factors in combinations_with_replacement(range(count), order)]


def product_values(u: Sequence[float]) -> list[float]:
    """m of (1)."""
    return [*u, *(u[i] * u[j] for i, j in combinations_with_replacement(range(len(u)), 2))]


def at_design(model: ReducedModel, p: Sequence[float]) -> ReducedModel:
    """A model, given at p = 0, at other design parameters p."""
    m = product_values([x / design.range for x, design in zip(p, model.designs, strict=True)])
    charts = tuple(
        replace(chart, blocks=tuple(_block_at(block, m) for block in chart.blocks)) for chart in model.charts
    )
    designs = tuple(replace(design, value=float(x)) for design, x in zip(model.designs, p, strict=True))
    model = replace(model, charts=charts, designs=designs)
    for number in model.design_numbers:
        of, at = PLACES[number.kind], (number.place, number.part)
        change = sum(x * y for x, y in zip(number.changes, m, strict=True))
        model = of.put(model, *at, of.get(model, *at) + change)
    return model


def _block_at(block: Block, m: Sequence[float]) -> Block:
    own = block.changes
    if own is None:
        return block
    found = block.coefficients.copy()
    for cell in dict.fromkeys(own.cells[:, 0].tolist()):
        total = np.zeros((*own.core.shape[:-1], CHUNK))
        for k in np.flatnonzero(own.cells[:, 0] == cell).tolist():
            total += own.core[..., CHUNK * k : CHUNK * (k + 1)] * m[own.cells[k, 1]]
        found[..., CHUNK * cell : CHUNK * (cell + 1)] += expanded(total, own.bases)
    return replace(block, core=found, bases=())


# --- numbers outside of tables ----------------------------------------------------------------------------------------


class Place(NamedTuple):
    """Where the numbers of a kind are in a model."""

    get: Callable[[ReducedModel, int, int], float]  # by place and part
    put: Callable[[ReducedModel, int, int, float], ReducedModel]
    all: Callable[[ReducedModel], list[tuple[int, int]]]  # places and parts


def _with(known: tuple[Any, ...], i: int, item: Any) -> tuple[Any, ...]:
    return (*known[:i], item, *known[i + 1 :])


def _vectors(items: str, item: str) -> Place:
    """The components of a vector that each of some items has."""

    def get(model: ReducedModel, place: int, part: int) -> float:
        return float(getattr(getattr(model, items)[place], item)[part])

    def put(model: ReducedModel, place: int, part: int, value: float) -> ReducedModel:
        known: Any = getattr(model, items)
        new: Any = {item: _with(getattr(known[place], item), part, value)}
        whole: Any = {items: _with(known, place, replace(known[place], **new))}
        return replace(model, **whole)

    def every(model: ReducedModel) -> list[tuple[int, int]]:
        found = enumerate(getattr(model, items))
        return [(place, part) for place, own in found for part in range(len(getattr(own, item) or ()))]

    return Place(get, put, every)


def _put_law(model: ReducedModel, place: int, part: int, value: float) -> ReducedModel:
    element = model.elements[place]
    laws = _with(element.laws, part, replace(element.laws[part], design=value))
    return replace(model, elements=_with(model.elements, place, replace(element, laws=laws)))


def _put_radius(model: ReducedModel, place: int, _: int, value: float) -> ReducedModel:
    return replace(model, wheels=_with(model.wheels, place, replace(model.wheels[place], radius=value)))


def _put_ball(model: ReducedModel, place: int, part: int, value: float) -> ReducedModel:
    wheel, (number, i) = model.wheels[place], divmod(part, 3)
    x, y, z = _with(wheel.balls[number].at, i, value)
    balls = _with(wheel.balls, number, replace(wheel.balls[number], at=(x, y, z)))
    return replace(model, wheels=_with(model.wheels, place, replace(wheel, balls=balls)))


def _laws(model: ReducedModel) -> list[tuple[int, int]]:
    laws = [(place, part, law) for place, own in enumerate(model.elements) for part, law in enumerate(own.laws)]
    return [(place, part) for place, part, law in laws if law.design is not None]


PLACES: dict[str, Place] = {
    "mass": Place(lambda model, *_: model.mass, lambda model, *x: replace(model, mass=x[-1]), lambda _: [(0, 0)]),
    "law": Place(lambda model, e, i: model.elements[e].laws[i].design or 0.0, _put_law, _laws),
    "spin": _vectors("markers", "spin_axis"),
    "spin_design": _vectors("markers", "spin_design"),
    "radius": Place(
        lambda model, w, _: model.wheels[w].radius,
        _put_radius,
        lambda model: [(w, 0) for w in range(len(model.wheels))],
    ),
    "wheel_spin": _vectors("wheels", "spin_axis"),
    "centre": _vectors("wheels", "centre"),
    "ball": Place(
        lambda model, w, part: model.wheels[w].balls[part // 3].at[part % 3],
        _put_ball,
        lambda model: [(w, i) for w, wheel in enumerate(model.wheels) for i in range(3 * len(wheel.balls))],
    ),
}
"""Of all kinds of numbers, in the order in which the kernel counts them.

mass: of all bodies.  law: the value of a measure at design.  spin, spin_design: axes of markers.  radius, wheel_spin,
centre, ball: of wheels; each ball has three components.
"""


def numbers_of(model: ReducedModel) -> dict[tuple[str, int, int], float]:
    """All numbers that design parameters may change besides tables, by kind, place and part."""
    keys = [(kind, *key) for kind, of in PLACES.items() for key in of.all(model)]
    return {(kind, place, part): PLACES[kind].get(model, place, part) for kind, place, part in keys}


# --- checks -----------------------------------------------------------------------------------------------------------


def design_problem(model: ReducedModel) -> str:
    """What is wrong with the design parameters of a model and with what they change; nothing if it is empty."""
    n = len(model.designs)
    if n > MOST_DESIGNS:
        return f"there are {n} design parameters; at most {MOST_DESIGNS} are possible"
    for design in model.designs:
        if not 0.0 < design.range < math.inf or design.value != 0.0:
            return f"design parameter '{design.name}' has the range {design.range} and the value {design.value}"
    count, known = len(products(n)), numbers_of(model)
    for number in model.design_numbers:
        what = f"number {number.kind} {number.place} {number.part}"
        if (number.kind, number.place, number.part) not in known:
            return f"design parameters change the {what}, which is not there"
        if len(number.changes) != count or not all(map(math.isfinite, number.changes)):
            return f"the changes of the {what} are not {count} finite numbers"
    blocks = (block for chart in model.charts for block in chart.blocks)
    return next((problem for problem in (_changes_problem(block, count) for block in blocks) if problem), "")


def _changes_problem(block: Block, count: int) -> str:
    own = block.changes
    if own is None:
        return ""
    n = len(own.cells)
    if own.cells.shape != (n, 2) or own.core.ndim != len(block.axes) + 1 or own.core.shape[-1] != CHUNK * n or not n:
        return f"the changes of a block have cells of shape {own.cells.shape} and a core of shape {own.core.shape}"
    pairs = [(cell, k) for cell, k in own.cells.tolist()]
    if pairs != sorted(set(pairs)) or not all(0 <= c < len(block.cells) and 0 <= k < count for c, k in pairs):
        return "the changes of a block are not in order, or of cells or products that are not there"
    if not np.isfinite(own.core).all() or not all(np.isfinite(basis).all() for basis in own.bases):
        return "the changes of a block are not finite"
    ranks = [(r,) for r in own.core.shape[:-1]]
    shapes = [basis.shape for basis in own.bases] or [(r, r) for (r,) in ranks]
    if [s[1:] for s in shapes] != ranks or tuple(s[0] for s in shapes) != block.coefficients.shape[:-1]:
        return f"the changes of a block have a core of shape {own.core.shape} and bases of shapes {shapes}"
    return ""
