"""Following the motion from a closed configuration to new values of the coordinates, without leaving the branch.

A step predicts along B, corrects with Newton's method, and is accepted if the correction is small against the step and
no singularity was crossed; otherwise it is halved.  Batches move together; only the samples that fail are halved.

A branch point that is known (`Closure.crossings`) is crossed by one step along the tangent and its curvature,

    q(z + h) = q + B h + 1/2 dB h h                                                         (1)

which is accepted if the correction is small and B is beyond it what (1) says: on the other branch it is something else.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from precompute.arrays import Array
from precompute.kinematics.coefficients import (
    Closure,
    Crossing,
    coefficient_derivatives,
    condition_numbers,
    factorize,
    solver,
    velocity_coefficients,
)
from precompute.kinematics.correcting import correct

MAX_CORRECTION = 0.25
"""Largest accepted ratio of correction to predicted step: beyond it the branch may have been left."""

MAX_CONDITION = 1e7
"""A configuration with a larger condition number counts as singular."""

CLEAR = 0.1
"""Nearby configurations whose K has no symmetric part below this are well within the same regular region."""

MAX_HALVINGS = 7
"""A step is cut into at most 2^7 pieces before it is given up."""


CROSSING_ERROR = 0.02
"""Largest correction, and change of B beyond that of (1), over the step across a branch point."""

GRAZE = 0.01
"""What is asked for nearer to a branch point than this share of its half width is solved so far beyond it."""


@dataclass(frozen=True, eq=False)
class Followed:
    """Where a batch arrived."""

    q: Array  # (n, nq) at z, or the last good configuration of samples that failed
    z: Array  # (n, nz) what was reached
    reached: NDArray[np.bool_]  # (n,)


def follow(closure: Closure, q: Array, z_from: Array, z_to: Array, halvings: int = MAX_HALVINGS) -> Followed:
    """Move a batch from z_from (n, nz), where q (n, nq) is closed, to z_to (n, nz)."""
    if not closure.crossings:
        return _follow(closure, q, z_from, z_to, halvings)
    here = solved_at(closure, q, z_from)
    done = _through(closure, q, here, beyond(closure.crossings, here, z_to), halvings)
    return Followed(done.q, np.where(done.reached[:, None], z_to, done.z), done.reached)


def _through(closure: Closure, q: Array, z_from: Array, z_to: Array, halvings: int) -> Followed:
    """The same where no z_to is on a crossing."""
    share = np.array([crossed_at(x, z_from, z_to) for x in closure.crossings])  # (crossings, n)
    first, plain = share.argmin(axis=0), share.min(axis=0) >= 1.0
    out = _follow(closure, q, z_from, np.where(plain[:, None], z_to, z_from), halvings)
    out_q, out_z, reached = out.q.copy(), out.z.copy(), out.reached.copy()
    for number, x in enumerate(closure.crossings):
        some = np.flatnonzero(~plain & (first == number))
        if some.size:
            done = _cross(closure, x, q[some], z_from[some], z_to[some], halvings)
            out_q[some], out_z[some], reached[some] = done.q, done.z, done.reached
    return Followed(out_q, out_z, reached)


def beyond(crossings: tuple[Crossing, ...], z_from: Array, z_to: Array) -> Array:
    """Where to go for z_to (n, nz): past a branch point where it would end on it."""
    target = z_to.copy()
    for x in crossings:
        graze, value = GRAZE * x.half, target[:, x.axis]
        side = np.where(value >= z_from[:, x.axis], 1.0, -1.0)
        target[:, x.axis] = np.where(np.abs(value - x.at) < graze, x.at + side * graze, value)
    return target


def solved_at(closure: Closure, q: Array, z: Array) -> Array:
    """Where q (n, nq), said to be at z (n, nz), was solved: the same but on a branch point, see `beyond`."""
    on = np.any([np.abs(z[:, x.axis] - x.at) < GRAZE * x.half for x in closure.crossings], axis=0)
    return np.where(on[:, None], closure.values(closure.poses(q)), z) if on.any() else z


def crossed_at(x: Crossing, z_from: Array, z_to: Array) -> Array:
    """The share (n,) of the way at which a crossing is passed; 2 if it is not."""
    start, step = z_from[:, x.axis], (z_to - z_from)[:, x.axis]
    share = np.divide(x.at - start, step, out=np.full(len(step), 2.0), where=step != 0.0)
    return np.where((share > 0.0) & (share < 1.0), share, 2.0)


def _cross(closure: Closure, x: Crossing, q: Array, z_from: Array, z_to: Array, halvings: int) -> Followed:
    """Up to the crossing, over it, and on; samples that fail stay where they were."""
    side = np.sign((z_to - z_from)[:, x.axis])
    on = z_from + crossed_at(x, z_from, z_to)[:, None] * (z_to - z_from)
    near, far = on.copy(), on
    near[:, x.axis], far[:, x.axis] = x.at - side * x.half, x.at + side * x.half
    up = _follow(closure, q, z_from, near, halvings)
    over = leap(closure, up.q, up.z, far)
    on_q, on_z = np.where(up.reached[:, None], over.q, up.q), np.where(up.reached[:, None], over.z, up.z)
    across = up.reached & over.reached
    rest = _through(closure, on_q, on_z, np.where(across[:, None], z_to, on_z), halvings)
    return Followed(rest.q, rest.z, across & rest.reached)


def leap(closure: Closure, q: Array, z_from: Array, z_to: Array) -> Followed:
    """One step over a branch point by (1); samples that may have left their branch stay where they were."""
    P = closure.poses(q)
    factor = factorize(closure, closure.matrix(P))
    B = velocity_coefficients(closure, factor)
    dB = coefficient_derivatives(closure, P, factor, B)[0]
    h = (z_to - z_from)[..., None]
    first, second = (B @ h)[..., 0], ((dB @ h[:, None])[..., 0] @ h)[..., 0]
    size = np.linalg.norm(first / closure.rate_weight, axis=-1)
    allowed = CROSSING_ERROR * size + 1e-9 * closure.length
    new = correct(closure, closure.move(q, first + 0.5 * second), z_to, allowed)
    there = factorize(closure, closure.matrix(closure.poses(new.q)))
    turn = (velocity_coefficients(closure, there) @ h)[..., 0] - first - second
    reached = new.converged & (np.linalg.norm(turn / closure.rate_weight, axis=-1) <= allowed)
    reached &= there.condition < MAX_CONDITION
    keep = reached[:, None]
    return Followed(np.where(keep, new.q, q), np.where(keep, z_to, z_from), reached)


def _follow(closure: Closure, q: Array, z_from: Array, z_to: Array, halvings: int) -> Followed:
    """The same between crossings."""
    step = _step(closure, q, z_from, z_to)
    failed = np.flatnonzero(~step.reached)
    if failed.size == 0 or halvings == 0:
        return step
    # two half steps for the samples that failed; the second starts where the first arrived
    middle = 0.5 * (z_from[failed] + z_to[failed])
    first = _follow(closure, q[failed], z_from[failed], middle, halvings - 1)
    out_q, out_z, reached = step.q.copy(), step.z.copy(), step.reached.copy()
    out_q[failed], out_z[failed] = first.q, first.z
    onward = np.flatnonzero(first.reached)
    if onward.size:
        again = failed[onward]
        last = _follow(closure, first.q[onward], first.z[onward], z_to[again], halvings - 1)
        out_q[again], out_z[again], reached[again] = last.q, last.z, last.reached
    return Followed(out_q, out_z, reached)


def _step(closure: Closure, q: Array, z_from: Array, z_to: Array) -> Followed:
    """One predictor-corrector step; samples that are not accepted stay where they were."""
    own, which = runs(q)
    before = solver(closure, closure.matrix(closure.poses(q[own])))
    predicted = (velocity_coefficients(closure, before)[which] @ (z_to - z_from)[..., None])[..., 0]
    size = np.linalg.norm(predicted / closure.rate_weight, axis=-1)
    guess = closure.move(q, predicted)
    inverse = before.inverse[which]
    new = correct(closure, guess, z_to, MAX_CORRECTION * size + 1e-9 * closure.length, inverse)
    reached = new.converged.copy()
    arrived = np.flatnonzero(reached)
    A = closure.matrix(closure.poses(new.q[arrived]))
    reached[arrived] = regular(closure, inverse[arrived], A)
    keep = reached[:, None]
    return Followed(np.where(keep, new.q, q), np.where(keep, z_to, z_from), reached)


def runs(q: Array) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Where neighbours q (n, nq) that are equal begin, and the number of the run that each is in."""
    begins = np.append(True, (q[1:] != q[:-1]).any(axis=1))
    return np.flatnonzero(begins), np.cumsum(begins) - 1


def regular(closure: Closure, inverse: Array, A: Array) -> NDArray[np.bool_]:
    """Whether A (n, ne, nv) is not singular, and was not on the way from where `inverse` (n, nv, ne) is its inverse.

    With K = A^+ A_new, |K x| >= least |x|, so that no singular value of A_new is below  least/|A^+|: where that bounds
    the condition number well enough, singular values are not asked for.
    """
    K = carried(inverse, A, closure.rate_weight)
    least = least_part(K)
    good = same_side(K, least)
    sizes = (
        np.linalg.norm(a, axis=(-2, -1)) for a in (A * closure.rate_weight, inverse / closure.rate_weight[:, None])
    )
    doubtful = np.flatnonzero(good & (np.prod(list(sizes), axis=0) >= MAX_CONDITION * least))
    if doubtful.size:
        good[doubtful] = condition_numbers(closure, A[doubtful]) < MAX_CONDITION
    return good


def carried(inverse: Array, A_new: Array, rate_weight: Array) -> Array:
    """K = A^+ A_new, weighted (n, nv, nv): near the identity between nearby configurations."""
    return (inverse @ A_new) * (rate_weight / rate_weight[:, None])


def least_part(K: Array) -> Array:
    """A lower bound (n,) of the eigenvalues of the symmetric part of K: a simple one if it serves, else the least."""
    symmetric = 0.5 * (K + np.swapaxes(K, -1, -2))
    try:
        np.linalg.cholesky(symmetric - CLEAR * np.eye(K.shape[-1]))
    except np.linalg.LinAlgError:
        return np.asarray(np.linalg.eigvalsh(symmetric)[..., 0])
    return np.full(len(K), CLEAR)


def same_side(K: Array, least: Array) -> NDArray[np.bool_]:
    """Whether no singular value passed through zero between two nearby configurations.

    A singular value that passes through zero turns an eigenvalue of K negative.  A positive definite symmetric part
    excludes that at little cost.
    """
    out = least > 0.0
    doubtful = np.flatnonzero(~out)
    if doubtful.size:
        out[doubtful] = np.linalg.eigvals(K[doubtful]).real.min(axis=-1) > 0.0
    return out
