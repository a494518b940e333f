"""The columns of the tables: the Taylor coefficients of the fields, sorted into blocks by the axes they depend on.

What deflections multiply needs fewer digits than what they do not, and the slopes of the highest derivatives are not
known: each of these levels has blocks of its own.

    name          the field at zero deflection
    name|i        its slope along the stiff coordinate i
    name|i*j      its second derivative along i and j, i < j;  half of it for i = j

so that with the columns as factors the field is  c + sum_i c_i d_i + sum_i<=j c_ij d_i d_j.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from functools import cached_property
from itertools import combinations_with_replacement

import numpy as np
from numpy.typing import NDArray

from precompute.arrays import Array
from precompute.coordinates.decouple import DEFLECTION, Axes, Dependence
from precompute.kinematics.coefficients import Closure
from precompute.model.mechanism import Measure, Mechanism
from precompute.tables.field_data import Asked, FieldData, evaluate_fields, total_inertia
from precompute.tables.fields import Field, Fields, plan_fields
from precompute.tables.loads.load_scales import set_acceleration_scales, set_load_scales

NOISE = 1e-13
"""Of its natural size, or of its largest value if that is more: below this no table of a column can be told from
another.  Solving loops and summing chains of joints costs about so many digits."""


class Level(IntEnum):
    """What a column is for: the less is asked of it, the higher."""

    REST = 0  # no deflection multiplies it
    SLOPE = 1  # one does, and its slopes along the axes are known
    HIGHEST = 2  # other Taylor coefficients: of second order, and of first order where there are no others
    REQUEST = 3  # as REST, of what is read on request: its slopes along the axes do not matter
    REQUEST_SLOPE = 4  # as HIGHEST, of the same


@dataclass(frozen=True, eq=False)
class Columns:
    """Names and layout of the columns, running through all blocks in order."""

    fields: Fields
    names: tuple[str, ...]
    blocks: tuple[tuple[Axes, Level], ...]  # table axes of each block, and what its columns are for
    block_of: tuple[int, ...]  # per column
    field_of: tuple[int, ...]  # per column
    factors: tuple[Axes, ...]  # per column: the stiff coordinates that multiply it, none to two

    @cached_property
    def known(self) -> NDArray[np.bool_]:
        """(nc,) whether the slopes of a column along the axes are exact: all but the last levels."""
        pairs = zip(self.field_of, self.factors, strict=True)
        return np.array([level(self.fields, f, p) < Level.HIGHEST for f, p in pairs], dtype=bool)

    def of_block(self, block: int) -> NDArray[np.intp]:
        """Numbers of the columns of a block; they are consecutive."""
        return np.flatnonzero(np.array(self.block_of) == block)

    def only(self, index: NDArray[np.intp]) -> Columns:
        """Some of the columns."""
        return Columns(
            fields=self.fields,
            names=tuple(self.names[c] for c in index),
            blocks=self.blocks,
            block_of=tuple(self.block_of[c] for c in index),
            field_of=tuple(self.field_of[c] for c in index),
            factors=tuple(self.factors[c] for c in index),
        )

    def at_rest(self) -> NDArray[np.intp]:
        """Per field, its column at zero deflection."""
        plain = [c for c, factors in enumerate(self.factors) if not factors]
        found = np.zeros(len(self.fields.items), dtype=np.intp)
        found[[self.field_of[c] for c in plain]] = plain
        return found


@dataclass(frozen=True, eq=False)
class Sizes:
    """What is natural for columns, and what is noise."""

    natural: Array  # (nc,) of its kind; of a Taylor coefficient, what changes a value by that over a large deflection
    noise: Array  # (nc,) errors below this are none

    def only(self, index: NDArray[np.intp]) -> Sizes:
        """Of some of the columns."""
        return Sizes(self.natural[index], self.noise[index])


@dataclass(frozen=True, eq=False)
class ColumnData:
    """Exact values of all columns at a batch of configurations."""

    value: Array  # (n, nc)
    gradient: Array  # (n, nc, nb) along the axes asked for; zero where it is not known


def plan_columns(
    mechanism: Mechanism, names: tuple[str, ...], dependence: Dependence, watched: tuple[Measure, ...] = ()
) -> Columns:
    """Lay out the columns, block after block; for the arguments see `plan_fields`."""
    fields = plan_fields(mechanism, names, dependence, watched)
    stiff = names[fields.nf :]
    wanted = [
        (f, factors, "*".join(stiff[i] for i in factors))
        for f, field in enumerate(fields.items)
        for factors in powers(field)
    ]
    axes = [fields.items[f].axes for f, _, _ in wanted]
    keys = [(on, level(fields, f, p) if on else Level.REST) for on, (f, p, _) in zip(axes, wanted, strict=True)]
    blocks = sorted(set(keys), key=lambda key: (len(key[0]), key))
    order = sorted(range(len(wanted)), key=lambda c: (blocks.index(keys[c]), c))
    chosen = [wanted[c] for c in order]
    return Columns(
        fields=fields,
        names=tuple(fields.items[f].name + (f"|{factor}" if factor else "") for f, _, factor in chosen),
        blocks=tuple(blocks),
        block_of=tuple(blocks.index(keys[c]) for c in order),
        field_of=tuple(f for f, _, _ in chosen),
        factors=tuple(factors for _, factors, _ in chosen),
    )


def powers(field: Field) -> list[Axes]:
    """The products of stiff coordinates in the polynomial of a field."""
    return [p for order in range(field.order + 1) for p in combinations_with_replacement(field.stiff, order)]


def level(fields: Fields, field: int, factors: Axes) -> Level:
    """What the column of a field with some factors is for."""
    if fields.items[field].request:
        return Level.REQUEST_SLOPE if factors else Level.REQUEST
    if not factors:
        return Level.REST
    without_second = field in fields.inertial or any(field in marker.A for marker in fields.markers)
    return Level.HIGHEST if len(factors) == 2 or without_second else Level.SLOPE


def evaluate(closure: Closure, columns: Columns, q: Array, axes: Axes | None = None) -> ColumnData:
    """Columns at closed configurations q (n, nq) without deflection; the closure has all nz coordinates.

    Args:
        closure: of all coordinates.
        columns: to be evaluated.
        q: (n, nq) configurations.
        axes: nb table axes along which gradients are wanted; all if not given.
    """
    axes = tuple(range(columns.fields.nf)) if axes is None else axes
    asked = asked_for(columns, axes)
    return taylor_columns(columns, evaluate_fields(closure, columns.fields, q, asked), axes, asked.along)


def asked_for(columns: Columns, axes: Axes) -> Asked:
    """What columns and their gradients along some axes are made of.

    Slopes along the axes take second derivatives along these; the highest coefficients those along stiff coordinates.
    """
    fields, pairs = columns.fields, list(zip(columns.field_of, columns.factors, strict=True))
    stiff = tuple(range(fields.nf, fields.nf + fields.ns))
    along = (axes if columns.known.any() else ()) + (() if columns.known.all() else stiff)
    plain = columns.known | np.array([len(factors) > 1 for factors in columns.factors], dtype=bool)
    second = frozenset(f for (f, factors), has in zip(pairs, plain, strict=True) if factors and has)
    return Asked(frozenset(columns.field_of), second, along)


def taylor_columns(columns: Columns, data: FieldData, axes: Axes, along: Axes) -> ColumnData:
    """Coefficients of the Taylor polynomials, from second derivatives along some coordinates."""
    nf = columns.fields.nf
    value = np.zeros((len(data.value), len(columns.names)))
    gradient = np.zeros((*value.shape, len(axes)))
    place = {k: i for i, k in enumerate(along)}
    for c, (f, factors) in enumerate(zip(columns.field_of, columns.factors, strict=True)):
        match factors:
            case ():
                value[:, c], gradient[:, c] = data.value[:, f], data.gradient[:, f, axes]
            case (i,):
                value[:, c] = data.gradient[:, f, nf + i]
                if columns.known[c]:
                    gradient[:, c] = data.second[f][:, nf + i, [place[k] for k in axes]]
            case (i, j):
                value[:, c] = (0.5 if i == j else 1.0) * data.second[f][:, nf + i, place[nf + j]]
    return ColumnData(value, gradient)


def column_sizes(closure: Closure, columns: Columns, data: ColumnData) -> Sizes:
    """Sizes of all columns, from their values at scattered configurations."""
    fields = natural_field_scales(closure, columns.fields, data.value[:, columns.at_rest()])
    nf = columns.fields.nf
    deflection = DEFLECTION * closure.length / closure.coordinate_weight[nf:]
    change = np.array([np.prod(deflection[list(factors)]) for factors in columns.factors])
    natural = np.maximum(fields[list(columns.field_of)] / change, np.finfo(float).tiny ** 0.5)
    return Sizes(natural, NOISE * np.maximum(natural, np.abs(data.value).max(axis=0)))


def natural_field_scales(closure: Closure, fields: Fields, value: Array) -> Array:
    """What is natural for each field's kind, from values (n, number of fields).  -> (number of fields,)."""
    m, nz, length = closure.mechanism, len(closure.coordinates), closure.length
    scale = np.ones(len(fields.items))
    mass = sum(b.mass for b in m.bodies)
    J_max = np.abs(np.diagonal(total_inertia(fields, value), axis1=1, axis2=2)).max(axis=0)
    for i in range(nz):
        for j in range(i, nz):
            scale[list(fields.inertia[i][j])] = np.sqrt(J_max[i] * J_max[j])
    scale[[f for part in fields.moment for f in part]] = length * mass
    for i, row in enumerate(fields.momentum):
        for k, part in enumerate(row):
            scale[list(part)] = np.sqrt(J_max[k] * mass) * (length if i < 3 else 1.0)
    scale[[f for part in fields.tensor for f in part]] = length**2 * mass
    for measure, field in fields.measures:
        scale[field] = 1.0 if measure.is_angle(m) else length
    for measure, index in fields.slopes:
        scale[list(index)] = (1.0 if measure.is_angle(m) else length) * closure.coordinate_weight / length
    set_load_scales(scale, closure, fields.loads, J_max)
    set_acceleration_scales(scale, closure, fields.accelerations)
    for marker in fields.markers:
        scale[list(marker.r)] = length
        scale[list(marker.A)] = np.tile(closure.coordinate_weight / length, 3)  # 1, or 1/length
    return scale
