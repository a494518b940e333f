"""Static equilibrium by exact kinematics, without tables: deflections, free coordinates, preloads.

Unknown are some coordinates x of z and the preloads p of springs that leave theirs open.  Each of these takes over the
equation of a free coordinate, the one that it works on most, which stays where it is.  Newton's method with the exact
stiffness K of `rest_forces`, and the gradients s_p of what the open springs measure,

    [K_ex  -s_p,e^T] [dx; dp] = Q_e                                                         (1)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from precompute.arrays import Array
from precompute.kinematics.coefficients import Closure
from precompute.kinematics.continuation import follow
from precompute.model.mechanism import Mechanism, Port
from precompute.reduction.rest_forces import RestForces, rest_forces
from precompute.reduction.rest_laws import laws_of
from precompute.reduction.statics import StaticsError

ITERATIONS = 60

SMALL = 1e-10
"""The last step of a solution, over the reference length or over the largest preload."""

LARGEST_STEP = 0.1
"""Of the way that a coordinate may go at once, over the reference length."""


@dataclass(frozen=True, eq=False)
class ExactRest:
    """A mechanism at rest."""

    mechanism: Mechanism  # with all preloads known
    q: Array  # (nq,)
    z: Array  # (nz,)
    settling: bool  # whether states of devices are at rest too


def exact_rest(
    closure: Closure,
    design: Array,
    q: Array,
    solved: Sequence[int],
    ports: Sequence[Port],
    settling: bool = True,
) -> ExactRest:
    """Find an equilibrium.

    Args:
        closure: with all coordinates, the ns stiff ones last.
        design: (nq,) the assembled design, where preloads count from.
        q: (nq,) where to begin; coordinates that are not solved for stay there.
        solved: numbers of the coordinates that are sought, but for those that springs with open preloads take over.
        ports: whose loads act.
        settling: whether states of devices are at rest, or as they start.

    Raises:
        StaticsError: there is none, or it cannot be reached; says what pulls where.
    """
    mechanism, z = closure.mechanism, closure.values(closure.poses(q[None]))
    open_ = [i for i, spring in enumerate(mechanism.springs) if spring.static_preload]
    q, preloads, weight = q[None], np.zeros(len(open_)), closure.coordinate_weight
    held: list[int] = []
    for number in range(ITERATIONS):
        filled = with_preloads(mechanism, open_, preloads)
        laws = laws_of(filled, closure.poses(design), settling)
        at = rest_forces(replace(closure, mechanism=filled), laws, ports, q)
        on = at.ds[0, [laws.acts_on[i] for i in open_]]  # (springs, nz)
        if number == 0:
            held = worked_on(closure, on, [mechanism.springs[i].name for i in open_])
            solved = [k for k in solved if k not in held]
        equations = [*solved, *held]
        dz, dp = newton_step(at, on, solved, equations)
        if not np.isfinite(dz).all():
            break
        share = min(1.0, LARGEST_STEP * closure.length / max(float(np.abs(dz * weight).max()), 1e-300))
        done = follow(closure, q, z, z + share * dz)
        if not done.reached[0]:
            break
        q, z, preloads = done.q, done.z, preloads + share * dp
        small = float(np.abs(dz * weight).max()) < SMALL * closure.length
        if small and np.abs(dp).max(initial=0.0) <= SMALL * max(float(np.abs(preloads).max(initial=0.0)), 1.0):
            return ExactRest(with_preloads(mechanism, open_, preloads), q[0], z[0], settling)
    raise not_at_rest(closure, at, equations)


def newton_step(at: RestForces, on: Array, solved: Sequence[int], equations: Sequence[int]) -> tuple[Array, Array]:
    """By (1): of all coordinates (nz,), and of preloads; not finite where something gives way without a force."""
    M = np.hstack([at.K[0][np.ix_(equations, solved)], -on[:, equations].T])
    dz = np.zeros(at.Q.shape[1])
    try:
        step = np.linalg.solve(M, at.Q[0][equations])
    except np.linalg.LinAlgError:
        return dz + np.nan, np.zeros(len(on))
    dz[solved] = step[: len(solved)]
    return dz, step[len(solved) :]


def not_at_rest(closure: Closure, at: RestForces, equations: Sequence[int]) -> StaticsError:
    """The error for an equilibrium that was not found: the force that is left, where it is largest."""
    m = closure.mechanism
    worst = max(equations, key=lambda k: abs(at.Q[0, k] / closure.coordinate_weight[k]))
    of = closure.coordinates[worst]
    left = m.units.shown_effort(float(at.Q[0, worst]), of.is_angle(m), 4)
    return StaticsError(f"no static equilibrium was found: {left} is left on the {of.name}")


def worked_on(closure: Closure, on: Array, names: Sequence[str]) -> list[int]:
    """For each spring the free coordinate that it works on most, each once; `on` (springs, nz) are its gradients."""
    nf = len(closure.coordinates) - len(closure.mechanism.stiff_coordinates) * (not closure.topology.locked)
    rows: list[int] = []
    size = np.abs(on[:, :nf]) / closure.coordinate_weight[:nf]
    for work, name in zip(size, names, strict=True):
        work[rows] = 0.0
        if work.max(initial=0.0) < SMALL:
            raise StaticsError(
                f"spring '{name}' has `preload = \"static\"`, but no coordinate is left that it works on; give its "
                "preload or free length"
            )
        rows.append(int(np.argmax(work)))
    return rows


def with_preloads(mechanism: Mechanism, numbers: Sequence[int], preloads: Array) -> Mechanism:
    """The mechanism with these springs given preloads."""
    springs = list(mechanism.springs)
    for i, value in zip(numbers, preloads.tolist(), strict=True):
        springs[i] = replace(springs[i], preload=value, static_preload=False)
    return replace(mechanism, springs=tuple(springs))
