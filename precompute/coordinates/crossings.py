"""Branch points that the motion only passes: where a coordinate has a certain value two branches meet, and go on.

A parallelogram four-bar loses rank where its links are in line; there it could fold into an antiparallelogram, or go on
as it came.  Its branch is as smooth there as anywhere else, and the tangent leads across.

Such a point must be met exactly.  Where lengths are a little different the branches only come close to each other, and
each turns sharply into what looks like the other: a mechanism that passes there jumps, and none of this is done.  So

  1. the loops lose rank as the coordinate nears the point from one side, to the resolution of the walk;
  2. the step along the tangent and its curvature leads to a configuration nearby, with the slopes that it predicts;
  3. back from there the loops lose rank at the same value again.
"""

from __future__ import annotations

import math
from dataclasses import replace

from precompute.arrays import Array
from precompute.coordinates.ranges import TRAVEL, kind_of_limit
from precompute.kinematics.coefficients import Closure, Crossing
from precompute.kinematics.continuation import follow, leap
from precompute.model.mechanism import Coordinate

HALF_WIDTH = 0.05
"""Of what is left out around a branch point [rad], or as a share of the reference length.  B loses twice, and dB three
times the digits that the condition number has, which is some hundred here."""

STEPS = 8
"""From design to an end of the range, where nothing is in the way."""

RESOLUTION = 1e-7
"""To this share of the half width the place of a branch point is found, from either side."""

SAME = 1e-4
"""The places found from both sides may differ by this share of the half width."""

ROOM, NEXT = 2.0, 2.5
"""Half widths from the design to a crossing, and from the edge of what one leaves out to the next: tables take
solutions in between, see `sweep.around`."""

MOST = 8
"""Crossings one way; a mechanism that has more is looked at no further."""


def with_crossings(closure: Closure, q: Array, z: Array, free: tuple[Coordinate, ...]) -> Closure:
    """The closure with all branch points that its coordinates pass in their ranges, each with the others at design.

    Args:
        closure: with its coordinates.
        q: (nq,) design configuration.
        z: (nz,) values there.
        free: coordinates with the ranges of the file, which may be open.
    """
    if closure.mechanism.stiff_coordinates:  # deflected, they are no branch points
        return closure
    found: list[Crossing] = []
    for k, c in enumerate(free):
        weight = float(closure.coordinate_weight[k])
        half = HALF_WIDTH * closure.length / weight
        reach = math.pi if c.of.is_angle(closure.mechanism) else TRAVEL * closure.length
        lower, upper = (c.lower, c.upper) if c.lower is not None else (z[k] - reach, z[k] + reach)
        own = [
            x
            for end in (float(lower) - 4.0 * half, float(upper) + 4.0 * half)  # type: ignore[arg-type]
            for x in one_way(closure, q, z, k, end, half)
        ]
        found += every_turn(own) if c.periodic else own
    return replace(closure, crossings=tuple(found))


def every_turn(found: list[Crossing]) -> list[Crossing]:
    """Those of a coordinate that goes all round, and the same a turn before and after."""
    out: list[Crossing] = []
    for turn in (0.0, -2.0 * math.pi, 2.0 * math.pi):
        shifted = [replace(x, at=x.at + turn) for x in found]
        out += [x for x in shifted if all(abs(x.at - known.at) > x.half for known in out)]
    return out


def one_way(closure: Closure, q: Array, z: Array, k: int, end: float, half: float) -> list[Crossing]:
    """Crossings from q at z to where coordinate k is `end`."""
    found: list[Crossing] = []
    while len(found) < MOST:
        q_stop, stop = approach(closure, q, z, k, end, half)
        room = (NEXT if found else ROOM) * half
        if stop == end or abs(stop - z[k]) < room or kind_of_limit(closure, q_stop) != "loss of rank":
            break
        side = math.copysign(1.0, end - z[k])
        near, far = with_value(z, k, stop - side * half), with_value(z, k, stop + side * half)
        before = follow(closure, q[None], z[None], near[None])
        after = leap(closure, before.q, near[None], far[None])
        if not (before.reached[0] and after.reached[0]):
            break
        q_back, back = approach(closure, after.q[0], far, k, float(near[k]), half)
        if abs(back - stop) > SAME * half or kind_of_limit(closure, q_back) != "loss of rank":
            break
        found.append(Crossing(k, float(0.5 * (stop + back)), half))
        q, z = after.q[0], far
    return found


def approach(closure: Closure, q: Array, z: Array, k: int, end: float, half: float) -> tuple[Array, float]:
    """Walk coordinate k from q (nq,) at z (nz,) to `end`, or to where that fails: configuration and value there."""
    longest = step = (end - z[k]) / STEPS
    here_q, here = q, float(z[k])
    while here != end and abs(step) > RESOLUTION * half:
        to = end if abs(end - here) <= abs(step) else here + step
        moved = follow(closure, here_q[None], with_value(z, k, here)[None], with_value(z, k, to)[None], halvings=0)
        if moved.reached[0]:
            here_q, here = moved.q[0], to
            step = longest if abs(2.0 * step) > abs(longest) else 2.0 * step
        else:
            step /= 4.0
    return here_q, here


def with_value(z: Array, k: int, value: float) -> Array:
    """z with one entry replaced."""
    out = z.copy()
    out[k] = value
    return out
