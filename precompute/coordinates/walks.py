"""Feasible ranges of several coordinates, all walked both ways at the same time.

A step of a batch costs hardly more than a step of one, so that the six walks of three coordinates take as long as the
longest of them.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from precompute.arrays import Array
from precompute.coordinates.ranges import (
    TRAVEL,
    Feasible,
    OneWay,
    kind_of_limit,
    same_pose,
    singular_cause,
)
from precompute.kinematics.coefficients import Closure
from precompute.kinematics.continuation import follow
from precompute.model.mechanism import Coordinate

STEPS_PER_HALF_TURN = 72
"""2.5 deg per step; lengths take as many steps over the same share of the reference length."""

Asked = tuple[float, float] | None
"""A range, or none."""

RESOLUTION = 1e-7
"""A singularity is found to this fraction of the way that was to be walked."""


def feasible_ranges(
    closure: Closure, q: Array, z: Array, members: Sequence[int], asked: Sequence[Asked] = ()
) -> tuple[Feasible, ...]:
    """Follow some coordinates both ways from the closed q (nq,) at z (nz,), each with the others at rest.

    Args:
        closure: the mechanism and its coordinates.
        q: (nq,) closed.
        z: (nz,) values there.
        members: the coordinates to follow.
        asked: of each of them a range that is to be followed to its ends, if it is longer than what is usual.
    """
    ways = both_ways(closure, q, z, members, asked)
    return tuple(feasible_range(closure, k, down, up) for k, (down, up) in zip(members, ways, strict=True))


def range_asked(c: Coordinate) -> Asked:
    """The range of a coordinate that is to be walked to its ends; a full turn has none."""
    return None if c.periodic or c.lower is None or c.upper is None else (c.lower, c.upper)


def both_ways(
    closure: Closure, q: Array, z: Array, members: Sequence[int], asked: Sequence[Asked] = ()
) -> list[tuple[OneWay, OneWay]]:
    """The ways down and up of each member: half a turn, or as much in lengths, unless a longer range is asked for."""
    angle = [closure.coordinates[k].is_angle(closure.mechanism) for k in members]
    usual = [math.pi if a else TRAVEL * longest(closure, q) for a in angle]
    reach = np.outer(usual, [-1.0, 1.0])
    for i, (k, ends) in enumerate(zip(members, asked, strict=False)):
        if ends is not None:
            reach[i] = min(reach[i, 0], ends[0] - z[k]), max(reach[i, 1], ends[1] - z[k])
    ways = walk(closure, q, z, np.repeat(np.array(members, dtype=int), 2), reach.ravel())
    return list(zip(ways[::2], ways[1::2], strict=True))


def longest(closure: Closure, q: Array) -> float:
    """The reference length, or the longest spring, damper or element at q (nq,) if that is longer [m]."""
    P = closure.poses(q)
    m = closure.mechanism
    acting = [*(element.on for element in m.elements), *(on for device in m.devices for on in device.pushed)]
    return max((closure.length, *(float(on.value(P)) for on in acting if on.segment)))


def feasible_range(closure: Closure, k: int, down: OneWay, up: OneWay) -> Feasible:
    """What two ways of coordinate k have found, each end by itself."""
    whole = closure.coordinates[k].is_angle(closure.mechanism) and not down.stopped and not up.stopped
    return Feasible(
        lower=down.value, upper=up.value, lower_singular=down.stopped, upper_singular=up.stopped,
        full_turn=whole and same_pose(closure, down.q, up.q),
        lower_cause=down.cause, upper_cause=up.cause,
        lower_limit=down.limit, upper_limit=up.limit,
    )  # fmt: skip


def walk(closure: Closure, q: Array, z: Array, member: Array, reach: Array) -> list[OneWay]:
    """Walk coordinate member[i] by reach[i] in small steps; where one fails, in ever smaller ones to the singularity.

    Args:
        closure: the mechanism and its coordinates.
        q: (nq,) closed configuration at z (nz,), where all walks begin.
        z: (nz,) values there.
        member: (n,) the coordinate that each walk moves.
        reach: (n,) how far [rad or m], with sign.
    """
    n = len(member)
    at_q, at_z = np.repeat(q[None], n, 0), np.repeat(z[None], n, 0)
    passed = [[q] for _ in range(n)]
    end, step = z[member] + reach, reach / STEPS_PER_HALF_TURN
    longest_step = np.abs(step)
    alive = np.arange(n)
    while alive.size:
        here = at_z[alive, member[alive]]
        to = at_z[alive]
        last = np.abs(end[alive] - here) <= np.abs(step[alive])
        to[np.arange(alive.size), member[alive]] = np.where(last, end[alive], here + step[alive])
        moved = follow(closure, at_q[alive], at_z[alive], to, halvings=0)
        at_q[alive], at_z[alive] = moved.q, moved.z
        for i in alive[moved.reached]:
            passed[i].append(at_q[i].copy())
        # behind a narrow place steps grow again, or the rest of the way would take thousands of them
        grown = np.minimum(2.0 * np.abs(step[alive]), longest_step[alive]) * np.sign(reach[alive])
        step[alive] = np.where(moved.reached, grown, step[alive] / 4.0)
        going = (at_z[alive, member[alive]] != end[alive]) & (np.abs(step) > RESOLUTION * np.abs(reach))[alive]
        alive = alive[going]
    out = []
    for i, k in enumerate(member.tolist()):
        stopped = bool(at_z[i, k] != end[i])
        if stopped:
            cause, limit = singular_cause(closure, at_q[i]), kind_of_limit(closure, at_q[i])
        else:
            far = closure.coordinates[k].shown(closure.mechanism, abs(float(reach[i])))
            cause, limit = f"nothing stops it within {far}, and it was followed no further", "none"
        out.append(OneWay(at_q[i], float(at_z[i, k]), stopped, cause, limit, np.array(passed[i])))
    return out
