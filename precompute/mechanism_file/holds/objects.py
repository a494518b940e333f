"""Checked entries of a mechanism file -> couplings and constraints, in SI units and radians."""

from __future__ import annotations

import numpy as np

from precompute.geometry.smooth_curve import SmoothCurve
from precompute.mechanism_file.geometry import Geometry, placed
from precompute.mechanism_file.measure_objects import BuiltParts, measured
from precompute.mechanism_file.schema import hold_tables as t
from precompute.mechanism_file.schema.checks import fault
from precompute.model.mechanism import Combination, Constraint, Coupling, Following, Measure


def coupling(
    name: str, entry: t.CouplingEntry, geometry: Geometry, parts: BuiltParts, loads: str | tuple[str, ...] = ()
) -> Coupling:
    """A coupling; `loads` may say that all loads are asked for."""
    on = _sum(entry, geometry, parts) if entry.measures is not None else _following(entry, geometry, parts)
    return Coupling(name, on, entry.load or loads == "all")


def _sum(entry: t.CouplingEntry, geometry: Geometry, parts: BuiltParts) -> Measure:
    """The sum of measures; of angles among lengths the factors are radii."""
    of: list[Measure] = []
    for i, written in enumerate(entry.measures or ()):
        with placed("measures", i):
            measure, _ = measured(written, geometry, parts)
            if any(measure.same(other) for other in of):
                raise fault(f"is the {measure.name} once more; add up its factors")
            of.append(measure)
    angular = [measure.is_angle(parts) for measure in of]
    mixed = any(angular) and not all(angular)
    radius = geometry.units.measure()
    factors = [radius(f) if mixed and turns else f for f, turns in zip(entry.factors or (), angular, strict=True)]
    return Combination(tuple(of), tuple(factors), winds=mixed)


def _following(entry: t.CouplingEntry, geometry: Geometry, parts: BuiltParts) -> Measure:
    """One measure as a curve of another."""
    found = []
    for key in ("measure", "follows"):
        with placed(key):
            found.append(measured(getattr(entry, key), geometry, parts))
    (of, of_turns), (by, by_turns) = found
    x, y = np.array(entry.table).T
    curve = SmoothCurve(geometry.units.measure(by_turns)(x), geometry.units.measure(of_turns)(y))
    following = Following(of, by, curve)
    if problem := following.problem(parts):
        raise fault(problem, "follows")
    return following


def constraint(
    name: str, entry: t.ConstraintEntry, geometry: Geometry, loads: str | tuple[str, ...] = ()
) -> Constraint:
    """A constraint."""
    with placed("axis"):
        axis = geometry.direction(entry.axis)
    with placed("axis2"):
        axis2 = axis if entry.axis2 is None else geometry.direction(entry.axis2)
    with placed("at"):
        p_P, p_C = (np.zeros(3), np.zeros(3)) if entry.at is None else map(geometry.position, entry.at)
    load = entry.load or loads == "all"
    return Constraint(name, entry.type, entry.parent, entry.child, axis, axis2, p_P, p_C, load)
