"""What elements with states cost a step: a mechanism without, with a Maxwell pair on its spring, and with more."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from fmu_src.interface.variables import variables
from parts.kernel import Kernel, Variables
from parts.master import STEP, steps_for
from parts.models import LOADS, Baked, baked, mechanism, port_inputs, with_method
from parts.timing import interleaved
from precompute.device_types import expand
from precompute.model.devices import Device
from precompute.model.mechanism import Mechanism

PLAIN, PAIR, DAMPER = "without elements", "two linear states", "monotube and friction"


def added(found: Mechanism) -> dict[str, tuple[Device, ...]]:
    """Elements on the first spring, by what they are called."""
    on = found.springs[0].on

    def made(kind: str, name: str, **values: object) -> Device:
        return expand(kind, name, on, "m", values)

    return {
        PLAIN: (),
        PAIR: (made("prony", "rubber", stiffness=0.0, rates=[1e4, 2e4], times=[0.05, 0.02]),),
        DAMPER: (
            made("monotube", "shock", **MONOTUBE),
            made("friction", "seal", coulomb=0.1, normal=300.0, presliding=2e-4),
        ),
    }


MONOTUBE: Mapping[str, object] = {
    "valve": [[-1.0, -900.0], [-0.1, -300.0], [0.0, 0.0], [0.1, 600.0], [1.0, 2200.0]],
    "oil_stiffness": 1.5e6,
    "rod_area": 1.5e-4,
    "gas_pressure": 2.5e6,
    "gas_volume": 1e-4,
}
"""Keys that have no default."""


def measure(names: tuple[str, ...], repetitions: int) -> list[dict[str, object]]:
    """Times [us] of some mechanisms, those with stiff directions with both methods."""
    return [row for name in names for row in of_mechanism(name, mechanism(name), repetitions)]


def of_mechanism(name: str, found: Mechanism, repetitions: int) -> list[dict[str, object]]:
    """Of one: a row for each method."""
    models = {way: baked(replace(found, devices=devices)) for way, devices in added(found).items()}
    rows = [of_models(name, models, repetitions)]
    if next(iter(models.values())).model.stiff:
        other = {way: with_method(model, "midpoint") for way, model in models.items()}
        rows.append(of_models(f"{name}, midpoint", other, repetitions))
    return rows


def of_models(name: str, models: Mapping[str, Baked], repetitions: int) -> dict[str, object]:
    """Medians by way."""
    kernels = {way: Kernel(model.library, model.path) for way, model in models.items()}
    inputs = {way: Variables(port_inputs(model.model), np.array(LOADS)) for way, model in models.items()}
    nothing = Variables([], np.zeros(0))

    def run(way: str, steps: int) -> float:
        return kernels[way].time_master(inputs[way], nothing, steps, STEP)

    steps = steps_for(run(PLAIN, 100))
    times = interleaved({way: lambda way=way: run(way, steps) for way in models}, repetitions)  # type: ignore[misc]
    states = {way: sum(v.name.startswith("x_start.") for v in variables(m.model)) for way, m in models.items()}
    return {"name": name, "us": {way: timing.median for way, timing in times.items()}, "states": states}
