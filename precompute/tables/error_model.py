"""The error model of a chart, from what was measured: remainders of Taylor polynomials and errors of splines.

A few remainders stand for all: wherever and however the mechanism is deflected, one of them is nearly as large as the
largest.  Their coefficients have a few digits, since it is an estimate that they make.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from fmu_src.model.reduced_model import ColumnError, ErrorModel, ErrorRows
from fmu_src.model.remainder import ANGLES, ANYTHING, LENGTHS, function_values, functions
from precompute.arrays import Array
from precompute.model.mechanism import Mechanism
from precompute.tables.columns import Columns
from precompute.tables.fields import Fields
from precompute.tables.remainder import axis_functions, simplex
from precompute.tables.validity import Validity

ENOUGH = 0.8
"""Of the largest remainder: what those that are kept reach at every place that is looked at."""

MOST_ROWS = 24
"""Of one kind."""

DIRECTIONS = 24
"""Random deflections at each configuration."""

BITS = 12
"""Of coefficients."""


def error_model(
    mechanism: Mechanism, columns: Columns, natural: Array, errors: Sequence[ColumnError], found: Validity | None
) -> ErrorModel:
    """Of a chart.

    Args:
        mechanism: whose fields they are.
        columns: of all tables.
        natural: (number of fields) their sizes.
        errors: of each column, in their order.
        found: of the stiff coordinates; None if there are none.
    """
    fields = columns.fields
    sizes = kind_sizes(mechanism, fields, natural)
    radius = found.radius if found else np.zeros(0)
    splines, slopes = spline_errors(columns, errors, sizes, radius)
    if found is None:
        return ErrorModel(functions(fields.nf, 0), (), splines, slopes)
    values = [np.abs(part.at(*places(found))) for part in found.remainders]  # (configurations, deflections, nr)
    rows = tuple(part for kind, size in enumerate(sizes) for part in kept_rows(kind, size * natural, found, values))
    return ErrorModel(axis_functions(found.own), rows, splines, slopes)


def kind_sizes(mechanism: Mechanism, fields: Fields, natural: Array) -> Array:
    """(3, number of fields) by which an error is multiplied for each kind; zero if it is none of that kind."""
    found = np.zeros((3, len(fields.items)))
    found[ANYTHING] = 1.0 / natural
    for marker in fields.markers:
        found[LENGTHS, list(marker.r)] = found[ANGLES, list(marker.R)] = 1.0
    for measure, field in fields.measures:
        found[ANGLES if measure.is_angle(mechanism) else LENGTHS, field] = 1.0
    return found


def spline_errors(
    columns: Columns, errors: Sequence[ColumnError], sizes: Array, radius: Array
) -> tuple[tuple[float, float, float], Array]:
    """The largest errors of the splines by kind, without deflection, and (3, ns) what deflections of a radius add.

    A product of deflections counts half for each, |u_i u_j| <= (|u_i| + |u_j|)/2.
    """
    rest, more = np.zeros(len(columns.fields.items)), np.zeros((len(columns.fields.items), len(radius)))
    for own, field, factors in zip(errors, columns.field_of, columns.factors, strict=True):
        error = own.value_error * own.scale
        if not factors:
            rest[field] += error
        for i in factors:
            more[field, i] += error * float(np.prod(radius[list(factors)])) / len(factors)
    largest = (sizes * rest).max(axis=1).tolist()
    return (largest[0], largest[1], largest[2]), (sizes[:, :, None] * more).max(axis=1)


def places(found: Validity) -> tuple[Array, Array]:
    """Functions of the axes (n, nb) at all configurations, and deflections over radii (m, ns): alone, together."""
    own, ns, rng = found.own, found.own.fields.ns, np.random.default_rng(12)
    u = np.concatenate([np.eye(ns), simplex(rng, (DIRECTIONS,), ns), rng.standard_normal((DIRECTIONS, ns)) / ns])
    return function_values(own.axes, axis_functions(own), own.z), u


def kept_rows(kind: int, size: Array, found: Validity, values: Sequence[Array]) -> list[ErrorRows]:
    """Remainders that stand for all of a kind, by degree.

    Args:
        kind: the kind.
        size: (number of fields) what is natural for each, in units of the kind; zero if it is not of the kind.
        found: the remainders.
        values: of each of these (n, m, nr) at n configurations with m deflections.
    """
    some = [np.flatnonzero(size[part.fields] > 0.0) for part in found.remainders]
    number = np.concatenate([np.full(own.size, i) for i, own in enumerate(some)])
    if not number.size:
        return []
    sized = zip(found.remainders, some, values, strict=True)
    all_values = [value[..., own] * size[part.fields[own]] for part, own, value in sized]
    chosen = covering(np.concatenate(all_values, axis=-1).reshape(-1, number.size))
    place, rows = np.concatenate(some), []
    for i, part in enumerate(found.remainders):
        mine = place[[c for c in chosen if number[c] == i]]
        if mine.size:
            coefficients = part.coefficients[mine] * size[part.fields[mine], None, None]
            rows.append(ErrorRows(kind, part.degree, rounded(coefficients)))
    return rows


def covering(values: Array) -> list[int]:
    """Columns of values (n, m) of which, in every row, one is ENOUGH of the largest; or the first MOST_ROWS of them."""
    largest = values.max(axis=1)
    reached, chosen = np.zeros(len(values)), list[int]()
    while len(chosen) < MOST_ROWS and (reached < ENOUGH * largest).any():
        short = np.where(largest > 0.0, reached / np.where(largest > 0.0, largest, 1.0), 1.0)
        chosen.append(int(values[int(np.argmin(short))].argmax()))
        reached = np.maximum(reached, values[:, chosen[-1]])
    return sorted(chosen)


def rounded(x: Array) -> Array:
    """To BITS binary digits."""
    mantissa, exponent = np.frexp(x)
    return np.asarray(np.ldexp(np.round(np.ldexp(mantissa, BITS)), exponent - BITS))


def joined(parts: Sequence[ErrorModel]) -> ErrorModel:
    """Of several charts, which have no stiff coordinates: the largest errors of their splines."""
    if len(parts) == 1:
        return parts[0]
    worst = np.max([part.splines for part in parts], axis=0).tolist()
    return ErrorModel(parts[0].functions, (), (worst[0], worst[1], worst[2]), parts[0].spline_slopes)
