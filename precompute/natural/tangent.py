"""Velocity, acceleration and jerk of all coordinates from those of the given ones, from one factorization.

With x = [q; g], unknown and given coordinates, and Phi(x(t)) = 0 (Garcia de Jalon and Bayo, 3.6 to 3.8):

    Phi_q qd   = -Phi_g gd                                                                            (1)
    Phi_q qdd  = -Phi_g gdd  -   H(xd, xd)                                                            (2)
    Phi_q qddd = -Phi_g gddd - 3 H(xd, xdd)                                                           (3)

and less, for functions f of single columns, f'' xd^2 in (2), 3 f'' xd xdd + f''' xd^3 in (3).

(3.8) as printed has 2 Phi_q_dot qd where 2 Phi_q_dot qdd is meant; as Phi_x is linear in x, it all is 3 H(xd, xdd).
There may be more rows than unknowns; the rank is that of the pseudo-inverse.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from precompute.arrays import Array
from precompute.natural.quadratic import QuadraticSystem

RANK_TOLERANCE = 1e-10
"""Singular values below this part of the largest one count as zero."""


@dataclass(frozen=True, eq=False)
class DrivenSystem:
    """A quadratic system with some of its columns given.

    Attributes:
        system: all rows.
        given: (ng,) columns whose motion is known.
    """

    system: QuadraticSystem
    given: tuple[int, ...]

    @cached_property
    def unknown(self) -> Any:
        """(nq,) the other columns."""
        return np.setdiff1d(np.arange(self.system.nx), np.array(self.given, dtype=np.int64))

    def with_given(self, x: Array, given: ArrayLike) -> Array:
        """X with other values of the given columns."""
        moved = np.array(np.broadcast_arrays(x, x)[0])
        moved[..., list(self.given)] = given
        return moved


@dataclass(frozen=True, eq=False)
class Factor:
    """Singular value decompositions U diag(s) Vt of matrices (n, m, nq), of which `rank` (n,) values count."""

    U: Array
    s: Array
    Vt: Array

    @cached_property
    def rank(self) -> Any:
        """(n,) how many singular values count."""
        return (self.s > RANK_TOLERANCE * self.s[:, :1]).sum(axis=1) if self.s.shape[1] else np.zeros(len(self.s), int)

    @cached_property
    def _inverse(self) -> Array:
        counts = np.arange(self.s.shape[1]) < self.rank[:, None]
        return np.where(counts, 1.0 / np.where(counts, self.s, 1.0), 0.0)

    def solve(self, right: Array) -> Array:
        """(n, nq, k) the smallest of the least-squares solutions for right-hand sides (n, m, k)."""
        inner = np.swapaxes(self.U, 1, 2) @ right
        return np.asarray(np.swapaxes(self.Vt, 1, 2) @ (self._inverse[:, :, None] * inner))

    def vector(self, right: Array) -> Array:
        """(n, nq) the same for one right-hand side (n, m) each."""
        return self.solve(right[:, :, None])[:, :, 0]


def factored(matrices: Array) -> Factor:
    """The factor of matrices (n, m, nq)."""
    return Factor(*np.linalg.svd(matrices, full_matrices=False))


@dataclass(frozen=True, eq=False)
class Rates:
    """Derivatives of all coordinates with respect to time, (n, nx) each."""

    velocity: Array
    acceleration: Array
    jerk: Array


@dataclass(frozen=True, eq=False)
class Tangent:
    """The linearised constraints at solved places.

    Attributes:
        driven: which columns are given.
        x: (n, nx) where Phi(x) = 0.
        factor: of Phi_q there.
        columns: (n, m, ng) Phi_g.
    """

    driven: DrivenSystem
    x: Array
    factor: Factor
    columns: Array

    def solved(self, given: Array, right: Array) -> Array:
        """(n, nx) derivatives of x with those of the given ones (n, ng): Phi_q q' = right - Phi_g g'."""
        whole = np.zeros_like(self.x)
        whole[:, list(self.driven.given)] = given
        whole[:, self.driven.unknown] = self.factor.vector(right - np.einsum("nmg,ng->nm", self.columns, given))
        return whole

    def rates(self, first: Array, second: Array, third: Array) -> Rates:
        """Velocity (1), acceleration (2) and jerk (3), from derivatives (n, ng) of what is given."""
        H, F, x = self.driven.system.second, self.driven.system.bends, self.x
        xd = self.solved(first, np.zeros(self.columns.shape[:2]))
        xdd = self.solved(second, -H(xd, xd) - F(x, 2, xd**2))
        return Rates(xd, xdd, self.solved(third, -3.0 * (H(xd, xdd) + F(x, 2, xd * xdd)) - F(x, 3, xd**3)))

    @cached_property
    def partials(self) -> Array:
        """(n, nx, ng) derivatives of x with respect to each given coordinate, the others at rest."""
        n, ng = self.columns.shape[0], self.columns.shape[2]
        whole = np.zeros((n, self.x.shape[1], ng))
        whole[:, list(self.driven.given), np.arange(ng)] = 1.0
        whole[:, self.driven.unknown] = self.factor.solve(-self.columns)
        return whole


def tangent(driven: DrivenSystem, x: Array) -> Tangent:
    """The tangent at solved coordinates x (n, nx)."""
    full = driven.system.jacobian(x)
    return Tangent(driven, x, factored(full[:, :, driven.unknown]), full[:, :, list(driven.given)])


def allowable_motions(driven: DrivenSystem, x: Array) -> Array:
    """(nq, f) an orthonormal basis of the velocities that the rows allow at x (nx,) with the given columns at rest."""
    _, s, Vt = np.linalg.svd(driven.system.jacobian(x)[:, driven.unknown])
    rank = int((s > RANK_TOLERANCE * s[0]).sum()) if s.size and s[0] > 0.0 else 0
    return np.asarray(Vt[rank:].T)
