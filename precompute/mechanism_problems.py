"""What can be wrong between the parts of a mechanism: names that refer to nothing, bodies that nothing connects."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches
from typing import TYPE_CHECKING

from precompute.forces import Distance, JointCoordinate, MarkerCoordinate, Measure
from precompute.parts import GROUND

if TYPE_CHECKING:
    from precompute.mechanism import Mechanism


def nearest(name: str, known: Iterable[str]) -> str:
    """The hint that belongs to an unknown name: the nearest known one, or all of them."""
    known = sorted(known)
    close = get_close_matches(name, known, n=1, cutoff=0.6)
    if close:
        return f"did you mean '{close[0]}'?"
    return "known: " + (", ".join(known) if known else "none")


def reference_problems(m: Mechanism) -> list[str]:
    """Every name that refers to nothing, every name used twice, and bodies that no joint reaches."""
    problems: list[str] = []
    bodies = {GROUND, *(b.name for b in m.bodies)}
    joints = {j.name: j for j in m.joints}
    markers = {k.name for k in m.markers}

    def body(place: str, name: str) -> None:
        if name not in bodies:
            problems.append(f"{place}: there is no body '{name}'; {nearest(name, bodies)}")

    def measure(place: str, on: Measure) -> None:
        match on:
            case Distance():
                body(place, on.body_a)
                body(place, on.body_b)
            case MarkerCoordinate() if on.marker not in markers:
                problems.append(f"{place}: there is no marker '{on.marker}'; {nearest(on.marker, markers)}")
            case JointCoordinate() if on.joint not in joints:
                problems.append(f"{place}: there is no joint '{on.joint}'; {nearest(on.joint, joints)}")
            case JointCoordinate():
                scalar = [i + 1 for i, p in enumerate(joints[on.joint].primitives) if p.kind != "ball"]
                if on.index + 1 not in scalar:
                    problems.append(
                        f"{place}: joint '{on.joint}' ({joints[on.joint].kind}) has no scalar coordinate "
                        f"[{on.index + 1}]; it has " + (", ".join(f"[{i}]" for i in scalar) or "none")
                    )

    if not m.bodies:
        problems.append("bodies: there is none; add at least one")
    if GROUND in {b.name for b in m.bodies}:
        problems.append(f"bodies.{GROUND}: this name is taken by the frame that does not move; choose another")
    groups = {"bodies": m.bodies, "joints": (*m.joints, *m.rods), "springs": m.springs, "dampers": m.dampers}
    groups |= {"markers": m.markers, "ports": m.ports, "coordinates": m.coordinates or ()}
    for kind, items in groups.items():
        names = [item.name for item in items]  # type: ignore[attr-defined]
        problems += [f"{kind}.{n}: this name is used twice" for n in sorted({n for n in names if names.count(n) > 1})]
    for connection in m.connections:
        body(f"joints.{connection.name}", connection.parent)
        body(f"joints.{connection.name}", connection.child)
    for marker in m.markers:
        body(f"markers.{marker.name}", marker.body)
    for port in m.ports:
        if port.marker not in markers:
            problems.append(f"ports.{port.name}: there is no marker '{port.marker}'; {nearest(port.marker, markers)}")
    for spring in m.springs:
        measure(f"springs.{spring.name}", spring.on)
    for damper in m.dampers:
        measure(f"dampers.{damper.name}", damper.on)
    for coordinate in m.coordinates or ():
        measure(f"coordinates.{coordinate.name}", coordinate.of)
    return problems or unconnected_problems(m)


def unconnected_problems(m: Mechanism) -> list[str]:
    """Bodies that no chain of joints connects to the ground."""
    reached = {GROUND}
    while (
        grown := {
            name for j in m.joints if (j.parent in reached) != (j.child in reached) for name in (j.parent, j.child)
        }
        - reached
    ):
        reached |= grown
    return [
        f"bodies.{b.name}: no joint connects it to the ground; if it is meant to float, add a joint "
        f'of type "free" with parent = "{GROUND}", child = "{b.name}"'
        for b in m.bodies
        if b.name not in reached
    ]
