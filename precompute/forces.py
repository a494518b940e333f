"""Springs, stops and dampers, and the scalar measures that they act on.  SI units and radians."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np

from precompute.arrays import Array, frozen_array


@dataclass(frozen=True, eq=False)
class Distance:
    """Distance between a point of one body and a point of another [m]."""

    body_a: str
    body_b: str
    p_a: Array  # (3,) at design in G [m]
    p_b: Array  # (3,) at design in G [m]

    def __post_init__(self) -> None:
        object.__setattr__(self, "p_a", frozen_array(self.p_a, (3,), "point"))
        object.__setattr__(self, "p_b", frozen_array(self.p_b, (3,), "point"))
        if self.body_a == self.body_b:
            raise ValueError(f"both ends are on body '{self.body_a}'")
        if float(np.linalg.norm(self.p_a - self.p_b)) == 0.0:
            raise ValueError("both ends are the same point at design: its length is zero and has no direction")


@dataclass(frozen=True)
class JointCoordinate:
    """Coordinate of one primitive of a joint, zero at design [rad or m]."""

    joint: str
    index: int = 0  # which primitive, from 0


@dataclass(frozen=True)
class MarkerCoordinate:
    """x, y or z of a marker, in G [m]."""

    marker: str
    axis: Literal["x", "y", "z"]


Measure = Distance | JointCoordinate | MarkerCoordinate


@dataclass(frozen=True, eq=False)
class ForceTable:
    """Piecewise linear force over deflection (or rate), continued beyond both ends with the end slopes."""

    x: Array  # (n,) ascending
    force: Array  # (n,)

    def __post_init__(self) -> None:
        object.__setattr__(self, "x", frozen_array(self.x))
        object.__setattr__(self, "force", frozen_array(self.force, self.x.shape, "force"))
        if self.x.ndim != 1 or self.x.size < 2:
            raise ValueError("a force table needs at least two rows")
        if not (np.diff(self.x) > 0.0).all():
            raise ValueError("the first column of a force table must ascend")


@dataclass(frozen=True, eq=False)
class Stop:
    """A one-sided spring that acts once its measure passes `at`.

    Either a stiffness or a force table over the penetration (from 0 with force 0).
    """

    at: float  # value of the measure where it engages
    stiffness: float | None = None  # [N/m] or [N m/rad]
    table: ForceTable | None = None

    def __post_init__(self) -> None:
        if (self.stiffness is None) == (self.table is None):
            raise ValueError("a stop takes either a stiffness or a table")
        if self.stiffness is not None and not (math.isfinite(self.stiffness) and self.stiffness >= 0.0):
            raise ValueError(f"stiffness is {self.stiffness:g}; it must be zero or positive")
        if self.table is not None and (self.table.x[0] != 0.0 or self.table.force[0] != 0.0):
            raise ValueError("the table of a stop must start with [0, 0]")
        if not math.isfinite(self.at):
            raise ValueError("the engagement value is not finite")


@dataclass(frozen=True, eq=False)
class Spring:
    """A spring on a measure s.  With deflection x = free_length - s its force is k x, or the table at x.

    A positive force pushes: it acts so as to make the measure grow.  `preload` is that force at the assembled design
    position and replaces `free_length`.
    """

    name: str
    on: Distance | JointCoordinate
    stiffness: float | None = None  # [N/m] or [N m/rad]
    table: ForceTable | None = None
    free_length: float | None = None  # [m] or [rad]
    preload: float | None = None  # [N] or [N m]
    bump_stop: Stop | None = None  # acts below its `at`
    rebound_stop: Stop | None = None  # acts above its `at`

    def __post_init__(self) -> None:
        if (self.stiffness is None) == (self.table is None):
            raise ValueError("takes either a stiffness or a table")
        if self.stiffness is not None and not (math.isfinite(self.stiffness) and self.stiffness >= 0.0):
            raise ValueError(f"stiffness is {self.stiffness:g}; it must be zero or positive")
        if (self.free_length is None) == (self.preload is None):
            raise ValueError("takes either a free_length or a preload")
        if not math.isfinite(self.free_length or 0.0) or not math.isfinite(self.preload or 0.0):
            raise ValueError("its free_length or preload is not finite")
        if self.preload is not None and self.stiffness == 0.0 and self.preload != 0.0:
            raise ValueError("has a preload but no stiffness")


@dataclass(frozen=True, eq=False)
class Damper:
    """A damper on a measure s: its force is -c ds/dt, or minus the table at ds/dt."""

    name: str
    on: Distance | JointCoordinate
    damping: float | None = None  # [N s/m] or [N m s/rad]
    table: ForceTable | None = None

    def __post_init__(self) -> None:
        if (self.damping is None) == (self.table is None):
            raise ValueError("takes either a damping or a table")
        if self.damping is not None and not (math.isfinite(self.damping) and self.damping >= 0.0):
            raise ValueError(f"damping is {self.damping:g}; it must be zero or positive")
