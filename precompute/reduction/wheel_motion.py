"""What an FMU can tell of wheels in motion: motion ratios, and screw axes of wheels that are steered.

Both need the rates of all coordinates.  As on the rig, steering and what is driven is held while wheels travel; a
coordinate besides would find its own place in equilibrium there, which rates alone do not tell.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from fmu_src.model.reduced_model import RatioInfo, ReducedModel, WheelInfo
from fmu_src.numpy_runtime.dynamics import mechanics, prepare
from fmu_src.numpy_runtime.wheel_motion import conditions, way
from precompute.arrays import Array
from precompute.model.mechanism import Coordinate, Measure, Mechanism
from precompute.model.senses import pressed_by

MOVED = 1e-6
"""Motion ratio [1, rad/m] below which an element has nothing to do with a wheel: that of tables is not zero."""


def with_motion(model: ReducedModel, mechanism: Mechanism, named: Sequence[Coordinate]) -> ReducedModel:
    """The model with motion ratios and steering of its wheels, if travels and what is held tell how coordinates move.

    Args:
        model: with its tables.
        mechanism: as given.
        named: the coordinates of the model.
    """
    held = held_coordinates(mechanism, named)
    if not model.wheels or len(model.wheels) + len(held) != len(named):
        return model
    runtime = prepare(model)[0]
    slopes = mechanics(runtime, np.array([start.value for start in model.starts])).slopes[: runtime.nf]
    T = conditions(runtime.wheels, held, slopes)
    ways = np.array([way(T, i) for i in range(len(model.wheels))])
    changes = slopes[:, list(runtime.rows.elements)].T @ ways.T
    wheels = [shown_in_motion(mechanism, named, wheel, i, changes) for i, wheel in enumerate(model.wheels)]
    return replace(model, held=tuple(held), wheels=tuple(wheels))


def held_coordinates(mechanism: Mechanism, named: Sequence[Coordinate]) -> list[int]:
    """Numbers of the coordinates that are held while wheels travel: what steers and what is driven."""
    steering = [axle.steering for axle in mechanism.axles if axle.steering is not None]
    return [i for i, c in enumerate(named) if c.driven or any(c.of.same(on) for on in steering)]


def shown_in_motion(
    mechanism: Mechanism, named: Sequence[Coordinate], wheel: WheelInfo, number: int, changes: Array
) -> WheelInfo:
    """A wheel with its motion ratios, the coordinate that steers it and its main spring.

    Args:
        mechanism: as given.
        named: the coordinates of the model.
        wheel: the wheel.
        number: of it.
        changes: (ne, nw) of the elements' measures per travel of each wheel, at the start.
    """
    axle = next((axle for axle in mechanism.axles if wheel.name in axle.wheels), None)
    on = axle.steering if axle else None
    steering = None if on is None else next((i for i, c in enumerate(named) if c.of.same(on)), None)
    springs = [i for i, spring in enumerate(mechanism.springs) if spring.role == "spring"]
    own = np.abs(changes[:, number])
    main = (i for i in springs if own[i] > MOVED and own[i] >= np.abs(changes[i]).max())
    ratios = [
        RatioInfo(i, pressed_by(on, role, float(changes[i, number])))
        for i, (on, role) in moved_by_travel(mechanism).items()
        if own[i] > MOVED
    ]
    return replace(wheel, ratios=tuple(ratios), steering=steering, spring=next(main, None))


def moved_by_travel(mechanism: Mechanism) -> dict[int, tuple[Measure, str]]:
    """Elements of the model that may have motion ratios: their measures and roles by number."""
    springs = [(spring.on, str(spring.role)) for spring in mechanism.springs]
    found = dict(enumerate([*springs, *((damper.on, "damper") for damper in mechanism.dampers)]))
    number = len(mechanism.acting) - sum(len(device.on) for device in mechanism.devices)
    for device in mechanism.devices:
        for _, on in device.on:
            if on in device.pushed:
                found[number] = (on, "element")
            number += 1
    return found


def left_out(mechanism: Mechanism, named: Sequence[Coordinate]) -> str | None:
    """Why an FMU tells nothing of wheels in motion; None if it does, or has no wheels."""
    held, wheels = held_coordinates(mechanism, named), len(mechanism.wheels)
    if not wheels or wheels + len(held) == len(named):
        return None
    names = [c.name for c in named]
    still = [names[i] for i in held]
    what = f"the travel of {wheels} wheel{'s' * (wheels > 1)}" + (f" and {', '.join(still)}" if still else "")
    if wheels + len(held) > len(named):
        why = f"{what} cannot move independently, as there are fewer coordinates ({', '.join(names)})"
    else:
        why = f"{what} do not tell how all coordinates move ({', '.join(names)})"
    return f"The FMU has no motion ratios, and no steering axes by motion, of its wheels: {why}. `kinetab kc` has them."
