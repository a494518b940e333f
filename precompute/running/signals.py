"""Inputs over time as signals: at which times a run needs them, and what they are there.

A table is a structured array with a field "time" that ascends and one per input.  Inputs are linear between its rows.
Where a time stands twice they jump, and from that time on the later row counts.  Before the first row and after the
last one these are held.
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from precompute.arrays import Array

NEAR = 1e-9
"""Times closer than this part of a step are the same."""


def communication_points(stop: float, step: float, inputs: NDArray[Any] | None) -> Array:
    """0 to `stop` in steps, the last one shorter if need be, and the times at which inputs jump in between."""
    count = math.ceil(stop / step - NEAR)
    grid = np.append(step * np.arange(count), stop)
    if inputs is None:
        return grid
    t = inputs["time"]
    jumps = np.unique(t[1:][np.diff(t) == 0.0])
    jumps = jumps[(jumps > 0.0) & (jumps < stop)]
    after = np.clip(np.searchsorted(grid, jumps), 1, count)
    apart = np.minimum(np.abs(grid[after] - jumps), np.abs(grid[after - 1] - jumps)) > NEAR * step
    return np.insert(grid, after[apart], jumps[apart])


def sampled(inputs: NDArray[Any], time: Array, step: float) -> dict[str, Array]:
    """Each input at each time, (nt,); times within rounding of a row are that row's."""
    t = inputs["time"]
    left = np.clip(np.searchsorted(t, time + NEAR * step, side="right") - 1, 0, len(t) - 1)
    right = np.minimum(left + 1, len(t) - 1)
    width = t[right] - t[left]
    weight = np.clip((time - t[left]) / np.where(width > 0.0, width, 1.0), 0.0, 1.0)
    return {
        name: (1.0 - weight) * inputs[name][left] + weight * inputs[name][right]
        for name in inputs.dtype.names or ()
        if name != "time"
    }


def over_steps(inputs: NDArray[Any], time: Array, step: float, known: Collection[str]) -> dict[str, Array]:
    """What each input is to be while a step is taken, (nt,), since an FMU holds it.

    That is the mean over the step, by which a signal is followed to second order where its value at the start would lag
    half a step behind.  An input that the FMU goes on with by its rate, which is one of the `known` inputs as well, is
    taken at the start.
    """
    middle = time.copy()
    middle[:-1] += 0.5 * np.diff(time)
    start, mean = sampled(inputs, time, step), sampled(inputs, middle, step)
    return {name: start[name] if rate_name(name) in known else mean[name] for name in start}


def rate_name(name: str) -> str:
    """What the rate of an input is called: drive.arm.qd of drive.arm.q, chassis.wd[1] of chassis.w[1]; "" of others."""
    found = re.fullmatch(r"(drive\.\w+\.qd?|chassis\.[wv])(\[\d\])?", name)
    return f"{found[1]}d{found[2] or ''}" if found else ""


def coverage_notes(inputs: NDArray[Any], stop: float, step: float) -> Iterator[str]:
    """Where a table does not cover a run."""
    first, last = inputs["time"][0], inputs["time"][-1]
    if first > NEAR * step:
        yield f"the inputs over time start at {first:g} s; their first row is held from 0 s until then"
    if last < stop - NEAR * step:
        yield f"the inputs over time end at {last:g} s; their last row is held from then until {stop:g} s"
