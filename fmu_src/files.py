"""Files that are written whole or not at all, and folders for work that leave nothing behind.

A file is written as a draft beside its place and then renamed.  What a process that was killed has left, drafts and
work folders, is removed by the next one that writes at the same place.  A living process holds a lock on its own, which
ends with it whatever happens; where a file system has no locks only age tells.
"""

from __future__ import annotations

import errno
import os
import secrets
import shutil
import stat
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

if sys.platform == "win32":
    fcntl = None
else:
    import fcntl

DRAFT = ".kinetab-{}.part"
FOLDER = "kinetab-work-{}"

FORGOTTEN = 24 * 3600.0
"""[s] After this time drafts and work folders without a lock are taken for abandoned, where there are no locks."""

FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG} if hasattr(errno, "EDQUOT") else {errno.ENOSPC, errno.EFBIG}
"""Errors that say that there is no room, and not where."""

KINDS = {
    stat.S_ISDIR: "a directory",
    stat.S_ISFIFO: "a FIFO",
    stat.S_ISSOCK: "a socket",
    stat.S_ISCHR: "a device",
    stat.S_ISBLK: "a device",
}


def write_whole(path: str | Path, data: bytes) -> Path:
    """Write a file under a temporary name beside its own, then rename it; links and file modes are kept.

    Raises:
        OSError: it cannot be written, or is there and no regular file; what was there before is untouched.
    """
    target = file_behind(path)
    remove_abandoned(target.parent)
    draft, lock = _own(target.parent, DRAFT, lambda place: place.touch(exist_ok=False))
    try:
        with named(target), draft.open("wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        if target.exists():
            shutil.copymode(target, draft)
        os.replace(draft, file_behind(path))
    finally:
        draft.unlink(missing_ok=True)
        _release(lock)
    _sync_folder(target.parent)
    return Path(path)


def file_behind(path: str | Path) -> Path:
    """The place itself, behind all links: of a regular file, or of none yet.

    Raises:
        OSError: something else is there, which a file would replace.
    """
    try:
        target = Path(path).resolve()
        mode = target.stat().st_mode
    except FileNotFoundError:
        return target
    except RuntimeError:  # as Python before 3.13 calls it
        raise OSError(errno.ELOOP, "its links lead in a circle", str(path)) from None
    if not stat.S_ISREG(mode):
        kind = next((name for test, name in KINDS.items() if test(mode)), "something else")
        code = errno.EISDIR if stat.S_ISDIR(mode) else errno.EEXIST
        raise OSError(code, f"it is {kind}, not a file", str(path))
    return target


@contextmanager
def work_folder(parent: Path | None = None) -> Iterator[Path]:
    """A folder that is removed afterwards; in that for temporary files, which $TMPDIR names, or another.

    Raises:
        OSError: it cannot be made, or there is no room in it; then it names the folder that it is in.
    """
    parent = parent or Path(tempfile.gettempdir())
    remove_abandoned(parent)
    folder, lock = _own(parent, FOLDER, lambda place: place.mkdir(mode=0o700))
    try:
        with named(parent):
            yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        _release(lock)


@contextmanager
def named(path: Path) -> Iterator[None]:
    """Let an error for lack of room tell where: the system does not."""
    try:
        yield
    except OSError as error:
        if error.errno in FULL and error.filename is None:
            error.filename = str(path)
        raise


def reason(error: OSError, instead: str = "choose another place") -> str:
    """Why something cannot be written, and what to do about it."""
    why = error.strerror or str(error)
    return f"{why[:1].lower()}{why[1:]}; {'make room there or ' if error.errno in FULL else ''}{instead}"


def remove_abandoned(folder: Path) -> None:
    """Remove drafts and work folders of ours whose process has ended."""
    for pattern, is_kind in ((DRAFT, stat.S_ISREG), (FOLDER, stat.S_ISDIR)):
        for path in folder.glob(pattern.format("*")):
            with suppress(OSError):
                status = path.lstat()
                if is_kind(status.st_mode) and (fcntl is None or status.st_uid == os.geteuid()):
                    _remove_if_abandoned(path, status.st_mtime)


def _remove_if_abandoned(path: Path, changed: float) -> None:
    try:
        lock = _lock(path)
    except BlockingIOError:
        return
    except OSError:  # no locks here
        if time.time() - changed < FORGOTTEN:
            return
        lock = None
    try:
        shutil.rmtree(path) if path.is_dir() else path.unlink()
    finally:
        _release(lock)


def _own(folder: Path, pattern: str, make: Callable[[Path], None]) -> tuple[Path, int | None]:
    """A new file or folder with a lock on it; without, where there are none."""
    while True:
        path = folder / pattern.format(secrets.token_hex(8))
        make(path)
        try:
            return path, _lock(path)
        except (BlockingIOError, FileNotFoundError):  # another process took it for abandoned in this very moment
            continue
        except OSError:
            return path, None


def _lock(path: Path) -> int:
    """A lock on a file or folder, which ends with the process.

    Raises:
        BlockingIOError: another process has it.
        FileNotFoundError: it is gone.
        OSError: there are no locks here.
    """
    if fcntl is None:
        raise OSError(errno.ENOLCK, "no locks")
    handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if not os.path.samestat(os.fstat(handle), path.lstat()):
            raise FileNotFoundError(errno.ENOENT, "replaced", str(path))
    except BaseException:
        os.close(handle)
        raise
    return handle


def _release(lock: int | None) -> None:
    if lock is not None:
        os.close(lock)


def _sync_folder(folder: Path) -> None:
    """Let a rename outlast a power failure, where folders can be told to."""
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
