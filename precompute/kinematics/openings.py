"""Locked directions opened: the motion of the closed mechanism when one of them gives way by a unit, z held.

A locked direction is a stiff coordinate that stays at zero.  Opened by a unit screw s_k (of a measure that is held, as
the length of a rod: made larger by one) it moves the closed mechanism as B_k says, from the same factor as B,

    A B_k = -G_k                                                                            (1)

with G_k what the screw by itself does to the rows of A; of a measure held, minus its weight in its own row.  The screw
is one rate more, which moves the bodies beyond its joint.  By virtual work the reaction along s_k, parent on child, is
what the motion of all bodies along B_k takes: see `tables.loads.load_data`.

(1) has a solution only if the direction is no part of what loops hold several times over, as a planar one holds its own
plane: then the share of one joint is undefined, and `gap` is not zero.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from precompute.arrays import Array
from precompute.geometry.spatial import cross, cross_motion, point_velocity, rotation_screw, translation_screw
from precompute.kinematics import loops
from precompute.kinematics.coefficients import Closure, Factor, Triangular, coefficient_derivatives
from precompute.kinematics.motion import Motion
from precompute.kinematics.poses import Poses, axis_derivatives, velocities, velocity_bias
from precompute.kinematics.topology import SignArray, Topology
from precompute.model.mechanism import DIRECTIONS, HeldRow, Mechanism

Carrier = Literal["parent", "child", "ground", "row"]


@dataclass(frozen=True)
class Opening:
    """A direction of a joint whose load is asked for: along (0 to 2) or about (3 to 5) an axis; or a measure held."""

    part: str  # the joint; of a measure that is held the output, which tells it from all others
    index: int  # of a measure that is held 3 if it is an angle, else 0
    carrier: Carrier  # what carries the joint's axes; they are at the point of the parent, or of the child if that does

    @property
    def name(self) -> str:
        """What the output is called."""
        if self.carrier == "row":
            return self.part
        return f"joint.{self.part}.{'FM'[self.turns]}[{self.index % 3 + 1}]"

    @property
    def turns(self) -> bool:
        """Whether it opens about an axis, so that the load is a moment."""
        return self.index >= 3

    def row(self, mechanism: Mechanism) -> HeldRow:
        """The measure that is held."""
        return next(row for row in mechanism.held if row.output == self.part)


def openings(mechanism: Mechanism) -> tuple[Opening, ...]:
    """All that a mechanism asks for, joint by joint, then what it holds besides."""
    found = []
    for joint in mechanism.joints:
        carrier: Carrier = "ground" if joint.load_axes == "ground" else joint.stiff_axes
        found += [Opening(joint.name, i, carrier) for i, name in enumerate(DIRECTIONS) if name in joint.loads]
    rows = (row for row in mechanism.held if row.load)
    return (*found, *(Opening(row.output, 3 * row.measure.is_angle(mechanism), "row") for row in rows))


@dataclass(frozen=True, eq=False)
class OpenPoses(Poses):
    """Poses in which some joints may open: their screws are rates of their own, after those of the tree."""

    screws: Array  # (..., 6, ns)

    @property
    def S(self) -> Array:
        """(..., 6, nv + ns) motion axes in G."""
        return np.concatenate([self.tree.motion_axes(self.frames), self.screws], axis=-1)


@dataclass(frozen=True, eq=False)
class Opened:
    """The motions of a batch of configurations: nz along the coordinates, then nk of openings."""

    P: OpenPoses
    B: Array  # (..., nv + ns, nz + nk)
    W: Array  # (..., nb + 1, 6, nz + nk)
    nz: int
    gap: Array  # (..., ne, nk) what is missing in (1), over the size of the opening in metres [1]

    def motion(self, closure: Closure, factor: Factor | Triangular, some: tuple[Opening, ...]) -> Motion:
        """With derivatives along the nz coordinates."""
        dS, along = self._axis_derivatives(some), list(range(self.nz))
        dB, W, dW = coefficient_derivatives(closure, self.P, factor, self.B, along, dS)
        return Motion(self.P, self.B, W, dW, dB, along)

    def followed(self, motion: Motion, some: tuple[Opening, ...]) -> Motion:
        """The same without the screws themselves: how the mechanism follows, by the rates of its joints."""
        nv, reach = self.B.shape[-2] - self.P.screws.shape[-1], self.P.topology.reach
        S, dS = self.P.S[..., :nv], self._axis_derivatives(some)[..., :nv, :]
        B, dB = self.B[..., :nv, :], motion.dB[..., :nv, :, :]
        dW = velocity_bias(reach[:, :nv], dS, B)
        dW = dW + velocities(reach[:, :nv], S, dB.reshape(*B.shape[:-1], -1)).reshape(dW.shape)
        follows = np.concatenate([B, np.zeros_like(self.B[..., nv:, :])], axis=-2)
        return Motion(self.P, follows, velocities(reach[:, :nv], S, B), dW, motion.dB, motion.along)

    def _axis_derivatives(self, some: tuple[Opening, ...]) -> Array:
        """(..., 6, nv + ns, nz) of all motion axes."""
        ns = self.P.screws.shape[-1]
        nv, t = self.B.shape[-2] - ns, self.P.topology
        plain = replace(t, nv=nv, reach=t.reach[:, :nv], loop_reach=t.loop_reach[:, :nv])
        carried = axis_derivatives(plain, self.P.S[..., :nv], self.B[..., :nv, : self.nz])
        return np.concatenate([carried, screw_derivatives(self.P, self.W[..., : self.nz], some)], axis=-2)


def opened(closure: Closure, P: Poses, factor: Factor | Triangular, B: Array, some: tuple[Opening, ...]) -> Opened:
    """Solve (1) for some openings, at configurations whose A has been factored and whose B (..., nv, nz) is known."""
    *batch, nv, nz = B.shape
    of_joints = [k for k, opening in enumerate(some) if opening.carrier != "row"]
    at = open_poses(P, tuple(some[k] for k in of_joints))
    rhs = np.zeros((*batch, factor.equations, len(some)))
    rhs[..., of_joints] = -loops.jacobian(at, closure.rows, closure.length)[..., nv:]
    for k, opening in enumerate(some):
        if opening.carrier == "row":
            number = held_number(closure, opening)
            rhs[..., number, k] = closure.row_weight(number)
    x = factor.solve(rhs)
    size = np.array([closure.length if opening.turns else 1.0 for opening in some])
    gap = np.abs(loops.jacobian(P, closure.rows, closure.length) @ x - rhs) / size
    rates = np.zeros((*batch, len(of_joints), nz + len(some)))
    rates[..., range(len(of_joints)), [nz + k for k in of_joints]] = 1.0
    every = np.concatenate([np.concatenate([B, x], axis=-1), rates], axis=-2)
    return Opened(at, every, velocities(at.topology.reach, at.S, every), nz, gap)


def held_number(closure: Closure, opening: Opening) -> int:
    """The row of A that holds a measure."""
    number = [row.output for row in closure.mechanism.held].index(opening.part)
    return 6 * len(closure.topology.chords) + number


def open_poses(P: Poses, some: tuple[Opening, ...]) -> OpenPoses:
    """The poses with the screws of some joints that open."""
    t = P.topology
    names = [joint.name for joint in P.mechanism.joints]
    signs = [opening_signs(P.mechanism, t, names.index(opening.part)) for opening in some]
    reach, loop_reach = (
        np.concatenate([own, np.array(more, dtype=np.int64).reshape(len(some), len(own)).T], axis=1)
        for own, more in ((t.reach, [r for r, _ in signs]), (t.loop_reach, [r for _, r in signs]))
    )
    topology = replace(t, nv=t.nv + len(some), reach=reach, loop_reach=loop_reach)
    return OpenPoses(replace(P.tree, topology=topology), P.q, P.X, P.X_chord, P.frames, screws(P, some))


def opening_signs(mechanism: Mechanism, t: Topology, number: int) -> tuple[SignArray, SignArray]:
    """Which bodies (nb + 1,) and loops (number of chords,) a screw between parent and child of a joint moves."""
    bodies = np.zeros(len(t.bodies), dtype=np.int64)
    for a, arc in enumerate(t.arcs):
        if arc.joint == number:
            beyond = [t.arcs[i].body for i in np.flatnonzero(t.Ra[:, a])]
            bodies[beyond] = 1 if arc.forward else -1
    cut = [mechanism.joints[c] for c in t.chords]
    around = [bodies[t.bodies.index(j.parent)] - bodies[t.bodies.index(j.child)] for j in cut]
    return bodies, np.array(around, dtype=np.int64) + (np.array(t.chords) == number)


def screws(P: Poses, some: tuple[Opening, ...]) -> Array:
    """(..., 6, number) of some openings of joints, in G."""
    found = [
        rotation_screw(*axis_and_point(P, o)) if o.turns else translation_screw(axis_and_point(P, o)[0]) for o in some
    ]
    return np.stack(found, axis=-1) if found else np.zeros((*P.q.shape[:-1], 6, 0))


def axis_and_point(P: Poses, opening: Opening) -> tuple[Array, Array]:
    """The axis (..., 3) and the joint's point (..., 3), in G."""
    joint = P.mechanism.joint(opening.part)
    if opening.carrier == "child":
        X = P.pose(joint.child)
        return X.R @ joint.R[:, opening.index % 3], X.point(joint.p_C)
    X = P.pose(joint.parent)
    p = X.point(joint.p_P)
    if opening.carrier == "ground":
        return np.broadcast_to(np.eye(3)[opening.index % 3], p.shape), p
    return X.R @ joint.R[:, opening.index % 3], p


def screw_derivatives(P: OpenPoses, W: Array, some: tuple[Opening, ...]) -> Array:
    """(..., 6, number, nd) of the same along coordinates that move the bodies by W (..., nb + 1, 6, nd)."""
    joints = [opening for opening in some if opening.carrier != "row"]
    out = np.zeros((*P.q.shape[:-1], 6, len(joints), W.shape[-1]))
    for k, opening in enumerate(joints):
        joint = P.mechanism.joint(opening.part)
        V = W[..., P.number(joint.child if opening.carrier == "child" else joint.parent), :, :]
        if opening.carrier != "ground":  # carried along
            out[..., k, :] = np.swapaxes(cross_motion(np.swapaxes(V, -1, -2), P.screws[..., None, :, k]), -1, -2)
        elif opening.turns:  # only the point is
            axis, p = axis_and_point(P, opening)
            out[..., 3:, k, :] = cross(point_velocity(V, p), axis[..., None], axis=-2)
    return out
