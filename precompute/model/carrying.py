"""The two points that carry a wheel and turn with nothing when it is steered: its geometric steering axis.

A ball joint of the carrier carries it, and so does the pivot of a strut that slides in it.  What hangs on the steering,
such as a tie rod, does not: a path leads from it to bodies that the steering moves, over neither ground nor carrier.
"""

from __future__ import annotations

from typing import NamedTuple

from precompute.arrays import Array
from precompute.model.joints import Joint
from precompute.model.mechanism import Mechanism
from precompute.model.parts import GROUND
from precompute.model.wheels import Axle, Wheel

PIVOTS = ("spherical", "universal")
SLIDES = ("cylindrical", "prismatic")


class CarryingPoint(NamedTuple):
    """A point of a body that carries a wheel."""

    body: str
    p: Array  # (3,) at design in G [m]
    pivot: Joint  # that is there


def carrying_points(mechanism: Mechanism, wheel: Wheel, axle: Axle | None) -> tuple[CarryingPoint, ...]:
    """The lower and the upper point; none unless there are exactly two."""
    carrier = wheel.body
    steering = axle.steering if axle else None
    steered = set(steering.bodies(mechanism)) - {GROUND} if steering else set[str]()
    found: list[CarryingPoint] = []
    for joint in touching(mechanism, carrier):
        other = across(joint, carrier)
        if other != GROUND and reached(mechanism, other, {GROUND, carrier}) & steered:
            continue
        if joint.kind == "spherical":
            found.append(CarryingPoint(carrier, point_on(joint, carrier), joint))
        elif joint.kind in SLIDES:
            pivots = [j for j in touching(mechanism, other) if j is not joint and j.kind in PIVOTS]
            found += [CarryingPoint(other, point_on(j, other), j) for j in pivots]
    if len(found) != 2:
        return ()
    return tuple(sorted(found, key=lambda point: float(point.p @ mechanism.axes.up)))


def touching(mechanism: Mechanism, body: str) -> list[Joint]:
    """The joints of a body."""
    return [joint for joint in mechanism.joints if body in (joint.parent, joint.child)]


def across(joint: Joint, body: str) -> str:
    """The body on the other side of a joint."""
    return joint.child if joint.parent == body else joint.parent


def point_on(joint: Joint, body: str) -> Array:
    """(3,) where a joint is on one of its bodies."""
    return joint.p_P if joint.parent == body else joint.p_C


def reached(mechanism: Mechanism, start: str, without: set[str]) -> set[str]:
    """All bodies that joints and rods lead to from a body, over none of some others."""
    links = [(link.parent, link.child) for link in mechanism.connections]
    found, new = {start}, {start}
    while new:
        beside = {b for pair in links for b in pair if set(pair) & new}
        new = beside - found - without
        found |= new
    return found
