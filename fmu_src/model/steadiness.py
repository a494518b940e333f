"""How the measures that forces act on depend on the coordinates: some have gradients that hardly change, or never.

Elements that share a measure, and what bushings couple, are as steady as the least steady of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

import numpy as np

from .laws import is_linear
from .reduced_model import Array, Chart, ReducedModel
from .rows import chart_rows

Content = frozenset[tuple[int, int, int, int]]
"""Chart, column, i and j of each term of a measure."""


class Steadiness(IntEnum):
    """Of a measure."""

    VARYING = 0  # it depends on table axes, or has a law that is not linear
    BENT = 1  # a polynomial of deflections alone, with linear laws
    STEADY = 2  # the same, and of first order


@dataclass(frozen=True)
class Measures:
    """What the force elements measure, element by element."""

    content: tuple[Content, ...]  # equal for elements that measure the same
    terms: tuple[int, ...]  # how many of the terms are not both constant and of first order
    kind: tuple[Steadiness, ...]


def measures(model: ReducedModel) -> Measures:
    """Sort the measures of all elements."""
    content: list[set[tuple[int, int, int, int]]] = [set() for _ in model.elements]
    varying, bent = np.zeros(len(content), dtype=int), np.zeros(len(content), dtype=int)
    for number, chart in enumerate(model.charts):
        rows = chart_rows(model, chart).measures
        varies = np.concatenate([(block.stored >= 0) | block.slope.any(axis=1) for block in chart.blocks])
        for row, column, i, j in chart.terms.tolist():
            if rows.start <= row < rows.stop:
                content[row - rows.start].add((number, column, i, j))
                varying[row - rows.start] += varies[column]
                bent[row - rows.start] += not varies[column] and j >= 0
    keys = tuple(frozenset(terms) for terms in content)
    kind: dict[Content, Steadiness] = {}
    for e, element in enumerate(model.elements):
        linear = all(is_linear(law) for law in element.laws) and len(model.charts) == 1
        own = Steadiness.VARYING if varying[e] or not linear else Steadiness.BENT if bent[e] else Steadiness.STEADY
        kind[keys[e]] = min(own, kind.get(keys[e], own))
    for _ in model.couplings:
        for pair in model.couplings:
            a, b = keys[pair.a], keys[pair.b]
            kind[a] = kind[b] = min(kind[a], kind[b])
    return Measures(keys, tuple((varying + bent).tolist()), tuple(kind[key] for key in keys))


def fixed_gradients(model: ReducedModel, chart: Chart) -> tuple[Array, Array]:
    """Which measures (ne,) do not depend on table axes, and their gradients (nz, ne) without deflection."""
    rows, nf = chart_rows(model, chart), len(chart.axes)
    fixed = np.array([kind != Steadiness.VARYING for kind in measures(model).kind], dtype=bool)
    constant = np.concatenate([block.constant for block in chart.blocks])
    gradient = np.zeros((rows.nz, fixed.size))
    for row, column, i, j in chart.terms.tolist():
        if rows.measures.start <= row < rows.measures.stop and i >= 0 and j < 0:
            gradient[nf + i, row - rows.measures.start] += constant[column]
    return fixed, gradient
