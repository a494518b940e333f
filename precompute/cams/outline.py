"""From sides to tracks: of the centre of a roller on them, of an edge, of a flat face; and what does not go.

The centre of a roller of radius R is R away from the side that it touches, along the outward normal: a straight side
moves outwards, a bulging arc has a radius larger by R, a hollow one a radius smaller by R, and round a corner the
centre goes along an arc of radius R.  An edge is a roller without radius.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from precompute.arrays import Array
from precompute.cams.pieces import FaceOnArc, PolarArc, PolarLine
from precompute.cams.profile import FITS, SMOOTH, Side, corner
from precompute.cams.track import TURN, Piece, Track

Shown = Callable[[float, str], str]
"""A "length" or an "angle" in the units of the file."""

CLOSE = 1e-9
"""A roller may be this much of its path's size inside another side: rounding."""

SAMPLES = 64
"""Per piece of the path, where a roller is looked at for sides that it touches elsewhere."""


def polar(side: Side) -> Piece:
    """A side seen from the cam's centre."""
    if side.centre is None:
        n = np.array([np.cos(side.first_normal), np.sin(side.first_normal)])
        return PolarLine(float(n @ (0.5 * (side.start + side.end))), side.first_normal)
    c = side.centre
    return PolarArc(float(np.hypot(*c)), float(np.arctan2(c[1], c[0])), side.radius, side.hollow)


def outline_problem(sides: Sequence[Side], shown: Shown) -> str | None:
    """Why sides are no outline of a cam, if they are none."""
    for number, side in enumerate(sides, 1):
        if side.centre is not None and side.misfit > FITS:
            a, b = (np.hypot(*(p - side.centre)) for p in (side.start, side.end))
            return (
                f"side {number} is an arc that begins {shown(a, 'length')} from its centre and ends "
                f"{shown(b, 'length')} from it: its radii do not fit"
            )
        if side.centre is None and float(np.hypot(*(side.end - side.start))) == 0.0:
            return f"side {number} begins and ends at the same point"
    turned = sum(s.turned for s in sides) + sum(corner(a, b) for a, b in _pairs(sides))
    around = sum(seen(side) for side in sides)
    if abs(turned - TURN) > 1e-6 or abs(around - TURN) > 1e-6:
        return (
            f"its sides turn by {shown(turned, 'angle')} and go by {shown(around, 'angle')} round the cam's centre; a "
            "closed outline turns once to the left and goes once round its centre, counterclockwise"
        )
    return None


def seen(side: Side) -> float:
    """The angle that a side fills, seen from the cam's centre; less than zero where it goes back [rad]."""
    n = 1 if side.centre is None else max(int(np.ceil(abs(side.turned) / 0.05)), 1)
    if side.centre is None:
        points = np.stack([side.start, side.end])
    else:
        own = side.first_normal + (np.pi if side.hollow else 0.0) + side.turned * np.linspace(0.0, 1.0, n + 1)
        points = side.centre + side.radius * np.stack([np.cos(own), np.sin(own)], axis=-1)
    steps = np.diff(np.arctan2(points[:, 1], points[:, 0]))
    return float(((steps + np.pi) % TURN - np.pi).sum())


def roller_track(sides: Sequence[Side], radius: float, shown: Shown) -> Track:
    """The path of the centre of a roller, or of an edge where the radius is zero.

    Raises:
        ValueError: the roller cannot follow the outline; with numbers.
    """
    moved = moved_sides(sides, radius, shown)
    ends = [0.5 * (a.end + b.start) for a, b in _pairs(moved)]  # they are the same, but for the digits of the file
    first = np.arctan2(ends[-1][1], ends[-1][0])
    steps = np.array([seen(side) for side in moved])
    for side, step in zip(moved, steps, strict=True):
        if step <= 0.0:
            at = shown(float(np.arctan2(side.start[1], side.start[0])), "angle")
            raise ValueError(
                f"at {at} of the cam its path goes back as seen from the cam's centre, so that it has no single "
                "distance there: the outline is too steep, or its centre is not inside it"
            )
    begins = first + np.concatenate([[0.0], np.cumsum(steps[:-1])])
    track = Track(begins, tuple(polar(side) for side in moved))
    check_clearance(sides, track, radius, shown)
    return track


def moved_sides(sides: Sequence[Side], radius: float, shown: Shown) -> list[Side]:
    """All sides moved outwards by a radius, and arcs round the corners between them."""
    out: list[Side] = []
    for number, (side, after) in enumerate(_pairs(sides), 1):
        if side.hollow and side.radius <= radius:
            raise ValueError(
                f"undercuts: side {number} is hollow with a radius of {shown(side.radius, 'length')}, into which a "
                f"roller of radius {shown(radius, 'length')} does not go"
            )
        last, turn = side.last_normal, corner(side, after)
        start, end = _beyond(side.start, side.first_normal, radius), _beyond(side.end, last, radius)
        out.append(Side(start, end, side.centre, side.hollow))
        if turn < -SMOOTH and radius > 0.0:
            raise ValueError(
                f"undercuts: side {number} and the next one meet in a hollow corner of {shown(-turn, 'angle')}, into "
                f"which a roller of radius {shown(radius, 'length')} does not go"
            )
        if turn > SMOOTH and radius > 0.0:
            out.append(Side(end, _beyond(side.end, last + turn, radius), side.end))
    return out


def check_clearance(sides: Sequence[Side], track: Track, radius: float, shown: Shown) -> None:
    """A roller must not reach into any side while it is on another."""
    if radius == 0.0:
        return
    angle = track.begins[0] + np.linspace(0.0, TURN, SAMPLES * len(track.pieces), endpoint=False)
    r = track.jet(angle)[0]
    centre = np.stack([r * np.cos(angle), r * np.sin(angle)], axis=-1)
    gaps = np.stack([distance(side, centre) for side in sides]).min(axis=0) - radius
    worst = int(np.argmin(gaps))
    if gaps[worst] < -CLOSE * float(r.max()) - 2.0 * SMOOTH**2 * radius:
        raise ValueError(
            f"undercuts: with its centre at {shown(float(angle[worst]), 'angle')} of the cam, a roller of radius "
            f"{shown(radius, 'length')} reaches {shown(-float(gaps[worst]), 'length')} into the cam; take a smaller one"
        )


def distance(side: Side, points: Array) -> Array:
    """How far points (n, 2) are from a side, its ends included.  -> (n,)."""
    ends = np.minimum(*(np.hypot(*(points - end).T) for end in (side.start, side.end)))
    if side.centre is None:
        along = side.end - side.start
        share = ((points - side.start) @ along) / (along @ along)
        across = np.abs((points - side.start) @ np.array([along[1], -along[0]])) / np.hypot(*along)
        return np.where((share > 0.0) & (share < 1.0), across, ends)
    away = points - side.centre
    own = np.arctan2(away[:, 1], away[:, 0]) - (side.first_normal + (np.pi if side.hollow else 0.0))
    swept = (-own if side.hollow else own) % TURN
    return np.where(swept < abs(side.turned), np.abs(np.hypot(*away.T) - side.radius), ends)


def face_track(sides: Sequence[Side], shown: Shown) -> Track:
    """How far a flat face is from the cam's centre, over the angle of its normal.

    Raises:
        ValueError: the face does not follow the outline; with numbers.
    """
    pieces: list[Piece] = []
    begins: list[float] = []
    for number, (side, after) in enumerate(_pairs(sides), 1):
        if side.hollow:
            raise ValueError(
                f"side {number} is hollow: a flat follower bridges it and cannot follow; take a roller, or make "
                "it bulge"
            )
        if side.centre is None:
            jump = shown(float(np.hypot(*(side.end - side.start))), "length")
            raise ValueError(
                f"side {number} is straight: a flat follower lies on all of it at once, so that the contact jumps by "
                f"{jump} and its velocity with it; take a roller, or make it bulge"
            )
        begins.append(side.first_normal)
        pieces.append(face_on(side.centre, side.radius))
        turn = corner(side, after)
        if turn < -SMOOTH:
            raise ValueError(f"side {number} and the next one meet in a hollow corner, which a flat follower bridges")
        if turn > SMOOTH:
            begins.append(side.last_normal)
            pieces.append(face_on(side.end, 0.0))
    if len(begins) > 1:
        begins = list(begins[0] + (np.array(begins) - begins[0]) % TURN)
    return Track(np.array(begins), tuple(pieces))


def face_on(centre: Array, radius: float) -> FaceOnArc:
    """On an arc, or on an edge."""
    return FaceOnArc(float(np.hypot(*centre)), float(np.arctan2(centre[1], centre[0])), radius)


def _beyond(point: Array, normal: float, by: float) -> Array:
    return np.asarray(point + by * np.array([np.cos(normal), np.sin(normal)]))


def _pairs(items: Sequence) -> list:
    """Each with the one after it, the last with the first."""
    return list(zip(items, [*items[1:], items[0]], strict=True))
