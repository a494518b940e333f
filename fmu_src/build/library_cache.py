"""Compiled libraries, kept in the user's cache as kinetab-<16 digits of all that it is made from>-<its content>.so."""

from __future__ import annotations

import atexit
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

from ..files import reason, remove_abandoned, work_folder
from .kept_files import KeptFile, cache_folder, find, put, tell_once


def kept(stem: str, suffix: str, make: Callable[[], bytes]) -> KeptFile:
    """A library from the cache, where it is put if it is not there.

    Args:
        stem: of its name, which tells what it is made from.
        suffix: of its name.
        make: gives its content.

    Raises:
        OSError: there is no folder that it can be written to, not even one for temporary files.
    """
    cache = cache_folder()
    if cache:
        remove_abandoned(cache)
    for folder in filter(None, (cache, *_own_folder)):
        if found := find(folder, stem, suffix):
            return found
    content = make()
    if cache:
        try:
            return put(cache, stem, suffix, content)
        except OSError as error:
            tell_once(f"compiled libraries are not kept: cannot write to '{cache}': {reason(error)}")
    return put(_temporary(), stem, suffix, content)


_own_folder: list[Path] = []
"""The folder for this process only, once there is one."""


def _temporary() -> Path:
    """A folder that lasts as long as this process; none that others could put a library into beforehand."""
    if not _own_folder:
        stack = ExitStack()
        atexit.register(stack.close)
        _own_folder.append(stack.enter_context(work_folder()))
    return _own_folder[0]
