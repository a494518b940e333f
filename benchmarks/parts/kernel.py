"""The kernel, called from a loop in C."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from ctypes import c_char_p, c_double, c_size_t, c_uint32, c_void_p
from functools import cache
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

import numpy as np

from fmu_src.build.compile import KERNEL, PLATFORMS, compile_c, compiler, current_platform, library
from precompute.arrays import Array

SOURCE = Path(__file__).resolve().parent.parent / "kernel_loop.c"
ROOM = 1000


class Variables(ctypes.Structure):
    """Value references and values, as kernel_loop.c has them."""

    _fields_ = (("references", c_void_p), ("n", c_size_t), ("values", c_void_p))

    def __init__(self, references: Sequence[int], values: Array) -> None:
        self.held = np.array(references, dtype=np.uint32), np.ascontiguousarray(values, dtype=float)
        super().__init__(self.held[0].ctypes.data, len(references), self.held[1].ctypes.data)


@cache
def libraries() -> tuple[ctypes.CDLL, ctypes.CDLL]:
    """The kernel, and the loops that call it."""
    kernel = ctypes.CDLL(str(library()), mode=ctypes.RTLD_GLOBAL)
    kernel.kt_open.restype = c_void_p
    kernel.kt_message.restype = c_char_p
    kernel.kt_time.restype = c_double
    kernel.kt_state_size.restype = c_size_t
    platform = PLATFORMS[current_platform()]
    target = Path(mkdtemp(prefix="kinetab_")) / f"kernel_loop{platform.suffix}"
    flags = ("-O2", "-std=c99", "-fPIC", "-shared", "-Wall", "-Wextra", f"-I{KERNEL}")
    loops = ctypes.CDLL(str(compile_c(compiler(current_platform()), [SOURCE], target, flags)))
    for name in ("loop_steps", "loop_master", "loop_forces"):
        getattr(loops, name).restype = c_double
    return kernel, loops


class Kernel:
    """A model in the kernel, initialized."""

    def __init__(self, path: Path, solver_step: float | None = None) -> None:
        self.kernel, self.loops = libraries()
        message = ctypes.create_string_buffer(ROOM)
        self.instance = c_void_p(self.kernel.kt_open(str(path).encode(), message, c_size_t(ROOM)))
        if not self.instance:
            raise RuntimeError(message.value.decode())
        self.call("setup", c_double(0.0))
        if solver_step is not None:
            self.set([0], np.array([solver_step]))
        self.call("enter_initialization")
        self.call("exit_initialization")
        self.start = self.save()

    def __del__(self) -> None:
        if getattr(self, "instance", None):
            self.kernel.kt_free(self.instance)

    def call(self, name: str, *arguments: Any) -> None:
        """A function of the kernel.

        Raises:
            RuntimeError: it failed.
        """
        if getattr(self.kernel, f"kt_{name}")(self.instance, *arguments) > 1:
            self.failed()

    def failed(self) -> None:
        """Raise what the kernel says."""
        raise RuntimeError(self.kernel.kt_message(self.instance).decode())

    def set(self, references: Sequence[int], values: Array) -> None:
        """Set variables."""
        self.call("set", numbers(references), c_size_t(len(references)), values.ctypes.data_as(c_void_p))

    def get(self, references: Sequence[int]) -> Array:
        """Values of variables."""
        values = np.zeros(len(references))
        self.call("get", numbers(references), c_size_t(len(references)), values.ctypes.data_as(c_void_p))
        return values

    def step(self, size: float) -> None:
        """One step."""
        self.call("step", c_double(self.kernel.kt_time(self.instance)), c_double(size))

    def save(self) -> ctypes.Array[ctypes.c_char]:
        """The state as bytes."""
        block = ctypes.create_string_buffer(self.kernel.kt_state_size(self.instance))
        self.kernel.kt_save(self.instance, block)
        return block

    def restart(self) -> None:
        """Back to the end of initialization."""
        self.call("restore", self.start, c_size_t(len(self.start)))

    def time_steps(self, steps: int, size: float) -> float:
        """Processor time of a step alone [us]."""
        self.restart()
        return self._checked(self.loops.loop_steps(self.instance, c_size_t(steps), c_double(size)))

    def time_master(self, inputs: Variables, outputs: Variables, steps: int, size: float) -> float:
        """Processor time of setting inputs, a step, reading outputs [us]."""
        self.restart()
        arguments = ctypes.byref(inputs), ctypes.byref(outputs), c_size_t(steps), c_double(size)
        return self._checked(self.loops.loop_master(self.instance, *arguments))

    def time_forces(self, inputs: Variables, steps: int, size: float) -> float:
        """Processor time per step of a manoeuvre with new inputs at every step, from the start [us]."""
        saved = self.start, c_size_t(len(self.start))
        arguments = *saved, ctypes.byref(inputs), c_size_t(steps), c_double(size)
        return self._checked(self.loops.loop_forces(self.instance, *arguments))

    def _checked(self, seconds: float) -> float:
        if seconds < 0.0:
            self.failed()
        return 1e6 * seconds


def numbers(references: Sequence[int]) -> ctypes.Array[c_uint32]:
    """Value references for C."""
    return (c_uint32 * len(references))(*references)
