"""How far and how fast a mechanism is led: a path for every axis of its table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from fmu_src.errors import FmuError
from fmu_src.model.reduced_model import Axis
from fmu_src.numpy_runtime.steps.pace import strides
from precompute.verify.motion.paths import PEAK, Path, Turning, stretched, timed, to_and_fro
from precompute.verify.motion.rig import Rig

MARGIN = 0.06
"""Of a table, left at both of its ends."""

LAP = 1.03
"""Turns of a periodic coordinate."""

SLOWNESS = 2.0
"""Time from end to end over half a period of the motion by itself: inertia matters but does not rule."""

PACE = 1.2
"""Time from end to end over the shortest that steps of the model's own length can follow."""

ON_RUBBER = 0.5
"""The same two on rubber, as a part of the above: there the full model takes a minute and more for a second."""

STRAIN = 2.0
"""How many times what the tables are good for deflections at rest may go on the way to an end: what counts there is
mostly an inertia that is tabulated to first order, of which a motion shows little."""

MOST_STRAIN = 2.5
"""The same of a motion."""

MOST_CYCLES = 3
SAMPLES = 13
"""Places along an axis at which forces and deflections are looked at."""

Ends = Mapping[int, tuple[float, float]]
"""Axis -> from where to where it is led."""


@dataclass(frozen=True)
class Leading:
    """The paths of axes."""

    paths: Mapping[int, Path]  # by number of the axis
    stop: float  # [s] when all have ended


# -- how far ----------------------------------------------------------------------------------------------------------


def reaches(rig: Rig, axes: Sequence[int]) -> tuple[dict[int, tuple[float, float]], dict[str, str]]:
    """Ends of the way along each axis, and what keeps them from the ends of the table, by coordinate."""
    ends, limited = {}, {}
    for k in axes:
        axis = rig.model.charts[0].axes[k]
        margin = MARGIN * (axis.upper - axis.lower)
        found = [reach(rig, k, end) for end in (axis.lower + margin, axis.upper - margin)]
        ends[k] = (found[0][0], found[1][0])
        if said := [why for _, why in found if why]:
            limited[axis.name] = "; ".join(dict.fromkeys(said))
    return ends, limited


def reach(rig: Rig, k: int, end: float) -> tuple[float, str]:
    """How far axis k may go to an end, the others at their start, and what stops it."""
    if not rig.model.stiff:
        return end, ""
    z, last = rig.z.copy(), float(rig.z[k])
    for value in np.linspace(rig.z[k], end, SAMPLES)[1:].tolist():
        z[k] = value
        try:
            at, _ = rig.at(z, np.zeros_like(z), rig.inputs)
        except FmuError as error:
            return last, str(error)
        if why := rig.strained(at.z, STRAIN):
            return last, f"at {rig.model.charts[0].axes[k].words.text(value, 4)} {why}"
        z[rig.nf :], last = at.z[rig.nf :], value
    return end, ""


# -- how fast ---------------------------------------------------------------------------------------------------------


def laid_out(rig: Rig, ends: Ends, stop: float | None, slowness: float) -> Leading:
    """The paths of the axes; the slowest one goes to and fro once, the others more often."""
    slowness *= ON_RUBBER if rig.model.stiff else 1.0
    halves = {k: slowness * half_period(rig, k, ends[k]) for k in ends}
    slowest_first = sorted(ends, key=lambda k: -halves[k])
    paths = {k: path_of(rig, k, ends[k], halves[k], order) for order, k in enumerate(slowest_first)}
    axes = rig.model.charts[0].axes
    longest = max([duration_of(path, axes[k]) for k, path in paths.items()], default=rig.model.stop_time)
    stop = longest if stop is None else stop
    return Leading({k: stretched(path, stop) for k, path in paths.items()}, stop)


def path_of(rig: Rig, k: int, ends: tuple[float, float], half: float, order: int) -> Path:
    """The path of axis k, which takes the time `half` from end to end or longer; `order` counts the paths before."""
    axis, start, rate = rig.model.charts[0].axes[k], float(rig.z[k]), float(rig.zd[k])
    if axis.periodic and rate:
        return Turning(start, rate)
    pace = PACE * (ON_RUBBER if rig.model.stiff else 1.0)
    quickest = pace * PEAK * rig.model.longest_step / strides(rig.charts[0])[k]  # [s] per unit of length

    def duration(length: float) -> float:
        share = length / max(ends[1] - ends[0], length, 1e-300)
        return max(quickest * length, half * float(np.sqrt(share)), 4.0 * rig.model.step_size)

    if axis.periodic:
        return timed((start, start + LAP * (axis.upper - axis.lower)), 0.0, duration)
    values = to_and_fro(start, rate, *ends, min(order + 1, MOST_CYCLES), first_up=order % 2 == 0)
    return timed(values, rate, duration)


def duration_of(path: Path, axis: Axis) -> float:
    """How long a path takes by itself [s]."""
    if isinstance(path, Turning):
        return LAP * (axis.upper - axis.lower) / abs(path.rate)
    return path.times[-1]


def half_period(rig: Rig, k: int, ends: tuple[float, float]) -> float:
    """Half a period of the motion along axis k by itself, about [s]; not longer than the experiment of the model.

    With the largest force g that holds the axis at rest, its inertia J and half its way a, it has the frequency
    sqrt(g/(J a)) or so.
    """
    force, inertia, z = 0.0, 0.0, rig.z.copy()
    for value in np.linspace(*ends, SAMPLES).tolist():
        z[k] = value
        try:
            at, F = rig.at(z, np.zeros_like(z), rig.inputs)
        except FmuError:
            continue
        force, inertia = max(force, abs(float(F[k]))), max(inertia, float(at.J[k, k]))
    if force <= 0.0 or inertia <= 0.0:
        return rig.model.stop_time
    return min(np.pi * float(np.sqrt(0.5 * inertia * (ends[1] - ends[0]) / force)), rig.model.stop_time)
