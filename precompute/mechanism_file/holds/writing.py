"""Couplings and constraints -> their tables in a mechanism file, in SI units and radians."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from precompute.mechanism_file.schema.measure_words import numbers, words_of
from precompute.model.mechanism import Constraint, Coupling, Following, Measure


def coupling_table(c: Coupling) -> dict[str, Any]:
    """A coupling."""
    return _COUPLED.get(type(c.of), _summed)(c.of) | ({"load": True} if c.load else {})


def _summed(of: Measure) -> dict[str, Any]:
    measures = [words_of(term).write(term) for _, term in of.terms]
    return {"measures": measures, "factors": [float(factor) for factor, _ in of.terms]}


def _followed(on: Following) -> dict[str, Any]:
    rows = [numbers(row) for row in np.column_stack([on.curve.x, on.curve.y])]
    return {"measure": words_of(on.of).write(on.of), "follows": words_of(on.by).write(on.by), "table": rows}


_COUPLED: dict[type[Measure], Callable[[Any], dict[str, Any]]] = {Following: _followed}
"""Measures that couplings write otherwise than as a sum."""


def constraint_table(c: Constraint) -> dict[str, Any]:
    """A constraint."""
    common = {"type": c.kind, "parent": c.parent, "child": c.child, "axis": numbers(c.axis)}
    ends = [numbers(c.p_P), numbers(c.p_C)]
    own = {"at": ends[0] if ends[0] == ends[1] else ends} if c.type.has_point else {"axis2": numbers(c.axis2)}
    return common | own | ({"load": True} if c.load else {})
