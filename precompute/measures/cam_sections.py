"""Which piece of a cam's profile holds, by the value of a coordinate and not by the place of contact.

Where deflections move the contact, its place passes a border of the profile a little earlier or later than without
them.  Taylor polynomials in the deflections know nothing of that: they go on smoothly with the piece that they were
made on.  So does a cam whose pieces are told by a coordinate, each a little beyond its end.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np

from precompute.arrays import Array
from precompute.cams.track import Numbers
from precompute.measures.interfaces import Places
from precompute.measures.measure import Measure


@final
@dataclass(frozen=True, eq=False)
class CamSections:
    """Pieces of a track along a coordinate."""

    of: Measure  # the coordinate
    lower: float  # of its range [m or rad]
    period: float | None  # of one that comes back to the same place
    begins: Array  # (n,) ascending: where another piece begins, inside the range [m or rad]
    pieces: Numbers  # (n + 1,) before the first of these, and from each of them on

    def held(self, at: Places) -> Numbers:
        """The piece of each configuration (...)."""
        value = self.of.value(at)
        if self.period is not None:
            value = self.lower + np.mod(value - self.lower, self.period)
        return self.pieces[np.searchsorted(self.begins, value, side="right")]
