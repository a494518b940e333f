"""What design parameters change besides tables: masses, values of measures at design, axes of markers, wheels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from fmu_src.model.designs import numbers_of
from fmu_src.model.reduced_model import DesignNumber, ReducedModel
from precompute.arrays import Array
from precompute.planning.plan import Survey
from precompute.reduction.reduced import bare_model
from precompute.variants.polynomials import Signs, coefficients
from precompute.variants.surveys import Variants, design_infos

SMALL = 1e-13
"""Changes of less than this, of the number or of 1, are rounding."""


def with_designs(model: ReducedModel, variants: Variants, errors: Sequence[Sequence[float]]) -> ReducedModel:
    """The model with its design parameters, and what they change besides tables.

    Args:
        model: of the base, with tables that have their changes.
        variants: all designs.
        errors: (parameters + 1, 3) of these tables, by kind, as `with_changes` gives them.
    """
    count = len(variants.parameters)
    surveys: Mapping[Signs, Survey] = {(0,) * count: variants.base, **variants.surveys}
    bare = {signs: bare_model(s.mechanism, s.resolved, s.design, s.atlas) for signs, s in surveys.items()}
    known = {signs: numbers_of(each) for signs, each in bare.items()}
    keys = list(known[(0,) * count])
    values: dict[Signs, Array] = {signs: np.array([found[key] for key in keys]) for signs, found in known.items()}
    parts = coefficients(count, values)
    least = SMALL * np.maximum(1.0, np.abs(values[(0,) * count]))
    changed = np.flatnonzero((np.abs(parts) > least).any(axis=0))
    numbers = tuple(DesignNumber(*keys[i], tuple(parts[:, i].tolist())) for i in changed)
    *alone, together = [(float(a), float(b), float(c)) for a, b, c in errors]
    return replace(model, designs=design_infos(variants, alone), design_numbers=numbers, designs_together=together)
