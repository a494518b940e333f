"""Degrees of freedom, and which coordinates are independent.

The problem: the closed mechanism has as many freedoms as the null space of its loop Jacobian has dimensions at a
general configuration.  Find that many measures whose values determine the motion.

The answer must satisfy:
  1. freedoms come from the rank, never from counting joints;
  2. the measures named by the user are taken as they are, if their number fits and the stacked Jacobian has full rank;
  3. otherwise ("auto") they are selected over the whole motion (see `selection`).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations, product

import numpy as np
from numpy.typing import NDArray

from precompute.arrays import Array
from precompute.coordinates.cam_borders import with_borders
from precompute.coordinates.candidates import candidates, moving_joints
from precompute.coordinates.crossings import with_crossings
from precompute.coordinates.design_value import starts_outside
from precompute.coordinates.ranges import Feasible
from precompute.coordinates.selection import Selection, select
from precompute.coordinates.stiff_check import check_free_coordinates, check_stiff_directions, stiff_name
from precompute.coordinates.walks import both_ways, feasible_range
from precompute.coordinates.working import Chosen, chosen_range, drawn_in
from precompute.errors import PrecomputeError, SingularityError, TopologyError
from precompute.kinematics.assembly import RANK_TOLERANCE, Configuration
from precompute.kinematics.coefficients import Closure, factorize
from precompute.kinematics.continuation import MAX_CONDITION, follow
from precompute.kinematics.mobility import mobility, null_space
from precompute.kinematics.poses import velocities
from precompute.kinematics.topology import Topology
from precompute.model.mechanism import Coordinate, JointCoordinate, Measure, Mechanism

MAX_AXES = 3
"""A block of tables has at most this many axes; there may be more coordinates."""

SHRINK = 0.8
"""Ranges found automatically shrink by this factor until the whole box of several coordinates can be reached."""

SMALLEST_BOX = 1e-3
"""Open ends are not drawn in further than to this share of the way from design."""

BOX_STEPS = 8
"""Steps from design to a corner of the box."""


@dataclass(frozen=True, eq=False)
class Coordinates:
    """The independent coordinates, with their ranges."""

    closure: Closure
    free: tuple[Coordinate, ...]  # with range and start filled in
    design: Array  # (nz,) their values at the assembled design
    condition: float  # at design
    reason: str
    feasible: tuple[Feasible | None, ...]  # where the range was explored
    chosen: tuple[Chosen | None, ...]  # the range found there, and why it ends where it does
    selection: Selection | None = None  # where they were chosen automatically
    watched: tuple[Measure, ...] = ()  # measures that are tabulated with their slopes, besides those of springs

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the free coordinates."""
        return tuple(c.name for c in self.free)

    @property
    def stiff(self) -> tuple[JointCoordinate, ...]:
        """The stiff coordinates, held while the free ones are swept: at zero, or what they are expanded about."""
        return self.closure.mechanism.stiff_coordinates

    @property
    def about(self) -> tuple[float, ...]:
        """What each of them is held at [m or rad]."""
        return self.closure.about or (0.0,) * len(self.stiff)

    @property
    def all_names(self) -> tuple[str, ...]:
        """Names of the free, then of the stiff coordinates."""
        return (*self.names, *(stiff_name(self.closure.mechanism, c) for c in self.stiff))

    @cached_property
    def full(self) -> Closure:
        """The closure with all independent coordinates, stiff ones last."""
        if not self.stiff:
            return self.closure
        topology = self.closure.topology.unlocked()
        return replace(self.closure, topology=topology, coordinates=(*self.closure.coordinates, *self.stiff))

    def shown(self, k: int, value: float) -> str:
        """A value of coordinate k in the units of the file."""
        return self.free[k].of.shown(self.closure.mechanism, value)

    def range_in_words(self, k: int) -> str:
        """The range of coordinate k; a full turn has no ends."""
        c = self.free[k]
        if c.periodic:
            return f"the full turn of '{c.name}'"
        return f"the range of '{c.name}', {self.shown(k, c.lower or 0.0)} to {self.shown(k, c.upper or 0.0)},"

    def point(self, z: Array, without: int | None = None) -> str:
        """A point in words: "pitman = 3 deg, shock = 20 mm"."""
        kept = [k for k in range(len(self.free)) if k != without]
        return ", ".join(f"{self.free[k].name} = {self.shown(k, z[k])}" for k in kept)


def choose_coordinates(
    mechanism: Mechanism, topology: Topology, design: Configuration, chosen: tuple[str, ...] = ()
) -> Coordinates:
    """Take the user's coordinates or find some; then fill in ranges and start values.

    Args:
        mechanism: the mechanism.
        topology: its topology.
        design: its closed design configuration.
        chosen: labels of candidates that were found before, to be taken again where the user names none.
    """
    dof, null = mobility(mechanism, topology, design)
    check_bodies(Closure(mechanism, topology), design, null)
    selection = None
    if mechanism.coordinates is not None:
        free, reason = mechanism.coordinates, "named in the file"
    elif chosen:
        known = {c.label: c.coordinate for c in candidates(mechanism)}
        free, reason = tuple(known[label] for label in chosen), "chosen before"
    else:
        selection = select(mechanism, topology, design.q, dof)
        free, reason = selection.chosen, selection.reason
    check_free_coordinates(mechanism, [c.of for c in free])
    if len(free) != dof:
        raise wrong_number(mechanism, topology, design, free, null)
    closure = Closure(mechanism, topology, tuple(c.of for c in free))
    P = closure.poses(design.q)
    condition = float(factorize(closure, closure.matrix(P)).condition)
    values = closure.values(P)
    if condition > MAX_CONDITION:
        if dof == 1 and free[0].lower is None:  # charts may lead over it
            return Coordinates(closure, free, values, condition, reason, (None,), (None,), selection)
        raise dead_at_design(closure, design, free, condition)
    check_stiff_directions(closure, design.q)
    closure = with_crossings(closure, design.q, values, free)
    free, feasible, ranges = fill_ranges(closure, design.q, values, free)
    closure, free = with_borders(closure, design.q, values, free)
    return Coordinates(closure, free, values, condition, reason, feasible, ranges, selection)


def check_bodies(closure: Closure, design: Configuration, null: Array) -> None:
    """TopologyError for a body that moves in more ways than a table has axes, whichever coordinates are chosen."""
    t = closure.topology
    W = velocities(t.reach, closure.poses(design.q).S, closure.rate_weight[:, None] * null)
    ways = np.linalg.matrix_rank(W * closure.length ** np.repeat([1.0, 0.0], 3)[:, None], tol=RANK_TOLERANCE)
    most = int(np.argmax(ways))
    if ways[most] > MAX_AXES:
        movers = [label for label, _ in moving_joints(closure, null)]
        raise TopologyError(
            f"'{closure.mechanism.name}': body '{t.bodies[most]}' can move in {ways[most]} ways; what depends on "
            f"{ways[most]} coordinates at once needs a table with as many axes, and {MAX_AXES} is the most. Lock some "
            f"of: {', '.join(movers[: 2 * ways[most]])}."
        )


def dead_at_design(
    closure: Closure, design: Configuration, free: tuple[Coordinate, ...], condition: float
) -> SingularityError:
    """The error for coordinates that do not serve at the design position."""
    best = select(closure.mechanism, closure.topology, design.q, len(free)).ranking[0].label
    return SingularityError(
        f"{' and '.join(repr(c.name) for c in free)} cannot be independent at the design position: condition number "
        f"{condition:.2g}. It is a dead centre for them, or one determines the other. Better: {best}; or move the "
        "design position."
    )


def wrong_number(
    mechanism: Mechanism,
    topology: Topology,
    design: Configuration,
    free: tuple[Coordinate, ...],
    null: Array,
) -> PrecomputeError:
    """The error for too few or too many coordinates, naming what moves besides."""
    dof = null.shape[1]
    given = ", ".join(f"'{c.name}'" for c in free) or "none that is a scalar measure"
    freedoms, count = (
        f"{n} {what}{'s' * (n != 1)}" for n, what in ((dof, "degree"), (len(free), "independent coordinate"))
    )
    message = f"'{mechanism.name}' has {freedoms} of freedom but {count}: {given}. "
    if len(free) > dof:
        return SingularityError(
            message + "Take out coordinates that follow from the others; or, if all of them should move, a joint, rod "
            "or direction that holds too much."
        )
    closure = Closure(mechanism, topology, tuple(c.of for c in free))
    remaining = null_space(closure, design.q)
    left = np.linalg.norm(remaining, axis=1)
    moving = [
        j.name for j, s in zip(mechanism.joints, topology.v_slices, strict=True) if left[s].max(initial=0.0) > 0.1
    ]
    scalar = [label for label, weight in moving_joints(closure, remaining) if weight > RANK_TOLERANCE][: dof + 2]
    return SingularityError(
        message
        + f"Still free to move: {', '.join(moving)}. Add a coordinate ("
        + (", ".join(scalar) or "a marker coordinate or spring length")
        + "), or take the freedom away."
    )


def fill_ranges(
    closure: Closure, q: Array, values: Array, free: tuple[Coordinate, ...]
) -> tuple[tuple[Coordinate, ...], tuple[Feasible | None, ...], tuple[Chosen | None, ...]]:
    """Ranges that the file leaves open come from exploring, shrunk until the whole box can be reached."""
    unknown = [k for k, c in enumerate(free) if c.lower is None]
    walked = dict(zip(unknown, both_ways(closure, q, values, unknown), strict=True))
    feasible = {k: feasible_range(closure, k, *ways) for k, ways in walked.items()}
    chosen = {k: chosen_range(closure, k, free[k], *ways, feasible[k]) for k, ways in walked.items()}
    box = np.array(
        [(chosen[k].lower, chosen[k].upper) if k in chosen else (c.lower, c.upper) for k, c in enumerate(free)],
        dtype=float,
    )
    small = shrunk(closure, q, values, box, np.array([k in chosen for k in range(len(free))]))
    chosen = {k: drawn_in(closure, k, float(values[k]), found, small[k], feasible[k]) for k, found in chosen.items()}
    filled_in = tuple(
        filled(closure.mechanism, c, feasible.get(k), chosen.get(k), float(values[k])) for k, c in enumerate(free)
    )
    every = range(len(free))
    return filled_in, tuple(feasible.get(k) for k in every), tuple(chosen.get(k) for k in every)


def shrunk(closure: Closure, q: Array, values: Array, box: Array, open_ends: NDArray[np.bool_]) -> Array:
    """The box (nz, 2) with its open ends drawn in until all of it can be reached, or nothing is left of them."""
    left = 1.0
    while open_ends.any() and len(box) > 1 and left > SMALLEST_BOX:
        share = reachable_share(closure, q, values, box)
        if share == 1.0:
            break
        factor = SHRINK ** max(1, math.ceil(math.log(max(share, SMALLEST_BOX), SHRINK)))
        box = np.where(open_ends[:, None], values[:, None] + factor * (box - values[:, None]), box)
        left *= factor
        if open_ends.all():  # the same rays, shorter: they have been walked
            break
    return box


def filled(
    mechanism: Mechanism, c: Coordinate, found: Feasible | None, chosen: Chosen | None, here: float
) -> Coordinate:
    """A coordinate with its range and start value; SingularityError if it starts outside."""
    if chosen is not None:
        c = replace(c, lower=chosen.lower, upper=chosen.upper)
    assert c.lower is not None and c.upper is not None
    lower, upper = c.lower, c.upper
    periodic = c.periodic or (found is not None and found.full_turn and upper - lower > 2.0 * np.pi - 1e-9)
    start = here if c.start is None else c.start
    if not (periodic or c.outside == "linear" or lower <= start <= upper):
        raise starts_outside(mechanism, replace(c, lower=lower, upper=upper), here)
    return replace(c, lower=lower, upper=upper, periodic=periodic, start=start)


def border_points(values: Array, box: Array) -> Array:
    """Corners and middles of edges and faces (n, nz) of the box, where at most MAX_AXES coordinates leave design."""
    nz = len(values)
    points = []
    for moved in combinations(range(nz), min(nz, MAX_AXES)):
        ends = [(box[k, 0], values[k], box[k, 1]) if k in moved else (values[k],) for k in range(nz)]
        points += list(product(*ends))
    unique = np.array(list(dict.fromkeys(points)))
    return unique[(unique != values).sum(axis=1) >= min(2, nz)]


def reachable_share(closure: Closure, q: Array, values: Array, box: Array) -> float:
    """How far (0..1) the rays from design to corners and middles of edges and faces of the box can all be walked.

    Of more coordinates than a table has axes, those of so many at a time: no table asks for more.
    Rays along a single one of several coordinates are left out: each coordinate's own range is looked at by itself.
    """
    points = border_points(values, box)
    here_q, here_z = np.repeat(q[None], len(points), 0), np.repeat(values[None], len(points), 0)
    length = np.linalg.norm((points - values) * closure.coordinate_weight, axis=1)
    for share in np.linspace(0.0, 1.0, BOX_STEPS + 1)[1:]:
        step = follow(closure, here_q, here_z, values + share * (points - values))
        here_q, here_z = step.q, step.z
        if not step.reached.all():
            walked = np.linalg.norm((here_z - values) * closure.coordinate_weight, axis=1)[~step.reached]
            return float((walked / length[~step.reached]).min())
    return 1.0
