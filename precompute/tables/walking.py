"""Walking the range of motion: closed configurations on a coarse grid, from which all others start.

The grid is walked by continuation from the design position, axis after axis, all lines of an axis at once.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from precompute.arrays import Array
from precompute.coordinates.decouple import Axes, Dependence
from precompute.coordinates.independent import Coordinates
from precompute.coordinates.ranges import locking
from precompute.coordinates.subsystem import Subsystem, smallest_subsystem
from precompute.coordinates.walks import feasible_ranges
from precompute.errors import OutOfReach
from precompute.kinematics.assembly import Configuration
from precompute.kinematics.coefficients import Crossing
from precompute.kinematics.continuation import follow
from precompute.tables.grid import first_nodes

COARSE_NODES = 17
"""Per axis."""

FEW_HALVINGS = 2
"""Of a step, before it is looked at more closely."""


@dataclass(frozen=True, eq=False)
class Nodes:
    """Closed configurations on a tensor grid over some coordinates, the others at design.

    Near a branch point that is crossed they are those of the edge of what is left out there, see `cleared`.
    """

    block: Axes  # nb coordinate numbers
    axes: tuple[Array, ...]  # nb ascending arrays
    q: Array  # (n_1, ..., n_nb, nq)


@dataclass(frozen=True, eq=False)
class Walked:
    """Where all columns over the same axes begin: the smallest part of the mechanism that moves them, and its grid."""

    system: Subsystem
    axes: Axes  # of the columns, as coordinates of the part
    nodes: Nodes


def walk_block(
    coordinates: Coordinates,
    design: Configuration,
    dependence: Dependence,
    axes: Axes,
) -> Walked:
    """Walk the coarse grid of all columns over some axes.

    Raises:
        OutOfReach: as `walk`, with the point in all coordinates.
    """
    system = smallest_subsystem(coordinates, design, dependence, axes)
    local = tuple(system.members.index(k) for k in axes)
    try:
        return Walked(system, local, walk(system.coordinates, system.design, local))
    except OutOfReach as error:
        at = coordinates.design.copy()
        at[list(system.members)] = error.at
        raise error.moved(at) from None


def walk(coordinates: Coordinates, design: Configuration, block: Axes) -> Nodes:
    """Walk the coarse grid over the coordinates of a block from the design position.

    Raises:
        SweepError: some point of the range cannot be reached; with the loop, the value and the feasible range.
    """
    closure, z = coordinates.closure, coordinates.design
    free = [coordinates.free[k] for k in block]
    axes = tuple(first_nodes(c.lower, c.upper, c.borders, COARSE_NODES) for c in free)  # type: ignore[arg-type]
    q, start = design.q[None], z[None]
    for k, axis in zip(block, axes, strict=True):
        nearest = int(np.argmin(np.abs(axis - z[k])))
        solved = cleared(closure.crossings, k, axis)
        first = step_all(coordinates, q, start, k, float(solved[nearest]))
        sides = [
            walk_side(coordinates, first, k, solved[nearest::-1][1:]),
            walk_side(coordinates, first, k, solved[nearest + 1 :]),
        ]
        ordered = [*reversed(sides[0]), first, *sides[1]]
        q = np.stack([a for a, _ in ordered], axis=1).reshape(-1, closure.topology.nq)
        start = np.stack([b for _, b in ordered], axis=1).reshape(-1, len(z))
    return Nodes(block, axes, q.reshape(*(len(a) for a in axes), closure.topology.nq))


def walk_side(
    coordinates: Coordinates, first: tuple[Array, Array], k: int, targets: Array
) -> list[tuple[Array, Array]]:
    """All lines of an axis from the first node on, one after the other."""
    side = [first]
    for target in targets:
        side.append(step_all(coordinates, *side[-1], k, float(target)))
    return side[1:]


def step_all(coordinates: Coordinates, q: Array, z: Array, k: int, target: float) -> tuple[Array, Array]:
    """Move a batch along axis k to `target`, all other coordinates staying."""
    z_to = z.copy()
    z_to[:, k] = target
    closure = coordinates.closure
    done = follow(closure, q, z, z_to, FEW_HALVINGS)
    if not done.reached.all():  # one that cannot be reached is enough, and many of them would take long
        i = int(np.flatnonzero(~done.reached)[0])
        alone = follow(closure, q[i : i + 1], z[i : i + 1], z_to[i : i + 1])
        if not alone.reached[0]:
            raise out_of_reach(coordinates, (q[i], z[i]), (alone.q[0], alone.z[0]), z_to[i], k)
        done = follow(closure, q, z, z_to)
    if not done.reached.all():
        i = int(np.flatnonzero(~done.reached)[0])
        raise out_of_reach(coordinates, (q[i], z[i]), (done.q[i], done.z[i]), z_to[i], k)
    return done.q, done.z


def out_of_reach(
    coordinates: Coordinates, start: tuple[Array, Array], last: tuple[Array, Array], z_to: Array, k: int
) -> OutOfReach:
    """The error for a point that does not assemble, with the largest feasible range of that coordinate.

    Args:
        coordinates: the table axes.
        start: q and z of a good configuration from which the point was to be reached.
        last: q and z of the last configuration on the way.
        z_to: the point.
        k: the coordinate that moved.
    """
    c, closure = coordinates.free[k], coordinates.closure
    others = coordinates.point(start[1], without=k)
    (feasible,) = feasible_ranges(closure, *start, [k])
    low, high = coordinates.shown(k, feasible.lower), coordinates.shown(k, feasible.upper)
    # where the walk along this coordinate alone stopped is known better than where the last step failed
    if z_to[k] < start[1][k] and feasible.lower_singular:
        at, cause = low, feasible.lower_cause
    elif z_to[k] > start[1][k] and feasible.upper_singular:
        at, cause = high, feasible.upper_cause
    else:
        return OutOfReach(sharp_turn(coordinates, last, k, others), z_to)
    return OutOfReach(
        f"{coordinates.range_in_words(k)} cannot be swept: {cause} at {c.name} = {at}"
        + (f" with {others}" if others else "")
        + f". Largest feasible range found there: {low} to {high}. "
        + ("Give it such a range without `periodic`" if c.periodic else "Reduce the range")
        + ", or choose another independent coordinate.",
        z_to,
    )


def sharp_turn(coordinates: Coordinates, last: tuple[Array, Array], k: int, others: str) -> str:
    """The message where the motion goes on, but turns too sharply for tables: two branches nearly meet."""
    name, closure = coordinates.free[k].name, coordinates.closure
    loop, joint = locking(closure, last[0])
    place = f"loop '{loop}' at joint '{joint}'" if loop else f"joint '{joint}'"
    return (
        f"{coordinates.range_in_words(k)} cannot be swept: near {name} = {coordinates.shown(k, last[1][k])}"
        + (f" with {others}" if others else "")
        + f" {place} turns sharply, as where two branches of the motion nearly meet. If they are to meet, make lengths "
        f"that are nearly equal exactly equal; if not, constrain joint '{joint}' so that it keeps to one branch, or "
        "end the range before."
    )


def left_out(x: Crossing, value: Array) -> NDArray[np.bool_]:
    """Whether values of its coordinate are nearer to a crossing than anything is solved."""
    return np.abs(value - x.at) < (1.0 - 1e-9) * x.half


def cleared(crossings: tuple[Crossing, ...], k: int, axis: Array) -> Array:
    """Values of coordinate k, those near a crossing moved to the nearer edge of what it leaves out."""
    out = axis.copy()
    for x in crossings:
        if x.axis == k:
            out = np.where(left_out(x, out), np.where(out < x.at, x.at - x.half, x.at + x.half), out)
    return out
