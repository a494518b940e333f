"""How the measures that forces act on depend on the coordinates: some have gradients that hardly change, or never.

Elements that share a measure, and what bushings couple, are as steady as the least steady of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum

import numpy as np

from fmu_src.model.laws import is_linear
from fmu_src.model.reduced_model import ReducedModel
from precompute.reduction.loose import LooseChart

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


def measures(model: ReducedModel, charts: Sequence[LooseChart], place: slice) -> Measures:
    """Sort the measures of all elements; `place` is where they lie among the quantities of each chart."""
    content: list[set[tuple[int, int, int, int]]] = [set() for _ in model.elements]
    varying, bent = np.zeros(len(content), dtype=int), np.zeros(len(content), dtype=int)
    for number, chart in enumerate(charts):
        varies = np.concatenate([(block.stored >= 0) | block.slope.any(axis=1) for block in chart.blocks])
        for quantity, column, i, j in chart.terms.tolist():
            if place.start <= quantity < place.stop:
                e = quantity - place.start
                content[e].add((number, column, i, j))
                varying[e] += varies[column]
                bent[e] += not varies[column] and j >= 0
    keys = tuple(frozenset(terms) for terms in content)
    kind: dict[Content, Steadiness] = {}
    for e, element in enumerate(model.elements):
        linear = all(is_linear(law) for law in element.laws) and len(charts) == 1
        own = Steadiness.VARYING if varying[e] or not linear else Steadiness.BENT if bent[e] else Steadiness.STEADY
        kind[keys[e]] = min(own, kind.get(keys[e], own))
    for _ in model.couplings:
        for pair in model.couplings:
            a, b = keys[pair.a], keys[pair.b]
            kind[a] = kind[b] = min(kind[a], kind[b])
    return Measures(keys, tuple((varying + bent).tolist()), tuple(kind[key] for key in keys))
