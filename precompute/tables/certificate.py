"""What is measured about the tables: errors against configurations solved afresh between the nodes.

Errors are those of the interpolated value and of its first derivatives.  A value error is relative to the range of its
column, but never to less than the column's floor: a share of what is natural for its kind, and as much that noise is
within the tolerance.  A derivative error is relative to the range of that derivative or, if larger, to the column's
range over the axis's length.  Values must be within the tolerance, derivatives within ten times it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fmu_src.model.reduced_model import ColumnError
from precompute.arrays import Array
from precompute.tables.blocks import TableBlock
from precompute.tables.columns import BY_DIFFERENCES, ColumnData
from precompute.tables.grid import beside_borders, is_seam, segments
from precompute.tables.splines import Grid, Part, block_slope, evaluate_block
from precompute.tables.sweep import Solver, grid_points

DERIVATIVE_FACTOR = 10.0
"""First derivatives may be this much less accurate than values."""

SAFETY = 0.5
"""The grid is refined to this fraction of the tolerance: the largest error may lie between the points compared."""

PROFILE_LINES = 7
"""Per other axis: how many grid lines are compared when the cells of an axis are judged."""

CHECK_POINTS = 1024
"""Scattered points of the final comparison (a power of two, for the Sobol sequence)."""

FEWER, FEWEST = 4, 16
"""As many times fewer for Taylor coefficients, and for those of them that differences give, which take long."""


@dataclass(frozen=True, eq=False)
class Scales:
    """What errors are relative to."""

    value: Array  # (nc,)
    gradient: Array  # (nc, nb)


@dataclass(frozen=True, eq=False)
class Excess:
    """Error over allowed error of the cells along an axis, and where and of what it is largest."""

    cells: Array  # (n_k - 1,)
    column: int
    near: float  # where along the axis
    noise: float = np.inf  # how many times the column's noise that error is; that of slopes times the cell's width

    @property
    def worst(self) -> float:
        """Of all cells."""
        return float(self.cells.max())


@dataclass(frozen=True, eq=False)
class Certified:
    """A block with what was measured about it."""

    block: TableBlock
    nodes: tuple[int, ...]
    points: int
    worst_condition: float
    errors: tuple[ColumnError, ...]


def column_scales(grid: Grid, floor: Array, slack: float) -> Scales:
    """Ranges of columns and of their derivatives over the nodes, times their slack."""
    nb = len(grid.axes)
    value = np.maximum(np.ptp(grid.value.reshape(-1, len(floor)), axis=0), floor)
    span = np.array([a[-1] - a[0] for a in grid.axes])
    gradient = np.ptp(grid.gradient.reshape(-1, len(floor), nb), axis=0)
    return Scales(slack * value, slack * np.maximum(gradient, value[:, None] / span))


def relative_errors(part: Part, block: TableBlock, scales: Scales, z: Array, data: ColumnData) -> tuple[Array, Array]:
    """Relative errors of values (n, nc) and of derivatives (n, nc, nb) at points z (n, nb)."""
    value, gradient = evaluate_block(block, z)
    slope_error = np.abs(gradient - data.gradient) / scales.gradient
    slope_error[:, ~part.known] = 0.0  # where only values are known, values are compared
    return np.abs(value - data.value) / scales.value, slope_error


def cell_excess(
    part: Part, solver: Solver, block: TableBlock, grid: Grid, scales: Scales, k: int, tolerance: float
) -> Excess:
    """Errors of the cells along axis k: at cell middles on some lines, and at all nodes.

    On grid lines of the other axes, values and derivatives along k err because of the cells of axis k alone.
    """
    lines = [a[np.unique(np.linspace(0, len(a) - 1, PROFILE_LINES).astype(int))] for a in grid.axes]
    cells = np.flatnonzero(~is_seam(grid.axes[k]))
    lines[k] = 0.5 * (grid.axes[k][1:] + grid.axes[k][:-1])[cells]
    z = grid_points(tuple(lines))
    _, data = solver.at(part.embed(z), f"comparing along {part.coordinates.free[part.axes[k]].name}")
    value_error, slope_error = relative_errors(part, block, scales, z, data)
    values, slopes = along(value_error, lines, k), along(slope_error[..., k], lines, k)
    nodes = along(node_errors(part, block, grid, scales, k), list(grid.axes), k)
    slopes = np.maximum(slopes, np.maximum(nodes[1:], nodes[:-1])[cells])  # (cells, columns)
    error = np.maximum(values, slopes / DERIVATIVE_FACTOR)
    cell, column = np.unravel_index(int(np.argmax(error)), error.shape)
    missing = max(
        values[cell, column] * scales.value[column],
        slopes[cell, column] * scales.gradient[column, k] * float(np.diff(grid.axes[k])[cells[cell]]),
    )
    excess = np.zeros(len(grid.axes[k]) - 1)
    excess[cells] = error.max(axis=1) / (SAFETY * tolerance)
    return Excess(excess, int(column), float(lines[k][cell]), float(missing / part.sizes.noise[column]))


def along(error: Array, axes: list[Array], k: int) -> Array:
    """Largest error per position along axis k and per column.  (n, nc) on a grid -> (n_k, nc)."""
    shaped = error.reshape(*(len(a) for a in axes), -1)
    return np.moveaxis(shaped, k, 0).reshape(len(axes[k]), -1, error.shape[1]).max(axis=1)


def node_errors(part: Part, block: TableBlock, grid: Grid, scales: Scales, k: int) -> Array:
    """Derivative error along axis k at the nodes themselves, where the values are exact.  (n, nc)."""
    slope = block_slope(block, grid_points(grid.axes), k)
    exact = grid.gradient[..., k].reshape(slope.shape)
    return np.where(part.known, np.abs(slope - exact) / scales.gradient[:, k], 0.0)


def certify(part: Part, solver: Solver, block: TableBlock, grid: Grid, scales: Scales) -> Certified:
    """Compare at scattered points, half of them in the outermost cells, and keep the largest errors per column."""
    fewer = FEWEST if not {*BY_DIFFERENCES}.isdisjoint(part.columns.levels) else 1 if part.slack == 1.0 else FEWER
    z = scattered_points(grid.axes, CHECK_POINTS // fewer)
    where = part.embed(z)
    _, fresh = solver.at(where, "certifying")
    value_error, gradient_error = relative_errors(part, block, scales, z, fresh)
    gradient_error = gradient_error.max(axis=-1)
    rows = []
    for c, name in enumerate(part.names):
        v, g = int(np.argmax(value_error[:, c])), int(np.argmax(gradient_error[:, c]))
        rows.append(
            ColumnError(
                column=name,
                scale=float(scales.value[c]),
                value_error=float(value_error[v, c]),
                value_at=tuple(where[v].tolist()),
                slope_error=float(gradient_error[g, c]),
                slope_at=tuple(where[g].tolist()),
            )
        )
    return Certified(block, tuple(len(a) for a in grid.axes), len(z), solver.worst_condition(), tuple(rows))


def scattered_points(axes: tuple[Array, ...], count: int) -> Array:
    """Sobol points of the whole range, and as many pressed into the first and last two cells of one axis each.

    Of an axis with borders these are in turn those of each of its segments.
    """
    from scipy.stats import qmc  # half a second to import, and only baking needs it

    nz = len(axes)
    lower, upper = np.array([a[0] for a in axes]), np.array([a[-1] for a in axes])
    everywhere = qmc.scale(qmc.Sobol(nz, seed=1).random(count), lower, upper)
    border = qmc.scale(qmc.Sobol(nz, seed=2).random(count), lower, upper)
    for i, z in enumerate(border):
        k, low = i % nz, (i // nz) % 2 == 0
        share, parts = (z[k] - lower[k]) / (upper[k] - lower[k]), segments(axes[k])
        own = axes[k][parts[i // (2 * nz) % len(parts)]]
        z[k] = own[0] + share * (own[2] - own[0]) if low else own[-1] - share * (own[-1] - own[-3])
    found = np.concatenate([everywhere, border])
    return np.stack([beside_borders(axis, x) for axis, x in zip(axes, found.T, strict=True)], axis=-1)


def excess_of(row: ColumnError, tolerance: float) -> float:
    """Error over allowed error of one column, without the safety factor."""
    return max(row.value_error, row.slope_error / DERIVATIVE_FACTOR) / tolerance
