"""Whether stiff directions can be independent, and bushings deflect as they must.

The problem: a stiff direction is an independent coordinate only if the loops leave it free.  A planar loop that locks
its joints across its plane does not: there the loop equations repeat each other, and with one joint unlocked they still
hold the deflection at zero.

With N a basis of the motions that the loops allow when all stiff directions are unlocked and c the rows of all
independent coordinates, free and stiff, the values of the coordinates can be chosen freely only if

    rank(c N) = number of coordinates                                                               (1)

and each y with y^T c N = 0 is a combination of coordinates that the loops hold.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from precompute.arrays import Array
from precompute.errors import SingularityError
from precompute.kinematics.coefficients import Closure
from precompute.kinematics.mobility import null_space
from precompute.kinematics.topology import Topology
from precompute.model.mechanism import BushingDeflection, JointCoordinate, Measure, Mechanism

HELD = 1e-6
"""Singular values of (1) below this count as zero."""

LARGEST_TURN = 0.95 * np.pi
"""[rad] of a bushing: beyond, the rotation vector is near its jump at half a turn."""

SHARE = 0.05
"""Of the largest entry of y: a stiff direction with less has no part in it."""


def check_stiff_directions(closure: Closure, q: Array) -> None:
    """Stiff directions must be able to deflect, each on its own.

    Args:
        closure: the mechanism with its free coordinates.
        q: (nq,) closed, without deflection.

    Raises:
        SingularityError: names the directions that cannot, and the loops that hold them.
    """
    mechanism, stiff = closure.mechanism, closure.mechanism.stiff_coordinates
    if not stiff:
        return
    unlocked = Closure(mechanism, closure.topology.unlocked())
    P, N = unlocked.poses(q), null_space(unlocked, q)
    every = Closure(mechanism, unlocked.topology, (*closure.coordinates, *stiff))
    weighted = np.array([c.row(P) for c in every.coordinates]) * every.coordinate_weight[:, None] * unlocked.rate_weight
    U, s, _ = np.linalg.svd(weighted @ N)
    held = U[:, int((s > HELD).sum()) :]
    if held.shape[1]:
        raise held_directions(closure, stiff, held[len(closure.coordinates) :])


def check_free_coordinates(mechanism: Mechanism, free: Iterable[Measure]) -> None:
    """A stiff direction cannot be a free coordinate too.

    Raises:
        SingularityError: names it.
    """
    stiff = mechanism.stiff_coordinates
    if named := [stiff_name(mechanism, c) for of in free for c in stiff if c == of]:
        raise SingularityError(
            f"'{named[0]}' is a stiff direction and cannot be a free coordinate: it is independent already, with "
            "small deflections. Name a free motion, or take the direction out of 'stiff'."
        )


def held_directions(closure: Closure, stiff: tuple[JointCoordinate, ...], held: Array) -> SingularityError:
    """The error for combinations `held` (ns, n) of stiff directions that cannot move."""
    size = np.linalg.norm(held, axis=1)
    found = [stiff[i] for i in np.flatnonzero(size > SHARE * size.max())]
    names = [f"'{stiff_name(closure.mechanism, c)}'" for c in found]
    joints = loops_through(closure.mechanism, closure.topology, {c.joint for c in found})
    count = held.shape[1]
    if len(found) == count:
        what = f"stiff direction {names[0]}" if count == 1 else f"stiff directions {', '.join(names)}"
        how = "cannot deflect"
    else:
        what = f"stiff directions {', '.join(names)}"
        how = f"cannot deflect independently: {count} of them follow{'s' * (count == 1)} from the others"
    return SingularityError(
        f"{what} {how}, since the loop through {', '.join(joints)} holds {'it' if count == len(names) == 1 else 'them'}"
        f" (a planar loop holds its joints across its plane). Take {count if len(names) > 1 else 'it'}"
        f"{' of them' * (len(names) > 1)} out of 'stiff', or free another joint of the loop in that direction."
    )


def check_bushing_turns(closure: Closure, q: Array) -> None:
    """No bushing may turn by half a turn, where its rotation vector jumps.

    Args:
        closure: the mechanism.
        q: (n, nq) configurations over its motion.

    Raises:
        SingularityError: names the bushing and how far it turns.
    """
    P = closure.poses(q)
    for bushing in closure.mechanism.bushings:
        turns = [BushingDeflection(bushing.name, i).value(P) for i in (3, 4, 5)]
        largest = float(np.linalg.norm(turns, axis=0).max())
        if largest > LARGEST_TURN:
            raise SingularityError(
                f"bushing '{bushing.name}' turns by {np.degrees(largest):.0f} deg within the ranges of the "
                "coordinates; rubber cannot, and its rotation is not defined from half a turn on. Reduce the range, or "
                "put the bushing and its stiff directions at another joint."
            )


def stiff_name(mechanism: Mechanism, c: JointCoordinate) -> str:
    """Name of a stiff direction: its joint and direction, as "lca_mount.x", or its number in a sequence."""
    joint = mechanism.joint(c.joint)
    if joint.kind == "sequence":
        return f"{c.joint}[{c.index + 1}]"
    return f"{c.joint}.{joint.stiff_directions[joint.stiff.index(c.index)]}"


def loops_through(mechanism: Mechanism, topology: Topology, joints: set[str]) -> tuple[str, ...]:
    """Joints of the first loop through one of these joints."""
    loops = [topology.loop_joints(mechanism, k) for k in range(topology.n_loops)]
    return next((loop for loop in loops if joints & set(loop)), tuple(sorted(joints)))
