"""A disc on the floor, as data: the frame that it carries along the floor, in which the tables are.

The frame has its origin where disc and floor touch, and turns with the heading of the disc; seen from it the disc leans
and spins.  At design it is where the tables have it.  Heading and the place x, y of the origin are coordinates on which
no table depends: they come last, and only integrate.  See `numpy_runtime.track`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

Vector = tuple[float, float, float]

CYCLIC = ("heading", "x", "y")
"""The last coordinates of a model with a disc on the floor."""

UNIT_TOLERANCE = 1e-6


@dataclass(frozen=True)
class TrackInfo:
    """A disc that rolls or slides on the floor."""

    name: str  # of the joint
    rolling: bool
    spin: int  # number of the coordinate by which a disc that rolls goes forward
    radius: float  # [m]
    point: Vector  # where disc and floor touch at design, in ground axes [m]
    normal: Vector  # of the floor, unit, in ground axes
    forward: Vector  # at design, unit
    floor: tuple[Vector, Vector]  # unit, along which x and y are counted


def track_problem(track: TrackInfo, coordinates: int, stiff: int, charts: int) -> str | None:
    """What is wrong with the disc of a model with so many coordinates, stiff ones and charts; None if nothing is."""
    if stiff or charts > 1:
        return f"disc '{track.name}' on the floor goes with neither stiff coordinates ({stiff}) nor {charts} charts"
    if not 0 <= track.spin < coordinates - len(CYCLIC):
        return f"disc '{track.name}' spins by coordinate {track.spin} of {coordinates}"
    if not (0.0 < track.radius < math.inf and all(map(math.isfinite, track.point))):
        return f"disc '{track.name}' has the radius {track.radius} and touches the floor at {track.point}"
    axes = track.normal, track.forward, *track.floor
    if not all(abs(math.hypot(*axis) - 1.0) <= UNIT_TOLERANCE for axis in axes):
        return f"an axis of disc '{track.name}' is no unit vector"
    across = (track.normal, track.forward), (track.normal, track.floor[0]), (track.normal, track.floor[1]), track.floor
    if not all(abs(sum(x * y for x, y in zip(a, b, strict=True))) <= UNIT_TOLERANCE for a, b in across):
        return f"the axes of disc '{track.name}' are not perpendicular"
    return None
