"""Following the motion from a closed configuration to new values of the coordinates, without leaving the branch.

A step predicts along B, corrects with Newton's method, and is accepted if the correction is small against the step and
no singularity was crossed; otherwise it is halved.  Batches move together; only the samples that fail are halved.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from precompute.arrays import Array
from precompute.kinematics.assembly import correct
from precompute.kinematics.coefficients import (
    Closure,
    Factor,
    Triangular,
    condition_numbers,
    solver,
    velocity_coefficients,
)
from precompute.kinematics.poses import move

MAX_CORRECTION = 0.25
"""Largest accepted ratio of correction to predicted step: beyond it the branch may have been left."""

MAX_CONDITION = 1e7
"""A configuration with a larger condition number counts as singular."""

MAX_HALVINGS = 7
"""A step is cut into at most 2^7 pieces before it is given up."""


@dataclass(frozen=True, eq=False)
class Followed:
    """Where a batch arrived."""

    q: Array  # (n, nq) at z, or the last good configuration of samples that failed
    z: Array  # (n, nz) what was reached
    reached: NDArray[np.bool_]  # (n,)
    condition: Array  # (n,) at q


def follow(closure: Closure, q: Array, z_from: Array, z_to: Array, halvings: int = MAX_HALVINGS) -> Followed:
    """Move a batch from z_from (n, nz), where q (n, nq) is closed, to z_to (n, nz)."""
    step = _step(closure, q, z_from, z_to)
    failed = np.flatnonzero(~step.reached)
    if failed.size == 0 or halvings == 0:
        return step
    # two half steps for the samples that failed; the second starts where the first arrived
    middle = 0.5 * (z_from[failed] + z_to[failed])
    first = follow(closure, q[failed], z_from[failed], middle, halvings - 1)
    out_q, out_z = step.q.copy(), step.z.copy()
    reached, condition = step.reached.copy(), step.condition.copy()
    out_q[failed], out_z[failed], condition[failed] = first.q, first.z, first.condition
    onward = np.flatnonzero(first.reached)
    if onward.size:
        again = failed[onward]
        last = follow(closure, first.q[onward], first.z[onward], z_to[again], halvings - 1)
        out_q[again], out_z[again] = last.q, last.z
        reached[again], condition[again] = last.reached, last.condition
    return Followed(out_q, out_z, reached, condition)


def _step(closure: Closure, q: Array, z_from: Array, z_to: Array) -> Followed:
    """One predictor-corrector step; samples that are not accepted stay where they were."""
    A = closure.matrix(closure.poses(q))
    before = solver(closure, A)
    dz = z_to - z_from
    predicted = (velocity_coefficients(closure, before) @ dz[..., None])[..., 0]
    size = np.linalg.norm(predicted / closure.rate_weight, axis=-1)
    guess = move(closure.mechanism, closure.topology, q, predicted)
    new = correct(closure, guess, z_to)
    A_new = closure.matrix(new.poses)
    condition = condition_numbers(closure, A_new)
    reached = new.converged & (new.moved <= MAX_CORRECTION * size + 1e-9 * closure.length)
    reached &= condition < MAX_CONDITION
    reached &= same_side(before, A_new)
    condition[~reached] = condition_numbers(closure, A[~reached])
    keep = reached[:, None]
    return Followed(np.where(keep, new.q, q), np.where(keep, z_to, z_from), reached, condition)


def same_side(before: Factor | Triangular, A_new: Array) -> NDArray[np.bool_]:
    """Whether no singular value passed through zero between two nearby configurations.

    With A^+ the pseudo-inverse before the step, A^+ A_new is near the identity; a singular value that passes through
    zero turns an eigenvalue negative.  A positive definite symmetric part excludes that at little cost.
    """
    K = before.solve(A_new * before.rate_weight) / before.rate_weight[:, None]
    out = np.linalg.eigvalsh(0.5 * (K + np.swapaxes(K, -1, -2)))[..., 0] > 0.0
    doubtful = np.flatnonzero(~out)
    if doubtful.size:
        out[doubtful] = np.linalg.eigvals(K[doubtful]).real.min(axis=-1) > 0.0
    return out
