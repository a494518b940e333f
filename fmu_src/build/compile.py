"""Our C code as shared libraries, compiled once per machine and kept in the user's cache.

The kernel serves the Python FMU through ctypes and is the binary of native FMUs.  It is compiled for the shape of a
model, see `kernel_shape`, and models of one shape share it; there is one for any model too, which is slower.  The front
is the binary of Python FMUs on Linux, where it stands before pythonfmu's own.  For this platform they are made with
$CC, cc, gcc, clang or ziglang, whichever is found first; for others with ziglang (`pip install kinetab[native]`), which
brings all it needs.  $KINETAB_CFLAGS is more flags for this platform, such as those of sanitizers.

Platforms have the names of the folders under binaries/: linux64, win64 and darwin64 (x86-64) as in FMI 2.0, which has
none for 64-bit ARM; aarch64-linux and aarch64-darwin are those of FMI 3.0.
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
import platform as machine
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

from ..errors import BuildError, PlaceError
from ..files import reason, work_folder
from ..slave.kernel_library import SUFFIXES, platform_name
from .compiling import ELSEWHERE, INSTALL, Compiler, compile_all, compile_c
from .kept_files import DIGITS, KeptFile
from .library_cache import kept

KERNEL = Path(__file__).parents[1] / "kernel"

FRONT = Path(__file__).parents[1] / "front"

FRONT_PLATFORM = "linux64"
"""The only one for which pythonfmu has a binary that does not bring Python along."""

SUMS = ("-fassociative-math", "-fno-signed-zeros", "-fno-trapping-math")
"""Sums may be taken in another order; what is not finite still shows."""

FLAGS = ("-O3", "-std=c99", "-ffp-contract=fast", "-fno-math-errno", *SUMS, "-fvisibility=hidden")
"""On every platform; what is more is in `PLATFORMS`."""

PROBE = {"probe.c": b"#include <math.h>\ndouble kt_probe(double x) { return sqrt(x); }\n"}

COMPILERS = ("cc", "gcc", "clang")

ZIG = ("-m", "ziglang")
"""Words by which Python starts it."""

SIZES = "sizes.h"
"""The header of the kernel that makes it one for any model, or for the shape of one."""


@dataclass(frozen=True)
class Platform:
    """How to compile for a platform."""

    suffix: str
    flags: tuple[str, ...]
    libraries: tuple[str, ...]
    target: str  # as zig calls it; with the oldest glibc that will do


ELF = ("-fPIC", "-shared", "-s", "-Wl,-Bsymbolic")
"""Bsymbolic: a call inside the library stays there even if the host has loaded another version for all to see."""

LINKING = ("-shared", "-s", "-Wl,-Bsymbolic")
"""Flags that have no meaning before files are put together."""

PLATFORMS = {
    "linux64": Platform(SUFFIXES["linux64"], ELF, ("-lm",), "x86_64-linux-gnu.2.17"),
    "win64": Platform(SUFFIXES["win64"], ("-shared", "-s"), (), "x86_64-windows-gnu"),
    "darwin64": Platform(SUFFIXES["darwin64"], ("-fPIC", "-shared"), (), "x86_64-macos"),
    "aarch64-linux": Platform(SUFFIXES["aarch64-linux"], ELF, ("-lm",), "aarch64-linux-gnu.2.17"),
    "aarch64-darwin": Platform(SUFFIXES["aarch64-darwin"], ("-fPIC", "-shared"), (), "aarch64-macos"),
}


@dataclass(frozen=True)
class Code:
    """What becomes one library."""

    name: str
    files: Mapping[str, bytes]  # sources and headers by name
    libraries: tuple[str, ...]

    @property
    def sources(self) -> list[str]:
        """The C files."""
        return [name for name in self.files if name.endswith(".c")]


def current_platform() -> str:
    """The platform of this Python.

    Raises:
        BuildError: it has no name in `PLATFORMS`.
    """
    name = platform_name()
    if name not in PLATFORMS:
        raise BuildError(
            f"there is no compiled kernel for {sys.platform} on {machine.machine()}; known are {', '.join(PLATFORMS)}"
        )
    return name


def check_compiler(platform: str) -> None:
    """Compile next to nothing for a platform, before long work whose result would be compiled.

    Raises:
        BuildError: there is no compiler for it, or it fails.
    """
    known = PLATFORMS.get(platform)
    if known is None:
        raise BuildError(f"there is no platform '{platform}'; known are {', '.join(PLATFORMS)}")
    cached(compiler(platform), Code("probe", PROBE, known.libraries), flags(platform), known.suffix)


def library(platform: str | None = None, shape: str = "") -> Path:
    """The kernel for a platform, compiled unless it is in the cache.

    Args:
        platform: one of `PLATFORMS`; None is this one.
        shape: the header of `kernel_shape` for which it is made; none makes it one for any model.

    Raises:
        BuildError: there is no compiler for it, or it fails.
    """
    return _library(platform or current_platform(), shape).path


def _library(name: str, shape: str) -> KeptFile:
    """The kernel for a platform and a shape."""
    check_compiler(name)
    code = Code("kinetab", kernel_files(shape), PLATFORMS[name].libraries)
    if not code.sources:
        raise BuildError(f"the kernel's C files are missing in '{KERNEL}'; install kinetab again")
    return cached(compiler(name), code, ("-DKT_SHARED", *flags(name)), PLATFORMS[name].suffix)


def front() -> bytes:
    """The front of Python FMUs for `FRONT_PLATFORM`, as a library, compiled unless it is in the cache.

    Raises:
        BuildError: there is no compiler for it, or it fails.
    """
    files = contents((*FRONT.glob("*.[ch]"), *KERNEL.glob("*.h"), KERNEL / "fmi2.c", KERNEL / "location.c"))
    code = Code("front", files, ("-lm", "-ldl", "-lpthread"))
    return cached(compiler(FRONT_PLATFORM), code, flags(FRONT_PLATFORM), PLATFORMS[FRONT_PLATFORM].suffix).content


def flags(platform: str) -> tuple[str, ...]:
    """For a platform; those of $KINETAB_CFLAGS last, so that they count, and symbols stay if they ask for them."""
    found = FLAGS + PLATFORMS[platform].flags
    more = tuple(shlex.split(os.environ.get("KINETAB_CFLAGS", ""))) if _native(platform) else ()
    return tuple(flag for flag in found if flag != "-s" or "-g" not in more) + more


def libraries(platforms: Iterable[str], shape: str = "") -> dict[str, bytes]:
    """The kernel for several platforms, as libraries; see `library`."""
    return {name: _library(name, shape).content for name in dict.fromkeys(platforms)}


def kernel_files(shape: str = "") -> dict[str, bytes]:
    """The C files of the kernel and its headers; with a shape, its header in the place of that for any model."""
    return contents(KERNEL.glob("*.[ch]")) | ({SIZES: shape.encode()} if shape else {})


def contents(files: Iterable[Path]) -> dict[str, bytes]:
    """What is in some files, by their names."""
    return {file.name: file.read_bytes() for file in sorted(files, key=lambda file: file.name)}


def compiler(platform: str) -> Compiler:
    """What compiles for a platform.

    Raises:
        BuildError: nothing does.
    """
    native = _native(platform)
    if native and (wanted := os.environ.get("CC", "").strip()):
        words = shlex.split(wanted, posix=os.name != "nt")
        path = shutil.which(words[0])
        if path is None:
            raise BuildError(f"the environment variable CC is '{wanted}', but there is no such command; correct it")
        return Compiler((path, *words[1:]), f"{' '.join(words[1:])} {_stamp(path)}")
    if native:
        for name in COMPILERS:
            if path := shutil.which(name):
                return Compiler((path,), _stamp(path))
    if importlib.util.find_spec("ziglang") is not None:
        target = PLATFORMS[platform].target
        return Compiler((sys.executable, *ZIG, "cc", "-target", target), f"{target} {zig_version()}")
    if native:
        raise BuildError(f"no C compiler is found ($CC, {', '.join(COMPILERS)}, ziglang); {INSTALL}")
    raise BuildError(f"compiling for {platform} on another platform takes ziglang; 'pip install kinetab[native]'")


def compiler_version(platform: str) -> str:
    """How the compiler for a platform calls itself, with its version; empty if it does not say.

    Raises:
        BuildError: there is no compiler for it.
    """
    tool = compiler(platform)
    if tool.command[1:3] == ZIG:
        return f"ziglang {zig_version()} for {PLATFORMS[platform].target}"
    try:
        done = subprocess.run((*tool.command, "--version"), capture_output=True, text=True, errors="replace")
    except OSError:
        return ""
    return next(iter(done.stdout.splitlines()), "").strip()


def _native(platform: str) -> bool:
    """Whether it is the platform of this Python."""
    try:
        return platform == current_platform()
    except BuildError:
        return False


def _stamp(path: str) -> str:
    """Identity of a program, without running it."""
    file = Path(path).resolve()
    status = file.stat()
    return f"{file} {status.st_size} {status.st_mtime_ns}"


def zig_version() -> str:
    """Empty if it is not installed."""
    try:
        return metadata.version("ziglang")
    except metadata.PackageNotFoundError:
        return ""


def cached(tool: Compiler, code: Code, flags: tuple[str, ...], suffix: str) -> KeptFile:
    """The library from the cache, where it is put if it is not there."""
    digest = hashlib.sha256(repr((tool.identity, flags, suffix, code.libraries)).encode())
    for file, content in code.files.items():
        digest.update(f"{file} {hashlib.sha256(content).hexdigest()}\n".encode())
    stem = f"{code.name}-{digest.hexdigest()[:DIGITS]}"
    try:
        return kept(stem, suffix, lambda: _made(tool, code, flags, f"{stem}{suffix}"))
    except OSError as error:
        place = error.filename or tempfile.gettempdir()
        raise PlaceError(f"cannot compile in '{place}': {reason(error, ELSEWHERE)}") from None


def _made(tool: Compiler, code: Code, flags: tuple[str, ...], name: str) -> bytes:
    """Compile, files at the same time, in a folder of its own: linkers for Windows put more files there."""
    rest = [flag for flag in flags if flag not in LINKING]
    with work_folder() as folder:
        for file, content in code.files.items():
            (folder / file).write_bytes(content)
        made = compile_all(tool, [folder / file for file in code.sources], rest)
        return compile_c(tool, made, folder / name, flags, code.libraries).read_bytes()
