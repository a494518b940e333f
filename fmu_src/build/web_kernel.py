"""The kernel for the shape of a model as WebAssembly, which a page in a browser runs; compiled with ziglang.

Files, FMI and messages to a host stay out: a page creates an instance from the bytes of a model file.
"""

from __future__ import annotations

import importlib.util
import sys

from ..errors import BuildError
from ..model.reduced_model import ReducedModel
from .compile import FLAGS, ZIG, Code, Compiler, cached, kernel_files, zig_version
from .kernel_shape import shape_header

TARGET = "wasm32-wasi"

EXPORTS = (
    *(f"kt_{name}" for name in ("create", "free", "message", "setup", "enter_initialization", "exit_initialization")),
    *(f"kt_{name}" for name in ("get", "set", "step")),
    "malloc",
)

WEB_FLAGS = (
    *FLAGS,
    "-msimd128",
    "-mexec-model=reactor",
    "-Wl,--strip-all",
    *(f"-Wl,--export={name}" for name in EXPORTS),
)

LEFT_OUT = ("fmi2.c", "location.c")
"""What brings the kernel to masters."""

SUFFIX = ".wasm"


def web_kernel(model: ReducedModel) -> bytes:
    """A module that imports nothing.

    Raises:
        BuildError: ziglang is not installed, or fails.
    """
    if importlib.util.find_spec("ziglang") is None:
        raise BuildError("compiling for browsers takes ziglang; 'pip install kinetab[native]'")
    files = {name: content for name, content in kernel_files(shape_header(model)).items() if name not in LEFT_OUT}
    tool = Compiler((sys.executable, *ZIG, "cc", "-target", TARGET), f"{TARGET} {zig_version()}")
    return cached(tool, Code("kinetab-web", files, ()), WEB_FLAGS, SUFFIX).content
