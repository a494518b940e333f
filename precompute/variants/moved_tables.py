"""Columns of a mechanism at other designs on the grids of the base, and what polynomials of designs change in them.

All tables of a block have the same knots, so the changes of its splines are those of their coefficients.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from precompute.arrays import Array
from precompute.errors import SweepError
from precompute.model.mechanism import TableSettings
from precompute.planning.plan import Survey
from precompute.progress import Progress, stages
from precompute.tables.blocks import TableBlock, TableChanges
from precompute.tables.certificate import DERIVATIVE_FACTOR
from precompute.tables.columns import Columns, Sizes, column_sizes, evaluate, plan_columns
from precompute.tables.error_model import kind_sizes
from precompute.tables.factors import SHARE, factors
from precompute.tables.splines import Grid, Part, interpolate, winding
from precompute.tables.sweep import Solver
from precompute.tables.tabulate import Tabulated, demands, solve_grid, weights
from precompute.tables.walking import walk_block
from precompute.variants.polynomials import Signs, at, coefficients, probes
from precompute.variants.surveys import Variants

NOISE = 20.0
"""Changes of less than so many times a column's noise are none."""

AT_OTHERS = "tables of other designs"


def with_changes(
    variants: Variants, table: Tabulated, settings: TableSettings, progress: Progress
) -> tuple[Tabulated, Array]:
    """The tables with their changes, and the largest errors of these.

    Errors are (parameters + 1, 3), by kind: of each alone, inside its range, then of all together.

    Raises:
        SweepError: a mechanism at some design winds otherwise over a turn.
    """
    count = len(variants.parameters)
    (piece,), (layout,) = variants.base.atlas.pieces, variants.base.layouts
    columns = table.columns
    sizes = column_sizes(piece.coordinates.full, columns, evaluate(piece.coordinates.full, columns, layout.samples, ()))
    compared = [(u, variants.at(u)) for u in probes(count)]
    zero: Signs = (0,) * count
    surveys = {zero: variants.base, **variants.surveys}
    blocks, errors = [], np.zeros((count + 1, 3))
    kinds = kind_sizes(variants.base.mechanism, columns.fields, sizes.natural[columns.at_rest()])
    each = stages(progress, weights(columns, settings))
    for number, (block, told) in enumerate(zip(table.blocks, each, strict=True)):
        own = columns.of_block(number)
        asked = demands(columns.blocks[number][1], len(block.axes), sizes.only(own), settings)
        values: dict[Signs, Array] = {}
        for signs, survey in surveys.items():
            told(AT_OTHERS, len(values) / (len(surveys) + len(compared)))
            values[signs] = grid_coefficients(survey, block, columns, number, sizes, settings)
        parts = coefficients(count, values)
        floor, _, slack, constant = asked
        least = np.maximum(constant, NOISE * sizes.noise[own])
        blocks.append(changed(block, parts, values[zero], least, floor, slack * settings.tolerance))
        rest = np.array([not columns.factors[c] for c in own])
        fields = np.array([columns.field_of[c] for c in own])
        for k, (u, survey) in enumerate(compared, len(surveys)):
            told(AT_OTHERS, k / (len(surveys) + len(compared)))
            found = grid_coefficients(survey, block, columns, number, sizes, settings)
            gap = np.abs(found - values[zero] - at(parts, u))
            worst = gap.reshape(-1, gap.shape[-1]).max(axis=0) * rest
            error = (kinds[:, fields] * worst).max(axis=1, initial=0.0)
            moved = np.flatnonzero(u)
            place = moved[0] if moved.size == 1 else count
            errors[place] = np.maximum(errors[place], error)
    if count == 1:
        errors[1] = errors[0]
    return replace(table, blocks=tuple(blocks)), errors


def grid_coefficients(
    survey: Survey,
    block: TableBlock,
    columns: Columns,
    number: int,
    sizes: Sizes,
    settings: TableSettings,
) -> Array:
    """Coefficients (n_1, ..., n_nb, nc) of all columns of a block of the base, of the mechanism at some design.

    What grows by turns is left out as in the base.
    """
    (piece,), (layout,) = survey.atlas.pieces, survey.layouts
    axes, level = columns.blocks[number]
    walked = layout.walked.get(axes) or walk_block(piece.coordinates, piece.centre, layout.dependence, axes)
    system = walked.system
    names = {name: c for c, name in enumerate(columns.names)}
    own = plan_columns(
        system.coordinates.closure.mechanism, system.coordinates.all_names, system.dependence, piece.coordinates.watched
    )
    some = own.only(own.of_block(own.blocks.index((walked.axes, level))))
    here = sizes.only(np.array([names[name] for name in some.names], dtype=np.intp))
    part = Part(system.coordinates, some, walked.axes, here, *demands(level, len(axes), here, settings))
    there = {name: c for c, name in enumerate(some.names)}
    source = np.array([there.get(columns.names[c], -1) for c in columns.of_block(number)])
    known = source >= 0
    if not axes:
        found = evaluate(part.coordinates.full, part.columns, walked.nodes.q[None], ()).value[0]
    else:
        with Solver(part.coordinates, part.columns, walked.nodes) as solver:
            grid = solve_grid(part, solver, block.nodes)
        found = fitted(part, grid, block, source)
    out = np.zeros((*found.shape[:-1], source.size))
    out[..., known] = found[..., source[known]]
    return out


def fitted(part: Part, grid: Grid, block: TableBlock, source: NDArray[np.intp]) -> Array:
    """Coefficients of all columns of a part over the knots of a block of the base, less its slopes."""
    nb, value = len(block.axes), grid.value.copy()
    slope = np.zeros((len(part.names), nb))
    slope[source[source >= 0]] = block.slope[source >= 0]
    free = [part.coordinates.free[k] for k in part.axes]
    for k, c in enumerate(free):
        if c.periodic and (winding(part, grid, k) != slope[:, k]).any():
            raise SweepError(f"with other design parameters the mechanism turns otherwise along '{c.name}'")
        ramp = (grid.axes[k] - block.z_ref[k]).reshape([-1 if i == k else 1 for i in range(nb)])
        value -= np.multiply.outer(np.broadcast_to(ramp, value.shape[:-1]), slope[:, k])
    _, found = interpolate(block.degree, grid.axes, value, grid.gradient, tuple(c.periodic for c in free))
    return found


def changed(block: TableBlock, parts: Array, middle: Array, least: Array, scale: Array, tolerance: float) -> TableBlock:
    """A block with its changes; columns that are constants without them, and not with them, become splines.

    Args:
        block: of the base.
        parts: (products, n_1, ..., n_nb, nc) coefficients of all columns.
        middle: (n_1, ..., n_nb, nc) those of the base.
        least: (nc,) changes of no more than this are none.
        scale: (nc,) what errors are relative to at least.
        tolerance: of tables.
    """
    flat = parts.reshape(len(parts), -1, parts.shape[-1])
    there = np.abs(flat).max(axis=1) > least  # (products, nc)
    varies = (np.ptp(flat, axis=1) > least).any(axis=0) | (block.stored >= 0)
    splined, constant = np.argwhere((there & varies).T), np.argwhere((there & ~varies).T)  # column, product
    if not len(splined) + len(constant):
        return block
    new = np.unique(splined[block.stored[splined[:, 0]] < 0, 0])
    stored, count = block.stored.copy(), block.core.shape[-1]
    stored[new] = count + np.arange(new.size)
    core = np.concatenate((block.core, np.zeros((*block.core.shape[:-1], new.size))), axis=-1)
    found = np.moveaxis(parts, 0, -1)[..., splined[:, 0], splined[:, 1]]
    sizes = np.maximum(np.ptp(middle.reshape(-1, middle.shape[-1]), axis=0), scale)[splined[:, 0]]
    short, bases = packed(found, block, SHARE * tolerance * sizes / math.sqrt(len(parts)))
    numbers = flat[constant[:, 1], :, constant[:, 0]].mean(axis=-1)
    return replace(block, stored=stored, core=core, changes=TableChanges(splined, short, bases, constant, numbers))


def packed(found: Array, block: TableBlock, value: Array) -> tuple[Array, tuple[Array, ...]]:
    """Coefficients (n_1, ..., n_nb, n) that may err by `value` (n,): as factors, or as they are if these take more."""
    if not found.size or not block.axes:
        return found, ()
    span = np.array([nodes[-1] - nodes[0] for nodes in block.nodes])
    core, bases = factors(found, block.knots, value, DERIVATIVE_FACTOR * value[:, None] / span)
    if core.size + sum(basis.size for basis in bases) >= found.size:
        return found, ()
    return core, bases
