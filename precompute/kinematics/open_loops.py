"""Why loops are not closed: links that do not meet, inputs out of reach, or a drawing that is wrong elsewhere."""

from __future__ import annotations

import numpy as np

from precompute.arrays import Array
from precompute.errors import AssemblyError, ReachError
from precompute.kinematics.coefficients import Closure
from precompute.kinematics.continuation import follow
from precompute.kinematics.restarts import from_anywhere, restarts_of
from precompute.kinematics.topology import Topology
from precompute.model.mechanism import Joint, Mechanism, Rod

ENOUGH = 1e-9
"""Links reach as far as they must if nothing, or less than this share of it, is missing."""

STRIDE = 0.05
"""Inputs are walked to the end of their reach in steps of so many rad, or reference lengths ..."""

FARTHEST = 2.0 * np.pi
"""... up to so many, where nothing stops them: a full turn ..."""

FINEST = 1e-10
"""... and ever shorter ones down to this where something does."""


MARGIN = 0.02
"""A value that is proposed lies by this share of the reach inside it."""


# -- loops that do not close ------------------------------------------------------------------------------------------


def not_closed(loops: Closure, q: Array, moved: float | None = None) -> AssemblyError:
    """The error for loops that do not close, naming the widest.

    Args:
        loops: the mechanism without coordinates.
        q: (nq,) where the gaps are smallest, of all ends that were found.
        moved: how far joints are from the drawing where restarts have closed the loops [m]; None if they have not.
    """
    m, t, units = loops.mechanism, loops.topology, loops.mechanism.units
    gap, chords = np.abs(loops.gap(loops.poses(q))), loops.topology.closings(loops.mechanism)
    shortest = shortest_loop(loops)
    name = loops.row_names[int(np.argmax(gap))] if shortest is None else chords[shortest]
    left = units.shown(float(gap[np.array(loops.row_names) == name].max()), digits=3)
    around = f" (through {', '.join(t.loop_joints(m, chords.index(name)))})" if name in chords else ""
    if moved is not None:
        told = (
            f"{restarts_of(loops)} restarts found it closed, but only far from the drawing, with joints moved by "
            f"{units.shown(moved, digits=3)}. Check the points and lengths of this loop; `kinetab assemble FILE "
            "--branches` shows what was found."
        )
    elif shortest is not None:
        told = f"{too_short(m, t, shortest)}; no position closes it. Check the points and lengths of this loop."
    else:
        told = (
            f"{restarts_of(loops)} restarts from random positions did not close it either. Check the points, axes and "
            "lengths of this loop, and of those that share joints with it."
        )
    return AssemblyError(f"loop '{name}'{around} cannot be closed: a gap of {left} is left at best. {told}")


def shortest_loop(closure: Closure) -> int | None:
    """The first loop whose links are too short to meet; None if there is none."""
    m, t = closure.mechanism, closure.topology
    return next((loop for loop in range(t.n_loops) if too_short(m, t, loop)), None)


def too_short(mechanism: Mechanism, topology: Topology, loop: int) -> str:
    """That the links of a loop cannot meet, with their lengths; empty if they can, or slides decide how long they are.

    The joints' centres are the corners of a polygon with sides of constant length: it closes if no side is longer than
    all others together.
    """
    sides = rigid_sides(mechanism, topology, loop)
    if sides is None:
        return ""
    body, longest = max(sides, key=lambda side: side[1])
    others = sum(length for _, length in sides) - longest
    if longest <= others * (1.0 + ENOUGH):
        return ""
    shown = mechanism.units.shown
    return (
        f"Its links are too short to meet: '{body}' spans {shown(longest)}, all others together reach {shown(others)}, "
        f"which is {shown(longest - others, digits=4)} less"
    )


def rigid_sides(mechanism: Mechanism, topology: Topology, loop: int) -> list[tuple[str, float]] | None:
    """Bodies and rods around a loop with the distance of their two joints in it [m].

    None if a joint slides, or if a coupling or constraint closes the loop, which no lengths have to.
    """
    if loop >= len(topology.Cc):
        return None
    joints = loop_joints(mechanism, topology, loop)
    primitives = [p for j in joints if isinstance(j, Joint) for p in j.primitives]
    if any(p.kind == "translation" and not p.stiff for p in primitives):
        return None
    ends: dict[str, list[Array]] = {}
    for j in joints:
        ends.setdefault(j.parent, []).append(j.p_P)
        ends.setdefault(j.child, []).append(j.p_C)
    sides = [(body, float(np.linalg.norm(two[0] - two[1]))) for body, two in ends.items() if len(two) == 2]
    return sides + [(j.name, j.length) for j in joints if isinstance(j, Rod)]


def loop_joints(mechanism: Mechanism, topology: Topology, loop: int) -> list[Joint | Rod]:
    """The joints around a loop, its chord first."""
    by_name: dict[str, Joint | Rod] = {j.name: j for j in mechanism.connections}
    return [by_name[name] for name in topology.loop_joints(mechanism, loop)]


# -- inputs out of reach ----------------------------------------------------------------------------------------------


def out_of_reach(closure: Closure, closed: Array, z: Array, drawn: bool) -> ReachError:
    """The error for inputs at values z (nz,) where no loop closes, though they close at `closed` (n, nq).

    Says of each input how far it reaches while the others are where they were asked for, or drawn.
    """
    m, inputs = closure.mechanism, input_names(closure)

    def told(values: Array, without: int | None = None) -> str:
        each = zip(inputs, closure.coordinates, values, strict=True)
        return ", ".join(f"{name} = {c.shown(m, x)}" for i, (name, c, x) in enumerate(each) if i != without)

    values = closure.values(closure.poses(closed))
    where, example = [], values[int(np.argmin(np.abs(closure.coordinate_weight * (values - z)).max(axis=1)))]
    for k, name in enumerate(inputs):
        if span := reach(closure, closed, values, z, k):
            low, high = (closure.coordinates[k].shown(m, x) for x in span)
            others = told(z, without=k)
            where.append(f"'{name}' reaches from {low} to {high}" + (f" while {others}" if others else ""))
            example = np.where(np.arange(len(z)) == k, inside(span, float(z[k])), z)
    are = "the input" if len(inputs) == 1 else "the inputs"
    at = " ".join(f"--at {name}={word}" for name, word in zip(inputs, at_words(closure, example), strict=True))
    return ReachError(
        f"{told(z)}{' as drawn' * drawn} is out of reach: the loops of '{m.name}' do not close there, but they do with "
        f"{are} elsewhere: {'; '.join(where) or f'the nearest that was found is {told(example)}'}. Draw it there, for "
        f"which `kinetab assemble FILE {at} -o FIXED.toml` writes a file, or check points and lengths."
    )


def at_words(closure: Closure, z: Array) -> list[str]:
    """Values (nz,) as `--at` takes them, with three digits."""
    m = closure.mechanism
    scales = [m.units.told(c.unit(m)) for c in closure.coordinates]
    return [unit.text(float(x), 3).replace(" ", "") for unit, x in zip(scales, z, strict=True)]


def inside(span: tuple[float, float], value: float) -> float:
    """A value within the span, a little from the end that is nearer to the value."""
    low, high = span
    return low + MARGIN * (high - low) if value < low else high - MARGIN * (high - low)


def input_names(closure: Closure) -> list[str]:
    """What the file calls the coordinates, or what they measure where it names none."""
    named = [(c.of, c.name) for c in closure.mechanism.coordinates or ()]
    return [next((name for of, name in named if of.same(c)), c.name) for c in closure.coordinates]


def reach(closure: Closure, closed: Array, values: Array, z: Array, k: int) -> tuple[float, float] | None:
    """From where to where coordinate k can go with the others at z (nz,), nearest to z[k]; None if nowhere.

    Args:
        closure: the mechanism and its coordinates.
        closed: (n, nq) closed configurations with the coordinates at any values.
        values: (n, nz) these.
        z: (nz,) what was asked for.
        k: the coordinate.
    """
    if len(z) > 1:
        others = tuple(c for i, c in enumerate(closure.coordinates) if i != k)
        found = from_anywhere(
            Closure(closure.mechanism, closure.topology, others), np.delete(z, k), restarts_of(closure)
        )
        closed = found.q[found.closed]
        values = closure.values(closure.poses(closed)) if found.closed.any() else values[:0]
    if not len(closed):
        return None
    best = int(np.argmin(np.abs(values[:, k] - z[k])))
    start = np.where(np.arange(len(z)) == k, values[best, k], z)
    return walk(closure, closed[best], start, k, -1.0), walk(closure, closed[best], start, k, 1.0)


def walk(closure: Closure, q: Array, z: Array, k: int, way: float) -> float:
    """How far coordinate k goes one way from the closed q (nq,) at z (nz,), to a full turn at most."""
    unit = closure.length / float(closure.coordinate_weight[k])
    end, step = z[k] + way * FARTHEST * unit, STRIDE * unit
    q, z = q[None], z[None].copy()
    while step > FINEST * unit and z[0, k] != end:
        to = z.copy()
        to[0, k] = end if abs(end - z[0, k]) <= step else z[0, k] + way * step
        done = follow(closure, q, z, to, halvings=0)
        q, z = done.q, done.z
        step = min(2.0 * step, STRIDE * unit) if done.reached[0] else 0.25 * step
    return float(z[0, k])
