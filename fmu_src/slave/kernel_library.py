"""The compiled kernel as Python sees it: where it lies, and its functions.  Standard library only."""

from __future__ import annotations

import ctypes
import hashlib
import platform
import sys
from ctypes import c_char_p, c_double, c_int, c_size_t, c_void_p
from pathlib import Path

from ..errors import FmuError

KERNEL_VERSION = 1
"""KT_VERSION of kinetab.h: the interface that is called here."""

SUFFIXES = {
    "linux64": ".so",
    "win64": ".dll",
    "darwin64": ".dylib",
    "aarch64-linux": ".so",
    "aarch64-darwin": ".dylib",
}
"""Of shared libraries, by the platforms that there are kernels for."""

FUNCTIONS = {
    "kt_version": (c_int, ()),
    "kt_create": (c_void_p, (c_void_p, c_size_t, c_char_p, c_size_t)),
    "kt_free": (None, (c_void_p,)),
    "kt_message": (c_char_p, (c_void_p,)),
    "kt_out_of_table": (c_int, (c_void_p,)),
    "kt_phase_of": (c_int, (c_void_p,)),
    "kt_time": (c_double, (c_void_p,)),
    "kt_count": (c_size_t, (c_void_p,)),
    "kt_setup": (c_int, (c_void_p, c_double)),
    "kt_enter_initialization": (c_int, (c_void_p,)),
    "kt_exit_initialization": (c_int, (c_void_p,)),
    "kt_terminate": (c_int, (c_void_p,)),
    "kt_get": (c_int, (c_void_p, c_void_p, c_size_t, c_void_p)),
    "kt_set": (c_int, (c_void_p, c_void_p, c_size_t, c_void_p)),
    "kt_step": (c_int, (c_void_p, c_double, c_double)),
    "kt_state_size": (c_size_t, (c_void_p,)),
    "kt_save": (c_int, (c_void_p, c_void_p)),
    "kt_restore": (c_int, (c_void_p, c_char_p, c_size_t)),
}
"""Results and arguments, as in kinetab.h."""

_loaded: dict[bytes, ctypes.PyDLL] = {}
"""By the hash of their content."""


class KernelMissing(FmuError):
    """There is no kernel that runs here; the message says why."""


def platform_name() -> str:
    """The platform of this Python, in the names of `SUFFIXES` if it is one of them."""
    system = {"linux": "linux", "win32": "win", "darwin": "darwin"}.get(sys.platform, sys.platform)
    if sys.maxsize < 2**32:
        return f"{system}32"
    machine = platform.machine().lower()
    if machine in ("arm64", "aarch64"):
        return f"aarch64-{system}"
    return f"{system}64" if machine in ("x86_64", "amd64") else f"{machine}-{system}"


def library_name(name: str) -> str:
    """Where the kernel for a platform lies in a folder of kernels."""
    return f"{name}/kinetab{SUFFIXES[name]}"


def load_library(path: Path) -> ctypes.PyDLL:
    """Load a kernel.

    It keeps Python's lock: a call takes microseconds, and a host with other Python threads would otherwise have to wait
    for the lock at the end of each, up to milliseconds.

    A library stays loaded to the end of the process, so equal ones are loaded once, wherever they lie: a host that runs
    an FMU again and again unpacks it into a new folder each time.

    Raises:
        KernelMissing: it cannot be loaded here.
    """
    try:
        content = hashlib.sha256(path.read_bytes()).digest()
        library = _loaded.get(content) or ctypes.PyDLL(str(path))
        for name, (result, arguments) in FUNCTIONS.items():
            function = getattr(library, name)
            function.restype, function.argtypes = result, arguments
    except (OSError, AttributeError) as error:
        raise KernelMissing(f"the compiled kernel cannot be loaded ({error})") from None
    if library.kt_version() != KERNEL_VERSION:
        raise KernelMissing(
            f"the compiled kernel has version {library.kt_version()} instead of {KERNEL_VERSION}; build the FMU again"
        )
    return _loaded.setdefault(content, library)


def find_library(folder: Path) -> Path:
    """The kernel for this platform in a folder of kernels.

    Raises:
        KernelMissing: there is none.
    """
    name = platform_name()
    path = folder / library_name(name) if name in SUFFIXES else None
    if path is None or not path.is_file():
        there = sorted(entry.name for entry in folder.glob("*")) if folder.is_dir() else []
        raise KernelMissing(
            f"the FMU has no compiled kernel for {name}" + (f", only for {', '.join(there)}" if there else "")
        )
    return path
