"""Covering a motion by charts where one coordinate does not serve all of it.

The slider of a crank-slider is a fine coordinate in the middle of its stroke and none at its dead centres.  Where the
file names such a coordinate without a range, or none and no coordinate serves all, and the motion is a closed curve
that it passes, the curve is covered by pieces: the coordinate wherever it is regular, on every branch, and between
them whatever is regular there.

Borders are placed by the distance from the dead centre, as a share of the stroke from one dead centre to the next.  A
piece of the named coordinate covers all but TABLE of the stroke at either end, and hands over at LEAVE; the piece
between covers as much as INSIDE of the strokes to both sides, and hands back at RETURN.  Between LEAVE and RETURN both
serve, and the motion stays in the piece that it is in.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from fmu_src.model.reduced_model import Border, IntArray
from precompute.arrays import Array
from precompute.coordinates.candidates import JOINT, Candidate, candidates
from precompute.coordinates.independent import Coordinates, dead_at_design
from precompute.coordinates.motion_curve import MotionCurve, motion_curve
from precompute.coordinates.ranking import PREFERENCE
from precompute.errors import SingularityError
from precompute.kinematics.assembly import Configuration
from precompute.kinematics.coefficients import Closure, factorize
from precompute.kinematics.continuation import MAX_CONDITION
from precompute.model.mechanism import Coordinate, Measure

TABLE, LEAVE, RETURN, INSIDE = 0.06, 0.08, 0.15, 0.18

SHORTEST = 0.2
"""A stroke that is shorter than this share of the longest one is not worth a piece."""

WEAKEST = 0.05
"""A coordinate that changes by less than this per metre of the curve serves no piece."""


@dataclass(frozen=True, eq=False)
class Piece:
    """A part of the motion with its own coordinates."""

    coordinates: Coordinates
    centre: Configuration  # where its sweep begins
    borders: tuple[Border, ...] = ()


@dataclass(frozen=True, eq=False)
class Atlas:
    """All pieces; the motion starts in the first."""

    pieces: tuple[Piece, ...]
    named: tuple[Coordinate, ...]  # the coordinates that the file names, or that were found for it
    curve: MotionCurve | None = None  # where there are several

    def lap(self, measure: Measure) -> float:
        """What a measure grows by each time the motion goes all round."""
        return 0.0 if self.curve is None else self.curve.lap(measure)


@dataclass(frozen=True)
class Arc:
    """Samples of the curve, as fractional numbers: the table's ends, and inside them the two borders."""

    named: bool  # the file's coordinate serves it
    first: float
    begin: float
    end: float
    last: float


def cover(coordinates: Coordinates, design: Configuration) -> Atlas:
    """One piece where the coordinates serve the range; else as many as it takes.

    Raises:
        SingularityError: the design is a dead centre, and no charts lead over it.
    """
    atlas = covering(coordinates, design) if passes_dead_centre(coordinates) else None
    if atlas is not None:
        return atlas
    if coordinates.condition > MAX_CONDITION:
        raise dead_at_design(coordinates.closure, design, coordinates.free, coordinates.condition)
    return Atlas((Piece(coordinates, design),), coordinates.free)


def covering(coordinates: Coordinates, design: Configuration) -> Atlas | None:
    """Pieces that cover the whole motion; None if it is not closed, or no coordinates are found for some piece."""
    curve = motion_curve(coordinates.closure, design.q)
    if curve is None:
        return None
    named = coordinates.free[0]
    rate = curve.rates((Candidate(named.name, named, JOINT, ""),))[0]
    arcs = find_arcs(rate, curve.values(named.of, np.arange(curve.n)), curve.lap(named.of))
    chosen = [named if arc.named else best(curve, arc) for arc in arcs]
    if not arcs or any(c is None for c in chosen):
        return None
    found: list[Coordinate] = [c for c in chosen if c is not None]
    given = coordinates.closure.mechanism.coordinates or (Coordinate(named.name, named.of),)  # no start of its own
    if not arcs[0].named:
        found[0] = started_elsewhere(given[0], found[0])
    pieces = [piece(coordinates, design, curve, arcs, found, k) for k in range(len(arcs))]
    return Atlas(tuple(pieces), (named,), curve)


def started_elsewhere(named: Coordinate, own: Coordinate) -> Coordinate:
    """The coordinate of the first piece, where that is not the named one: the design is near its dead centre."""
    if named.start is not None or named.start_rate:
        raise SingularityError(
            f"the design position is at or near a dead centre of '{named.name}', so its `start` and `rate` cannot "
            f"start the motion. Take them out and set q_start.{own.name} and qd_start.{own.name} of the FMU; or move "
            "the design position away from the dead centre."
        )
    return own


def passes_dead_centre(coordinates: Coordinates) -> bool:
    """Whether one coordinate, without a range in the file, ends at a dead centre or begins at one, and may pass it.

    A suspension may not: its springs and stops tell, or a wheel where the coordinate was chosen automatically. Nor may
    what is driven: its position is given, and beyond the dead centre another coordinate would have to be.
    """
    found, chosen, mechanism = coordinates.feasible[0], coordinates.chosen[0], coordinates.closure.mechanism
    rolling = bool(mechanism.wheels) or any(m.spin_axis is not None for m in mechanism.markers)
    wheels = mechanism.coordinates is None and rolling
    suspension = wheels or (chosen is not None and bool(chosen.told))
    if len(coordinates.free) != 1 or coordinates.stiff or suspension or coordinates.free[0].driven:
        return False
    if found is None:
        return coordinates.free[0].lower is None
    return "dead centre" in (found.lower_limit, found.upper_limit)


def find_arcs(rate: Array, value: Array, lap: float) -> list[Arc]:
    """Arcs in the order of the motion, in turn of the named coordinate and between; the first contains the design.

    Args:
        rate: (n,) of the named coordinate along the curve, from the design on.
        value: (n,) of the coordinate.
        lap: what it grows by per round.

    Returns:
        As many as there are pieces; none if there is no dead centre, or a stroke is too short.
    """
    n = len(rate)
    number = np.arange(-2 * n, 2 * n + 1)
    c, r = value[number % n] + (number // n) * lap, rate[number % n]
    r = np.where(r == 0.0, np.finfo(float).tiny * np.sign(np.roll(r, 1)), r)  # a sample may be a dead centre
    turns = [float(number[i] + r[i] / (r[i] - r[i + 1])) for i in np.flatnonzero(np.sign(r[:-1]) != np.sign(r[1:]))]
    strokes = [Stroke(a, b, number, c) for a, b in pairwise(turns)]
    lengths = [stroke.length for stroke in strokes]
    if not strokes or min(lengths) < SHORTEST * max(lengths):
        return []
    arcs = []
    for here, there in pairwise(strokes):
        arcs.append(Arc(True, *(here.at(share) for share in (TABLE, LEAVE, 1.0 - LEAVE, 1.0 - TABLE))))
        arcs.append(Arc(False, here.at(1.0 - INSIDE), here.at(1.0 - RETURN), there.at(RETURN), there.at(INSIDE)))
    # the named coordinate is preferred, then whatever comes first; one round of it
    around = [k for k, arc in enumerate(arcs) if arc.begin < 0.0 < arc.end]
    first = min(around, key=lambda k: (not arcs[k].named, k))
    return [arc for arc in arcs[first:] if arc.end < arcs[first].end + n - 0.5]


@dataclass(frozen=True, eq=False)
class Stroke:
    """The motion between two dead centres of the named coordinate, which goes one way there."""

    begin: float  # fractional sample numbers of the dead centres
    end: float
    number: IntArray  # (m,) sample numbers of several rounds
    value: Array  # (m,) of the coordinate

    @property
    def length(self) -> float:
        """From end to end [rad or m]."""
        a, b = np.interp((self.begin, self.end), self.number, self.value)
        return float(abs(b - a))

    def at(self, share: float) -> float:
        """Where the coordinate has made this share of the stroke, as a fractional sample number."""
        inside = self.number[(self.number > self.begin) & (self.number < self.end)].astype(float)
        points = np.array([self.begin, *inside, self.end])
        c = np.interp(points, self.number, self.value)
        return float(np.interp(share, np.maximum.accumulate((c - c[0]) / (c[-1] - c[0])), points))


def best(curve: MotionCurve, arc: Arc) -> Coordinate | None:
    """The coordinate that changes most steadily along an arc; what an engineer would choose counts for more."""
    found = candidates(curve.closure.mechanism)
    i = np.arange(int(np.floor(arc.first)), int(np.ceil(arc.last)) + 1)
    rates = curve.rates(found)[:, i % curve.n]
    steady = np.where((np.sign(rates) == np.sign(rates[:, :1])).all(axis=1), np.abs(rates).min(axis=1), 0.0)
    preference = np.array([float(np.sign(JOINT - c.rank)) for c in found])
    k = int(np.argmax(steady * PREFERENCE**preference))
    return found[k].coordinate if steady[k] > WEAKEST else None


def piece(
    coordinates: Coordinates,
    design: Configuration,
    curve: MotionCurve,
    arcs: list[Arc],
    chosen: list[Coordinate],
    k: int,
) -> Piece:
    """Piece k: its coordinate with the range of its arc, its centre, and its two borders."""
    arc, coordinate, count = arcs[k], chosen[k], len(arcs)
    ends = [value_at(curve, coordinate.of, i) for i in (arc.first, arc.begin, arc.end, arc.last)]
    middle = 0 if k == 0 else round(0.5 * (arc.first + arc.last))
    q = curve.configuration(middle)
    grows = ends[3] > ends[0]
    lower, upper = sorted((ends[0], ends[3]))
    here = float(value_at(curve, coordinate.of, 0.0)) if k == 0 else None
    start = here if coordinate.start is None else coordinate.start
    if k == 0 and start is not None and not lower <= start <= upper:
        at, low, high = (coordinate.of.shown(curve.closure.mechanism, x) for x in (start, lower, upper))
        raise SingularityError(
            f"coordinate '{coordinate.name}' starts at {at}; around the design position it serves from {low} to "
            f"{high}. Set `start` inside, or move the design position to where the motion is to start."
        )
    closure = Closure(curve.closure.mechanism, curve.closure.topology, (coordinate.of,))
    neighbours = [chosen[(k + 1) % count].of, chosen[k - 1].of]
    watched: list[Measure] = []
    for on in (coordinates.free[0].of, *neighbours):
        if not any(on.same(known) for known in watched):
            watched.append(on)
    own = replace(
        coordinates,
        closure=closure,
        free=(replace(coordinate, lower=lower, upper=upper, start=start, periodic=False),),
        design=closure.values(closure.poses(q)),
        condition=float(factorize(closure, closure.matrix(closure.poses(q))).condition),
        watched=tuple(watched),
        feasible=coordinates.feasible if arc.named else (None,),
        chosen=(None,),
        reason=coordinates.reason if arc.named else "found for the chart around the design position",
    )
    borders = (
        border(curve, chosen, k, +1, ends[2], grows),
        border(curve, chosen, k, -1, ends[1], not grows),
    )
    return Piece(own, replace(design, q=q), borders)


def border(curve: MotionCurve, chosen: list[Coordinate], k: int, way: int, at: float, upper: bool) -> Border:
    """The border of piece k to the one after it (way 1) or before it (way -1); the round ends after the last piece."""
    to = (k + way) % len(chosen)
    lap = way if to != k + way else 0
    return Border(0, upper, at, to, (-lap * curve.lap(chosen[to].of),), lap)


def value_at(curve: MotionCurve, measure: Measure, i: float) -> float:
    """A measure at a fractional sample number of any round."""
    first = int(np.floor(i))
    a, b = curve.values(measure, np.array([first, first + 1]))
    return float(a + (i - first) * (b - a))
