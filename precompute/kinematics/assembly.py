"""Closing the loops from the design position, which may be a rough guess."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from precompute.arrays import Array
from precompute.errors import AssemblyError
from precompute.kinematics.coefficients import Closure, factorize
from precompute.kinematics.poses import design_configuration, move
from precompute.kinematics.topology import Topology
from precompute.model.mechanism import Mechanism

RANK_TOLERANCE = 1e-9
"""Singular values below this fraction of the largest count as zero when the rank of the loop Jacobian is decided."""

MAX_ITERATIONS = 100
"""Of one step of the assembly; a regular Newton needs 3 to 6."""

MIN_DAMPING = 1e-4
"""A step that must be shortened further does not lead anywhere."""

STEP = 0.1
"""The gaps of a rough design are closed by this fraction of the reference length at a time."""


@dataclass(frozen=True, eq=False)
class Configuration:
    """One closed configuration."""

    q: Array  # (nq,)
    residual: float  # largest loop gap [m]
    iterations: int
    given_gap: float  # largest gap of the design as given [m]


def close_loops(mechanism: Mechanism, topology: Topology) -> Configuration:
    """Assemble from the design position, which may be a rough guess, moving as little as possible.

    The gaps of the design as given are closed in small steps, each by damped least-norm Newton steps, so that the
    mechanism stays on the branch that was drawn.

    Raises:
        AssemblyError: the loops cannot be closed.
    """
    closure = Closure(mechanism, topology)
    q = design_configuration(mechanism, topology)
    given = closure.gap(closure.poses(q))
    size = float(np.abs(given).max(initial=0.0))
    iterations = 0
    if size > closure.gap_tolerance:
        steps = int(np.ceil(size / (STEP * closure.length)))
        for left in np.linspace(1.0, 0.0, steps + 1)[1:]:
            q, used = approach(closure, q, left * given)
            iterations += used
    return Configuration(q, float(np.abs(closure.gap(closure.poses(q))).max(initial=0.0)), iterations, size)


def approach(closure: Closure, q: Array, target: Array) -> tuple[Array, int]:
    """Damped Gauss-Newton from q to the configuration whose gaps are `target` (nc,) [m], and its iterations."""
    P = closure.poses(q)
    error = closure.gap(P) - target
    for iteration in range(MAX_ITERATIONS):
        if np.abs(error).max() < closure.gap_tolerance:
            return q, iteration
        step = factorize(closure, closure.matrix(P)).solve(-error[:, None], RANK_TOLERANCE)[:, 0]
        damping = 1.0
        while damping > MIN_DAMPING:
            trial = move(closure.mechanism, closure.topology, q, damping * step)
            P_trial = closure.poses(trial)
            error_trial = closure.gap(P_trial) - target
            if np.linalg.norm(error_trial) < np.linalg.norm(error):
                break
            damping *= 0.5
        else:
            break
        q, P, error = trial, P_trial, error_trial
    raise not_closed(closure, closure.gap(P), iteration)


def not_closed(closure: Closure, gap: Array, iterations: int) -> AssemblyError:
    """The error for a design that does not assemble, naming the widest loop."""
    worst = int(np.argmax(np.abs(gap)))
    name = closure.row_names[worst]
    chords = [closure.mechanism.joints[c].name for c in closure.topology.chords]
    chords += [r.name for r in closure.mechanism.rods]
    left = closure.mechanism.units.shown(float(np.abs(gap[worst])), digits=3)
    around = ""
    if name in chords:
        joints = closure.topology.loop_joints(closure.mechanism, chords.index(name))
        around = f" (through {', '.join(joints)})"
    return AssemblyError(
        f"loop '{name}'{around} cannot be closed: a gap of {left} is left after {iterations} "
        f"iterations, starting from the design points. Check the points and lengths of this loop; the links may be too "
        f"short to meet."
    )
