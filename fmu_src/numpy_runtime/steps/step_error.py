"""The error of a step, by taking it once more in two halves.

With z from one step of the size h, z' from two of h/2, and a method of order p, the error of z is about

    (z - z') 2^p / (2^p - 1)                                                                         (1)

It is compared with what the tables promise: of an axis their tolerance of first derivatives, which forces come from,
times its length; of a deflection theirs times its radius.  Where an axis turns for ever errors gather, so of a step is
expected only its share of a turn; the fastest motion so far, `pace` in turns per second, says how much that is.  Errors
of rates show in the positions of later steps.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from ...errors import FmuError
from ...model.reduced_model import Array, ReducedModel
from ..dynamics import Runtime
from ..state import State

ROUNDING = 4.0 * float(np.finfo(float).eps)
"""Of a position: no error of a step."""


def order(model: ReducedModel) -> int:
    """Of the method of a model."""
    if model.method == "midpoint":
        return 2
    return 3 if model.stiff and not model.quasistatic else 4


def measured(runtime: Runtime, before: State, after: State, h: float, half: Callable[[State, float], State]) -> State:
    """The end of a step with its error over what the tables promise, or with that of earlier ones if it is larger.

    Args:
        runtime: the chart that the step ends in.
        before: the state at its start.
        after: at its end.
        h: step [s].
        half: takes a state and the time [s] since the start of the step half a step further.
    """
    pace = max(before.pace, paced(runtime, after.zd), paced(runtime, before.zd) if before.chart == after.chart else 0.0)
    try:
        found = half(half(before, 0.0), 0.5 * h)
    except FmuError:
        return replace(after, error=1.0 / runtime.model.certificate.motion_tolerance, pace=pace)
    if (found.chart, found.lap) != (after.chart, after.lap):  # at a border one may be handed over before the other
        return replace(after, error=before.error, pace=pace)
    p = order(runtime.model)
    n = runtime.nf if runtime.model.quasistatic else runtime.nz
    apart = np.maximum(np.abs(after.z - found.z) - ROUNDING * np.abs(after.z), 0.0) * (2**p / (2**p - 1))  # (1)
    error = float((apart / promised(runtime, pace * h))[:n].max())
    return replace(after, error=max(error, before.error), pace=pace)


def turning(runtime: Runtime) -> Array:
    """(nf,) one for axes that turn for ever, zero for others."""
    several = len(runtime.model.charts) > 1
    return np.array([float(axis.periodic or several) for axis in runtime.chart.axes])


def paced(runtime: Runtime, zd: Array) -> float:
    """Rate [1/s] of the fastest axis that turns for ever, in lengths of its table."""
    lengths = np.array([axis.upper - axis.lower for axis in runtime.chart.axes])
    return float((np.abs(zd[: runtime.nf]) / lengths * turning(runtime)).max())


def promised(runtime: Runtime, share: float) -> Array:
    """(nz,) what the tables promise of each coordinate [rad or m]; `share` of it where an axis turns for ever."""
    tolerance, share = runtime.chart.certificate.motion_tolerance, min(max(share, 1e-15), 1.0)
    axes = [
        tolerance * (axis.upper - axis.lower) * (share if turns else 1.0)
        for axis, turns in zip(runtime.chart.axes, turning(runtime), strict=True)
    ]
    return np.array([*axes, *(stiff.tolerance * stiff.radius for stiff in runtime.model.stiff)])
