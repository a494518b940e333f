"""How far the stiff coordinates may deflect before their Taylor polynomials are worse than the tolerance for them.

The radii r are measured so that at every configuration of the table the errors of all fields, relative to what is
natural for each, stay within the tolerance for all deflections with

    sum_i |d_i| / r_i <= 1                                                                                         (1)

where deflections count from what the tables are expanded about.  First, along one stiff coordinate at a time at a few
configurations: the error grows with some power of the deflection, so a few steps of the secant method on logarithms
find where it meets the tolerance.  With deflections of that size the remainders of all fields are measured as
polynomials (see `remainder`); these tell how they change over the whole range, its corners included, and in which
directions within (1) they are worst.  There exact solutions have the last word, and the borders of cams.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from dataclasses import dataclass, replace
from itertools import product

import numpy as np

from fmu_src.model.reduced_model import Axis
from fmu_src.model.remainder import function_values, monomials, products
from precompute.arrays import Array
from precompute.coordinates.decouple import deflections
from precompute.coordinates.independent import Coordinates
from precompute.kinematics.continuation import follow
from precompute.tables.border_reach import reach_at_borders
from precompute.tables.fields import Fields
from precompute.tables.remainder import Explored, Remainders, axis_functions, explored, measured_remainders, simplex

SAMPLES = 4
"""Configurations of the first search."""

STEPS = 3
"""Of the first search; each usually gains a digit."""

LARGEST = 5.0
"""Deflections of more than this many times a large one are not asked for."""

LEVELS = (0.0, 0.5, 1.0)
"""Of an axis, as shares of its range: configurations at all combinations are looked at besides scattered ones."""

MOST_CORNERS = 27
"""No more of them."""

DIRECTIONS = 256
"""Random ones within (1), of which the polynomials find the worst."""

WORST = 96
"""Configurations and directions that are tried at the end, those with the largest errors."""

SPARE = 0.97
"""Of the tolerance is used."""


@dataclass(frozen=True, eq=False)
class Validity:
    """How far stiff coordinates may deflect, and what their polynomials leave out."""

    radius: Array  # (ns,) [m or rad] up to which the error stays within the tolerance, by (1)
    remainders: tuple[Remainders, ...]  # over deflections as shares of the radii
    own: Explored  # where they were measured


def validity(
    coordinates: Coordinates, fields: Fields, axes: tuple[Axis, ...], samples: Array, tolerance: float
) -> Validity | None:
    """Measure it; None without stiff coordinates.

    Args:
        coordinates: with their stiff ones.
        fields: all of them.
        axes: of the table.
        samples: (n, nq) configurations that are expanded about.
        tolerance: relative to what is natural for each field.
    """
    if not coordinates.stiff:
        return None
    own = explored(coordinates, fields, axes, with_corners(coordinates, axes, samples))
    most = LARGEST * deflections(coordinates)
    reach = np.array(largest_within(lambda tried: errors_alone(own, tried), deflections(coordinates), tolerance))
    rng = np.random.default_rng(11)
    found = measured_remainders(own, reach, rng)
    radius = np.minimum(within(own, found, tolerance), most / reach)  # over reach
    radius = confirmed(own, found, radius, reach, tolerance, rng)
    radius = np.minimum(radius, reach_at_borders(coordinates, own.q, tolerance) / reach)
    return Validity(radius * reach, tuple(scaled(part, radius) for part in found), own)


def with_corners(coordinates: Coordinates, axes: tuple[Axis, ...], samples: Array) -> Array:
    """Samples (n, nq), and configurations at the ends and in the middle of all axes that can be led there."""
    full, nf = coordinates.full, len(axes)
    z = full.values(full.poses(samples))
    lower, width = np.array([a.lower for a in axes]), np.array([a.upper - a.lower for a in axes])
    levels = [(0.0, 1.0 / 3.0, 2.0 / 3.0) if axis.periodic else LEVELS for axis in axes]
    shares = np.array(list(product(*levels)))[:MOST_CORNERS] if 3**nf <= MOST_CORNERS else np.eye(nf)
    there = lower + shares * width
    nearest = np.argmin((((there[:, None] - z[:, :nf]) / width) ** 2).sum(axis=-1), axis=1)
    to = np.concatenate([there, z[nearest, nf:]], axis=1)
    led = follow(full, samples[nearest], z[nearest], to)
    return np.concatenate([samples, led.q[led.reached]])


# -- one coordinate at a time ------------------------------------------------------------------------------------------


def errors_alone(own: Explored, tried: dict[int, float]) -> dict[int, float]:
    """Largest relative error with each stiff coordinate deflected alone, infinite where it cannot be assembled."""
    ns, numbers = own.fields.ns, np.arange(min(SAMPLES, len(own.q)))
    d = np.zeros((2 * len(tried), ns))
    for k, (i, deflection) in enumerate(tried.items()):
        d[2 * k : 2 * k + 2, i] = deflection, -deflection
    value, _, reached = own.remainders(numbers, np.repeat(d[None], len(numbers), axis=0))
    error = np.where(reached, (np.abs(value) / own.scale).max(axis=-1), np.inf).max(axis=0)
    return {i: float(error[2 * k : 2 * k + 2].max()) for k, i in enumerate(tried)}


def largest_within(
    errors: Callable[[dict[int, float]], dict[int, float]], starts: Array, tolerance: float
) -> list[float]:
    """Deflections, at most LARGEST times `starts`, where errors about meet the tolerance.

    Args:
        errors: of some deflections, by number.
        starts: a first deflection each.
        tolerance: of errors.
    """
    searches = [search(start, tolerance) for start in starts.tolist()]
    tried, found = {i: next(way) for i, way in enumerate(searches)}, [0.0] * len(starts)
    while tried:  # all together: a batch costs hardly more than one
        for i, error in errors(tried).items():
            try:
                tried[i] = searches[i].send(error)
            except StopIteration as end:
                found[i] = end.value
                del tried[i]
    return found


def search(start: float, tolerance: float) -> Generator[float, float, float]:
    """One of them: yields deflections, is sent their errors, and returns what it found."""
    d, order = start, 2.0
    found: list[tuple[float, float]] = []
    for _ in range(STEPS):
        e = yield d
        if e <= 0.0 or (e <= tolerance and d >= LARGEST * start):
            return LARGEST * start
        if np.isinf(e):
            d *= 0.25
            continue
        if found and d != found[-1][0]:
            order = max(1.0, float(np.log(e / found[-1][1]) / np.log(d / found[-1][0])))
        found.append((d, e))
        d = min(d * (SPARE * tolerance / e) ** (1.0 / order), LARGEST * start)
    return d


# -- everywhere, in all directions -------------------------------------------------------------------------------------


def within(own: Explored, found: tuple[Remainders, ...], tolerance: float) -> Array:
    """Radii (ns,) over reach at which each coordinate alone is within the tolerance at all configurations."""
    P = function_values(own.axes, axis_functions(own), own.z)
    alone = np.full(own.fields.ns, np.inf)
    for part in found:
        worst = np.abs(part.at(P, np.eye(own.fields.ns))).max(axis=(0, 2))
        with np.errstate(divide="ignore"):
            alone = np.minimum(alone, (tolerance / worst) ** (1.0 / part.degree))
    return alone


def confirmed(
    own: Explored,
    found: tuple[Remainders, ...],
    radius: Array,
    reach: Array,
    tolerance: float,
    rng: np.random.Generator,
) -> Array:
    """Radii over reach, all made smaller until exact solutions in the worst places and directions are within it."""
    ns = own.fields.ns
    u = np.concatenate([np.eye(ns), -np.eye(ns), simplex(rng, (DIRECTIONS,), ns)]) * radius
    P = function_values(own.axes, axis_functions(own), own.z)
    errors = np.max([np.abs(part.at(P, u)).max(axis=-1) for part in found], axis=0)  # (configurations, directions)
    degree = min(part.degree for part in found)
    share = min(1.0, float((SPARE * tolerance / errors.max()) ** (1.0 / degree)))
    places, ways = np.unravel_index(np.argsort(errors, axis=None)[::-1][:WORST], errors.shape)
    value, _, reached = own.remainders(places, share * (u[ways] * reach)[:, None])
    exact = np.where(reached[:, 0], (np.abs(value[:, 0]) / own.scale).max(axis=-1), np.inf)
    over = float(exact[np.isfinite(exact)].max(initial=0.0)) / (SPARE * tolerance)
    if not reached.all():
        share *= 0.5
    return radius * share * min(1.0, over ** (-1.0 / degree) if over > 0.0 else 1.0)


def scaled(part: Remainders, radius: Array) -> Remainders:
    """The same remainders over deflections as shares of other reaches, `radius` (ns,) times as large."""
    larger = products(radius, monomials(radius.size, part.degree))
    return replace(part, coefficients=part.coefficients * larger)
