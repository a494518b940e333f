"""Measures read off frames that stand and move: by formulas of their own, none of those of `measures`.

    travel of a joint       along . (p' - p)
    angle about n           atan2(n . (x x y), x . y - (n . x)(n . y)), from x to y                     (1)
    marker coordinate       a component of its point
    distance                |p_a - p_b|
    bushing                 E^T (p_C - p_P);  theta = h(c) vee(M - M^T)/2, M = E^T R_C R_b                (2)

with c = (trace M - 1)/2 = cos |theta| and h = |theta|/sin |theta|, a smooth function of c:

    (1 - c^2) h' = c h - 1,   h = sum_k a_k (1 - c)^k,  a_0 = 1,  a_k = a_{k-1} k/(2 k + 1)               (3)
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from precompute.arrays import Array
from precompute.errors import PrecomputeError
from precompute.model.mechanism import (
    BushingDeflection,
    Distance,
    JointCoordinate,
    MarkerCoordinate,
    Measure,
    Mechanism,
)
from precompute.natural import jets
from precompute.natural.jets import Jet
from precompute.natural.joints import Link, Links, Travel, Turn
from precompute.natural.system import Pose

TURN = 2.0 * np.pi
SERIES = 0.5
"""Below this 1 - c, (3) is summed; 40 terms leave less than 1e-17 of it."""

Poses = Mapping[str, Pose]


def point(poses: Poses, frame: str, p: Array) -> Jet:
    """(n, 3) a point of a frame that is at p (3,) at design [m]."""
    origin, R = poses[frame]
    return jets.plus(origin, jets.linear(R, lambda r: r @ p))


def direction(poses: Poses, frame: str, u: Array) -> Jet:
    """(n, 3) a vector of a frame."""
    return jets.linear(poses[frame][1], lambda r: r @ u)


def measured(mechanism: Mechanism, links: Links, poses: Poses, measure: Measure) -> Jet:
    """(n,) value and derivatives of any measure; angles of joints between -pi and pi."""
    if type(measure) not in READERS:
        raise PrecomputeError(f"natural coordinates do not measure the {measure.name}")
    return READERS[type(measure)](mechanism, links, poses, measure)


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


def joint_value(mechanism: Mechanism, links: Links, poses: Poses, of: JointCoordinate) -> Jet:
    """A travel or an angle."""
    return link_value(links[of.joint, of.index], poses)


def marker_value(mechanism: Mechanism, links: Links, poses: Poses, of: MarkerCoordinate) -> Jet:
    """One component, from the origin or from design."""
    marker, i = mechanism.marker(of.marker), "xyz".index(of.axis)
    value, *rates = jets.linear(point(poses, marker.body, marker.p), lambda d: d[:, i])
    return (value - marker.p[i] if of.relative else value, *rates)


def distance_value(mechanism: Mechanism, links: Links, poses: Poses, of: Distance) -> Jet:
    """The root of a square."""
    gap = jets.plus(point(poses, of.body_a, of.p_a), point(poses, of.body_b, of.p_b), -1.0)
    return jets.root(jets.dot(gap, gap))


def bushing_value(mechanism: Mechanism, links: Links, poses: Poses, of: BushingDeflection) -> Jet:
    """By (2)."""
    b = mechanism.bushing(of.bushing)
    if of.index < 3:
        gap = jets.plus(point(poses, b.child, b.p), point(poses, b.parent, b.p), -1.0)
        return jets.dot(direction(poses, b.parent, b.R[:, of.index]), gap)
    E, F = (jets.linear(poses[body][1], lambda r: r @ b.R) for body in (b.parent, b.child))
    M = jets.matrix(jets.linear(E, lambda e: np.swapaxes(e, 1, 2)), F)
    i, j = ((2, 1), (0, 2), (1, 0))[of.index - 3]
    half = jets.linear(M, lambda m: 0.5 * (m[:, i, j] - m[:, j, i]))
    c = jets.linear(M, lambda m: 0.5 * np.trace(m, axis1=1, axis2=2))
    return jets.product(stretch((c[0] - 0.5, *c[1:])), half)


def stretch(c: Jet) -> Jet:
    """h of (3), with derivatives."""
    y = 1.0 - c[0]
    h = np.zeros((4, len(y)))
    near = y < SERIES
    factors = np.cumprod([1.0, *(k / (2.0 * k + 1.0) for k in range(1, 40))])
    for k in range(4):  # derivatives along c
        series = np.polynomial.Polynomial(factors).deriv(k) if k else np.polynomial.Polynomial(factors)
        h[k] = (-1.0) ** k * series(np.where(near, y, 0.0))
    far_c = np.where(near, 0.0, c[0])
    below = 1.0 - far_c**2
    far = [np.arccos(far_c) / np.sqrt(below)]
    far.append((far_c * far[0] - 1.0) / below)
    far.append((3.0 * far_c * far[1] + far[0]) / below)
    far.append((5.0 * far_c * far[2] + 4.0 * far[1]) / below)
    h = np.where(near, h, np.array(far))
    out = [h[0]]  # chain rule
    if len(c) > 1:
        out.append(h[1] * c[1])
    if len(c) > 2:
        out.append(h[2] * c[1] ** 2 + h[1] * c[2])
    if len(c) > 3:
        out.append(h[3] * c[1] ** 3 + 3.0 * h[2] * c[1] * c[2] + h[1] * c[3])
    return tuple(out)


READERS: dict[type[Measure], Callable[[Mechanism, Links, Poses, Any], Jet]] = {
    JointCoordinate: joint_value,
    MarkerCoordinate: marker_value,
    Distance: distance_value,
    BushingDeflection: bushing_value,
}
"""How each kind of measure is read."""
