"""Memory of a model that moves where what it does not need is given back, as some systems do: it is read again."""

import pytest
from helpers_random import random_model

from fmu_src.build.compile import compile_c, compiler, current_platform, kernel_files
from fmu_src.build.model_writer import save
from fmu_src.slave.kernel_instance import KernelModel
from fmu_src.slave.kernel_library import load_library

MOVING = """
#include <stdlib.h>
#define realloc(old, size) ((void)(old), calloc(1, size)) /* what was there is not needed, and here not freed */
"""

FREE = {"periodic": (False, True, False), "outside": ("linear", "error", "error"), "driven": ("no",) * 3}


@pytest.fixture(scope="module")
def moving(tmp_path_factory):
    """The kernel for any model, on such a system."""
    folder = tmp_path_factory.mktemp("moving")
    for name, content in {**kernel_files(), "moving.h": MOVING.encode()}.items():
        (folder / name).write_bytes(content)
    sources = sorted(file for file in folder.glob("*.c") if file.name not in ("fmi2.c", "location.c"))
    flags = ("-O0", "-std=c99", "-fPIC", "-shared", "-include", "moving.h")
    return compile_c(compiler(current_platform()), sources, folder / "moving.so", flags, ("-lm",))


@pytest.mark.parametrize(("seed", "axes"), [(12, 3), (3, 2), (5, 1)])
def test_it_is_read_again_into_as_much_as_it_took(moving, seed, axes, tmp_path):
    """Blocks that are stored as factors need more while they are multiplied out than what is kept."""
    model = random_model(seed, axes, 0, 1, 3, False, False, loads=2, **FREE)
    instance = KernelModel(load_library(moving), save(model, tmp_path / "model.kinetab"))()
    instance.setup(0.0)
