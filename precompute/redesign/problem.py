"""A change that is asked for, as constraints on what absorbs it: closed loops, and metrics that stay.

    x = [p; v],   Phi = [gaps of the loops; changes of metrics held] [m]                    (1)

with changes p of the variables that absorb it, and motions v of joints at design.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from precompute.arrays import Array
from precompute.design.propagation import Constraints
from precompute.design.variables import Variable
from precompute.redesign.closing import Loops, difference
from precompute.redesign.holding import Holds

KEPT = 1e-7
"""Derivatives of metrics, which cost most, are kept while x moves by less, over the reference length."""


@dataclass(frozen=True, eq=False)
class Problem:
    """What is asked for, and what may change for it."""

    loops: Loops
    holds: Holds
    asked: Mapping[str, float]  # changes of variables [SI]

    @property
    def rows_of_loops(self) -> int:
        """How many of Phi, the first."""
        return len(self.loops.closure.row_names)

    def share(self, of: float, held: bool = True) -> Constraints:
        """The constraints while a share of the change is made; closed loops alone if nothing is held."""
        variables, weights, held = self.loops.variables, self.loops.weights, held and bool(self.holds.all)
        last: list[tuple[Array, Array]] = []  # where metrics were differentiated last, and what they gave

        def constraints(x: Array) -> tuple[Array, Array]:
            changes, v = self.changes(x, of)
            by_motion = self.loops.columns(self.loops.design.moved(changes), v)
            J = np.hstack([self.columns(x, variables, of, held=False), by_motion])
            if held:
                if not last or np.linalg.norm(weights * (x - last[0][0])) > KEPT * self.loops.closure.length:
                    own = self.columns(x, variables, of, rough=True)[len(J) :]
                    last[:] = [(x, np.hstack([own, np.zeros((len(own), by_motion.shape[1]))]))]
                J = np.vstack([J, last[0][1]])
            return self.phi(x, of, held), J

        return constraints

    def changes(self, x: Array, share: float = 1.0) -> tuple[dict[str, float], Array]:
        """Changes of all variables [SI], and motions of all joints (nv,)."""
        absorbed, v = self.loops.split(x)
        return {name: share * change for name, change in self.asked.items()} | absorbed, v

    def phi(self, x: Array, share: float = 1.0, held: bool = True) -> Array:
        """Phi (m,) of (1)."""
        changes, v = self.changes(x, share)
        return self._phi(changes, v, held)

    def columns(
        self, x: Array, variables: Iterable[Variable], share: float = 1.0, held: bool = True, rough: bool = False
    ) -> Array:
        """(m, k) its derivatives along variables, of x or others."""
        changes, v = self.changes(x, share)
        length, rows = self.loops.closure.length, self.rows_of_loops + held * len(self.holds.all)
        found = [difference(lambda more: self._phi(more, v, held), each, changes, length, rough) for each in variables]
        return np.stack(found, axis=-1) if found else np.zeros((rows, 0))

    def _phi(self, changes: Mapping[str, float], v: Array, held: bool) -> Array:
        m = self.loops.design.moved(changes)
        gaps = self.loops.gaps(m, v)
        return np.concatenate([gaps, self.holds.gaps(m)]) if held else gaps
