"""Joints and rods as shared points and unit vectors.

A joint leads from its parent to its child through its elementary motions, in the order of its walk.  Turning motions
make frames, of which the last is the child; those between are massless bodies.  Runs of travels make points:

    rotation about a             shares the point p and the vector a            (revolute)
    two rotations about a and b  share p; a . b is constant                     (universal)
    ball                         shares p
    one travel along a           (p' - p) x a = 0                               (prismatic, cylindrical)
    two travels                  (p' - p) . n = 0, n across both                (planar)
    three travels                no row
    no turning motion            shares two vectors u and v                     (prismatic, fixed)

A travel of a run is b . (p' - p) with b the vector of its dual basis; an angle turns from a vector of the frame before
to the same of the frame after.  `Travel` and `Turn` say so for each motion: rows that hold one at a value, be it zero,
a deflection or what a driver says, and readings of it are made from them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from itertools import groupby

import numpy as np

from precompute.arrays import Array
from precompute.errors import PrecomputeError
from precompute.model.mechanism import Joint, Mechanism, plane_axes
from precompute.natural.drawing import Drawing, Drawn, Feature
from precompute.natural.expressions import Vector
from precompute.natural.rows import Row, distance, held_dot, parallel

PARALLEL = 1e-6
"""Axes whose cross product is smaller count as parallel."""

Place = tuple[str, Array]
"""A frame and a point of it at design, (3,) [m]."""

RowMaker = Callable[[Drawn], Iterable[Row]]
"""Rows that are made when all features are drawn."""


@dataclass
class Spot:
    """A point inside a joint, of the frames that have it."""

    name: str
    owners: list[Place] = field(default_factory=list)
    feature: Feature | None = None

    def draw(self, drawing: Drawing) -> None:
        """Make it a feature of all its owners."""
        self.feature = drawing.point(self.name, *self.owners)

    def at(self, drawn: Drawn) -> Vector:
        """As an expression."""
        assert self.feature is not None
        return drawn.at(self.feature)


@dataclass(frozen=True, eq=False)
class Travel:
    """A translation: along . (after - before), with a vector of the frame."""

    frame: str
    along: Array  # (3,)
    before: Spot
    after: Spot

    def gap(self, drawn: Drawn) -> Vector:
        """After - before."""
        return self.after.at(drawn) - self.before.at(drawn)


@dataclass(frozen=True, eq=False)
class Turn:
    """A rotation: the angle about `axis`, a vector of `on`, from `seen` in the frame before to `seen` in that after."""

    axis: Array  # (3,) unit
    seen: Array  # (3,)
    before: str
    after: str
    on: str  # before or after


Link = Travel | Turn
Links = dict[tuple[str, int], Link]
"""Joint and number of a scalar motion -> what it is between."""


def draw_connections(drawing: Drawing, mechanism: Mechanism) -> tuple[Links, list[RowMaker]]:
    """All joints and rods: their features, what their motions are between, and their rows."""
    links: Links = {}
    makers: list[RowMaker] = []
    for joint in mechanism.joints:
        makers += JointDrawing(drawing, joint, links).made()
    for rod in mechanism.rods:
        ends = drawing.own(rod.parent, rod.name, rod.p_P, True), drawing.own(rod.child, rod.name, rod.p_C, True)
        makers.append(rod_rows(f"rod '{rod.name}'", *ends, rod.length / drawing.length))
    return links, makers


def rod_rows(label: str, a: Feature, b: Feature, length: float) -> RowMaker:
    """A constant distance."""
    return lambda drawn: distance(label, drawn.at(a) - drawn.at(b), length)


class JointDrawing:
    """One joint while it is drawn, from its parent to its child."""

    def __init__(self, drawing: Drawing, joint: Joint, links: Links) -> None:
        self.drawing, self.joint, self.links = drawing, joint, links
        self.label = f"joint '{joint.name}'"
        self.frame = joint.parent
        self.spot = Spot(joint.name, [(joint.parent, joint.p_P)])
        self.spots = [self.spot]
        self.makers: list[RowMaker] = []

    def made(self) -> list[RowMaker]:
        """Draw it; its rows are made later."""
        steps = motion_groups(self.joint)
        turning = [k for k, (kind, _) in enumerate(steps) if kind != "translation"]
        if not turning:
            self._share_orientation()
        for k, (kind, numbers) in enumerate(steps):
            if kind == "translation":
                self._travel(numbers)
                continue
            last = k == turning[-1]
            after = self.joint.child if last else f"{self.joint.name}#{k}"
            self._turn(kind, numbers, after)
            if not last:
                self.spot.owners.append((after, self.joint.p_P))
            elif k == len(steps) - 1:
                self.spot.owners.append((after, self.joint.p_C))
            self.frame = after
        if not turning or turning[-1] != len(steps) - 1:
            self.spot.owners.append((self.joint.child, self.joint.p_C))
        for spot in self.spots:
            spot.draw(self.drawing)
        return self.makers

    def _axis(self, number: int) -> Array:
        axis = self.joint.primitives[number].axis
        assert axis is not None
        return axis

    def _share_orientation(self) -> None:
        axes = [p.axis for p in self.joint.primitives if p.axis is not None]
        u = axes[0] if axes else np.array([0.0, 0.0, 1.0])
        for vector in (u, plane_axes(u)[0]):
            self.drawing.vector(self.joint.name, (self.joint.parent, vector), (self.joint.child, vector))

    def _travel(self, numbers: list[int]) -> None:
        A = np.array([self._axis(i) for i in numbers]).T
        if np.linalg.matrix_rank(A, tol=PARALLEL) < len(numbers):
            raise PrecomputeError(f"{self.label} travels twice the same way; take one of its translations out")
        before, after = self.spot, Spot(f"{self.joint.name}'")
        travels = [Travel(self.frame, along, before, after) for along in np.linalg.pinv(A)]
        self.links |= {(self.joint.name, i): travel for i, travel in zip(numbers, travels, strict=True)}
        gap = travels[0].gap
        if len(numbers) == 1:
            u = self.drawing.own(self.frame, self.joint.name, A[:, 0], False)
            self.makers.append(lambda drawn: parallel(self.label, gap(drawn), drawn.at(u)))
        elif len(numbers) == 2:
            across = np.cross(A[:, 0], A[:, 1])
            n = self.drawing.own(self.frame, self.joint.name, across / np.linalg.norm(across), False)
            self.makers.append(lambda drawn: held_dot(self.label, gap(drawn), drawn.at(n), 0.0))
        self.spot = after
        self.spots.append(after)

    def _turn(self, kind: str, numbers: list[int], after: str) -> None:
        name, before = self.joint.name, self.frame
        if kind == "ball":
            return
        if len(numbers) == 1:
            axis = self._axis(numbers[0])
            self.drawing.vector(name, (before, axis), (after, axis))
            self.links[name, numbers[0]] = Turn(axis, plane_axes(axis)[0], before, after, before)
            return
        a, b = (self._axis(i) for i in numbers)
        u, v = self.drawing.own(before, name, a, False), self.drawing.own(after, name, b, False)
        self.links[name, numbers[0]] = Turn(a, b, before, after, before)
        self.links[name, numbers[1]] = Turn(b, a, before, after, after)
        self.makers.append(lambda drawn: held_dot(self.label, drawn.at(u), drawn.at(v), float(a @ b)))


def motion_groups(joint: Joint) -> list[tuple[str, list[int]]]:
    """Runs of translations, single rotations or crossing pairs of them, and balls, from parent to child."""
    groups: list[tuple[str, list[int]]] = []
    for kind, run in groupby(joint.walk, key=lambda i: joint.primitives[i].kind):
        numbers = list(run)
        if kind == "translation":
            groups.append((kind, numbers))
        elif kind == "ball":
            groups += [(kind, [i]) for i in numbers]
        else:
            groups += [(kind, pair) for pair in crossing_pairs(joint, numbers)]
    return groups


def crossing_pairs(joint: Joint, numbers: list[int]) -> list[list[int]]:
    """Rotations one after the other, two at a time where their axes cross."""
    pairs: list[list[int]] = []
    for number in numbers:
        axis = joint.primitives[number].axis
        if pairs and len(pairs[-1]) == 1:
            other = joint.primitives[pairs[-1][0]].axis
            assert axis is not None and other is not None
            if np.linalg.norm(np.cross(axis, other)) > PARALLEL:
                pairs[-1].append(number)
                continue
        pairs.append([number])
    return pairs
