"""Static equilibrium of a model: coordinates at which it stays at rest under its inputs.

The mechanism is at rest in its ground: the forces are those of `dynamics` without rates of any coordinate, and those
of a ground that moves, as its twist and the derivatives of that say,

    Q(z) + Q_frame(z) = 0   for all coordinates that are sought                                       (1)

so a chassis in steady cornering counts, like gravity; and devices are in the states in which they rest, see `resting`.
The unknowns are a list; `equilibrium` finds them.  A search that ends beyond the border of a chart goes on in the next.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from ..errors import StepError
from ..interface.inputs import take_drives
from ..model.reduced_model import Array, ReducedModel
from .devices import Memory
from .dynamics import Mechanics, Runtime, mechanics, static_force
from .equilibrium import Rest, Unknown, settle
from .handover import settled
from .resting import memory_at_rest
from .state import State
from .steps.step_end import MOST_RADII

LARGEST_STEP = 0.25
"""Of the length of a table: how far an axis may go in one step of the search."""

LARGEST_DEFLECTION = 5.0
"""Of the radius: the same of a deflection."""

NONE = "no static equilibrium was found:"

ADVICE = "or set 'solver.static' = 0"


class Equilibrium(NamedTuple):
    """The end of a search."""

    state: State
    rest: Rest
    coordinate: int  # that `rest.worst` stands for


def balance(
    charts: Sequence[Runtime],
    state: State,
    sought: Sequence[int],
    parameters: Sequence[float],
    inputs: Array,
    settling: bool = True,
) -> Equilibrium:
    """The equilibrium to which the forces lead from a state.

    Args:
        charts: the model.
        state: where to start; its rates do not matter.
        sought: numbers of the coordinates whose equilibrium is sought; the others stay.
        parameters: of the model.
        inputs: of the model.
        settling: whether states of devices come to rest too, or stay as they are.

    Returns:
        The end of the search, with rates of zero; whether it is an equilibrium, it tells.

    Raises:
        TableRangeError: a coordinate that is not sought is outside its table.
    """
    state, own, rounds = replace(state, zd=np.zeros(state.zd.size)), np.array(sought, dtype=np.int64), 2 * len(charts)
    while True:
        runtime, z, lap = charts[state.chart], state.z.copy(), state.lap

        memory = state.memory

        def force(x: Array, runtime: Runtime = runtime, z: Array = z, lap: int = lap, memory: Memory = memory) -> Array:
            z[own] = x
            at = mechanics(runtime, z, lap, memory)
            at = resting(runtime, at, parameters, inputs) if settling else at
            return static_force(runtime, at, parameters, inputs)[own]

        rest = settle(force, z[own], unknowns(runtime, sought))
        z[own] = rest.x
        state, rounds = replace(state, z=z), rounds - 1
        if runtime.model.devices and settling:
            at = mechanics(runtime, z, lap, memory)
            state = replace(state, memory=resting(runtime, at, parameters, inputs).memory)
        moved = settled(charts, state, parameters)
        if (moved.chart, moved.lap) == (state.chart, state.lap):
            break
        if not rounds:
            rest = rest._replace(found=False, held=False)
            break
        state = moved
    return Equilibrium(state, rest, sought[rest.worst] if sought else -1)


def resting(runtime: Runtime, at: Mechanics, parameters: Sequence[float], inputs: Array) -> Mechanics:
    """The same with devices at rest."""
    if not runtime.model.devices:
        return at
    own = inputs[runtime.slots.devices]
    return at._replace(memory=memory_at_rest(runtime.model, parameters, own, at.s, at.memory))


def floating(model: ReducedModel) -> list[int]:
    """Coordinates that a film holds, and nothing at rest."""
    nf = len(model.charts[0].axes)
    return [nf + k for k, stiff in enumerate(model.stiff) if stiff.floats]


def unknowns(runtime: Runtime, sought: Sequence[int]) -> list[Unknown]:
    """Coordinates of a chart, by number, as unknowns."""
    found = []
    for k in sought:
        if k < runtime.nf:
            axis = runtime.chart.axes[k]
            ends = axis.periodic or axis.outside == "linear"
            lower, upper = (-math.inf, math.inf) if ends else (axis.lower, axis.upper)
            found.append(Unknown(LARGEST_STEP * (axis.upper - axis.lower), lower, upper))
        else:
            stiff = runtime.model.stiff[k - runtime.nf]
            most = MOST_RADII * stiff.radius
            found.append(Unknown(LARGEST_DEFLECTION * stiff.radius, stiff.about - most, stiff.about + most))
    return found


def at_rest(charts: Sequence[Runtime], state: State, parameters: Sequence[float], inputs: Array) -> State:
    """The state in which a motion starts at rest, looked for from another.

    Driven coordinates are where their inputs say; one that follows through a filter has arrived there.

    Raises:
        StepError: there is no equilibrium that the forces lead to, or it is not stable.
        TableRangeError: a driven coordinate is outside its table.
    """
    runtime = charts[state.chart]
    if runtime.track is not None:
        raise StepError(
            f"there is no equilibrium to start from: nothing holds the disc '{runtime.track.info.name}' at a place on "
            f"the floor; set 'solver.static' = 0"
        )
    z = state.z.copy()
    for drive in runtime.slots.drives:
        z[drive.axis] = inputs[drive.first]
    sought = [k for k in range(runtime.nz) if k not in {*runtime.driven.tolist(), *floating(runtime.model)}]
    found = balance(charts, replace(state, z=z), sought, parameters, inputs)
    if not (found.rest.found and found.rest.stable):
        raise StepError(_words(charts[found.state.chart], found))
    z, zd = take_drives(runtime.slots, found.state.z, found.state.zd, inputs)
    return replace(found.state, z=z, zd=zd)


def _words(runtime: Runtime, found: Equilibrium) -> str:
    """Why there is none."""
    rest, k = found.rest, found.coordinate
    if rest.found:
        return (
            "the static equilibrium that was found is not stable: any motion leads away from it; start near the one "
            f"that is meant, with the parameters 'q_start', {ADVICE}"
        )
    axis = runtime.chart.axes[k] if k < runtime.nf else None
    info = axis or runtime.model.stiff[k - runtime.nf]
    force = info.effort.text(abs(float(rest.force[rest.worst])))
    place = info.words.text(float(found.state.z[k]))
    if not rest.held:
        return (
            f"{NONE} '{info.name}' came to {place}, where {force} is left on it; check the loads and the springs, "
            f"start near it, with the parameters 'q_start', {ADVICE}"
        )
    if axis:
        return (
            f"{NONE} '{info.name}' is pushed with {force} against the end of its table, {place}; check the loads and "
            f"the springs, bake with a wider range or a stop, {ADVICE}"
        )
    return (
        f"{NONE} '{info.name}' is pushed with {force} to {place}, {MOST_RADII:g} times what its tables hold; check the "
        f"loads, and that it is held by a bushing with a stiffness above zero, {ADVICE}"
    )
