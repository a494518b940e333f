"""Writing files, with the error that a user of the command line reads."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from fmu_src.files import write_whole
from precompute.errors import PrecomputeError


def write_file(path: Path, content: bytes) -> None:
    """Write a whole file or none.

    Raises:
        PrecomputeError: the place cannot be written to.
    """
    try:
        write_whole(path, content)
    except OSError as error:
        raise PrecomputeError(f"cannot write '{path}': {(error.strerror or str(error)).lower()}") from None


def check_writable(path: Path, apart_from: Iterable[Path | None] = ()) -> None:
    """Find out before long work that its result could not be written, or would overwrite what it is made from.

    Raises:
        PrecomputeError: the folder does not exist, cannot be written to, or the name is taken.
    """
    if any(other is not None and other.resolve() == path.resolve() for other in apart_from):
        raise PrecomputeError(f"cannot write '{path}': this command reads or writes that file itself; choose another")
    folder = path.resolve().parent
    if path.is_dir():
        raise PrecomputeError(f"cannot write '{path}': it is a directory; name a file in it")
    if not folder.is_dir():
        raise PrecomputeError(f"cannot write '{path}': there is no directory '{folder}'; create it first")
    if not os.access(folder, os.W_OK) or (path.exists() and not os.access(path, os.W_OK)):
        raise PrecomputeError(f"cannot write '{path}': permission denied; choose another place")
