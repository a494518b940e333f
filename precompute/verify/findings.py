"""What a verification finds: differences, each with the limit that it is held to, and how far coordinates were moved.

`kinematic_check` gives these of configurations all over the tables, `dynamic_check` of a motion; verification has both.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

HARDLY = 0.2
"""A coordinate that covered less than this share of its table is warned of."""


@dataclass(frozen=True)
class Difference:
    """The largest difference of one quantity between an FMU, or its tables, and an independent model."""

    quantity: str  # e.g. "marker.wheel.r"
    unit: str  # mm, deg, N, N m, ...
    error: float  # largest, in that unit
    where: str  # in words: "0.213 s", or "pitman 12 deg, shock -30 mm"
    span: float  # how far the quantity moved, in that unit
    limit: float  # largest error that passes, in that unit

    @property
    def passes(self) -> bool:
        """Within its limit; what is not a number is not."""
        return self.error <= self.limit

    @property
    def excess(self) -> float:
        """Error over limit, infinite if that is no number."""
        if self.error == 0.0:
            return 0.0
        share = self.error / self.limit if self.limit > 0.0 else math.inf
        return math.inf if math.isnan(share) else share


@dataclass(frozen=True)
class Coverage:
    """How much of a table axis, or of the range of a stiff coordinate, was visited."""

    coordinate: str
    unit: str  # of the numbers: that of the mechanism's file
    covered: tuple[float, float]  # from, to
    table: tuple[float, float]  # from, to
    limited_by: str = ""  # what kept it from covering more, in words, where that is known

    @property
    def share(self) -> float:
        """Of the table, 0 to 1; all of a table without width."""
        width = self.table[1] - self.table[0]
        return 1.0 if width <= 0.0 else max(0.0, min(1.0, (self.covered[1] - self.covered[0]) / width))

    @property
    def hardly(self) -> bool:
        """Whether so little was visited that the differences say little."""
        return not self.share >= HARDLY


@dataclass(frozen=True)
class KinematicCheck:
    """Tables against kinematics in natural coordinates, at configurations all over them."""

    configurations: int
    differences: tuple[Difference, ...]
    coverage: tuple[Coverage, ...]
    notes: tuple[str, ...] = ()  # what was not compared, and why
