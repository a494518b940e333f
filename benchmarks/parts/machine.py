"""On what was measured."""

from __future__ import annotations

import datetime
import os
import platform
import re
import shlex
import subprocess
from importlib import metadata
from pathlib import Path

from fmu_src import __version__
from parts.variants import compilers, families

PACKAGES = ("numpy", "fmpy", "pythonfmu", "ziglang", "mujoco", "pin", "exudyn")


def machine() -> dict[str, str]:
    """Processor, how busy it is, compilers, versions and date."""
    versions = {"kinetab": __version__}
    for name in PACKAGES:
        try:
            versions[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
    return {
        "load": f"{os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else "unknown",
        "date": datetime.datetime.now(datetime.UTC).date().isoformat(),
        "processor": f"{processor()}, {os.cpu_count()} cores",
        "system": f"{platform.system()} {platform.machine()}, Python {platform.python_version()}",
        "compilers": ", ".join(f"{name} {version(command)}" for name, command in compilers().items()),
        "versions": ", ".join(f"{name} {version}" for name, version in versions.items()),
    }


def processor() -> str:
    """Its name, and the widest vectors that the kernel can use on it."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor() or "unknown processor"
    told = dict(line.split(":", 1) for line in lines if ":" in line)
    words = {key.strip(): value.strip() for key, value in told.items()}
    name = words.get("model name", "unknown processor")
    kind = f" (family {words['cpu family']}, model {words['model']})" if "cpu family" in words else ""
    return f"{name}{kind}, {families()[0]}"


def version(compiler: str) -> str:
    """The first number that a C compiler says of itself; zig says that of its clang."""
    said = subprocess.run([*shlex.split(compiler), "--version"], capture_output=True, text=True, check=False).stdout
    return next(iter(re.findall(r"\d+\.\d[\d.]*", said)), "of an unknown version")
