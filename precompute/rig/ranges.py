"""How far the rig goes where nobody says: as far as the file does, or as far as rigs usually go.  SI units."""

from __future__ import annotations

import numpy as np

from precompute.kinematics.coefficients import Closure
from precompute.kinematics.continuation import follow
from precompute.kinematics.topology import spanning_tree
from precompute.measures.wheel_travel import WheelTravel
from precompute.model.mechanism import Coordinate, Mechanism
from precompute.rig.quantities import Range
from precompute.rig.stand import Stand

TRAVEL, STEER_ANGLE, STEER_WAY, FORCE, TORQUE = 0.08, float(np.radians(30.0)), 0.05, 3000.0, 100.0
"""To both sides [m, rad, m, N, N m]."""

ROUND = 1e-3
"""[m] Travels that are found from other coordinates are rounded inwards to this."""

LOAD_SHARE = 0.5
"""Of the wheel load at design, that it is changed by."""


def usual_ranges(stand: Stand) -> dict[str, Range]:
    """A range for every kind of input but roll, which follows from travel."""
    load = float(stand.rest.pads[0].mean()) if stand.has_forces else 0.0
    share = max(LOAD_SHARE * load, 0.1 * FORCE)
    return {
        "travel": travel_range(stand) or (-TRAVEL, TRAVEL),
        "steer": steer_range(stand),
        "lateral": (-FORCE, FORCE),
        "braking": (0.0, FORCE),
        "traction": (0.0, FORCE),
        "aligning": (-TORQUE, TORQUE),
        "vertical": (-share, share),
    }


def roll_range(stand: Stand, travel: Range) -> Range:
    """The roll at which the wheels travel as far as they may both ways."""
    most = float(np.arctan(2.0 * min(abs(travel[0]), abs(travel[1])) / stand.track))
    return (-most, most) if most > 0.0 else (-0.05, 0.05)


def steer_range(stand: Stand) -> Range:
    """That of the steering coordinate of the file, counted from design."""
    if stand.steering is None:
        return (-STEER_WAY, STEER_WAY)
    bench = stand.rig.bench
    of, design = bench.closure.coordinates[stand.steering], float(bench.z[stand.steering])
    for c in stand.mechanism.coordinates or ():
        if c.of.same(of) and c.lower is not None and c.upper is not None and c.lower < design < c.upper:
            return (c.lower - design, c.upper - design)
    most = STEER_ANGLE if of.is_angle(stand.mechanism) else STEER_WAY
    return (-most, most)


def travel_range(stand: Stand) -> Range | None:
    """What the ranges of the file's coordinates let the first wheel of the axle travel; None if it does not say."""
    mechanism, bench = stand.mechanism, stand.rig.bench
    wheel = bench.wheels[next(side.wheel for side in stand.sides if not side.mirrored)]
    own = WheelTravel(wheel.name)
    ranged = [c for c in mechanism.coordinates or () if c.lower is not None and c.upper is not None]
    if named := [c for c in ranged if c.of.same(own)]:
        return (float(named[0].lower or 0.0), float(named[0].upper or 0.0))
    found = [end for c in ranged for end in travels_at_ends(mechanism, stand, c, own)]
    low, high = min(found, default=0.0), max(found, default=0.0)
    low, high = np.ceil(low / ROUND - 1e-9) * ROUND, np.floor(high / ROUND + 1e-9) * ROUND
    return (float(low), float(high)) if low < 0.0 < high else None


def travels_at_ends(mechanism: Mechanism, stand: Stand, c: Coordinate, own: WheelTravel) -> list[float]:
    """Travel where a coordinate that is not the steering is at either end, the others at design; stiff ones locked."""
    bench = stand.rig.bench
    if stand.steering is not None and c.of.same(bench.closure.coordinates[stand.steering]):
        return []
    every = mechanism.coordinates or ()
    closure = Closure(mechanism, spanning_tree(mechanism), tuple(x.of for x in every))
    design = closure.values(closure.poses(bench.q))
    ends = np.repeat(design[None], 2, axis=0)
    ends[:, every.index(c)] = (c.lower, c.upper)
    done = follow(closure, np.repeat(bench.q[None], 2, axis=0), np.repeat(design[None], 2, axis=0), ends)
    return [float(x) for x, good in zip(own.value(closure.poses(done.q)), done.reached, strict=True) if good]
