"""What a result depends on besides what a stage is given: our sources, the libraries that compute, the processor."""

from __future__ import annotations

import functools
import hashlib
import platform
import sys
from importlib.metadata import version
from pathlib import Path

from threadpoolctl import threadpool_info

import fmu_src
import precompute

PACKAGES = (fmu_src, precompute)


@functools.cache
def program() -> str:
    """It as 64 digits, the same for all of this process; empty where our sources are not at hand."""
    sources = source_digest(*(Path(next(iter(package.__path__))) for package in PACKAGES))
    if not sources:
        return ""
    blas = sorted(f"{own['prefix']} {own['version']} {own.get('architecture')}" for own in threadpool_info())
    libraries = [f"{name} {version(name)}" for name in ("numpy", "scipy")]
    machine = [sys.version, platform.machine(), platform.system()]
    return hashlib.sha256("\n".join([fmu_src.__version__, sources, *libraries, *blas, *machine]).encode()).hexdigest()


def source_digest(*folders: Path) -> str:
    """Of all Python files in some folders, with their names; empty if one of them has none.

    All of them, and not what a stage imports: whoever edits one bakes anew once, and nobody has stale tables.
    """
    found = hashlib.sha256()
    for folder in folders:
        files = sorted(folder.rglob("*.py"))
        if not files:
            return ""
        for file in files:
            content = file.read_bytes()
            found.update(f"{file.relative_to(folder).as_posix()} {len(content)} ".encode() + content)
    return found.hexdigest()
