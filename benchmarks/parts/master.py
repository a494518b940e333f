"""A master that sets inputs, takes a step of 1 ms and reads outputs, and steps alone: the kernel called by both."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass

import numpy as np

from fmu_src.model.reduced_model import ReducedModel
from parts.kernel import Kernel, Variables
from parts.models import LOADS, port_inputs, read_outputs

STEP = 1e-3  # [s]
ENOUGH = 0.02  # [s] that one timing should take at least
MOST_STEPS = 20_000
WAYS = ALONE, CALLED = "step alone", "with inputs and outputs"


@dataclass(frozen=True)
class Master:
    """What is set and read, by value reference."""

    inputs: list[int]
    outputs: list[int]


def usual(model: ReducedModel, known: Collection[str] | None = None) -> Master:
    """6 inputs set, 20 outputs read; only such as are `known`, if not all are."""
    return Master(port_inputs(model), read_outputs(model, known))


def steps_for(microseconds: float) -> int:
    """How many steps make a timing long enough."""
    return int(np.clip(1e6 * ENOUGH / microseconds, 20, MOST_STEPS))


def ways(kernel: Kernel, master: Master, steps: int | None = None) -> dict[str, Callable[[], float]]:
    """What times steps alone, and steps as a master takes them [us]; so many each, or enough of them."""
    inputs = Variables(master.inputs, np.array(LOADS))
    outputs = Variables(master.outputs, np.zeros(len(master.outputs)))
    n = steps or steps_for(kernel.time_master(inputs, outputs, 100, STEP))
    return {
        ALONE: lambda: kernel.time_steps(n, STEP),
        CALLED: lambda: kernel.time_master(inputs, outputs, n, STEP),
    }
