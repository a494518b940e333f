"""The kernel in its variants: families of processors, compilers, made for a model or for any."""

from __future__ import annotations

import os
import shlex
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory

from fmu_src.build.compile import PLATFORMS, check_compiler, current_platform, library

WIDTHS = {"AVX-512": 8, "AVX2": 4, "plain": 2}
"""Numbers in a vector, by family of processors, the widest first."""

ASKED = {"AVX-512": {"avx512f", "avx512dq", "avx512vl"}, "AVX2": {"avx2", "fma"}, "plain": set[str]()}
"""What a processor must have, as Linux calls it."""


def families() -> list[str]:
    """Those that this processor belongs to, the widest first; only the plain one where Linux does not tell."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        lines = []
    found = next((set(line.split()) for line in lines if line.startswith("flags")), set[str]())
    return [name for name, asked in ASKED.items() if asked <= found]


def compilers() -> dict[str, str]:
    """What $CC is set to for each compiler that is there."""
    found = {"gcc": "gcc"} if shutil.which("gcc") else {}
    if find_spec("ziglang") is not None:
        target = PLATFORMS[current_platform()].target
        found["zig"] = shlex.join([sys.executable, "-m", "ziglang", "cc", "-target", target])
    return found


def built(compiler: str, family: str, shape: str = "") -> Path:
    """The kernel for a shape, with vectors no wider than those of a family; no shape makes it one for any model."""
    with chosen(compiler, family):
        return library(shape=shape)


def compile_seconds(compiler: str, family: str, shape: str = "") -> float:
    """Processor time of compiling that kernel, without a cache."""
    with TemporaryDirectory() as cache, environment(XDG_CACHE_HOME=cache), chosen(compiler, family):
        check_compiler(current_platform())  # what a compiler makes once for itself
        start = os.times().children_user + os.times().children_system
        library(shape=shape)
        return os.times().children_user + os.times().children_system - start


@contextmanager
def chosen(compiler: str, family: str) -> Iterator[None]:
    """Kernels are made by a compiler, and for a family and those narrower than it."""
    narrow = "" if WIDTHS[family] == max(WIDTHS.values()) else f"-DKT_NARROW={WIDTHS[family]}"
    with environment(CC=compilers()[compiler], KINETAB_CFLAGS=narrow):
        yield


@contextmanager
def environment(**variables: str) -> Iterator[None]:
    """Other environment variables for a while."""
    before = dict(os.environ)
    os.environ.update(variables)
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)
