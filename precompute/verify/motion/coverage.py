"""How much of its tables a motion has visited."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from fmu_src.errors import FmuError
from fmu_src.model.reduced_model import Axis, ReducedModel
from fmu_src.model.remainder import strain as table_strain
from fmu_src.model.tracks import CYCLIC
from fmu_src.numpy_runtime.state import State
from precompute.running.simulation import Run
from precompute.verify.findings import Coverage
from precompute.verify.motion.rig import Rig

ENOUGH = 0.8
"""Share of every chart at which a motion has been all round; going one way it enters each inside its borders."""

Started = tuple[Run, Mapping[str, float]]
"""A run, and the start values, parameters and constant inputs that it had."""


def covered(model: ReducedModel, runs: Sequence[Started], limited: Mapping[str, str]) -> tuple[Coverage, ...]:
    """The coverage of every axis of every chart.

    Args:
        model: of the FMU.
        runs: that were compared, up to where they were.
        limited: what has kept coordinates from more, by name, where that is known.
    """
    if len(model.charts) > 1:
        return replayed(model, runs).coverage(limited)
    found = []
    for axis in tabulated_axes(model):
        values = np.concatenate([run.outputs[f"q.{axis.name}"] for run, _ in runs])
        between, unit = (float(values.min()), float(values.max())), axis.words
        found.append(covering(unit.factor, axis.name, unit.name, between, (axis.lower, axis.upper), limited))
    return tuple(found)


def tabulated_axes(model: ReducedModel) -> tuple[Axis, ...]:
    """The axes of a model with one chart, but those that nothing depends on: of a disc on the floor."""
    axes = model.charts[0].axes
    return axes if model.track is None else axes[: -len(CYCLIC)]


def covering(
    factor: float,
    name: str,
    unit: str,
    found: tuple[float, float],
    table: tuple[float, float],
    limited: Mapping[str, str],
) -> Coverage:
    """A coverage whose numbers are in SI, in the unit that is `factor` times SI."""
    shown = [(factor * a, factor * b) for a, b in (found, table)]
    return Coverage(name, unit, shown[0], shown[1], limited.get(name.partition(" ")[0], ""))


def strain(model: ReducedModel, runs: Sequence[Started]) -> tuple[str, float]:
    """The stiff coordinate that was deflected most where the tables were strained most, and how much that was.

    As a share of what they are good for; "" if there is none.
    """
    if not model.stiff:
        return "", 0.0
    names = [axis.name for axis in model.charts[0].axes] + [s.name for s in model.stiff]
    z = np.concatenate([np.stack([run.outputs[f"q.{name}"] for name in names], axis=-1) for run, _ in runs])
    share = table_strain(model, z)
    worst = int(share.argmax())
    own = zip(model.stiff, z[worst, -len(model.stiff) :].tolist(), strict=True)
    most = int(np.argmax([s.share(d) for s, d in own]))
    return model.stiff[most].name, float(share[worst])


# -- several charts ---------------------------------------------------------------------------------------------------


def between(model: ReducedModel, number: int, k: int) -> tuple[float, float]:
    """The part of axis k of a chart that lies between its borders; beyond them another chart takes over."""
    chart = model.charts[number]
    lower, upper = chart.axes[k].lower, chart.axes[k].upper
    for border in chart.borders:
        if border.axis == k:
            lower, upper = (lower, min(upper, border.at)) if border.upper else (max(lower, border.at), upper)
    return lower, upper


class Visited:
    """How much of each of several charts was visited."""

    def __init__(self, model: ReducedModel) -> None:
        self.model = model
        self.ranges: dict[tuple[int, int], tuple[float, float]] = {}  # by chart and axis

    def add(self, state: State) -> None:
        """Count a state."""
        for k in range(len(self.model.charts[state.chart].axes)):
            value = float(state.z[k])
            low, high = self.ranges.get((state.chart, k), (value, value))
            self.ranges[state.chart, k] = min(low, value), max(high, value)

    def all_round(self, state: State) -> bool:
        """Count a state, and say whether the motion has been all round with it."""
        self.add(state)
        return state.lap != 0 and self.least >= ENOUGH

    @property
    def least(self) -> float:
        """The share that is visited of the chart and axis with the least."""
        return min(each.share for each in self.coverage({}))

    def coverage(self, limited: Mapping[str, str]) -> tuple[Coverage, ...]:
        """Of all charts and axes, between the borders of each."""
        found = []
        for number, chart in enumerate(self.model.charts):
            for k, axis in enumerate(chart.axes):
                table = between(self.model, number, k)
                low, high = self.ranges.get((number, k), (table[0], table[0]))
                inside = (max(low, table[0]), max(low, min(high, table[1])))
                name = f"{axis.name} (chart {number + 1})"
                found.append(covering(axis.words.factor, name, axis.words.name, inside, table, limited))
        return tuple(found)


def replayed(model: ReducedModel, runs: Sequence[Started]) -> Visited:
    """The charts that runs went through: outputs do not tell, so they are taken again in NumPy."""
    seen = Visited(model)
    for run, values in runs:
        rig = Rig(model, values)
        instance = rig.started()
        seen.add(instance.state)
        rows = np.stack([run.held[name] for name in rig.names], axis=1)
        try:
            for time, step, inputs in zip(run.time.tolist(), np.diff(run.time).tolist(), rows, strict=False):
                rig.stepped(instance, time, step, inputs)
                seen.add(instance.state)
        except FmuError:  # the same run of the FMU, in shorter steps, did not fail
            break
    return seen
