"""How far the stiff coordinates may deflect before their Taylor polynomials are worse than the tolerance for them.

Deflections count from where tables are expanded about.  Along one stiff coordinate at a time, both ways, at scattered
configurations: the polynomials of all fields against exact solutions, relative to what is natural for the field.  The
error grows with some power of the deflection, so a few steps of the secant method on logarithms find the deflection
where it meets the tolerance.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from dataclasses import replace

import numpy as np

from precompute.arrays import Array
from precompute.coordinates.decouple import deflections
from precompute.coordinates.independent import Coordinates
from precompute.kinematics.continuation import follow
from precompute.tables.columns import natural_field_scales
from precompute.tables.field_data import Asked, FieldData, Term, evaluate_fields
from precompute.tables.fields import Fields

SAMPLES = 6
"""Configurations at which deflections are tried."""

STEPS = 4
"""Of the search; each usually gains a digit."""

LARGEST = 5.0
"""Deflections of more than this many times a large one are not asked for."""


def validity_radius(coordinates: Coordinates, fields: Fields, samples: Array, tolerance: float) -> Array:
    """Deflections (ns,) [m or rad] up to which the error stays within the tolerance.

    Args:
        coordinates: with their stiff ones.
        fields: all of them.
        samples: (n, nq) configurations that are expanded about.
        tolerance: relative to what is natural for each field.
    """
    if not coordinates.stiff:
        return np.zeros(0)
    full = coordinates.full
    q = np.concatenate([samples[:SAMPLES], samples[:SAMPLES]])
    side = np.repeat([1.0, -1.0], len(q) // 2)
    stiff = tuple(range(fields.nf, fields.nf + fields.ns))
    data = evaluate_fields(full, fields, q, replace(Asked.all(fields, stiff), beyond=highest_powers(fields)))
    scale = natural_field_scales(full, fields, data.value)
    z = full.values(full.poses(q))

    def errors(tried: dict[int, float]) -> dict[int, float]:
        """Largest relative error with each stiff coordinate deflected alone, infinite where it cannot be assembled."""
        to = np.repeat(z[None], len(tried), 0)
        for own, (i, deflection) in zip(to, tried.items(), strict=True):
            own[:, fields.nf + i] += side * deflection
        start_q, start_z = np.tile(q, (len(tried), 1)), np.tile(z, (len(tried), 1))
        there = follow(full, start_q, start_z, to.reshape(start_z.shape))
        exact = evaluate_fields(full, fields, there.q, Asked.all(fields, ())).value.reshape(len(tried), len(q), -1)
        missing = there.reached.reshape(len(tried), -1)
        found = {}
        for (i, deflection), value, reached in zip(tried.items(), exact, missing, strict=True):
            error = np.abs(polynomial(fields, data, i, side * deflection) - value) / scale
            found[i] = float(error.max()) if reached.all() else float("inf")
        return found

    return np.array(largest_within(errors, deflections(coordinates).tolist(), tolerance))


def highest_powers(fields: Fields) -> frozenset[Term]:
    """What differences must give of the polynomials along one stiff coordinate at a time."""
    beyond = ((f, field) for f, field in enumerate(fields.items) if field.order > field.exact)
    return frozenset((f, (i,) * field.order) for f, field in beyond for i in field.stiff)


def polynomial(fields: Fields, data: FieldData, i: int, d: Array) -> Array:
    """The Taylor polynomials of all fields (n, number of fields), stiff coordinate i deflected by d (n,)."""
    value = data.value.copy()
    for f, field in enumerate(fields.items):
        if i in field.stiff:
            value[:, f] += sum(data.coefficient(f, (i,) * n) * d**n for n in range(1, field.order + 1))
    return value


def largest_within(
    errors: Callable[[dict[int, float]], dict[int, float]], starts: list[float], tolerance: float
) -> list[float]:
    """Deflections, at most LARGEST times `starts`, where errors meet the tolerance from below.

    Args:
        errors: of some deflections, by number.
        starts: a first deflection each.
        tolerance: of errors.
    """
    searches = [search(start, tolerance) for start in starts]
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
    d, good, order = start, 0.0, 2.0
    found: list[tuple[float, float]] = []
    for _ in range(STEPS):
        e = yield d
        if e <= tolerance:
            good = max(good, d)
        if e <= 0.0 or (good == d and d >= LARGEST * start):
            return LARGEST * start if e <= 0.0 else good
        if np.isinf(e):
            d = 0.5 * (d + good) if good else 0.25 * d
            continue
        if found and d != found[-1][0]:
            order = max(1.0, float(np.log(e / found[-1][1]) / np.log(d / found[-1][0])))
        found.append((d, e))
        d = min(d * (0.97 * tolerance / e) ** (1.0 / order), LARGEST * start)
    return good
