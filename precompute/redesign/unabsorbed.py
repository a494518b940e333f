"""Where a change cannot be absorbed: what is missing, what else could absorb it, how near it can be had."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy.optimize import least_squares

from precompute.arrays import Array
from precompute.design.propagation import Propagation
from precompute.design.variables import Variable
from precompute.errors import PrecomputeError
from precompute.redesign.closing import RANK, weight
from precompute.redesign.problem import Problem

MISSED = 1e-3
"""A share of what is missing that the unknowns cannot move to first order: less is a matter of curvature."""

HELPS = 1e-4
"""What a variable may leave of that share, for it to absorb the change."""

MOST_NAMED = 5
"""So many variables are named that could absorb a change."""

MOST_TRIED = 30
"""Of steps to the nearest design that can be had."""


def check_reach(problem: Problem, x: Array, held: bool = True) -> None:
    """Raise where something of the change is out of reach from x (n,), to first order.

    Args:
        problem: the change.
        x: where.
        held: whether metrics count too.

    Raises:
        PrecomputeError: says what would be missing, and what could help.
    """
    phi, J = problem.share(1.0, held)(x)
    reach = Reach(problem, x, held, J)
    missing = reach.missing(phi)
    if np.abs(phi).max(initial=0.0) > problem.loops.open and np.linalg.norm(missing) > MISSED * np.linalg.norm(phi):
        raise PrecomputeError(f"{told(problem, missing)}. {instead(reach, missing)}")


def check_absorbed(problem: Problem, found: Propagation, held: bool = True) -> None:
    """Raise where loops are open or metrics have changed.

    Raises:
        PrecomputeError: says how near the change can be had.
    """
    if not found.settled or np.abs(problem.phi(found.x, held=held)).max(initial=0.0) > problem.loops.open:
        raise out_of_reach(problem, np.zeros(len(found.x)), held)


@dataclass(frozen=True, eq=False)
class Reach:
    """What the unknowns can move at a point, to first order: loops first, metrics as far as loops stay closed."""

    problem: Problem
    x: Array  # (n,)
    held: bool  # whether metrics count too
    J: Array  # (m, n)

    def missing(self, columns: Array) -> Array:
        """What they cannot, of (m, ...) columns of Phi."""
        gaps, held = np.split(self.J, [self.problem.rows_of_loops])
        of_gaps, of_held = np.split(columns, [self.problem.rows_of_loops])
        least = RANK * float(np.linalg.norm(self.J, 2)) if self.J.size else 0.0
        U, s, Vt = np.linalg.svd(gaps)
        rank = int((s > least).sum())
        used = Vt[:rank].T @ ((U[:, :rank].T @ of_gaps).T / s[:rank]).T
        rest = of_held - held @ used
        W, t, _ = np.linalg.svd(held @ Vt[rank:].T)
        W = W[:, : int((t > least).sum())]
        return np.concatenate([of_gaps - gaps @ used, rest - W @ (W.T @ rest)])


def told(problem: Problem, missing: Array) -> str:
    """What nothing that may change can make good, (m,) [m]."""
    names = [v.name for v in problem.loops.variables] + ["the joints"] * problem.loops.joints
    by = " and ".join(filter(None, [", ".join(names[:-1]), names[-1]])) if names else ""
    what = f"{by} cannot absorb the change" if by else "nothing may absorb the change"
    return f"{what}: {left(problem, missing)}"


def left(problem: Problem, phi: Array) -> str:
    """The widest gap and the metric that is farthest from where it is to be, in words."""
    loops, units = problem.loops, problem.loops.design.mechanism.units
    gaps, off = np.split(phi, [problem.rows_of_loops])
    parts = []
    if np.abs(gaps).max(initial=0.0) > loops.open:
        rows = np.array(loops.closure.row_names)
        name = rows[int(np.argmax(np.abs(gaps)))]
        wide = float(np.linalg.norm(gaps[rows == name]))
        parts.append(f"the loop at '{name}' is left open by {units.shown(wide, digits=4)}")
    if np.abs(off).max(initial=0.0) > loops.open:
        k = int(np.argmax(np.abs(off)))
        hold, change = problem.holds.all[k], float(off[k] / problem.holds.weights[k])
        parts.append(f"'{hold.name}' changes by {hold.shown.factor * change:.4g} {hold.shown.unit}")
    return " and ".join(parts)


def instead(reach: Reach, missing: Array) -> str:
    """What else could absorb it: hardpoints and rods that alone would, or else sides and axes of joints; or the joints.

    Args:
        reach: what can be had.
        missing: (m,) what is missing.
    """
    problem, joints = reach.problem, or_joints(reach, missing)
    for kinds in (("point", "rod"), ("joint",)):
        candidates = [v for v in problem.loops.design.variables.values() if may_help(problem, v, kinds)]
        scales = np.array([weight(v, problem.loops.closure.length) for v in candidates])
        C = problem.columns(reach.x, candidates, held=reach.held, rough=True) / scales
        more = reach.missing(C)  # what these add to what can be had
        more = np.where(np.linalg.norm(more, axis=0) > RANK, more, 0.0)  # the rest is errors of differences
        by = -(more.T @ missing) / np.maximum(np.einsum("ik,ik->k", more, more), np.finfo(float).tiny)
        rest = np.linalg.norm(missing[:, None] + more * by, axis=0) / np.linalg.norm(missing)
        alone = [k for k in np.argsort(np.abs(by)) if rest[k] < HELPS]
        if alone:
            some = [f"{candidates[k].name} ({candidates[k].change(by[k] / scales[k])})" for k in alone[:MOST_NAMED]]
            others = f" or one of {len(alone) - len(some)} more" if len(alone) > len(some) else ""
            return f"Let one more absorb it: {', '.join(some)}{others}{joints}"
    return f"No other length, place or axis absorbs the rest alone; let several do{joints}"


def may_help(problem: Problem, variable: Variable, kinds: tuple[str, ...]) -> bool:
    """Whether a variable is a place, axis or length of some kinds, and not spoken for."""
    kind = variable.name.partition(".")[0]
    taken = {*problem.asked, *(v.name for v in problem.loops.variables)}
    return kind in kinds and variable.name not in taken


def or_joints(reach: Reach, missing: Array) -> str:
    """That joints could absorb it, if they may not and would."""
    loops = replace(reach.problem.loops, joints=True)
    if reach.problem.loops.joints:
        return ""
    changes, v = reach.problem.changes(reach.x)
    motions = loops.columns(loops.design.moved(changes), v)
    still = np.zeros((len(missing) - len(motions), motions.shape[1]))
    rest = replace(reach, J=np.hstack([reach.J, np.vstack([motions, still])])).missing(missing)
    helps = np.linalg.norm(rest) <= MISSED * np.linalg.norm(missing)
    return "; or let joints stand elsewhere at design: --absorb joints" if helps else ""


def out_of_reach(problem: Problem, x: Array, held: bool) -> PrecomputeError:
    """The error for a change that is too large, with how near it can be had."""
    constraints = problem.share(1.0, held)
    scale = 1.0 / np.where(problem.loops.weights > 0.0, problem.loops.weights, 1.0)
    near = least_squares(
        lambda x: constraints(x)[0], x, lambda x: constraints(x)[1], x_scale=scale, max_nfev=MOST_TRIED
    )
    phi, (changes, _) = problem.phi(near.x, held=held), problem.loops.split(near.x)
    at = ", ".join(f"{v.name} {v.change(changes[v.name])}" for v in problem.loops.variables)
    with_them = f" with {at}" if at else ""
    if np.abs(phi).max() <= problem.loops.open:
        return PrecomputeError(
            f"the least change was not found, since what is asked for is large; it can be absorbed{with_them}. Take "
            "--method increments, or make it in several parts."
        )
    return PrecomputeError(
        f"the change is out of reach: at best {left(problem, phi)}{with_them}. Ask for a smaller change, or let more "
        "absorb it."
    )
