"""A step in all variants of the kernel, taking turns, and the longest of many steps."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping

import numpy as np
from engines.common import forces

from fmu_src.build.kernel_shape import shape_header
from parts.kernel import Kernel, Variables
from parts.master import CALLED, STEP, WAYS, Master, steps_for, usual, ways
from parts.models import Baked
from parts.timing import interleaved
from parts.variants import built, compilers, families

ANY = ", any model"
SINGLE_STEPS = 20_000
PASSES = 5
RARE = 99.9  # [%]

Maker = tuple[str, str]  # family of processors, compiler
Called = tuple[Kernel, Master]


def kernels(baked: Baked, known: Collection[str] | None = None) -> dict[Maker, Called]:
    """The model in its own kernel, for each family and compiler; outputs that are read are `known`, if not all are."""
    model = baked.model
    shape, master = shape_header(model), usual(model, known)
    found = {}
    for compiler in compilers():
        for family in families():
            found[family, compiler] = Kernel(built(compiler, family, shape), baked.path), master
    return found


def medians(called: Mapping[Maker, Called], repetitions: int) -> dict[tuple[str, str, str], float]:
    """Times [us] by family, compiler and way; all take the same number of steps."""
    steps = steps_for(ways(*next(iter(called.values())), 100)[CALLED]())
    candidates: dict[tuple[str, str, str], Callable[[], float]] = {}
    for maker, (kernel, master) in called.items():
        candidates |= {(*maker, way): run for way, run in ways(kernel, master, steps).items()}
    return {place: timing.median for place, timing in interleaved(candidates, repetitions).items()}


def measure(baked: Baked, repetitions: int) -> dict[str, object]:
    """Times of one model: by family and way those of all makers, and of single steps."""
    own = kernels(baked)
    _, master = next(iter(own.values()))
    for compiler in compilers():
        for family in families():
            own[family, compiler + ANY] = Kernel(built(compiler, family), baked.path), master
    us = medians(own, repetitions)
    makers = [*compilers(), *(compiler + ANY for compiler in compilers())]
    rows = [
        {"family": family, "way": way, "us": {maker: us[family, maker, way] for maker in makers}}
        for way in WAYS
        for family in families()
    ]
    return {"rows": rows, "single": single(*next(iter(own.values())), min(repetitions, PASSES))}


def single(kernel: Kernel, master: Master, passes: int) -> dict[str, float]:
    """How long single steps take [us] while the force at the port swings.

    Every pass takes the same steps, so the shortest time that a step took is its own; what is more is the machine's.
    """
    loads = np.zeros((SINGLE_STEPS, len(master.inputs)))
    loads[:, :3] = forces(SINGLE_STEPS)
    inputs, outputs = Variables(master.inputs, loads), Variables(master.outputs, np.zeros(len(master.outputs)))
    each = np.array([kernel.time_each(inputs, outputs, SINGLE_STEPS, STEP) for _ in range(passes)])
    own = each.min(axis=0)
    return {
        "median": float(np.median(own)),
        "rare": float(np.percentile(own, RARE)),
        "longest": float(own.max()),
        "seen": float(each.max()),
    }
