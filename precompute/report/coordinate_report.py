"""What `kinetab check` has to say about the independent coordinates: ranges, limits, condition numbers."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from precompute.arrays import Array
from precompute.coordinates.design_value import design_hint
from precompute.coordinates.independent import Coordinates
from precompute.coordinates.ranges import Feasible
from precompute.coordinates.walks import feasible_ranges, range_asked
from precompute.coordinates.working import Chosen, margins
from precompute.kinematics.assembly import Configuration
from precompute.kinematics.coefficients import Closure, condition_numbers
from precompute.kinematics.continuation import follow
from precompute.model.mechanism import Coordinate
from precompute.units import Units

SAMPLES = 32
"""Points per coordinate at which the condition number is looked at."""


@dataclass(frozen=True)
class CoordinateReport:
    """One independent coordinate, in SI units."""

    name: str
    of: str
    unit: str
    units: Units  # of the file, in which it is told
    lower: float
    upper: float
    periodic: bool
    design: float
    feasible: Feasible
    chosen: Chosen | None  # where the file gives no range
    within: bool  # the range lies inside the feasible one
    safe: tuple[float, float]  # the largest range that keeps the usual margin to every singular end
    worst_condition: float  # along it, the others at design
    worst_at: float
    crossings: tuple[float, ...]  # branch points in its range that it passes
    hint: str  # that the range does not contain the design value, or nothing

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
        """A value of it in the units of the file."""
        return self.units.told(self.unit).text(value)


def coordinate_reports(coordinates: Coordinates, design: Configuration) -> tuple[CoordinateReport, ...]:
    """Range asked against range feasible, and the condition number along it, for each coordinate."""
    closure, z = coordinates.closure, coordinates.design
    unknown = [k for k, found in enumerate(coordinates.feasible) if found is None]
    asked = [range_asked(coordinates.free[k]) for k in unknown]
    walked = dict(zip(unknown, feasible_ranges(closure, design.q, z, unknown, asked), strict=True))
    feasible = [walked.get(k) or found for k, found in enumerate(coordinates.feasible)]
    worst = worst_conditions(coordinates, design.q)
    return tuple(
        coordinate_report(closure, k, c, float(at), found, coordinates.chosen[k], *w)
        for k, (c, at, found, w) in enumerate(zip(coordinates.free, z, feasible, worst, strict=True))
        if found is not None
    )


def coordinate_report(
    closure: Closure,
    k: int,
    c: Coordinate,
    at: float,
    feasible: Feasible,
    chosen: Chosen | None,
    worst: float,
    worst_at: float,
) -> CoordinateReport:
    """Coordinate k, at its design value `at`."""
    assert c.lower is not None and c.upper is not None
    below = not feasible.lower_singular or feasible.lower <= c.lower + 1e-9  # each end by itself
    above = not feasible.upper_singular or c.upper <= feasible.upper + 1e-9
    return CoordinateReport(
        name=c.name, of=c.of.name, unit=c.of.unit(closure.mechanism), units=closure.mechanism.units,
        lower=c.lower, upper=c.upper,
        periodic=c.periodic, design=at, feasible=feasible, chosen=chosen, within=below and above,
        safe=margins(feasible, at), worst_condition=worst, worst_at=worst_at,
        crossings=tuple(x.at for x in closure.crossings if x.axis == k and c.lower - x.half < x.at < c.upper + x.half),
        hint=design_hint(closure.mechanism, c, at),
    )  # fmt: skip


def worst_conditions(coordinates: Coordinates, q: Array) -> list[tuple[float, float]]:
    """Of each coordinate: the largest condition number over its range, the others at design, and where.

    All coordinates are walked from the design q (nq,) to both ends at the same time.
    """
    closure, z = coordinates.closure, coordinates.design
    nz = len(z)
    ends = np.array([end for c in coordinates.free for end in (c.lower, c.upper)], dtype=float)
    member, start = np.repeat(np.arange(nz), 2), np.repeat(z, 2)
    here_q, here_z = np.repeat(q[None], 2 * nz, 0), np.repeat(z[None], 2 * nz, 0)
    worst = np.full(2 * nz, coordinates.condition)
    at = start.copy()
    going = np.arange(2 * nz)
    for share in np.linspace(0.0, 1.0, SAMPLES // 2 + 1)[1:]:
        to = here_z[going]
        to[np.arange(going.size), member[going]] = start[going] + share * (ends - start)[going]
        step = follow(closure, here_q[going], here_z[going], to)
        here_q[going], here_z[going] = step.q, step.z
        condition = condition_numbers(closure, closure.matrix(closure.poses(step.q)))
        more = condition > worst[going]
        worst[going[more]], at[going[more]] = condition[more], here_z[going[more], member[going[more]]]
        going = going[step.reached]
        if not going.size:
            break
    pick = [2 * k + int(np.argmax(worst[2 * k : 2 * k + 2])) for k in range(nz)]
    return [(float(worst[i]), float(at[i])) for i in pick]
