"""The allowable motions of a constrained system: four ways to one basis R.

The problem: phi_q (m, n) of rank r, rows may repeat each other; phi_q qdot = b, phi_q qddot = c.  Find the general
solutions as a particular one plus a combination of f = n - r allowable motions,

    qdot  = S b + R zdot,    zdot = B qdot                                  (1)
    qddot = S c + R zddot                                                   (2)

The answer must satisfy, whichever way it was found:
  1. phi_q R = 0  and  B R = 1: the columns of R are a basis of the allowable motions, B reads their coefficients;
  2. B S = 0  and  phi_q S b = b for every b that the rows can agree on (phi_q S = 1 where they are independent);
  3. the rank is decided with pivoting, never by plain elimination or plain QR: zero and repeated rows do no harm.

The ways differ in B.  svd: the right singular vectors of the zero singular values.  qr: the last columns of Q of a
column-pivoted QR of phi_q^T.  lu: ones at the columns where Gauss with full pivoting finds no pivot, so that zdot is
a part of qdot.  gram_schmidt: the rows of lu made orthogonal to phi_q and to each other.

Along a motion there are two ways not to begin anew.  B may stay what it was (`Subspace.reused`), until the rows of
[phi_q; B] depend on each other: the condition says when.  Or R may follow, as by gram_schmidt it does smoothly while
the pivots stay (`gram_schmidt_rate`); then

    qddot = R zddot + dR/dt zdot        where no row is driven              (3)

Rows and columns are taken as they are: weight them before, if angles and lengths are to be compared.

Reference: Garcia de Jalon and Bayo, Kinematic and Dynamic Simulation of Multibody Systems, (3.25)-(3.52).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
import scipy.linalg
from numpy.typing import NDArray

from precompute.arrays import Array
from precompute.errors import SingularityError

Method = Literal["svd", "qr", "lu", "gram_schmidt"]
METHODS: tuple[Method, ...] = get_args(Method)

RANK_TOLERANCE = 1e-9
"""A singular value, pivot or remainder below this fraction of the largest counts as zero."""

CONSISTENT = 1e-7
"""How far repeated rows may disagree about b, relative to its largest entry."""

ALARM = 1e3
"""Condition of [phi_q; B] above which a B of another configuration is not reused."""


@dataclass(frozen=True, eq=False)
class Subspace:
    """The general solution of phi_q x = rhs: x = S rhs + R z, z = B x."""

    R: Array  # (n, f) basis of the allowable motions
    B: Array  # (f, n) B R = 1
    S: Array  # (n, m) B S = 0

    @property
    def freedoms(self) -> int:
        """Number of allowable motions f."""
        return self.R.shape[1]

    def condition(self, phi_q: Array) -> float:
        """2-norm condition of [phi_q; B] with this B and the Jacobian (m, n) of any configuration; inf if singular."""
        s = np.linalg.svd(np.vstack([phi_q, self.B]), compute_uv=False)
        n = self.B.shape[1]
        return float(s[0] / s[n - 1]) if len(s) == n and s[n - 1] > 0.0 else np.inf

    def reused(self, phi_q: Array, alarm: float = ALARM) -> Subspace:
        """R and S of another configuration with this B: [S, R] is the inverse of [phi_q; B].   (3.35).

        So zdot stays what it was.  Where rows repeat each other, it is the pseudo-inverse.

        Args:
            phi_q: (m, n) the Jacobian there, of the same rank.
            alarm: the largest condition that is taken.

        Raises:
            SingularityError: the condition is larger, or the rank is another: B must be chosen anew.
        """
        m, condition = len(phi_q), self.condition(phi_q)
        if condition > alarm:
            raise SingularityError(
                f"the independent velocities of another configuration are close to singular here: the condition is "
                f"{condition:.4g}, above {alarm:.4g}. Choose new ones here by allowable_motions."
            )
        inverse = np.linalg.pinv(np.vstack([phi_q, self.B]))
        S, R = inverse[:, :m], inverse[:, m:]
        left = float(np.abs(phi_q @ R).max(initial=0.0) / (np.abs(phi_q).max(initial=0.0) or 1.0))
        if left > CONSISTENT * condition:
            raise SingularityError(
                f"the rows have a higher rank here than where their {self.freedoms} independent velocities were "
                f"chosen. Choose new ones here by allowable_motions."
            )
        return Subspace(R, self.B, S)


def allowable_motions(phi_q: Array, method: Method = "svd", rank_tolerance: float = RANK_TOLERANCE) -> Subspace:
    """R, B and S of one Jacobian phi_q (m, n), by the way asked for."""
    phi_q = np.asarray(phi_q, dtype=float)
    if not phi_q.size or not np.any(phi_q):
        n = phi_q.shape[1]
        return Subspace(np.eye(n), np.eye(n), np.zeros((n, phi_q.shape[0])))
    ways = {"svd": by_svd, "qr": by_qr, "lu": by_lu, "gram_schmidt": by_gram_schmidt}
    return ways[method](phi_q, rank_tolerance)


def particular(phi_q: Array, subspace: Subspace, rhs: Array) -> Array:
    """S b of (1) or S c of (2): the motion that driven constraints impose while z stands still.

    Args:
        phi_q: (m, n) the Jacobian that the subspace was made from.
        subspace: its R, B, S.
        rhs: (m,) b = -d(phi)/dt at constant q, or c = -d(phi_t)/dt - d(phi_q)/dt qdot.

    Returns:
        (n,) with B x = 0 and phi_q x = rhs.

    Raises:
        SingularityError: rows that repeat each other ask for different things.
    """
    x = subspace.S @ rhs
    gap = np.abs(phi_q @ x - rhs)
    if gap.max(initial=0.0) > CONSISTENT * np.abs(rhs).max(initial=0.0):
        raise SingularityError(
            f"the driven constraints contradict each other: equation {int(np.argmax(gap)) + 1} is missed by "
            f"{gap.max():.3g}. Drive one of them only, or give both the same motion."
        )
    return x


def by_svd(phi_q: Array, rank_tolerance: float) -> Subspace:
    """B = V_i, the right singular vectors beyond the rank; S is the pseudo-inverse."""
    U, s, Vt = np.linalg.svd(phi_q)
    r = int((s > rank_tolerance * s[0]).sum())
    S = Vt[:r].T @ (U[:, :r] / s[:r]).T
    return Subspace(Vt[r:].T, Vt[r:], S)


def by_qr(phi_q: Array, rank_tolerance: float) -> Subspace:
    """phi_q^T[:, order] = Q T;  B = Q_i^T, the columns of Q beyond the rank; S from the first r rows in that order."""
    Q, T, order = scipy.linalg.qr(phi_q.T, pivoting=True)
    d = np.abs(np.diag(T))
    r = int((d > rank_tolerance * d[0]).sum())
    S = np.zeros(phi_q.T.shape)
    S[:, order[:r]] = scipy.linalg.solve_triangular(T[:r, :r], Q[:, :r].T).T
    return Subspace(Q[:, r:], Q[:, r:].T, S)


def by_lu(phi_q: Array, rank_tolerance: float) -> Subspace:
    """phi_q^d from the rows and columns with pivots;  R = [-phi_d^-1 phi_i; 1],  B = [0, 1],  S = [phi_d^-1; 0]."""
    rows, columns = full_pivots(phi_q, rank_tolerance)
    m, n = phi_q.shape
    free = np.setdiff1d(np.arange(n), columns)
    inverse = np.linalg.inv(phi_q[np.ix_(rows, columns)])
    R, B, S = np.zeros((n, len(free))), np.zeros((len(free), n)), np.zeros((n, m))
    R[columns] = -inverse @ phi_q[np.ix_(rows, free)]
    R[free] = B[:, free] = np.eye(len(free))
    S[np.ix_(columns, rows)] = inverse
    return Subspace(R, B, S)


def full_pivots(phi_q: Array, rank_tolerance: float) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Rows and columns of the pivots of Gauss elimination with full pivoting, in the order in which they appear."""
    left = np.array(phi_q)
    smallest = rank_tolerance * np.abs(left).max()
    rows: list[int] = []
    columns: list[int] = []
    for _ in range(min(left.shape)):
        i, j = np.unravel_index(int(np.argmax(np.abs(left))), left.shape)
        if abs(left[i, j]) <= smallest:
            break
        rows, columns = [*rows, int(i)], [*columns, int(j)]
        left = left - np.outer(left[:, j], left[i] / left[i, j])
        left[i], left[:, j] = 0.0, 0.0
    return np.array(rows), np.array(columns)


def by_gram_schmidt(phi_q: Array, rank_tolerance: float) -> Subspace:
    """Rows of phi_q, the largest remainder first, then those of B of lu, each less its part along those before.

    phi_q[rows] = L V_d with L lower triangular, so S[:, rows] = V_d^T L^-1;  B = V_i,  R = V_i^T.
    """
    rows, free = gram_schmidt_pivots(phi_q, rank_tolerance)
    V, r = orthonormal_rows(stacked(phi_q, rows, free)), len(rows)
    S = np.zeros(phi_q.T.shape)
    L = phi_q[rows] @ V[:r].T
    S[:, rows] = V[:r].T @ scipy.linalg.solve_triangular(L, np.eye(r), lower=True)
    return Subspace(V[r:].T, V[r:], S)


def gram_schmidt_rate(phi_q: Array, phi_q_rate: Array, rank_tolerance: float = RANK_TOLERANCE) -> Array:
    """dR/dt of the basis of gram_schmidt, while its pivots stay.   (3.51), (3.52).

        w_i = p_i - sum_j<i (v_j . p_i) v_j,   a_i = 1/|w_i|,   v_i = a_i w_i                             (4)
        wdot_i = pdot_i - sum_j<i [(vdot_j . p_i + v_j . pdot_i) v_j + (v_j . p_i) vdot_j]                (5)
        adot_i = -a_i^3 (w_i . wdot_i),   vdot_i = adot_i w_i + a_i wdot_i                                (6)

    Args:
        phi_q: (m, n) the Jacobian, not all zero.
        phi_q_rate: (m, n) its time derivative along the motion; the rank stays along it.
        rank_tolerance: as of `allowable_motions`.

    Returns:
        (n, f) with phi_q dR/dt = -d(phi_q)/dt R and R^T dR/dt antisymmetric.
    """
    rows, free = gram_schmidt_pivots(phi_q, rank_tolerance)
    P = stacked(phi_q, rows, free)
    P_rate = np.zeros(P.shape)
    P_rate[: len(rows)] = phi_q_rate[rows]
    V, V_rate = orthonormal_rows(P), np.zeros(P.shape)
    for i, (p, p_rate) in enumerate(zip(P, P_rate, strict=True)):
        v, v_rate = V[:i], V_rate[:i]
        w = orthogonal_to(v, p[None])[0]
        a = 1.0 / np.linalg.norm(w)
        w_rate = p_rate - (v_rate @ p + v @ p_rate) @ v - (v @ p) @ v_rate  # (5)
        V_rate[i] = -(a**3) * (w @ w_rate) * w + a * w_rate  # (6)
    return V_rate[len(rows) :].T


def gram_schmidt_pivots(phi_q: Array, rank_tolerance: float) -> tuple[list[int], NDArray[np.int64]]:
    """Independent rows of phi_q, the largest remainder first, and the columns without pivot, where B of lu has ones."""
    largest = float(np.linalg.norm(phi_q, axis=1).max())
    V = np.zeros((0, phi_q.shape[1]))
    rows: list[int] = []
    while len(V) < phi_q.shape[1]:
        remainders = orthogonal_to(V, phi_q)
        sizes = np.linalg.norm(remainders, axis=1)
        i = int(np.argmax(sizes))
        if sizes[i] <= rank_tolerance * largest:
            break
        V, rows = np.vstack([V, remainders[i] / sizes[i]]), [*rows, i]
    return rows, np.setdiff1d(np.arange(phi_q.shape[1]), full_pivots(phi_q, rank_tolerance)[1])


def stacked(phi_q: Array, rows: list[int], free: NDArray[np.int64]) -> Array:
    """(n, n) [phi_q; B] of (3.47): these rows of phi_q, and ones at the free columns."""
    return np.vstack([phi_q[rows], np.eye(phi_q.shape[1])[free]])


def orthonormal_rows(P: Array) -> Array:
    """The rows of P, each less its part along those before, as unit vectors.   (3.49), (3.50)."""
    V = np.zeros(P.shape)
    for i, p in enumerate(P):
        rest = orthogonal_to(V[:i], p[None])[0]
        V[i] = rest / np.linalg.norm(rest)
    return V


def orthogonal_to(V: Array, rows: Array) -> Array:
    """Rows (k, n) less their parts along the orthonormal rows of V; twice, for round-off."""
    for _ in range(2):
        rows = rows - (rows @ V.T) @ V
    return rows
