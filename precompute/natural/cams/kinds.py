"""What cams measure, read off frames: the polar angle of the follower on the cam, and functions of it.

phi = atan2((p - o) . y, (p - o) . x),   f(phi(t)) by the chain rule                                (1)
"""

from __future__ import annotations

from typing import Any

import numpy as np

from precompute.arrays import Array
from precompute.measures.cam_measure import CamMeasure
from precompute.model.cams import Cam
from precompute.model.mechanism import Mechanism
from precompute.natural import jets
from precompute.natural.jets import Jet
from precompute.natural.joints import Links
from precompute.natural.measuring import Poses, direction, point

STEP = 1e-30
"""Of complex steps."""

DIFFERENCE = 1e-5
"""Of an angle [rad]."""


def cam_value(mechanism: Mechanism, links: Links, poses: Poses, of: CamMeasure) -> Jet:
    """By (1), with the angle between -pi and pi."""
    cam = mechanism.cam(of.cam)
    gap = jets.plus(point(poses, cam.child, cam.p), point(poses, cam.parent, cam.centre), -1.0)
    x, y = (direction(poses, cam.parent, axis) for axis in (cam.zero, cam.across))
    seen = gap if cam.normal is None else direction(poses, cam.child, cam.normal)
    a, b = jets.dot(seen, x), jets.dot(seen, y)
    angle = jets.angle(b, a)
    if of.what == "contact":
        return angle
    track = cam.follower.track
    if of.what == "gap":
        away = jets.dot(gap, seen) if cam.normal is not None else jets.root(jets.squares(a, b))
        return jets.plus(away, chained(angle, tuple(track.jet(angle[0]))), -1.0)
    if of.what == "pressure_angle":
        return chained(angle, lean(of, angle[0]))
    if of.what == "reduced_radius":
        return chained(angle, reduced(cam, angle[0]))
    way = way_jet(cam, angle[0])
    here = float(track.travelled(np.array(of.first)))
    factor = 1.0 / cam.follower.radius if of.what == "rolled" else 1.0
    value, *rates = chained(angle, (way[0] - here, *way[1:]))
    return tuple(factor * d for d in (value, *rates))


def way_jet(cam: Cam, x: Array) -> Jet:
    """t and its derivatives."""
    track = cam.follower.track
    r, r1, r2, r3 = track.jet(x)
    n = np.sqrt(r**2 + r1**2)
    first = (r * r1 + r1 * r2) / n
    return track.travelled(x), n, first, (r1**2 + r * r2 + r2**2 + r1 * r3) / n - first**2 / n


def lean(of: CamMeasure, angle: Array) -> Jet:
    """atan(r'/r) and its derivatives; the third needs the fourth of r, by a complex step."""

    def second(x: Any) -> tuple[Any, Any, Any]:
        r, r1, r2, r3 = of.follower.track.jet(x)
        square, top = r**2 + r1**2, r * r2 - r1**2
        return (
            np.arctan(r1 / r),
            top / square,
            (r * r3 - r1 * r2) / square - 2.0 * top * (r * r1 + r1 * r2) / square**2,
        )

    return (*second(angle), second(angle + 1j * STEP)[2].imag / STEP)


def reduced(cam: Cam, x: Array) -> Jet:
    """R (1 - R k) with k = (r^2 + 2 r'^2 - r r'')/n^3, and its derivatives.

    The first is by a complex step, the others are differences of that.
    """
    R, track, h = cam.follower.radius, cam.follower.track, DIFFERENCE

    def value(at: Any) -> Any:
        r, r1, r2, _ = track.jet(at)
        return R * (1.0 - R * (r**2 + 2.0 * r1**2 - r * r2) / (r**2 + r1**2) ** 1.5)

    below, here, above = (value(at + 1j * STEP).imag / STEP for at in (x - h, x, x + h))
    piece = [track.piece_at(at) for at in (x - h, x, x + h)]
    inside = (piece[0] == piece[1]) & (piece[1] == piece[2])
    second = np.where(inside, (above - below) / (2.0 * h), 0.0)
    return value(x), here, second, np.where(inside, (above - 2.0 * here + below) / h**2, 0.0)


def chained(angle: Jet, f: Jet) -> Jet:
    """A function of an angle, from its derivatives along that."""
    out = [f[0]]
    if len(angle) > 1:
        out.append(f[1] * angle[1])
    if len(angle) > 2:
        out.append(f[2] * angle[1] ** 2 + f[1] * angle[2])
    if len(angle) > 3:
        out.append(f[3] * angle[1] ** 3 + 3.0 * f[2] * angle[1] * angle[2] + f[1] * angle[3])
    return tuple(out)
