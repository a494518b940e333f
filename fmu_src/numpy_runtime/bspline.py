"""Tensor-product B-splines at one point: basis functions, values and first derivatives of the columns of a block.

    spline_c(z) = sum_ij N_i(z_1) N_j(z_2) coefficients[i, j, c]                    (1)

All columns share the axes, so the basis functions N and their slopes N' are found once per axis; their products form
a small weight matrix (value and nz slopes, by (degree + 1)^nz) which one matrix product applies to the local block.

What a point outside the table means is the axis' choice:

    periodic   the spline is read at z modulo the period
    "error"    TableRangeError
    "linear"   N(z) -> N(b) + N'(b) (z - b) and N'(z) -> N'(b), b the nearer border                       (2)

(2) extends each axis for itself, so the gradient stays the exact derivative of the value and energy stays a function.

Notation as in Piegl and Tiller, The NURBS Book, section 2.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..errors import StepError, TableRangeError
from ..model.reduced_model import Array, Axis, Block, Chart, IntArray
from ..model.units import DisplayUnit

BORDER_ULPS = 8.0
"""A coordinate this many roundings beyond the border of its table counts as being on it."""


@dataclass(frozen=True)
class TableAxis:
    """One axis made ready: plain Python numbers, on which short loops are faster than on arrays."""

    name: str
    words: DisplayUnit  # of messages
    lower: float
    upper: float
    periodic: bool
    linear: bool  # continue linearly outside; otherwise an error
    degree: int
    count: int  # n, coefficients along this axis
    knots: tuple[float, ...]  # (n + degree + 1,)


@dataclass(frozen=True, eq=False)
class Table:
    """Some columns of a block, made ready for evaluation.  nb is the number of the block's axes."""

    axes: tuple[TableAxis, ...]  # nb
    coefficients: Array  # (n_1, ..., n_nb, nc)


def prepare_table(chart: Chart, block: Block, columns: IntArray | None = None) -> Table:
    """Make a block, or some columns of it, ready for evaluation.

    Args:
        chart: a valid chart.
        block: one of its blocks.
        columns: which columns of the block, in the order wanted; may repeat.  All by default.
    """
    axes = tuple(
        TableAxis(
            axis.name,
            axis.words,
            float(axis.lower),
            float(axis.upper),
            axis.periodic,
            axis.outside == "linear",
            block.degree,
            block.coefficients.shape[k],
            tuple(block.knots[k].tolist()),
        )
        for k, axis in enumerate(chart.axes[i] for i in block.axes)
    )
    picked = block.coefficients if columns is None else block.coefficients[..., columns]
    return Table(axes, np.ascontiguousarray(picked))


def find_span(knots: Sequence[float], degree: int, count: int, x: float) -> int:
    """Index i with knots[i] <= x < knots[i + 1] in the domain; the nearest such span for x on or beyond a border.

    Args:
        knots: (count + degree + 1,) ascending.
        degree: of the spline.
        count: coefficients.
        x: the point.

    Returns:
        degree <= i < count.
    """
    return max(bisect_right(knots, x, degree, count) - 1, degree)


def basis(knots: Sequence[float], degree: int, span: int, x: float) -> tuple[list[float], list[float]]:
    """The degree + 1 basis functions that do not vanish on a span, and their slopes, by the Cox-de Boor recursion.

        N_i,p(x)  = (x - t_i) w_i + (t_{i+p+1} - x) w_{i+1},   w_i = N_i,p-1(x) / (t_{i+p} - t_i)
        N'_i,p(x) = p (w_i - w_{i+1})

    Args:
        knots: t, ascending.
        degree: p of the spline, at least 1.
        span: from `find_span`.
        x: the point; outside the span the polynomials of the span continue.

    Returns:
        Values and slopes of the basis functions number span - degree to span.
    """
    values = [1.0]
    slopes: list[float] = []
    for p in range(1, degree + 1):
        below, values, slopes = values, [0.0] * (p + 1), [0.0] * (p + 1)
        for r in range(p):
            left, right = knots[span + 1 - p + r], knots[span + 1 + r]
            w = below[r] / (right - left)
            values[r] += (right - x) * w
            values[r + 1] += (x - left) * w
            if p == degree:
                slopes[r] -= p * w
                slopes[r + 1] += p * w
    return values, slopes


def axis_basis(axis: TableAxis, x: float) -> tuple[int, list[float], list[float]]:
    """Basis functions along one axis, with the axis' own rule for points outside.

    Args:
        axis: the axis.
        x: the coordinate, unwrapped [rad or m].

    Returns:
        Index of the first coefficient, values (degree + 1), slopes (degree + 1).

    Raises:
        TableRangeError: x is outside a table that must not be left.
        StepError: x is not finite.
    """
    if not math.isfinite(x):
        raise StepError(
            f"the motion diverged: the value of '{axis.name}' is {x}; reduce 'solver.step' or check the forces"
        )
    inside, excess = x, 0.0
    if axis.periodic:
        inside = min(axis.lower + (x - axis.lower) % (axis.upper - axis.lower), axis.upper)
    elif x < axis.lower or x > axis.upper:
        inside = axis.lower if x < axis.lower else axis.upper
        excess = x - inside
        if not axis.linear:
            check_border(axis, x)
            excess = 0.0
    span = find_span(axis.knots, axis.degree, axis.count, inside)
    values, slopes = basis(axis.knots, axis.degree, span, inside)
    if excess:
        values = [v + s * excess for v, s in zip(values, slopes, strict=True)]  # (2)
    return span - axis.degree, values, slopes


def check_border(axis: Axis | TableAxis, x: float) -> None:
    """Forgive rounding at the border, refuse the rest.

    Raises:
        TableRangeError: x is outside the table.
    """
    scale = max(abs(axis.lower), abs(axis.upper), axis.upper - axis.lower)
    slack = BORDER_ULPS * np.finfo(float).eps * scale
    if not axis.lower - slack <= x <= axis.upper + slack:
        raise TableRangeError(
            f"coordinate '{axis.name}' = {axis.words.text(x, 9)} is outside its table "
            f"{axis.words.range(axis.lower, axis.upper, 9)}; bake with a wider range, or with "
            f'outside = "linear" for this coordinate, or add a stop that keeps it inside',
            axis.name,
            x,
        )


def local_weights(axes: Sequence[TableAxis], z: Sequence[float]) -> tuple[tuple[slice, ...], Array]:
    """Where the local block of coefficients lies, and the weights of value and slopes on it.

    Args:
        axes: nz axes.
        z: (nz,) coordinates.

    Returns:
        One slice per axis, and weights (1 + nz, (degree + 1)^nz): the value, then the slope along each axis.
    """
    block: list[slice] = []
    weights = np.ones((1, 1))
    for axis, x in zip(axes, z, strict=True):
        first, values, slopes = axis_basis(axis, x)
        block.append(slice(first, first + axis.degree + 1))
        if len(block) == 1:
            weights = np.array((values, slopes))
            continue
        along = (weights[:, :, None] * np.array(values)).reshape(len(weights), -1)
        across = (weights[0][:, None] * np.array(slopes)).reshape(1, -1)
        weights = np.concatenate((along, across))
    return tuple(block), weights


def evaluate_table(table: Table, z: Array) -> tuple[Array, Array]:
    """All columns of a prepared table at z.

    Args:
        table: from `prepare_table`.
        z: (nb,) coordinates; a periodic one may run on for many turns.

    Returns:
        Values (nc,) and slopes (nb, nc), derivative direction first.

    Raises:
        TableRangeError: z has left the table.
        StepError: z is not finite.
    """
    block, weights = local_weights(table.axes, z.tolist())
    local = weights @ table.coefficients[block].reshape(weights.shape[1], -1)  # (1 + nb, nc), (1)
    return local[0], local[1:]
