"""Loop closure: residual, Jacobian, and what the second derivatives need besides dB.

Per cut joint six equations: the rotation gap (SO(3) logarithm, times the reference length) and the position gap at the
joint, between the child as reached through the cut joint and the child as reached through the tree.  Below them one
per measure held at a value: the length of a rod, what a coupling or a constraint keeps; the spin of a body between two
balls, zero; a stiff coordinate that is not independent, zero or what tables are expanded about.  The rows of
independent coordinates are measures held too, each at the value asked for.

All rows are in metres.  Planar and spherical linkages have more rows than rank; that is normal here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from precompute.arrays import Array
from precompute.geometry.spatial import Transform, cross, so3_log
from precompute.kinematics.motion import Motion
from precompute.kinematics.poses import Poses, Tree, design_configuration
from precompute.kinematics.topology import Topology
from precompute.measures.body_spin import BodySpin
from precompute.measures.held import Held, evened, hold
from precompute.measures.measure import Measure
from precompute.model.mechanism import HeldRow, Mechanism

SPIN = "spin of"
"""Begins the name of a row that locks an idle rotation."""

LOCK = "stiff direction of"
"""Begins the name of a row that holds a stiff coordinate."""


def reference_length(mechanism: Mechanism) -> float:
    """The length that makes angles and lengths comparable: half the diagonal of the box around all joints [m]."""
    points = np.array([p for j in mechanism.connections for p in (j.p_P, j.p_C)])
    masses = np.array([b.com for b in mechanism.bodies])
    extent = np.ptp(np.vstack([points, masses]), axis=0)
    return float(0.5 * np.linalg.norm(extent)) or 1.0


def held_measures(tree: Tree, length: float, about: Sequence[float] = ()) -> tuple[Held, ...]:
    """What holds the mechanism besides its cut joints: rods, couplings, constraints; idle spins, locked directions.

    Args:
        tree: the mechanism and its tree.
        length: reference length [m].
        about: deflections of all stiff directions, at which they are locked; none are zeros.
    """
    mechanism, topology = tree.mechanism, tree.topology
    names = topology.bodies
    own = [(row.measure, drawn_value(tree, row), row.label) for row in mechanism.held]
    spins = [(BodySpin(names[s.body], s.axis), 0.0, f"{SPIN} {names[s.body]}") for s in topology.spins]
    coordinates = mechanism.stiff_coordinates
    stiff = zip(coordinates, topology.stiff, about or [0.0] * len(coordinates), strict=True)
    locks = [(c, value, f"{LOCK} {c.joint}") for c, rate, value in stiff if rate in topology.locked]
    held = (hold(*each, mechanism, length) for each in (*spins, *locks))
    return (*(evened(hold(*each, mechanism, length), mechanism, length) for each in own), *held)


def drawn_value(tree: Tree, row: HeldRow) -> float:
    """The value that a measure is held at [m or rad]: its own, or what it is where the mechanism is drawn."""
    if row.value is not None:
        return row.value
    return float(row.measure.value(tree.poses(design_configuration(tree.mechanism, tree.topology))))


@dataclass(frozen=True, eq=False)
class Rows:
    """Measures held, as rows below those of the chords; joint coordinates, which q holds, are taken together."""

    all: tuple[Held, ...]  # nh
    others: tuple[tuple[int, Held], ...]  # what is no joint coordinate, with its number
    scalars: NDArray[np.intp]  # (k, 3) of each joint coordinate: its number, and those in q and of its rate
    weights: Array  # (k,)
    values: Array  # (k,)

    @classmethod
    def of(cls, held: Sequence[Held], topology: Topology) -> Rows:
        """Sorted."""
        found = [(i, scalar_of(h.measure, topology)) for i, h in enumerate(held)]
        own = [(i, *place) for i, place in found if place is not None]
        return cls(
            all=tuple(held),
            others=tuple((i, held[i]) for i, place in found if place is None),
            scalars=np.array(own, dtype=np.intp).reshape(-1, 3),
            weights=np.array([held[i].weight for i, *_ in own]),
            values=np.array([held[i].value for i, *_ in own]),
        )


def scalar_of(measure: Measure, topology: Topology) -> tuple[int, int] | None:
    """Where q has the joint coordinate that a measure is, and the number of its rate; none if it is no such."""
    joints = ((name, measure.primitive_of(name)) for kind, name in measure.refers if kind == "joint")
    return next((topology.scalars[name, index] for name, index in joints if index is not None), None)


def residual(P: Poses, held: Rows, length: float) -> Array:
    """Gaps of the loops and of the measures held [m].  -> (..., nc)."""
    chords, (rows, places, _) = 6 * len(P.topology.chords), held.scalars.T
    out = np.empty((*P.q.shape[:-1], chords + len(held.all)))
    if chords:
        R_through, p_through = stacked(P.X_chord)
        joints = [P.mechanism.joints[c] for c in P.topology.chords]
        R, p = stacked([P.pose(joint.child) for joint in joints])
        at = np.stack(np.broadcast_arrays(*(joint.p_C for joint in joints)), axis=-2)[..., None]
        turned = length * so3_log(R_through @ np.swapaxes(R, -1, -2))
        moved = p_through + (R_through @ at)[..., 0] - p - (R @ at)[..., 0]
        out[..., :chords] = np.concatenate([turned, moved], axis=-1).reshape(*out.shape[:-1], chords)
    out[..., chords + rows] = held.weights * (P.q[..., places] - held.values)
    for i, h in held.others:
        out[..., chords + i : chords + i + 1] = h.gap(P)
    return out


def jacobian(P: Poses, held: Rows, length: float) -> Array:
    """Derivative of the residual with respect to the joint rates, where the loops are closed.  -> (..., nc, nv)."""
    chords, (rows, _, rates) = 6 * len(P.topology.chords), held.scalars.T
    out = np.zeros((*P.q.shape[:-1], chords + len(held.all), P.topology.nv))
    if chords:
        points = np.stack([chord_point(P, c) for c in P.topology.chords], axis=-2)
        around = gap_rows(P.topology.loop_reach[:, None, :].astype(float) * P.S[..., None, :, :], points, length)
        out[..., :chords, :] = around.reshape(*out.shape[:-2], chords, P.topology.nv)
    out[..., chords + rows, rates] = held.weights
    for i, h in held.others:
        out[..., chords + i : chords + i + 1, :] = h.row(P)
    return out


def stacked(poses: Sequence[Transform]) -> tuple[Array, Array]:
    """Rotations (..., n, 3, 3) and origins (..., n, 3) of n poses."""
    return np.stack([X.R for X in poses], axis=-3), np.stack([X.p for X in poses], axis=-2)


def bias(motion: Motion, loop_dW0: Array, held: Rows, length: float) -> Array:
    """g with  jacobian @ dB[:, i, j] = -g[:, i, j]:  second derivatives of the loop equations less their dB part.

    Args:
        motion: velocities, with the bias in place of dW and without dB.
        loop_dW0: (..., number of chords, 6, nz, nd) the bias around each loop.
        held: the measures below the rows of the chords; joint coordinates have no bias.
        length: reference length [m].

    Returns:
        (..., nc, nz, nd) [m].
    """
    P, (*batch, _, _, nz, nd) = motion.places, motion.dW.shape
    chords = 6 * len(P.topology.chords)
    out = np.zeros((*batch, chords + len(held.all), nz, nd))
    for i, c in enumerate(P.topology.chords):
        flat = loop_dW0[..., i, :, :, :].reshape(*batch, 6, nz * nd)
        rows = gap_rows(flat, chord_point(P, c), length)
        out[..., 6 * i : 6 * i + 6, :, :] = rows.reshape(*batch, 6, nz, nd)
    for i, h in held.others:
        out[..., chords + i : chords + i + 1, :, :] = h.second(motion)
    return out


def row_names(mechanism: Mechanism, topology: Topology, held: Rows) -> tuple[str, ...]:
    """The loop, rod, coupling, spin or stiff direction that each row of the residual belongs to."""
    return (*(mechanism.joints[c].name for c in topology.chords for _ in range(6)), *(h.name for h in held.all))


def gap_rows(V: Array, p: Array, length: float) -> Array:
    """Spatial velocities (..., 6, n) as rows of the gap at p: length times angular part, velocity at p."""
    return np.concatenate([length * V[..., :3, :], V[..., 3:, :] + cross(V[..., :3, :], p[..., None], axis=-2)], -2)


def loop_twists(topology: Topology, P: Poses, point: Array) -> Array:
    """Twists around each cut joint's loop, unscaled, as rows [w; v at `point`] over the joint rates.

    The Jacobian of the literature; its condition number depends on the point.  Measures held have no part in it.

    Args:
        topology: the tree and its chords.
        P: poses of a batch of configurations.
        point: (3,) in G [m], where the linear velocity is taken.

    Returns:
        (..., 6 * number of chords, nv); null vectors are the allowed joint rates.
    """
    p = np.asarray(point, dtype=float)
    parts = [gap_rows(signs * P.S, p, 1.0) for signs in topology.loop_reach]
    return np.concatenate(parts, axis=-2) if parts else np.zeros((*P.q.shape[:-1], 0, topology.nv))


def chord_point(P: Poses, chord: int) -> Array:
    """Where the cut joint is, on its child."""
    joint = P.mechanism.joints[chord]
    return P.pose(joint.child).point(joint.p_C)
