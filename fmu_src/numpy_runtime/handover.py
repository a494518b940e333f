"""From one chart to the next: position and rates at the border, and which chart a state belongs to.

A border's rows are the coordinates z' of the chart that takes over, so with their slopes

    z' = b(z) + offset,   zd' = (db/dz) zd                                                          (1)

Both sides of (1) are exact to table accuracy.  So that energy does not change by even that much, the rates are then
scaled to the kinetic energy that is left by the potential energy of the new chart.  Two charts overlap, and the border
of each lies in the other's inside: a state that has just been handed over is not handed back.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from ..model.reduced_model import Array
from .dynamics import Runtime, energies, energies_at, mechanics_of
from .reading import read
from .state import State

MOST_SCALING = 0.01
"""A larger change of the rates is not one of table accuracy: then the kinetic energy is near zero, and they stay."""


def border_passed(runtime: Runtime, z: Array) -> int | None:
    """Number of the border of a chart that z lies beyond."""
    for number, border in enumerate(runtime.chart.borders):
        if z[border.axis] > border.at if border.upper else z[border.axis] < border.at:
            return number
    return None


def border_ahead(runtime: Runtime, zd: Array) -> int | None:
    """Number of the border of a chart that a motion with rates zd goes towards."""
    for number, border in enumerate(runtime.chart.borders):
        if zd[border.axis] != 0.0 and (zd[border.axis] > 0.0) == border.upper:
            return number
    return None


def hand_over(charts: Sequence[Runtime], state: State, number: int, parameters: Sequence[float]) -> State:
    """The state in the chart behind a border of its chart.

    Raises:
        TableRangeError: the other chart does not reach so far.
    """
    here = charts[state.chart]
    border = here.chart.borders[number]
    there = charts[border.chart]
    value, slopes = read(here.everything, state.z)
    first = here.rows.borders[number]
    at_border = slice(first, first + there.nz)
    z = value[at_border] + border.offset
    zd = state.zd @ slopes[:, at_border]
    lap = state.lap + border.lap
    before = energies_at(here, mechanics_of(here, state.z, value, slopes, state.lap), state.zd, parameters)
    after = energies(there, z, zd, parameters, lap)
    scale = 1.0
    if after.kinetic > 0.0:
        share = (before.total - after.gravity - after.spring) / after.kinetic
        scale = math.sqrt(share) if abs(share - 1.0) < MOST_SCALING else 1.0
    kept = {"error": state.error, "pace": state.pace, "memory": state.memory}
    return State(state.time, border.chart, lap, z, scale * zd, **kept)  # type: ignore[arg-type]


def settled(charts: Sequence[Runtime], state: State, parameters: Sequence[float]) -> State:
    """The state in the chart that it belongs to: handed over until no border lies behind it."""
    for _ in charts:
        number = border_passed(charts[state.chart], state.z)
        if number is None:
            break
        state = hand_over(charts, state, number, parameters)
    return state
