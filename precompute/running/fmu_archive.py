"""FMUs as archives of others: what is in them is looked at before any of it is unpacked or read."""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath

from fmu_src.build.compiling import ELSEWHERE
from fmu_src.files import FULL, file_behind, reason, work_folder
from precompute.errors import SimulationError
from precompute.files import other_kind

DESCRIPTION = "modelDescription.xml"

MOST_BYTES = 2 * 2**30
MOST_FILES = 100_000
MOST_DESCRIPTION = 256 * 2**20
"""[bytes] What an FMU may be unpacked, how many files it may have, and how long its model description may be."""


@contextmanager
def opened(path: Path) -> Iterator[zipfile.ZipFile]:
    """The archive of an FMU, with nothing in it that could harm.

    Raises:
        SimulationError: it is no FMU, is damaged, or has files that would lie outside its folder or fill the disk.
    """
    try:
        with file_behind(path).open("rb") as file:
            head = file.read(8)
        if kind := other_kind(path, head, wanted="fmu"):
            raise SimulationError(f"'{path}' {kind}")
        with zipfile.ZipFile(path) as archive:
            _check_entries(path, archive.infolist())
            yield archive
    except OSError as error:
        if error.errno in FULL:  # where it is unpacked to
            raise
        raise SimulationError(f"'{path}' cannot be read: {reason(error, 'name an FMU that can')}") from None
    except (zipfile.BadZipFile, zlib.error, NotImplementedError, EOFError) as error:
        raise SimulationError(f"'{path}' cannot be opened as an FMU ({error}); bake it again") from None


def _check_entries(path: Path, entries: list[zipfile.ZipInfo]) -> None:
    for entry in entries:
        name = entry.filename
        if name.startswith("/") or "\\" in name or ":" in name or ".." in PurePosixPath(name).parts:
            raise SimulationError(
                f"'{path}' holds a file '{name[:200]}', whose place is not inside the FMU; it is not unpacked. "
                "Take an FMU from where you trust it, or let its tool export it again"
            )
        if entry.flag_bits & 1:
            raise SimulationError(f"'{path}' is encrypted ('{name[:200]}'); decrypt it first")
    size = sum(entry.file_size for entry in entries)
    if len(entries) > MOST_FILES or size > MOST_BYTES:
        raise SimulationError(
            f"'{path}' holds {len(entries)} files of {size / 2**20:.0f} MiB; it is not unpacked, since no FMU should "
            f"have more than {MOST_FILES} files of {MOST_BYTES // 2**20} MiB"
        )
    described = [entry.file_size for entry in entries if entry.filename == DESCRIPTION]
    if not described:
        raise SimulationError(f"'{path}' is an archive without '{DESCRIPTION}', so it is no FMU; name the FMU")
    if max(described) > MOST_DESCRIPTION:
        raise SimulationError(
            f"'{path}' has a model description of {max(described) / 2**20:.0f} MiB; "
            f"more than {MOST_DESCRIPTION // 2**20} MiB are not read"
        )


@contextmanager
def unpacked(path: Path) -> Iterator[str]:
    """The FMU's content in a folder of its own, removed afterwards.

    Raises:
        SimulationError: it cannot be unpacked, or there is no room.
    """
    with work_folder() as folder:
        try:
            with opened(path) as archive:
                archive.extractall(folder)
        except OSError as error:
            raise SimulationError(
                f"cannot unpack '{path}' into '{folder.parent}': {reason(error, ELSEWHERE)}"
            ) from None
        yield str(folder)
