"""The kernel that is made for a shape, beside the one that it will replace: both builds agree with NumPy."""

import numpy as np
import pytest
from helpers import ROOT
from helpers_kernel import Pair, random_numbers
from helpers_model import crank_slider, double_pendulum
from helpers_random import random_model
from helpers_stiff import stiff_pendulum

from fmu_src.build import model_writer
from fmu_src.build.compile import FLAGS, KERNEL, PLATFORMS, compile_c, compiler, current_platform
from fmu_src.build.kernel_reader import FILE, header
from fmu_src.build.kernel_shape import shape_header
from fmu_src.build.kernel_stream import kernel_stream

EVALUATION = 1e-12
FOLDER = ROOT / "fmu_src" / "kernel_next"
FREE = {"periodic": (False, True, False), "outside": ("linear", "error", "error"), "driven": ("no",) * 3}
MODELS = {
    "crank": crank_slider,
    "pendulum": double_pendulum,
    "stiff": stiff_pendulum,
    "midpoint": lambda: stiff_pendulum(method="midpoint"),
    "moving": lambda: stiff_pendulum(moving=True),
    "quasistatic": lambda: stiff_pendulum(quasistatic=True),
    "driven": lambda: stiff_pendulum(driven="direct"),
    "filtered": lambda: stiff_pendulum(driven="filtered", method="midpoint"),
    "charts": lambda: random_model(7, 2, 0, 2, 3, True, False, **FREE),
    "three axes": lambda: random_model(8, 3, 2, 1, 3, False, False, **FREE),
}


def library(folder, *flags):
    platform = PLATFORMS[current_platform()]
    files = sorted(FOLDER.glob("*.c"))
    more = ("-O1", "-DKT_SHARED", "-Wno-unknown-pragmas", f"-I{KERNEL}", *flags)  # both share their interface and lists
    return compile_c(
        compiler(current_platform()),
        files,
        folder / f"next{platform.suffix}",
        (*FLAGS, *platform.flags, *more),
        platform.libraries,
    )


@pytest.fixture(scope="module")
def for_any(tmp_path_factory):
    return library(tmp_path_factory.mktemp("next"))


@pytest.fixture(autouse=True)
def stream(monkeypatch):
    plain = model_writer.to_bytes
    monkeypatch.setattr(model_writer, "to_bytes", lambda model: plain(model, kernel_stream))


def test_the_reader_is_the_one_that_the_fields_give():
    assert FILE.read_text(encoding="utf-8") == header()


@pytest.mark.parametrize("name", MODELS)
def test_it_agrees_with_numpy(name, for_any, tmp_path):
    check(MODELS[name](), for_any, tmp_path)


@pytest.mark.parametrize("name", ["crank", "pendulum", "stiff", "midpoint"])
def test_so_it_does_compiled_for_the_shape_of_the_model(name, tmp_path):
    model = MODELS[name]()
    (tmp_path / "shape.h").write_text(shape_header(model), encoding="utf-8")
    check(model, library(tmp_path, f'-DSHAPE="{tmp_path / "shape.h"}"'), tmp_path)


def check(model, path, folder):
    both, rng = Pair(model, folder, path=path), np.random.default_rng(1)
    for chart in range(len(model.charts)):
        for _ in range(4):
            numbers = random_numbers(both, rng, chart)
            assert both.difference(numbers, rng) < 2 * EVALUATION
            assert both.difference(numbers, rng, step=1e-3) < 2 * EVALUATION
