"""Refining the tables until their measured error is below the tolerance, and recording what was measured.

Errors are those of the interpolated value and of its first derivatives, against configurations solved afresh between
the nodes.  A value error is relative to the range of its column, a derivative error to the range of that derivative or,
if larger, to the column's range over the axis's length.  Values must be within the tolerance, derivatives within ten
times it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.optimize import minimize

from fmu_src.reduced_model import Certificate, Chart, ColumnError
from precompute.arrays import Array
from precompute.columns import ColumnData, Columns, natural_scales, plan_columns, smallest_inertia
from precompute.coordinates import Coordinates
from precompute.errors import SingularityError, SweepError
from precompute.grid import regrade
from precompute.mechanism import TableSettings
from precompute.sweep import Nodes, Progress, Solver, grid_points
from precompute.tables import Grid, evaluate_chart, fit_chart

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

INERTIA_STARTS = 3
"""Nodes from which the smallest inertia is sought."""


@dataclass(frozen=True, eq=False)
class Scales:
    """What errors are relative to."""

    value: Array  # (nc,)
    gradient: Array  # (nc, nz)


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
class Tabulated:
    """A chart with its certificate."""

    columns: Columns
    chart: Chart
    certificate: Certificate


def tabulate(
    coordinates: Coordinates, nodes: Nodes, settings: TableSettings, progress: Progress | None = None
) -> Tabulated:
    """Fit splines, compare them with fresh configurations, refine the grid; until the certificate holds."""
    columns = plan_columns(coordinates.closure.mechanism, len(coordinates.free))
    axes = nodes.axes
    with Solver(coordinates, columns, nodes, progress) as solver:
        while True:
            grid, data = solve_grid(solver, axes)
            floor = natural_scales(coordinates.closure, columns, data)
            scales = column_scales(grid, floor)
            chart = fit_chart(coordinates, columns, grid, floor)
            check_inertia(coordinates, columns, chart, grid_points(axes), data)
            excess = [cell_excess(solver, chart, grid, scales, k, settings.tolerance) for k in range(len(axes))]
            if all(e.worst <= 1.0 for e in excess):
                certificate = certify(solver, chart, grid, scales, data, settings.tolerance)
                worst = max(certificate.columns, key=lambda c: excess_of(c, settings.tolerance))
                found = excess_of(worst, settings.tolerance)
                if found <= 1.0:
                    return Tabulated(columns, chart, certificate)
                # the scattered points found more than the lines: all cells shrink accordingly
                excess = [Excess(np.maximum(e.cells, found / SAFETY), worst.column) for e in excess]
            axes = refine(coordinates, axes, excess, settings)


def solve_grid(solver: Solver, axes: tuple[Array, ...]) -> tuple[Grid, ColumnData]:
    """Exact data on a grid; the solver starts from it from now on."""
    shape = tuple(len(a) for a in axes)
    q, data = solver.at(grid_points(axes), f"solving {' x '.join(map(str, shape))} nodes")
    solver.learn(Nodes(axes, q.reshape(*shape, -1)))
    value = data.value.reshape(*shape, -1)
    return Grid(axes, value, data.gradient.reshape(*value.shape, len(axes))), data


def check_inertia(coordinates: Coordinates, columns: Columns, chart: Chart, z: Array, data: ColumnData) -> None:
    """Every motion must move some mass, at the nodes z (n, nz) and between them.

    The smallest eigenvalue of J is sought from the nodes where it is smallest, on the tables.
    """
    closure = coordinates.closure

    def smallest(point: Array) -> float:
        value, _ = evaluate_chart(chart, point[None])
        return float(smallest_inertia(closure, value[0, np.array(columns.inertia)]))

    bounds = [(a.lower, a.upper) for a in chart.axes]
    starts = z[np.argsort(data.J_smallest)[:INERTIA_STARTS]]
    found = [minimize(smallest, start, bounds=bounds, method="Nelder-Mead") for start in starts]
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
    nz = len(grid.axes)
    value = np.maximum(np.ptp(grid.value.reshape(-1, len(floor)), axis=0), floor)
    span = np.array([a[-1] - a[0] for a in grid.axes])
    gradient = np.ptp(grid.gradient.reshape(-1, len(floor), nz), axis=0)
    return Scales(value, np.maximum(gradient, value[:, None] / span))


def relative_errors(chart: Chart, scales: Scales, z: Array, data: ColumnData) -> tuple[Array, Array]:
    """Relative errors of values (n, nc) and of derivatives (n, nc, nz)."""
    value, gradient = evaluate_chart(chart, z)
    return np.abs(value - data.value) / scales.value, np.abs(gradient - data.gradient) / scales.gradient


def cell_excess(solver: Solver, chart: Chart, grid: Grid, scales: Scales, k: int, tolerance: float) -> Excess:
    """Errors of the cells along axis k: at cell middles on some lines, and at all nodes.

    On grid lines of the other axes, values and derivatives along k err because of the cells of axis k alone.
    """
    lines = [a[np.unique(np.linspace(0, len(a) - 1, PROFILE_LINES).astype(int))] for a in grid.axes]
    lines[k] = 0.5 * (grid.axes[k][1:] + grid.axes[k][:-1])
    z = grid_points(tuple(lines))
    _, data = solver.at(z, f"comparing along {chart.axes[k].name}")
    value_error, gradient_error = relative_errors(chart, scales, z, data)
    middles = along(np.maximum(value_error, gradient_error[..., k] / DERIVATIVE_FACTOR), lines, k)
    nodes = along(node_errors(chart, grid, scales, k) / DERIVATIVE_FACTOR, list(grid.axes), k)
    error = np.maximum(middles, np.maximum(nodes[1:], nodes[:-1]))  # (cells, columns)
    return Excess(error.max(axis=1) / (SAFETY * tolerance), chart.columns[int(np.argmax(error.max(axis=0)))])


def along(error: Array, axes: list[Array], k: int) -> Array:
    """Largest error per position along axis k and per column.  (n, nc) on a grid -> (n_k, nc)."""
    shaped = error.reshape(*(len(a) for a in axes), -1)
    return np.moveaxis(shaped, k, 0).reshape(len(axes[k]), -1, error.shape[1]).max(axis=1)


def node_errors(chart: Chart, grid: Grid, scales: Scales, k: int) -> Array:
    """Derivative error along axis k at the nodes themselves, where the values are exact.  (n, nc)."""
    _, gradient = evaluate_chart(chart, grid_points(grid.axes))
    exact = grid.gradient.reshape(gradient.shape)
    return (np.abs(gradient - exact) / scales.gradient)[..., k]


def certify(
    solver: Solver, chart: Chart, grid: Grid, scales: Scales, data: ColumnData, tolerance: float
) -> Certificate:
    """Compare at scattered points, half of them in the outermost cells, and keep the largest errors per column."""
    z = scattered_points(grid.axes)
    _, fresh = solver.at(z, "certifying")
    value_error, gradient_error = relative_errors(chart, scales, z, fresh)
    gradient_error = gradient_error.max(axis=-1)
    rows = []
    for c, name in enumerate(chart.columns):
        v, g = int(np.argmax(value_error[:, c])), int(np.argmax(gradient_error[:, c]))
        rows.append(
            ColumnError(
                column=name,
                scale=float(scales.value[c]),
                value_error=float(value_error[v, c]),
                value_at=tuple(z[v].tolist()),
                slope_error=float(gradient_error[g, c]),
                slope_at=tuple(z[g].tolist()),
            )
        )
    worst = float(max(fresh.condition.max(), data.condition.max()))
    return Certificate(tolerance, tuple(len(a) for a in grid.axes), len(z), worst, tuple(rows))


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


def refine(
    coordinates: Coordinates, axes: tuple[Array, ...], excess: list[Excess], settings: TableSettings
) -> tuple[Array, ...]:
    """More nodes along the axes whose cells are not accurate enough.

    Raises:
        SweepError: an axis would need more nodes than the file allows.
    """
    refined = []
    for k, (axis, e) in enumerate(zip(axes, excess, strict=True)):
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
