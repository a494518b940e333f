"""What depends on what in a chart, and the columns of its tables that follow from it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from precompute.arrays import Array
from precompute.coordinates.decouple import Axes, Dependence, find_dependence
from precompute.coordinates.independent import MAX_AXES, Coordinates
from precompute.errors import TopologyError
from precompute.kinematics.assembly import Configuration
from precompute.tables.certificate import CHECK_POINTS, FEWER
from precompute.tables.columns import Columns, plan_columns
from precompute.tables.fields import measure_name
from precompute.tables.walking import Walked

LINES = 30
"""Nodes along an axis, about; two thirds of them where few digits are needed."""

ROUNDS = 3
"""How often a grid over several axes is refined and solved anew, about."""

AS_LONG = 300
"""So many columns take about as long at a point as solving it."""


@dataclass(frozen=True, eq=False)
class Layout:
    """What is tabulated over the coordinates of a chart."""

    dependence: Dependence
    columns: Columns
    samples: Array  # (n, nq) scattered configurations of the whole range
    walked: Mapping[Axes, Walked] = field(default_factory=dict)  # by the axes of blocks, where that was done


def find_layout(coordinates: Coordinates, design: Configuration) -> Layout:
    """Look for the dependence at scattered configurations.

    Raises:
        TopologyError: something depends on more coordinates than a table has axes.
    """
    dependence, samples = find_dependence(coordinates, design)
    return layout_of(coordinates, dependence, samples)


def layout_of(coordinates: Coordinates, dependence: Dependence, samples: Array) -> Layout:
    """The layout for a dependence that is known."""
    mechanism = coordinates.closure.mechanism
    columns = plan_columns(mechanism, coordinates.all_names, dependence, coordinates.watched)
    widest = max((axes for axes, _ in columns.blocks), key=len)
    if len(widest) > MAX_AXES:
        raise too_many_axes(coordinates, dependence, widest)
    return Layout(dependence, columns, samples)


def too_many_axes(coordinates: Coordinates, dependence: Dependence, axes: Axes) -> TopologyError:
    """The error for what depends on more coordinates than a table can have axes."""
    mechanism, *others, last = coordinates.closure.mechanism, *(f"'{coordinates.names[k]}'" for k in axes)
    depends = zip(mechanism.bodies, dependence.bodies, strict=True)
    parts = [f"body {body.name}" for body, on in depends if table_axes(on, dependence) == axes]
    acting = [measure_name(mechanism, of) for of, on in dependence.measures if table_axes(on, dependence) == axes]
    s = "s" if len(parts) + len(acting) == 1 else ""
    return TopologyError(
        f"'{mechanism.name}': {', '.join((*parts, *acting))} depend{s} on {len(axes)} coordinates at once, "
        f"{', '.join(others)} and {last}. A table has at most {MAX_AXES} axes; there may be more coordinates, if "
        f"nothing depends on more than {MAX_AXES} of them. Lock one of them, or "
        + ("take out what couples them." if acting and not parts else "name others of which each part needs fewer.")
    )


def table_axes(depends: Axes, dependence: Dependence) -> Axes:
    """Without the stiff ones."""
    return tuple(k for k in depends if k < dependence.nf)


def expected_points(nb: int, slack: float) -> float:
    """About how many points are solved for a block over nb axes whose columns may err by so many times the tolerance.

    It holds within a factor of two for the shipped mechanisms; whoever waits is told how much is left by it.
    """
    few = slack > 1.0
    return 2 * CHECK_POINTS / (FEWER if few else 1) + ROUNDS * (2 / 3 * LINES if few else LINES) ** nb


def work(columns: Columns, block: int, slack: float) -> float:
    """About how long a block takes, in times for solving a point."""
    axes, _ = columns.blocks[block]
    return expected_points(len(axes), slack) * (1.0 + len(columns.of_block(block)) / AS_LONG) if axes else 1.0
