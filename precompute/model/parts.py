"""Bodies, rods, markers, ports and measures that are read, at the design position in G, in SI units and radians."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from precompute.arrays import Array, frozen_array, unit_vector
from precompute.measures.distance import Distance
from precompute.measures.measure import Measure
from precompute.units import Units

GROUND = "ground"

INERTIA_TOLERANCE = 1e-9
"""Relative slack of the triangle inequality, for tensors that were rounded when they were written down."""


@dataclass(frozen=True, eq=False)
class Body:
    """A rigid body."""

    name: str
    mass: float  # [kg]
    com: Array  # (3,)   centre of mass at design, in G [m]
    inertia: Array  # (3, 3) about the centre of mass, in G axes at design [kg m2]
    allow_unphysical_inertia: bool = False  # principal moments that no real body has are meant so

    def __post_init__(self) -> None:
        object.__setattr__(self, "com", frozen_array(self.com, (3,), "com"))
        object.__setattr__(self, "inertia", frozen_array(self.inertia, (3, 3), "inertia"))
        if not (math.isfinite(self.mass) and self.mass >= 0.0):
            raise ValueError(f"mass is {self.mass:g} kg; it must be zero or positive")
        if problem := inertia_problem(self.inertia, Units()):
            raise ValueError(problem)


def inertia_problem(inertia: Array, units: Units) -> str | None:
    """Why no equations of motion can be made with a tensor (3, 3), in the units of the file; None if they can."""
    if not np.allclose(inertia, inertia.T, rtol=0.0, atol=INERTIA_TOLERANCE * np.abs(inertia).max()):
        return "the inertia tensor is not symmetric"
    smallest, _, largest = np.linalg.eigvalsh(inertia).tolist()
    slack = INERTIA_TOLERANCE * max(abs(largest), abs(smallest))
    if smallest < -slack:
        return (
            f"the inertia tensor has a negative principal moment, {units.shown(smallest, 'inertia')}; check the "
            "numbers and the products' signs"
        )
    if smallest <= slack and (violated := violated_triangle(inertia, units)):
        return f"{violated}, and the smallest is zero; check the numbers"
    return None


def violated_triangle(inertia: Array, units: Units) -> str | None:
    """What is wrong with principal moments of which the largest exceeds the sum of the others; None if it does not."""
    a, b, c = np.linalg.eigvalsh(inertia).tolist()
    if a + b >= c - INERTIA_TOLERANCE * c:
        return None
    small, middle, _ = (units.shown(moment, "inertia").split()[0] for moment in (a, b, c))
    return (
        f"the principal moments {small}, {middle} and {units.shown(c, 'inertia')} violate the triangle inequality (the "
        f"largest is {100.0 * (c / (a + b) - 1.0) if a + b > 0.0 else 100.0:.3g} % above the sum of the others): no "
        "rigid body has them"
    )


@dataclass(frozen=True, eq=False)
class Rod:
    """A massless link of constant length between a point of one body and a point of another."""

    name: str
    parent: str
    child: str
    p_P: Array  # (3,) end on the parent, at design in G [m]
    p_C: Array  # (3,) end on the child, at design in G [m]
    length: float  # [m]
    load: bool = False  # whether its force is an output

    def __post_init__(self) -> None:
        object.__setattr__(self, "p_P", frozen_array(self.p_P, (3,), "at"))
        object.__setattr__(self, "p_C", frozen_array(self.p_C, (3,), "at"))
        if self.parent == self.child:
            raise ValueError(f"joins body '{self.parent}' to itself")
        if (self.p_P == self.p_C).all():
            raise ValueError("both ends coincide at design: they give its length no direction")
        if not (math.isfinite(self.length) and self.length > 0.0):
            raise ValueError(f"length is {self.length:g} m; it must be positive")

    @property
    def distance(self) -> Distance:
        """The measure that it holds at its length."""
        return Distance(self.parent, self.child, self.p_P, self.p_C)


@dataclass(frozen=True, eq=False)
class Marker:
    """A point or frame on a body whose motion is an output."""

    name: str
    body: str
    p: Array  # (3,) at design in G [m]
    R: Array = field(default_factory=lambda: np.eye(3))  # (3, 3) its axes at design, in G
    spin_axis: Array | None = None  # (3,) unit; a wheel's axis at design, pointing outboard
    acceleration: bool = False  # whether its accelerations are outputs too

    def __post_init__(self) -> None:
        object.__setattr__(self, "p", frozen_array(self.p, (3,), "at"))
        object.__setattr__(self, "R", frozen_array(self.R, (3, 3), "axes"))
        if np.abs(self.R @ self.R.T - np.eye(3)).max() > 1e-9 or np.linalg.det(self.R) < 0.0:
            raise ValueError("its axes are not perpendicular, right-handed unit vectors")
        if self.spin_axis is not None:
            axis = frozen_array(self.spin_axis, (3,), "spin_axis")
            if float(np.linalg.norm(axis)) == 0.0:
                raise ValueError("spin_axis has zero length")
            if float(np.linalg.norm(axis[:2])) == 0.0:
                raise ValueError("spin_axis is vertical: steer and camber have no meaning")
            object.__setattr__(self, "spin_axis", unit_vector(axis))


@dataclass(frozen=True)
class Port:
    """A marker that accepts a force and a moment, both in G axes; with their values until a master sets others."""

    name: str
    marker: str
    force: tuple[float, float, float] = (0.0, 0.0, 0.0)  # [N]
    moment: tuple[float, float, float] = (0.0, 0.0, 0.0)  # [N m]

    def __post_init__(self) -> None:
        if not all(math.isfinite(x) for x in (*self.force, *self.moment)):
            raise ValueError("its force or moment is not finite")


@dataclass(frozen=True, eq=False)
class ReadMeasure:
    """A measure whose value and rate are outputs."""

    name: str
    of: Measure
    owner: str = "measure"  # begins the name of the outputs

    @property
    def output(self) -> str:
        """What the output is called."""
        return f"{self.owner}.{self.name}"


Quantity = Literal["length", "angle", "mass", "inertia"]


@dataclass(frozen=True)
class DesignParameter:
    """A design variable of the mechanism that is a parameter of its FMU."""

    name: str
    of: str  # the variable, e.g. "point.outer.z"
    range: float  # so far either way its tables are made [SI]

    def __post_init__(self) -> None:
        if not (math.isfinite(self.range) and self.range > 0.0):
            raise ValueError(f"range is {self.range:g}; it must be positive")

    @property
    def quantity(self) -> Quantity:
        """What it changes."""
        return variable_quantity(self.of)


def variable_quantity(variable: str) -> Quantity:
    """What a design variable is, by its name; of those that are no parameters of the FMU anyway."""
    words = variable.split(".")
    if words[0] == "body" and words[-2:-1] == ["inertia"]:
        return "inertia"
    if words[0] == "body" and words[-1] == "mass":
        return "mass"
    return "angle" if words[-1] in ("rx", "ry", "rz", "toe", "camber") else "length"
