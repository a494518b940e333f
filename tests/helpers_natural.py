"""The motion of a mechanism by its kinematics, to compare natural coordinates with."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from precompute.arrays import Array
from precompute.coordinates.cam_borders import with_cams
from precompute.coordinates.charts import cover
from precompute.coordinates.independent import Coordinates, choose_coordinates
from precompute.geometry.spatial import point_acceleration, point_velocity
from precompute.kinematics.assembly import close_loops
from precompute.kinematics.coefficients import Closure, coefficient_derivatives, factorize, velocity_coefficients
from precompute.kinematics.continuation import follow
from precompute.kinematics.topology import spanning_tree
from precompute.model.mechanism import Mechanism


@dataclass(frozen=True, eq=False)
class Oracle:
    """The independent coordinates of a mechanism in one chart, and its configurations."""

    mechanism: Mechanism
    coordinates: Coordinates
    closure: Closure  # stiff coordinates last
    q: Array  # (nq,) where the chart begins
    z: Array  # (nz,) the coordinates there

    @property
    def box(self) -> Array:
        """(nf, 2) the ranges of the free coordinates."""
        return np.array([(c.lower, c.upper) for c in self.coordinates.free])


def oracles(mechanism: Mechanism) -> list[Oracle]:
    """One for each chart."""
    topology = spanning_tree(mechanism)
    design = close_loops(mechanism, topology)
    found = []
    for piece in cover(choose_coordinates(mechanism, topology, design), design).pieces:
        full = piece.coordinates.full  # with cams as they are, whatever tables have for them
        closure = with_cams(full, tuple(replace(c, sections=None) if c.sections else c for c in full.mechanism.cams))
        z = closure.values(closure.poses(piece.centre.q))
        found.append(Oracle(mechanism, piece.coordinates, closure, piece.centre.q, z))
    return found


@dataclass(frozen=True, eq=False)
class KnownMotion:
    """At n configurations: spatial velocities per unit zdot and their derivatives."""

    oracle: Oracle
    poses: object
    B: Array  # (n, nv, nz)
    dB: Array  # (n, nv, nz, nz)
    W: Array  # (n, nb + 1, 6, nz)
    dW: Array  # (n, nb + 1, 6, nz, nz)

    def point(self, body: str, p: Array, zd: Array, zdd: Array) -> tuple[Array, Array, Array]:
        """Position, velocity and acceleration (n, 3) of a point."""
        k = self.poses.number(body)
        at = self.poses.X[k].point(p)
        at = np.broadcast_to(at, (len(self.W), 3))
        v = point_velocity(self.W[:, k], at)
        a = point_acceleration(self.W[:, k], self.dW[:, k], at)
        return (
            at,
            (v @ zd[:, :, None])[:, :, 0],
            (np.einsum("ncij,ni,nj->nc", a, zd, zd) + (v @ zdd[:, :, None])[:, :, 0]),
        )

    def turning(self, body: str, zd: Array, zdd: Array) -> tuple[Array, Array, Array]:
        """Rotation (n, 3, 3), angular velocity and acceleration (n, 3)."""
        k = self.poses.number(body)
        R = np.broadcast_to(self.poses.X[k].R, (len(self.W), 3, 3))
        w, dw = self.W[:, k, :3], self.dW[:, k, :3]
        return (
            R,
            (w @ zd[:, :, None])[:, :, 0],
            (np.einsum("ncij,ni,nj->nc", dw, zd, zd) + (w @ zdd[:, :, None])[:, :, 0]),
        )


def known_motion(oracle: Oracle, z: Array, steps: int = 12) -> KnownMotion:
    """At z (n, nz), led there in so many steps."""
    n = len(z)
    q, here = np.repeat(oracle.q[None], n, 0), np.repeat(oracle.z[None], n, 0)
    for share in np.linspace(0.0, 1.0, steps + 1)[1:]:
        step = follow(oracle.closure, q, here, oracle.z + share * (z - oracle.z))
        assert step.reached.all()
        q, here = step.q, step.z
    P = oracle.closure.poses(q)
    factor = factorize(oracle.closure, oracle.closure.matrix(P))
    B = velocity_coefficients(oracle.closure, factor)
    return KnownMotion(oracle, P, B, *coefficient_derivatives(oracle.closure, P, factor, B))
