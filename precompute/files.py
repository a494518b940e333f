"""Writing files, with the error that a user of the command line reads."""

from __future__ import annotations

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
