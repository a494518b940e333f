"""Points, directions and motions of joints, read off frames that stand and move.

travel of a joint       along . (p' - p)
angle about n           atan2(n . (x x y), x . y - (n . x)(n . y)), from x to y                     (1)
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from precompute.arrays import Array
from precompute.natural import jets
from precompute.natural.jets import Jet
from precompute.natural.joints import Link, Links, Travel, Turn

TURN = 2.0 * np.pi
Pose = tuple[Jet, Jet]
"""Origin p (n, 3) [m] and rotation R (n, 3, 3) since design, with derivatives: a point of the frame at r is p + R r."""

Poses = Mapping[str, Pose]


def point(poses: Poses, frame: str, p: Array) -> Jet:
    """(n, 3) a point of a frame that is at p (3,) at design [m]."""
    origin, R = poses[frame]
    return jets.plus(origin, jets.linear(R, lambda r: r @ p))


def direction(poses: Poses, frame: str, u: Array) -> Jet:
    """(n, 3) a vector of a frame."""
    return jets.linear(poses[frame][1], lambda r: r @ u)


def link_value(link: Link, poses: Poses) -> Jet:
    """A travel, or an angle by (1)."""
    if isinstance(link, Travel):
        gap = jets.plus(point(poses, *link.after.owners[0]), point(poses, *link.before.owners[0]), -1.0)
        return jets.dot(direction(poses, link.frame, link.along), gap)
    n = direction(poses, link.on, link.axis)
    x, y = direction(poses, link.before, link.seen), direction(poses, link.after, link.seen)
    sine = jets.dot(n, jets.cross(x, y))
    cosine = jets.plus(jets.dot(x, y), jets.product(jets.dot(n, x), jets.dot(n, y)), -1.0)
    return jets.angle(sine, cosine)


def turns(links: Links) -> dict[tuple[str, int], Turn]:
    """All rotations, in the order in which places count their angles."""
    return {key: link for key, link in links.items() if isinstance(link, Turn)}


def counted(angle: Array, near: Array) -> Array:
    """Angles up to whole turns, nearest to others."""
    return np.asarray(angle + TURN * np.round((near - angle) / TURN))


def angles(links: Links, poses: Poses, near: Array | None = None) -> Array:
    """(n, na) of all rotations, nearest to those given (n, na)."""
    n = len(next(iter(poses.values()))[0][0])
    still = {name: (p[:1], R[:1]) for name, (p, R) in poses.items()}
    found = [link_value(link, still)[0] for link in turns(links).values()]
    values = np.stack(found, axis=1) if found else np.zeros((n, 0))
    return values if near is None else counted(values, near)
