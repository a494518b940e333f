"""Closing the loops: from the design position, from a rough guess, and at given values of the coordinates."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from precompute import loops
from precompute.arrays import Array
from precompute.coefficients import Closure, Factor, factorize
from precompute.errors import AssemblyError
from precompute.kinematics import Poses, design_configuration, move
from precompute.mechanism import Mechanism
from precompute.topology import Topology

GAP_TOLERANCE = 1e-12
"""Loops count as closed below this gap, relative to the reference length; Newton goes on to the round-off below."""

RANK_TOLERANCE = 1e-9
"""Singular values below this fraction of the largest count as zero when the rank of the loop Jacobian is decided."""

MAX_ITERATIONS = 100
"""Of the damped assembly; a regular Newton needs 3 to 6."""


@dataclass(frozen=True, eq=False)
class Configuration:
    """One closed configuration."""

    q: Array  # (nq,)
    residual: float  # largest loop gap [m]
    iterations: int
    moved: float  # how far the given design was from closed, largest gap before the first step [m]


def close_loops(mechanism: Mechanism, topology: Topology) -> Configuration:
    """Assemble from the design position, which may be a rough guess, moving as little as possible.

    Damped Gauss-Newton: least-norm steps, halved until the gap shrinks.

    Raises:
        AssemblyError: the loops cannot be closed.
    """
    closure = Closure(mechanism, topology)
    q = design_configuration(mechanism, topology)
    P = closure.poses(q)
    gap = closure.gap(P)
    first = size = float(np.abs(gap).max(initial=0.0))
    iterations = 0
    while size > GAP_TOLERANCE * closure.length:
        if iterations == MAX_ITERATIONS:
            raise not_closed(closure, gap, iterations)
        step = factorize(closure, closure.matrix(P)).solve(-gap[:, None], RANK_TOLERANCE)[:, 0]
        damping = min(1.0, 0.5 / float(np.abs(step / closure.rate_weight).max() / closure.length))
        while True:
            trial = move(mechanism, topology, q, damping * step)
            P_trial = closure.poses(trial)
            gap_trial = closure.gap(P_trial)
            if np.linalg.norm(gap_trial) < np.linalg.norm(gap):
                break
            damping *= 0.5
            if damping < 1e-4:
                if size < 1e3 * GAP_TOLERANCE * closure.length:  # round-off: closed as well as can be
                    return Configuration(q, size, iterations, first)
                raise not_closed(closure, gap, iterations)
        q, P, gap = trial, P_trial, gap_trial
        size = float(np.abs(gap).max(initial=0.0))
        iterations += 1
    return Configuration(q, size, iterations, first)


def not_closed(closure: Closure, gap: Array, iterations: int) -> AssemblyError:
    """The error for a design that does not assemble, naming the widest loop."""
    names = loops.row_names(closure.mechanism, closure.topology)
    worst = int(np.argmax(np.abs(gap)))
    name = names[worst]
    chords = [closure.mechanism.joints[c].name for c in closure.topology.chords]
    chords += [r.name for r in closure.mechanism.rods]
    around = ""
    if name in chords:
        joints = closure.topology.loop_joints(closure.mechanism, chords.index(name))
        around = f" (through {', '.join(joints)})"
    return AssemblyError(
        f"loop '{name}'{around} cannot be closed: a gap of {np.abs(gap[worst]):.3g} m is left after {iterations} "
        f"iterations, starting from the design points. Check the points and lengths of this loop; the links may be too "
        f"short to meet."
    )


@dataclass(frozen=True, eq=False)
class Corrected:
    """Result of Newton's method at given z, for a batch of n."""

    q: Array  # (n, nq)
    converged: Array  # (n,) bool
    moved: Array  # (n,) size of the total correction [m]
    poses: Poses
    factor: Factor


def correct(closure: Closure, q: Array, z: Array, max_iterations: int = 12) -> Corrected:
    """Newton's method for phi(q) = 0, c(q) = z, on a batch.

    Args:
        closure: the equations.
        q: (n, nq) guesses.
        z: (n, nz) values of the independent coordinates.
        max_iterations: a sample that has not converged by then has failed.
    """
    m, t = closure.mechanism, closure.topology
    q = np.array(q)
    tolerance = GAP_TOLERANCE * closure.length
    moved = np.zeros(len(q))
    previous = np.full(len(q), np.inf)
    for _ in range(max_iterations):
        P = closure.poses(q)
        r = np.concatenate([closure.gap(P), closure.coordinate_weight * (closure.values(P, q) - z)], axis=-1)
        factor = factorize(closure, closure.matrix(P))
        size = np.abs(r).max(axis=-1)
        # done: closed, and either at round-off level or no longer improving
        done = (size < tolerance) & ((size < 1e-3 * tolerance) | (size > 0.1 * previous))
        if done.all():
            break
        step = factor.solve(-r[..., None])[..., 0]
        step[done] = 0.0
        length = np.linalg.norm(step / closure.rate_weight, axis=-1)
        step *= np.minimum(1.0, closure.length / np.maximum(length, 1e-300))[:, None]
        moved += np.minimum(length, closure.length)
        q = move(m, t, q, step)
        previous = size
    else:
        P = closure.poses(q)
        r = np.concatenate([closure.gap(P), closure.coordinate_weight * (closure.values(P, q) - z)], axis=-1)
        factor = factorize(closure, closure.matrix(P))
        size = np.abs(r).max(axis=-1)
    converged = np.isfinite(size) & (size < tolerance)
    return Corrected(q, converged, moved, P, factor)
