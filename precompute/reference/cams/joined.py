"""Couplings and cams of the full model as one set of constraints between measures."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from scipy.linalg import block_diag

from precompute.arrays import Array
from precompute.model.mechanism import Measure, Mechanism
from precompute.reference.cams.constraints import Cams, all_cams
from precompute.reference.couplings import Couplings, all_couplings


@dataclass(frozen=True, eq=False)
class Joined:
    """Constraints c(s) = 0 of terms s, measures of the model: first those of couplings, then those of cams."""

    plain: Couplings
    cams: Cams

    @property
    def labels(self) -> tuple[str, ...]:
        """(k,) whose constraint each is."""
        return (*self.plain.labels, *self.cams.labels)

    @property
    def terms(self) -> tuple[Measure, ...]:
        """(nt,)."""
        return (*self.plain.terms, *self.cams.terms)

    @property
    def unit(self) -> Array:
        """(k,) factor that takes the unit from a constraint."""
        return np.concatenate([self.plain.unit, self.cams.unit])

    def gap(self, s: Array) -> Array:
        """(k,) without units, from the terms (nt,)."""
        a, b = self._split(s)
        return np.concatenate([self.plain.gap(a), self.cams.gap(b)])

    def slopes(self, s: Array) -> Array:
        """(k, nt) of them along the terms, without units."""
        a, b = self._split(s)
        return np.asarray(block_diag(self.plain.slopes(a), self.cams.slopes(b)))

    def curvature(self, s: Array, rate: Array, second: Array) -> Array:
        """(k,) second time derivatives, without units, from values, rates and second derivatives (nt,) of the terms."""
        a, b = zip(*(self._split(each) for each in (s, rate, second)), strict=True)
        return np.concatenate([self.plain.curvature(*a), self.cams.curvature(*b)])

    def drawn(self, s: Array) -> Joined:
        """The same held at what they are when the terms are s (nt,)."""
        a, b = self._split(s)
        return replace(self, plain=self.plain.drawn(a), cams=self.cams.drawn(b))

    def beyond(self, s: Array) -> Array:
        """(number of cams, 2) as `Cams` says."""
        return self.cams.beyond(self._split(s)[1])

    def holding(self, s: Array) -> Joined:
        """With cams on the parts of their outlines on which they are where the terms are s (nt,)."""
        return replace(self, cams=self.cams.holding(self._split(s)[1]))

    def passing(self, number: int, by: int) -> Joined:
        """With a cam on the part after that, or on the one before."""
        return replace(self, cams=self.cams.passing(number, by))

    def read(self, s: Array, rate: Array) -> dict[str, tuple[float, float]]:
        """What is read of cams, by the names of the measures: values and rates, from those of the terms (nt,)."""
        return self.cams.read(self._split(s)[1], self._split(rate)[1])

    def followed(self, s: Array, rate: Array) -> dict[tuple[str, str], tuple[float, float, Array]]:
        """What elements may be connected to, by cam: values, rates and slopes (nt,), from values and rates (nt,).

        Asked for several times at each state, so what was found last is kept.
        """
        key = s.tobytes() + rate.tobytes()
        if key not in self._last:
            own = len(self.plain.terms)
            found = self.cams.followed(s[own:], rate[own:]).items()
            self._last.clear()
            self._last[key] = {
                on: (value, r, np.concatenate([np.zeros(own), slope])) for on, (value, r, slope) in found
            }
        return self._last[key]

    @cached_property
    def _last(self) -> dict[bytes, dict[tuple[str, str], tuple[float, float, Array]]]:
        """One state and what was found there."""
        return {}

    def _split(self, s: Array) -> tuple[Array, Array]:
        own = len(self.plain.terms)
        return s[:own], s[own:]


def joined(mechanism: Mechanism, size: float) -> Joined:
    """Those of a mechanism of some size [m]."""
    return Joined(all_couplings(mechanism, size), all_cams(mechanism, size))
