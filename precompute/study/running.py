"""A study carried out: chunk after chunk, here or by workers; what is done stays on disk until all is.

Finished chunks are files of their own in the folder NAME.parts, each written whole or not at all, so that a study
that was stopped, by whatever, goes on where it was.  Workers get the study as it is pickled, and prepare it once.
"""

from __future__ import annotations

import json
import os
import pickle
import shutil
import signal
import threading
from collections.abc import Callable, Generator, Iterator, Mapping
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Executor, Future, ProcessPoolExecutor, wait
from contextlib import AbstractContextManager, closing, contextmanager, nullcontext, suppress
from dataclasses import dataclass
from functools import lru_cache
from multiprocessing import get_context
from multiprocessing.connection import Connection
from pathlib import Path

import numpy as np

from precompute.arrays import Array
from precompute.errors import PrecomputeError
from precompute.files import check_folder, write_file
from precompute.study.study import Study

AHEAD = 2
"""Chunks that wait for each worker: no more are in memory."""

RESTARTS = 3
"""Workers that may die, one after the other, before anything more is done."""

Progress = Callable[[int, int], None]
"""Told how many parts are done, and of how many."""

Start = Callable[[], AbstractContextManager[Executor]]


@dataclass(frozen=True)
class Parts:
    """The folder of a study's finished chunks."""

    folder: Path
    study: Study

    @classmethod
    def beside(cls, result: Path, study: Study) -> Parts:
        """Of a result; what is there of the same study stays.

        Raises:
            PrecomputeError: there are parts of another study, or nothing can be written there.
        """
        folder = result.with_name(f"{result.name}.parts")
        check_folder(folder)
        key = folder / "study"
        if key.exists() and key.read_text(encoding="utf-8") != study.key:
            raise PrecomputeError(
                f"'{folder}' has parts of another study (of another mechanism, other tolerances, samples, seed or "
                "version); finish that one, name another result or remove the folder"
            )
        folder.mkdir(exist_ok=True)
        write_file(key, study.key.encode())
        return cls(folder, study)

    def path(self, chunk: int) -> Path:
        """Where a chunk is."""
        return self.folder / f"{chunk:07d}.npz"

    def missing(self) -> list[int]:
        """Chunks that are not done."""
        return [chunk for chunk in range(self.study.chunks) if not self.path(chunk).exists()]

    def column(self, name: str) -> Array:
        """(samples, ...) of all chunks."""
        return np.concatenate([part[name] for part in self.chunks()])

    def chunks(self) -> Iterator[Mapping[str, Array]]:
        """One after the other, as `Chunk.packed` writes them."""
        for number in range(self.study.chunks):
            with np.load(self.path(number)) as part:
                yield part

    def failures(self) -> dict[int, str]:
        """Number of a design -> why."""
        found = dict[int, str]()
        for number, part in enumerate(self.chunks()):
            told = json.loads(part["failures"].tobytes())
            found |= {number * self.study.chunk_size + int(k): text for k, text in told.items()}
        return found

    def remove(self) -> None:
        """When all of it is in the result."""
        shutil.rmtree(self.folder)


def here(parts: Parts, progress: Progress) -> None:
    """All that is missing, one chunk after the other."""
    for number in parts.missing():
        write_file(parts.path(number), parts.study.chunk(number).packed())
        told(parts, progress)


def by_workers(parts: Parts, start: Start, workers: int, progress: Progress) -> None:
    """All that is missing, by the workers of an executor; a new one is started where they die.

    Args:
        parts: of the study.
        start: gives the executor, and ends it.
        workers: how many it has.
        progress: is told.

    Raises:
        PrecomputeError: workers die and nothing gets done.
    """
    given, deaths, left = pickle.dumps(parts.study), 0, parts.missing()
    while left:
        try:
            with start() as executor, closing(finished(executor, given, left, AHEAD * workers)) as found:
                for number, packed in found:
                    write_file(parts.path(number), packed)
                    told(parts, progress)
                    deaths = 0
        except BrokenExecutor:
            deaths += 1
            if deaths > RESTARTS:
                raise PrecomputeError(
                    f"workers ended {deaths} times before they had done anything, perhaps for want of memory; "
                    f"'{parts.folder}' has what is done: try again with fewer workers"
                ) from None
        left = parts.missing()


def finished(
    executor: Executor, given: bytes, numbers: list[int], ahead: int
) -> Generator[tuple[int, bytes], None, None]:
    """Chunks as they get done."""
    queue, going = iter(numbers), dict[Future[bytes], int]()
    try:
        while True:
            for number in queue:
                going[executor.submit(work, given, number)] = number
                if len(going) >= ahead:
                    break
            if not going:
                return
            for future in wait(going, return_when=FIRST_COMPLETED).done:
                yield going.pop(future), future.result()
    finally:
        for future in going:
            future.cancel()


def told(parts: Parts, progress: Progress) -> None:
    """How much is done."""
    progress(parts.study.chunks - len(parts.missing()), parts.study.chunks)


# -- in a worker ------------------------------------------------------------------------------------------------------


def work(given: bytes, number: int) -> bytes:
    """A chunk of a pickled study."""
    return unpickled(given).chunk(number).packed()


@lru_cache(maxsize=2)
def unpickled(given: bytes) -> Study:
    """A study that is prepared once."""
    study: Study = pickle.loads(given)
    return study


def running(executor: Executor) -> Start:
    """An executor that others have started, and end."""
    return lambda: nullcontext(executor)


@contextmanager
def processes(workers: int) -> Iterator[Executor]:
    """Workers on this machine; where anything goes wrong, they leave what they are at."""
    context = get_context("spawn")
    told, tell = context.Pipe(duplex=False)
    with tell, told, ProcessPoolExecutor(workers, context, initializer=until_closed, initargs=(told,)) as executor:
        try:
            yield executor
        except BaseException:
            tell.close()
            raise


def until_closed(told: Connection) -> None:
    """A worker leaves interrupts to its parent, and ends when that closes the pipe or ends itself, however it does."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)

    def watch() -> None:
        with suppress(EOFError, OSError):
            told.recv()
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()
