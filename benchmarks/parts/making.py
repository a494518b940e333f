"""What it takes to make a model and its FMU, and to load it: bake by stage, compilers, sizes."""

from __future__ import annotations

import time
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from fmu_src.build.kernel_shape import shape_header
from fmu_src.build.native_fmu import build_native_fmu
from fmu_src.build.python_fmu import build_fmu
from parts.kernel import Kernel
from parts.models import Baked
from parts.variants import compile_seconds, compilers, families

LOADS = 5
"""Times that a model is loaded."""


def measure(baked: Baked) -> dict[str, object]:
    """Everything of one model."""
    compiled = compile_times(shape_header(baked.model))
    widest = compiled[next(iter(compiled))][families()[0]]  # as a bake does it
    return cost(baked) | {"stages": baked.stages, "compilers": compiled, "compile_s": widest}


def cost(baked: Baked) -> dict[str, float]:
    """How long a model takes to bake and to load, and how large its files are."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        python, native = build_fmu(baked.model, folder / "p.fmu"), build_native_fmu(baked.model, folder / "n.fmu")
        sizes = {"fmu_KiB": kib(python), "native_KiB": kib(native)}
    return {"bake_s": baked.seconds, "load_ms": 1e3 * load_seconds(baked), "KiB": kib(baked.path)} | sizes


def compile_times(shape: str = "") -> dict[str, dict[str, float]]:
    """Processor time of compiling a kernel [s], by compiler and by the widest family that it is made for."""
    return {
        compiler: {family: compile_seconds(compiler, family, shape) for family in families()}
        for compiler in compilers()
    }


def load_seconds(baked: Baked) -> float:
    """Processor time from the model file to an instance that can step."""
    library, times = baked.library, []
    for _ in range(LOADS):
        start = time.process_time()
        Kernel(library, baked.path)
        times.append(time.process_time() - start)
    return median(times)


def kib(path: Path) -> float:
    """Size of a file."""
    return path.stat().st_size / 1024.0
