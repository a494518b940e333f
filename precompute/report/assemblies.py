"""The assemblies of a mechanism with its inputs where they are drawn, or where they are asked to be."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from precompute.arrays import Array
from precompute.coordinates.independent import wrong_number
from precompute.coordinates.selection import select
from precompute.coordinates.stiff_check import check_free_coordinates
from precompute.errors import AssemblyError, PrecomputeError, ReachError
from precompute.kinematics.assembly import Configuration, assemble, close_loops, displacement, widest
from precompute.kinematics.branches import Assembly, Search, search
from precompute.kinematics.coefficients import Closure, condition_numbers
from precompute.kinematics.continuation import follow
from precompute.kinematics.mobility import mobility
from precompute.kinematics.poses import design_configuration
from precompute.kinematics.redraw import Redrawn, redrawn
from precompute.kinematics.topology import Topology, spanning_tree
from precompute.model.contact_problems import refuse_contact
from precompute.model.mechanism import Coordinate, Mechanism, nearest
from precompute.threads import one_thread

FARTHEST = 1e4
"""Inputs may be asked to be at most so many rad, or reference lengths, from zero: beyond, numbers lose their digits."""


@dataclass(frozen=True, eq=False)
class Assemblies:
    """What was found with the inputs at z."""

    closure: Closure  # with the inputs as its coordinates
    inputs: tuple[Coordinate, ...]
    z: Array  # (nz,) their values [rad or m]
    given_gap: float  # the largest gap of the drawing [m]
    design: Configuration | None  # the closed design; None if it cannot be closed as it is drawn
    way: str  # how the first of them was found; empty if nothing had to move
    on_design: bool  # whether the motion from the design leads to the first of them
    found: tuple[Assembly, ...]  # that of the design first, then the nearest
    searched: Search | None  # what random starts have led to, where all assemblies were asked for

    @property
    def mechanism(self) -> Mechanism:
        """Of which they are."""
        return self.closure.mechanism

    def places(self, assembly: Assembly) -> dict[str, Array]:
        """Where the markers are, or the joints if there are no markers, (3,) each in G [m]."""
        m, P = self.mechanism, self.closure.poses(assembly.q)
        if m.markers:
            return {marker.name: P.pose(marker.body).point(marker.p) for marker in m.markers}
        return {joint.name: P.pose(joint.child).point(joint.p_C) for joint in m.connections}

    def redrawn(self, number: int = 0) -> Redrawn:
        """The mechanism with an assembly, counted from 0, as its design position.

        Raises:
            PrecomputeError: no drawing can say it.
        """
        return redrawn(self.closure, self.found[number].q, None if self.design is None else self.design.q)

    def as_dict(self) -> dict[str, Any]:
        """What `--json` prints, all in SI."""
        return {
            "name": self.mechanism.name,
            "inputs": {c.name: float(x) for c, x in zip(self.inputs, self.z, strict=True)},
            "given_gap": self.given_gap,
            "way": self.way,
            "starts": self.searched.starts if self.searched else 0,
            "closed": self.searched.closed if self.searched else 0,
            "undetermined": self.searched.undetermined if self.searched else 0,
            "assemblies": [
                {
                    "design": self.on_design and i == 0,
                    "condition": each.condition,
                    "moved": each.moved,
                    "found": each.found,
                    "residual": widest(self.closure, each.q),
                    ("markers" if self.mechanism.markers else "joints"): {
                        name: p.tolist() for name, p in self.places(each).items()
                    },
                }
                for i, each in enumerate(self.found)
            ],
        }

    def __str__(self) -> str:
        from precompute.report.assembly_text import text  # which says this in words

        return text(self)


@one_thread
def assemblies(mechanism: Mechanism, at: Mapping[str, float] | None = None, branches: bool = False) -> Assemblies:
    """Close the loops with the inputs held, in one way or in all that are found.

    Args:
        mechanism: its inputs are the coordinates that it names, or those that are chosen for it.
        at: values of inputs by name [rad or m]; the others are where they are drawn.
        branches: find all assemblies.

    Raises:
        AssemblyError: the loops cannot be closed.
        ReachError: they can, but not with the inputs there.
        PrecomputeError: an input is not known, or inputs and freedoms do not fit.
    """
    refuse_contact(mechanism, "looking for assemblies")
    topology = spanning_tree(mechanism)
    start = design_configuration(mechanism, topology)
    given = widest(Closure(mechanism, topology), start)
    design = closed_design(mechanism, topology, needed=mechanism.coordinates is None or not (at or branches))
    start = start if design is None else design.q
    inputs = chosen_inputs(mechanism, topology, design)
    closure = Closure(mechanism, topology, tuple(c.of for c in inputs))
    here = closure.values(closure.poses(start))
    z = asked_values(closure, inputs, here, at or {})
    first = None if design is None else followed(closure, design.q, here, z)
    on_design, way = first is not None, FOLLOWED if (z != here).any() else design.way if design else ""
    if first is None:
        other = assemble(closure, start, z)
        first, way = other.q, other.way
    searched = search(closure, z, start, first) if branches else None
    found = searched.assemblies if searched else (single(closure, first, start),)
    return Assemblies(closure, inputs, z, given, design, way, on_design, found, searched)


FOLLOWED = "the motion from the design"


def closed_design(mechanism: Mechanism, topology: Topology, needed: bool) -> Configuration | None:
    """The design with its loops closed; None if it cannot be closed as it is drawn, unless it is needed."""
    try:
        return close_loops(mechanism, topology)
    except (AssemblyError, ReachError):
        if needed:
            raise
        return None


def chosen_inputs(mechanism: Mechanism, topology: Topology, design: Configuration | None) -> tuple[Coordinate, ...]:
    """The coordinates that the file names, which must be as many as there are freedoms, or those that fit best."""
    if design is None:
        return mechanism.coordinates or ()
    freedoms, null = mobility(mechanism, topology, design)
    inputs = mechanism.coordinates
    if inputs is None:
        inputs = select(mechanism, topology, design.q, freedoms).chosen
    check_free_coordinates(mechanism, [c.of for c in inputs])
    if len(inputs) != freedoms:
        raise wrong_number(mechanism, topology, design, inputs, null)
    return inputs


def asked_values(closure: Closure, inputs: tuple[Coordinate, ...], here: Array, at: Mapping[str, float]) -> Array:
    """Values of the inputs (nz,): those that are asked for, else as they are.

    Raises:
        PrecomputeError: there is no such input, or it is asked to be out of this world.
    """
    names = [c.name for c in inputs]
    if unknown := [name for name in at if name not in names]:
        own = "named in the file" if closure.mechanism.coordinates is not None else "chosen for it"
        raise PrecomputeError(
            f"'{closure.mechanism.name}' has no input '{unknown[0]}'; {nearest(unknown[0], names)}. Inputs are the "
            f"independent coordinates {own}: {', '.join(names)}"
        )
    z = np.array([at.get(name, value) for name, value in zip(names, here, strict=True)], dtype=float)
    for c, value in zip(inputs, z, strict=True):
        angle = c.of.is_angle(closure.mechanism)
        farthest = FARTHEST * (1.0 if angle else closure.length)
        if not abs(value) <= farthest:
            raise PrecomputeError(
                f"{c.name} = {c.of.shown(closure.mechanism, float(value))} is no place for '{closure.mechanism.name}'; "
                f"ask for at most {c.of.shown(closure.mechanism, farthest)}"
            )
    return z


def followed(closure: Closure, q: Array, here: Array, z: Array) -> Array | None:
    """Where the motion leads from the closed q (nq,) at `here` (nz,) to z (nz,); None if a dead centre is between."""
    if (here == z).all():
        return q
    way = follow(closure, q[None], here[None], z[None])
    return way.q[0] if way.reached[0] else None


def single(closure: Closure, q: Array, start: Array) -> Assembly:
    """The assembly q (nq,), without a search for others."""
    condition = condition_numbers(closure, closure.matrix(closure.poses(q[None])))[0]
    return Assembly(q, float(condition), displacement(closure, start, q), 0)
