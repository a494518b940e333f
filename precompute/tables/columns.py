"""The columns of the tables: the Taylor coefficients of the fields, sorted into blocks by the axes they depend on.

What deflections multiply needs fewer digits than what they do not, the slopes of the highest derivatives are not known,
and those by differences take long: each of these levels has blocks of its own.

    name          the field where it is expanded about
    name|i        its slope along the stiff coordinate i
    name|i*j      its second derivative along i and j, i < j;  half of it for i = j
    name|i*j*k    its third derivative; half of it where two are the same, a sixth where all are

so that with the columns as factors the field is  c + sum_i c_i d_i + sum_i<=j c_ij d_i d_j + ...
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
    HIGHEST = 2  # the highest derivatives that are exact
    DIFFERENCE = 3  # derivatives beyond that, which are differences of those
    REQUEST = 4  # as REST, of what is read on request: its slopes along the axes do not matter
    REQUEST_SLOPE = 5  # as HIGHEST, of the same
    REQUEST_DIFFERENCE = 6  # as DIFFERENCE, of the same


BY_DIFFERENCES = (Level.DIFFERENCE, Level.REQUEST_DIFFERENCE)


@dataclass(frozen=True, eq=False)
class Columns:
    """Names and layout of the columns, running through all blocks in order."""

    fields: Fields
    names: tuple[str, ...]
    blocks: tuple[tuple[Axes, Level], ...]  # table axes of each block, and what its columns are for
    block_of: tuple[int, ...]  # per column
    field_of: tuple[int, ...]  # per column
    factors: tuple[Axes, ...]  # per column: the stiff coordinates that multiply it, ascending

    @cached_property
    def known(self) -> NDArray[np.bool_]:
        """(nc,) whether the slopes of a column along the axes are exact: all but those of the highest derivatives."""
        return np.array([level < Level.HIGHEST for level in self.levels], dtype=bool)

    @cached_property
    def levels(self) -> tuple[Level, ...]:
        """Per column."""
        pairs = zip(self.field_of, self.factors, strict=True)
        return tuple(level(self.fields.items[f], factors) for f, factors in pairs)

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
    levels = [level(fields.items[f], factors) for f, factors, _ in wanted]
    keys = [(on, own if on else Level.REST) for on, own in zip(axes, levels, strict=True)]
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


def level(field: Field, factors: Axes) -> Level:
    """What the column of a field with some factors is for."""
    if field.request and factors:
        return Level.REQUEST_SLOPE if len(factors) <= field.exact else Level.REQUEST_DIFFERENCE
    if field.request:
        return Level.REQUEST
    if not factors:
        return Level.REST
    if len(factors) < field.exact:
        return Level.SLOPE
    return Level.HIGHEST if len(factors) == field.exact else Level.DIFFERENCE


def evaluate(closure: Closure, columns: Columns, q: Array, axes: Axes | None = None) -> ColumnData:
    """Columns at closed configurations q (n, nq), which are expanded about; the closure has all nz coordinates.

    Args:
        closure: of all coordinates.
        columns: to be evaluated.
        q: (n, nq) configurations.
        axes: nb table axes along which gradients are wanted; all if not given.
    """
    axes = tuple(range(columns.fields.nf)) if axes is None else axes
    return taylor_columns(columns, evaluate_fields(closure, columns.fields, q, asked_for(columns, axes)), axes)


def asked_for(columns: Columns, axes: Axes) -> Asked:
    """What columns and their gradients along some axes are made of.

    Slopes along the axes take second derivatives along these; the highest coefficients those along stiff coordinates.
    """
    fields, levels = columns.fields, columns.levels
    terms = list(zip(columns.field_of, columns.factors, levels, strict=True))
    stiff = tuple(range(fields.nf, fields.nf + fields.ns))
    along = (axes if columns.known.any() else ()) + (stiff if Level.HIGHEST in levels else ())
    exact = [(f, factors, own) for f, factors, own in terms if own not in BY_DIFFERENCES]
    second = frozenset(f for f, factors, own in exact if own is Level.SLOPE or len(factors) > 1)
    beyond = frozenset((f, factors) for f, factors, own in terms if own in BY_DIFFERENCES)
    return Asked(frozenset(f for f, _, _ in exact), second, along, beyond)


def taylor_columns(columns: Columns, data: FieldData, axes: Axes) -> ColumnData:
    """Coefficients of the Taylor polynomials, and their slopes along some axes where these are known."""
    value = np.zeros((len(data.value), len(columns.names)))
    gradient = np.zeros((*value.shape, len(axes)))
    for c, (f, factors) in enumerate(zip(columns.field_of, columns.factors, strict=True)):
        value[:, c] = data.coefficient(f, factors)
        if columns.known[c]:
            gradient[:, c] = data.slopes(f, factors, axes)
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
