"""The position problem Phi(q; g) = 0 for given coordinates g, with counted factorizations.

    newton    q <- q - Phi_q(q)^+ Phi(q; g), a factor for each iteration (Garcia de Jalon and Bayo, 3.4 and 3.15)
    modified  the factor of a step's first iteration serves all of them; made anew only where the residual falls slowly
    predicted the factor of the place before gives the start, q <- q - Phi_q^+ Phi_g dg (3.3.2), and serves on

Rows may be redundant: the steps are those of least squares.  What has not converged is returned as it is, and its
residual tells.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Any

import numpy as np

from precompute.arrays import Array
from precompute.natural.tangent import DrivenSystem, Factor, factored, tangent

TOLERANCE = 1e-13
"""Largest entry of Phi at which it is solved; of normalised rows, so that it is about an error of x."""

SMALLEST_STEP = 1e-15
"""A step below this part of the coordinates' size changes nothing any more, whatever residual redundant rows leave."""

MOST_ITERATIONS = 30
SLOW = 0.1
"""A factor that is kept is made anew if an iteration leaves more than this part of the residual."""

FAR = 1e3
"""Coordinates that have gone beyond this multiple of their size will not come back."""


class Method(Enum):
    """How a path is followed."""

    NEWTON = "newton"
    MODIFIED = "modified"
    PREDICTED = "predicted"


@dataclass(frozen=True, eq=False)
class Solution:
    """Coordinates with the given ones as asked.

    Attributes:
        x: (n, nx).
        residual: (n,) the largest entry of Phi; not finite or large where it was not solved.
        iterations: (n,) corrections of x.
        factorizations: (n,) factors made.
    """

    x: Array
    residual: Array
    iterations: Any
    factorizations: Any


def solve(driven: DrivenSystem, x: Array, tolerance: float = TOLERANCE) -> Solution:
    """Newton's method from x (n, nx), whose given columns hold the values asked; all places at once."""
    x = np.array(x)
    size = np.abs(x).max(axis=1, initial=0.0)
    iterations = np.zeros(len(x), dtype=np.int64)
    phi = driven.system.value(x)
    residual = np.abs(phi).max(axis=1, initial=0.0)
    active = np.flatnonzero(residual > tolerance)
    while len(active):
        factor = factored(driven.system.jacobian(x[active])[:, :, driven.unknown])
        step = factor.vector(-phi[active])
        x[np.ix_(active, driven.unknown)] += step
        iterations[active] += 1
        phi[active] = driven.system.value(x[active])
        residual[active] = np.abs(phi[active]).max(axis=1, initial=0.0)
        more = residual[active] > tolerance
        more &= np.abs(step).max(axis=1, initial=0.0) > SMALLEST_STEP * size[active]
        more &= np.abs(x[active]).max(axis=1, initial=0.0) < FAR * size[active]
        more &= iterations[active] < MOST_ITERATIONS
        active = active[more]
    return Solution(x, residual, iterations, iterations.copy())


def follow(
    driven: DrivenSystem, x: Array, given: Array, method: Method = Method.PREDICTED, tolerance: float = TOLERANCE
) -> Solution:
    """A path of given values (n, ng), each step solved from the one before; x (nx,) is where it starts.

    The path stops at the first step that cannot be solved: the solution is then shorter than the path, and its last
    residual is above the tolerance.
    """
    steps = []
    for values in given:
        step = one_step(driven, x, values, method, tolerance)
        steps.append(step)
        x = step.x[0]
        if not step.residual[0] <= tolerance:
            break
    parts = [[getattr(s, name) for s in steps] for name in ("x", "residual", "iterations", "factorizations")]
    return Solution(*(np.concatenate(part) for part in parts))


def one_step(driven: DrivenSystem, x: Array, given: Array, method: Method, tolerance: float) -> Solution:
    """A step of `follow` from the solved place x (nx,) to the given values (ng,)."""
    start = driven.with_given(x, given)[None]
    if method is Method.NEWTON:
        return solve(driven, start, tolerance)
    if method is Method.MODIFIED:
        return corrected(driven, start, factored(driven.system.jacobian(start)[:, :, driven.unknown]), tolerance)
    before = tangent(driven, x[None])
    moved = given[None] - x[None, list(driven.given)]
    ahead = x[None] + before.solved(moved, np.zeros(before.columns.shape[:2]))
    return corrected(driven, driven.with_given(ahead, given), before.factor, tolerance)


def corrected(driven: DrivenSystem, x: Array, factor: Factor, tolerance: float) -> Solution:
    """Modified Newton from one place x (1, nx) with a factor that was made near it."""
    size, made, iterations = np.abs(x).max(), 1, 0
    phi = driven.system.value(x)
    residual = np.abs(phi).max()
    while residual > tolerance and iterations < MOST_ITERATIONS and np.abs(x).max() < FAR * size:
        x = x.copy()
        step = factor.vector(-phi)
        x[:, driven.unknown] += step
        iterations += 1
        phi = driven.system.value(x)
        before, residual = residual, np.abs(phi).max()
        if np.abs(step).max() <= SMALLEST_STEP * size:
            break
        if residual > tolerance and residual > SLOW * before:
            factor = factored(driven.system.jacobian(x)[:, :, driven.unknown])
            made += 1
    return Solution(x, np.array([residual]), np.array([iterations]), np.array([made]))
