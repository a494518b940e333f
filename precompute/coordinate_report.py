"""What `kinetab check` has to say about one independent coordinate: its range, its limits, its condition numbers."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from precompute import measures
from precompute.arrays import Array
from precompute.assembly import Configuration
from precompute.candidates import describe
from precompute.coefficients import Closure, factorize
from precompute.continuation import follow
from precompute.coordinates import Coordinates, margins
from precompute.mechanism import Coordinate
from precompute.ranges import Feasible, feasible_range

SAMPLES = 32
"""Points per coordinate at which the condition number is looked at."""


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
