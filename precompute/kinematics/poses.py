"""Tree recursion: joint configuration -> poses of all bodies and motion axes of all joint rates.

Configurations are batched: every function takes leading axes.  A configuration q (..., nq) holds angles and lengths,
and a unit quaternion per ball; rates (..., nv) hold the same but three components of the relative angular velocity
per ball, in the axes of the frame before the ball.

With S[:, k] the spatial velocity that unit rate k gives to all that it moves, in G at the origin of G,

    V_GB = (reach_B * S) qdot                                   (1)
    dS_k/dt = V_before(k) x S_k,   V_before = (reach_before_k * S) qdot      (2)

so that one array S and two sign matrices of the topology carry all velocities and accelerations.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from precompute.arrays import Array
from precompute.geometry.spatial import (
    Transform,
    cross_motion,
    quaternion_exp,
    quaternion_multiply,
    quaternion_rotation,
    rotation,
    rotation_screw,
    translation_screw,
)
from precompute.kinematics.topology import SignArray, Topology
from precompute.model.mechanism import Joint, Mechanism


@dataclass(frozen=True, eq=False)
class Poses:
    """Where everything is, for a batch of configurations; what measures ask of it."""

    mechanism: Mechanism
    topology: Topology
    q: Array  # (..., nq)
    X: tuple[Transform, ...]  # nb + 1 body poses X_GB; the ground first
    X_chord: tuple[Transform, ...]  # per chord: the child's pose as predicted through the cut joint
    S: Array  # (..., 6, nv) motion axes in G

    def number(self, body: str) -> int:
        """The number of a body, 0 for the ground."""
        return self.topology.bodies.index(body)

    def pose(self, body: str) -> Transform:
        """X_GB of a body."""
        return self.X[self.number(body)]

    def row(self, body: str, wrench: Array) -> Array:
        """The power of a wrench (..., 6) on a body, as a row over the joint rates (..., nv)."""
        return self.topology.reach[self.number(body)] * (wrench[..., None, :] @ self.S)[..., 0, :]

    def relative_row(self, body: str, other: str, wrench: Array) -> Array:
        """The same for a wrench on one body and its opposite on another."""
        signs = self.topology.reach[self.number(body)] - self.topology.reach[self.number(other)]
        return signs * (wrench[..., None, :] @ self.S)[..., 0, :]

    def turning_row(self, body: str, moment: Array) -> Array:
        """The same for a moment (..., 3) on a body."""
        return (moment[..., None, :] @ (self.topology.reach[self.number(body)] * self.S[..., :3, :]))[..., 0, :]

    def coordinate(self, joint: str, index: int) -> Array:
        """(...) the coordinate of a scalar primitive of a joint [rad or m]."""
        return self.q[..., self.topology.scalars[joint, index][0]]

    def coordinate_row(self, joint: str, index: int) -> Array:
        """(..., nv) one at its rate, zero elsewhere."""
        out = np.zeros((*self.S.shape[:-2], self.topology.nv))
        out[..., self.topology.scalars[joint, index][1]] = 1.0
        return out


def design_configuration(mechanism: Mechanism, topology: Topology) -> Array:
    """All joints at zero, balls at the unit quaternion.  -> (nq,)."""
    q = np.zeros(topology.nq)
    for _, own in ball_slices(mechanism, topology):
        q[own.start] = 1.0
    return q


def ball_slices(mechanism: Mechanism, topology: Topology) -> list[tuple[slice, slice]]:
    """(rates, configuration) of each ball."""
    out = []
    for joint, qs, vs in zip(mechanism.joints, topology.q_slices, topology.v_slices, strict=True):
        iq, iv = qs.start, vs.start
        for primitive in joint.primitives:
            if primitive.kind == "ball":
                out.append((slice(iv, iv + primitive.rates), slice(iq, iq + primitive.width)))
            iq += primitive.width
            iv += primitive.rates
    return out


def move(mechanism: Mechanism, topology: Topology, q: Array, dv: Array) -> Array:
    """Step on the manifold: add dv (..., nv) to scalar coordinates, rotate balls by it.  -> (..., nq)."""
    balls = ball_slices(mechanism, topology)
    scalar_v = np.ones(topology.nv, dtype=bool)
    scalar_q = np.ones(topology.nq, dtype=bool)
    for vs, qs in balls:
        scalar_v[vs] = False
        scalar_q[qs] = False
    out = np.array(np.broadcast_to(q, (*dv.shape[:-1], topology.nq)))
    out[..., scalar_q] += dv[..., scalar_v]
    for vs, qs in balls:
        turned = quaternion_multiply(quaternion_exp(dv[..., vs]), out[..., qs])
        out[..., qs] = turned / np.linalg.norm(turned, axis=-1, keepdims=True)
    return out


def poses(mechanism: Mechanism, topology: Topology, q: Array) -> Poses:
    """Walk the tree from the ground; then across each chord."""
    batch = q.shape[:-1]
    number = {name: i for i, name in enumerate(topology.bodies)}
    X: list[Transform] = [Transform(np.broadcast_to(np.eye(3), (*batch, 3, 3)), np.zeros((*batch, 3)))] * len(number)
    S = np.zeros((*batch, 6, topology.nv))
    for arc in topology.arcs:
        joint, qj = mechanism.joints[arc.joint], q[..., topology.q_slices[arc.joint]]
        if arc.forward:
            X[arc.body] = joint_motion(joint, qj, X[arc.base], S[..., topology.v_slices[arc.joint]])
        else:  # the joint's parent is the outer body: find it first, then its motion axes
            X_PC = joint_motion(joint, qj, X[0])
            X[arc.body] = X[arc.base] @ X_PC.inverse()
            joint_motion(joint, qj, X[arc.body], S[..., topology.v_slices[arc.joint]])
    X_chord = []
    for c in topology.chords:
        joint, qj = mechanism.joints[c], q[..., topology.q_slices[c]]
        X_chord.append(joint_motion(joint, qj, X[number[joint.parent]], S[..., topology.v_slices[c]]))
    return Poses(mechanism, topology, q, tuple(X), tuple(X_chord), S)


def joint_motion(joint: Joint, q: Array, X_GP: Transform, S: Array | None = None) -> Transform:
    """Pose of the child by walking the joint's primitives from the parent; writes the motion axes into S.

        X_GC = X_GP T(p_P) prim_1(q_1) ... prim_n(q_n) T(-p_C)        in the order of `joint.walk`

    Args:
        joint: the joint.
        q: (..., nqj) its configuration.
        X_GP: pose of the parent.
        S: (..., 6, nvj) view to be filled, or None.
    """
    batch = q.shape[:-1]
    X = X_GP @ Transform(np.eye(3), joint.p_P)
    starts = np.cumsum([(0, 0), *((p.width, p.rates) for p in joint.primitives)], axis=0)
    for number in joint.walk:
        primitive, (iq, iv) = joint.primitives[number], starts[number]
        if primitive.kind == "ball":
            if S is not None:
                for i in range(primitive.rates):
                    S[..., iv + i] = rotation_screw(X.R[..., :, i], X.p)
            X = X @ Transform(quaternion_rotation(q[..., iq : iq + primitive.width]), np.zeros(3))
            continue
        assert primitive.axis is not None
        axis = X.R @ primitive.axis
        if S is not None:
            S[..., iv] = rotation_screw(axis, X.p) if primitive.kind == "rotation" else translation_screw(axis)
        if primitive.kind == "rotation":
            X = X @ Transform(rotation(primitive.axis, q[..., iq]), np.zeros(3))
        else:
            X = X @ Transform(np.broadcast_to(np.eye(3), (*batch, 3, 3)), q[..., iq, None] * primitive.axis)
    return X @ Transform(np.eye(3), -joint.p_C)


# -- velocities and their derivatives along independent coordinates --------------------------------------------------
#
# `signs` (n, nv) says which rates act on which of n things: topology.reach for bodies, topology.loop_reach for loops.


def velocities(signs: SignArray, S: Array, B: Array) -> Array:
    """W[b, :, i], the spatial velocity for zdot = e_i, by (1).  S (..., 6, nv), B (..., nv, nz) -> (..., n, 6, nz)."""
    return np.einsum("...bck,...ki->...bci", signs[:, None, :] * S[..., None, :, :], B, optimize=True)


def axis_derivatives(topology: Topology, S: Array, B: Array) -> Array:
    """dS[:, k, j] = dS_k/dz_j, by (2).  -> (..., 6, nv, nz)."""
    before = velocities(topology.reach_before, S, B)  # (..., nv, 6, nz)
    carried = cross_motion(np.swapaxes(before, -1, -2), np.swapaxes(S, -1, -2)[..., :, None, :])
    return np.moveaxis(carried, -1, -3)


def velocity_bias(signs: SignArray, dS: Array, B: Array) -> Array:
    """The part of dW[b, :, i, j] that does not contain dB.  dS (..., 6, nv, nz) -> (..., n, 6, nz, nz)."""
    return np.einsum("...ckj,bk,...ki->...bcij", dS, signs, B, optimize=True)
