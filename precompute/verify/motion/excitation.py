"""Inputs that lead a mechanism through most of its range: a smooth force on every free coordinate, motions of drives.

Every axis gets a path to both ends of its table (`leading`), and inputs along it are found (`pushing`).  They are held
over pieces of time; what is recorded are inputs over time, nothing else, and FMU and full model get the same.  Neither
needs to follow the path.  Where the motion is unstable it is cut into legs, each a run of its own.

Deflections are to stay inside the radius that the tables are good for: paths end where these would leave it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fmu_src.errors import FmuError
from fmu_src.interface.variables import SOLVER_STATIC, variables
from fmu_src.model.reduced_model import Axis, ReducedModel
from fmu_src.numpy_runtime.state import State
from precompute.arrays import Array
from precompute.running.simulation import SimulationError
from precompute.verify.motion.coverage import ENOUGH, Visited
from precompute.verify.motion.leading import MOST_STRAIN, SLOWNESS, laid_out, reaches
from precompute.verify.motion.pushing import PIECES, Along, Onwards, Push, taken
from precompute.verify.motion.rig import Rig

STIFF_PIECES = 1000
"""Of time on rubber, which answers each jump between pieces."""

SHRINK = 0.85
"""Of all paths, where the motion has left its tables or radii however short the pieces are."""

ATTEMPTS = 24

STIRRED = 8
"""Attempts in which inputs of elements are swayed."""

NUDGE = 1e-7
"""Share of a table by which a start is changed to see how errors grow."""

MOST_GROWTH = 30.0
"""Of errors in a leg, that leaves the limits room."""

MOST_LEGS = 16
HURRY = 0.7
FASTEST = 0.5
"""By how much a motion is made faster, and the least of the time from end to end over half a period."""

STEPS = 4
"""Of a model with several charts in a piece of time."""


@dataclass(frozen=True, eq=False)
class Leg:
    """A run of its own, from a state on the way."""

    starts: dict[str, float]  # start values; none at the start of the whole way
    inputs: NDArray[Any] | None  # over time, as `read_inputs` gives them
    stop: float  # [s]


@dataclass(frozen=True, eq=False)
class Excitation:
    """Inputs over time that lead a mechanism through its range, in as few legs as errors allow."""

    legs: tuple[Leg, ...]
    step: float  # [s] length of a piece
    limited: dict[str, str]  # what keeps a coordinate from its ends, in words


def excitation(
    model: ReducedModel, values: Mapping[str, float], stop: float | None = None, step: float | None = None
) -> Excitation:
    """Inputs that lead all coordinates whose forces or motions are not among the values.

    Args:
        model: the model.
        values: start values, parameters and constant inputs of the FMU.
        stop: how long the whole way is to take [s]; default: as long as suits the model.
        step: how long a piece is to last [s].

    Raises:
        SimulationError: no motion was found that stays inside the tables.
    """
    try:
        rig = Rig(model, values)
    except FmuError as error:
        raise SimulationError(f"{model.name} does not start: {error}") from None
    if len(model.charts) > 1:
        return kept_turning(rig, stop or 2.0 * model.stop_time, step or STEPS * model.step_size)
    forced = model.coordinates[: len(model.coordinates) - model.unforced]
    search = Search(rig, [k for k, c in enumerate(forced) if not taken(c.name, values)], stop, step)
    for _ in range(ATTEMPTS):
        if found := search.attempt():
            return found
    raise SimulationError(
        f"{model.name}: no forces were found that lead it through its range: {search.why}. Give inputs of your own "
        "(--input), or let it move by itself (--free)"
    )


class Search:
    """For paths that a motion follows within tables and radii.

    Where the motion leaves them, pieces are made shorter; where it needs too many legs, it goes faster; where pieces
    cannot be shorter any more, less far.  Inputs of elements are held where they are what is in the way.
    """

    def __init__(self, rig: Rig, axes: list[int], stop: float | None, step: float | None) -> None:
        self.rig, self.axes, self.stop, self.step = rig, axes, stop, step
        self.ends, self.limited = reaches(rig, axes)
        self.share, self.finer, self.slowness = 1.0, 1, SLOWNESS
        self.stirred, self.count = bool(rig.model.devices), 0
        self.why = ""

    def attempt(self) -> Excitation | None:
        """What comes of the present choice; or another choice is made."""
        rig, model = self.rig, self.rig.model
        leading = laid_out(rig, self.shrunk, self.stop, self.slowness)
        h = self.step or piece_length(model, leading.stop / self.finer)
        try:
            rows, self.why = led(rig, Along(rig, leading, h, self.stirred), h, max(1, round(leading.stop / h)))
            if not self.why:
                legs = cut(rig, h, rows)
                if len(legs) <= MOST_LEGS or self.stop is not None or self.slowness < FASTEST:
                    return Excitation(legs, h, self.limited)
                self.slowness *= HURRY
                return None
        except FmuError as error:
            self.why = str(error)
        self.count += 1
        if self.stirred and (self.why.startswith("element") or self.count > STIRRED):
            self.stirred = False
        elif self.step is None and h > model.step_size:
            self.finer *= 2
        else:
            self.limited = {axis.name: self.limited.get(axis.name) or self.why for axis in self.led_axes}
            self.share *= SHRINK
        return None

    @property
    def shrunk(self) -> dict[int, tuple[float, float]]:
        """The ends, nearer to the start."""
        z = {k: float(self.rig.z[k]) for k in self.axes}
        return {k: (z[k] + self.share * (a - z[k]), z[k] + self.share * (b - z[k])) for k, (a, b) in self.ends.items()}

    @property
    def led_axes(self) -> list[Axis]:
        """The axes that are led."""
        return [self.rig.model.charts[0].axes[k] for k in self.axes]


def piece_length(model: ReducedModel, stop: float) -> float:
    """A number of the model's own steps [s]."""
    count = STIFF_PIECES if model.stiff else PIECES
    return model.step_size * max(1, round(stop / count / model.step_size))


def led(
    rig: Rig, push: Push, h: float, count: int, done: Callable[[State], bool] = lambda state: False
) -> tuple[Array, str]:
    """Inputs (n, count of inputs) of pieces of the length h [s], and which deflection they strain too much, if one.

    Raises:
        FmuError: the motion left a table.
    """
    instance, rows, why = rig.started(), [], ""
    for i in range(count):
        rows.append(push.inputs(i, instance.state))
        rig.stepped(instance, i * h, h, rows[-1])
        why = why or rig.strained(instance.state.z, MOST_STRAIN)
        if done(instance.state):
            break
    return np.array(rows), why


def cut(rig: Rig, h: float, rows: Array) -> tuple[Leg, ...]:
    """The motion with inputs (n, count) in legs, in each of which a small change of its start grows so much at most.

    Where a mechanism stands on its head all errors grow with time, those of good tables too; a run that goes on from
    there shows nothing but that.
    """
    axes = rig.model.charts[0].axes
    width = np.array([axis.upper - axis.lower for axis in axes])
    inwards = np.where(rig.z[: rig.nf] < [0.5 * (axis.lower + axis.upper) for axis in axes], 1.0, -1.0)
    one, other, begun, legs = rig.started(), rig.started(), 0, []
    starts: dict[str, float] = {}
    for i, inputs in enumerate(rows):
        if i == begun:
            z = one.state.z.copy()
            z[: rig.nf] += NUDGE * width * inwards
            other.state = replace(one.state, z=z)
        rig.stepped(one, i * h, h, inputs)
        try:
            rig.stepped(other, i * h, h, inputs)
            apart = float((np.abs(one.state.z - other.state.z)[: rig.nf] / width).max())
        except FmuError:
            apart = np.inf
        if i + 1 == len(rows) or (apart > MOST_GROWTH * NUDGE and i > begun):
            legs.append(Leg(starts, as_table(h, rig, rows[begun : i + 1]), (i + 1 - begun) * h))
            begun, starts = i + 1, start_values(rig, one.state)
    return tuple(legs)


def start_values(rig: Rig, state: State) -> dict[str, float]:
    """The start values of an FMU that lead to a state."""
    layout = rig.started().layout
    names = [v.name for v in variables(rig.model)[: layout.first_input]]
    numbers = np.concatenate([state.z, state.zd, state.memory.x]).tolist()
    own = {names[s.reference]: numbers[s.place] for s in layout.starts if s.reference < layout.first_input}
    return {**own, names[SOLVER_STATIC]: 0.0}


def as_table(h: float, rig: Rig, rows: Array) -> NDArray[Any]:
    """Rows (n, count) of inputs, each held for the time h [s], as a table over time that jumps between them."""
    moving = np.flatnonzero(np.any(rows != rig.inputs, axis=0)).tolist()
    names = [rig.names[j] for j in moving]
    table = np.empty(2 * len(rows), dtype=[(name, float) for name in ("time", *names)])
    edges = h * np.arange(len(rows) + 1)
    table["time"] = np.stack([edges[:-1], edges[1:]], axis=1).ravel()
    for j, name in zip(moving, names, strict=True):
        table[name] = np.repeat(rows[:, j], 2)
    return table


# -- through several charts -------------------------------------------------------------------------------------------


def kept_turning(rig: Rig, stop: float, h: float) -> Excitation:
    """Forces that keep the energy of a motion through several charts, until it has been all round.

    Raises:
        SimulationError: it leaves its tables.
    """
    seen = Visited(rig.model)
    try:
        rows, _ = led(rig, Onwards(rig, h), h, max(1, round(stop / h)), seen.all_round)
    except FmuError as error:
        raise SimulationError(f"{rig.model.name}: no forces were found that keep it moving: {error}") from None
    axes = {axis.name for chart in rig.model.charts for axis in chart.axes}
    limited = {} if seen.least >= ENOUGH else {name: f"it has not been all round in {stop:g} s" for name in axes}
    return Excitation((Leg({}, as_table(h, rig, rows), len(rows) * h),), h, limited)
