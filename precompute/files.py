"""Writing files so that a failure never leaves half a file or damages an existing one."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from precompute.errors import PrecomputeError


def write_atomically(path: Path, content: bytes) -> None:
    """Write to a temporary name in the same directory, then rename.

    Raises:
        PrecomputeError: the place cannot be written to.
    """
    path = Path(path)
    try:
        handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=".tmp")
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(content)
            os.chmod(temporary, 0o644)
            os.replace(temporary, path)
        except BaseException:
            Path(temporary).unlink(missing_ok=True)
            raise
    except OSError as error:
        raise PrecomputeError(f"cannot write '{path}': {(error.strerror or str(error)).lower()}") from None
