"""Loads in the axes of a body, from those in the axes of the ground; forces of rods as vectors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from precompute.arrays import Array
from precompute.geometry.spatial import cross
from precompute.kinematics.poses import Poses
from precompute.loading.watching import JOINT
from precompute.model.bushings import bushings_across
from precompute.model.mechanism import DIRECTIONS, GROUND, Joint, Mechanism

VECTORS = ("F", "M")


def axes_in_words(axes: str | None) -> str:
    """Of loads, for messages."""
    if axes is None:
        return "as the file says"
    return {JOINT: "of the joints", GROUND: "of the ground"}.get(axes, f"of '{axes}'")


def turned(loads: Mapping[str, Array], P: Poses, body: str) -> tuple[dict[str, Array], list[str]]:
    """Loads in the axes of a body that were in those of the ground, and names of vectors that were not whole.

    At design the axes of a body are those of the ground; afterwards they turn with it.
    """
    R = P.pose(body).R
    out, torn, done = dict(loads), [], set()
    for name in loads:
        head, bracket, _ = name.rpartition("[")
        if not bracket or not name.startswith(("joint.", "rod.")) or head in done:
            continue
        done.add(head)
        names = [f"{head}[{i}]" for i in (1, 2, 3)]
        if all(own in loads for own in names):
            vector = np.stack([loads[own] for own in names], axis=-1)
            out |= dict(zip(names, np.einsum("nji,nj->in", R, vector), strict=True))
        else:
            torn.append(head)
            out = {own: values for own, values in out.items() if own not in names}
    return out, torn


def rod_vectors(mechanism: Mechanism, P: Poses, loads: Mapping[str, Array]) -> dict[str, Array]:
    """Forces of rods on their children, in the axes of the ground: `rod.NAME.F[i]` from `rod.NAME.force`."""
    found: dict[str, Array] = {}
    for rod in mechanism.rods:
        force = loads.get(f"rod.{rod.name}.force")
        if force is None:
            continue
        line = P.pose(rod.child).point(rod.p_C) - P.pose(rod.parent).point(rod.p_P)
        vector = -force[:, None] * line / np.linalg.norm(line, axis=-1, keepdims=True)
        found |= {f"rod.{rod.name}.F[{i + 1}]": vector[:, i] for i in range(3)}
    return found


def torn_lines(torn: Sequence[str], axes: str) -> tuple[str, ...]:
    """What is left out since not all of a vector is defined."""
    if not torn:
        return ()
    return (f"{', '.join(torn)}: in the axes of '{axes}' they would need all three components in those of the ground.",)


def returned(
    mechanism: Mechanism, P: Poses, loads: Mapping[str, Array], axes: str
) -> tuple[dict[str, Array], list[str]]:
    """Loads in other axes than those that a mechanism asks for; and vectors of which a part is not known.

    In its own axes a joint has no output along what is free.  There it carries nothing, unless rubber is around it, or
    forces or drives act on its coordinates: these are part of the load in the axes of the ground.
    """
    out, torn = {name: values for name, values in loads.items() if not name.startswith("joint.")}, []
    for joint in (joint for joint in mechanism.joints if joint.loads):
        own, wanted = (basis(P, joint, which) for which in (joint.load_axes, axes))
        F, M = (None if v is None else np.einsum("nij,nj->ni", own, v) for v in whole_load(mechanism, joint, loads))
        arm = moved_point(P, joint, axes)
        if arm is not None and M is not None:
            M = None if F is None else M + cross(arm, F)
        kept = replace(joint, loads=(), load_axes="joint").loadable if axes == JOINT else DIRECTIONS
        for symbol, three, vector in zip(VECTORS, (DIRECTIONS[:3], DIRECTIONS[3:]), (F, M), strict=True):
            names = components(joint, symbol)
            if vector is None and any(name in loads for name in names):
                torn.append(f"joint.{joint.name}.{symbol}")
            elif vector is not None and any(name in loads for name in names):
                values = np.einsum("nji,nj->in", wanted, vector)
                out |= {name: x for name, x, d in zip(names, values, three, strict=True) if d in kept}
    return out, torn


def components(joint: Joint, symbol: str) -> list[str]:
    """Names of the three components of a force or moment."""
    return [f"joint.{joint.name}.{symbol}[{i}]" for i in (1, 2, 3)]


def basis(P: Poses, joint: Joint, axes: str) -> Array:
    """(n, 3, 3) axes in those of the ground, as columns."""
    if axes == JOINT:
        return P.pose(joint.child if joint.stiff_axes == "child" else joint.parent).R @ joint.R
    return np.broadcast_to(np.eye(3), (len(P.q), 3, 3)) if axes == GROUND else P.pose(axes).R


def whole_load(mechanism: Mechanism, joint: Joint, loads: Mapping[str, Array]) -> list[Array | None]:
    """Force and moment (n, 3) in the axes that they were asked for in; None where a part is not known."""
    n, found = len(next(iter(loads.values()))), list[Array | None]()
    for symbol, three in zip(VECTORS, (DIRECTIONS[:3], DIRECTIONS[3:]), strict=True):
        names = components(joint, symbol)
        idle = [d not in joint.loadable and not acted_on(mechanism, joint, symbol) for d in three]
        known = all(name in loads or nothing for name, nothing in zip(names, idle, strict=True))
        found.append(np.stack([loads.get(name, np.zeros(n)) for name in names], axis=-1) if known else None)
    return found


def moved_point(P: Poses, joint: Joint, axes: str) -> Array | None:
    """From the point that a load is wanted at to the one that it is at (n, 3); None if they are the same.

    With axes that the child carries, that is the joint's point on the child; in all others it is that on the parent.
    """
    if joint.stiff_axes != "child" or (joint.load_axes == JOINT) == (axes == JOINT):
        return None
    way = P.pose(joint.child).point(joint.p_C) - P.pose(joint.parent).point(joint.p_P)
    return way if joint.load_axes == JOINT else -way


def acted_on(mechanism: Mechanism, joint: Joint, symbol: str) -> bool:
    """Whether rubber is around a joint, or forces or drives act on its coordinates: translations "F", rotations "M"."""
    acting = [element.on for element in mechanism.elements]
    acting += [on for device in mechanism.devices for _, on in device.on]
    acting += [c.of for c in mechanism.coordinates or () if c.driven]
    numbers = [on.primitive_of(joint.name) for on in acting]
    kinds = {joint.primitives[number].kind for number in numbers if number is not None}
    across = bool(bushings_across(joint, mechanism.bushings))
    return across or ("translation" if symbol == "F" else "rotation") in kinds
