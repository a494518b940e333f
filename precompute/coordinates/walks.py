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

STEPS_PER_HALF_TURN = 72
"""2.5 deg per step; lengths take as many steps over the same share of the reference length."""

RESOLUTION = 1e-7
"""A singularity is found to this fraction of the way that was to be walked."""


def feasible_ranges(closure: Closure, q: Array, z: Array, members: Sequence[int]) -> tuple[Feasible, ...]:
    """Follow some coordinates both ways from the closed q (nq,) at z (nz,), each with the others at rest."""
    angle = [closure.coordinates[k].is_angle(closure.mechanism) for k in members]
    reach = np.array([math.pi if a else TRAVEL * closure.length for a in angle])
    ends = walk(closure, q, z, np.repeat(np.array(members, dtype=int), 2), np.outer(reach, [-1.0, 1.0]).ravel())
    out = []
    for a, down, up in zip(angle, ends[::2], ends[1::2], strict=True):
        free = not down.stopped and not up.stopped
        found = Feasible(
            lower=down.value, upper=up.value, lower_singular=down.stopped, upper_singular=up.stopped,
            full_turn=a and free and same_pose(closure, down.q, up.q),
            lower_cause=down.cause, upper_cause=up.cause, worst_condition=max(down.condition, up.condition),
            lower_limit=down.limit, upper_limit=up.limit,
        )  # fmt: skip
        out.append(found)
    return tuple(out)


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
    end, step, worst = z[member] + reach, reach / STEPS_PER_HALF_TURN, np.zeros(n)
    alive = np.arange(n)
    while alive.size:
        here = at_z[alive, member[alive]]
        to = at_z[alive]
        last = np.abs(end[alive] - here) <= np.abs(step[alive])
        to[np.arange(alive.size), member[alive]] = np.where(last, end[alive], here + step[alive])
        moved = follow(closure, at_q[alive], at_z[alive], to, halvings=0)
        at_q[alive], at_z[alive] = moved.q, moved.z
        worst[alive] = np.where(moved.reached, np.maximum(worst[alive], moved.condition), worst[alive])
        step[alive[~moved.reached]] /= 4.0
        going = (at_z[alive, member[alive]] != end[alive]) & (np.abs(step) > RESOLUTION * np.abs(reach))[alive]
        alive = alive[going]
    return [
        OneWay(at_q[i], float(end[i]), False, "no limit found", float(worst[i]))
        if at_z[i, k] == end[i]
        else OneWay(
            at_q[i], float(at_z[i, k]), True, singular_cause(closure, at_q[i]), float(worst[i]),
            kind_of_limit(closure, at_q[i]),
        )
        for i, k in enumerate(member)
    ]  # fmt: skip
