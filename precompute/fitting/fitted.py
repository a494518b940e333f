"""What was found, and what follows from it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from precompute.arrays import Array
from precompute.design import Design, Variable
from precompute.fitting.certainty import Certainty
from precompute.fitting.curves import At, Curves
from precompute.fitting.targets import Target
from precompute.mechanism_file.reading import parse_document
from precompute.mechanism_file.retouch import joined_places
from precompute.model.mechanism import Mechanism

AT_BOUND = 1e-3
"""A variable that is nearer to its bound than this share of its range is at it."""


@dataclass(frozen=True, eq=False)
class Fitted:
    """What was found."""

    curves: Curves
    source: str  # the name of the targets
    ranges: Array  # (n,) [SI]
    before: At
    after: At
    J: Array  # (m, n) of values by variables [SI], after
    tried: int  # changed mechanisms
    settled: bool

    @property
    def changes(self) -> dict[str, float]:
        """Of variables [SI]."""
        return dict(self.after.changes)

    def value(self, variable: Variable) -> float:
        """What a variable is then [SI]: what follows from a rule is that with all changes."""
        if variable.kind == "derived":
            return Design.of(self.after.stand.mechanism).variables[variable.name].value
        return variable.value + self.changes[variable.name]

    @property
    def document(self) -> dict[str, Any]:
        """Of the mechanism with these."""
        return joined_places(self.curves.design.edited(self.changes))

    @property
    def mechanism(self) -> Mechanism:
        """The mechanism with these."""
        return parse_document(self.document)

    @property
    def x(self) -> Array:
        """(n,) changes in parts of the ranges."""
        return np.array([*self.after.changes.values()]) / self.ranges

    @property
    def at_bound(self) -> NDArray[np.bool_]:
        """(n,) variables that would go farther."""
        return np.abs(self.x) > 1.0 - AT_BOUND

    @cached_property
    def certainty(self) -> Certainty:
        """What the data determine."""
        J = self.J * self.ranges / self.curves.scales[:, None]
        return Certainty(J, self.curves.residuals(self.after), self.at_bound)

    @property
    def intervals(self) -> dict[str, float]:
        """Half of the 95 % interval of each variable [SI]; nan where there is none."""
        found = self.certainty.intervals * self.ranges
        return {v.name: float(x) for v, x in zip(self.curves.variables, found, strict=True)}

    def errors(self, target: Target, at: At) -> Array:
        """(n,) how far a curve is off [SI]."""
        own = self.curves.numbers(target)
        return at.values[own] - target.values
