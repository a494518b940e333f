"""Velocity coefficients B and their exact partial derivatives dB.

The loop equations phi(q) = 0 and the independent measures c(q) = z are stacked into one system

    A qdot = [0; zdot],   A = [phi_q; c_q]                                  (1)
    A B = [0; 1]                                                            (2)
    A dB_ij = -bias_ij                                                      (3)

with as many or more rows than unknowns (planar and spherical loops repeat themselves) and full column rank wherever
z determines the motion.  It is solved by QR, or by the singular value decomposition where that is not so; rotations are
weighted with the reference length so that the singular values, and the condition number, mean the same for radians and
metres.

Stiff rates, locked or independent, are given by rows of their own, A = [C G; 0 w].  They are not factored:

    x_given = r_given/w,   x_other = C^+ (r_other - G x_given)              (4)
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from precompute.arrays import Array
from precompute.kinematics import loops
from precompute.kinematics.motion import Along, Motion
from precompute.kinematics.poses import Poses, Tree, axis_derivatives, velocities, velocity_bias
from precompute.kinematics.topology import Topology
from precompute.measures.held import hold
from precompute.measures.measure import Measure
from precompute.model.mechanism import Mechanism

GAP_TOLERANCE = 1e-12
"""Loops count as closed below this gap, relative to the reference length; Newton goes on to the round-off below."""

ROUND_OFF = 64.0 * float(np.finfo(float).eps)
"""Of positions in a chain of a dozen joints, relative to their distance from the origin."""

RANK_LOST = 1e-12
"""A pivot of QR below this share of the largest counts as lost."""


@dataclass(frozen=True)
class Crossing:
    """A value of a coordinate at which the loops lose rank while the motion passes through, and on along its tangent.

    Nothing is solved nearer to it than `half`: there the branch that is passed can hardly be told from the one that is
    followed.
    """

    axis: int  # number of the coordinate
    at: float
    half: float


@dataclass(frozen=True, eq=False)
class Closure:
    """A mechanism, its tree, and the measures that are its independent coordinates (none while it is assembled)."""

    mechanism: Mechanism
    topology: Topology
    coordinates: tuple[Measure, ...] = ()
    crossings: tuple[Crossing, ...] = ()  # branch points that the coordinates pass
    about: tuple[float, ...] = ()  # deflections at which stiff directions are locked, of all of them; () is zero

    @cached_property
    def length(self) -> float:
        """Reference length [m]."""
        return loops.reference_length(self.mechanism)

    @cached_property
    def gap_tolerance(self) -> float:
        """Loops count as closed below this gap [m]: a share of the reference length, but not below round-off."""
        points = np.array([p for j in self.mechanism.connections for p in (j.p_P, j.p_C)])
        return GAP_TOLERANCE * self.length + ROUND_OFF * float(np.abs(points).max())

    @cached_property
    def rate_weight(self) -> Array:
        """(nv,) 1/length for rotational rates, 1 for translations: unknowns become metres."""
        primitives = [p for j in self.mechanism.joints for p in j.primitives for _ in range(p.rates)]
        return np.array([1.0 if p.kind == "translation" else 1.0 / self.length for p in primitives])

    @cached_property
    def held(self) -> loops.Rows:
        """What closes the mechanism below the rows of its chords: rods, couplings, idle spins, locked directions."""
        return loops.Rows.of(loops.held_measures(self.tree, self.length, self.about), self.topology)

    @cached_property
    def rows(self) -> loops.Rows:
        """All scalar rows of (1): what is held, then the independent coordinates, at values that come with z."""
        own = (hold(c, 0.0, "", self.mechanism, self.length) for c in self.coordinates)
        return loops.Rows.of((*self.held.all, *own), self.topology)

    def row_weight(self, number: int) -> float:
        """What makes a row of (1) below those of the chords metres."""
        return self.rows.all[number - 6 * len(self.topology.chords)].weight

    @cached_property
    def row_names(self) -> tuple[str, ...]:
        """What each row of (1) belongs to; empty for coordinates."""
        return loops.row_names(self.mechanism, self.topology, self.rows)

    @cached_property
    def coordinate_weight(self) -> Array:
        """(nz,) length for angles, 1 for lengths: coordinate rows become metres."""
        return np.array([row.weight for row in self.rows.all[len(self.held.all) :]])

    @cached_property
    def given(self) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """Rows that give a stiff rate each, as in (4), and those rates."""
        rates = dict(zip(self.mechanism.stiff_coordinates, self.topology.stiff, strict=True))
        first = 6 * len(self.topology.chords)
        found = [(first + i, rates[row.measure]) for i, row in enumerate(self.rows.all) if row.measure in rates]
        rows, columns = np.array(found, dtype=np.intp).reshape(-1, 2).T
        return rows, columns

    @cached_property
    def tree(self) -> Tree:
        """How configurations are walked."""
        return Tree.of(self.mechanism, self.topology)

    def poses(self, q: Array) -> Poses:
        """Poses of a batch of configurations."""
        return self.tree.poses(q)

    def move(self, q: Array, dv: Array) -> Array:
        """Configurations q (..., nq) moved by small motions dv (..., nv)."""
        return self.tree.move(q, dv)

    def gap(self, P: Poses) -> Array:
        """Loop residual (..., nc) [m]."""
        return loops.residual(P, self.held, self.length)

    def values(self, P: Poses) -> Array:
        """Values of the independent measures (..., nz)."""
        if not self.coordinates:
            return np.zeros((*P.q.shape[:-1], 0))
        return np.stack([c.value(P) for c in self.coordinates], axis=-1)

    def error(self, P: Poses, z: Array) -> Array:
        """What is missing in all rows of (1) when the coordinates are to be z (..., nz).  -> (..., nc + nz) [m]."""
        return np.concatenate([self.gap(P), self.coordinate_weight * (self.values(P) - z)], axis=-1)

    def matrix(self, P: Poses) -> Array:
        """A of (1) with coordinate rows weighted, columns not yet (..., nc + nz, nv)."""
        return loops.jacobian(P, self.rows, self.length)


@dataclass(frozen=True, eq=False)
class Factor:
    """Singular value decomposition of the weighted A, for a batch."""

    U: Array  # (..., ne, k)
    s: Array  # (..., k) descending
    Vt: Array  # (..., k, nv)
    rate_weight: Array  # (nv,)

    @property
    def equations(self) -> int:
        """Rows of A."""
        return self.U.shape[-2]

    @property
    def condition(self) -> Array:
        """Largest over smallest singular value (...); infinite where A has fewer rows than columns."""
        if self.s.shape[-1] < self.Vt.shape[-1]:
            return np.full(self.s.shape[:-1], np.inf)
        return self.s[..., 0] / np.maximum(self.s[..., -1], np.finfo(float).tiny)

    @property
    def inverse(self) -> Array:
        """The pseudo-inverse of A (..., nv, ne)."""
        return self.solve(np.eye(self.equations))

    def solve(self, rhs: Array, rank_tolerance: float = 0.0) -> Array:
        """Least-squares, least-norm solution of A x = rhs.  (..., ne, m) -> (..., nv, m)."""
        keep = self.s > rank_tolerance * self.s[..., :1]
        inverse = np.where(keep, 1.0 / np.where(keep, self.s, 1.0), 0.0)
        y = inverse[..., None] * (np.swapaxes(self.U, -1, -2) @ rhs)
        return self.rate_weight[:, None] * (np.swapaxes(self.Vt, -1, -2) @ y)


def factorize(closure: Closure, A: Array) -> Factor:
    """SVD of A with weighted columns."""
    U, s, Vt = np.linalg.svd(A * closure.rate_weight, full_matrices=False)
    return Factor(U, s, Vt, closure.rate_weight)


@dataclass(frozen=True, eq=False)
class Triangular:
    """A left inverse of A by QR, for a batch: solves as `Factor` does at a fraction of its work."""

    inverse: Array  # (..., nv, ne)

    @property
    def equations(self) -> int:
        """Rows of A."""
        return self.inverse.shape[-1]

    def solve(self, rhs: Array) -> Array:
        """Solution of A x = rhs, for least squares but for the rows of (4).  (..., ne, m) -> (..., nv, m)."""
        return self.inverse @ rhs


def solver(closure: Closure, A: Array) -> Triangular | Factor:
    """What solves A x = rhs fastest: QR, or the singular values where some A of the batch has not full column rank."""
    rows, rates = closure.given
    kept, others = np.delete(np.arange(A.shape[-2]), rows), np.delete(np.arange(A.shape[-1]), rates)
    if len(kept) < len(others):
        return factorize(closure, A)
    weight = closure.rate_weight[others]
    upper = A[..., kept, :]
    Q, R = np.linalg.qr(upper[..., others] * weight)
    pivots = np.abs(np.diagonal(R, axis1=-2, axis2=-1))
    if pivots.size and not (pivots.min(axis=-1) > RANK_LOST * pivots.max(axis=-1)).all():
        return factorize(closure, A)
    inverse = np.zeros((*A.shape[:-2], A.shape[-1], A.shape[-2]))
    left = weight[:, None] * (np.linalg.inv(R) @ np.swapaxes(Q, -1, -2))
    inverse[..., others[:, None], kept] = left
    if rates.size:
        given = 1.0 / A[..., rows, rates]
        inverse[..., rates, rows] = given
        inverse[..., others[:, None], rows] = -(left @ upper[..., rates]) * given[..., None, :]
    return Triangular(inverse)


def condition_numbers(closure: Closure, A: Array) -> Array:
    """Largest over smallest singular value of the weighted A (...); infinite with fewer rows than columns."""
    s = np.linalg.svd(A * closure.rate_weight, compute_uv=False)
    if s.shape[-1] < A.shape[-1]:
        return np.full(s.shape[:-1], np.inf)
    return np.asarray(s[..., 0] / np.maximum(s[..., -1], np.finfo(float).tiny))


def velocity_coefficients(closure: Closure, factor: Factor | Triangular) -> Array:
    """B of (2): qdot = B zdot.  -> (..., nv, nz)."""
    nz = len(closure.coordinates)
    rhs = np.zeros((factor.equations, nz))
    rhs[-nz:] = np.diag(closure.coordinate_weight)
    return factor.solve(rhs)


def coefficient_derivatives(
    closure: Closure,
    P: Poses,
    factor: Factor | Triangular,
    B: Array,
    along: Along = slice(None),
    dS: Array | None = None,
) -> tuple[Array, Array, Array]:
    """dB of (3), with the velocities it was made from; of nd coordinates, if not all are asked for.

    Where joints open (see `openings`), P and B have rates and columns more, and dS comes with them.

    For a ball the component dB[:, i, j] is the derivative of the angular velocity of column i along column j; it is
    not symmetric in i and j, the difference is the cross product of the two.

    Returns:
        dB: (..., nv, nz, nd) dB[:, i, j] = dB[:, i]/dz_j.
        W: (..., nb + 1, 6, nz) spatial velocity of each body per unit zdot.
        dW: (..., nb + 1, 6, nz, nd) its derivative along z_j.
    """
    t, S = P.topology, P.S
    W = velocities(t.reach, S, B)
    dS = axis_derivatives(t, S, B[..., along]) if dS is None else dS
    dW0 = velocity_bias(t.reach, dS, B)
    loop_dW0 = velocity_bias(t.loop_reach, dS, B)
    shape = (*B.shape, dS.shape[-1])
    without_dB = Motion(P, B, W, dW0, np.zeros(shape), along)
    g = loops.bias(without_dB, loop_dW0, closure.rows, closure.length)
    dB = np.zeros((*B.shape[:-1], shape[-2] * shape[-1]))
    dB[..., : closure.topology.nv, :] = -factor.solve(g.reshape(*g.shape[:-2], -1))
    dW = dW0 + velocities(t.reach, S, dB).reshape(dW0.shape)
    return dB.reshape(shape), W, dW
