"""Where an FMU's code comes from: kinetab and what it builds with, by version, commit and licence."""

from __future__ import annotations

from importlib import metadata
from pathlib import Path

from .. import __version__

COMMIT = Path(__file__).with_name("commit.txt")
"""Written when kinetab is packaged from its repository, see setup.py; a checkout has none."""

DIRTY = "-dirty"
"""After a commit: files had been changed since."""

LICENSES = {"kinetab": "BSD-3-Clause", "pythonfmu": "MIT"}
"""Of the code that can be in an FMU, as SPDX names them."""


def version(name: str) -> str:
    """The version of a distribution of `LICENSES`."""
    return __version__ if name == "kinetab" else metadata.version(name)


def commit() -> str:
    """The commit that this package was built from, perhaps with `DIRTY` after it; empty if none was recorded."""
    try:
        return COMMIT.read_text(encoding="ascii").strip()
    except OSError:
        return ""


def signature() -> str:
    """Version and, if it was recorded, commit of kinetab, for people."""
    found = commit()
    changed = ", with changes" if found.endswith(DIRTY) else ""
    return f"kinetab {__version__}" + (f" (commit {found.removesuffix(DIRTY)}{changed})" if found else "")


def license_text(name: str) -> str:
    """The licence of an installed distribution; empty if it came without."""
    files = (file for d in metadata.distributions(name=name) for file in d.files or () if file.name == "LICENSE")
    paths = (Path(str(file.locate())) for file in files)
    return next((path.read_text(encoding="utf-8") for path in paths if path.is_file()), "")
