"""Steps over borders of cams, where accelerations jump: they end there and go on behind, so that they keep their order.

Where a step meets a border is found on the cubic through both its ends,

    z(s) = (1-s)^2 ((1+2s) z0 + s h zd0) + s^2 ((3-2s) z1 - (1-s) h zd1)                                (1)

which is as good as the step itself.  Where all coordinates are driven they go where they are told, whatever the steps.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

import numpy as np

from ...model.reduced_model import Array, Axis
from ..dynamics import Runtime
from ..state import State

ITERATIONS = 4
"""Of Newton's method for the share of a step; it begins with that of a motion with one rate."""

LEAST = 1e-6
"""Of a step: what is less is not cut off."""

MOST = 4
"""Borders that a step crosses, where it is cut."""

Substep = Callable[[State, float, float], State]
"""From a state, by a step [s], at a time [s] after the start of the communication step."""


def step_over(runtime: Runtime, substep: Substep, state: State, h: float, tau: float, cuts: int = 0) -> State:
    """One step, in two where it crosses a border: up to it, and on."""
    end = substep(state, h, tau)
    if cuts >= MOST or not runtime.model.contacts:
        return end
    s = first_crossing(runtime, state, end, h)
    if s == 1.0:
        return end
    there = forgetful(substep(state, s * h, tau))
    return forgetful(step_over(runtime, substep, there, h - s * h, tau + s * h, cuts + 1))


def forgetful(state: State) -> State:
    """Without accelerations: those before a border foresee none behind it, nor do those of a piece of a step."""
    return replace(state, zdd=None, zdd_before=None, age=0)


def first_crossing(runtime: Runtime, before: State, after: State, h: float) -> float:
    """The share of a step at which it crosses the first border; 1 if it crosses none."""
    first = 1.0
    if len(runtime.slots.drives) == runtime.nz:
        return first
    for contact in runtime.model.contacts:
        k = contact.axis
        z0, v0, z1, v1 = (float(x) for x in (before.z[k], h * before.zd[k], after.z[k], h * after.zd[k]))
        for at in borders_between(runtime.chart.axes[k], contact.borders, z0, z1):
            s = share_of(z0, v0, z1, v1, at)
            first = s if LEAST < s < first else first
    return first if first < 1.0 - LEAST else 1.0


def borders_between(axis: Axis, borders: Sequence[float], z0: float, z1: float) -> Iterator[float]:
    """Borders between two values, turns included; on the greater one, but not on the lesser."""
    least, most, length = min(z0, z1), max(z0, z1), axis.upper - axis.lower
    for border in borders if least < most else ():
        at = border + length * (math.floor((least - border) / length) + 1.0) if axis.periodic else border
        if least < at <= most:
            yield at


def between(s: float, z0: Array, v0: Array, z1: Array, v1: Array) -> Array:
    """Z of (1), with v = h zd."""
    r = 1.0 - s
    return np.asarray(r * r * ((1.0 + 2.0 * s) * z0 + s * v0) + s * s * ((1.0 + 2.0 * r) * z1 - r * v1))


def share_of(z0: float, v0: float, z1: float, v1: float, at: float) -> float:
    """Where (1) has a value on an axis."""
    s = (at - z0) / (z1 - z0)
    for _ in range(ITERATIONS):
        r = 1.0 - s
        value = r * r * ((1.0 + 2.0 * s) * z0 + s * v0) + s * s * ((1.0 + 2.0 * r) * z1 - r * v1)
        slope = 6.0 * s * r * (z1 - z0) + r * (r - 2.0 * s) * v0 + s * (s - 2.0 * r) * v1
        found = s - (value - at) / slope if slope else math.nan
        if not 0.0 <= found <= 1.0:
            break
        s = found
    return s
