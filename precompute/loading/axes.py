"""Loads in the axes of a body, from those in the axes of the ground; forces of rods as vectors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from precompute.arrays import Array
from precompute.kinematics.poses import Poses
from precompute.loading.watching import JOINT
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
    """Loads in other axes than those that a mechanism asks for; and joints whose loads have a part that is not known.

    In its own axes a joint has no output along what is free.  There it carries nothing, unless forces or drives act on
    its coordinates, which are part of the load in the axes of the ground.
    """
    out, torn = {name: values for name, values in loads.items() if not name.startswith("joint.")}, []
    for joint in (joint for joint in mechanism.joints if joint.loads):
        carrier = P.pose(joint.child if joint.stiff_axes == "child" else joint.parent).R @ joint.R
        there, here = replace(joint, load_axes="joint"), joint.load_axes == JOINT
        own = carrier if here else np.broadcast_to(np.eye(3), carrier.shape)
        wanted = carrier if axes == JOINT else own * 0.0 + (np.eye(3) if axes == GROUND else P.pose(axes).R)
        idle = [d for d in DIRECTIONS if here and d not in joint.loadable]
        for symbol, three in zip(VECTORS, (DIRECTIONS[:3], DIRECTIONS[3:]), strict=True):
            names = [f"joint.{joint.name}.{symbol}[{i}]" for i in (1, 2, 3)]
            if not any(name in loads for name in names):
                continue
            alone = not acted_on(mechanism, joint, symbol)
            zeros = [name not in loads and d in idle and alone for name, d in zip(names, three, strict=True)]
            if not all(zero or name in loads for zero, name in zip(zeros, names, strict=True)):
                torn.append(f"joint.{joint.name}.{symbol}")
                continue
            vector = np.stack([loads.get(name, np.zeros(len(carrier))) for name in names], axis=-1)
            turned_ = np.einsum("nki,nkj,nj->in", wanted, own, vector)
            kept = [axes != JOINT or d in there.loadable for d in three]
            out |= {name: values for name, values, keep in zip(names, turned_, kept, strict=True) if keep}
    return out, torn


def acted_on(mechanism: Mechanism, joint: Joint, symbol: str) -> bool:
    """Whether forces or drives act on coordinates of a joint: on translations "F", on rotations "M"."""
    acting = [element.on for element in mechanism.elements]
    acting += [c.of for c in mechanism.coordinates or () if c.driven]
    numbers = [on.primitive_of(joint.name) for on in acting]
    kinds = {joint.primitives[number].kind for number in numbers if number is not None}
    return ("translation" if symbol == "F" else "rotation") in kinds
