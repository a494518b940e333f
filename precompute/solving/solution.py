"""A prescribed motion of a mechanism in natural coordinates: each sample exactly, its rates from one factorization.

Samples are solved in chunks, each from the last place of the chunk before: the mechanism goes the way that the motion
goes, however many turns that takes, and stays on its branch.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

import numpy as np

from precompute.errors import OutOfReach, SingularityError, SweepError
from precompute.model.contact_problems import refuse_contact
from precompute.model.mechanism import Mechanism
from precompute.natural import Moved, NaturalModel, Places, natural_model
from precompute.natural.names import coordinate
from precompute.running.samples import Samples
from precompute.solving.outputs import joined, recorded
from precompute.solving.prescribed import Prescribed
from precompute.threads import one_thread

CHUNK = 64
"""Samples that are solved at once; where the straight ways to them cannot be gone, fewer."""

HALVINGS = 22
"""Of the way between two samples, to find where it ends."""

ROUNDING = 1e-12
"""[m or rad] Values below this are told as zero."""

Point = Mapping[str, float]
"""Coordinate -> value."""


@one_thread
def solving_model(mechanism: Mechanism) -> NaturalModel:
    """The model of a mechanism that stands on the ground.

    Raises:
        PrecomputeError: it stands on a disc, something of it has no natural coordinates, or it cannot be assembled.
    """
    refuse_contact(mechanism, "solving a given motion")
    return natural_model(mechanism)


@one_thread
def solve_motion(mechanism: Mechanism, motion: Prescribed, model: NaturalModel | None = None) -> Samples:
    """All markers, coordinates and measures along a motion, by the names that the FMU gives them.

    Args:
        mechanism: the mechanism; a moving chassis stands still here.
        motion: as many coordinates as it has freedoms; stiff directions that are left out have no deflection.
        model: of the mechanism, if it is there already.

    Raises:
        PrecomputeError: too few coordinates are given, or too many, or ones that clash; the motion cannot be followed.
    """
    model = model or solving_model(mechanism)
    given = {name: coordinate(mechanism, model.known, name) for name in motion.motions}
    parts = followed(model, motion)
    return joined([recorded(mechanism, part, moving(model, part, places), given) for part, places in parts])


def followed(model: NaturalModel, motion: Prescribed) -> Iterator[tuple[Prescribed, Places]]:
    """Parts of the motion, one after the other, with their places.

    Raises:
        SweepError: with the time at which the motion cannot be followed, and how far it can.
    """
    first, size, start = 0, CHUNK, None
    while first < len(motion.time):
        part = motion[first : first + size]
        try:
            places = model.positions(part.derivative(0), start)
        except OutOfReach:
            if size == 1:
                raise SweepError(end_of(model, motion, first, start)) from None
            size //= 2
            continue
        yield part, places
        first, size, start = first + len(part.time), min(2 * size, CHUNK), places[-1]


def moving(model: NaturalModel, part: Prescribed, places: Places) -> Moved:
    """The motion at solved places.

    Raises:
        SingularityError: with the first time at which the given coordinates do not determine it.
    """
    try:
        return model.motion(places, *(part.derivative(k) for k in (1, 2, 3)))
    except SingularityError as error:
        if len(part.time) == 1:
            raise SingularityError(f"{error}, at {part.time[0]:.6g} s") from None
    for k in range(len(part.time)):
        moving(model, part[k : k + 1], places[k])
    raise AssertionError("together they are as they are one by one")


def end_of(model: NaturalModel, motion: Prescribed, first: int, start: Places | None) -> str:
    """Where a motion ends whose sample `first` cannot be reached from the one before, or from design; in words."""
    wanted, time = motion.at(first), float(motion.time[first])
    asked = f"{in_words(model, wanted)} at {time:.6g} s cannot be reached"
    if start is None:
        start = model.design
        design = {name: float(v[0]) for name, v in model.values(start, list(wanted)).items()}
        far = in_words(model, farthest(model, design, wanted, start)[1])
        return f"{asked}; from design the mechanism gets as far as {far}. Let the motion start inside of that"
    share, far_point = farthest(model, motion.at(first - 1), wanted, start)
    last = (1.0 - share) * float(motion.time[first - 1]) + share * time
    far = f"{in_words(model, far_point)}, at {last:.6g} s"
    return f"{asked}; the mechanism gets as far as {far}. Let the motion end or turn before that"


def in_words(model: NaturalModel, point: Point) -> str:
    """Values of coordinates in the units of the file: "crank = 52 deg, rack = 3 mm"."""
    clean = {name: v if abs(v) > ROUNDING else 0.0 for name, v in point.items()}
    return ", ".join(f"{name} = {model.known[name].shown(model.mechanism, v)}" for name, v in clean.items())


def farthest(model: NaturalModel, start: Point, end: Point, places: Places) -> tuple[float, Point]:
    """How far (0..1) the straight way from one point to another can be gone, and the point there.

    Each try starts from the farthest place so far: what is left to go is short, and so are the steps there.
    """
    steps, reached = 2**HALVINGS, [places]

    def point(k: int) -> Point:
        return {name: (1.0 - k / steps) * start[name] + k / steps * end[name] for name in end}

    def reachable(k: int) -> bool:
        try:
            reached.append(model.positions({name: np.array([v]) for name, v in point(k).items()}, reached[-1]))
        except OutOfReach:
            return False
        return True

    k = last_true(reachable, 0, steps)
    return k / steps, point(k)


def last_true(holds: Callable[[int], bool], low: int, high: int) -> int:
    """The last number up to which something holds, from `low`, where it does, to `high`, where it does not."""
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if holds(middle) else (low, middle)
    return low
