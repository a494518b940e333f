"""What a verification finds: differences, each with the limit that it is held to, and how far coordinates were moved.

`kinematic_check` gives these of configurations all over the tables, `dynamic_check` of a motion.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

HARDLY = 0.2
"""A coordinate that covered less than this share of its table is warned of."""

NOTHING = 0.01
"""A motion that covered less than this share of every table has shown nothing."""

MOST_NAMES = 4
"""Of quantities in a sentence."""

MILDER = 10.0
"""What the FMU errs in steps of its own may be so much more than its tables: shorter steps are to be had."""


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


Spans = Mapping[str, tuple[float, float]]
"""From, to, by symbol; SI."""


@dataclass(frozen=True)
class DeviceCoverage:
    """How far an element with formulas was moved."""

    name: str
    states: Spans
    forces: Spans
    inputs: Spans

    @property
    def idle(self) -> bool:
        """Whether it did nothing: no force ever acted, no state changed."""
        acted = any(low or high for low, high in self.forces.values())
        return not acted and all(low == high for low, high in self.states.values())


@dataclass(frozen=True)
class KinematicCheck:
    """Tables against kinematics in natural coordinates, at configurations all over them."""

    configurations: int
    differences: tuple[Difference, ...]
    coverage: tuple[Coverage, ...]
    notes: tuple[str, ...] = ()  # what was not compared, and why

    @property
    def faults(self) -> tuple[str, ...]:
        """Why it does not pass, in words; none if it does."""
        return tuple(above("what the tables hold", self.differences))


@dataclass(frozen=True)
class DynamicCheck:
    """A motion of the FMU against one of the full model."""

    manner: str  # what moved it, in words
    stop: float  # [s] up to where it was compared
    legs: int  # runs, one after the other
    residual: float  # of the full model's constraints [m]
    differences: tuple[Difference, ...]  # of the tables: the FMU in fine steps
    own: tuple[Difference, ...]  # the same of the FMU in steps of its own
    step: float  # [s] its own
    fine: float  # [s] the fine ones
    coverage: tuple[Coverage, ...]
    devices: tuple[DeviceCoverage, ...]
    strained: str  # the stiff coordinate that strained the tables most; "" if none
    strain: float  # how much, as a share of what they are good for
    notes: tuple[str, ...]  # what was not compared, or not on equal terms
    warnings: tuple[str, ...]  # what the FMU said
    failure: str  # why the two did not get to the end together; "" if they did

    def worst(self, unit: str) -> Difference | None:
        """The largest difference in that unit."""
        return max((d for d in self.differences if d.unit == unit), key=lambda d: d.error, default=None)

    @property
    def faults(self) -> tuple[str, ...]:
        """Why it does not pass, in words; none if it does."""
        found = [f"the motion ended early: {self.failure}"] if self.failure else []
        found += above("the motion", self.differences)
        coarse = [d for d in self.own if not d.error <= MILDER * d.limit]
        if coarse and not found:
            found += above(f"the FMU in its own steps of {self.step:g} s", coarse)
        if all(c.share < NOTHING for c in self.coverage):
            found.append("the motion covered nothing: no coordinate moved by 1 % of its table")
        if self.devices and all(device.idle for device in self.devices):
            found.append("the motion covered none of its elements: no force acted, no state changed")
        return tuple(found)


def above(what: str, differences: Iterable[Difference]) -> list[str]:
    """That some differences are above their limits, the worst first; or nothing."""
    bad = sorted((d for d in differences if not d.passes), key=lambda d: -d.excess)
    if not bad:
        return []
    names = ", ".join(d.quantity for d in bad[:MOST_NAMES])
    more = f" and {len(bad) - MOST_NAMES} more" if len(bad) > MOST_NAMES else ""
    return [f"{what} differs by more than it may in {names}{more}"]
