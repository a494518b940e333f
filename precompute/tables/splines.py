"""Tensor-product B-splines through the nodes of a sweep: of degree 5, or 3 or 1 where few digits are needed.

Column c becomes  constant + slope . (z - z_ref) + spline(z):  the slope carries what grows by whole turns along a
periodic axis, and columns that do not vary at all have no spline.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.interpolate import BSpline, NdBSpline, make_interp_spline

from fmu_src.model.reduced_model import Axis
from precompute.arrays import Array
from precompute.coordinates.decouple import Axes
from precompute.coordinates.independent import Coordinates
from precompute.errors import SweepError
from precompute.model.mechanism import Coordinate
from precompute.tables.blocks import TableBlock
from precompute.tables.columns import Columns, Sizes
from precompute.tables.grid import placed, segments

DEGREE = 5

LOW_DEGREE = 3
"""Where fewer digits are needed: about as many nodes, and a third (on two axes, half) less to read."""

LEAST_DEGREE = 1
"""Where two or three digits are enough: half of that again, and slopes jump."""

TURN_TOLERANCE = 1e-8
"""How well a mechanism must come back to itself after a full turn, relative to what is natural for a column."""


@dataclass(frozen=True, eq=False)
class Part:
    """What one block is to hold: some columns over some coordinates, the others at design."""

    coordinates: Coordinates
    columns: Columns  # nc of them
    axes: Axes  # nb coordinate numbers
    sizes: Sizes  # of these columns
    floor: Array  # (nc,) smallest scale of each of them
    degree: int  # of its splines
    slack: float  # how many times the tolerance they may err: more than once only for Taylor coefficients
    constant: Array  # (nc,) columns whose nodes differ by less than this have no table

    @property
    def names(self) -> tuple[str, ...]:
        """Of its columns."""
        return self.columns.names

    @property
    def known(self) -> NDArray[np.bool_]:
        """(nc,) whether the slopes of its columns are exact."""
        return self.columns.known

    def embed(self, z: Array) -> Array:
        """Points (n, nb) of the block as points (n, nz) of the mechanism."""
        full = np.repeat(self.coordinates.design[None], len(z), 0)
        full[:, self.axes] = z
        return full


@dataclass(frozen=True, eq=False)
class Grid:
    """Exact data of a block's columns on a tensor grid."""

    axes: tuple[Array, ...]  # nb ascending arrays
    value: Array  # (n_1, ..., n_nb, nc)
    gradient: Array  # (n_1, ..., n_nb, nc, nb)


def fit_block(part: Part, grid: Grid) -> TableBlock:
    """Interpolate all columns of a block."""
    nb = len(grid.axes)
    free = [part.coordinates.free[k] for k in part.axes]
    axes = tuple(placed(a, *ends(c)) if c.borders else a for a, c in zip(grid.axes, free, strict=True))
    z_ref = np.array([a[0] for a in axes])
    slope = np.zeros((len(part.names), nb))
    value, gradient = grid.value.copy(), grid.gradient.copy()
    for k, c in enumerate(free):
        if c.periodic:
            slope[:, k] = winding(part, grid, k)
            value -= np.multiply.outer(_ramp(axes[k] - z_ref[k], k, nb), slope[:, k])
            gradient[..., k] -= slope[:, k]
    flat = value.reshape(-1, value.shape[-1])
    varies = np.ptp(flat, axis=0) > part.constant
    nothing = np.abs(flat).max(axis=0) <= part.constant
    periodic = tuple(c.periodic and not c.borders for c in free)
    knots, coefficients = interpolate(part.degree, axes, value[..., varies], gradient[..., varies, :], periodic)
    return TableBlock(
        axes=part.axes,
        knots=knots,
        columns=part.names,
        z_ref=z_ref,
        constant=np.where(varies | nothing, 0.0, flat.mean(axis=0)),
        slope=slope,
        stored=np.where(varies, np.cumsum(varies) - 1, -1),
        core=coefficients,
        nodes=grid.axes,
    )


def constant_block(part: Part, value: Array) -> TableBlock:
    """Columns (nc,) that depend on nothing."""
    n = len(part.names)
    empty = np.zeros(0)
    return TableBlock((), (), part.names, empty, value, np.zeros((n, 0)), np.full(n, -1), empty)


def ends(c: Coordinate) -> tuple[float, float]:
    """Of the range of a coordinate that has one."""
    assert c.lower is not None and c.upper is not None
    return c.lower, c.upper


def axes_of(coordinates: Coordinates) -> tuple[Axis, ...]:
    """The coordinates as table axes."""
    mechanism = coordinates.closure.mechanism
    return tuple(
        Axis(
            name=c.name,
            unit=c.of.unit(mechanism),
            lower=float(c.lower),  # type: ignore[arg-type]
            upper=float(c.upper),  # type: ignore[arg-type]
            periodic=c.periodic,
            outside=c.outside,
            told=mechanism.units.told(c.of.unit(mechanism)),
            told_effort=mechanism.units.told_effort(c.of.unit(mechanism)),
        )
        for c in coordinates.free
    )


def interpolate(
    degree: int, axes: tuple[Array, ...], value: Array, gradient: Array, periodic: tuple[bool, ...]
) -> tuple[tuple[Array, ...], Array]:
    """Knots per axis and coefficients (m_1, ..., m_nz, ns) of the tensor-product spline through the nodes.

    At both ends of an axis that is not periodic the spline also takes the first derivative, which is known exactly, and
    if it is of degree 5 the second, from a spline through the first.  Without them the outermost cells would be ten
    times worse.  The segments between borders have such ends too, and splines of their own: the coefficients of one
    follow those of the other, and a border is a knot degree + 1 times.
    """
    ends = [None if periodic[k] else _end_data(axes[k], np.moveaxis(gradient[..., k], k, 0)) for k in range(len(axes))]
    knots = []
    for k, x in enumerate(axes):
        t, value = _splines(degree, x, value, ends[k], k)
        knots.append(t)
        for later in range(k + 1, len(axes)):  # their end data are functions of this axis too
            sides = ends[later]
            if sides is not None:
                ends[later] = [[_splines(degree, x, d, _own(x, d, k, periodic), k)[1] for d in own] for own in sides]
    return tuple(knots), np.ascontiguousarray(value)


def spline_gradients(axes: tuple[Array, ...], value: Array) -> Array:
    """Slopes at the nodes of functions known by values (n_1, ..., n_nb, nc) alone.  -> (n_1, ..., n_nb, nc, nb)."""
    slopes = []
    for k, x in enumerate(axes):
        rows = np.moveaxis(value, k, 0)
        along = [make_interp_spline(x[own], rows[own], k=DEGREE).derivative()(x[own]) for own in segments(x)]
        slopes.append(np.moveaxis(np.concatenate(along), 0, k))
    return np.stack(slopes, axis=-1)


EndData = list[Array]  # first and second derivative at the lower end, the same at the upper; without the axis itself


def _end_data(x: Array, slope: Array) -> list[EndData]:
    """First and second derivatives at both ends of each segment from the first derivative at the nodes, axis first."""
    found = []
    for own in segments(x):
        second = make_interp_spline(x[own], slope[own], k=DEGREE).derivative()
        found.append([slope[own][0], second(x[own][0]), slope[own][-1], second(x[own][-1])])
    return found


def _own(x: Array, y: Array, k: int, periodic: tuple[bool, ...]) -> list[EndData] | None:
    """The same for an array of which only values are known: from a spline through them."""
    if periodic[k]:
        return None
    found, rows = [], np.moveaxis(y, k, 0)
    for own in segments(x):
        first = make_interp_spline(x[own], rows[own], k=DEGREE).derivative()
        second = first.derivative()
        a, b = x[own][0], x[own][-1]
        found.append([first(a), second(a), first(b), second(b)])
    return found


def _splines(degree: int, x: Array, y: Array, ends: list[EndData] | None, k: int) -> tuple[Array, Array]:
    """Knots and coefficients along axis k of y, segment after segment; periodic if there are no end data."""
    rows = np.moveaxis(y, k, 0)
    if ends is None:  # the last node of a turn is the first of the next, but for rounding
        rows = np.concatenate([rows[:-1], rows[:1]])
        spline = make_interp_spline(x, rows, k=degree, bc_type="periodic" if degree > 1 else None)
        return np.asarray(spline.t), np.moveaxis(spline.c, 0, k)
    found = [_spline(degree, x[own], rows[own], data) for own, data in zip(segments(x), ends, strict=True)]
    inner = [spline.t[degree + 1 :] for spline in found[1:]]  # a segment begins with the knots that end the one before
    coefficients = np.concatenate([spline.c for spline in found])
    return np.concatenate([found[0].t, *inner]), np.moveaxis(coefficients, 0, k)


def _spline(degree: int, x: Array, rows: Array, ends: EndData) -> BSpline:
    """Through the nodes of a segment; degree 1 does not need what is known of its ends."""
    if degree == 1:
        return make_interp_spline(x, rows, k=1)
    conditions = tuple(list(zip((1, 2), side, strict=True))[: degree // 2] for side in (ends[:2], ends[2:]))
    return make_interp_spline(x, rows, k=degree, bc_type=conditions)


def _ramp(x: Array, k: int, nz: int) -> Array:
    """x along axis k of an nz-dimensional grid, broadcastable."""
    return x.reshape([-1 if i == k else 1 for i in range(nz)])


def _slab(k: int, i: int, nz: int) -> tuple[slice | int, ...]:
    return tuple(i if j == k else slice(None) for j in range(nz))


def winding(part: Part, grid: Grid, k: int) -> Array:
    """Growth of each column per radian of the periodic axis k: whole turns for angles, nothing else may grow."""
    nb, name = len(grid.axes), part.coordinates.free[part.axes[k]].name
    growth = grid.value[_slab(k, -1, nb)] - grid.value[_slab(k, 0, nb)]
    growth = growth.reshape(-1, growth.shape[-1])
    fields = part.columns.fields.items
    pairs = [(fields[f], factors) for f, factors in zip(part.columns.field_of, part.columns.factors, strict=True)]
    turning = np.array([field.winding and not factors for field, factors in pairs])
    rolling = np.array([field.rolling and not factors for field, factors in pairs])
    turns = growth.mean(axis=0) / (2.0 * math.pi)
    turns = np.where(rolling, turns, np.where(turning, np.round(turns), 0.0))
    missing = np.abs(growth - 2.0 * math.pi * turns).max(axis=0)
    worst = int(np.argmax(missing / part.sizes.natural))
    if missing[worst] > TURN_TOLERANCE * part.sizes.natural[worst]:
        whole = ", whole turns of its own left out," if turns[worst] else ""
        raise SweepError(
            f"'{name}' is periodic, but after one turn {part.names[worst]} has changed{whole} by {missing[worst]:.3g}: "
            f"the mechanism does not come back to itself. Give '{name}' a range without `periodic`."
        )
    return turns


def evaluate_block(block: TableBlock, z: Array) -> tuple[Array, Array]:
    """Values (n, nc) and gradients (n, nc, nb) of a block's columns at points z (n, nb) inside the range."""
    return block_value(block, z), np.stack([block_slope(block, z, k) for k in range(z.shape[1])], axis=-1)


def block_value(block: TableBlock, z: Array) -> Array:
    """Values (n, nc) alone."""
    value = block.constant + (z - block.z_ref) @ block.slope.T
    tabulated = block.stored >= 0
    if tabulated.any():
        value[:, tabulated] += spline_of(block)(z)
    return np.asarray(value)


def block_slope(block: TableBlock, z: Array, k: int) -> Array:
    """Slopes (n, nc) along axis k alone."""
    slope = np.repeat(block.slope[None, :, k], len(z), 0)
    tabulated = block.stored >= 0
    if tabulated.any():
        slope[:, tabulated] += spline_of(block)(z, nu=[int(i == k) for i in range(z.shape[1])])
    return slope


def spline_of(block: TableBlock) -> NdBSpline:
    """Its splines."""
    return NdBSpline(block.knots, block.coefficients, k=block.degree)


def evaluate_blocks(blocks: tuple[TableBlock, ...], z: Array) -> Array:
    """Values (n, nc) of all columns of some blocks at points z (n, nz) inside the range."""
    return np.concatenate([block_value(block, z[:, block.axes]) for block in blocks], axis=1)
