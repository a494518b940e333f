"""The working range of a coordinate that the file gives no range.

The problem: a trailing arm could turn for ever, but its spring and damper could not, and tables over a full turn would
follow them through the pivot.  A crank turns for ever, though a spring may act on what it drives.  Tell the two apart,
and find how far a suspension works about its design.

With s(z) what an element acts on, s0 at design, these tell that a coordinate moves a suspension and not a crank:
  1. a spring goes through its stop, by more than the stop is away from the design;
  2. a spring or damper between two points becomes shorter than 1/LENGTHS or longer than LENGTHS times s0;
  3. one that spans a joint which no loop holds passes a dead centre, where s has an extremum;
  4. columns become too steep for tables: ||B|| exceeds STEEP, or ||dB/dz|| what the nodes resolve.

The range must satisfy:
  1. a coordinate that is driven, or starts with a rate, or of which nothing tells, keeps all that it can do;
  2. otherwise each end is, by itself, the first of: as far beyond a stop as the stop is from the design; a singularity,
     less a margin; or, where there is none, a spring or damper without a stop CHANGE shorter or longer than at design,
     short of its dead centre, where B is steep; and each has its reason;
  3. its ends are round numbers in the units of the file, so that what is printed is what was used.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from precompute.arrays import Array
from precompute.coordinates.ranges import Feasible, OneWay
from precompute.kinematics.coefficients import Closure, factorize, velocity_coefficients
from precompute.model.mechanism import Coordinate, Damper, Measure, Spring

RANGE_MARGIN = 0.1
"""This fraction of the way from design to a singular end, or to a dead centre of a spring, is left out."""

LEAST_MARGIN = 0.01
"""And so much of the whole range, or tables over it could not resolve what becomes steep there."""

STOP_WAY = 2.0
"""A stop is followed this many times the way from the design to where it begins."""

LENGTHS = 2.0
"""Longer than this many times the design length, or shorter than its inverse: no spring of a crank."""

CHANGE = 0.5
"""A spring or damper of a suspension becomes shorter or longer by this share of its design length."""

STEEP = 30.0
"""||B|| from which on tables are steep."""

STEEP_SLOPE = 9.0
"""||dB/dz|| per radian, or reference length, that tables over a full turn resolve with NODES nodes to TOLERANCE: a
four-bar near its change point bakes with 7 and not with 10."""

NODES, TOLERANCE, ORDER = 241, 1e-6, 5
"""Of that; errors of slopes fall with this power of the nodes."""

FLAT = 0.02
"""An element whose slope at design is less than this share of its largest begins at a dead centre, and passes none."""

TINY = 1e-300
"""Instead of zero, where something is divided by it."""

DIGITS = 4
"""Of the width of a range; its ends are rounded to the last of them, towards the design."""


@dataclass(frozen=True)
class Chosen:
    """The range that was chosen where the file gives none, and why each end is where it is."""

    lower: float
    upper: float
    lower_reason: str
    upper_reason: str
    told: str = ""  # what tells that it moves a suspension; empty if it has all that it can do


@dataclass(frozen=True)
class Sign:
    """Where on its way a coordinate meets something that a suspension does not do."""

    at: float  # value of the coordinate
    reason: str  # of the end of a range there
    tells: bool  # whether it is one of the four
    stop: bool = False  # a stop, which ends any range; other signs end one that nothing else ends
    steep: bool = False  # too steep for tables, whoever it is that moves


@dataclass(frozen=True, eq=False)
class Way:
    """A way of one coordinate from the design, as samples."""

    z: Array  # (n,) of the coordinate; the first is the design
    s: Array  # (n, ne) what springs and dampers act on
    slope: Array  # (n, ne) ds/dz
    amplification: Array  # (n,) ||B||
    bend: Array  # (n,) ||dB/dz|| per radian or reference length, over the step before
    alone: bool  # the coordinate is a joint that no loop holds: nothing moves but it

    def crossing(self, inside: Array) -> float | None:
        """Where a function (n,) that is positive inside first vanishes."""
        beyond = np.flatnonzero(inside <= 0.0)
        if not beyond.size or beyond[0] == 0:
            return None
        i = int(beyond[0])
        share = inside[i - 1] / (inside[i - 1] - inside[i])
        return float(self.z[i - 1] + share * (self.z[i] - self.z[i - 1]))


def chosen_range(closure: Closure, k: int, c: Coordinate, down: OneWay, up: OneWay, found: Feasible) -> Chosen:
    """The range of coordinate k from its two ways."""
    here = float(way_of(closure, k, down.samples[:1]).z[0])
    ends = with_margins(found, here)
    if c.driven or c.start_rate or c.periodic:
        return rounded(closure, k, here, ends, found)
    ways = [way_of(closure, k, w.samples) for w in (down, up)]
    endless = not (down.stopped or up.stopped)
    limits = [(ends.lower, ends.lower_reason), (ends.upper, ends.upper_reason)]
    signs = [
        [sign for sign in signs_of(closure, way, w.stopped, endless) if abs(sign.at - here) < abs(end - here)]
        for way, w, (end, _) in zip(ways, (down, up), limits, strict=True)
    ]
    tells = [sign for side in signs for sign in side if sign.tells]
    for i, (side, way) in enumerate(zip(signs, (down, up), strict=True)):
        ending = [sign for sign in side if (tells and (sign.stop or not way.stopped)) or sign.steep]
        if ending:
            first = min(ending, key=lambda sign: abs(sign.at - here))
            limits[i] = first.at, first.reason
    told = min(tells, key=lambda sign: abs(sign.at - here)).reason if tells else ""
    (lower, below), (upper, above) = limits
    return rounded(closure, k, here, Chosen(lower, upper, below, above, told), found)


def margins(found: Feasible, here: float) -> tuple[float, float]:
    """A feasible range with a margin at each end that is singular, wide enough for tables over all of it."""
    down, up = here - found.lower, found.upper - here
    below, above = (margin(way, down + up) for way in (down, up))
    lower = found.lower + below * found.lower_singular
    upper = found.upper - above * found.upper_singular
    # where the design is near to one end, the other comes nearer
    near_upper = max(lower, min(upper - above / LEAST_MARGIN, here - above)) if found.upper_singular else lower
    near_lower = min(upper, max(lower + below / LEAST_MARGIN, here + below)) if found.lower_singular else upper
    return near_upper, near_lower


def margin(way: float, whole: float) -> float:
    """What is left out of a way to a singular end, in a range as long as `whole`."""
    return min(max(RANGE_MARGIN * way, LEAST_MARGIN * whole), 0.5 * way)


def with_margins(found: Feasible, here: float) -> Chosen:
    """A feasible range with its margins, and why each end is where it is."""
    lower, upper = margins(found, here)
    down, up = here - found.lower, found.upper - here
    reasons = []
    for way, kept, singular, cause in (
        (down, here - lower, found.lower_singular, found.lower_cause),
        (up, upper - here, found.upper_singular, found.upper_cause),
    ):
        own = way - margin(way, down + up) * singular
        if kept < own - 1e-9 * way:
            reasons.append("the design is so near to the other end that tables over more would not resolve that")
        else:
            reasons.append(f"part of the way is left out to where {cause}" if singular else cause)
    return Chosen(lower, upper, *reasons)


def rounded(closure: Closure, k: int, here: float, ends: Chosen, found: Feasible) -> Chosen:
    """Round numbers in the units of the file, never beyond the ends given; a full turn stays one."""
    if found.full_turn and not ends.told:
        return ends
    scale = closure.mechanism.units.measure(closure.coordinates[k].is_angle(closure.mechanism))
    low, high = scale.back(ends.lower), scale.back(ends.upper)
    places = DIGITS - 1 - math.floor(math.log10(high - low))
    step = 10.0**-places
    counts = math.ceil(low / step), math.floor(high / step)
    lower, upper = (scale(round(count * step, places)) for count in counts)
    if not lower <= here <= upper:
        return ends
    return replace(ends, lower=lower, upper=upper)


def drawn_in(closure: Closure, k: int, here: float, chosen: Chosen, ends: Array, found: Feasible) -> Chosen:
    """The range with its ends (2,) drawn in, for the sake of the other coordinates; as it was where they are not."""
    if chosen.lower == ends[0] and chosen.upper == ends[1]:
        return chosen
    why = "drawn in, since with other coordinates away from the design it cannot go as far as alone"
    told = chosen.told or why  # a full turn is none any more
    less = replace(chosen, lower=float(ends[0]), upper=float(ends[1]), lower_reason=why, upper_reason=why, told=told)
    return rounded(closure, k, here, less, found)


def way_of(closure: Closure, k: int, q: Array) -> Way:
    """What changes along configurations q (n, nq) of coordinate k."""
    P = closure.poses(q)
    B = velocity_coefficients(closure, factorize(closure, closure.matrix(P)))
    weighted = B / closure.rate_weight[:, None] / closure.coordinate_weight
    elements = sprung(closure)
    s = np.stack([e.on.value(P) for e in elements], axis=-1) if elements else np.zeros((len(q), 0))
    slope = np.stack([(e.on.row(P) * B[..., k]).sum(axis=-1) for e in elements], axis=-1) if elements else s
    z = closure.values(P)[:, k]
    step = np.abs(np.diff(z)) * closure.coordinate_weight[k] / closure.length
    return Way(
        z=z,
        s=s,
        slope=slope,
        amplification=np.linalg.norm(weighted, 2, axis=(1, 2)),
        bend=np.concatenate([[0.0], np.linalg.norm(np.diff(weighted, axis=0), axis=(1, 2)) / np.maximum(step, TINY)]),
        alone=int((np.abs(weighted[..., k]).max(axis=0) > 1e-9).sum()) == 1,
    )


def signs_of(closure: Closure, way: Way, singular: bool, endless: bool) -> Iterator[Sign]:
    """All that tells, or would end the range of a suspension, along one way.

    To a singular end B is always steep; and to half a turn short of one, which tells nothing unless both are endless.
    """
    if not singular and (at := way.crossing(1.0 - steepness(closure, way))) is not None:
        yield Sign(at, "there the motion turns so fast with it that tables become too steep", endless, steep=True)
    for i, element in enumerate(sprung(closure)):
        s, here = way.s[:, i], float(way.s[0, i])
        stopped = [False, False]
        for side, stop in enumerate(stops_of(element)):
            outward = (-1.0, 1.0)[side]
            if stop is None or outward * (stop - here) <= 0.0:
                continue
            stopped[side] = True
            if (at := way.crossing(STOP_WAY * outward * (stop - here) - outward * (s - here))) is not None:
                yield Sign(at, stop_reason(closure, element, side, stop), True, True)
        if element.on.segment:
            yield from length_signs(closure, element, way, i, stopped)


def steepness(closure: Closure, way: Way) -> Array:
    """(n,) How steep columns are, over what tables resolve."""
    settings = closure.mechanism.tables
    fine = settings.max_nodes / NODES * (settings.tolerance / TOLERANCE) ** (1.0 / ORDER)
    return np.maximum(way.amplification / STEEP, way.bend / (STEEP_SLOPE * fine))


def length_signs(closure: Closure, element: Sprung, way: Way, i: int, stopped: list[bool]) -> Iterator[Sign]:
    """Of a spring or damper between two points: too short, too long, its dead centre."""
    s, here = way.s[:, i], float(way.s[0, i])
    told = float(s.min()) * LENGTHS < here or float(s.max()) > LENGTHS * here
    for side, share in enumerate((1.0 - CHANGE, 1.0 + CHANGE)):
        inside = (s - share * here) * (1.0, -1.0)[side]
        if not stopped[side] and (at := way.crossing(inside)) is not None:
            length = element.on.shown(closure.mechanism, share * here)
            yield Sign(at, f"there {label(element)} is {share:g} times as long as at design, {length}", told)
    slope = way.slope[:, i]
    moves = abs(slope[0]) > FLAT * float(np.abs(slope).max())
    if moves and (at := way.crossing(slope * np.sign(slope[0]))) is not None:
        begin = float(way.z[0])
        reason = f"part of the way is left out to a dead centre of {label(element)}"
        yield Sign(begin + (1.0 - RANGE_MARGIN) * (at - begin), reason, way.alone)


@dataclass(frozen=True, eq=False)
class Connected:
    """A measure that an element with formulas acts on."""

    name: str  # of the element
    on: Measure


Sprung = Spring | Damper | Connected


def sprung(closure: Closure) -> tuple[Sprung, ...]:
    """What can tell; a constant force cannot."""
    m = closure.mechanism
    return (*m.springs, *m.dampers, *(Connected(device.name, on) for device in m.devices for on in device.pushed))


def stops_of(element: Sprung) -> tuple[float | None, float | None]:
    """Where the bump stop and the rebound stop of an element begin."""
    if not isinstance(element, Spring):
        return None, None
    bump, rebound = element.bump_stop, element.rebound_stop
    return (None if bump is None else bump.at), (None if rebound is None else rebound.at)


def stop_reason(closure: Closure, element: Sprung, side: int, stop: float) -> str:
    """Why a range ends beyond a stop."""
    begins = element.on.shown(closure.mechanism, stop)
    return (
        f"there {label(element)} is as far beyond its {('bump', 'rebound')[side]} stop, which begins at {begins}, as "
        "that is away from the design"
    )


def label(element: Sprung) -> str:
    """An element in words."""
    kinds: dict[type, str] = {Spring: "spring", Damper: "damper", Connected: "element"}
    return f"{kinds[type(element)]} '{element.name}'"
