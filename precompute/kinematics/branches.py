"""The assemblies of a mechanism: the different ways in which its loops close with the coordinates at given values.

Two configurations are the same assembly if every body is in the same place, whatever the joint coordinates say: angles
may have gone round, and the two angles of a universal joint have two ways to one place.  A link that only joins two
points, a ball or universal joint at each, is where its points are: how it is turned about their line does not count.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from precompute.arrays import Array
from precompute.kinematics.assembly import displacements
from precompute.kinematics.coefficients import Closure, condition_numbers
from precompute.kinematics.continuation import MAX_CONDITION
from precompute.kinematics.poses import Poses
from precompute.kinematics.restarts import RESTARTS, from_anywhere
from precompute.model.mechanism import Joint, Mechanism

SAME = 1e-4
"""Assemblies differ if something is farther apart than this share of the reference length; a double root is found to a
hundredth of it."""

ON_LINE = 1e-9
"""What is off the line of a link by less than this share of its length is on it."""


@dataclass(frozen=True, eq=False)
class Assembly:
    """One way to close the loops."""

    q: Array  # (nq,)
    condition: float  # of the equations with the coordinates held; infinite where they do not determine it
    moved: float  # how far the farthest joint is from where the search began [m]
    found: int  # how many starts led to it


@dataclass(frozen=True, eq=False)
class Search:
    """What many starts have led to."""

    assemblies: tuple[Assembly, ...]  # the one that was known, then the nearest first
    starts: int
    closed: int  # how many of them closed the loops
    undetermined: int  # how many of these ended each at a place of its own, where links move though the inputs are held


def search(closure: Closure, z: Array, q: Array, first: Array) -> Search:
    """The assemblies with the coordinates at z (nz,): one that is known, then the others by their distance from q.

    Args:
        closure: the mechanism and its coordinates.
        z: (nz,) their values.
        q: (nq,) the design or the drawing, closed or not.
        first: (nq,) the assembly that is known.
    """
    found = from_anywhere(closure, z)
    every = np.concatenate([first[None], found.q[found.closed]])
    moved = displacements(closure, q, every)
    order = np.concatenate([[0], 1 + np.argsort(moved[1:], kind="stable")]).astype(int)
    groups = alike(features(closure, every), order, SAME * closure.length)
    condition = condition_numbers(closure, closure.matrix(closure.poses(every)))
    met = [len(groups[0]) - 1, *map(len, groups[1:])]
    made = tuple(
        Assembly(every[g[0]], float(condition[g[0]]), float(moved[g[0]]), count)
        for g, count in zip(groups, met, strict=True)
        if g[0] == 0 or count > 1 or condition[g[0]] < MAX_CONDITION
    )
    closed = int(found.closed.sum())
    return Search(made, RESTARTS, closed, closed - sum(each.found for each in made))


def alike(places: Array, order: Array, limit: float) -> list[list[int]]:
    """Rows of places (n, nf) in groups that differ by less than the limit, first met in the order given."""
    groups: list[list[int]] = []
    left = order
    while left.size:
        near = np.abs(places[left] - places[left[0]]).max(axis=1) < limit
        groups.append(left[near].tolist())
        left = left[~near]
    return groups


def features(closure: Closure, q: Array) -> Array:
    """Where the bodies are, at q (n, nq): positions, and turned axes times the reference length.  -> (n, nf) [m]."""
    P = closure.poses(q)
    parts = [np.zeros((len(q), 0))]
    for body in closure.mechanism.bodies:
        ends = line_ends(closure.mechanism, body.name)
        if ends is not None:
            parts += [P.pose(body.name).point(p) for p in ends]
        else:
            parts += [P.pose(body.name).point(body.com), closure.length * relative_axes(closure, P, body.name)]
    return np.concatenate(parts, axis=1)


def relative_axes(closure: Closure, P: Poses, name: str) -> Array:
    """The axes of a body (n, 9) in G; of one in a group that may spin idly between two balls, in its first body's."""
    number = closure.topology.bodies.index(name)
    R = P.pose(name).R
    spin = next((s for s in closure.topology.spins if number in s.group), None)
    if spin is not None:
        R = np.swapaxes(P.X[spin.body].R, -1, -2) @ R
    return R.reshape(len(R), 9)


def line_ends(mechanism: Mechanism, name: str) -> tuple[Array, Array] | None:
    """The two joints (3,) each of a body that is no more than a line between them; None for any other.

    Each is a ball or a universal joint, and nothing acts on the body, or is measured of it, off their line.
    """
    joints = [j for j in mechanism.connections if name in (j.parent, j.child)]
    if len(joints) != 2 or not all(isinstance(j, Joint) and turns_two_ways(j) for j in joints):
        return None
    a, b = (j.p_P if j.parent == name else j.p_C for j in joints)
    length = float(np.linalg.norm(b - a))
    if length == 0.0:
        return None
    measures = [e.on for e in mechanism.elements] + [r.of for r in mechanism.measures]
    measures += [on for device in mechanism.devices for _, on in device.on]
    measures += [row.measure for row in mechanism.held]
    points = [p for of in measures for body, p in of.segment or () if body == name]
    points += [marker.p for marker in mechanism.markers if marker.body == name]
    points += [bushing.p for bushing in mechanism.bushings if name in (bushing.parent, bushing.child)]
    off = [float(np.linalg.norm(np.cross(b - a, p - a))) / length for p in points]
    return (a, b) if max(off, default=0.0) <= ON_LINE * length else None


def turns_two_ways(joint: Joint) -> bool:
    """Whether a joint is a ball or a universal joint, so that it holds a point and one turn at most."""
    kinds = [p.kind for p in joint.primitives if not p.stiff]
    return kinds == ["ball"] or kinds == ["rotation", "rotation"]
