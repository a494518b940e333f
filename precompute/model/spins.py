"""Idle rotations: bodies between two balls that could spin about the line between them without moving anything."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from precompute.arrays import Array
from precompute.measures.measure import Measure
from precompute.model.joints import Joint
from precompute.model.mechanism import Mechanism
from precompute.model.parts import GROUND

IDEAL = 1e-6
"""How far a link may be from a body of revolution, relative to its length or inertia, to count as one."""


@dataclass(frozen=True, eq=False)
class Spin:
    """An idle rotation that is locked: `body` may not twist about its design direction from ball to ball.

    `ideal`: the group turns as one body of revolution about that line, so that nothing can set it spinning.
    """

    body: int
    balls: tuple[int, int]  # joint indices
    group: tuple[int, ...]  # all bodies that would spin together
    axis: Array  # (3,) unit, at design from ball to ball
    ideal: bool


def idle_spins(mechanism: Mechanism, number: dict[str, int]) -> tuple[tuple[Spin, ...], tuple[str, ...]]:
    """Groups of bodies that hang between exactly two balls and could spin about the line between them.

    Taking all ball joints away splits the mechanism into groups; a group without the ground that touches exactly two
    balls can turn about their line without moving anything else.  The spin stays free where a force acts on the group
    off that line, for then it is real motion.
    """
    balls = [i for i, j in enumerate(mechanism.joints) if [p.kind for p in j.primitives if not p.stiff] == ["ball"]]
    others = [(j.parent, j.child) for i, j in enumerate(mechanism.joints) if i not in balls]
    others += [pair for row in mechanism.held for pair in held_pairs(mechanism, row.measure)]
    spins: list[Spin] = []
    notes: list[str] = []
    for group in groups_of(list(number), others):
        touching = [i for i in balls if (mechanism.joints[i].parent in group) != (mechanism.joints[i].child in group)]
        if GROUND in group or len(touching) != 2:
            continue
        a, b = (ball_point(mechanism.joints[i], group) for i in touching)
        if np.linalg.norm(b - a) < 1e-12:
            continue
        if force := off_axis_force(mechanism, group, a, b):
            notes.append(f"{' + '.join(sorted(group))} may spin between its two balls; kept, since {force} acts on it")
            continue
        members = tuple(sorted(number[name] for name in group))
        reason = why_not_ideal(mechanism, group, a, b)
        axis = (b - a) / np.linalg.norm(b - a)
        spins.append(Spin(members[0], (touching[0], touching[1]), members, axis, ideal=reason is None))
        names = " and ".join(mechanism.joints[i].name for i in touching)
        held = f"held against twist as by a universal joint, since {reason}" if reason else "locked"
        notes.append(f"idle rotation of {' + '.join(sorted(group))} about the line of its balls {names}: {held}")
    return tuple(spins), tuple(notes)


def held_pairs(mechanism: Mechanism, measure: Measure) -> list[tuple[str, str]]:
    """Bodies that a measure which is held joins; a measure of one body is against the ground."""
    bodies = measure.bodies(mechanism)
    return list(pairwise(bodies if len(bodies) > 1 else (GROUND, *bodies)))


def groups_of(names: list[str], edges: list[tuple[str, str]]) -> list[frozenset[str]]:
    """Connected components, in the order of their first member."""
    component = {name: frozenset([name]) for name in names}
    for a, b in edges:
        merged = component[a] | component[b]
        component.update(dict.fromkeys(merged, merged))
    return list(dict.fromkeys(component.values()))


def ball_point(joint: Joint, group: frozenset[str]) -> np.ndarray:
    """The ball's centre on the side of the group, at design."""
    return joint.p_P if joint.parent in group else joint.p_C


def why_not_ideal(mechanism: Mechanism, group: frozenset[str], a: np.ndarray, b: np.ndarray) -> str | None:
    """What keeps a group from being a body of revolution about the line a-b, if anything does."""
    u, length = (b - a) / np.linalg.norm(b - a), float(np.linalg.norm(b - a))
    for joint in mechanism.joints:
        if {joint.parent, joint.child} <= group and any(p.kind != "translation" for p in joint.primitives):
            return f"joint '{joint.name}' turns inside it"
    for body in mechanism.bodies:
        if body.name not in group:
            continue
        off = float(np.linalg.norm(np.cross(u, body.com - a)))
        if body.mass > 0.0 and off > IDEAL * length:
            return f"the centre of mass of '{body.name}' is {mechanism.units.shown(off, digits=3)} off that line"
        across = body.inertia - (u @ body.inertia @ u) * np.outer(u, u)
        round_ = 0.5 * np.trace(across) * (np.eye(3) - np.outer(u, u))
        if np.abs(across - round_).max() > IDEAL * np.abs(body.inertia).max():
            return f"the inertia of '{body.name}' is not that of a body of revolution about it"
    return None


def off_axis_force(mechanism: Mechanism, group: frozenset[str], a: np.ndarray, b: np.ndarray) -> str | None:
    """Name of a port on the group, or of what else acts on it and can turn it about a-b, if there is one."""
    port = next((p.name for p in mechanism.ports if mechanism.marker(p.marker).body in group), None)
    if port:
        return f"port '{port}'"
    pressing = [bushing for bushing in mechanism.bushings if (bushing.parent in group) != (bushing.child in group)]
    if twisting := next((bushing.name for bushing in pressing if bushing.resists_rotation), None):
        return f"bushing '{twisting}'"
    acting = [(element.name, element.on) for element in mechanism.elements]
    acting += [(device.name, on) for device in mechanism.devices for on in device.pushed]
    if twisting := next((name for name, on in acting if group & {*on.twisted(mechanism)}), None):
        return f"'{twisting}'"
    points = [(name, p) for name, on in acting for body, p in on.points(mechanism) if body in group]
    points += [(bushing.name, bushing.p) for bushing in pressing]
    u = (b - a) / np.linalg.norm(b - a)
    scale = float(np.linalg.norm(b - a))
    return next((f"'{name}'" for name, p in points if np.linalg.norm(np.cross(u, p - a)) > 1e-9 * scale), None)
