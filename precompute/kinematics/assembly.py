"""Closing the loops from the design position, which may be a rough guess: a ladder of ways, the gentlest first.

    1. Newton's method with the inputs (the coordinates that the file names) held at their values
    2. least motion: the loops closed with the inputs loose, then the inputs brought back along the motion
    3. gap homotopy: the gaps closed a little at a time, the inputs held
    4. restarts: from random configurations, the inputs held; of all closed ones that nearest to the drawing

Without inputs the third closes the loops by moving as little as possible.  Where nothing helps it is found out whether
the inputs are out of reach, or the loops cannot be closed at all.

Reference: Garcia de Jalon and Bayo, Kinematic and Dynamic Simulation of Multibody Systems, 3.1.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from precompute.arrays import Array
from precompute.errors import AssemblyError, ReachError
from precompute.kinematics.coefficients import Closure, factorize
from precompute.kinematics.continuation import MAX_CONDITION, follow
from precompute.kinematics.open_loops import not_closed, out_of_reach, shortest_loop
from precompute.kinematics.poses import design_configuration
from precompute.kinematics.restarts import Settled, from_anywhere, restarts_of
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

FAR = 10.0
"""A closed configuration belongs to the drawing if no joint has moved by more than this times the geometric mean of
the gap and the reference length: beside a dead centre a small gap takes a motion as long as its root to close."""

ROUNDED = 1e-3
"""Gaps up to this share of the reference length are taken for rounded numbers: inputs too may then give way, by YIELD
gaps, as at a dead centre they must."""

YIELD = 30.0


@dataclass(frozen=True, eq=False)
class Configuration:
    """One closed configuration."""

    q: Array  # (nq,)
    residual: float  # largest loop gap [m]
    iterations: int
    given_gap: float  # largest gap of the design as given [m]
    way: str = ""  # how it was closed, if it was open


@dataclass(frozen=True, eq=False)
class Attempt:
    """Where a way ended."""

    q: Array  # (nq,)
    closed: bool
    iterations: int


def close_loops(mechanism: Mechanism, topology: Topology) -> Configuration:
    """Assemble from the design position, which may be a rough guess, with the inputs where they are drawn.

    Raises:
        AssemblyError: the loops cannot be closed, or only far from the drawing.
        ReachError: the inputs are drawn where the loops cannot be closed, though they can elsewhere.
    """
    loops = Closure(mechanism, topology)
    q = design_configuration(mechanism, topology)
    given = widest(loops, q)
    if given <= loops.gap_tolerance:
        return Configuration(q, given, 0, given)
    closure = Closure(mechanism, topology, tuple(c.of for c in mechanism.coordinates or ()))
    z = closure.values(closure.poses(q))
    allowed = FAR * float(np.sqrt(given * closure.length))
    ends: list[Attempt] = []
    for way, attempt in ways(closure, q, z):
        ends.append(attempt)
        if attempt.closed and displacement(closure, q, attempt.q) <= allowed:
            return configuration(closure, attempt, given, way, z)
    loose = approach(loops, q, np.zeros(len(loops.gap(loops.poses(q)))))
    if closure.coordinates and loose.closed and gives_way(closure, loose.q, z, given):
        return configuration(closure, loose, given, "the inputs gave way")
    raise no_way(closure, q, z, [*ends, loose], allowed)


def assemble(closure: Closure, q: Array, z: Array) -> Configuration:
    """Close the loops with the coordinates at z (nz,), from q (nq,), however far the way.

    Raises:
        AssemblyError: the loops cannot be closed.
        ReachError: the loops can be closed, but not there.
    """
    ends: list[Attempt] = []
    for way, attempt in ways(closure, q, z):
        ends.append(attempt)
        if attempt.closed:
            return configuration(closure, attempt, widest(closure, q), way, z)
    raise no_way(closure, q, z, ends)


def configuration(closure: Closure, attempt: Attempt, given: float, way: str, z: Array | None = None) -> Configuration:
    """What was found; inputs that are joint coordinates are at z (nz,) to the last bit, if it is given."""
    q = attempt.q.copy()
    for (joint, number), (iq, _) in closure.topology.scalars.items():
        for c, value in zip(closure.coordinates, () if z is None else z, strict=False):
            if c.primitive_of(joint) == number:
                q[iq] = value
    return Configuration(q, widest(closure, q), attempt.iterations, given, way)


def widest(closure: Closure, q: Array) -> float:
    """The largest gap of the loops at q (nq,) [m]."""
    return float(np.abs(closure.gap(closure.poses(q))).max(initial=0.0))


# -- the ways ---------------------------------------------------------------------------------------------------------


def ways(closure: Closure, q: Array, z: Array) -> Iterator[tuple[str, Attempt]]:
    """The rungs of the ladder, each tried when it is asked for, with its name."""
    rungs: dict[str, Callable[[Closure, Array, Array], Attempt]] = {
        "Newton's method with the inputs held": newton,
        "least motion, then the inputs brought back": least_motion,
        "the gaps closed a little at a time": homotopy,
        f"the nearest of {restarts_of(closure)} restarts": restart,
    }
    for way, rung in list(rungs.items())[0 if closure.coordinates else 2 :]:
        yield way, rung(closure, q, z)


def newton(closure: Closure, q: Array, z: Array) -> Attempt:
    """Damped steps, straight to closed loops and inputs at z (nz,)."""
    return approach(closure, q, np.concatenate([np.zeros(len(closure.gap(closure.poses(q)))), z]))


def least_motion(closure: Closure, q: Array, z: Array) -> Attempt:
    """Close the loops by least-norm steps with the inputs loose, then follow the motion to z (nz,)."""
    loops = Closure(closure.mechanism, closure.topology)
    loose = approach(loops, q, np.zeros(len(loops.gap(loops.poses(q)))))
    if not loose.closed:
        return loose
    here = closure.values(closure.poses(loose.q))
    back = follow(closure, loose.q[None], here[None], z[None])
    return Attempt(back.q[0], bool(back.reached[0]), loose.iterations)


def homotopy(closure: Closure, q: Array, z: Array) -> Attempt:
    """Close the gaps of q (nq,) in small steps, each by least-norm Newton steps with the inputs at z (nz,)."""
    given = closure.gap(closure.poses(q))
    steps = int(np.ceil(np.abs(given).max(initial=0.0) / (STEP * closure.length)))
    used = 0
    for left in np.linspace(1.0, 0.0, max(steps, 1) + 1)[1:]:
        there = approach(closure, q, np.concatenate([left * given, z]))
        q, used = there.q, used + there.iterations
        if not there.closed:
            return Attempt(q, False, used)
    return Attempt(q, True, used)


def restart(closure: Closure, q: Array, z: Array) -> Attempt:
    """The closed configuration with the inputs at z (nz,) that is nearest to q, of those that random starts lead to."""
    if shortest_loop(closure) is not None:  # which nothing can close
        return Attempt(q, False, 0)
    return nearest(closure, q, from_anywhere(closure, z, restarts_of(closure)))


def nearest(closure: Closure, q: Array, found: Settled) -> Attempt:
    """The closed configuration nearest to q (nq,), or else the one with the smallest gap."""
    if not found.closed.any():
        return Attempt(found.q[int(np.argmin(found.missed))], False, 0)
    closed = found.q[found.closed]
    return Attempt(closed[int(np.argmin(displacements(closure, q, closed)))], True, 0)


def displacement(closure: Closure, q: Array, other: Array) -> float:
    """How far the farthest end of a joint or rod moves between two configurations (nq,) [m]."""
    return float(displacements(closure, q, other[None])[0])


def displacements(closure: Closure, q: Array, others: Array) -> Array:
    """The same from q (nq,) to each of others (n, nq).  -> (n,) [m]."""
    P = closure.poses(np.concatenate([q[None], others]))
    ends = [(end, p) for j in closure.mechanism.connections for end, p in ((j.parent, j.p_P), (j.child, j.p_C))]
    places = np.array([P.pose(body).point(p) for body, p in ends])  # (ends, 1 + n, 3)
    return np.asarray(np.linalg.norm(places[:, 1:] - places[:, :1], axis=-1).max(axis=0))


def approach(closure: Closure, q: Array, target: Array) -> Attempt:
    """Damped Gauss-Newton from q to where the gaps [m], and below them the coordinates, are `target` (nc + nz,)."""
    nc = len(target) - len(closure.coordinates)
    gaps, z = target[:nc], target[nc:]
    goal = np.concatenate([gaps, np.zeros(len(z))])
    P = closure.poses(q)
    error = closure.error(P, z) - goal
    for iteration in range(MAX_ITERATIONS):
        if np.abs(error).max(initial=0.0) < closure.gap_tolerance:
            return Attempt(q, True, iteration)
        step = factorize(closure, closure.matrix(P)).solve(-error[:, None], RANK_TOLERANCE)[:, 0]
        damping = 1.0
        while damping > MIN_DAMPING:
            trial = closure.move(q, damping * step)
            P_trial = closure.poses(trial)
            error_trial = closure.error(P_trial, z) - goal
            if np.linalg.norm(error_trial) < np.linalg.norm(error):
                break
            damping *= 0.5
        else:
            break
        q, P, error = trial, P_trial, error_trial
    return Attempt(q, False, iteration)


# -- where none leads there -------------------------------------------------------------------------------------------


def gives_way(closure: Closure, q: Array, z: Array, given: float) -> bool:
    """Whether the closed q (nq,) is to be taken though its inputs are not at z (nz,).

    It is where the gap was no more than rounding, and where the inputs cannot serve as such: what is wrong with them is
    told by those who choose coordinates.
    """
    P = closure.poses(q)
    missed = float(np.abs(closure.coordinate_weight * (closure.values(P) - z)).max())
    if given <= ROUNDED * closure.length and missed <= YIELD * given:
        return True
    return not determined(closure, q)


def determined(closure: Closure, q: Array) -> bool:
    """Whether the coordinates are as many as the freedoms at the closed q (nq,), and independent."""
    A = closure.matrix(closure.poses(q)) * closure.rate_weight
    loops = A[: len(A) - len(closure.coordinates)]
    s = np.linalg.svd(loops, compute_uv=False) if loops.size else np.zeros(0)
    freedoms = A.shape[1] - int((s > RANK_TOLERANCE * s.max(initial=0.0)).sum())
    return freedoms == len(closure.coordinates) and float(factorize(closure, A / closure.rate_weight).condition) < (
        MAX_CONDITION
    )


def no_way(
    closure: Closure, q: Array, z: Array, ends: list[Attempt], allowed: float = np.inf
) -> AssemblyError | ReachError:
    """The error where no way leads from q (nq,) to z (nz,): out of reach if the loops close elsewhere, else open.

    What is closed counts if no joint has moved by more than is allowed [m].
    """
    loops = Closure(closure.mechanism, closure.topology)
    closed = [end.q for end in ends if widest(loops, end.q) < loops.gap_tolerance]
    if closure.coordinates and shortest_loop(closure) is None:
        elsewhere = from_anywhere(loops, np.zeros(0), restarts_of(closure))
        closed += list(elsewhere.q[elsewhere.closed])
    moved = displacements(closure, q, np.array(closed)) if closed else np.zeros(0)
    if (moved <= allowed).any():
        near = np.array(closed)[moved <= allowed]
        return out_of_reach(closure, near, z, drawn=bool(np.isfinite(allowed)))
    return not_closed(loops, nearest_miss(loops, ends), float(moved.min()) if closed else None)


def nearest_miss(loops: Closure, ends: list[Attempt]) -> Array:
    """Where the gaps are smallest (nq,), of the ends that are open."""
    still = [end.q for end in ends if not end.closed]
    return min(still, key=lambda q: widest(loops, q))
