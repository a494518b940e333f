"""Running a C compiler."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from ..errors import BuildError, PlaceError

ERROR_LINES = 5
"""So many lines of a compiler's complaints are shown."""

LEAST_ROOM = 16 * 2**20
"""[bytes] If less is free where a compiler fails, that is likely to be why."""

ELSEWHERE = "let TMPDIR name another folder"

INSTALL = "install a C compiler (gcc or clang), or 'pip install kinetab[native]'"


@dataclass(frozen=True)
class Compiler:
    """A command that compiles C."""

    command: tuple[str, ...]
    identity: str  # changes when the compiler does


Running = set[subprocess.Popen[str]]
"""Compilers at work."""


def compile_all(tool: Compiler, sources: Sequence[Path], flags: Iterable[str]) -> list[Path]:
    """The object of each C file, beside it; files are compiled at the same time.

    Raises:
        BuildError: the compiler cannot be started or fails.
    """
    running: Running = set()
    flags = (*flags, "-c")
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        objects = [
            pool.submit(compile_c, tool, [file], file.with_suffix(".o"), flags, running=running) for file in sources
        ]
        try:
            return [each.result() for each in objects]
        except BaseException:  # an interrupt too: nobody waits for the others any more
            pool.shutdown(wait=False, cancel_futures=True)
            for process in tuple(running):
                process.kill()
            raise


def compile_c(
    tool: Compiler,
    files: Iterable[Path],
    target: Path,
    flags: Iterable[str],
    libraries: Iterable[str] = (),
    running: Running | None = None,
) -> Path:
    """Compile C files into one program or library.

    Args:
        tool: the compiler.
        files: sources or objects, in one folder.
        target: what is made.
        flags: come before the files.
        libraries: come behind them.
        running: where the compiler is while it works, for those who may want to end it.

    Raises:
        BuildError: the compiler cannot be started or fails.
    """
    files, folder = tuple(files), target.resolve().parent
    # Names without folders: the result must not depend on where the sources are.
    made = target.name if folder == files[0].resolve().parent else str(folder / target.name)
    command = (*tool.command, *flags, "-o", made, *(file.name for file in files), *libraries)
    own = dict.fromkeys(("TMPDIR", "TEMP", "TMP"), str(folder))  # a compiler that is killed leaves files there
    try:
        with subprocess.Popen(
            command,
            cwd=files[0].parent,
            env={**os.environ, **own},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
        ) as process:
            printed = _printed(process, set() if running is None else running)
    except OSError as error:
        raise BuildError(f"the C compiler {tool.command[0]} cannot be started: {error.strerror}; {INSTALL}") from None
    if process.returncode != 0 or not target.is_file():
        raise _failure(tool, printed or f"exit code {process.returncode}", folder)
    return target


def _printed(process: subprocess.Popen[str], running: Running) -> str:
    """What a compiler prints until it ends; it ends with those who wait for it."""
    running.add(process)
    try:
        return process.communicate()[0].strip()
    except BaseException:
        process.kill()
        raise
    finally:
        running.discard(process)


def _failure(tool: Compiler, printed: str, folder: Path) -> BuildError:
    """What to tell of a compiler that has failed in a folder."""
    said = [line for line in printed.splitlines() if line.strip()]
    first = next((i for i, line in enumerate(said) if "error" in line.lower()), 0)
    shown = "\n".join(said[first : first + ERROR_LINES])
    message = f"the C compiler {shlex.join(tool.command)} failed:\n{shown}"
    free = shutil.disk_usage(folder).free
    if free < LEAST_ROOM:
        return PlaceError(f"{message}\nOnly {free // 1024} KiB are free in '{folder}'; make room there or {ELSEWHERE}")
    return BuildError(message)
