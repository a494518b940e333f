"""A mechanism file that is followed while it is edited, and the files that it names with it."""

from __future__ import annotations

import time
import tomllib
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from precompute.errors import PrecomputeError
from precompute.mechanism_file.point_file import file_of_points

LOOK = 0.2
"""[s] Between two looks at the files; a save that goes on for longer than this is waited for."""


class Followed:
    """A mechanism file and those that it names, as they are on the disk now."""

    def __init__(self, path: Path) -> None:
        """Raises PrecomputeError if there is no such file."""
        if not path.is_file():
            raise PrecomputeError(f"there is no file '{path}'")
        self.path = path
        self._read, self._named = "", ()  # type: str, tuple[Path, ...]

    @property
    def stamp(self) -> str:
        """Changes whenever one of the files does."""
        own = stamp_of(self.path)
        if own != self._read:
            self._read, self._named = own, named_files(self.path)
        return " ".join([own, *map(stamp_of, self._named)])

    def saves(self) -> Iterator[None]:
        """At once, and then each time that a file was saved; what is saved meanwhile comes next."""
        while True:
            seen = self.stamp
            yield
            while self.stamp == seen:
                time.sleep(LOOK)
            changing = ""
            while changing != self.stamp:  # editors write in pieces, or put another file in its place
                changing = self.stamp
                time.sleep(LOOK)


def named_files(path: Path) -> tuple[Path, ...]:
    """The files that a mechanism file takes something from; none of a file that cannot be read."""
    with suppress(OSError, ValueError, RecursionError):
        name = file_of_points(tomllib.loads(path.read_text(encoding="utf-8-sig")))
        return () if name is None else (path.parent / name,)
    return ()


def stamp_of(path: Path) -> str:
    """Changes whenever a file does."""
    try:
        found = path.stat()
        return f"{found.st_mtime_ns}-{found.st_ino}-{found.st_size}"
    except (OSError, ValueError):
        return "gone"
