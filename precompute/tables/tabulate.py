"""Refining the tables until their measured error is below the tolerance, block after block."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import groupby

import numpy as np

from fmu_src.model.reduced_model import Axis, Certificate, ColumnError, ErrorModel
from precompute.arrays import Array
from precompute.coordinates.decouple import Axes
from precompute.coordinates.independent import Coordinates
from precompute.kinematics.assembly import Configuration
from precompute.model.mechanism import TableSettings
from precompute.progress import Progress, stages, unheard
from precompute.tables.blocks import TableBlock
from precompute.tables.certificate import (
    SAFETY,
    Certified,
    cell_excess,
    certify,
    column_scales,
    excess_of,
)
from precompute.tables.columns import Columns, Level, Sizes, column_sizes, evaluate, plan_columns
from precompute.tables.error_model import error_model
from precompute.tables.factors import factorized
from precompute.tables.grid import thinned
from precompute.tables.inertia_check import check_inertia
from precompute.tables.layout import Layout, expected_points, work
from precompute.tables.refinement import enough, refine, scattered_excess
from precompute.tables.splines import (
    DEGREE,
    LEAST_DEGREE,
    LOW_DEGREE,
    Grid,
    Part,
    axes_of,
    constant_block,
    fit_block,
    spline_gradients,
)
from precompute.tables.sweep import Solver, grid_points, worst_condition
from precompute.tables.validity import validity
from precompute.tables.walking import Nodes, walk_block

SCALE_FLOOR = 1e-4
"""A column's errors are relative to its range, but never to less than this fraction of what is natural for its kind:
a coordinate that moves by a micrometre in a metre is not asked for twelve digits of that micrometre."""

STIFF_FLOOR = 0.02
"""The same for Taylor coefficients, of what changes a value by its natural size over a large deflection."""

CONSTANT = 1e-8
"""A column whose nodes differ by less than this fraction of its floor scale, and by less than it may err, has no table.
"""

CONSTANT_SHARE = 0.1
"""The same for Taylor coefficients, as a share of the error that they may have."""

FEW_DIGITS = {DEGREE: 0.0, LOW_DEGREE: 3e-6, LEAST_DEGREE: 3e-4}
"""Errors from which on splines of a degree do."""

AT_REST = (Level.REST, Level.REQUEST)
"""Columns that need all their digits."""

STIFF_SHARE = 0.1
"""Taylor coefficients are tabulated to this share of the tolerance under deflection, if that is more than the other."""


@dataclass(frozen=True, eq=False)
class Tabulated:
    """Tables over one set of coordinates."""

    columns: Columns
    axes: tuple[Axis, ...]
    blocks: tuple[TableBlock, ...]
    certificate: Certificate
    errors: ErrorModel
    radius: Array  # (ns,) deflections up to which the stiff coordinates are within their tolerance [m or rad]


def tabulate(
    coordinates: Coordinates,
    design: Configuration,
    layout: Layout,
    settings: TableSettings,
    progress: Progress = unheard,
) -> Tabulated:
    """Sweep, fit and certify block after block."""
    columns, samples = layout.columns, layout.samples
    sizes = column_sizes(coordinates.full, columns, evaluate(coordinates.full, columns, samples, ()))
    number = {name: c for c, name in enumerate(columns.names)}
    done, each = [], iter(stages(progress, weights(columns, settings)))
    for axes, levels in groupby(enumerate(columns.blocks), key=lambda block: block[1][0]):
        walked = layout.walked.get(axes) or walk_block(coordinates, design, layout.dependence, axes)
        system, local = walked.system, walked.axes
        part_names, watched = system.coordinates.all_names, coordinates.watched
        own = plan_columns(system.coordinates.closure.mechanism, part_names, system.dependence, watched)
        for i, (_, level) in levels:
            some = own.only(own.of_block(own.blocks.index((local, level))))
            here = sizes.only(np.array([number[name] for name in some.names], dtype=np.intp))
            part = Part(system.coordinates, some, local, here, *demands(level, len(axes), here, settings))
            certified = tabulate_block(part, walked.nodes, settings, next(each))
            names = [columns.names[c] for c in columns.of_block(i)]
            done.append(aligned(certified, names, axes, coordinates, system.members))
    blocks = tuple(d.block for d in done)
    check_inertia(coordinates, columns, blocks)
    certificate = Certificate(
        tolerance=settings.tolerance,
        axes=tuple(tuple(coordinates.names[k] for k in axes) for axes, _ in columns.blocks),
        nodes=tuple(d.nodes for d in done),
        points=sum(d.points for d in done),
        worst_condition=max(d.worst_condition for d in done),
        columns=tuple(row for d in done for row in d.errors),
    )
    axes_here = axes_of(coordinates)
    found = validity(coordinates, columns.fields.of_motion, axes_here, samples, settings.stiff_tolerance)
    natural = sizes.natural[columns.at_rest()]
    errors = error_model(coordinates.closure.mechanism, columns, natural, certificate.columns, found)
    return Tabulated(columns, axes_here, blocks, certificate, errors, found.radius if found else np.zeros(0))


def weights(columns: Columns, settings: TableSettings) -> list[float]:
    """About how long each block takes, in times for solving a point."""
    return [work(columns, i, slack_of(level, settings)) for i, (_, level) in enumerate(columns.blocks)]


def demands(level: Level, nb: int, sizes: Sizes, settings: TableSettings) -> tuple[Array, int, float, Array]:
    """What is asked of the columns of a block over nb axes.

    Returns:
        floor: (nc,) what errors are relative to at least: so much that noise is within the tolerance.
        degree: of splines.
        slack: how many times the tolerance they may err.
        constant: (nc,) below what change a column is constant.
    """
    slack = slack_of(level, settings)
    allowed = slack * settings.tolerance
    share = SCALE_FLOOR if level in AT_REST else STIFF_FLOOR
    floor = np.maximum(share * sizes.natural, sizes.noise / (SAFETY * allowed))
    change = min(CONSTANT, SAFETY * allowed) if level in AT_REST else CONSTANT_SHARE * allowed
    return floor, spline_degree(level, nb, settings), slack, change * floor


def slack_of(level: Level, settings: TableSettings) -> float:
    """How many times the tolerance columns may err: Taylor coefficients need only a share of that under deflection."""
    return 1.0 if level in AT_REST else max(1.0, STIFF_SHARE * settings.stiff_tolerance / settings.tolerance)


def spline_degree(level: Level, nb: int, settings: TableSettings) -> int:
    """The degree of the splines of a block over nb axes.

    Only where the slopes of a column along its axis hardly matter may they jump; over two axes that would take too many
    nodes.
    """
    if level in AT_REST:
        least = LOW_DEGREE if nb == 2 else DEGREE
    else:
        least = LEAST_DEGREE if level is Level.HIGHEST and nb == 1 else LOW_DEGREE
    return degree_for(slack_of(level, settings) * settings.tolerance, least)


def degree_for(allowed: float, least: int) -> int:
    """The lowest degree that serves for such errors."""
    return min(degree for degree, digits in FEW_DIGITS.items() if degree >= least and allowed >= digits)


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


def tabulate_block(part: Part, nodes: Nodes, settings: TableSettings, progress: Progress) -> Certified:
    """Fit splines, compare them with fresh configurations, refine the grid; until the certificate holds."""
    if not part.axes:
        data = evaluate(part.coordinates.full, part.columns, nodes.q[None], ())
        here = tuple(part.coordinates.design.tolist())
        exact = tuple(
            ColumnError(n, float(f), 0.0, here, 0.0, here) for n, f in zip(part.names, part.floor, strict=True)
        )
        condition = worst_condition(part.coordinates, nodes.q[None])
        return Certified(constant_block(part, data.value[0]), (), 1, condition, exact)
    axes = tuple(
        axis if part.slack == 1.0 else thinned(axis) for axis in nodes.axes
    )  # fewer where few digits are needed
    expected = expected_points(len(axes), part.slack)
    with Solver(part.coordinates, part.columns, nodes, progress, expected) as solver:
        while True:
            grid = solve_grid(part, solver, axes)
            scales = column_scales(grid, part.floor, part.slack)
            block = fit_block(part, grid)
            if (
                part.slack > 1.0 or not part.known.any()
            ):  # what steps need in all digits is stored as it is: exact at nodes
                block = factorized(block, scales, settings.tolerance)
            excess = [cell_excess(part, solver, block, grid, scales, k, settings.tolerance) for k in range(len(axes))]
            if all(enough(e, settings) for e in excess):
                certified = certify(part, solver, block, grid, scales)
                if all(excess_of(row, settings.tolerance) <= 1.0 for row in certified.errors):
                    return certified
                excess = scattered_excess(part, excess, certified.errors, settings)
            axes = refine(part, axes, excess, settings)


def solve_grid(part: Part, solver: Solver, axes: tuple[Array, ...]) -> Grid:
    """Exact data on a grid; the solver starts from it from now on."""
    shape = tuple(len(a) for a in axes)
    q, data = solver.at(part.embed(grid_points(axes)), f"solving {' x '.join(map(str, shape))} nodes")
    solver.learn(Nodes(part.axes, axes, q.reshape(*shape, -1)))
    value, gradient = (a.reshape(*shape, *a.shape[1:]) for a in (data.value, data.gradient))
    gradient[..., ~part.known, :] = spline_gradients(axes, value[..., ~part.known])
    return Grid(axes, value, gradient)
