"""Python FMUs in a plain C host: only `python3` on PATH, nothing preloaded."""

import ctypes
import os
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from helpers_fmi import Component, Unpacked, c_host
from helpers_model import crank_slider, double_pendulum

from fmu_src.build.compile import FRONT, FRONT_PLATFORM, KERNEL, compile_c, compiler, current_platform
from fmu_src.build.python_fmu import build_fmu

pytestmark = [
    pytest.mark.fmu,
    pytest.mark.skipif(current_platform() != FRONT_PLATFORM, reason="the front is for Linux on x86-64"),
]

BIN = str(Path(sys.executable).parent)
PATH = f"{BIN}:/usr/bin:/bin"
CRANK = crank_slider()
REBUILT = replace(CRANK, starts=(replace(CRANK.starts[0], rate=3.0),))
SIZE = 1e-3
SANITIZERS = {name: os.environ[name] for name in ("LD_PRELOAD", "ASAN_OPTIONS") if name in os.environ}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("hosts")


@pytest.fixture(scope="module")
def fmus(folder):
    models = {"crank": CRANK, "pendulum": double_pendulum(nodes=15), "rebuilt": REBUILT}
    return {name: Unpacked(build_fmu(model, folder / f"{name}.fmu"), folder / name) for name, model in models.items()}


@pytest.fixture(scope="module")
def host(folder):
    return c_host(folder)


def run(program, *words, **environment):
    """With nothing in the environment but what is given."""
    command = [str(program), *map(str, words)]
    return subprocess.run(
        command, capture_output=True, text=True, timeout=120, env={"PATH": PATH, **SANITIZERS, **environment}
    )


def once(host, fmu, **environment):
    return run(host, fmu.binary, fmu.guid, fmu.uri, 20, SIZE, "", fmu.references["q.theta"], **environment)


def here(fmu, name, steps):
    """The same in this process."""
    component = Component(fmu).initialize()
    for i in range(steps):
        assert component.step(i * SIZE, SIZE) == 0
    (found,) = component.get(name)
    component.free()
    return found


def test_it_runs_and_gives_the_same_bits(host, fmus):
    done = once(host, fmus["crank"])
    assert done.returncode == 0 and not done.stderr, done.stderr
    assert float.fromhex(done.stdout.splitlines()[-1].split(",")[1]) == here(fmus["crank"], "q.theta", 20)


@pytest.mark.parametrize("locale", [{}, {"LANG": "C"}, {"LC_ALL": "C.UTF-8"}])
def test_odd_places_in_any_locale(host, fmus, folder, locale):
    odd = folder / f"für [a] 後輪 100% {len(locale)} {''.join(locale.values())}"
    done = once(host, Unpacked(folder / "crank.fmu", odd), **locale)
    assert done.returncode == 0 and not done.stderr, done.stderr


def test_an_error_is_logged_and_is_no_crash(host, fmus):
    fmu = fmus["pendulum"]
    force, angle = fmu.references["Q.alpha"], fmu.references["q.alpha"]
    done = run(host, fmu.binary, fmu.guid, fmu.uri, 1000, 1e-2, f"{force}=1000", angle)
    assert done.returncode == 1
    assert "fmi2DoStep: status 3" in done.stderr and "'alpha'" in done.stderr
    assert done.stderr.startswith("host 3 logStatusError: between t = ")


def test_no_python_on_the_path(host, fmus):
    done = once(host, fmus["crank"], PATH="/nowhere")
    assert done.returncode == 1 and "there is no python3 on PATH" in done.stderr


def program(folder, text):
    folder.mkdir()
    path = folder / "python3"
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return f"{folder}:/usr/bin:/bin"


def test_a_python_that_is_too_old(host, fmus, tmp_path):
    done = once(
        host, fmus["crank"], PATH=program(tmp_path / "bin", "echo kinetab; echo 9; echo /somewhere/libpython3.9.so")
    )
    assert done.returncode == 1 and "python3 on PATH is Python 3.9; this FMU needs 3.11" in done.stderr


def test_a_python_without_a_shared_library(host, fmus, tmp_path):
    done = once(host, fmus["crank"], PATH=program(tmp_path / "bin", "echo kinetab; echo 99; echo"))
    assert done.returncode == 1 and "install libpython3.99" in done.stderr
    done = once(
        host, fmus["crank"], PATH=program(tmp_path / "other", "echo kinetab; echo 99; echo /somewhere/libpython3.99.so")
    )
    assert done.returncode == 1 and "/somewhere/libpython3.99.so" in done.stderr


def test_a_python_that_cannot_answer(host, fmus, tmp_path):
    done = once(host, fmus["crank"], PATH=program(tmp_path / "bin", "exit 1"))
    assert done.returncode == 1 and "there is no python3 on PATH" in done.stderr


def test_a_python_with_a_greeting(host, fmus, tmp_path):
    done = once(host, fmus["crank"], PATH=program(tmp_path / "bin", f'echo Welcome to 3; exec {BIN}/python3 "$@"'))
    assert done.returncode == 0 and not done.stderr, done.stderr


@pytest.mark.parametrize("variable", ["PYTHONHOME", "PYTHONPATH"])
def test_an_environment_meant_for_another_python(host, fmus, tmp_path, variable):
    (tmp_path / "encodings").mkdir()
    (tmp_path / "encodings" / "__init__.py").write_text("no Python")
    done = once(host, fmus["crank"], **{variable: str(tmp_path)})
    assert done.returncode == 1 and f"{variable} = '{tmp_path}'" in done.stderr
    assert done.stderr.startswith("host 3 logStatusError: python3 on PATH does not start with")


def test_several_fmus_at_once_and_a_second_run(folder, fmus):
    words = [word for fmu in fmus.values() for word in (fmu.binary, fmu.guid, fmu.uri)]
    output = fmus["crank"].references["q.theta"]
    done = run(c_host(folder, "several"), 30, SIZE, output, *words)
    assert done.returncode == 0 and not done.stderr, done.stderr
    first, second = done.stdout.splitlines()
    assert first == second
    expected = [here(fmu, output, 30) for fmu in fmus.values() for _ in range(2)]
    assert [float.fromhex(word) for word in first.split(",")] == expected
    assert len(set(expected)) == 3


def test_numpy_is_found_where_there_is_no_kernel(host, fmus, folder):
    pytest.importorskip("numpy")
    fmu = Unpacked(build_fmu(CRANK, folder / "numpy.fmu", platforms=()), folder / "numpy")
    done = once(host, fmu)
    assert done.returncode == 0, done.stderr
    assert "it runs in NumPy" in done.stderr
    assert float.fromhex(done.stdout.splitlines()[-1].split(",")[1]) == pytest.approx(
        here(fmus["crank"], "q.theta", 20), rel=1e-12
    )


def test_the_front_compiles_without_warnings_and_shows_only_fmi(tmp_path):
    files = [*FRONT.glob("*.c"), KERNEL / "fmi2.c", KERNEL / "location.c", *FRONT.glob("*.h"), *KERNEL.glob("*.h")]
    code = [Path(shutil.copy(file, tmp_path)) for file in files]
    flags = ("-O0", "-std=c99", "-fPIC", "-shared", "-fvisibility=hidden", "-Wall", "-Wextra", "-Wpedantic", "-Werror")
    sources = [file for file in code if file.suffix == ".c"]
    made = compile_c(compiler(FRONT_PLATFORM), sources, tmp_path / "a.so", flags, ("-lm", "-ldl", "-lpthread"))
    library = ctypes.CDLL(str(made))
    assert hasattr(library, "fmi2DoStep") and not hasattr(library, "kt_open")
