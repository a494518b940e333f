"""Which of the measures that forces act on vary: the gradients of the others hardly change, so their matrices are kept.

Elements that share a measure, and what bushings couple, vary if one of them does.  Bushings with Cardan angles always
vary, and so do those that devices are connected to: their forces act after the rows are read, through gradients that
are kept.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from fmu_src.model.laws import is_linear
from fmu_src.model.reduced_model import ReducedModel
from precompute.reduction.loose import LooseChart

Content = frozenset[tuple[int, ...]]
"""Chart, column and factors of each term of a measure."""


@dataclass(frozen=True)
class Measures:
    """What the force elements measure, element by element."""

    content: tuple[Content, ...]  # equal for elements that measure the same
    terms: tuple[int, ...]  # how many of the terms are not both constant and of first order
    varying: tuple[bool, ...]  # those that depend on table axes, have a law that is not linear, Cardan angles, a device


def measures(model: ReducedModel, charts: Sequence[LooseChart], place: slice) -> Measures:
    """Sort the measures of all elements; `place` is where they lie among the quantities of each chart."""
    content: list[set[tuple[int, ...]]] = [set() for _ in model.elements]
    over_axes, higher = np.zeros(len(content), dtype=int), np.zeros(len(content), dtype=int)
    for number, chart in enumerate(charts):
        varies = np.concatenate([(block.stored >= 0) | block.slope.any(axis=1) for block in chart.blocks])
        for quantity, column, *factors in chart.terms.tolist():
            if place.start <= quantity < place.stop:
                e = quantity - place.start
                content[e].add((number, column, *factors))
                over_axes[e] += varies[column]
                higher[e] += not varies[column] and sum(i >= 0 for i in factors) > 1
    keys = tuple(frozenset(terms) for terms in content)
    varying: dict[Content, bool] = {}
    for e, element in enumerate(model.elements):
        linear = all(is_linear(law) for law in element.laws) and len(charts) == 1
        varying[keys[e]] = bool(over_axes[e]) or not linear or varying.get(keys[e], False)
    for first in model.cardans:
        varying.update(dict.fromkeys(keys[first : first + 6], True))
    for device in model.devices:
        varying.update(dict.fromkeys((keys[c.element] for c in device.connections), True))
    for _ in model.couplings:
        for pair in model.couplings:
            a, b = keys[pair.a], keys[pair.b]
            varying[a] = varying[b] = varying[a] or varying[b]
    return Measures(keys, tuple((over_axes + higher).tolist()), tuple(varying[key] for key in keys))
