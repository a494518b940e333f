"""Stages of a bake that are done once: their results lie in the user's cache, by all that they are made from.

A stage is a function from frozen data to frozen data, so its result follows from what it is given, and from the program
(see `program`).  Nothing is left out of the key that a stage could see: what must not count is taken out of what the
stage is given.  An entry that is damaged, or is no data of ours, is made anew; a cache that cannot be written to costs
time only.  Entries that were not used for longest are removed once all of them take more than `MOST_BYTES`.
"""

from __future__ import annotations

import io
import os
import pickle
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from fmu_src.build.kept_files import cache_folder, find, put, tell_once
from fmu_src.files import reason
from precompute.cache.fingerprint import fingerprint
from precompute.cache.program import program

R = TypeVar("R")

SUFFIX = ".stage"
DIGITS = 32
"""Of a key in the name of an entry."""

MOST_BYTES = 512 * 2**20
"""Of all entries together."""

OURS = ("fmu_src", "precompute", "kinetab")
ARRAYS = {"_reconstruct", "_frombuffer", "scalar"}
"""The functions of NumPy that make arrays and numbers of bytes."""


class Stages:
    """Does stages, or gives what they made before; without a folder it does them all."""

    def __init__(self, folder: Path | None = None) -> None:
        self.folder = folder
        self.reused: Counter[str] = Counter()  # how many results came from the cache, by what they are

    @classmethod
    def kept(cls) -> Stages:
        """With the user's cache, if there is a place for one."""
        return cls(cache_folder())

    def of(self, what: str, stage: Callable[..., R], *given: Any, **telling: Any) -> R:
        """What a stage makes of what it is given.

        Args:
            what: it makes, in a word.
            stage: a function without side effects.
            given: data; all that it makes must follow from these.
            telling: how it tells what it is doing, which changes nothing.
        """
        if self.folder is None or not program():
            return stage(*given, **telling)
        stem = f"{what}-{fingerprint((what, program(), given))[:DIGITS]}"
        known = find(self.folder, stem, SUFFIX)
        if known is not None:
            with suppress(Exception):  # whatever is wrong with an entry: it is made anew
                found: R = decoded(known.content)
                with suppress(OSError):
                    os.utime(known.path)
                self.reused[what] += 1
                return found
        made = stage(*given, **telling)
        self._keep(self.folder, stem, pickle.dumps(made, protocol=5))
        return made

    @staticmethod
    def _keep(folder: Path, stem: str, content: bytes) -> None:
        try:
            put(folder, stem, SUFFIX, content)
        except OSError as error:
            tell_once(f"what a bake has made is not kept: cannot write to '{folder}': {reason(error)}")
        else:
            bound(folder, MOST_BYTES)


NO_CACHE = Stages()
"""Does every stage."""


def bound(folder: Path, most: int) -> None:
    """Remove entries, those first that were not used for longest, until they take no more than `most` bytes.

    Others may write, read and remove entries at the same time: what has gone meanwhile is gone.
    """
    entries = []
    for path in folder.glob(f"*{SUFFIX}"):
        with suppress(OSError):
            status = path.stat()
            entries.append((status.st_mtime_ns, status.st_size, path))
    total = sum(size for _, size, _ in entries)
    for _, size, path in sorted(entries):
        if total <= most:
            break
        total -= size
        with suppress(OSError):
            path.unlink()


def decoded(content: bytes) -> Any:
    """The data of an entry.

    Raises:
        Exception: it is none, or has other things in it than our types, arrays and numbers.
    """
    return _Reader(io.BytesIO(content)).load()


class _Reader(pickle.Unpickler):
    """Takes our types and arrays and nothing else: no entry can call what is not a type of ours."""

    def find_class(self, module: str, name: str) -> Any:
        found = super().find_class(module, name)
        ours = isinstance(found, type) and found.__module__.partition(".")[0] in OURS
        array = module.partition(".")[0] == "numpy" and name in ARRAYS
        if ours or array or found in (np.ndarray, np.dtype, slice, frozenset):
            return found
        raise pickle.UnpicklingError(f"{module}.{name} is no data of ours")
