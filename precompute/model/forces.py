"""Springs, stops, dampers, constant forces and bushings: force laws on measures.  SI units and radians."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Literal, get_args

import numpy as np

from precompute.arrays import Array, frozen_array
from precompute.measures.measure import Measure
from precompute.model.curve_keys import check_curve, curve_key
from precompute.model.joint_types import DIRECTIONS, Direction

BushingLaw = Literal["rotation_vector", "cardan"]
"""Which angles a bushing has, and how its moments act."""


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

    def slope(self, x: float) -> float:
        """Slope at x, of the piece to the right where two meet."""
        k = int(np.clip(np.searchsorted(self.x, x, side="right") - 1, 0, self.x.size - 2))
        return float((self.force[k + 1] - self.force[k]) / (self.x[k + 1] - self.x[k]))


@dataclass(frozen=True, eq=False)
class Stop:
    """A one-sided spring that acts once its measure passes `at`.

    Either a stiffness or a force table over the penetration (from 0 with force 0).
    """

    at: float  # value of the measure where it engages
    stiffness: float | None = curve_key(  # [N/m] or [N m/rad]
        "linear", "k", "Force per length, or torque per angle.", text="Stiffness of the stop"
    )
    table: ForceTable | None = curve_key("table", "table", "Rows [penetration, force], the first [0, 0].")

    def __post_init__(self) -> None:
        check_curve(self, "a stop ")
        if self.table is not None and (self.table.x[0] != 0.0 or self.table.force[0] != 0.0):
            raise ValueError("the table of a stop must start with [0, 0]")
        if not math.isfinite(self.at):
            raise ValueError("the engagement value is not finite")


Role = Literal["spring", "anti_roll_bar", "stop"]


@dataclass(frozen=True, eq=False)
class Spring:
    """A spring on a measure s.  With deflection x = free_length - s its force is k x, or the table at x.

    A positive force pushes: it acts so as to make the measure grow.  `preload` is that force at the assembled design
    position and replaces `free_length`, also in the FMU: there a stiffness can be changed without changing this force.
    With `static_preload` it is the force that holds the design position at rest.
    """

    name: str
    on: Measure
    stiffness: float | None = curve_key(  # [N/m] or [N m/rad]
        "linear", "k", "Force per length; on a joint angle torque per angle.", text="Stiffness"
    )
    table: ForceTable | None = curve_key(
        "table", "table", "Rows [x, force] over the deflection x = free_length - s, instead."
    )
    free_length: float | None = None  # [m] or [rad]
    preload: float | None = None  # [N] or [N m]
    bump_stop: Stop | None = None  # acts below its `at`
    rebound_stop: Stop | None = None  # acts above its `at`
    static_preload: bool = False  # neither free_length nor preload is given: statics finds it
    role: Role = "spring"  # how metrics count it; to the FMU all are springs

    def __post_init__(self) -> None:
        check_curve(self)
        if (self.free_length is not None) + (self.preload is not None) + self.static_preload != 1:
            raise ValueError("takes either a free_length or a preload")
        if self.static_preload and self.stiffness == 0.0:
            raise ValueError("has no stiffness, so that no preload can hold the design position")
        if not math.isfinite(self.free_length or 0.0) or not math.isfinite(self.preload or 0.0):
            raise ValueError("its free_length or preload is not finite")
        stops = (self.bump_stop is not None) + (self.rebound_stop is not None)
        if self.role == "stop" and (stops != 1 or self.stiffness != 0.0 or self.preload != 0.0):
            raise ValueError("is a stop, which has neither stiffness nor preload, and acts on one side")
        if self.role == "anti_roll_bar" and (stops or self.preload is None):
            raise ValueError("is an anti-roll bar, which has a preload and no stops")


@dataclass(frozen=True, eq=False)
class Damper:
    """A damper on a measure s: its force is -c ds/dt, or minus the table at ds/dt."""

    name: str
    on: Measure
    damping: float | None = curve_key(  # [N s/m] or [N m s/rad]
        "linear", "c", "Force * s / length; on a joint angle torque * s / angle.", text="Damping"
    )
    table: ForceTable | None = curve_key(
        "table", "table", "Rows [rate, force], instead; positive force resists a positive rate."
    )

    def __post_init__(self) -> None:
        check_curve(self)


@dataclass(frozen=True, eq=False)
class ConstantForce:
    """A constant force on a measure, positive if it makes the measure grow: the torque of a motor, a load."""

    name: str
    on: Measure
    value: float | None = curve_key(  # [N] or [N m]
        "constant",
        "value",
        "Force; on a joint angle torque. Positive makes the measure grow.",
        text="Constant force, positive if it makes the measure grow",
        signed=True,
    )

    def __post_init__(self) -> None:
        check_curve(self)


SYMMETRY = 1e-9
"""Relative slack of symmetry and of negative eigenvalues, for matrices that were rounded when they were written."""

NO_TABLES: tuple[ForceTable | None, ...] = (None,) * 6


@dataclass(frozen=True, eq=False)
class Bushing:
    """Six springs and dampers between two bodies at one point, in axes fixed to the parent.

    Deflection: delta = [d; theta], with d the position of the child's point relative to the parent's and theta the
    rotation of the child relative to the parent.  By its law theta is the rotation vector, and the generalized force on
    delta is

        f = preload - K delta - C d(delta)/dt                                               (1)

    where a direction with a table has the table at delta_i in place of K delta; or theta are the Cardan angles of
    `geometry.cardan_angles`, and force and moment on the child along and about the axes are

        f = preload - K delta - C [ddot; w]                                                 (2)

    with the angular velocity w of the child relative to the parent.  The moments of (1) have a potential, those of (2)
    have none.
    """

    name: str
    parent: str
    child: str
    p: Array  # (3,) at design in G [m]
    R: Array  # (3, 3) its axes e1, e2, e3 at design, as columns in G
    stiffness: Array = field(default_factory=lambda: np.zeros((6, 6)))  # (6, 6) [N/m, N/rad, N m/rad]
    damping: Array = field(default_factory=lambda: np.zeros((6, 6)))  # (6, 6) [N s/m, N s/rad, N m s/rad]
    preload: Array = field(default_factory=lambda: np.zeros(6))  # (6,) at zero deflection, on the child [N, N m]
    tables: tuple[ForceTable | None, ...] = NO_TABLES  # force that resists the deflection, by direction
    law: BushingLaw = "rotation_vector"

    def __post_init__(self) -> None:
        object.__setattr__(self, "p", frozen_array(self.p, (3,), "at"))
        object.__setattr__(self, "R", frozen_array(self.R, (3, 3), "axes"))
        object.__setattr__(self, "preload", frozen_array(self.preload, (6,), "preload"))
        object.__setattr__(self, "tables", tuple(self.tables))
        for what in ("stiffness", "damping"):
            object.__setattr__(self, what, frozen_array(getattr(self, what), (6, 6), what))
            if problem := semidefinite_problem(getattr(self, what)):
                raise ValueError(f"{what} {problem}")
        if self.parent == self.child:
            raise ValueError(f"joins body '{self.parent}' to itself; give it two bodies")
        if np.abs(self.R @ self.R.T - np.eye(3)).max() > 1e-9 or np.linalg.det(self.R) < 0.0:
            raise ValueError("its axes are not perpendicular, right-handed unit vectors")
        if self.law not in get_args(BushingLaw):
            raise ValueError(f"has the law '{self.law}'; known are {', '.join(get_args(BushingLaw))}")
        if len(self.tables) != 6:
            raise ValueError(f"has {len(self.tables)} tables, one for each of six directions is expected")
        for i, table in enumerate(self.tables):
            if table is not None and (self.stiffness[i].any() or self.stiffness[:, i].any()):
                raise ValueError(f"stiffness of direction {i + 1} must be zero, since a table takes its place")
            if table is not None and (np.diff(table.force) < 0.0).any():
                raise ValueError(f"table of direction {i + 1} falls: a negative stiffness; make its forces ascend")

    @property
    def resists_rotation(self) -> bool:
        """Whether a rotation alone meets a moment."""
        matrices = (self.stiffness[3:], self.damping[3:], self.preload[3:])
        return any(m.any() for m in matrices) or any(table is not None for table in self.tables[3:])

    def acts_along(self, direction: Direction) -> bool:
        """Whether it has a rate, a damping, a table or a preload in a direction of its own."""
        i = DIRECTIONS.index(direction)
        rates = (self.stiffness[i], self.damping[i], self.preload[i])
        return self.tables[i] is not None or any(bool(np.any(rate)) for rate in rates)

    @property
    def linear_stiffness(self) -> Array:
        """(6, 6) stiffness at zero deflection: K, with the slope of each table there."""
        K = np.array(self.stiffness)
        for i, table in enumerate(self.tables):
            if table is not None:
                K[i, i] = table.slope(0.0)
        return K


def semidefinite_problem(matrix: Array) -> str | None:
    """What is wrong with a stiffness or damping (6, 6), if anything: it must be symmetric and take up energy."""
    size = float(np.abs(matrix).max())
    i, j = np.unravel_index(int(np.argmax(np.abs(matrix - matrix.T))), matrix.shape)
    if abs(matrix[i, j] - matrix[j, i]) > SYMMETRY * size:
        return (
            f"is not symmetric: entry ({i + 1}, {j + 1}) is {matrix[i, j]:g} but ({j + 1}, {i + 1}) is "
            f"{matrix[j, i]:g}, in SI units"
        )
    worst = int(np.argmin(np.diag(matrix)))
    if matrix[worst, worst] < 0.0:
        return f"of direction {worst + 1} is negative, {matrix[worst, worst]:g} in SI units; make it zero or positive"
    lowest = float(np.linalg.eigvalsh(0.5 * (matrix + matrix.T))[0])
    if lowest < -SYMMETRY * size:
        return f"is indefinite: it gives energy away in one direction (eigenvalue {lowest:g}); check its off-diagonals"
    return None
