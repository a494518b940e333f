"""Files in the user's cache, under names that tell what they are made from and what is in them.

    <stem, which tells all that it is made from>-<16 digits of its content><suffix>

A file that does not fit its name is damaged: it is never used, but removed and made again.
"""

from __future__ import annotations

import functools
import hashlib
import logging
import os
import stat
import sys
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from ..files import write_whole
from ..slave.guard import LOGGER

DIGITS = 16


@dataclass(frozen=True)
class KeptFile:
    """A file of the cache."""

    path: Path
    content: bytes  # as it was checked, whatever becomes of the file


def cache_folder() -> Path | None:
    """Where such files are kept, if the user has a place for them; it need not exist yet."""
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA")
    elif sys.platform == "darwin":
        base = "~/Library/Caches"
    else:
        base = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    try:
        return Path(base).expanduser() / "kinetab" if base else None
    except RuntimeError:  # no home
        return None


def find(folder: Path, stem: str, suffix: str) -> KeptFile | None:
    """The file, if there is one whose content fits its name; others are removed."""
    for path in sorted(folder.glob(f"{stem}-*{suffix}")):
        with suppress(OSError):
            if not stat.S_ISREG(path.stat().st_mode):
                continue
            content = path.read_bytes()
            if path.name == name_of(stem, suffix, content):
                return KeptFile(path, content)
            path.unlink()
    return None


def put(folder: Path, stem: str, suffix: str, content: bytes) -> KeptFile:
    """Write it whole or not at all.

    Raises:
        OSError: the folder cannot be written to.
    """
    folder.mkdir(parents=True, exist_ok=True)
    return KeptFile(write_whole(folder / name_of(stem, suffix, content), content), content)


def name_of(stem: str, suffix: str, content: bytes) -> str:
    """The name of a file with this content."""
    return f"{stem}-{hashlib.sha256(content).hexdigest()[:DIGITS]}{suffix}"


@functools.cache
def tell_once(note: str) -> None:
    """Tell the user something, once in a process."""
    logging.getLogger(LOGGER).warning("%s", note)
