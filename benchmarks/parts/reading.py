"""What loads cost: a step of a model that has none, of one that has all, and with some or all of them read."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from fmu_src.interface.variables import variables
from parts.kernel import Kernel, Variables
from parts.master import STEP, steps_for
from parts.models import LOADS, Baked, baked, mechanism, port_inputs
from parts.timing import interleaved
from precompute.mechanism_file import from_document, to_document
from precompute.model.mechanism import Mechanism

PLAIN, NOTHING, BALLS, ALL = "without loads", "nothing read", "all balls read", "all read"


def measure(names: tuple[str, ...], repetitions: int) -> list[dict[str, object]]:
    """Times [us], sizes [KiB] and bakes [s] of some mechanisms without and with loads."""
    return [of_mechanism(name, mechanism(name), repetitions) for name in names]


def of_mechanism(name: str, found: Mechanism, repetitions: int) -> dict[str, object]:
    """Of one."""
    plain, loaded = baked(found), baked(from_document({**to_document(found), "loads": "all"}))
    kernels = {PLAIN: Kernel(plain.library, plain.path), NOTHING: Kernel(loaded.library, loaded.path)}
    inputs = {PLAIN: port_inputs(plain.model), NOTHING: port_inputs(loaded.model)}
    outputs: dict[str, list[int]] = {
        PLAIN: [],
        NOTHING: [],
        BALLS: list(of_balls(found, loaded)),
        ALL: list(of_all(loaded)),
    }

    def run(way: str, steps: int) -> float:
        key = way if way in kernels else NOTHING
        read = Variables(outputs[way], np.zeros(len(outputs[way])))
        return kernels[key].time_master(Variables(inputs[key], np.array(LOADS)), read, steps, STEP)

    steps = {way: steps_for(run(way, 100)) for way in outputs}
    times = interleaved({way: lambda way=way: run(way, steps[way]) for way in outputs}, repetitions)  # type: ignore[misc]
    return {
        "name": name,
        "balls": len(outputs[BALLS]),
        "loads": len(outputs[ALL]),
        "us": {way: timing.median for way, timing in times.items()},
        "KiB": [model.path.stat().st_size / 1024 for model in (plain, loaded)],
        "MiB": [sum(b.coefficients.nbytes for c in m.model.charts for b in c.blocks) / 2**20 for m in (plain, loaded)],
        "bake_s": [plain.seconds, loaded.seconds],
    }


def of_balls(found: Mechanism, model: Baked) -> Iterator[int]:
    """Value references of the forces in balls."""
    balls = {joint.name for joint in found.joints if joint.kind == "spherical"}
    for number, variable in enumerate(variables(model.model)):
        part = variable.name.split(".")
        if part[0] == "joint" and part[1] in balls:
            yield number


def of_all(model: Baked) -> Iterator[int]:
    """Value references of all loads."""
    names = {load.name for load in model.model.loads}
    return (number for number, variable in enumerate(variables(model.model)) if variable.name in names)
