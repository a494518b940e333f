"""What a mechanism holds besides its joints: measures that keep their values.

A rod keeps a distance, a coupling a sum of measures (gears, ropes, belts, racks), a constraint a point or a direction
of one body where another has it.  Each is one or more scalar equations, `HeldRow`.  Whoever solves for the motion,
orders equations, looks for parts that move alone or tells what carries a load takes all of them from `Mechanism.held`,
and asks none what it is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from precompute.arrays import Array, frozen_array, unit_vector
from precompute.geometry.spatial import Transform
from precompute.measures.direction_cosine import DirectionCosine
from precompute.measures.measure import Measure
from precompute.measures.plane_distance import PlaneDistance
from precompute.model.joints import plane_axes
from precompute.model.parts import Rod

HoldKind = Literal["point_on_plane", "point_on_line", "perpendicular", "parallel", "equal_angle"]


@dataclass(frozen=True, eq=False)
class HeldRow:
    """One scalar equation: a measure that is held."""

    label: str  # whose it is, in messages and reports
    measure: Measure
    value: float | None  # [m or rad]; None: what it is where the mechanism is drawn
    output: str  # what its force is called among the outputs
    text: str  # the same for people
    load: bool  # whether that is an output
    pulls: bool = False  # whether its force counts as tension: positive where it keeps the measure from growing


@dataclass(frozen=True, eq=False)
class Coupling:
    """A measure that stays as it is drawn: most often a sum, as of the angles of two gears."""

    name: str
    of: Measure
    load: bool = False  # whether its force is an output

    @property
    def rows(self) -> tuple[HeldRow, ...]:
        """What it holds."""
        label = f"coupling.{self.name}"
        return (HeldRow(label, self.of, None, f"{label}.force", f"coupling {self.name}", self.load),)


@dataclass(frozen=True, eq=False)
class Constraint:
    """A point or a direction of the child that stays where the parent has it."""

    name: str
    kind: HoldKind
    parent: str
    child: str
    axis: Array  # (3,) unit, on the parent at design in G: normal of the plane, direction of the line, a direction
    axis2: Array  # (3,) unit, on the child at design in G: its direction
    p_P: Array  # (3,) a point of the plane or line, at design in G [m]
    p_C: Array  # (3,) the point of the child, at design in G [m]
    load: bool = False  # whether its force is an output

    def __post_init__(self) -> None:
        for what in ("axis", "axis2"):
            object.__setattr__(self, what, unit_vector(frozen_array(getattr(self, what), (3,), what)))
        for what in ("p_P", "p_C"):
            object.__setattr__(self, what, frozen_array(getattr(self, what), (3,), "at"))
        if self.parent == self.child:
            raise ValueError(f"is between body '{self.parent}' and itself")

    def redrawn(self, parent: Transform, child: Transform) -> Constraint:
        """The same where its bodies have moved to; one point of both is that of the child, as it may be."""
        p_C = child.point(self.p_C)
        p_P = p_C if np.array_equal(self.p_P, self.p_C) else parent.point(self.p_P)
        return replace(self, axis=parent.R @ self.axis, axis2=child.R @ self.axis2, p_P=p_P, p_C=p_C)

    @property
    def type(self) -> ConstraintType:
        """What is said of its kind."""
        return CONSTRAINT_TYPES[self.kind]

    @property
    def rows(self) -> tuple[HeldRow, ...]:
        """What it holds."""
        measures = self.type.measures(self)
        label, value = f"constraint.{self.name}", None if self.kind == "equal_angle" else 0.0
        numbers = [f"[{i + 1}]" for i in range(len(measures))] if len(measures) > 1 else [""]
        return tuple(
            HeldRow(label, on, value, f"{label}.force{n}", f"constraint {self.name}{n}", self.load)
            for n, on in zip(numbers, measures, strict=True)
        )


@dataclass(frozen=True)
class ConstraintType:
    """A kind of constraint."""

    text: str
    has_point: bool  # whether it speaks of a point of the child; else of a direction of the child
    measures: Callable[[Constraint], tuple[Measure, ...]]


def on_plane(c: Constraint, normal: Array) -> Measure:
    """Height of the child's point above a plane of the parent through its point."""
    return PlaneDistance(c.child, c.parent, c.p_C, c.p_P, normal)


def angle(c: Constraint, axis: Array) -> Measure:
    """Cosine of the angle between a direction of the parent and that of the child."""
    return DirectionCosine(c.parent, c.child, axis, c.axis2)


CONSTRAINT_TYPES: Mapping[HoldKind, ConstraintType] = {
    "point_on_plane": ConstraintType("a point stays on a plane", True, lambda c: (on_plane(c, c.axis),)),
    "point_on_line": ConstraintType(
        "a point stays on a line", True, lambda c: tuple(on_plane(c, a) for a in plane_axes(c.axis))
    ),
    "perpendicular": ConstraintType("two directions stay perpendicular", False, lambda c: (angle(c, c.axis),)),
    "parallel": ConstraintType(
        "two directions stay parallel", False, lambda c: tuple(angle(c, a) for a in plane_axes(c.axis))
    ),
    "equal_angle": ConstraintType("two directions keep their angle", False, lambda c: (angle(c, c.axis),)),
}
"""All kinds, by their word in the file."""


def rod_row(rod: Rod) -> HeldRow:
    """The length of a rod."""
    return HeldRow(rod.name, rod.distance, rod.length, f"rod.{rod.name}.force", f"rod {rod.name}", rod.load, pulls=True)


def held_rows(
    rods: Iterable[Rod], couplings: Iterable[Coupling], constraints: Iterable[Constraint]
) -> tuple[HeldRow, ...]:
    """All that a mechanism holds."""
    summed = (row for coupling in couplings for row in coupling.rows)
    return (*map(rod_row, rods), *summed, *(row for held in constraints for row in held.rows))


def held_problems(couplings: Iterable[Coupling], constraints: Iterable[Constraint]) -> list[str]:
    """Couplings and constraints that say nothing, or what another says already."""
    problems = []
    known: list[tuple[str, Measure]] = []
    for c in couplings:
        if other := next((name for name, of in known if of.same(c.of)), None):
            problems.append(f"couplings.{c.name}: holds the same as couplings.{other}; take one of them out")
        known.append((c.name, c.of))
    for held in constraints:
        problems += [f"constraints.{held.name}: {text}" for text in _constraint_problems(held)]
    return problems


SQUARE = 1e-6
"""Directions are taken as they are drawn if they are so much off [rad]."""


def _constraint_problems(c: Constraint) -> list[str]:
    across = float(np.linalg.norm(np.cross(c.axis, c.axis2)))
    if c.kind == "equal_angle" and across < SQUARE:
        return ['its directions are parallel, where the angle between them has no rate; use type = "parallel"']
    if c.kind == "perpendicular" and across < SQUARE:
        return ["its directions are parallel at design, and so nowhere near perpendicular; check 'axis' and 'axis2'"]
    if c.kind == "parallel" and abs(float(c.axis @ c.axis2)) < SQUARE:
        return ["its directions are perpendicular at design, and so nowhere near parallel; check 'axis' and 'axis2'"]
    return []
