"""Closing the loops at given values of the coordinates, from a guess nearby: modified Newton on a batch.

    q <- q - A^+ [phi(q); c(q) - z]                                         (1)

A^+ is that of a configuration nearby, from which the guess was predicted.  It serves as long as each step makes the
error at least ten times smaller; where one does not, A is factored again, there.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from precompute.arrays import Array
from precompute.kinematics.coefficients import Closure, solver

ENOUGH = 0.1
"""What a step must leave of the error at most, or A is factored again."""

MAX_RENEWALS = 13
"""A sample for which A was factored so often, and that still does not converge, has failed."""

ROUND_OFF = 1e-3
"""Of the gap tolerance: nothing smaller can be expected."""


@dataclass(frozen=True, eq=False)
class Corrected:
    """Result of Newton's method at given z, for a batch of n."""

    q: Array  # (n, nq)
    converged: NDArray[np.bool_]  # (n,) closed, within the correction that is allowed


def correct(
    closure: Closure, q: Array, z: Array, allowed: Array | float = np.inf, inverse: Array | None = None
) -> Corrected:
    """Solve phi(q) = 0, c(q) = z by (1).

    Args:
        closure: the equations.
        q: (n, nq) guesses.
        z: (n, nz) values of the independent coordinates.
        allowed: (n,) size of the total correction [m] beyond which a sample is given up.
        inverse: (n, nv, ne) of A near each guess; none to begin with the guesses' own.
    """
    tolerance = closure.gap_tolerance
    q, moved, size = np.array(q), np.zeros(len(q)), np.full(len(q), np.inf)
    inverse = inverse_at(closure, q) if inverse is None else inverse.copy()
    going, renewals, fresh = np.arange(len(q)), np.zeros(len(q), dtype=int), np.zeros(len(q), dtype=bool)
    while going.size:
        r = closure.error(closure.poses(q[going]), z[going])
        now, previous = np.abs(r).max(axis=-1), size[going]
        size[going] = now
        slow = now > ENOUGH * previous
        # done: at round-off level; or closed, and no faster with a factor of its own, if it came so far with another's
        done = (now < ROUND_OFF * tolerance) | ((now < tolerance) & slow & (fresh[going] | (now < ENOUGH * tolerance)))
        stay = ~done & np.isfinite(now) & (renewals[going] < MAX_RENEWALS) & (moved <= allowed)[going]
        if not stay.all():
            going, inverse, r, slow = going[stay], inverse[stay], r[stay], slow[stay]
        if slow.any():
            inverse[slow] = inverse_at(closure, q[going[slow]])
        renewals[going] += slow
        fresh[going] = slow
        step = -(inverse @ r[..., None])[..., 0]
        length = np.linalg.norm(step / closure.rate_weight, axis=-1)
        step *= np.minimum(1.0, closure.length / np.maximum(length, 1e-300))[:, None]
        moved[going] += np.minimum(length, closure.length)
        q[going] = closure.move(q[going], step)
    return Corrected(q, (size < tolerance) & (moved <= allowed))


def inverse_at(closure: Closure, q: Array) -> Array:
    """A^+ (n, nv, ne) at q (n, nq)."""
    return solver(closure, closure.matrix(closure.poses(q))).inverse
