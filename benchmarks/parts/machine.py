"""On what was measured."""

from __future__ import annotations

import datetime
import os
import platform
import subprocess
from importlib import metadata
from pathlib import Path

from fmu_src import __version__
from fmu_src.build.compile import compiler, current_platform

PACKAGES = ("numpy", "fmpy", "pythonfmu", "mujoco", "pin", "exudyn")


def machine() -> dict[str, str]:
    """Processor, compiler, versions and date."""
    versions = {"kinetab": __version__}
    for name in PACKAGES:
        try:
            versions[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
    return {
        "date": datetime.datetime.now(datetime.UTC).date().isoformat(),
        "processor": f"{processor()}, {os.cpu_count()} cores",
        "system": f"{platform.system()} {platform.machine()}, Python {platform.python_version()}",
        "compiler": compiler_version(),
        "versions": ", ".join(f"{name} {version}" for name, version in versions.items()),
    }


def processor() -> str:
    """Its name."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor() or "unknown processor"
    return next((line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")), "unknown processor")


def compiler_version() -> str:
    """The first line that the C compiler says of itself."""
    command = [*compiler(current_platform()).command, "--version"]
    said = subprocess.run(command, capture_output=True, text=True, check=False).stdout
    return said.splitlines()[0] if said else "unknown compiler"
