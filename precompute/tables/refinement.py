"""More nodes where the tables are not accurate enough, or words on why more would not do."""

from __future__ import annotations

import numpy as np

from fmu_src.model.reduced_model import ColumnError
from precompute.arrays import Array
from precompute.errors import SweepError
from precompute.model.mechanism import TableSettings
from precompute.tables.certificate import SAFETY, Excess, excess_of
from precompute.tables.grid import regrade
from precompute.tables.splines import Part

NEAR_END = 0.05
"""What is steep within this share of a range from its end is put down to the end."""

ROUNDING = 100.0
"""An error of less than this many times a column's noise is put down to rounding."""


def enough(excess: Excess, settings: TableSettings) -> bool:
    """Whether the cells of an axis are accurate enough; where there may be no more nodes, without the safety."""
    return excess.worst <= (1.0 if len(excess.cells) + 1 < settings.max_nodes else 1.0 / SAFETY)


def scattered_excess(
    part: Part, excess: list[Excess], errors: tuple[ColumnError, ...], settings: TableSettings
) -> list[Excess]:
    """The excess where scattered points found more than the lines: all cells shrink accordingly."""
    worst = max(errors, key=lambda row: excess_of(row, settings.tolerance))
    found = excess_of(worst, settings.tolerance)
    by_value = worst.value_error / settings.tolerance == found
    where, column = worst.value_at if by_value else worst.slope_at, part.names.index(worst.column)
    noise = worst.value_error * worst.scale / part.sizes.noise[column] if by_value else np.inf
    return [
        Excess(np.maximum(e.cells, found / SAFETY), column, where[k], float(noise))
        for k, e in zip(part.axes, excess, strict=True)
    ]


def refine(part: Part, axes: tuple[Array, ...], excess: list[Excess], settings: TableSettings) -> tuple[Array, ...]:
    """More nodes along the axes whose cells are not accurate enough.

    Raises:
        SweepError: an axis has as many nodes as the file allows, and that is not enough.
    """
    refined = []
    for k, axis, e in zip(part.axes, axes, excess, strict=True):
        periodic, full = part.coordinates.free[k].periodic, len(axis) >= settings.max_nodes
        if full and not enough(e, settings):
            raise too_coarse(part, k, axis, e, settings)
        refine_it = e.worst > 1.0 and not full
        refined.append(regrade(axis, e.cells, periodic, part.degree, settings.max_nodes) if refine_it else axis)
    return tuple(refined)


def too_coarse(part: Part, k: int, axis: Array, e: Excess, settings: TableSettings) -> SweepError:
    """The error for an axis that needs more nodes than it may have."""
    c = part.coordinates.free[k]
    what = (
        f"the tables do not reach the tolerance {settings.tolerance:g} with {len(axis)} nodes along '{c.name}': the "
        f"error of {part.names[e.column]} near {part.coordinates.shown(k, e.near)} is still {e.worst * SAFETY:.3g} "
        "times what that allows. "
    )
    ways = "choose another independent coordinate, raise `tolerance`, or raise `max_nodes`."
    inner = NEAR_END * (axis[-1] - axis[0])
    if e.noise < ROUNDING:
        return SweepError(what + "That is rounding, and more nodes do not mend it: raise `tolerance`.")
    if c.periodic:
        return SweepError(what + f"It changes steeply there: {ways}")
    if axis[0] + inner < e.near < axis[-1] - inner:
        return SweepError(what + f"It changes steeply there: leave that out of the range, {ways}")
    return SweepError(what + f"The range may end close to a singularity: reduce it, {ways}")
