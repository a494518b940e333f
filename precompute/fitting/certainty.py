"""What the data determine of the variables, and how well.

With J of residuals by variables, each in parts of its range, J = U S V^T.  A direction v of V is not determined if the
whole way along it, until the first variable is at the end of its range, changes no residual by more than one, to first
order.  In the others the variables scatter by

    cov = sigma^2 V S^-2 V^T,    sigma^2 = r . r / (m - n)                                          (1)

and a 95 % interval is that of Student's t with m - n degrees.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import qr
from scipy.special import stdtrit

from precompute.arrays import Array

LEVEL = 0.95

SHARED = 1e-3
"""A variable that makes more than this of the square of directions that are not determined, is not."""

ROUNDING = 1e-11
"""Singular values below this share of the largest are rounding."""


@dataclass(frozen=True, eq=False)
class Certainty:
    """Of a solution."""

    J: Array  # (m, n) residuals by variables in parts of their ranges
    r: Array  # (m,) what is left
    bound: NDArray[np.bool_]  # (n,) which are at a bound: they have no interval

    @cached_property
    def condition(self) -> float:
        """Largest over smallest singular value of J; inf if it has not full rank."""
        s = np.linalg.svd(self.J, compute_uv=False)
        return float(s[0] / s[-1]) if s[-1] > ROUNDING * s[0] else float("inf")

    @cached_property
    def loose(self) -> tuple[Array, ...]:
        """Directions (n,) that are not determined, in parts of ranges; each with a variable of its own, which is 1."""
        _, V, none = directions(self.J)
        V = V[:, none]
        if not V.shape[1]:
            return ()
        _, _, order = qr(V.T, mode="economic", pivoting=True)
        own = order[: V.shape[1]]
        basis = V @ np.linalg.inv(V[own])
        return tuple(basis[:, k] for k in np.argsort(own))

    def effect(self, direction: Array) -> float:
        """The largest change of a residual, to first order, the whole way along a direction."""
        return float(np.abs(self.J @ direction).max() / np.abs(direction).max())

    @cached_property
    def intervals(self) -> Array:
        """(n,) half of each 95 % interval, in parts of ranges; nan at bounds and of what is not determined."""
        out = np.full(self.J.shape[1], np.nan)
        free = np.flatnonzero(~self.bound)
        spare = len(self.r) - len(free)
        if spare < 1 or not free.size:
            return out
        s, V, none = directions(self.J[:, free])
        sigma = np.sqrt(self.r @ self.r / spare)
        spread = np.linalg.norm(V[:, ~none] / s[~none], axis=1)
        held = (V[:, none] ** 2).sum(axis=1) <= SHARED
        out[free] = np.where(held, stdtrit(spare, 0.5 + 0.5 * LEVEL) * sigma * spread, np.nan)
        return out


def directions(J: Array) -> tuple[Array, Array, NDArray[np.bool_]]:
    """Singular values (n,), directions (n, n) as columns, and which of them are not determined."""
    _, s, Vt = np.linalg.svd(J, full_matrices=True) if len(J) < J.shape[1] else np.linalg.svd(J, full_matrices=False)
    s = np.concatenate([s, np.zeros(len(Vt) - len(s))])
    ways = Vt.T / np.abs(Vt).max(axis=1)
    none = (np.abs(J @ ways).max(axis=0) <= 1.0) | (s <= ROUNDING * s[0])
    return s, Vt.T, none


def told(direction: Array, names: Sequence[str], amounts: Sequence[str]) -> str:
    """A direction in words: what moves together, the largest first."""
    order = [k for k in np.argsort(-np.abs(direction)) if abs(direction[k]) > 0.01 * np.abs(direction).max()]
    return ", ".join(f"{names[k]} {amounts[k]}" for k in order)
