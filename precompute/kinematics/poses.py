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
from functools import cached_property
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
    rotation_quaternion,
    rotation_screw,
    translation_screw,
)
from precompute.kinematics.topology import SignArray, Topology
from precompute.model.mechanism import Mechanism, PrimitiveKind


@dataclass(frozen=True, eq=False)
class Poses:
    """Where everything is, for a batch of configurations; what measures ask of it."""

    tree: Tree
    q: Array  # (..., nq)
    X: tuple[Transform, ...]  # nb + 1 body poses X_GB; the ground first
    X_chord: tuple[Transform, ...]  # per chord: the child's pose as predicted through the cut joint
    frames: list[Frame]  # nv, before the motion of each rate

    @property
    def mechanism(self) -> Mechanism:
        """Whose poses these are."""
        return self.tree.mechanism

    @property
    def topology(self) -> Topology:
        """Its tree and cuts."""
        return self.tree.topology

    @cached_property
    def S(self) -> Array:
        """(..., 6, nv) motion axes in G."""
        return self.tree.motion_axes(self.frames)

    def number(self, body: str) -> int:
        """The number of a body, 0 for the ground."""
        return self.topology.bodies.index(body)

    def pose(self, body: str) -> Transform:
        """X_GB of a body."""
        return self.X[self.number(body)]

    def quaternion(self, body: str) -> Array:
        """(..., 4) of a body's rotation since design."""
        number, spinning = self.number(body), [spin.body for spin in self.topology.spins]
        if number in spinning:
            return self._spun[..., spinning.index(number), :]
        return rotation_quaternion(self.X[number].R)

    @cached_property
    def _spun(self) -> Array:
        """(..., number of idle spins, 4) the quaternions of bodies that would spin, made at one go."""
        return rotation_quaternion(np.stack([self.X[spin.body].R for spin in self.topology.spins], axis=-3))

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
        out = np.zeros((*self.q.shape[:-1], self.topology.nv))
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
    return Tree.of(mechanism, topology).move(q, dv)


def poses(mechanism: Mechanism, topology: Topology, q: Array) -> Poses:
    """Walk the tree from the ground; then across each chord."""
    return Tree.of(mechanism, topology).poses(q)


Frame = tuple[Array, Array]  # a rotation (..., 3, 3) and a point (..., 3) in G


@dataclass(frozen=True, eq=False)
class Tree:
    """How a configuration is walked, made ready once: which number is which motion of which joint.

    What can be done for all joints together is: a mechanism has many, and each call of NumPy costs as much as its work.
    """

    mechanism: Mechanism
    topology: Topology
    turns: NDArray[np.intp]  # (nt, 2) scalar rotations: number in q, number of its rate
    slides: NDArray[np.intp]  # (ns, 2) the same of translations
    balls_q: NDArray[np.intp]  # (nb, 4)
    balls_v: NDArray[np.intp]  # (nb, 3)
    axes: Array  # (nv, 3) of each rate, in the frame before it; of many designs (..., nv, 3), as are points of joints
    walks: tuple[tuple[tuple[int, PrimitiveKind], ...], ...]  # per joint: first rates and kinds, from parent to child

    @classmethod
    def of(cls, mechanism: Mechanism, topology: Topology) -> Tree:
        """Of a mechanism."""
        axes, walks = np.zeros((topology.nv, 3)), []
        scalar: dict[str, list[tuple[int, int]]] = {"rotation": [], "translation": []}
        for joint, vs in zip(mechanism.joints, topology.v_slices, strict=True):
            starts = list(accumulate((p.rates for p in joint.primitives), initial=vs.start))
            for i, primitive in enumerate(joint.primitives):
                axes[starts[i] : starts[i + 1]] = np.eye(3) if primitive.axis is None else primitive.axis
                if primitive.axis is not None:
                    scalar[primitive.kind].append(topology.scalars[joint.name, i])
            walks.append(tuple((starts[i], joint.primitives[i].kind) for i in joint.walk))
        turns, slides = (np.array(scalar[kind], dtype=np.intp).reshape(-1, 2) for kind in ("rotation", "translation"))
        balls = ball_slices(mechanism, topology)
        balls_q = np.array([range(qs.start, qs.stop) for _, qs in balls], dtype=np.intp).reshape(-1, 4)
        balls_v = np.array([range(vs.start, vs.stop) for vs, _ in balls], dtype=np.intp).reshape(-1, 3)
        return cls(mechanism, topology, turns, slides, balls_q, balls_v, axes, tuple(walks))

    def move(self, q: Array, dv: Array) -> Array:
        """Step on the manifold: add dv (..., nv) to scalar coordinates, rotate balls by it.  -> (..., nq)."""
        out = np.array(np.broadcast_to(q, (*dv.shape[:-1], self.topology.nq)))
        for numbers in (self.turns, self.slides):
            out[..., numbers[:, 0]] += dv[..., numbers[:, 1]]
        if self.balls_q.size:
            turned = quaternion_multiply(quaternion_exp(dv[..., self.balls_v]), out[..., self.balls_q])
            out[..., self.balls_q] = turned / np.linalg.norm(turned, axis=-1, keepdims=True)
        return out

    def poses(self, q: Array) -> Poses:
        """Walk from the ground; then across each chord."""
        t, batch, moves = self.topology, q.shape[:-1], self.motions(q)
        frames: list[Frame] = [(np.zeros(0), np.zeros(0))] * t.nv
        X = [Transform(np.broadcast_to(np.eye(3), (*batch, 3, 3)), np.zeros((*batch, 3)))] * len(t.bodies)
        for arc in t.arcs:
            if arc.forward:
                X[arc.body] = self.across(arc.joint, X[arc.base], moves, frames)
            else:  # the joint's parent is the outer body: find it first, then its motion axes
                X[arc.body] = X[arc.base] @ self.across(arc.joint, X[0], moves, frames).inverse()
                self.across(arc.joint, X[arc.body], moves, frames)
        parents = [t.bodies.index(self.mechanism.joints[c].parent) for c in t.chords]
        X_chord = [self.across(c, X[b], moves, frames) for c, b in zip(t.chords, parents, strict=True)]
        return Poses(self, q, tuple(X), tuple(X_chord), frames)

    def motions(self, q: Array) -> list[Array]:
        """Per rate its rotation (..., 3, 3) or travel (..., 3), all made at one go; the first rate of a ball has it."""
        out: list[Array] = [np.zeros(0)] * self.topology.nv
        if len(self.turns):
            R = rotation(self.axes[..., self.turns[:, 1], :], q[..., self.turns[:, 0]])
            for k, rate in enumerate(self.turns[:, 1].tolist()):
                out[rate] = R[..., k, :, :]
        if len(self.slides):
            travel = q[..., self.slides[:, 0], None] * self.axes[..., self.slides[:, 1], :]
            for k, rate in enumerate(self.slides[:, 1].tolist()):
                out[rate] = travel[..., k, :]
        if len(self.balls_q):
            R = quaternion_rotation(q[..., self.balls_q])
            for k, rate in enumerate(self.balls_v[:, 0].tolist()):
                out[rate] = R[..., k, :, :]
        return out

    def across(self, number: int, X_GP: Transform, moves: list[Array], frames: list[Frame]) -> Transform:
        """Pose of the child of a joint by walking its primitives from the parent; notes the frames on the way.

        X_GC = X_GP T(p_P) prim_1(q_1) ... prim_n(q_n) T(-p_C)        in the order of `joint.walk`
        """
        joint = self.mechanism.joints[number]
        R, p = X_GP.R, X_GP.point(joint.p_P)
        for rate, kind in self.walks[number]:
            frames[rate : rate + (3 if kind == "ball" else 1)] = [(R, p)] * (3 if kind == "ball" else 1)
            if kind == "translation":
                p = p + (R @ moves[rate][..., None])[..., 0]
            else:
                R = R @ moves[rate]
        return Transform(R, p - (R @ joint.p_C[..., None])[..., 0])

    def motion_axes(self, frames: list[Frame]) -> Array:
        """S (..., 6, nv): a rotation's axis and the velocity it gives the origin, a translation's axis below."""
        R, points = np.stack([R for R, _ in frames], axis=-3), np.stack([p for _, p in frames], axis=-2)
        axes = (R @ self.axes[..., None])[..., 0]
        screws, slides = rotation_screw(axes, points), self.slides[:, 1]
        screws[..., slides, :] = translation_screw(axes[..., slides, :])
        return np.swapaxes(screws, -1, -2)


# -- velocities and their derivatives along independent coordinates --------------------------------------------------
#
# `signs` (n, nv) says which rates act on which of n things: topology.reach for bodies, topology.loop_reach for loops.


def velocities(signs: SignArray, S: Array, B: Array) -> Array:
    """W[b, :, i], the spatial velocity for zdot = e_i, by (1).  S (..., 6, nv), B (..., nv, nz) -> (..., n, 6, nz)."""
    *batch, nv, nz = B.shape
    moved = signs[:, None, :].astype(float) * S[..., None, :, :]
    return (moved.reshape(*batch, 6 * len(signs), nv) @ B).reshape(*batch, len(signs), 6, nz)


def axis_derivatives(topology: Topology, S: Array, B: Array) -> Array:
    """dS[:, k, j] = dS_k/dz_j, by (2), for B (..., nv, nd) of nd coordinates.  -> (..., 6, nv, nd)."""
    before = velocities(topology.reach_before, S, B)  # (..., nv, 6, nz)
    carried = cross_motion(np.swapaxes(before, -1, -2), np.swapaxes(S, -1, -2)[..., :, None, :])
    return np.moveaxis(carried, -1, -3)


def velocity_bias(signs: SignArray, dS: Array, B: Array) -> Array:
    """The part of dW[b, :, i, j] that does not contain dB.  dS (..., 6, nv, nd) -> (..., n, 6, nz, nd)."""
    (*batch, nv, nz), nd = B.shape, dS.shape[-1]
    moved = signs[:, None, None, :].astype(float) * np.swapaxes(dS, -1, -2)[..., None, :, :, :]
    product = moved.reshape(*batch, 6 * nd * len(signs), nv) @ B
    return np.swapaxes(product.reshape(*batch, len(signs), 6, nd, nz), -1, -2)
