"""Writing files so that a failure never leaves half a file or damages an existing one."""

from __future__ import annotations

import os
import shutil
from pathlib import Path


def write_whole(path: str | Path, data: bytes) -> Path:
    """Write a file under a temporary name beside its own, then rename it; links and file modes are kept.

    Raises:
        OSError: it cannot be written; what was there before is untouched.
    """
    target = Path(path).resolve()
    draft = target.with_name(f".{target.name}.{os.getpid()}.part")
    try:
        draft.write_bytes(data)
        if target.exists():
            shutil.copymode(target, draft)
        os.replace(draft, target)
    finally:
        draft.unlink(missing_ok=True)
    return Path(path)
