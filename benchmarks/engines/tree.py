"""The suspension cut into a tree of links, as engines with joint coordinates want it.

Cut are the three or four joints in CUTS; each leaves a point that two links share.  All other joints carry a link:

    hinge, slide   one coordinate
    ball           three rotations
    rod            two rotations: a link between balls, whose spin about its own line is idle.  Its inertia about that
                   line is removed, and the motion is exactly that of the link on two balls.
    mount          six: an arm on its two bushings

The damper and the spring between the ends of the shock act on its slide, whose travel is the change of their distance.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Literal

import numpy as np

from engines.truth import Truth
from precompute.arrays import Array
from precompute.geometry.spatial import Transform, so3_log
from precompute.model.bushings import equivalent_bushing
from precompute.model.mechanism import GROUND, Joint, Measure, Mechanism, plane_axes

CUTS = ("upper_ball", "outer_ball", "shock_lower", "link_idler")
RODS = {"inner_ball": "outer_ball", "shock_upper": "shock_lower"}
"""Balls that carry links with an idle spin, and the balls at their other ends."""

LinkKind = Literal["hinge", "slide", "ball", "rod", "mount"]
KINDS: dict[str, LinkKind] = {"revolute": "hinge", "prismatic": "slide", "spherical": "ball"}

SPIN_INERTIA = 1e-6  # what is left of the inertia of a rod about its line, over its largest; some engines refuse zero
DIAGONAL = 1e-9  # share of the largest rate below which a coupling of two directions counts as zero


@dataclass(frozen=True, eq=False)
class Link:
    """A body and the joint that carries it.  All numbers at design, in G."""

    name: str  # of the body
    parent: str  # body
    joint: str
    kind: LinkKind
    point: Array  # (3,) of the joint [m]
    axes: Array  # (3, n) hinge, slide: one; rod: two, in this order from the parent; mount: three, the first turns most
    mass: float
    com: Array  # (3,)
    inertia: Array  # (3, 3) about com
    start: Transform  # pose of the child's joint frame in the parent's; the identity at design
    stiffness: Array = field(default_factory=lambda: np.zeros(6))  # per coordinate: hinge, slide: [0]; mount: all six
    damping: Array = field(default_factory=lambda: np.zeros(6))
    rest: float = 0.0  # coordinate at which the spring of a hinge or slide has no force

    @property
    def line(self) -> Array:
        """(3,) of a rod: direction from ball to ball."""
        return np.cross(self.axes[:, 0], self.axes[:, 1])

    def start_angles(self) -> tuple[float, ...]:
        """Coordinates of a hinge, slide, rod or mount at the start; R = R(axis 1) R(axis 2) R(axis 0) of a mount."""
        R = self.axes.T @ self.start.R @ self.axes if self.kind == "mount" else self.start.R
        if self.kind == "hinge":
            return (float(so3_log(R) @ self.axes[:, 0]),)
        if self.kind == "slide":
            return (float(self.start.p @ self.axes[:, 0]),)
        if self.kind == "rod":
            line = R @ self.line
            x, y, z = (float(line @ a) for a in (*self.axes.T, self.line))
            return float(np.arctan2(-y, z)), float(np.arcsin(x))
        angles = (np.arctan2(-R[2, 0], R[0, 0]), np.arcsin(R[1, 0]), np.arctan2(-R[1, 2], R[1, 1]))
        return (*(self.axes.T @ self.start.p).tolist(), *(float(a) for a in angles))


@dataclass(frozen=True, eq=False)
class Cut:
    """A point that two links share."""

    name: str
    parent: str
    child: str
    point: Array  # (3,)
    normal: Array | None  # (3,) of a revolute joint between links of a plane: the direction that needs no holding


@dataclass(frozen=True, eq=False)
class Tree:
    """Links, each followed by all that it carries, and cuts."""

    links: tuple[Link, ...]
    cuts: tuple[Cut, ...]
    gravity: Array  # (3,)


def tree(truth: Truth) -> Tree:
    """Cut the mechanism of a truth; its links start where the truth does."""
    mechanism = truth.mechanism
    links = [with_forces(link(truth, joint), mechanism) for joint in carrying(mechanism, GROUND)]
    cuts = [Cut(j.name, j.parent, j.child, j.p_P, j.primitives[0].axis) for j in mechanism.joints if j.name in CUTS]
    return Tree(tuple(spinless(links)), tuple(cuts), mechanism.gravity)


def carrying(mechanism: Mechanism, body: str) -> list[Joint]:
    """The joints of the tree beyond a body, each followed by those beyond its child: Pinocchio needs this order."""
    own = [j for j in mechanism.joints if j.parent == body and j.name not in CUTS]
    return [x for joint in own for x in (joint, *carrying(mechanism, joint.child))]


def link(truth: Truth, joint: Joint) -> Link:
    """The child of a joint, without springs."""
    body = next(b for b in truth.mechanism.bodies if b.name == joint.child)
    at = Transform(np.eye(3), joint.p_P)
    start = at.inverse() @ truth.start[joint.parent].inverse() @ truth.start[joint.child] @ at
    kind, axes = KINDS[joint.kind], np.eye(3)
    if joint.stiff:
        kind, axes = "mount", joint.R
    elif joint.name in RODS:
        end = truth.mechanism.joint(RODS[joint.name]).p_P
        kind, axes = "rod", np.array(plane_axes(end - joint.p_P)).T
    elif kind in ("hinge", "slide"):
        axes = np.array([joint.primitives[0].axis]).T
    return Link(body.name, joint.parent, joint.name, kind, joint.p_P, axes, body.mass, body.com, body.inertia, start)


def spinless(links: list[Link]) -> list[Link]:
    """Take the inertia about the idle line from rods and from what slides on them."""
    lines = {link.name: link.line for link in links if link.kind == "rod"}
    lines |= {link.name: lines[link.parent] for link in links if link.kind == "slide" and link.parent in lines}
    return [replace(x, inertia=without(x.inertia, lines[x.name])) if x.name in lines else x for x in links]


def without(inertia: Array, line: Array) -> Array:
    """An inertia (3, 3) without its part about one of its principal axes."""
    size = float(np.linalg.eigvalsh(inertia)[-1])
    return inertia - (line @ inertia @ line - SPIN_INERTIA * size) * np.outer(line, line)


# -- forces -----------------------------------------------------------------------------------------------------------


def with_forces(link: Link, mechanism: Mechanism) -> Link:
    """The link with the springs, dampers and bushings that act on its joint."""
    if link.kind == "mount":
        return on_bushings(link, mechanism)
    if link.kind not in ("hinge", "slide"):
        return link
    stiffness, damping, rest = np.zeros(6), np.zeros(6), 0.0
    for spring in mechanism.springs:
        if sign := lever(spring.on, link):
            stiffness[0] = spring.stiffness or 0.0
            rest = spring.free_length if spring.preload is None else sign * spring.preload / stiffness[0]  # type: ignore
    for damper in mechanism.dampers:
        if lever(damper.on, link):
            damping[0] = damper.damping or 0.0
    return replace(link, stiffness=stiffness, damping=damping, rest=rest)


def lever(on: Measure, link: Link) -> float:
    """Change of a measure per coordinate of a link, +1 or -1; 0 if it is not measured there."""
    if on.segment is None:
        return float(on.primitive_of(link.joint) is not None)
    (_, p_a), (_, p_b) = on.segment
    along = (p_b - p_a) / np.linalg.norm(p_b - p_a)
    return float(np.round(along @ link.axes[:, 0])) if link.kind == "slide" else 0.0


def on_bushings(link: Link, mechanism: Mechanism) -> Link:
    """A mount with the rates of its bushings: three translations, then rotations, along and about its axes.

    Raises:
        ValueError: the directions are coupled; two equal bushings with their joint in the middle are not.
    """
    equivalent = equivalent_bushing(mechanism.joint(link.joint), mechanism.bushings)
    # the joint counts its free rotation, about the first axis, first
    order = [1, 2, 3, 0, 4, 5]
    rates = []
    for K in (equivalent.stiffness, equivalent.damping):
        K = K[np.ix_(order, order)]
        if np.abs(K - np.diag(np.diag(K))).max() > DIAGONAL * np.abs(K).max():
            raise ValueError(f"the bushings of '{link.name}' couple directions of their mount")
        rates.append(np.diag(K))
    return replace(link, stiffness=rates[0], damping=rates[1])
