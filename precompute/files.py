"""Files of the user: whether results can be written, and writing them, with the errors that a user reads."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from fmu_src.files import file_behind, reason, write_whole
from precompute.errors import PrecomputeError


def write_file(path: Path, content: bytes) -> None:
    """Write a whole file or none.

    Raises:
        PrecomputeError: the place cannot be written to.
    """
    try:
        write_whole(path, content)
    except OSError as error:
        raise PrecomputeError(f"cannot write '{path}': {reason(error)}") from None


def check_writable(path: Path, *suffixes: str, apart_from: Iterable[Path | None] = ()) -> None:
    """Find out before long work that its result could not be written, or would overwrite something else.

    Args:
        path: the result.
        suffixes: endings of names, such as ".fmu", that it may have; none allows any.
        apart_from: files that are read or written too.

    Raises:
        PrecomputeError: the name has another ending, is taken by what is not a file or by another file, or its folder
            does not exist or cannot be written to.
    """
    if any(other is not None and _same(other, path) for other in apart_from):
        raise PrecomputeError(f"cannot write '{path}': this command reads or writes that file itself; choose another")
    try:
        target = file_behind(path)
    except IsADirectoryError:
        raise PrecomputeError(f"cannot write '{path}': it is a directory; name a file in it") from None
    except OSError as error:
        raise PrecomputeError(f"cannot write '{path}': {reason(error)}") from None
    _check_suffix(path, suffixes)
    if not target.parent.is_dir():
        raise PrecomputeError(f"cannot write '{path}': there is no directory '{target.parent}'; create it first")
    if not os.access(target.parent, os.W_OK) or (target.exists() and not os.access(target, os.W_OK)):
        raise PrecomputeError(f"cannot write '{path}': permission denied; choose another place")


def check_folder(path: Path) -> None:
    """The same of a folder for results, which is made if there is none.

    Raises:
        PrecomputeError: there is something else, or nothing can be written there.
    """
    if path.exists() and not path.is_dir():
        raise PrecomputeError(f"cannot write to '{path}': it is no directory; choose another")
    if not path.absolute().parent.is_dir():
        raise PrecomputeError(f"cannot write to '{path}': there is no directory '{path.parent}'; create it first")
    if not os.access(path if path.exists() else path.absolute().parent, os.W_OK):
        raise PrecomputeError(f"cannot write to '{path}': permission denied; choose another place")


def _same(one: Path, other: Path) -> bool:
    try:
        return one.resolve() == other.resolve() or os.path.samefile(one, other)
    except (OSError, RuntimeError):  # not there, or links in a circle
        return False


def _check_suffix(path: Path, suffixes: tuple[str, ...]) -> None:
    """Names that say something else are slips: a table over a program, an FMU that no tool takes for one."""
    if suffixes and path.suffix.lower() not in suffixes:
        other = path.suffix[1:].isalpha()  # and not the end of a number, as in v1.2
        example = path.with_suffix(suffixes[0]) if other else path.with_name(path.name + suffixes[0])
        raise PrecomputeError(
            f"cannot write '{path}': its name must end in {' or '.join(suffixes)}, as '{example}' does"
        )


KINDS = {
    "fmu": "is an FMU; 'kinetab info {file}' tells what it is, 'kinetab run {file}' runs it",
    "mechanism": "is a mechanism file; 'kinetab check {file}' tells what is in it, 'kinetab bake {file} -o {stem}.fmu' "
    "makes its FMU",
    "table": "is a table; 'kinetab run FILE.fmu --input {file}' takes it as inputs over time",
    "model": "is the model file from inside an FMU; name the FMU",
}
"""What files are, and which command takes them."""


def other_kind(path: Path, head: bytes, wanted: str) -> str:
    """What a file is that was taken for one of another kind, and the right command; empty if it may be what is wanted.

    Args:
        path: the file.
        head: its first bytes.
        wanted: one of `KINDS`.
    """
    if head.startswith((b"PK\3\4", b"PK\5\6")):
        kind = "fmu"
    elif head.startswith(b"KINETAB\0"):
        kind = "model"
    else:
        kind = {".toml": "mechanism", ".csv": "table"}.get(path.suffix.lower(), wanted)
    return "" if kind == wanted else KINDS[kind].format(file=path, stem=path.stem)
