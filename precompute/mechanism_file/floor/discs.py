"""Entries of discs on the floor -> discs, with the joints and the body that the reader makes for each.

NAME_lean   a revolute between the track of the disc, which is the ground of the mechanism, and the fork
NAME_fork   a body without mass that leans with the disc and does not spin
NAME_spin   a revolute between fork and disc
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from precompute.arrays import Array
from precompute.mechanism_file.geometry import Geometry, placed
from precompute.mechanism_file.schema import joint_tables as t
from precompute.mechanism_file.schema.checks import fault
from precompute.mechanism_file.telling import Problem
from precompute.model.contacts import TrackStart, WheelContact
from precompute.model.mechanism import GROUND, Axes, Body, Joint, joint_primitives

RATES = ("x", "y", "heading")


def contact(name: str, entry: t.WheelJointEntry, geometry: Geometry, axes: Axes) -> WheelContact:
    """A disc."""
    if entry.parent != GROUND:
        raise fault(f"is '{entry.parent}'; the floor is the ground: write parent = \"{GROUND}\"", "parent")
    with placed("at"):
        centre = geometry.position(entry.at)
    with placed("axis"):
        axis = geometry.direction(entry.axis)
    normal = axes.up
    if entry.normal is not None:
        with placed("normal"):
            normal = geometry.direction(entry.normal)
    length, angle = geometry.units.measure(), geometry.units.measure(True)
    start = TrackStart(
        x=None if entry.x is None else length(entry.x),
        y=None if entry.y is None else length(entry.y),
        heading=angle(entry.heading),
        heading_rate=angle(entry.heading_rate),
        x_rate=length(entry.x_rate),
        y_rate=length(entry.y_rate),
    )
    return WheelContact(name, entry.contact, entry.child, centre, axis, length(entry.radius), normal, start)


def fork(contact: WheelContact) -> Body:
    """The body that leans and does not spin."""
    return Body(contact.fork, 0.0, contact.centre, np.zeros((3, 3)))


def made_joints(contact: WheelContact) -> dict[str, Joint]:
    """How the disc moves as seen from its track."""

    def hinge(name: str, parent: str, child: str, p: Array, axis: Array) -> Joint:
        return Joint(name, "revolute", parent, child, p, p, joint_primitives("revolute", [axis]))

    return {
        contact.lean: hinge(contact.lean, GROUND, contact.fork, contact.point, -contact.forward),
        contact.spin: hinge(contact.spin, contact.fork, contact.body, contact.centre, contact.axis),
    }


def made_names(joints: Any) -> tuple[frozenset[str], frozenset[str], frozenset[str]]:
    """Of a section of joints as it stands in a document: discs, the joints and the bodies that are made for them."""
    entries = joints.items() if isinstance(joints, Mapping) else ()
    discs = [name for name, entry in entries if isinstance(entry, Mapping) and entry.get("type") == "wheel"]
    own = {f"{name}_{word}" for name in discs for word in ("lean", "spin")}
    return frozenset(discs), frozenset(own), frozenset(f"{name}_fork" for name in discs)


def name_problems(
    discs: Mapping[str, WheelContact], bodies: Mapping[str, Any], joints: Mapping[str, Any]
) -> list[Problem]:
    """More discs than one, and names that are taken."""
    problems: list[Problem] = []
    for number, (name, disc) in enumerate(discs.items()):
        at = ("joints", name)
        if number:
            first = next(iter(discs))
            problems.append((at, f"is a second disc on the floor, besides '{first}'; one is possible"))
        taken = [f"body '{disc.fork}'"] * (disc.fork in bodies)
        taken += [f"joint '{own}'" for own in (disc.lean, disc.spin) if own in joints]
        if taken:
            problems.append((at, f"makes a {taken[0]}, but that name is taken; rename one of them"))
    return problems


def document(contact: WheelContact) -> dict[str, Any]:
    """The entry of a disc, in SI units."""
    start = contact.start
    values = {"x": start.x, "y": start.y, "heading": start.heading or None}
    values |= {f"{name}_rate": getattr(start, f"{name}_rate") or None for name in RATES}
    return {
        "type": "wheel",
        "contact": contact.kind,
        "parent": GROUND,
        "child": contact.body,
        "at": [float(x) + 0.0 for x in contact.centre],
        "axis": [float(x) + 0.0 for x in contact.axis],
        "radius": float(contact.radius),
        "normal": [float(x) + 0.0 for x in contact.normal],
        **{name: float(value) for name, value in values.items() if value is not None},
    }
