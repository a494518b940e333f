"""Changes of a design that its constraints ask for, Phi(x) = 0 with derivatives J, from a design x_0 that has them not.

After Zou, Abdel-Malek and Wang (1997), Design Propagation in Mechanical Systems: Kinematic Analysis.  There are more
unknowns x than constraints.  With weights W (diagonal, zero of what does not count), and + for the pseudoinverse,

    x_(k+1) = x_k - W^-1 (J W^-1)^+ Phi                                                     (1)

takes the smallest step each time, as the text does; where it ends depends on the way.  The least change of all,

    min |W (x - x_0)|,  Phi(x) = 0                                                          (2)
    x_(k+1) = x_0 + W^-1 (J W^-1)^+ (J (x_k - x_0) - Phi)                                   (3)

is a fixed point of (3): W (x - x_0) is in the range of (J W^-1)^T there.  Its error falls by a constant factor, which
grows with the change and with the curvature of Phi, so steps tell when it is reached, and not Phi; too large a change
does not settle.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from precompute.arrays import Array

Constraints = Callable[[Array], tuple[Array, Array]]
"""x (n,) -> Phi (m,), J (m, n)."""

RANK = 1e-10
"""Directions of constraints that are weaker than this, over the strongest, are not used: those of exact derivatives."""
STEP = 1e-12
"""Largest |W step| at the end."""

PATIENCE = 20
"""Steps after which the last of them must be shorter than that so many before."""


@dataclass(frozen=True, eq=False)
class Propagation:
    """What became of a design."""

    x: Array  # (n,)
    residuals: tuple[float, ...]  # |Phi| before each step, and at the end
    settled: bool  # whether the last step was below the limit


def increments(
    at: Callable[[float], Constraints],
    start: Array,
    iterations: int,
    steps: int = 1,
    weights: Array | None = None,
    rank: float = RANK,
) -> Propagation:
    """Follow a change in equal steps, with the same number of iterations (1) in each, or fewer if they move nothing.

    Args:
        at: the share of the change that is made, up to 1 -> constraints.
        start: (n,) x_0.
        iterations: in every step, at most.
        steps: into which the change is divided.
        weights: (n,) the diagonal of W; ones if None.
        rank: directions of constraints that are weaker than this, over the strongest, are not used.
    """
    x, residuals, size = start, list[float](), 0.0
    constraints = at(0.0)
    for step in range(1, steps + 1):
        constraints = at(step / steps)
        for _ in range(iterations):
            phi, J = constraints(x)
            change = least(J, -phi, weights, rank)
            x, size = x + change, _norm(change, weights)
            residuals.append(float(np.linalg.norm(phi)))
            if size < STEP:
                break
    residuals.append(float(np.linalg.norm(constraints(x)[0])))
    return Propagation(x, tuple(residuals), size < STEP)


def least_change(
    constraints: Constraints,
    start: Array,
    weights: Array | None = None,
    first: Array | None = None,
    rank: float = RANK,
) -> Propagation:
    """The design nearest to `start` that has the constraints, by (3).

    Args:
        constraints: Phi and J.
        start: (n,) x_0.
        weights: (n,) the diagonal of W; ones if None.
        first: (n,) where to begin; at x_0 if None.
        rank: as in `increments`.
    """
    x, residuals, sizes = start if first is None else first, list[float](), list[float]()
    while not sizes or (sizes[-1] >= STEP and sizes[-1] < min(sizes[:-PATIENCE], default=np.inf)):
        phi, J = constraints(x)
        residuals.append(float(np.linalg.norm(phi)))
        new = start + least(J, J @ (x - start) - phi, weights, rank)
        sizes.append(_norm(new - x, weights))
        x = new
    residuals.append(float(np.linalg.norm(constraints(x)[0])))
    return Propagation(x, tuple(residuals), sizes[-1] < STEP)


def least(J: Array, right: Array, weights: Array | None = None, rank: float = RANK) -> Array:
    """W^-1 (J W^-1)^+ right: of all x that leave J x - right smallest, that with the smallest |W x|.

    Unknowns n without weight follow the others c.  With the columns Q of the complement of the range of J_n,

        Q^T J_c x_c = Q^T right,   x_n = J_n^+ (right - J_c x_c)                            (4)
    """
    W = np.ones(J.shape[1]) if weights is None else weights
    counted = W > 0.0
    if counted.all():
        return np.asarray(np.linalg.pinv(J / W, rcond=rank) @ right / W)
    J_c, J_n = J[:, counted], J[:, ~counted]
    U, s, _ = np.linalg.svd(J_n)
    Q = U[:, int((s > rank * s.max(initial=0.0)).sum()) :]
    x = np.zeros(J.shape[1])
    x[counted] = least(Q.T @ J_c, Q.T @ right, W[counted], rank)
    x[~counted] = np.linalg.pinv(J_n, rcond=rank) @ (right - J_c @ x[counted])
    return x


def _norm(x: Array, weights: Array | None) -> float:
    return float(np.linalg.norm(x if weights is None else weights * x))
