"""A compiled kernel, called from a loop in C."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from ctypes import c_char_p, c_double, c_size_t, c_uint32, c_void_p
from functools import cache
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

import numpy as np

from fmu_src.build.compile import KERNEL, PLATFORMS, compile_c, compiler, current_platform
from precompute.arrays import Array

SOURCE = Path(__file__).resolve().parent.parent / "kernel_loop.c"
ROOM = 1000


class Variables(ctypes.Structure):
    """Value references and values, as kernel_loop.c has them."""

    _fields_ = (("references", c_void_p), ("n", c_size_t), ("values", c_void_p))

    def __init__(self, references: Sequence[int], values: Array) -> None:
        self.held = np.array(references, dtype=np.uint32), np.ascontiguousarray(values, dtype=float)
        super().__init__(self.held[0].ctypes.data, len(references), self.held[1].ctypes.data)


class Calls(ctypes.Structure):
    """Functions of a kernel, as kernel_loop.c has them."""

    NAMES = ("time", "set", "step", "get", "restore")
    _fields_ = tuple((name, c_void_p) for name in NAMES)

    def __init__(self, kernel: ctypes.CDLL) -> None:
        super().__init__(*(ctypes.cast(getattr(kernel, f"kt_{name}"), c_void_p) for name in self.NAMES))


@cache
def loaded(path: Path) -> ctypes.CDLL:
    """A compiled kernel; those of other libraries stay apart from it."""
    kernel = ctypes.CDLL(str(path))
    kernel.kt_open.restype = c_void_p
    kernel.kt_message.restype = c_char_p
    kernel.kt_time.restype = c_double
    kernel.kt_state_size.restype = c_size_t
    return kernel


@cache
def loops() -> ctypes.CDLL:
    """The loops that call a kernel."""
    platform = PLATFORMS[current_platform()]
    target = Path(mkdtemp(prefix="kinetab_")) / f"kernel_loop{platform.suffix}"
    flags = ("-O2", "-std=c99", "-fPIC", "-shared", "-Wall", "-Wextra", f"-I{KERNEL}")
    found = ctypes.CDLL(str(compile_c(compiler(current_platform()), [SOURCE], target, flags)))
    for name in ("loop_steps", "loop_master", "loop_forces", "loop_each"):
        getattr(found, name).restype = c_double
    return found


class Kernel:
    """A model in a compiled kernel, initialized."""

    def __init__(self, library: Path, model: Path, solver_step: float | None = None) -> None:
        self.kernel, self.calls = loaded(library), Calls(loaded(library))
        message = ctypes.create_string_buffer(ROOM)
        self.instance = c_void_p(self.kernel.kt_open(str(model).encode(), message, c_size_t(ROOM)))
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
        return self._timed("steps", c_size_t(steps), c_double(size))

    def time_master(self, inputs: Variables, outputs: Variables, steps: int, size: float) -> float:
        """Processor time of setting inputs, a step, reading outputs [us]."""
        self.restart()
        return self._timed("master", ctypes.byref(inputs), ctypes.byref(outputs), c_size_t(steps), c_double(size))

    def time_forces(self, inputs: Variables, steps: int, size: float) -> float:
        """Processor time per step of a manoeuvre with new inputs at every step, from the start [us]."""
        saved = self.start, c_size_t(len(self.start))
        return self._timed("forces", *saved, ctypes.byref(inputs), c_size_t(steps), c_double(size))

    def time_each(self, inputs: Variables, outputs: Variables, steps: int, size: float) -> Array:
        """(steps,) wall time of each step from the start, with new inputs set and outputs read [us]."""
        self.restart()
        each = np.zeros(steps)
        place = each.ctypes.data_as(c_void_p)
        self._timed("each", ctypes.byref(inputs), ctypes.byref(outputs), c_size_t(steps), c_double(size), place)
        return 1e6 * each

    def _timed(self, loop: str, *arguments: Any) -> float:
        """What a loop says, in microseconds per step."""
        seconds = getattr(loops(), f"loop_{loop}")(ctypes.byref(self.calls), self.instance, *arguments)
        if seconds < 0.0:
            self.failed()
        return 1e6 * float(seconds)


def numbers(references: Sequence[int]) -> ctypes.Array[c_uint32]:
    """Value references for C."""
    return (c_uint32 * len(references))(*references)
