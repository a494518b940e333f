"""Tensor-product B-splines of degree 5 through the nodes of a sweep.

Column c becomes  constant + slope . (z - z_ref) + spline(z):  the slope carries what grows by whole turns along a
periodic axis, and columns that do not vary at all have no spline.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.interpolate import NdBSpline, make_interp_spline

from fmu_src.reduced_model import Axis, Chart
from precompute import measures
from precompute.arrays import Array
from precompute.columns import Columns
from precompute.coordinates import Coordinates
from precompute.errors import SweepError

DEGREE = 5

CONSTANT = 1e-8
"""A column whose nodes differ by less than this fraction of its floor scale has no table."""

TURN_TOLERANCE = 1e-4
"""How well a mechanism must come back to itself after a full turn, relative to the column's floor scale."""


@dataclass(frozen=True, eq=False)
class Grid:
    """Exact column data on a tensor grid."""

    axes: tuple[Array, ...]  # nz ascending arrays
    value: Array  # (n_1, ..., n_nz, nc)
    gradient: Array  # (n_1, ..., n_nz, nc, nz)


def fit_chart(coordinates: Coordinates, columns: Columns, grid: Grid, floor: Array) -> Chart:
    """Interpolate all columns.

    Args:
        coordinates: the table axes.
        columns: names and kinds of the columns.
        grid: data at the nodes.
        floor: (nc,) smallest scale of each column.
    """
    nz = len(grid.axes)
    z_ref = np.array([a[0] for a in grid.axes])
    slope = np.zeros((len(columns.names), nz))
    value = grid.value.copy()
    for k, c in enumerate(coordinates.free):
        if c.periodic:
            slope[:, k] = winding(columns, grid, k, floor, c.name)
            value -= np.multiply.outer(_ramp(grid.axes[k] - z_ref[k], k, nz), slope[:, k])
            first, last = _slab(k, 0, nz), _slab(k, -1, nz)
            value[last] = value[first]
    flat = value.reshape(-1, value.shape[-1])
    varies = np.ptp(flat, axis=0) > CONSTANT * floor
    stored = np.where(varies, np.cumsum(varies) - 1, -1)
    constant = np.where(varies, 0.0, flat.mean(axis=0))
    periodic = tuple(c.periodic for c in coordinates.free)
    knots, coefficients = interpolate(grid.axes, value[..., varies], grid.gradient[..., varies, :], periodic)
    axes = tuple(
        Axis(
            name=c.name,
            unit="rad" if measures.is_angle(coordinates.closure.mechanism, c.of) else "m",
            lower=float(x[0]),
            upper=float(x[-1]),
            periodic=c.periodic,
            outside=c.outside,
            knots=t,
        )
        for c, x, t in zip(coordinates.free, grid.axes, knots, strict=True)
    )
    return Chart(axes, DEGREE, columns.names, z_ref, constant, slope, stored, coefficients)


def interpolate(
    axes: tuple[Array, ...], value: Array, gradient: Array, periodic: tuple[bool, ...]
) -> tuple[tuple[Array, ...], Array]:
    """Knots per axis and coefficients (m_1, ..., m_nz, ns) of the tensor-product spline through the nodes.

    At both ends of an axis that is not periodic the spline also takes the first derivative, which is known exactly, and
    the second, from a spline through the first.  Without them the outermost cells would be ten times worse.
    """
    ends = [None if periodic[k] else _end_data(axes[k], np.moveaxis(gradient[..., k], k, 0)) for k in range(len(axes))]
    knots = []
    for k, x in enumerate(axes):
        t, value = _spline(x, value, ends[k], k)
        knots.append(t)
        for later in range(k + 1, len(axes)):  # their end data are functions of this axis too
            data = ends[later]
            if data is not None:
                sides = [None if periodic[k] else _end_data_of_values(x, d, k) for d in data]
                ends[later] = [_spline(x, d, e, k)[1] for d, e in zip(data, sides, strict=True)]
    return tuple(knots), np.ascontiguousarray(value)


EndData = list[Array]  # first and second derivative at the lower end, the same at the upper; without the axis itself


def _end_data(x: Array, slope: Array) -> EndData:
    """First and second derivatives at both ends from the first derivative at the nodes, axis first."""
    second = make_interp_spline(x, slope, k=DEGREE).derivative()
    return [slope[0], second(x[0]), slope[-1], second(x[-1])]


def _end_data_of_values(x: Array, y: Array, k: int) -> EndData:
    """The same for an array of which only values are known: from a spline through them."""
    first = make_interp_spline(x, np.moveaxis(y, k, 0), k=DEGREE).derivative()
    second = first.derivative()
    return [first(x[0]), second(x[0]), first(x[-1]), second(x[-1])]


def _spline(x: Array, y: Array, ends: EndData | None, k: int) -> tuple[Array, Array]:
    """Knots and coefficients along axis k of y; periodic if there are no end data."""
    rows = np.moveaxis(y, k, 0)
    if ends is None:
        spline = make_interp_spline(x, rows, k=DEGREE, bc_type="periodic")
    else:
        conditions = ([(1, ends[0]), (2, ends[1])], [(1, ends[2]), (2, ends[3])])
        spline = make_interp_spline(x, rows, k=DEGREE, bc_type=conditions)
    return np.asarray(spline.t), np.moveaxis(spline.c, 0, k)


def _ramp(x: Array, k: int, nz: int) -> Array:
    """x along axis k of an nz-dimensional grid, broadcastable."""
    return x.reshape([-1 if i == k else 1 for i in range(nz)])


def _slab(k: int, i: int, nz: int) -> tuple[slice | int, ...]:
    return tuple(i if j == k else slice(None) for j in range(nz))


def winding(columns: Columns, grid: Grid, k: int, floor: Array, name: str) -> Array:
    """Growth of each column per radian of the periodic axis k: whole turns for angles, nothing else may grow."""
    nz = len(grid.axes)
    growth = grid.value[_slab(k, -1, nz)] - grid.value[_slab(k, 0, nz)]
    growth = growth.reshape(-1, growth.shape[-1])
    turns = np.where(columns.winding, np.round(growth.mean(axis=0) / (2.0 * math.pi)), 0.0)
    error = np.abs(growth - 2.0 * math.pi * turns).max(axis=0) / floor
    worst = int(np.argmax(error))
    if error[worst] > TURN_TOLERANCE:
        raise SweepError(
            f"'{name}' is periodic, but after one turn {columns.names[worst]} has changed by "
            f"{float(np.abs(growth[:, worst]).max()):.3g}: the mechanism does not come back to itself. Give '{name}' a "
            "range without `periodic`."
        )
    return turns


def evaluate_chart(chart: Chart, z: Array) -> tuple[Array, Array]:
    """Values (n, nc) and gradients (n, nc, nz) of all columns at points z (n, nz) inside the range."""
    n, nz = z.shape
    value = chart.constant + (z - chart.z_ref) @ chart.slope.T
    gradient = np.broadcast_to(chart.slope, (n, *chart.slope.shape)).copy()
    tabulated = chart.stored >= 0
    if tabulated.any():
        spline = NdBSpline(tuple(a.knots for a in chart.axes), chart.coefficients, k=chart.degree)
        value[:, tabulated] += spline(z)
        for k in range(nz):
            gradient[:, tabulated, k] += spline(z, nu=[int(i == k) for i in range(nz)])
    return value, gradient
