"""The mechanism with design parameters at the ends of their ranges, found to be as the base is, but for numbers.

All that is tabulated is tabulated over the same coordinates with the same ranges, so that tables can be added up.  The
mechanism at each of these designs must satisfy:

  1. it can be assembled, and moved over the whole range of the base;
  2. it keeps to the plan of the base: nothing depends on a coordinate that the base excludes;
  3. the change reaches no parameter of the FMU: that can be set as it is.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from fmu_src.model.reduced_model import DesignInfo
from fmu_src.model.units import DisplayUnit
from precompute.coordinates.charts import Atlas, Piece
from precompute.coordinates.independent import choose_coordinates
from precompute.design import Design
from precompute.errors import MechanismError, PrecomputeError
from precompute.kinematics.assembly import close_loops
from precompute.kinematics.topology import spanning_tree
from precompute.model.mechanism import Coordinate, DesignParameter, Mechanism
from precompute.planning.keeping import check_structure, keep_to
from precompute.planning.plan import Plan, Survey, plan_of
from precompute.planning.reach import walk_blocks
from precompute.reduction.expansion import moved as deflected
from precompute.reduction.reduced import resolve
from precompute.tables.grid import BESIDE
from precompute.tables.layout import find_layout
from precompute.variants.polynomials import Signs, designs

SI = {"length": "m", "angle": "rad", "mass": "kg", "inertia": "kg.m2"}

TUNABLE = ("spring", "anti_roll_bar", "stop", "damper", "force", "bushing")
"""Objects whose numbers are parameters of the FMU; places of them are not."""

UNUSED = ("unloaded_radius", "tyre_rate")
"""Of wheels, what their motion does not depend on."""


@dataclass(frozen=True, eq=False)
class Variants:
    """A mechanism that has design parameters, and what it is with others."""

    parameters: tuple[DesignParameter, ...]
    design: Design
    base: Survey
    plan: Plan
    surveys: Mapping[Signs, Survey]

    def at(self, u: Sequence[float]) -> Survey:
        """The mechanism with each parameter at u times its range.

        Raises:
            PrecomputeError: it cannot be moved there, or is another one.
        """
        changes = {p.of: x * p.range for p, x in zip(self.parameters, u, strict=True) if x}
        return moved_survey(self.base, self.plan, self.design.moved(changes))


def find_variants(base: Survey) -> Variants:
    """Survey all designs that the polynomials of design parameters go through.

    Raises:
        MechanismError: a variable is unknown or no matter for [design], or the mechanism cannot be moved with it at an
            end of its range; all of these at once.
    """
    mechanism = base.mechanism
    parameters, design = mechanism.designs, Design.of(mechanism)
    where = f"mechanism '{mechanism.name}'"
    if problems := variable_problems(parameters, design, base):
        raise MechanismError(problems, where)
    found = Variants(parameters, design, base, plan_of(base), {})
    surveys: dict[Signs, Survey] = {}
    failed: list[Signs] = []
    for signs in designs(len(parameters)):
        if any(all(a in (0, b) for a, b in zip(known, signs, strict=True)) for known in failed):
            continue  # said already
        try:
            surveys[signs] = found.at(signs)
        except PrecomputeError as error:
            failed.append(signs)
            why = "; ".join(error.problems) if isinstance(error, MechanismError) else str(error)
            problems.append(f"{called(found, signs)}: {why.rstrip('.')}. Reduce `range`")
    if problems:
        raise MechanismError(problems, where)
    return replace(found, surveys=surveys)


def called(variants: Variants, signs: Signs) -> str:
    """A design in words."""
    names = [p.name for p, sign in zip(variants.parameters, signs, strict=True) if sign]
    changes = [
        f"'{p.of}' changed by {variants.design.variables[p.of].change(sign * p.range)}"
        for p, sign in zip(variants.parameters, signs, strict=True)
        if sign
    ]
    return f"design.{' and design.'.join(names)}: with {' and '.join(changes)}"


def variable_problems(parameters: Sequence[DesignParameter], design: Design, base: Survey) -> list[str]:
    """Design parameters that are none."""
    problems = []
    for p in parameters:
        try:
            design.chosen([p.of])
        except MechanismError as error:
            problems += [f"design.{p.name}.of: {text}" for text in error.problems]
            continue
        kind, name, *rest = p.of.split(".")
        if kind in TUNABLE and rest[0][:2] != "at" and rest != ["rx"] and rest != ["ry"] and rest != ["rz"]:
            problems.append(f"design.{p.name}.of: '{p.of}' is a tunable parameter of every FMU; take it out")
        if kind == "wheel" and rest[-1] in UNUSED:
            problems.append(f"design.{p.name}.of: the FMU does not know '{p.of}'; take it out")
    if len(base.atlas.pieces) > 1:
        problems.append(
            "design: the motion passes a dead centre of its coordinate and takes several charts, over which design "
            "parameters do not go; name another coordinate, or give this one a range"
        )
    return problems


def moved_survey(base: Survey, plan: Plan, mechanism: Mechanism) -> Survey:
    """The survey of a mechanism with other numbers, over the coordinates and ranges of the base."""
    (piece,) = base.atlas.pieces
    mechanism = replace(mechanism, coordinates=ranged(piece.coordinates.free, mechanism))
    check_structure(plan, replace(mechanism, coordinates=base.mechanism.coordinates))
    topology = spanning_tree(mechanism)
    closed = close_loops(mechanism, topology)
    coordinates = choose_coordinates(mechanism, topology, closed)
    check_borders(piece.coordinates.free, coordinates.free)
    about = piece.coordinates.closure.about
    centre = closed
    if about:
        coordinates = replace(coordinates, closure=replace(coordinates.closure, about=about))
        centre = replace(closed, q=deflected(coordinates, closed.q, np.array(about)))
    own = Piece(coordinates, centre)
    atlas = Atlas((own,), coordinates.free)
    found = Survey(mechanism, closed, atlas, (find_layout(coordinates, centre),), resolve(mechanism, atlas))
    found = keep_to(plan, found)
    walked, stop = walk_blocks(own, found.layouts[0])
    if stop is not None:
        raise stop
    return replace(found, layouts=(replace(found.layouts[0], walked=walked),))


def check_borders(base: Sequence[Coordinate], free: Sequence[Coordinate]) -> None:
    """Tables are added up between the same borders of cams.

    Raises:
        PrecomputeError: a border is elsewhere.
    """
    for old, new in zip(base, free, strict=True):
        a, b = np.array(old.borders), np.array(new.borders)
        assert old.lower is not None and old.upper is not None
        if a.shape != b.shape or (np.abs(a - b) > 0.1 * BESIDE * (old.upper - old.lower)).any():
            raise PrecomputeError(
                f"it moves where cam '{old.cams[0]}' begins another piece of its profile along '{old.name}', where "
                "tables are cut; design parameters must leave that where it is"
            )


def ranged(free: Sequence[Coordinate], mechanism: Mechanism) -> tuple[Coordinate, ...]:
    """The coordinates of the base, measured on another mechanism: a travel counts from its own design."""
    own = {c.name: c.of for c in mechanism.coordinates or ()}
    return tuple(replace(c, of=own.get(c.name, c.of), start=None, start_rate=0.0) for c in free)


def design_infos(variants: Variants, errors: Sequence[tuple[float, float, float]]) -> tuple[DesignInfo, ...]:
    """What the FMU says of its design parameters."""
    found = []
    for p, error in zip(variants.parameters, errors, strict=True):
        variable = variants.design.variables[p.of]
        told = DisplayUnit(variable.unit, variable.scale.down / variable.scale.up)
        found.append(DesignInfo(p.name, p.of, SI[p.quantity], p.range, told, error))
    return tuple(found)
