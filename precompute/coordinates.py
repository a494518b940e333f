"""Degrees of freedom, and which coordinates are independent.

The problem: the closed mechanism has as many freedoms as the null space of its loop Jacobian has dimensions at a
general configuration.  Find that many measures whose values determine the motion.

The answer must satisfy:
  1. freedoms come from the rank, never from counting joints;
  2. the measures named by the user are taken as they are, if their number fits and the stacked Jacobian has full rank;
  3. otherwise ("auto") scalar joint coordinates are taken by column-pivoted QR of the null space, which picks the ones
     that move most when the mechanism moves; the weight of each and the condition number are kept as the reason.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import product

import numpy as np
import scipy.linalg

from precompute import measures
from precompute.arrays import Array
from precompute.assembly import RANK_TOLERANCE, Configuration
from precompute.coefficients import Closure, factorize
from precompute.continuation import MAX_CONDITION, follow
from precompute.errors import PrecomputeError, SingularityError, TopologyError
from precompute.kinematics import move
from precompute.mechanism import Coordinate, JointCoordinate, Mechanism
from precompute.ranges import Feasible, feasible_range
from precompute.topology import Topology

MAX_AXES = 3
"""Tables have at most this many axes."""

RANGE_MARGIN = 0.1
"""Without a range in the file, this fraction of the way from design to a singular end is left out."""

SHRINK = 0.8
"""Ranges found automatically shrink by this factor until the whole box of several coordinates can be reached."""

BOX_STEPS = 8
"""Steps from design to a corner of the box."""

ABLE = 0.2
"""Candidates that move less than this fraction of the one that moves most are not tried."""

MAX_TRIED = 8
"""Candidates whose whole range is walked."""

CONDITION_SAMPLES = 16
"""Steps each way when the condition number along a range is looked at."""

PERTURBATION = 0.02
"""How far off the design the rank is decided, over the reference length: enough to leave a special position."""


@dataclass(frozen=True)
class Candidate:
    """A coordinate that could be independent, and how much it moves when the mechanism moves (0..1)."""

    label: str
    weight: float


@dataclass(frozen=True, eq=False)
class Coordinates:
    """The independent coordinates, with their ranges."""

    closure: Closure
    free: tuple[Coordinate, ...]  # with range and start filled in
    design: Array  # (nz,) their values at the assembled design
    condition: float  # at design
    ranking: tuple[Candidate, ...]  # best first
    reason: str
    feasible: tuple[Feasible | None, ...]  # where the range was explored

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the free coordinates."""
        return tuple(c.name for c in self.free)

    def shown(self, k: int, value: float) -> str:
        """A value of coordinate k in degrees or millimetres."""
        return measures.shown(self.closure.mechanism, self.free[k].of, value)

    def point(self, z: Array, without: int | None = None) -> str:
        """A point in words: "pitman = 3 deg, shock = 20 mm"."""
        kept = [k for k in range(len(self.free)) if k != without]
        return ", ".join(f"{self.free[k].name} = {self.shown(k, z[k])}" for k in kept)


def choose_coordinates(mechanism: Mechanism, topology: Topology, design: Configuration) -> Coordinates:
    """Take the user's coordinates or find some; then fill in ranges and start values."""
    dof, null = mobility(mechanism, topology, design)
    ranking, chosen = rank_candidates(mechanism, topology, null, dof)
    if mechanism.coordinates is not None:
        free, reason = mechanism.coordinates, "named in the file"
    elif dof == 1 and chosen:
        free = (best_single(mechanism, topology, design, ranking),)
        reason = "chosen automatically: it goes furthest with the best condition number"
    else:
        free, reason = chosen, "chosen automatically: they move most when the mechanism moves (pivoted QR at design)"
    if dof > MAX_AXES:
        raise TopologyError(
            f"'{mechanism.name}' has {dof} degrees of freedom; tables can have at most {MAX_AXES} axes. Lock some "
            "of: " + ", ".join(c.label for c in ranking[: 2 * dof]) + "."
        )
    if len(free) != dof:
        raise wrong_number(mechanism, topology, design, free, dof, ranking)
    closure = Closure(mechanism, topology, tuple(c.of for c in free))
    P = closure.poses(design.q)
    condition = float(factorize(closure, closure.matrix(P)).condition)
    if condition > MAX_CONDITION:
        raise SingularityError(
            f"{' and '.join(repr(c.name) for c in free)} cannot be independent at the design position: condition "
            f"number {condition:.2g}. It is a dead centre for them, or one determines the other. Better: "
            + ", ".join(f"{c.label} (weight {c.weight:.2f})" for c in ranking[:dof])
            + "; or move the design position."
        )
    values = closure.values(P, design.q)
    free, feasible = fill_ranges(closure, design.q, values, free)
    return Coordinates(closure, free, values, condition, ranking, reason, feasible)


def mobility(mechanism: Mechanism, topology: Topology, design: Configuration) -> tuple[int, Array]:
    """Degrees of freedom at a general position near the design, and the weighted null space at design (nv, n).

    Raises:
        TopologyError: nothing can move.
        SingularityError: the design position is one of a kind, with more freedoms than its neighbours.
    """
    closure = Closure(mechanism, topology)
    null = null_space(closure, design.q)
    if null.shape[1] == 0:
        if topology.nv == 0:
            raise TopologyError(f"'{mechanism.name}' cannot move: all its joints are fixed. Free at least one.")
        raise TopologyError(
            f"'{mechanism.name}' cannot move: its {topology.nv} joint freedoms are all taken by the loops. Free a "
            "joint (a link between two balls should be a rod or have two spherical joints), or check joint axes."
        )
    rng = np.random.default_rng(2)
    dimensions = [null.shape[1]]
    for _ in range(3):
        direction = closure.rate_weight * (null @ rng.standard_normal(null.shape[1]))
        step = PERTURBATION * closure.length * direction / np.linalg.norm(direction / closure.rate_weight)
        q = reclose(closure, move(mechanism, topology, design.q, step))
        if q is not None:
            dimensions.append(null_space(closure, q).shape[1])
    if min(dimensions) < null.shape[1]:
        raise SingularityError(
            f"the design position of '{mechanism.name}' is singular: it has {null.shape[1]} freedoms there "
            f"but {min(dimensions)} beside it (links in line, or a change point). Move the design position off it."
        )
    return null.shape[1], null


def null_space(closure: Closure, q: Array) -> Array:
    """Orthonormal basis of the allowed motions in weighted rates (nv, n): metres for every joint."""
    A = closure.matrix(closure.poses(q)) * closure.rate_weight
    return scipy.linalg.null_space(A, rcond=RANK_TOLERANCE) if A.shape[0] else np.eye(A.shape[1])


def reclose(closure: Closure, q: Array) -> Array | None:
    """Close the loops from nearby with least-norm steps, or None."""
    for _ in range(20):
        P = closure.poses(q)
        gap = closure.gap(P)
        if np.abs(gap).max(initial=0.0) < closure.gap_tolerance:
            return q
        step = factorize(closure, closure.matrix(P)).solve(-gap[:, None], RANK_TOLERANCE)[:, 0]
        q = move(closure.mechanism, closure.topology, q, step)
    return None


def rank_candidates(
    mechanism: Mechanism, topology: Topology, null: Array, dof: int
) -> tuple[tuple[Candidate, ...], tuple[Coordinate, ...]]:
    """All scalar joint coordinates by weight, and the `dof` that pivoted QR picks."""
    candidates = [
        JointCoordinate(j.name, i) for j in mechanism.joints for i, p in enumerate(j.primitives) if p.kind != "ball"
    ]
    if not candidates:
        return (), ()
    rows = null[[measures.joint_coordinate_indices(mechanism, topology, c)[1] for c in candidates]]
    weights = np.linalg.norm(rows, axis=1)
    labels = [joint_label(mechanism, c) for c in candidates]
    _, R, pivots = scipy.linalg.qr(rows.T, mode="economic", pivoting=True)
    independent = np.abs(np.diag(R)) > RANK_TOLERANCE
    picked = [int(i) for i in pivots[:dof] if independent[: len(pivots)].sum() >= dof]
    first = [Candidate(labels[i], float(weights[i])) for i in picked]
    others = [int(i) for i in np.argsort(-weights, kind="stable") if i not in picked]
    ranking = (*first, *(Candidate(labels[i], float(weights[i])) for i in others))
    return ranking, tuple(candidate_coordinate(labels[i]) for i in picked)


def candidate_coordinate(label: str) -> Coordinate:
    """The coordinate that a label such as joint.strut[2] stands for, named strut_2."""
    joint, _, index = label.removeprefix("joint.").rstrip("]").partition("[")
    return Coordinate(f"{joint}_{index}" if index else joint, JointCoordinate(joint, int(index or 1) - 1))


def best_single(
    mechanism: Mechanism, topology: Topology, design: Configuration, ranking: tuple[Candidate, ...]
) -> Coordinate:
    """Of the joint coordinates that move well at design, the one that turns fully or, next, is best conditioned."""
    able = [c for c in ranking if c.weight > ABLE * ranking[0].weight][:MAX_TRIED]
    found = []
    for candidate in able:
        coordinate = candidate_coordinate(candidate.label)
        closure = Closure(mechanism, topology, (coordinate.of,))
        values = closure.values(closure.poses(design.q), design.q)
        feasible = feasible_range(closure, design.q, values, 0)
        condition = worst_condition(closure, design.q, values, *margins(feasible, float(values[0])))
        found.append(((not feasible.full_turn, condition), coordinate))
    return min(found, key=lambda item: item[0])[1]


def worst_condition(closure: Closure, q: Array, z: Array, lower: float, upper: float) -> float:
    """Largest condition number of a single coordinate over a range, by following it both ways."""
    worst = 0.0
    for end in (lower, upper):
        here_q, here_z = q[None], z[None]
        for target in np.linspace(float(z[0]), end, CONDITION_SAMPLES + 1)[1:]:
            step = follow(closure, here_q, here_z, np.array([[target]]))
            here_q, here_z, worst = step.q, step.z, max(worst, float(step.condition[0]))
    return worst


def joint_label(mechanism: Mechanism, c: JointCoordinate) -> str:
    """How the file names this joint coordinate."""
    single = len(mechanism.joint(c.joint).primitives) == 1
    return f"joint.{c.joint}" if single else f"joint.{c.joint}[{c.index + 1}]"


def wrong_number(
    mechanism: Mechanism,
    topology: Topology,
    design: Configuration,
    free: tuple[Coordinate, ...],
    dof: int,
    ranking: tuple[Candidate, ...],
) -> PrecomputeError:
    """The error for too few or too many coordinates, naming what moves besides."""
    given = ", ".join(f"'{c.name}'" for c in free) or "none that is a scalar joint coordinate"
    message = f"'{mechanism.name}' has {dof} degree{'s' * (dof != 1)} of freedom but {len(free)} independent: {given}. "
    if len(free) > dof:
        return SingularityError(message + "Take out the coordinates that follow from the others.")
    closure = Closure(mechanism, topology, tuple(c.of for c in free))
    left = np.linalg.norm(null_space(closure, design.q), axis=1)
    moving = [
        j.name for j, s in zip(mechanism.joints, topology.v_slices, strict=True) if left[s].max(initial=0.0) > 0.1
    ]
    scalar = [c.label for c in ranking if c.weight > RANK_TOLERANCE][: dof + 2]
    return SingularityError(
        message
        + f"Still free to move: {', '.join(moving)}. Add a coordinate ("
        + (", ".join(scalar) or "a marker coordinate or spring length")
        + "), or take the freedom away."
    )


def fill_ranges(
    closure: Closure, q: Array, values: Array, free: tuple[Coordinate, ...]
) -> tuple[tuple[Coordinate, ...], tuple[Feasible | None, ...]]:
    """Ranges that the file leaves open come from exploring, shrunk until the whole box can be reached."""
    explored = tuple(feasible_range(closure, q, values, k) if c.lower is None else None for k, c in enumerate(free))
    box = np.array(
        [
            (c.lower, c.upper) if found is None else margins(found, float(here))
            for c, found, here in zip(free, explored, values, strict=True)
        ],
        dtype=float,
    )
    open_ends = np.array([found is not None for found in explored])
    while open_ends.any() and len(free) > 1 and not box_reachable(closure, q, values, box):
        box[open_ends] = values[open_ends, None] + SHRINK * (box[open_ends] - values[open_ends, None])
    chosen = zip(free, explored, values.tolist(), box.tolist(), strict=True)
    return tuple(filled(closure.mechanism, *item) for item in chosen), explored


def filled(mechanism: Mechanism, c: Coordinate, found: Feasible | None, here: float, ends: list[float]) -> Coordinate:
    """A coordinate with its range and start value; SingularityError if it starts outside."""
    lower, upper = ends
    periodic = c.periodic or (found is not None and found.full_turn and upper - lower > 2.0 * np.pi - 1e-9)
    start = here if c.start is None else c.start
    if not (periodic or c.outside == "linear" or lower <= start <= upper):
        at, low, high = (measures.shown(mechanism, c.of, x) for x in (start, lower, upper))
        raise SingularityError(
            f"coordinate '{c.name}' starts at {at}, outside its range {low} to {high}. Set `start`, or widen the range."
        )
    return replace(c, lower=lower, upper=upper, periodic=periodic, start=start)


def margins(found: Feasible, here: float) -> tuple[float, float]:
    """A feasible range with a margin at each end that is singular."""
    lower = here - (1.0 - RANGE_MARGIN * found.lower_singular) * (here - found.lower)
    upper = here + (1.0 - RANGE_MARGIN * found.upper_singular) * (found.upper - here)
    return lower, upper


def box_reachable(closure: Closure, q: Array, values: Array, box: Array) -> bool:
    """Whether the corners and the middles of all edges and faces of the box (nz, 2) can be reached from design."""
    choices = [(lower, here, upper) for (lower, upper), here in zip(box, values, strict=True)]
    points = np.array(list(product(*choices)))
    here_q, here_z = np.repeat(q[None], len(points), 0), np.repeat(values[None], len(points), 0)
    for share in np.linspace(0.0, 1.0, BOX_STEPS + 1)[1:]:
        step = follow(closure, here_q, here_z, values + share * (points - values))
        if not step.reached.all():
            return False
        here_q, here_z = step.q, step.z
    return True
