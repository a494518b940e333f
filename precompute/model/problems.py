"""What can be wrong between the parts of a mechanism: names that refer to nothing, bodies or directions left loose."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches
from typing import TYPE_CHECKING

from precompute.model.bushings import bushings_across, deflection_rates, unheld_directions
from precompute.model.forces import Distance, JointCoordinate, MarkerCoordinate, Measure
from precompute.model.parts import GROUND

if TYPE_CHECKING:
    from precompute.model.mechanism import Mechanism


MAX_NAME = 80


def nearest(name: str, known: Iterable[str]) -> str:
    """The hint that belongs to an unknown name: the nearest known one, or all of them."""
    known = sorted(known)
    close = get_close_matches(name, known, n=1, cutoff=0.6)
    if close:
        return f"did you mean '{close[0]}'?"
    return "known: " + (", ".join(known) if known else "none")


def reference_problems(m: Mechanism) -> list[str]:
    """Every name that refers to nothing, every name used twice; bodies that no joint reaches, loose directions."""
    return [*name_problems(m), *unknown_problems(m)] or [
        *unconnected_problems(m),
        *unheld_problems(m),
        *undeflected_problems(m),
    ]


def name_problems(m: Mechanism) -> list[str]:
    """Names that are missing, taken or used twice."""
    problems = []
    if len(m.name) > MAX_NAME:
        problems.append(f"name: has {len(m.name)} characters; {MAX_NAME} are the most, since files are named after it")
    if not m.bodies:
        problems.append("bodies: there is none; add at least one")
    if GROUND in {b.name for b in m.bodies}:
        problems.append(f"bodies.{GROUND}: this name is taken by the frame that does not move; choose another")
    named = {
        "bodies": [b.name for b in m.bodies],
        "joints": [c.name for c in m.connections],
        "springs": [s.name for s in m.springs],
        "dampers": [d.name for d in m.dampers],
        "bushings": [b.name for b in m.bushings],
        "markers": [k.name for k in m.markers],
        "ports": [p.name for p in m.ports],
        "coordinates": [c.name for c in m.coordinates or ()],
    }
    for kind, names in named.items():
        problems += [f"{kind}.{n}: this name is used twice" for n in sorted({n for n in names if names.count(n) > 1})]
    return problems


def unknown_problems(m: Mechanism) -> list[str]:
    """References to bodies, markers and joints that do not exist."""
    bodies = {GROUND, *(b.name for b in m.bodies)}
    markers = {k.name for k in m.markers}
    referring = [(f"joints.{c.name}", body) for c in m.connections for body in (c.parent, c.child)]
    referring += [(f"bushings.{b.name}", body) for b in m.bushings for body in (b.parent, b.child)]
    referring += [(f"markers.{k.name}", k.body) for k in m.markers]
    acting: list[tuple[str, Measure]] = [(f"springs.{s.name}", s.on) for s in m.springs]
    acting += [(f"dampers.{d.name}", d.on) for d in m.dampers]
    acting += [(f"coordinates.{c.name}", c.of) for c in m.coordinates or ()]
    referring += [(at, body) for at, on in acting if isinstance(on, Distance) for body in (on.body_a, on.body_b)]
    observed = [(f"ports.{p.name}", p.marker) for p in m.ports]
    observed += [(at, on.marker) for at, on in acting if isinstance(on, MarkerCoordinate)]
    joint_problems = [joint_problem(m, at, on) for at, on in acting if isinstance(on, JointCoordinate)]
    return [
        *(f"{at}: there is no body '{name}'; {nearest(name, bodies)}" for at, name in referring if name not in bodies),
        *(f"{at}: there is no marker '{n}'; {nearest(n, markers)}" for at, n in observed if n not in markers),
        *(problem for problem in joint_problems if problem),
    ]


def joint_problem(m: Mechanism, place: str, on: JointCoordinate) -> str | None:
    """What is wrong with a reference to a joint coordinate."""
    joints = {j.name: j for j in m.joints}
    if on.joint not in joints:
        return f"{place}: there is no joint '{on.joint}'; {nearest(on.joint, joints)}"
    scalar = [i + 1 for i, p in enumerate(joints[on.joint].primitives) if p.kind != "ball"]
    if on.index + 1 in scalar:
        return None
    has = ", ".join(f"[{i}]" for i in scalar) or "none"
    return (
        f"{place}: joint '{on.joint}' ({joints[on.joint].kind}) has no scalar coordinate [{on.index + 1}]; it has {has}"
    )


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


def unheld_problems(m: Mechanism) -> list[str]:
    """Stiff directions of joints with bushings that none of these holds."""
    loose = [(j.name, unheld_directions(j, m.bushings, m.springs)) for j in m.joints]
    return [
        f"joints.{name}: no bushing between its bodies holds the stiff direction {', '.join(directions)}; give one of "
        "them a stiffness there, or take the direction out of 'stiff'"
        for name, directions in loose
        if directions
    ]


def undeflected_problems(m: Mechanism) -> list[str]:
    """Bushings that a joint between the same bodies keeps from any deflection."""
    locking = {
        b.name: j.name for j in m.joints for b in bushings_across(j, m.bushings) if not deflection_rates(j, b).any()
    }
    return [
        f"bushings.{bushing}: joint '{joint}' between the same bodies leaves it no deflection; take the joint out, or "
        "give it stiff directions"
        for bushing, joint in locking.items()
    ]
