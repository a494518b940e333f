"""Other platforms that can be run on this machine: Windows under wine, 64-bit ARM under qemu.

python tests/helpers_platforms.py       says which, and what is missing; exit code 1 if there is none
"""

import importlib.util
import os
import shutil
import subprocess
import sys
import zipfile
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote
from xml.etree import ElementTree

from fmu_src.build.compile import KERNEL, PLATFORMS, compile_c, compiler, current_platform

HOST = Path(__file__).parent / "host" / "console.c"
CROSS = Path("/usr/aarch64-linux-gnu")
"""Where Debian puts the C library for ARM."""

QUIET = "mscoree,mshtml=;winemenubuilder.exe=d"
"""Parts of wine that would ask for more, or write elsewhere."""

NO_ZIG = "ziglang is not installed: pip install 'kinetab[native]'"


@dataclass(frozen=True)
class Target:
    """How programs of another platform are run here."""

    platform: str
    program: str  # the emulator
    options: tuple[str, ...]
    library: Path | None  # what it must find besides
    packages: str  # of Debian
    drive: str  # where the root of our file system is to be seen

    @property
    def command(self) -> tuple[str, ...]:
        """What stands before a program."""
        found = shutil.which(self.program) or shutil.which(f"{self.program}64")
        return (found, *self.options) if found else ()

    @property
    def missing(self) -> str:
        """What must be installed first; empty if programs run."""
        if importlib.util.find_spec("ziglang") is None:
            return NO_ZIG
        if not self.command:
            return f"{self.program} is not installed: apt-get install {self.packages}"
        if self.library and not self.library.is_file():
            return f"{self.program} finds no '{self.library}': apt-get install {self.packages}"
        return ""

    def path(self, file: Path) -> str:
        """As the platform sees a file of ours."""
        return f"{self.drive}{file.resolve().as_posix()}"

    def uri(self, folder: Path) -> str:
        """The address of a folder."""
        path = quote(self.path(folder), safe="/:")
        return f"file://{path}" if path.startswith("/") else f"file:///{path}"


TARGETS = {
    "win64": Target("win64", "wine", (), None, "wine64 wine", "Z:"),
    "aarch64-linux": Target(
        "aarch64-linux",
        "qemu-aarch64",
        ("-L", str(CROSS)),
        CROSS / "lib" / "ld-linux-aarch64.so.1",
        "qemu-user libc6-arm64-cross",
        "",
    ),
}
OURS = Target(current_platform(), "", (), None, "", "")
"""The platform of this Python, without an emulator."""


def console(target: Target, folder: Path) -> Path:
    """The program host/console.c for a platform, compiled with what compiles FMUs for it."""
    name = "console.exe" if target.platform == "win64" else "console"
    flags = ("-O2", "-std=c99", "-Wall", "-Wextra", "-Werror", f"-I{KERNEL}")
    libraries = () if target.platform == "win64" else ("-ldl",)
    return compile_c(compiler(target.platform), [HOST], folder / name, flags, libraries)


def environment(folder: Path) -> dict[str, str]:
    """For wine: a Windows of its own in a folder, paths in UTF-8, no windows and no messages but ours."""
    more = {"WINEPREFIX": str(folder), "WINEDEBUG": "-all", "WINEDLLOVERRIDES": QUIET}
    return {**{k: v for k, v in os.environ.items() if k != "DISPLAY"}, **more, "LC_ALL": "C.UTF-8"}


class Unpacked:
    """A native FMU in a folder, as a target sees it."""

    def __init__(self, path: Path, folder: Path, target: Target):
        with zipfile.ZipFile(path) as archive:
            archive.extractall(folder)
        root = ElementTree.parse(folder / "modelDescription.xml").getroot()
        identifier = root.find("CoSimulation").get("modelIdentifier")
        suffix = PLATFORMS[target.platform].suffix
        self.load = f"load {target.path(folder / 'binaries' / target.platform / f'{identifier}{suffix}')}"
        self.create = f"create {root.get('guid')} {target.uri(folder / 'resources')}"
        variables = list(root.iter("ScalarVariable"))
        self.references = {v.get("name"): v.get("valueReference") for v in variables}
        self.outputs = [v.get("name") for v in variables if v.get("causality") == "output"]
        self.get = "get " + ",".join(self.references[name] for name in self.outputs)


def run(target: Target, program: Path, lines: list[str], prefix: Path) -> subprocess.CompletedProcess:
    """Let a program for the target do what the lines say."""
    return subprocess.run(
        [*target.command, str(program)],
        input="".join(f"{line}\n" for line in lines).encode(),
        capture_output=True,
        timeout=600,
        env=environment(prefix),
    )


def main() -> int:
    """Say what can be run."""
    for name, target in TARGETS.items():
        print(f"{name}: {target.missing or f'runs under {target.command[0]}'}")
    return int(all(target.missing for target in TARGETS.values()))


if __name__ == "__main__":
    sys.exit(main())
