"""Joints that the reader makes for bodies that bushings connect and no joint does.

    one bushing             a ball at the bushing, its three translations stiff, in the bushing's axes
    two or more on a line   a revolute about the line through the two bushings that are farthest apart, at the middle
                            of the two, the other five directions stiff
    three or more, not so   nothing turns freely: all six directions stiff, in global axes at the centre of the bushings
    all at one point        as one bushing, with the axes of the first

The joint is called after the child of the first bushing (the parent, if the child is the ground), with "_mount".
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import combinations

import numpy as np

from precompute.mechanism_file.geometry import COINCIDENT, Geometry
from precompute.model.mechanism import GROUND, LOCKED, Bushing, Joint, joint_primitives, stiff_primitives

Pair = tuple[str, str]  # parent, child

ON_LINE = 0.05
"""How far off the line of the outermost bushings another may be, over their distance, to be on it: an arm that swings
by 20 deg about the line deflects that bushing by less than a fiftieth of their distance."""


def mount_name(parent: str, child: str) -> str:
    """Name of the joint that is made."""
    return f"{parent if child == GROUND else child}_mount"


def unjoined(bushings: Iterable[Pair], joints: Iterable[Pair]) -> list[Pair]:
    """The pairs of bodies that bushings connect and no joint does, each as its first bushing names it."""
    joined = {frozenset(pair) for pair in joints}
    first: dict[frozenset[str], Pair] = {}
    for pair in bushings:
        if frozenset(pair) not in joined:
            first.setdefault(frozenset(pair), pair)
    return list(first.values())


def mount(bushings: Sequence[Bushing], geometry: Geometry) -> Joint:
    """The joint for all bushings between two bodies."""
    first = bushings[0]
    name = mount_name(first.parent, first.child)
    kind, held = carried_by(bushings)
    if kind == "spherical":
        ball = (*joint_primitives("spherical"), *stiff_primitives(LOCKED["spherical"], first.R))
        return Joint(name, "spherical", first.parent, first.child, first.p, first.p, ball, "parent", first.R)
    if kind == "fixed":
        centre = np.mean([x.p for x in held], axis=0)
        stiff = stiff_primitives(LOCKED["fixed"], np.eye(3))
        return Joint(name, "fixed", first.parent, first.child, centre, centre, stiff)
    a, b = (x.p for x in held)
    R = geometry.axes(tuple((b - a).tolist()), None)
    hinge = (*joint_primitives("revolute", [R[:, 0]]), *stiff_primitives(LOCKED["revolute"], R))
    middle = 0.5 * (a + b)
    return Joint(name, "revolute", first.parent, first.child, middle, middle, hinge, "parent", R)


def carried_by(bushings: Sequence[Bushing]) -> tuple[str, tuple[Bushing, ...]]:
    """The kind of joint that is made, and the bushings whose middle is its place."""
    first, *others = bushings
    a, b = max(combinations(bushings, 2), key=lambda ends: _gap(ends[0].p, ends[1].p), default=(first, first))
    if _gap(a.p, b.p) < COINCIDENT:
        return "spherical", (first,)
    if max(_off_line(x.p, a.p, b.p) for x in bushings) > ON_LINE * _gap(a.p, b.p):
        return "fixed", (first, *others)
    return "revolute", (a, b)


def _gap(a: np.ndarray, b: np.ndarray) -> float:
    return float(np.linalg.norm(b - a))


def _off_line(p: np.ndarray, a: np.ndarray, b: np.ndarray) -> float:
    return float(np.linalg.norm(np.cross(p - a, b - a))) / _gap(a, b)
