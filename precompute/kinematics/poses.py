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
from itertools import accumulate

import numpy as np
from numpy.typing import NDArray

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
from precompute.model.mechanism import Mechanism


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
    turned_v = np.array([range(vs.start, vs.stop) for vs, _ in balls], dtype=int).reshape(-1, 3)
    turned_q = np.array([range(qs.start, qs.stop) for _, qs in balls], dtype=int).reshape(-1, 4)
    scalar_v = np.delete(np.arange(topology.nv), turned_v)
    scalar_q = np.delete(np.arange(topology.nq), turned_q)
    out = np.array(np.broadcast_to(q, (*dv.shape[:-1], topology.nq)))
    out[..., scalar_q] += dv[..., scalar_v]
    if balls:
        turned = quaternion_multiply(quaternion_exp(dv[..., turned_v]), out[..., turned_q])
        out[..., turned_q] = turned / np.linalg.norm(turned, axis=-1, keepdims=True)
    return out


def poses(mechanism: Mechanism, topology: Topology, q: Array) -> Poses:
    """Walk the tree from the ground; then across each chord."""
    batch = q.shape[:-1]
    number = {name: i for i, name in enumerate(topology.bodies)}
    X: list[Transform] = [Transform(np.broadcast_to(np.eye(3), (*batch, 3, 3)), np.zeros((*batch, 3)))] * len(number)
    walks = Walks.at(mechanism, topology, q)
    for arc in topology.arcs:
        if arc.forward:
            X[arc.body] = walks.across(arc.joint, X[arc.base])
        else:  # the joint's parent is the outer body: find it first, then its motion axes
            X[arc.body] = X[arc.base] @ walks.across(arc.joint, X[0]).inverse()
            walks.across(arc.joint, X[arc.body])
    X_chord = [walks.across(c, X[number[mechanism.joints[c].parent]]) for c in topology.chords]
    return Poses(mechanism, topology, q, tuple(X), tuple(X_chord), walks.motion_axes())


@dataclass(frozen=True, eq=False)
class Walks:
    """The motions of all joints, made at one go, and the frames met while the joints are walked.

    What can be done for all joints together is: a mechanism has many, and each call of NumPy costs as much as its work.
    """

    mechanism: Mechanism
    topology: Topology
    turning: NDArray[np.bool_]  # (nv,) rates of rotations, those of balls included
    moves: list[Array]  # per rate: the rotation (..., 3, 3) or the travel (..., 3); the first rate of a ball has it all
    axes: Array  # (..., nv, 3) where each rate's axis is, in G; filled by `across`
    points: Array  # (..., nv, 3) and a point of it

    @classmethod
    def at(cls, mechanism: Mechanism, topology: Topology, q: Array) -> Walks:
        """Nothing walked yet, at q (..., nq)."""
        moves: list[Array] = [np.zeros(3)] * topology.nv
        turning = np.ones(topology.nv, dtype=bool)
        each = [
            (*topology.scalars[joint.name, i], primitive.kind, primitive.axis)
            for joint in mechanism.joints
            for i, primitive in enumerate(joint.primitives)
            if primitive.axis is not None
        ]
        turns = [(iq, iv, axis) for iq, iv, kind, axis in each if kind == "rotation"]
        if turns:
            R = rotation(np.array([axis for *_, axis in turns]), q[..., [iq for iq, *_ in turns]])
            for k, (_, iv, _) in enumerate(turns):
                moves[iv] = R[..., k, :, :]
        for iq, iv, kind, axis in each:
            if kind == "translation":
                moves[iv], turning[iv] = q[..., iq, None] * axis, False
        for vs, qs in ball_slices(mechanism, topology):
            moves[vs.start] = quaternion_rotation(q[..., qs])
        shape = (*q.shape[:-1], topology.nv, 3)
        return cls(mechanism, topology, turning, moves, np.zeros(shape), np.zeros(shape))

    def across(self, number: int, X_GP: Transform) -> Transform:
        """Pose of the child of a joint by walking its primitives from the parent; notes the axes on the way.

        X_GC = X_GP T(p_P) prim_1(q_1) ... prim_n(q_n) T(-p_C)        in the order of `joint.walk`
        """
        joint, first = self.mechanism.joints[number], self.topology.v_slices[number].start
        R, p = X_GP.R, X_GP.point(joint.p_P)
        starts = list(accumulate((primitive.rates for primitive in joint.primitives), initial=first))
        for i in joint.walk:
            primitive, iv = joint.primitives[i], starts[i]
            if primitive.axis is None:
                self.axes[..., iv : iv + 3, :] = np.swapaxes(R, -1, -2)
                self.points[..., iv : iv + 3, :] = p[..., None, :]
            else:
                self.axes[..., iv, :] = R @ primitive.axis
                self.points[..., iv, :] = p
            if primitive.kind == "translation":
                p = p + (R @ self.moves[iv][..., None])[..., 0]
            else:
                R = R @ self.moves[iv]
        return Transform(R, p - R @ joint.p_C)

    def motion_axes(self) -> Array:
        """S (..., 6, nv): a rotation's axis and the velocity it gives the origin, a translation's axis below."""
        screws = rotation_screw(self.axes, self.points)
        return np.swapaxes(np.where(self.turning[:, None], screws, translation_screw(self.axes)), -1, -2)


# -- velocities and their derivatives along independent coordinates --------------------------------------------------
#
# `signs` (n, nv) says which rates act on which of n things: topology.reach for bodies, topology.loop_reach for loops.


def velocities(signs: SignArray, S: Array, B: Array) -> Array:
    """W[b, :, i], the spatial velocity for zdot = e_i, by (1).  S (..., 6, nv), B (..., nv, nz) -> (..., n, 6, nz)."""
    moved = (signs[:, None, :] * S[..., None, :, :]).reshape(*S.shape[:-2], -1, S.shape[-1])
    return (moved @ B).reshape(*S.shape[:-2], len(signs), 6, B.shape[-1])


def axis_derivatives(topology: Topology, S: Array, B: Array) -> Array:
    """dS[:, k, j] = dS_k/dz_j, by (2), for B (..., nv, nd) of nd coordinates.  -> (..., 6, nv, nd)."""
    before = velocities(topology.reach_before, S, B)  # (..., nv, 6, nz)
    carried = cross_motion(np.swapaxes(before, -1, -2), np.swapaxes(S, -1, -2)[..., :, None, :])
    return np.moveaxis(carried, -1, -3)


def velocity_bias(signs: SignArray, dS: Array, B: Array) -> Array:
    """The part of dW[b, :, i, j] that does not contain dB.  dS (..., 6, nv, nd) -> (..., n, 6, nz, nd)."""
    *batch, nv, nz = B.shape
    moved = (signs[:, None, None, :] * np.swapaxes(dS, -1, -2)[..., None, :, :, :]).reshape(*batch, -1, nv)
    return np.swapaxes((moved @ B).reshape(*batch, len(signs), 6, dS.shape[-1], nz), -1, -2)
