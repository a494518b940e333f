"""The parts of a picture: what is drawn on which bodies, at design."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np
from scipy.spatial import ConvexHull

from precompute.arrays import Array
from precompute.measures.interfaces import Point
from precompute.model.mechanism import GROUND, ConstantForce, Damper, Device, Joint, Measure, Mechanism, Spring, Wheel

Kind = Literal[
    "body", "rod", "cam", "coupling", "constraint", "spring", "damper", "element", "force", "bushing", "joint",
    "ground", "wheel", "marker",
]  # fmt: skip

KINDS: dict[type, Kind] = {Spring: "spring", Damper: "damper", Device: "element", ConstantForce: "force"}
"""Of what acts between two points."""

SAME = 1e-6
"""[m] Points nearer to one another are one."""

RIM = 48
"""Points of a wheel's rim."""

SPOKE = 6
"""Of these, every so many is a point of a disc on the floor."""


@dataclass(frozen=True, eq=False)
class Item:
    """A line through points, or a solid between them; each point is on a body, at design in G [m]."""

    kind: Kind
    name: str
    on: tuple[str, ...]  # n bodies
    points: Array  # (n, 3)
    faces: tuple[tuple[int, int, int], ...] = ()  # triangles of a solid


@dataclass(frozen=True, eq=False)
class Scene:
    """All of a mechanism."""

    name: str
    bodies: tuple[str, ...]  # the ground first
    items: tuple[Item, ...]
    up: Array  # (3,) unit in G
    forward: Array  # (3,)

    def of(self, kind: Kind) -> tuple[Item, ...]:
        """Items of a kind."""
        return tuple(item for item in self.items if item.kind == kind)


def scene(mechanism: Mechanism) -> Scene:
    """Everything that can be seen of it."""
    items = (
        *(solid(body.name, own_points(mechanism, body.name)) for body in mechanism.bodies),
        *(line("rod", rod.name, (rod.parent, rod.p_P), (rod.child, rod.p_C)) for rod in mechanism.rods),
        *cams(mechanism),
        *couplings(mechanism),
        *(point("constraint", c.name, c.child, c.p_C) for c in mechanism.constraints if c.type.has_point),
        *lines_of_force(mechanism),
        *(point("bushing", b.name, b.child, b.p) for b in mechanism.bushings),
        *(hinge(j) for j in mechanism.joints),
        *(point("ground", GROUND, GROUND, p) for p in distinct([p for b, p in attachments(mechanism) if b == GROUND])),
        *(rim(wheel) for wheel in mechanism.wheels),
        *rims_of_markers(mechanism),
        *rims_on_floor(mechanism),
        *(point("marker", marker.name, marker.body, marker.p) for marker in mechanism.markers),
    )
    bodies = (GROUND, *(body.name for body in mechanism.bodies))
    return Scene(mechanism.name, bodies, items, mechanism.axes.up, mechanism.axes.forward)


def attachments(mechanism: Mechanism) -> Iterator[Point]:
    """Every point of a body at which something is attached, or that is a marker."""
    for c in mechanism.connections:
        yield from ((c.parent, c.p_P), (c.child, c.p_C))
    for joint in mechanism.joints:
        yield from joint.far_ends
    for b in mechanism.bushings:
        yield from ((b.parent, b.p), (b.child, b.p))
    for *_, on in acting(mechanism):
        yield from on.segment or ()
    for coupling in mechanism.couplings:
        for part in coupling.of.parts:
            yield from part.of.segment or ()
    for held in mechanism.constraints:
        if held.type.has_point:
            yield from ((held.parent, held.p_P), (held.child, held.p_C))
    for cam in mechanism.cams:
        yield from ((cam.parent, cam.centre), (cam.child, cam.p))
    for marker in mechanism.markers:
        yield marker.body, marker.p


def acting(mechanism: Mechanism) -> Iterable[tuple[Kind, str, Measure]]:
    """What springs, dampers, forces and elements are connected to, their kind and name."""
    yield from ((KINDS[type(element)], element.name, element.on) for element in mechanism.elements)
    yield from (("element", device.name, on) for device in mechanism.devices for _, on in device.on)


def own_points(mechanism: Mechanism, body: str) -> Array:
    """Where something is attached to a body, each place once; the mass centre too where that is a single one.

    Of a disc on the floor some points of its rim.
    """
    points = [p for name, p in attachments(mechanism) if name == body]
    points += [p for item in rims_on_floor(mechanism) if item.name == body for p in item.points[:-1:SPOKE]]
    found = distinct(points)
    if len(found) > 1:
        return found
    com = next(b.com for b in mechanism.bodies if b.name == body)
    return distinct([*found, com])


def distinct(points: list[Array]) -> Array:
    """Each place once, (n, 3)."""
    if not points:
        return np.zeros((0, 3))
    _, first = np.unique(np.round(np.array(points) / SAME), axis=0, return_index=True)
    return np.array(points)[first]


def solid(name: str, points: Array) -> Item:
    """A bar between two points, a translucent solid between more."""
    faces: list[list[int]] = []
    if len(points) == 3:
        faces = [[0, 1, 2]]
    elif len(points) > 3:
        faces = ConvexHull(points, qhull_options="QJ").simplices.tolist()
    return Item("body", name, (name,) * len(points), points, tuple((a, b, c) for a, b, c in faces))


def line(kind: Kind, name: str, a: Point, b: Point) -> Item:
    """Between points of two bodies."""
    return Item(kind, name, (a[0], b[0]), np.array([a[1], b[1]]))


def point(kind: Kind, name: str, body: str, p: Array) -> Item:
    """One point."""
    return Item(kind, name, (body,), np.asarray(p)[None])


def hinge(joint: Joint) -> Item:
    """The place of a joint; both ends of a hinge that has two."""
    ends = [joint.p_C, *(p for body, p in joint.far_ends if body == joint.child)]
    return Item("joint", joint.name, (joint.child,) * len(ends), np.array(ends))


def couplings(mechanism: Mechanism) -> Iterator[Item]:
    """Ropes between points; circles about hinges that are coupled, where a marker says how far out teeth are."""
    joints = {joint.name: joint for joint in mechanism.joints}
    hinges: dict[str, Joint] = {}
    for coupling in mechanism.couplings:
        for part in coupling.of.parts:
            if part.of.segment is not None:
                yield line("coupling", coupling.name, *part.of.segment)
            hinges |= {name: joints[name] for kind, name in part.of.refers if kind == "joint"}
    for joint in hinges.values():
        axes = [p.axis for p in joint.primitives if p.kind == "rotation" and p.axis is not None]
        arms = [k.p - joint.p_C for k in mechanism.markers if k.body == joint.child]
        if len(axes) == 1 and arms:
            radius = max(float(np.linalg.norm(np.cross(axes[0], arm))) for arm in arms)
            yield circle("coupling", joint.name, joint.child, joint.p_C, axes[0], radius)


def cams(mechanism: Mechanism) -> Iterator[Item]:
    """Profiles; rollers, and faces as wide as what they touch."""
    for cam in mechanism.cams:
        plane = np.array([cam.zero, cam.across])
        surface = cam.centre + cam.follower.surface() @ plane
        yield Item("cam", cam.name, (cam.parent,) * len(surface), surface)
        if cam.follower.kind == "roller":
            yield circle("cam", cam.name, cam.child, cam.p, cam.axis, cam.follower.radius)
        if cam.normal is not None:
            half = 0.5 * float(np.ptp(surface - cam.centre, axis=0).max()) * np.cross(cam.axis, cam.normal)
            yield line("cam", cam.name, (cam.child, cam.p - half), (cam.child, cam.p + half))


def lines_of_force(mechanism: Mechanism) -> Iterator[Item]:
    """What acts between two points; what acts on an angle or a joint's travel has no line."""
    for kind, name, on in acting(mechanism):
        if on.segment is not None:
            yield line(kind, name, *on.segment)


def rim(wheel: Wheel) -> Item:
    """A circle of the wheel's radius."""
    return circle("wheel", wheel.name, wheel.body, wheel.centre, wheel.spin_axis, wheel.radius)


def rims_of_markers(mechanism: Mechanism) -> Iterator[Item]:
    """Where a file has no wheels, circles about spin axes of markers, as large as the farthest marker of their body."""
    for marker in mechanism.markers:
        if marker.spin_axis is None or mechanism.wheels:
            continue
        arms = [other.p - marker.p for other in mechanism.markers if other.body == marker.body]
        radius = max(float(np.linalg.norm(np.cross(arm, marker.spin_axis))) for arm in arms)
        yield circle("wheel", marker.name, marker.body, marker.p, marker.spin_axis, radius)


def rims_on_floor(mechanism: Mechanism) -> Iterator[Item]:
    """The circle of a disc on the floor."""
    contact = mechanism.contact
    if contact is not None:
        yield circle("wheel", contact.body, contact.body, contact.centre, contact.axis, contact.radius)


def circle(kind: Kind, name: str, body: str, centre: Array, axis: Array, radius: float) -> Item:
    """A closed line."""
    aside = np.cross(axis, np.eye(3)[np.argmin(np.abs(axis))])
    aside = aside / np.linalg.norm(aside)
    turn = np.linspace(0.0, 2.0 * np.pi, RIM + 1)[:, None]
    points = centre + radius * (np.cos(turn) * aside + np.sin(turn) * np.cross(axis, aside))
    return Item(kind, name, (body,) * len(points), points)
