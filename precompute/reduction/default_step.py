"""The default of `solver.step`: the file's step, or a shorter one where that makes no sense.

At the start the rates of the file count; over the whole range, for explicit steps, how fast the mechanism swings by
itself with the parameters of the file, at rest, looked at on a grid that has the ends of every axis.  So it is with
elements, in the states where they start, if deflections are quasi-static; otherwise steps are implicit for fast ones.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import numpy as np

from fmu_src.errors import StepError
from fmu_src.model.reduced_model import ReducedModel
from fmu_src.numpy_runtime.devices import respond
from fmu_src.numpy_runtime.dynamics import Runtime, mechanics, prepare
from fmu_src.numpy_runtime.steps.pace import SLACK, SWINGS, Pace, fastest, pace, reason, rounded_down
from fmu_src.numpy_runtime.steps.swift import fastest_device, limiting_device
from precompute.arrays import Array

POINTS = {1: 33, 2: 9, 3: 5}
"""Along each axis, by their number; three if there are more."""


def with_default_step(model: ReducedModel) -> ReducedModel:
    """The model with a default of `solver.step` that serves it, and a note where that is not the file's step."""
    charts, parameters = prepare(model), [p.value for p in model.parameters]
    z, zd = (np.array(numbers) for numbers in zip(*((s.value, s.rate) for s in model.starts), strict=True))
    found, where = pace(charts[0], z, zd, parameters), charts[0]
    for runtime in charts:
        swing = largest_swing(runtime, z, parameters, SWINGS[model.method] / model.step_size)
        if swing > 0.0 and SWINGS[model.method] / swing < found.step:
            found, where = Pace(SWINGS[model.method] / swing, -1, swing), runtime
    if not model.step_size > found.step * (1.0 + SLACK):
        return model
    step = rounded_down(found.step)
    note = f"the default of 'solver.step' is {step:g} s, not {model.step_size:g} s: {reason(where, found)}"
    return replace(model, solver_step=step, step_note=note)


def largest_swing(runtime: Runtime, start: Array, parameters: list[float], limit: float) -> float:
    """Largest eigenvalue [1/s] over a chart, with deflections as at the start; of devices if it is above a limit."""
    if runtime.model.stiff and not runtime.model.quasistatic:
        return 0.0
    axes, still = runtime.chart.axes, np.zeros(runtime.nz)
    along = [np.linspace(axis.lower, axis.upper, POINTS.get(len(axes), 3)) for axis in axes]
    points = (np.concatenate((point, start[runtime.nf :])) for point in product(*along))
    return max(
        max(fastest(runtime, point, still, parameters), swing_of_devices(runtime, point, parameters, limit))
        for point in points
    )


def device_speed(model: ReducedModel) -> float:
    """A bound of how fast elements move by themselves at the start [1/s], with the parameters of the file.

    It is sharp where that is too fast for explicit steps of `solver.step`, and zero where a formula has no value.
    """
    runtime = prepare(model)[0]
    z, zd = (np.array(numbers) for numbers in zip(*((s.value, s.rate) for s in model.starts), strict=True))
    inputs = np.array([own.start for device in model.devices for own in device.inputs])
    try:
        at = mechanics(runtime, z)
        found = respond(model, [p.value for p in model.parameters], inputs, at.s, zd @ at.ds, at.memory, slopes=True)
        return fastest_device(runtime, at, found, SWINGS[model.method] / model.longest_step)
    except StepError:
        return 0.0


def swing_of_devices(runtime: Runtime, z: Array, parameters: list[float], limit: float) -> float:
    """What devices ask for at a place [1/s]; zero where a formula of theirs has no value."""
    inputs = np.array([own.start for device in runtime.model.devices for own in device.inputs])
    try:
        return limiting_device(runtime, mechanics(runtime, z), np.zeros(runtime.nz), parameters, inputs, limit)
    except StepError:
        return 0.0
