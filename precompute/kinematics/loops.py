"""Loop closure: residual, Jacobian, and what the second derivatives need besides dB.

Per cut joint six equations: the rotation gap (SO(3) logarithm, times the reference length) and the position gap at the
joint, between the child as reached through the cut joint and the child as reached through the tree.  Per rod one: its
length.  Per idle rotation one: the twist of the body about its design ball-to-ball direction x vanishes, e . x = 0 with
(e0, e) the quaternion of the body's rotation since design; regular for any swing below 180 deg.  Per stiff coordinate
that is not independent one: it is zero.

All rows are in metres.  Planar and spherical linkages have more rows than rank; that is normal here.
"""

from __future__ import annotations

import numpy as np

from precompute.arrays import Array
from precompute.geometry.spatial import rotation_quaternion, so3_log
from precompute.kinematics.measures import distance_row, distance_second
from precompute.kinematics.poses import Poses
from precompute.kinematics.spins import Spin, ball_point
from precompute.kinematics.topology import Topology, joint_freedom
from precompute.model.mechanism import Mechanism, Rod

SPIN = "spin of"
"""Begins the name of a row that locks an idle rotation."""

LOCK = "stiff direction of"
"""Begins the name of a row that holds a stiff coordinate at zero."""


def reference_length(mechanism: Mechanism) -> float:
    """The length that makes angles and lengths comparable: half the diagonal of the box around all joints [m]."""
    points = np.array([p for j in mechanism.connections for p in (j.p_P, j.p_C)])
    masses = np.array([b.com for b in mechanism.bodies])
    extent = np.ptp(np.vstack([points, masses]), axis=0)
    return float(0.5 * np.linalg.norm(extent)) or 1.0


def residual(mechanism: Mechanism, topology: Topology, P: Poses, length: float) -> Array:
    """Loop gaps [m].  -> (..., nc)."""
    parts = []
    for c, X_through in zip(topology.chords, P.X_chord, strict=True):
        joint = mechanism.joints[c]
        X = P.X[topology.bodies.index(joint.child)]
        parts.append(length * so3_log(X_through.R @ np.swapaxes(X.R, -1, -2)))
        parts.append(X_through.point(joint.p_C) - X.point(joint.p_C))
    for rod in mechanism.rods:
        p_a, p_b = rod_ends(topology, P, rod)[2:]
        parts.append(np.linalg.norm(p_a - p_b, axis=-1, keepdims=True) - rod.length)
    for spin in topology.spins:
        e = rotation_quaternion(P.X[spin.body].R)
        parts.append(length * 2.0 * (e[..., 1:] @ spin_axis(mechanism, topology, spin))[..., None])
    if topology.locked:
        parts.append(lock_weights(mechanism, topology, length) * P.locked)
    return np.concatenate(parts, axis=-1) if parts else np.zeros((*P.S.shape[:-2], 0))


def jacobian(mechanism: Mechanism, topology: Topology, P: Poses, length: float) -> Array:
    """Derivative of the residual with respect to the joint rates, where the loops are closed.  -> (..., nc, nv)."""
    parts = []
    for i, c in enumerate(topology.chords):
        parts.append(gap_rows(topology.loop_reach[i] * P.S, chord_point(mechanism, topology, P, c), length))
    for rod in mechanism.rods:
        parts.append(distance_row(topology, P, *rod_ends(topology, P, rod))[..., None, :])
    for spin in topology.spins:
        w = topology.reach[spin.body] * P.S[..., :3, :]
        n, _, _ = spin_normal(mechanism, topology, P, spin)
        parts.append(length * (n[..., None, :] @ w))
    if topology.locked:
        rows = lock_weights(mechanism, topology, length)[:, None] * np.eye(topology.nv)[list(topology.locked)]
        parts.append(np.broadcast_to(rows, (*P.S.shape[:-2], *rows.shape)))
    return np.concatenate(parts, axis=-2) if parts else np.zeros((*P.S.shape[:-2], 0, topology.nv))


def bias(
    mechanism: Mechanism, topology: Topology, P: Poses, W: Array, dW0: Array, loop_dW0: Array, length: float
) -> Array:
    """g with  jacobian @ dB[:, i, j] = -g[:, i, j]:  second derivatives of the loop equations less their dB part.

    Args:
        mechanism: the mechanism.
        topology: its topology.
        P: poses.
        W: (..., nb + 1, 6, nz) body velocities per unit zdot.
        dW0: (..., nb + 1, 6, nz, nz) their bias.
        loop_dW0: (..., number of chords, 6, nz, nz) the bias around each loop.
        length: reference length [m].

    Returns:
        (..., nc, nz, nz) [m].
    """
    nz = W.shape[-1]
    parts = []
    for i, c in enumerate(topology.chords):
        flat = loop_dW0[..., i, :, :, :].reshape(*W.shape[:-3], 6, nz * nz)
        rows = gap_rows(flat, chord_point(mechanism, topology, P, c), length)
        parts.append(rows.reshape(*W.shape[:-3], 6, nz, nz))
    for rod in mechanism.rods:
        parts.append(distance_second(W, dW0, *rod_ends(topology, P, rod))[..., None, :, :])
    for spin in topology.spins:
        n, e, x = spin_normal(mechanism, topology, P, spin)
        w, dw0 = W[..., spin.body, :3, :], dW0[..., spin.body, :3, :, :]
        de0 = -0.5 * np.einsum("...cj,...c->...j", w, e[..., 1:])
        de = 0.5 * (e[..., :1, None] * w + np.cross(w, e[..., 1:, None], axis=-2))
        dn = de0[..., None, :] * x[:, None] + np.cross(de, x[:, None], axis=-2)
        second = np.einsum("...c,...cij->...ij", n, dw0) + np.einsum("...ci,...cj->...ij", w, dn)
        parts.append(length * second[..., None, :, :])
    parts.append(np.zeros((*W.shape[:-3], len(topology.locked), nz, nz)))
    return np.concatenate(parts, axis=-3)


def gap_rows(V: Array, p: Array, length: float) -> Array:
    """Spatial velocities (..., 6, n) as rows of the gap at p: length times angular part, velocity at p."""
    return np.concatenate([length * V[..., :3, :], V[..., 3:, :] + np.cross(V[..., :3, :], p[..., None], axis=-2)], -2)


def loop_twists(topology: Topology, P: Poses, point: Array) -> Array:
    """Twists around each cut joint's loop, unscaled, as rows [w; v at `point`] over the joint rates.

    The Jacobian of the literature; its condition number depends on the point.  Rods and idle spins have no part in it.

    Args:
        topology: the tree and its chords.
        P: poses of a batch of configurations.
        point: (3,) in G [m], where the linear velocity is taken.

    Returns:
        (..., 6 * number of chords, nv); null vectors are the allowed joint rates.
    """
    p = np.asarray(point, dtype=float)
    parts = [gap_rows(signs * P.S, p, 1.0) for signs in topology.loop_reach]
    return np.concatenate(parts, axis=-2) if parts else np.zeros((*P.S.shape[:-2], 0, topology.nv))


def chord_point(mechanism: Mechanism, topology: Topology, P: Poses, chord: int) -> Array:
    """Where the cut joint is, on its child."""
    joint = mechanism.joints[chord]
    return P.X[topology.bodies.index(joint.child)].point(joint.p_C)


def rod_ends(topology: Topology, P: Poses, rod: Rod) -> tuple[int, int, Array, Array]:
    """Bodies and current ends of a rod."""
    a, b = topology.bodies.index(rod.parent), topology.bodies.index(rod.child)
    return a, b, P.X[a].point(rod.p_P), P.X[b].point(rod.p_C)


def spin_axis(mechanism: Mechanism, topology: Topology, spin: Spin) -> Array:
    """Design direction from ball to ball, unit (3,)."""
    group = frozenset(topology.bodies[i] for i in spin.group)
    a, b = (ball_point(mechanism.joints[i], group) for i in spin.balls)
    return (b - a) / np.linalg.norm(b - a)


def spin_normal(mechanism: Mechanism, topology: Topology, P: Poses, spin: Spin) -> tuple[Array, Array, Array]:
    """n with d(2 e.x)/dt = n . w, n = e0 x + e x x; the quaternion; the axis x."""
    x = spin_axis(mechanism, topology, spin)
    e = rotation_quaternion(P.X[spin.body].R)
    return e[..., :1] * x + np.cross(e[..., 1:], x), e, x


def lock_weights(mechanism: Mechanism, topology: Topology, length: float) -> Array:
    """(nk,) factors that make locked stiff coordinates metres: the reference length for angles, 1 for travels."""
    kinds = [p.kind for j in mechanism.joints for p in j.primitives for _ in range(3 if p.kind == "ball" else 1)]
    return np.array([1.0 if kinds[k] == "translation" else length for k in topology.locked])


def row_names(mechanism: Mechanism, topology: Topology) -> tuple[str, ...]:
    """The loop, rod, spin or stiff direction that each row of the residual belongs to."""
    names = [mechanism.joints[c].name for c in topology.chords for _ in range(6)]
    names += [rod.name for rod in mechanism.rods]
    names += [f"{SPIN} {topology.bodies[s.body]}" for s in topology.spins]
    owner = [j.name for j in mechanism.joints for _ in range(joint_freedom(j))]
    return (*names, *(f"{LOCK} {owner[k]}" for k in topology.locked))
