"""Compiled libraries, kept in the user's cache under names that tell what they are made from and what is in them.

    kinetab-<16 digits of all that it is made from>-<16 digits of its content>.so

A file that does not fit its name is damaged: it is never used, but removed and made again.
"""

from __future__ import annotations

import atexit
import functools
import hashlib
import logging
import os
import stat
import sys
from collections.abc import Callable
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from pathlib import Path

from ..files import reason, remove_abandoned, work_folder, write_whole
from ..slave.guard import LOGGER

DIGITS = 16


@dataclass(frozen=True)
class Library:
    """A compiled library."""

    path: Path
    content: bytes  # as it was checked, whatever becomes of the file


def kept(stem: str, suffix: str, make: Callable[[], bytes]) -> Library:
    """A library from the cache, where it is put if it is not there.

    Args:
        stem: of its name, which tells what it is made from.
        suffix: of its name.
        make: gives its content.

    Raises:
        OSError: there is no folder that it can be written to, not even one for temporary files.
    """
    cache = _cache()
    if cache:
        remove_abandoned(cache)
    for folder in filter(None, (cache, *_own_folder)):
        if found := _found(folder, stem, suffix):
            return found
    content = make()
    if cache:
        try:
            return _put(cache, stem, suffix, content)
        except OSError as error:
            _tell(f"compiled libraries are not kept: cannot write to '{cache}': {reason(error)}")
    return _put(_temporary(), stem, suffix, content)


def name_of(stem: str, suffix: str, content: bytes) -> str:
    """The name of a library with this content."""
    return f"{stem}-{hashlib.sha256(content).hexdigest()[:DIGITS]}{suffix}"


def _found(folder: Path, stem: str, suffix: str) -> Library | None:
    """The library, if there is one whose content fits its name; others are removed."""
    for path in sorted(folder.glob(f"{stem}-*{suffix}")):
        with suppress(OSError):
            if not stat.S_ISREG(path.stat().st_mode):
                continue
            content = path.read_bytes()
            if path.name == name_of(stem, suffix, content):
                return Library(path, content)
            path.unlink()
    return None


def _put(folder: Path, stem: str, suffix: str, content: bytes) -> Library:
    folder.mkdir(parents=True, exist_ok=True)
    return Library(write_whole(folder / name_of(stem, suffix, content), content), content)


def _cache() -> Path | None:
    """Where compiled libraries are kept, if the user has a place for such files."""
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


_own_folder: list[Path] = []
"""The folder for this process only, once there is one."""


def _temporary() -> Path:
    """A folder that lasts as long as this process; none that others could put a library into beforehand."""
    if not _own_folder:
        stack = ExitStack()
        atexit.register(stack.close)
        _own_folder.append(stack.enter_context(work_folder()))
    return _own_folder[0]


@functools.cache
def _tell(note: str) -> None:
    """Say something once."""
    logging.getLogger(LOGGER).warning("%s", note)
