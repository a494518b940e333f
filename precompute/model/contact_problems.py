"""What a mechanism with a disc on the floor may not have: all else of it is seen from the track of the disc."""

from __future__ import annotations

from collections.abc import Iterator
from math import pi
from typing import TYPE_CHECKING

import numpy as np

from precompute.errors import PrecomputeError
from precompute.measures.joint_coordinate import JointCoordinate
from precompute.measures.marker_coordinate import MarkerCoordinate
from precompute.model.contacts import STEEP, WheelContact
from precompute.model.parts import GROUND

if TYPE_CHECKING:
    from precompute.model.mechanism import Mechanism

FLOOR_NAMES = ("heading", "x", "y")
"""Coordinates that every such FMU has besides."""


def contact_problems(m: Mechanism) -> list[str]:
    """Everything, each with its place."""
    if m.contact is None:
        return []
    return [*_connections(m, m.contact), *_measures(m), *_sections(m), *_coordinates(m, m.contact)]


def _connections(m: Mechanism, contact: WheelContact) -> Iterator[str]:
    for c in m.connections:
        if GROUND in (c.parent, c.child) and c.name != contact.lean:
            yield (
                f"joints.{c.name}: joins a body to the ground, but with a disc on the floor ('{contact.name}') nothing "
                "else may touch the ground; connect it to the disc or to the body "
                f"'{contact.fork}' that leans with it"
            )
        if getattr(c, "loads", ()) or getattr(c, "load", False):
            yield f"joints.{c.name}.load: loads of joints are not possible with a disc on the floor; leave it out"
        if getattr(c, "stiff", ()):
            yield f"joints.{c.name}.stiff: stiff directions are not possible with a disc on the floor; leave them out"


def _measures(m: Mechanism) -> Iterator[str]:
    acting = [(f"springs.{s.name}", s.on) for s in m.springs] + [(f"dampers.{d.name}", d.on) for d in m.dampers]
    acting += [(f"forces.{f.name}", f.on) for f in m.forces] + [(f"measures.{r.name}", r.of) for r in m.measures]
    for at, on in acting:
        terms = [term for _, term in on.terms]
        grounded = any(body == GROUND for term in terms for body, _ in term.points(m))
        grounded |= any(GROUND in term.twisted(m) for term in terms if not isinstance(term, JointCoordinate))
        if grounded or any(isinstance(term, MarkerCoordinate) for term in terms):
            yield (
                f"{at}: is on the {on.name}, which is of a place on the ground; with a disc on the floor measures are "
                "between bodies. Positions of markers are outputs in ground axes as they are"
            )


def _sections(m: Mechanism) -> Iterator[str]:
    no = "is not possible with a disc on the floor"
    if m.chassis == "moving":
        yield f'chassis: "moving" {no}; leave it out'
    for name, parts in (
        ("bushings", m.bushings),
        ("couplings", m.couplings),
        ("constraints", m.constraints),
        ("joints", m.cams),
        ("elements", m.devices),
        ("ports", m.ports),
        ("wheels", m.wheels),
        ("design", m.designs),
    ):
        yield from (f"{name}.{part.name}: {no}; leave it out" for part in parts)
    for marker in m.markers:
        if marker.body == GROUND:
            yield f"markers.{marker.name}: is on the ground, which {no}; put it on a body"
        if marker.spin_axis is not None:
            yield f"markers.{marker.name}.spin_axis: {no}; leave it out"
        if marker.acceleration:
            yield f"markers.{marker.name}.acceleration: {no}; leave it out"
    if m.experiment.static:
        yield f"experiment.static: {no}, as nothing holds the disc at a place; leave it out"


def _coordinates(m: Mechanism, contact: WheelContact) -> Iterator[str]:
    if m.coordinates is None:
        yield (
            f"coordinates: with a disc on the floor they must be named; write for example "
            f'lean = {{ of = "joint.{contact.lean}", from = .., to = .. }} and '
            f'spin = {{ of = "joint.{contact.spin}", periodic = true }}'
        )
        return
    for c in m.coordinates:
        if c.name in FLOOR_NAMES:
            yield f"coordinates.{c.name}: this name is taken by a coordinate of the disc on the floor; choose another"
        if c.driven:
            yield f"coordinates.{c.name}.driven: is not possible with a disc on the floor; leave it out"
    lean, spin = (
        next((c for c in m.coordinates if c.of.same(JointCoordinate(name))), None)
        for name in (contact.lean, contact.spin)
    )
    for name, found in ((contact.lean, lean), (contact.spin, spin)):
        if found is None:
            yield f'coordinates: needs one with of = "joint.{name}", by which the disc on the floor moves'
    if spin is not None and not spin.periodic:
        yield f"coordinates.{spin.name}: is the spin of the disc on the floor and turns for ever; add periodic = true"
    if lean is not None and (lean.lower is None or lean.upper is None):
        yield f"coordinates.{lean.name}: is the lean of the disc on the floor; give its range by 'from' and 'to'"
    elif lean is not None and lean.lower is not None and lean.upper is not None:
        tilt = float(np.arccos(np.clip(contact.axis @ contact.normal, -1.0, 1.0)))
        least, most = np.arcsin(STEEP) - tilt, pi - np.arcsin(STEEP) - tilt
        if not least <= lean.lower < lean.upper <= most:
            flat = " to ".join(lean.of.shown(m, end) for end in (least, most))
            yield f"coordinates.{lean.name}: its range must be within {flat}: beyond, the disc lies flat"


def refuse_contact(m: Mechanism, what: str) -> None:
    """Of what is done only on the ground, and not on the track of a disc.

    Raises:
        PrecomputeError: the mechanism has a disc on the floor.
    """
    if m.contact is not None:
        raise PrecomputeError(
            f"{what} is not possible with a disc on the floor, which '{m.name}' has in joint '{m.contact.name}': all "
            "else is seen from the track of the disc. `kinetab check`, `bake`, `run` and `verify` take such mechanisms"
        )
