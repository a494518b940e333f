"""Where stops of springs touch over the travel of an axle's wheels: what an engineer compares with the clearances."""

from __future__ import annotations

import numpy as np

from precompute.arrays import Array
from precompute.rig.cases import CASES
from precompute.rig.march import march
from precompute.rig.ranges import usual_ranges
from precompute.rig.rates import Picked
from precompute.rig.records import moved_elements
from precompute.rig.stand import Stand

POINTS = 9
"""To each side of the design position; where a stop touches lies between two of them, on a line."""


def stops_line(on: Stand) -> str | None:
    """Of all springs that the wheel moves, each text once; None where none has a stop."""
    side = next(side for side in on.sides if not side.mirrored)
    mechanism = on.mechanism
    springs = [(k, mechanism.springs[k]) for k in moved_elements(on, side) if k < len(mechanism.springs)]
    stopped = [(k, s) for k, s in springs if s.bump_stop or s.rebound_stop]
    if not stopped:
        return None
    low, high = usual_ranges(on)["travel"]
    bump = next(case for case in CASES if case.name == "bump")
    (course,) = march(on, [bump], [np.unique([*np.linspace(low, 0.0, POINTS), *np.linspace(0.0, high, POINTS)])])
    lengths = Picked(on, side, len(course.values))(on.rig.at(course.rest.q).s)
    told: dict[str, str] = {}  # what is said -> of the first spring of which it is
    for number, spring in stopped:
        k = on.rig.laws.acts_on[number]
        unit = mechanism.units.told(on.rig.laws.measures[k].unit(mechanism))
        parts = []
        for what, stop, way in (("bump", spring.bump_stop, 1.0), ("rebound", spring.rebound_stop, -1.0)):
            if stop is not None:
                gaps = way * (lengths[:, k] - stop.at)
                pressed = f"pressed by {unit.text(-float(np.interp(0.0, course.values, gaps)), 3)} at design"
                parts.append(f"{what} {touching(on, course.values, gaps) or pressed}")
        told.setdefault(", ".join(parts), spring.name)
    if len(told) == 1:
        return next(iter(told))
    return "; ".join(f"{name}: {text}" for text, name in told.items())


def touching(on: Stand, travel: Array, gaps: Array) -> str | None:
    """Where a gap closes nearest to design; None if it is closed there."""
    shown = on.mechanism.units.shown
    if np.interp(0.0, travel, gaps) <= 0.0:
        return None
    closing = np.flatnonzero((gaps[:-1] > 0.0) != (gaps[1:] > 0.0))
    if not closing.size:
        return f"nowhere from {shown(float(travel[0]), digits=3)} to {shown(float(travel[-1]), digits=3)}"
    share = gaps[closing] / (gaps[closing] - gaps[closing + 1])
    found = travel[closing] + share * (travel[closing + 1] - travel[closing])
    return f"from {shown(float(found[np.argmin(np.abs(found))]), digits=3)} on"
