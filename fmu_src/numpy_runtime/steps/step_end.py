"""Where a step ends, before it is taken over: a state that is refused here is never seen from outside.

Inside its tables a state can always be read, so looking at numbers is enough.  Where they are continued, which is said
and allowed, they may be continued so far that the inertia is none any more: there it is read.
"""

from __future__ import annotations

import math

import numpy as np

from ...errors import FmuError, StepError, TableRangeError
from ...model.reduced_model import Array
from ..bspline import check_border
from ..cholesky import solve_inertia
from ..dynamics import Runtime, mechanics
from ..validity import departure

MOST_RADII = 100.0
"""A deflection that goes so many times as far in one step as its tables hold has diverged."""


def check_end(runtime: Runtime, z: Array, zd: Array, h: float) -> None:
    """Refuse the end of a step that no later call could use.

    Args:
        runtime: the chart.
        z: (nz,) at its end.
        zd: (nz,) at its end.
        h: step [s].

    Raises:
        TableRangeError: a coordinate has left its table.
        StepError: the motion diverged, or went where it has no inertia.
    """
    _check_finite(runtime, z, zd)
    for number, (rate, length) in enumerate(zip(zd.tolist(), paths(runtime), strict=True)):
        if abs(rate) * h > length:
            raise too_long(runtime, number, rate, h)
    for axis, x in zip(runtime.chart.axes, z.tolist(), strict=False):
        if not axis.periodic and axis.outside == "error":
            check_border(axis, x)
    if departure(runtime, z) is not None:
        moved = [i for i in range(_moved(runtime)) if i not in runtime.driven]
        J = mechanics(runtime, z).J[np.ix_(moved, moved)]
        solve_inertia(J, np.zeros(len(moved)), [runtime.names[i] for i in moved])


def beyond(runtime: Runtime, left: TableRangeError, before: Array, h: float) -> FmuError:
    """What to say of a step from `before` (nz,) on whose way a coordinate left its table.

    One that has gone farther than its table is long says nothing about how wide the table should be.
    """
    number = runtime.names.index(left.coordinate)
    way = left.value - float(before[number])
    return too_long(runtime, number, way / h, h) if abs(way) > paths(runtime)[number] else left


def without_inertia(error: StepError) -> StepError:
    """What to say of a step on whose way, or at whose end, an inertia is lost: all are positive inside the tables."""
    if error.without_inertia is None:
        return error
    name, value = error.without_inertia
    return StepError(
        f"the motion diverged: it went so far outside the tables that the inertia of '{name}' is {value:.6g}; reduce "
        "'solver.step' or check the forces"
    )


def over_charts(runtime: Runtime, left: TableRangeError, h: float) -> StepError:
    """The error of a step that leaves a chart, though another takes over there: it is longer than where both are."""
    axis = runtime.chart.axes[runtime.names.index(left.coordinate)]
    return StepError(
        f"the step of {h:.6g} s is too long: it goes across where one chart hands over to the next, to "
        f"'{axis.name}' = {axis.words.text(left.value)}; reduce 'solver.step'"
    )


def paths(runtime: Runtime) -> list[float]:
    """How far each coordinate may go in one step: the length of its table, some radii of a deflection, (nz)."""
    lengths = [axis.upper - axis.lower for axis in runtime.chart.axes]
    return [*lengths, *(MOST_RADII * stiff.radius for stiff in runtime.model.stiff)]


def too_long(runtime: Runtime, number: int, rate: float, h: float) -> StepError:
    """The error that a coordinate moves too fast for a step."""
    nf, length = runtime.nf, paths(runtime)[number]
    info = runtime.chart.axes[number] if number < nf else runtime.model.stiff[number - nf]
    what = "the length of its table" if number < nf else f"{MOST_RADII:g} times what its tables hold"
    return StepError(
        f"the motion diverged: '{info.name}' moves at {info.words.text(rate)}/s, in a step of {h:.6g} s by more than "
        f"{info.words.text(length)}, {what}; reduce 'solver.step' or check the forces"
    )


def _moved(runtime: Runtime) -> int:
    """Coordinates that have inertia; they come first."""
    return runtime.nf if runtime.model.quasistatic else runtime.nz


def _check_finite(runtime: Runtime, z: Array, zd: Array) -> None:
    for what, numbers in (("value", z.tolist()), ("rate", zd.tolist())):
        for name, number in zip(runtime.names, numbers, strict=True):
            if not math.isfinite(number):
                raise StepError(
                    f"the motion diverged: the {what} of '{name}' is {number}; reduce 'solver.step' or check the forces"
                )
