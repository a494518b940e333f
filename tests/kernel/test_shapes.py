"""The kernel compiled for the shape of a model: it agrees with NumPy on all processors, and takes no other model."""

from dataclasses import replace

import numpy as np
import pytest
from helpers import MECHANISMS
from helpers_baked import baked_file
from helpers_kernel import Pair, random_numbers
from helpers_model import crank_slider, double_pendulum
from helpers_random import random_model, turned_model
from helpers_stiff import stiff_pendulum

from fmu_src.build.compile import KERNEL, PLATFORMS, compile_c, compiler, current_platform, flags, kernel_files, library
from fmu_src.build.kernel_reader import FILE, header
from fmu_src.build.kernel_shape import shape_header
from fmu_src.errors import TableFormatError
from fmu_src.slave.kernel_library import load_library

EVALUATION = 1e-12
SIZE = 1e-3
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
    "moments about axes": lambda: turned_model(6, quasistatic=True),
    "three axes": lambda: random_model(8, 3, 2, 1, 1, False, False, **FREE),
    "loads": lambda: random_model(10, 3, 0, 1, 3, True, False, wheels=1, loads=3, **FREE),
    "loads with deflections": lambda: random_model(11, 2, 2, 1, 3, True, False, loads=3, **FREE),
}


def made(folder, shape, *more):
    """A kernel with flags of its own."""
    folder.mkdir()
    for name, content in kernel_files(shape).items():
        (folder / name).write_bytes(content)
    here, files = current_platform(), sorted(folder.glob("*.c"))
    target, all_flags = folder / f"made{PLATFORMS[here].suffix}", (*flags(here), "-DKT_SHARED", *more)
    return compile_c(compiler(here), files, target, all_flags, PLATFORMS[here].libraries)


def check(model, path, folder, places=4):
    both, rng = Pair(model, folder, path=path), np.random.default_rng(1)
    for chart in range(len(model.charts)):
        for _ in range(places):
            numbers = random_numbers(both, rng, chart)
            assert both.difference(numbers, rng) < EVALUATION
            assert both.difference(numbers, rng, step=SIZE) < EVALUATION


def test_the_reader_is_the_one_that_the_fields_give():
    assert FILE.read_text(encoding="utf-8") == header()


@pytest.mark.parametrize("name", MODELS)
def test_it_agrees_with_numpy(name, tmp_path):
    model = MODELS[name]()
    check(model, library(shape=shape_header(model)), tmp_path)


@pytest.mark.parametrize(
    ("name", "narrow"),
    [
        *((name, 4) for name in ("crank", "pendulum", "stiff", "midpoint", "moving", "quasistatic")),
        *((name, 2) for name in ("pendulum", "moving", "quasistatic")),
    ],
)
def test_so_it_does_for_processors_with_other_vectors(name, narrow, tmp_path):
    model = MODELS[name]()
    check(model, made(tmp_path / "made", shape_header(model), "-O1", f"-DKT_NARROW={narrow}"), tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("narrow", [2, 4, 8])
@pytest.mark.parametrize("name", sorted(path.stem for path in MECHANISMS.glob("*.toml")))
def test_so_do_all_mechanisms_for_all_processors(name, narrow, tmp_path):
    model = baked_file(name)
    methods = ("rk4", "midpoint") if model.stiff and not model.quasistatic else (model.method,)
    for method in methods:
        own = replace(model, method=method)
        path = made(tmp_path / f"made_{method}", shape_header(own), f"-DKT_NARROW={narrow}")
        check(own, path, tmp_path, places=5)


def test_models_of_one_shape_share_a_kernel():
    numbers = double_pendulum(), double_pendulum(outside="linear")
    assert shape_header(numbers[0]) == shape_header(double_pendulum()) != shape_header(numbers[1])


@pytest.mark.parametrize("name", ["pendulum", "stiff", "midpoint", "charts"])
def test_a_model_of_another_shape_is_refused(name, tmp_path):
    """Any change of the header that still compiles is one that the kernel sees."""
    path = library(shape=shape_header(crank_slider()))
    with pytest.raises(TableFormatError, match="its shape is not the one that this kernel was compiled for; build"):
        Pair(MODELS[name](), tmp_path, path=path)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("#define BENDS 0", "#define BENDS 1"),
        ("#define ROWS 56", "#define ROWS 48"),
        ("GRID(0, 0, 5", "GRID(0, 0, 3"),
        ("RUN(0, 1, 0", "RUN(0, 1, 1"),
        ("CELLS(1, {2, ", "CELLS(1, {1, "),
        ("f_0[] = {0, 1, 0, 0, 1, 1}", "f_0[] = {0, 1, 0, 1, 1, 1}"),
        ("{112, 1, 1}", "{104, 1, 1}"),
    ],
)
def test_a_kernel_with_other_sizes_refuses_the_model(old, new, tmp_path):
    model = stiff_pendulum()
    shape = shape_header(model)
    assert old in shape, shape
    path = made(tmp_path / "made", shape.replace(old, new, 1), "-O0", "-DKT_NARROW=2")
    with pytest.raises(TableFormatError, match="its shape"):
        Pair(model, tmp_path, path=path)


def test_the_kernel_proper_needs_mathematics_and_strings_only(tmp_path):
    """It is compiled alone, without files, allocation and printing; a page on the web will run it."""
    files = kernel_files()
    proper = (
        "instance.c",
        "step_end.c",
        "pace.c",
        "statics.c",
        "track.c",
        "contacts.c",
        "table_error.c",
        "reader.c",
        "factors.c",
        "designs.c",
        "laws.c",
        "programs.c",
        "devices.c",
        "linear.c",
        "any.c",
        "step.c",
        "step_avx2.c",
        "step_avx512.c",
        "families.c",
    )
    for name in (*proper, *(name for name in files if name.endswith(".h"))):
        (tmp_path / name).write_bytes(files[name])
        for line in files[name].decode().splitlines():
            if line.startswith("#include <"):
                allowed = ("math.h", "string.h", "stdarg.h", "stddef.h", "stdint.h", "cpuid.h")
                assert line.split("<")[1].rstrip(">") in allowed, (name, line)
    host = tmp_path / "host.c"
    host.write_text('#include "kernel.h"\nint main(void) { return kt_hot()->fits == 0; }\n')
    here = [tmp_path / name for name in proper]
    compile_c(compiler(current_platform()), [host, *here], tmp_path / "host", ("-std=c99", "-O0"), ("-lm",))


def test_kernels_of_two_models_are_linked_into_one_program(tmp_path):
    """With the prefix of FMI all names are a model's own."""
    tool, objects = compiler(current_platform()), []
    for prefix, model in (("Crank_", crank_slider()), ("Stiff_", stiff_pendulum())):
        for name, content in kernel_files(shape_header(model)).items():
            (tmp_path / name).write_bytes(content)
        for name in sorted(path.name for path in tmp_path.glob("*.c")):
            define = f"-DFMI2_FUNCTION_PREFIX={prefix}"
            flags = ("-std=c99", "-O0", "-DKT_NARROW=2", define, "-c")
            objects.append(compile_c(tool, [tmp_path / name], tmp_path / f"{prefix}{name}.o", flags))
    program = tmp_path / "program"
    program.mkdir()
    (program / "main.c").write_text(
        "const char *Crank_fmi2GetVersion(void), *Stiff_fmi2GetVersion(void);\n"
        "int main(void) { return Crank_fmi2GetVersion() != Stiff_fmi2GetVersion() ? 0 : 0; }\n"
    )
    objects.append(compile_c(tool, [program / "main.c"], tmp_path / "main.o", ("-c",)))
    compile_c(tool, objects, tmp_path / "linked", (), ("-lm",))


def test_a_library_says_that_it_is_there():
    assert load_library(library()).kt_version() == 1 and KERNEL.is_dir()
