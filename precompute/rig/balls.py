"""The two points that carry a wheel and turn with nothing when it is steered: its geometric steering axis.

A ball joint of the carrier carries it, and so does the pivot of a strut that slides in it.  What hangs on the steering,
such as a tie rod, does not: a path leads from it to bodies that the steering moves, over neither ground nor carrier.
"""

from __future__ import annotations

from precompute.arrays import Array
from precompute.model.mechanism import GROUND, Axle, Joint, Mechanism, Wheel

PIVOTS = ("spherical", "universal")
SLIDES = ("cylindrical", "prismatic")


def carrying_points(mechanism: Mechanism, wheel: Wheel, axle: Axle) -> tuple[tuple[str, Array], ...]:
    """(body, (3,) point at design in G) of the lower and the upper point; none unless there are exactly two."""
    carrier = wheel.body
    steered = set(axle.steering.bodies(mechanism)) - {GROUND} if axle.steering else set[str]()
    found: list[tuple[str, Array]] = []
    for joint in touching(mechanism, carrier):
        other = across(joint, carrier)
        if other != GROUND and reached(mechanism, other, {GROUND, carrier}) & steered:
            continue
        if joint.kind in PIVOTS[:1]:
            found.append((carrier, joint.p_P if joint.parent == carrier else joint.p_C))
        elif joint.kind in SLIDES:
            pivots = [j for j in touching(mechanism, other) if j is not joint and j.kind in PIVOTS]
            found += [(other, j.p_P if j.parent == other else j.p_C) for j in pivots]
    if len(found) != 2:
        return ()
    return tuple(sorted(found, key=lambda point: float(point[1] @ mechanism.axes.up)))


def touching(mechanism: Mechanism, body: str) -> list[Joint]:
    """The joints of a body."""
    return [joint for joint in mechanism.joints if body in (joint.parent, joint.child)]


def across(joint: Joint, body: str) -> str:
    """The body on the other side of a joint."""
    return joint.child if joint.parent == body else joint.parent


def reached(mechanism: Mechanism, start: str, without: set[str]) -> set[str]:
    """All bodies that joints and rods lead to from a body, over none of some others."""
    links = [(link.parent, link.child) for link in mechanism.connections]
    found, new = {start}, {start}
    while new:
        beside = {b for pair in links for b in pair if set(pair) & new}
        new = beside - found - without
        found |= new
    return found
