"""What `kinetab check` has to say about a mechanism, as data and in plain words."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from precompute import loops, measures
from precompute.arrays import Array
from precompute.assembly import RANK_TOLERANCE, Configuration, close_loops
from precompute.candidates import PREFERENCE, describe
from precompute.charts import cover
from precompute.coefficients import Closure, factorize, velocity_coefficients
from precompute.columns import smallest_inertia
from precompute.continuation import follow
from precompute.coordinates import Coordinates, box_reachable, choose_coordinates, margins
from precompute.decouple import Axes, Dependence, find_dependence, loop_dependence
from precompute.inertia import reduced_inertia, spatial_inertias
from precompute.inertia_check import SINGULAR_INERTIA, no_inertia
from precompute.kinematics import velocities
from precompute.mechanism import Coordinate, Mechanism
from precompute.ranges import Feasible, feasible_range
from precompute.reduction import resolve
from precompute.selection import Ranked, Selection, select, table
from precompute.topology import Topology, spanning_tree

SHOWN = 6
"""Sets of coordinates in the ranking that is printed."""

SAMPLES = 32
"""Points per coordinate at which the condition number is looked at."""


@dataclass(frozen=True)
class LoopReport:
    """One loop."""

    cut: str
    joints: tuple[str, ...]
    equations: int
    redundant: int  # how many of its equations follow from the others
    coordinates: tuple[str, ...]  # that move its corners


@dataclass(frozen=True)
class CoordinateReport:
    """One independent coordinate, in SI units."""

    name: str
    of: str
    unit: str
    lower: float
    upper: float
    periodic: bool
    design: float
    feasible: Feasible
    within: bool  # the range lies inside the feasible one
    safe: tuple[float, float]  # the largest range that keeps the usual margin to every singular end
    worst_condition: float  # along it, the others at design
    worst_at: float

    @property
    def causes(self) -> tuple[str, str]:
        """What stops it below and above."""
        return self.feasible.lower_cause, self.feasible.upper_cause

    @property
    def margins(self) -> tuple[float | None, float | None]:
        """From each end of the range to the singularity beyond it, negative if it is passed; None if there is none."""
        f = self.feasible
        below = self.lower - f.lower if f.lower_singular else None
        return below, f.upper - self.upper if f.upper_singular else None

    def shown(self, value: float) -> str:
        """A value of it in degrees or millimetres."""
        return measures.display(value, self.unit == "rad")


@dataclass(frozen=True)
class Report:
    """All of it."""

    name: str
    bodies: tuple[str, ...]
    mass: float
    gravity: tuple[float, ...]
    dof: int
    joint_freedoms: int
    equations: int
    rank: int
    reference_length: float
    given_gap: float  # the largest loop gap of the design as given [m]
    tree: tuple[str, ...]
    loops: tuple[LoopReport, ...]
    notes: tuple[str, ...]
    reason: str
    condition: float  # at design
    coordinates: tuple[CoordinateReport, ...]
    blocks: tuple[tuple[tuple[str, ...], tuple[str, ...]], ...]  # coordinates, and the bodies that depend on just them
    box_reachable: bool  # whether all corners of the ranges can be reached together
    ranking: tuple[Ranked, ...]  # sets of coordinates over the whole motion, best first
    chosen: tuple[str, ...]  # labels of the set that is used

    @property
    def problems(self) -> tuple[str, ...]:
        """Ranges that cannot be swept."""
        single = tuple(
            f"the range of '{c.name}', {c.shown(c.lower)} to {c.shown(c.upper)}, leaves the feasible "
            f"one, {c.shown(c.feasible.lower)} to {c.shown(c.feasible.upper)}: "
            + "; ".join(cause for cause, m in zip(c.causes, c.margins, strict=True) if m is not None and m < 0.0)
            + f". Largest safe range: {c.shown(c.safe[0])} to {c.shown(c.safe[1])}"
            for c in self.coordinates
            if not c.within
        )
        if single or self.box_reachable:
            return single
        return (
            "some corner of the ranges cannot be reached, though each range can be with the others at design; "
            "narrow the ranges",
        )

    def as_dict(self) -> dict[str, Any]:
        """JSON-able."""
        return {**asdict(self), "problems": list(self.problems), "ranking": [finite(asdict(r)) for r in self.ranking]}


def finite(values: dict[str, Any]) -> dict[str, Any]:
    """JSON has no infinity: None instead."""
    return {k: None if isinstance(v, float) and not np.isfinite(v) else v for k, v in values.items()}


def ranked(coordinates: Coordinates, design: Configuration) -> Selection:
    """The ranking over the whole motion, with the coordinates of the file in it if they were named."""
    if coordinates.selection is not None:
        return coordinates.selection
    c = coordinates.closure
    return select(c.mechanism, c.topology, design.q, len(coordinates.free), named=coordinates.free)


def inspect(mechanism: Mechanism) -> Report:
    """Everything short of the sweep.

    Raises:
        PrecomputeError: it cannot be assembled, cannot move, or the coordinates do not fit.
    """
    return inspect_drawable(mechanism)[0]


def inspect_drawable(mechanism: Mechanism) -> tuple[Report, tuple[Coordinates, Configuration, Selection]]:
    """The report, and what a picture of the choice of coordinates is made from."""
    topology = spanning_tree(mechanism)
    design = close_loops(mechanism, topology)
    atlas = cover(choose_coordinates(mechanism, topology, design), design)
    coordinates = atlas.pieces[0].coordinates
    resolve(mechanism, design, atlas)  # a preload that its table never reaches is found here
    check_design_inertia(coordinates, design)
    dependence, samples = find_dependence(coordinates, design)
    closure = Closure(mechanism, topology)
    selection = ranked(coordinates, design)
    phi_q = closure.matrix(closure.poses(design.q)) * closure.rate_weight
    report = Report(
        name=mechanism.name,
        bodies=tuple(b.name for b in mechanism.bodies),
        mass=sum(b.mass for b in mechanism.bodies),
        gravity=tuple(mechanism.gravity.tolist()),
        dof=len(coordinates.free),
        joint_freedoms=topology.nv,
        equations=phi_q.shape[0],
        rank=rank(phi_q),
        reference_length=closure.length,
        given_gap=design.given_gap,
        tree=tree_lines(mechanism, topology),
        loops=loop_reports(mechanism, topology, phi_q, loop_dependence(coordinates, samples), coordinates.names),
        notes=topology.notes,
        reason=coordinates.reason,
        condition=coordinates.condition,
        coordinates=tuple(coordinate_report(coordinates, design, k) for k in range(len(coordinates.free))),
        blocks=blocks(mechanism, dependence, coordinates.names),
        box_reachable=box_reachable(
            coordinates.closure, design.q, coordinates.design, np.array([(c.lower, c.upper) for c in coordinates.free])
        ),
        ranking=selection.ranking,
        chosen=labels_of(selection, coordinates.free),
    )
    return report, (coordinates, design, selection)


def labels_of(selection: Selection, free: tuple[Coordinate, ...]) -> tuple[str, ...]:
    """How the ranking writes the coordinates that are used."""
    found = {c.label: c.coordinate.of for members in selection.members for c in members}
    return tuple(next(label for label, of in found.items() if of == c.of) for c in free)


def check_design_inertia(coordinates: Coordinates, design: Configuration) -> None:
    """Motion without mass at the design position, before anything is swept."""
    closure = coordinates.closure
    P = closure.poses(design.q)
    B = velocity_coefficients(closure, factorize(closure, closure.matrix(P)))
    W = velocities(closure.topology.reach, P.S, B)
    J = reduced_inertia(spatial_inertias(closure.mechanism, closure.topology, P), W)[6:, 6:]
    smallest = float(smallest_inertia(closure, J))
    if smallest < SINGULAR_INERTIA:
        raise no_inertia(coordinates, coordinates.design, smallest)


def rank(A: Array) -> int:
    """Numerical rank."""
    if not A.size:
        return 0
    s = np.linalg.svd(A, compute_uv=False)
    return int((s > RANK_TOLERANCE * s[0]).sum())


def tree_lines(mechanism: Mechanism, topology: Topology) -> tuple[str, ...]:
    """The tree, a line per arc: base -joint-> body."""
    return tuple(
        f"{topology.bodies[a.base]} -{mechanism.joints[a.joint].name}-> {topology.bodies[a.body]}"
        for a in topology.arcs
    )


def blocks(
    mechanism: Mechanism, dependence: Dependence, names: tuple[str, ...]
) -> tuple[tuple[tuple[str, ...], tuple[str, ...]], ...]:
    """Bodies by the coordinates that they depend on, fewest coordinates first."""
    order = sorted(set(dependence.bodies), key=lambda axes: (len(axes), axes))
    members = {a: [b.name for b, d in zip(mechanism.bodies, dependence.bodies, strict=True) if d == a] for a in order}
    return tuple((tuple(names[k] for k in axes), tuple(members[axes])) for axes in order)


def loop_reports(
    mechanism: Mechanism, topology: Topology, phi_q: Array, moved_by: tuple[Axes, ...], coordinates: tuple[str, ...]
) -> tuple[LoopReport, ...]:
    """Each loop with the rank of its own rows and the coordinates that move it."""
    names = np.array(loops.row_names(mechanism, topology))
    out = []
    for i in range(topology.n_loops):
        joints = topology.loop_joints(mechanism, i)
        rows = phi_q[names == joints[0]]
        movers = tuple(coordinates[k] for k in moved_by[i])
        out.append(LoopReport(joints[0], joints, len(rows), len(rows) - rank(rows), movers))
    return tuple(out)


def coordinate_report(coordinates: Coordinates, design: Configuration, k: int) -> CoordinateReport:
    """Range asked against range feasible, and the condition number along it."""
    c, closure, z = coordinates.free[k], coordinates.closure, coordinates.design
    assert c.lower is not None and c.upper is not None
    feasible = coordinates.feasible[k] or feasible_range(closure, design.q, z, k)
    worst, at = worst_condition(closure, design.q, z, k, c)
    inside = feasible.lower <= c.lower + 1e-9 and c.upper <= feasible.upper + 1e-9
    angle = measures.is_angle(closure.mechanism, c.of)
    free = not (feasible.lower_singular or feasible.upper_singular)
    return CoordinateReport(
        name=c.name, of=describe(c.of), unit="rad" if angle else "m", lower=c.lower, upper=c.upper,
        periodic=c.periodic, design=float(z[k]), feasible=feasible, within=inside or feasible.full_turn or free,
        safe=margins(feasible, float(z[k])), worst_condition=worst, worst_at=at,
    )  # fmt: skip


def worst_condition(closure: Closure, q: Array, z: Array, k: int, c: Coordinate) -> tuple[float, float]:
    """Largest condition number over the range of coordinate k, the others at design, and where."""
    worst, at = float(factorize(closure, closure.matrix(closure.poses(q))).condition), float(z[k])
    for end in (c.lower, c.upper):
        here_q, here_z = q[None], z[None].copy()
        for target in np.linspace(z[k], end, SAMPLES // 2 + 1)[1:]:  # type: ignore[arg-type]
            z_to = here_z.copy()
            z_to[0, k] = target
            step = follow(closure, here_q, here_z, z_to)
            here_q, here_z = step.q, step.z
            if float(step.condition[0]) > worst:
                worst, at = float(step.condition[0]), float(here_z[0, k])
            if not step.reached[0]:
                break
    return worst, at


def text(report: Report) -> str:
    """The report in plain words."""
    r = report
    redundant = r.equations - r.rank
    gravity = "off" if not any(r.gravity) else f"({', '.join(f'{g:g}' for g in r.gravity)}) m/s2"
    lines = [
        f"{r.name}: {len(r.bodies)} bodies ({', '.join(r.bodies)}), {r.mass:.4g} kg, gravity {gravity}",
        f"Degrees of freedom: {r.dof} = {r.joint_freedoms} joint freedoms - rank {r.rank} of {r.equations} loop "
        "equations" + (f" ({redundant} repeat others: planar or spherical loops, no harm)" if redundant else ""),
        f"Reference length (makes angles and lengths comparable): {1e3 * r.reference_length:.4g} mm",
    ]
    if r.given_gap > 1e-9 * r.reference_length:
        lines.append(f"The design as given was open by {1e3 * r.given_gap:.4g} mm; it was assembled")
    lines += ["", "Tree (base -joint-> body)", *(f"  {line}" for line in r.tree)]
    if r.loops:
        lines += ["", "Loops (cut at the first joint)"]
        lines += [
            f"  {', '.join(lp.joints)}: {lp.equations} equation{'s' * (lp.equations != 1)}"
            + (f", {lp.redundant} redundant" if lp.redundant else "")
            + f"; moved by {', '.join(lp.coordinates) or 'nothing'}"
            for lp in r.loops
        ]
    lines += [f"Note: {note}" for note in r.notes]
    lines += ["", f"Independent coordinates, {r.reason}; condition number at design {r.condition:.3g}"]
    for c in r.coordinates:
        f = c.feasible
        reach = "a full turn" if f.full_turn else f"{c.shown(f.lower)} to {c.shown(f.upper)}"
        lines += [
            f"  {c.name} ({c.of}): {c.shown(c.lower)} to {c.shown(c.upper)}" + (", periodic" if c.periodic else ""),
            f"    feasible with the others at design: {reach}",
            *(
                f"    {side} that, {c.shown(margin)} beyond the range: {cause}"
                for side, margin, cause in zip(("below", "above"), c.margins, c.causes, strict=True)
                if margin is not None
            ),
            f"    condition number along it: at most {c.worst_condition:.3g}, at {c.shown(c.worst_at)}",
        ]
    lines += ["", "Tables (coordinates -> bodies that depend on just them)"]
    width = max(len(" x ".join(names)) for names, _ in r.blocks)
    lines += [f"  {' x '.join(names) or '-':<{width}} -> {', '.join(bodies)}" for names, bodies in r.blocks]
    lines += ["", f"Ranking over the motion from design (* used; {PREFERENCE:g} times worse is accepted of what"]
    lines += ["engineers prefer: springs, wheel travel, joints on the ground)", *table(r.ranking, SHOWN, r.chosen)]
    return "\n".join(lines)
