"""Measures that could be independent coordinates: those of joints and markers, spring lengths, wheel travel."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from precompute.arrays import Array
from precompute.kinematics.coefficients import Closure
from precompute.kinematics.poses import Poses
from precompute.measures.held import hold
from precompute.model.mechanism import (
    GROUND,
    Coordinate,
    JointCoordinate,
    MarkerCoordinate,
    Mechanism,
    WheelTravel,
)

SPRUNG, TRAVEL, GROUNDED, JOINT, MARKER = range(5)
"""What an engineer would choose first, second, ...: what a spring or damper acts on (shock travel, a sprung pitman
arm); the vertical travel of a wheel or port; a single joint on the ground (crank, rack, pitman arm); any other joint;
and as a last resort any other marker coordinate.  Names are not looked at."""

SPRUNG_WHY = "a spring or damper acts on it"


@dataclass(frozen=True, eq=False)
class Candidate:
    """A coordinate that could be independent."""

    label: str  # as the file writes it: joint.crank, spring.front.length, marker.wheel.z
    coordinate: Coordinate  # with a name of its own, no range
    rank: int  # SPRUNG to MARKER
    why: str  # why an engineer would choose it, or ""


def candidates(mechanism: Mechanism) -> tuple[Candidate, ...]:
    """Scalar joint coordinates, then lengths of springs and dampers, then coordinates of markers, then wheel travel."""
    joints = [joint_candidate(mechanism, c) for c in free_coordinates(mechanism)]
    lengths = [
        Candidate(f"{kind}.{e.name}.length", Coordinate(f"{e.name}_length", e.on), SPRUNG, SPRUNG_WHY)
        for kind, elements in (("spring", mechanism.springs), ("damper", mechanism.dampers))
        for e in elements
        if e.on.segment
    ]
    axes: tuple[Literal["x", "y", "z"], ...] = ("z", "x", "y")
    markers = [marker_candidate(mechanism, MarkerCoordinate(m.name, axis)) for m in mechanism.markers for axis in axes]
    return (*joints, *lengths, *markers, *wheel_candidates(mechanism))


def free_coordinates(mechanism: Mechanism) -> list[JointCoordinate]:
    """Scalar coordinates of all joints but the stiff ones."""
    return [
        JointCoordinate(j.name, i)
        for j in mechanism.joints
        for i, p in enumerate(j.primitives)
        if p.rates == 1 and not p.stiff
    ]


def joint_candidate(mechanism: Mechanism, c: JointCoordinate) -> Candidate:
    """A joint coordinate, preferred if it carries a spring or damper, or is a single joint on the ground."""
    joint = mechanism.joint(c.joint)
    single = sum(not p.stiff for p in joint.primitives) == 1
    label = f"joint.{c.joint}" if single else f"joint.{c.joint}[{c.index + 1}]"
    name = f"{c.joint}_{c.index + 1}" if c.index else c.joint
    rank, why = JOINT, ""
    sprung = [*(s.on for s in mechanism.springs), *(d.on for d in mechanism.dampers)]
    sprung += [on for device in mechanism.devices for on in device.pushed]
    if any(on == c for on in sprung):
        rank, why = SPRUNG, SPRUNG_WHY
    elif single and GROUND in (joint.parent, joint.child):
        rank = GROUNDED
        why = "a joint on the ground" if joint.primitives[0].kind == "rotation" else "a slide on the ground"
    return Candidate(label, Coordinate(name, c), rank, why)


def marker_candidate(mechanism: Mechanism, c: MarkerCoordinate) -> Candidate:
    """A marker coordinate: z of a wheel or of a port is travel, all others are a last resort."""
    wheel = mechanism.marker(c.marker).spin_axis is not None or any(p.marker == c.marker for p in mechanism.ports)
    travel = c.axis == "z" and wheel
    coordinate = Coordinate(f"{c.marker}_{c.axis}", c)
    rank, why = (TRAVEL, "vertical travel") if travel else (MARKER, "")
    return Candidate(f"marker.{c.marker}.{c.axis}", coordinate, rank, why)


def wheel_candidates(mechanism: Mechanism) -> list[Candidate]:
    """Travel of wheels whose centre is no marker: z of that marker would be the same."""
    upright = bool(np.abs(mechanism.axes.up[2]) == 1.0)
    marked = {(m.body, *m.p.tolist()) for m in mechanism.markers} if upright else set()
    return [
        Candidate(f"wheel.{w.name}.travel", Coordinate(f"{w.name}_travel", WheelTravel(w.name)), TRAVEL, "wheel travel")
        for w in mechanism.wheels
        if (w.body, *w.centre.tolist()) not in marked
    ]


def weighted_rows(closure: Closure, P: Poses, found: tuple[Candidate, ...]) -> Array:
    """Gradients of the candidates over weighted joint rates, all in metres per metre (n, number, nv)."""
    held = [hold(c.coordinate.of, 0.0, c.label, closure.mechanism, closure.length) for c in found]
    return np.concatenate([h.row(P) * closure.rate_weight for h in held], axis=-2)


def moving_joints(closure: Closure, null: Array) -> list[tuple[str, float]]:
    """Scalar joint coordinates and how much they move (0..1) within the weighted null space (nv, f), most first."""
    joints = free_coordinates(closure.mechanism)
    rates = [closure.topology.scalars[c.joint, c.index][1] for c in joints]
    weights = np.linalg.norm(null[rates], axis=1) if rates else np.zeros(0)
    order = np.argsort(-weights, kind="stable")
    return [(joint_candidate(closure.mechanism, joints[i]).label, float(weights[i])) for i in order]
