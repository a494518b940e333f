"""Refining the tables until their measured error is below the tolerance, and recording what was measured.

Errors are those of the interpolated value and of its first derivatives, against configurations solved afresh between
the nodes.  A value error is relative to the range of its column, a derivative error to the range of that derivative or,
if larger, to the column's range over the axis's length.  Values must be within the tolerance, derivatives within ten
times it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy.optimize import minimize

from fmu_src.reduced_model import Block, Certificate, Chart, ColumnError
from precompute.arrays import Array
from precompute.assembly import Configuration
from precompute.columns import (
    ColumnData,
    Columns,
    evaluate,
    natural_scales,
    plan_columns,
    smallest_inertia,
    total_inertia,
)
from precompute.coordinates import Coordinates
from precompute.decouple import Axes, find_dependence
from precompute.errors import SingularityError, SweepError
from precompute.grid import regrade
from precompute.mechanism import TableSettings
from precompute.subsystem import smallest_subsystem
from precompute.sweep import Nodes, Progress, Solver, grid_points, walk
from precompute.tables import Grid, Part, chart_of, constant_block, evaluate_block, evaluate_chart, fit_block

DERIVATIVE_FACTOR = 10.0
"""First derivatives may be this much less accurate than values."""

SAFETY = 0.5
"""The grid is refined to this fraction of the tolerance: the largest error may lie between the points compared."""

PROFILE_LINES = 7
"""Per other axis: how many grid lines are compared when the cells of an axis are judged."""

CHECK_POINTS = 1024
"""Scattered points of the final comparison (a power of two, for the Sobol sequence)."""

SINGULAR_INERTIA = 1e-7
"""Smallest eigenvalue of J over the total mass, below which some motion has no inertia."""

INERTIA_SAMPLES = 512
"""Random points of the range at which the inertia is looked at."""

INERTIA_STARTS = 3
"""Of them, how many are starts of a search for its smallest value."""


@dataclass(frozen=True, eq=False)
class Scales:
    """What errors are relative to."""

    value: Array  # (nc,)
    gradient: Array  # (nc, nb)


@dataclass(frozen=True, eq=False)
class Excess:
    """Error over allowed error of the cells along an axis, and the worst column."""

    cells: Array  # (n_k - 1,)
    column: str

    @property
    def worst(self) -> float:
        """Of all cells."""
        return float(self.cells.max())


@dataclass(frozen=True, eq=False)
class Certified:
    """A block with what was measured about it."""

    block: Block
    nodes: tuple[int, ...]
    points: int
    worst_condition: float
    errors: tuple[ColumnError, ...]


@dataclass(frozen=True, eq=False)
class Tabulated:
    """A chart with its certificate."""

    columns: Columns
    chart: Chart
    certificate: Certificate


def tabulate(
    coordinates: Coordinates, design: Configuration, settings: TableSettings, progress: Progress | None = None
) -> Tabulated:
    """Find out what depends on what; then sweep, fit and certify block after block."""
    dependence, samples = find_dependence(coordinates, design)
    columns = plan_columns(coordinates.closure.mechanism, coordinates.names, dependence)
    scales = natural_scales(coordinates.closure, columns, evaluate(coordinates.closure, columns, samples))
    floor = dict(zip(columns.names, scales.tolist(), strict=True))
    done = []
    for i, axes in enumerate(columns.blocks):
        system = smallest_subsystem(coordinates, design, dependence, axes)
        own = plan_columns(system.coordinates.closure.mechanism, system.coordinates.names, system.dependence)
        local = tuple(system.members.index(k) for k in axes)
        index = own.of_block(own.blocks.index(local))
        part = Part(system.coordinates, own, local, index, np.array([floor[own.names[c]] for c in index]))
        certified = tabulate_block(part, system.design, settings, progress)
        names = [columns.names[c] for c in columns.of_block(i)]
        done.append(aligned(certified, names, axes, coordinates, system.members))
    chart = chart_of(coordinates, tuple(d.block for d in done))
    check_inertia(coordinates, columns, chart)
    certificate = Certificate(
        tolerance=settings.tolerance,
        nodes=tuple(d.nodes for d in done),
        points=sum(d.points for d in done),
        worst_condition=max(d.worst_condition for d in done),
        columns=tuple(row for d in done for row in d.errors),
    )
    return Tabulated(columns, chart, certificate)


def aligned(certified: Certified, names: list[str], axes: Axes, coordinates: Coordinates, members: Axes) -> Certified:
    """A block of a subsystem as a block of the whole: its columns in the whole's order, points in all coordinates.

    Columns that the subsystem does not know are angular velocities per unit rate of coordinates outside it: zero.
    """
    block, known = certified.block, {name: c for c, name in enumerate(certified.block.columns)}
    source = np.array([known.get(name, -1) for name in names])
    there = source >= 0
    slope = np.where(there[:, None], block.slope[source], 0.0)
    constant, stored = np.where(there, block.constant[source], 0.0), np.where(there, block.stored[source], -1)

    def point(z: tuple[float, ...]) -> tuple[float, ...]:
        full = coordinates.design.copy()
        full[list(members)] = z
        return tuple(full.tolist())

    rows = {e.column: replace(e, value_at=point(e.value_at), slope_at=point(e.slope_at)) for e in certified.errors}
    here = tuple(coordinates.design.tolist())
    errors = tuple(rows.get(name) or ColumnError(name, 1.0, 0.0, here, 0.0, here) for name in names)
    block = replace(block, axes=axes, columns=tuple(names), constant=constant, slope=slope, stored=stored)
    return replace(certified, block=block, errors=errors)


def tabulate_block(part: Part, design: Configuration, settings: TableSettings, progress: Progress | None) -> Certified:
    """Fit splines, compare them with fresh configurations, refine the grid; until the certificate holds."""
    if not part.axes:
        data = evaluate(part.coordinates.closure, part.columns, design.q[None])
        here = tuple(part.coordinates.design.tolist())
        exact = tuple(
            ColumnError(n, float(f), 0.0, here, 0.0, here) for n, f in zip(part.names, part.floor, strict=True)
        )
        return Certified(constant_block(part, data.value[0, part.index]), (), 1, float(data.condition[0]), exact)
    nodes = walk(part.coordinates, design, part.axes, progress)
    axes = nodes.axes
    with Solver(part.coordinates, part.columns, nodes, progress) as solver:
        while True:
            grid, condition = solve_grid(part, solver, axes)
            scales = column_scales(grid, part.floor)
            block = fit_block(part, grid)
            excess = [cell_excess(part, solver, block, grid, scales, k, settings.tolerance) for k in range(len(axes))]
            if all(e.worst <= 1.0 for e in excess):
                certified = certify(part, solver, block, grid, scales, condition)
                worst = max(certified.errors, key=lambda c: excess_of(c, settings.tolerance))
                found = excess_of(worst, settings.tolerance)
                if found <= 1.0:
                    return certified
                # the scattered points found more than the lines: all cells shrink accordingly
                excess = [Excess(np.maximum(e.cells, found / SAFETY), worst.column) for e in excess]
            axes = refine(part, axes, excess, settings)


def solve_grid(part: Part, solver: Solver, axes: tuple[Array, ...]) -> tuple[Grid, float]:
    """Exact data on a grid and the worst condition number there; the solver starts from it from now on."""
    shape = tuple(len(a) for a in axes)
    q, data = solver.at(part.embed(grid_points(axes)), f"solving {' x '.join(map(str, shape))} nodes")
    solver.learn(Nodes(part.axes, axes, q.reshape(*shape, -1)))
    value, gradient = of_part(part, data)
    return Grid(axes, value.reshape(*shape, -1), gradient.reshape(*shape, -1, len(axes))), float(data.condition.max())


def of_part(part: Part, data: ColumnData) -> tuple[Array, Array]:
    """Values (n, nc) and gradients (n, nc, nb) of a block's columns."""
    return data.value[:, part.index], data.gradient[:, part.index][..., part.axes]


def check_inertia(coordinates: Coordinates, columns: Columns, chart: Chart) -> None:
    """Every motion must move some mass, everywhere: the smallest eigenvalue of J is sought on the tables."""

    def smallest(z: Array) -> Array:
        return smallest_inertia(coordinates.closure, total_inertia(columns, evaluate_chart(chart, np.atleast_2d(z))))

    bounds = [(a.lower, a.upper) for a in chart.axes]
    lower, upper = np.array(bounds).T
    z = np.random.default_rng(4).uniform(lower, upper, (INERTIA_SAMPLES, len(bounds)))
    starts = z[np.argsort(smallest(z))[:INERTIA_STARTS]]
    found = [minimize(lambda x: smallest(x)[0], s, bounds=bounds, method="Nelder-Mead") for s in starts]
    best = min(found, key=lambda result: result.fun)
    if best.fun < SINGULAR_INERTIA:
        raise no_inertia(coordinates, best.x, best.fun)


def no_inertia(coordinates: Coordinates, z: Array, smallest: float) -> SingularityError:
    """The error for a motion that moves no mass."""
    return SingularityError(
        f"the reduced inertia is singular at {coordinates.point(z)} ({max(smallest, 0.0):.2g} of the total mass): some "
        f"motion of {' and '.join(repr(n) for n in coordinates.names)} moves no mass there, so it has no acceleration. "
        "Give the bodies that move with it a mass or an inertia; if they have, the coordinates do not serve there "
        "(gimbal lock): narrow the range or choose others."
    )


def column_scales(grid: Grid, floor: Array) -> Scales:
    """Ranges of columns and of their derivatives over the nodes."""
    nb = len(grid.axes)
    value = np.maximum(np.ptp(grid.value.reshape(-1, len(floor)), axis=0), floor)
    span = np.array([a[-1] - a[0] for a in grid.axes])
    gradient = np.ptp(grid.gradient.reshape(-1, len(floor), nb), axis=0)
    return Scales(value, np.maximum(gradient, value[:, None] / span))


def relative_errors(part: Part, block: Block, scales: Scales, z: Array, data: ColumnData) -> tuple[Array, Array]:
    """Relative errors of values (n, nc) and of derivatives (n, nc, nb) at points z (n, nb)."""
    value, gradient = evaluate_block(block, z)
    exact, exact_gradient = of_part(part, data)
    return np.abs(value - exact) / scales.value, np.abs(gradient - exact_gradient) / scales.gradient


def cell_excess(
    part: Part, solver: Solver, block: Block, grid: Grid, scales: Scales, k: int, tolerance: float
) -> Excess:
    """Errors of the cells along axis k: at cell middles on some lines, and at all nodes.

    On grid lines of the other axes, values and derivatives along k err because of the cells of axis k alone.
    """
    lines = [a[np.unique(np.linspace(0, len(a) - 1, PROFILE_LINES).astype(int))] for a in grid.axes]
    lines[k] = 0.5 * (grid.axes[k][1:] + grid.axes[k][:-1])
    z = grid_points(tuple(lines))
    _, data = solver.at(part.embed(z), f"comparing along {part.coordinates.free[part.axes[k]].name}")
    value_error, gradient_error = relative_errors(part, block, scales, z, data)
    middles = along(np.maximum(value_error, gradient_error[..., k] / DERIVATIVE_FACTOR), lines, k)
    nodes = along(node_errors(block, grid, scales, k) / DERIVATIVE_FACTOR, list(grid.axes), k)
    error = np.maximum(middles, np.maximum(nodes[1:], nodes[:-1]))  # (cells, columns)
    return Excess(error.max(axis=1) / (SAFETY * tolerance), part.names[int(np.argmax(error.max(axis=0)))])


def along(error: Array, axes: list[Array], k: int) -> Array:
    """Largest error per position along axis k and per column.  (n, nc) on a grid -> (n_k, nc)."""
    shaped = error.reshape(*(len(a) for a in axes), -1)
    return np.moveaxis(shaped, k, 0).reshape(len(axes[k]), -1, error.shape[1]).max(axis=1)


def node_errors(block: Block, grid: Grid, scales: Scales, k: int) -> Array:
    """Derivative error along axis k at the nodes themselves, where the values are exact.  (n, nc)."""
    _, gradient = evaluate_block(block, grid_points(grid.axes))
    exact = grid.gradient.reshape(gradient.shape)
    return (np.abs(gradient - exact) / scales.gradient)[..., k]


def certify(part: Part, solver: Solver, block: Block, grid: Grid, scales: Scales, condition: float) -> Certified:
    """Compare at scattered points, half of them in the outermost cells, and keep the largest errors per column."""
    z = scattered_points(grid.axes)
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
    worst = max(condition, float(fresh.condition.max()))
    return Certified(block, tuple(len(a) for a in grid.axes), len(z), worst, tuple(rows))


def scattered_points(axes: tuple[Array, ...]) -> Array:
    """Sobol points of the whole range, and as many pressed into the first and last two cells of one axis each."""
    from scipy.stats import qmc  # half a second to import, and only baking needs it

    nz = len(axes)
    lower, upper = np.array([a[0] for a in axes]), np.array([a[-1] for a in axes])
    everywhere = qmc.scale(qmc.Sobol(nz, seed=1).random(CHECK_POINTS), lower, upper)
    border = qmc.scale(qmc.Sobol(nz, seed=2).random(CHECK_POINTS), lower, upper)
    for i, z in enumerate(border):
        k, low = i % nz, (i // nz) % 2 == 0
        share = (z[k] - lower[k]) / (upper[k] - lower[k])
        z[k] = lower[k] + share * (axes[k][2] - lower[k]) if low else upper[k] - share * (upper[k] - axes[k][-3])
    return np.concatenate([everywhere, border])


def excess_of(row: ColumnError, tolerance: float) -> float:
    """Error over allowed error of one column, without the safety factor."""
    return max(row.value_error, row.slope_error / DERIVATIVE_FACTOR) / tolerance


def refine(part: Part, axes: tuple[Array, ...], excess: list[Excess], settings: TableSettings) -> tuple[Array, ...]:
    """More nodes along the axes whose cells are not accurate enough.

    Raises:
        SweepError: an axis would need more nodes than the file allows.
    """
    refined = []
    coordinates = part.coordinates
    for k, axis, e in zip(part.axes, axes, excess, strict=True):
        new = regrade(axis, e.cells, coordinates.free[k].periodic) if e.worst > 1.0 else axis
        if len(new) > settings.max_nodes:
            worst = int(np.argmax(e.cells))
            near = coordinates.shown(k, 0.5 * (axis[worst] + axis[worst + 1]))
            raise SweepError(
                f"the tables do not reach the tolerance {settings.tolerance:g} with {settings.max_nodes} nodes along "
                f"'{coordinates.free[k].name}': at {len(axis)} nodes the error of {e.column} near {near} is still "
                f"{e.worst * SAFETY * settings.tolerance:.2g}. The range may end close to a singularity: reduce it, "
                "choose another independent coordinate, raise `tolerance`, or raise `max_nodes`."
            )
        refined.append(new)
    return tuple(refined)
