"""Motion ratios that an FMU can tell: of springs, dampers and bars that the travel of a wheel moves."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from fmu_src.errors import FmuError
from fmu_src.model.reduced_model import RatioInfo, ReducedModel
from fmu_src.numpy_runtime.dynamics import mechanics, prepare
from fmu_src.numpy_runtime.wheels import travel_way
from precompute.model.mechanism import Coordinate, Measure, Mechanism
from precompute.model.senses import pressed_by

MOVED = 1e-6
"""Motion ratio [1, rad/m] below which an element has nothing to do with a wheel: that of tables is not zero."""


def with_ratios(model: ReducedModel, mechanism: Mechanism, named: tuple[Coordinate, ...]) -> ReducedModel:
    """The model with the motion ratios of its wheels, if travels and steering tell how its coordinates move.

    Args:
        model: with its tables.
        mechanism: as given.
        named: the coordinates of the model.
    """
    steering = [axle.steering for axle in mechanism.axles if axle.steering is not None]
    steered = [i for i, c in enumerate(named) if any(c.of.same(on) for on in steering)]
    if len(model.charts) > 1 or len(model.wheels) + len(steered) != len(model.coordinates):
        return model
    model = replace(model, steering=tuple(steered))
    (runtime,) = prepare(model)
    slopes = mechanics(runtime, np.array([start.value for start in model.starts])).slopes[: runtime.nf]
    acting: list[tuple[Measure, str]] = [(spring.on, spring.role) for spring in mechanism.springs]
    acting += [(damper.on, "damper") for damper in mechanism.dampers]
    wheels = []
    for number, wheel in enumerate(model.wheels):
        try:
            way = travel_way(runtime.wheels, model.steering, number, slopes)
        except FmuError:
            return replace(model, steering=())
        moved = [float(slopes[:, runtime.rows.elements[i]] @ way) for i in range(len(acting))]
        ratios = (
            RatioInfo(i, pressed_by(on, role, slope))
            for i, ((on, role), slope) in enumerate(zip(acting, moved, strict=True))
            if abs(slope) > MOVED
        )
        wheels.append(replace(wheel, ratios=tuple(ratios)))
    return replace(model, wheels=tuple(wheels))
