"""A study from beginning to end, and as users ask for it in Python."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from concurrent.futures import Executor
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from pathlib import Path
from typing import Any

from precompute.files import check_writable
from precompute.model.mechanism import Mechanism
from precompute.study.running import Parts, Progress, Start, by_workers, here, processes, running
from precompute.study.sampling import Sampler
from precompute.study.study import Study
from precompute.study.summary import Summary, summary
from precompute.study.tolerances import read_tolerances, tolerances
from precompute.study.writing import ENDINGS, check_ending, write_result

Told = Callable[[int, int], AbstractContextManager[Progress]]
"""Parts that are done at the beginning, of how many -> what is told of the others."""


def completed(made: Study, output: Path, start: Start | None, workers: int, told: Told) -> Summary:
    """A study carried out, or what is missing of it; its designs are in the file then.

    Args:
        made: the study.
        output: of its designs.
        start: gives an executor; None computes it here.
        workers: how many the executor has.
        told: progress.
    """
    made.engines  # noqa: B018  a mistake is told before there is a folder
    parts = Parts.beside(output, made)
    with told(made.chunks - len(parts.missing()), made.chunks) as progress:
        if start is None:
            here(parts, progress)
        else:
            by_workers(parts, start, workers, progress)
    found = summary(parts)
    write_result(parts, output)
    parts.remove()
    return found


def study(
    mechanism: Mechanism,
    given: Mapping[str, Any] | str | Path,
    output: str | Path,
    *,
    samples: int = 1000,
    sampler: Sampler = "montecarlo",
    seed: int = 0,
    workers: int | None = None,
    executor: Executor | None = None,
    progress: Progress | None = None,
) -> Summary:
    """What tolerances of design variables do to metrics of an axle, in many designs.

    Args:
        mechanism: with [wheels].
        given: a file with [tolerances] and [[curves]], or what would be in it.
        output: all designs, a row each: .csv or .parquet.  What the folder beside it that ends in .parts has of the
            same study is not computed again.
        samples: designs.
        sampler: "montecarlo", "sobol" for points that fill the space more evenly, or "saltelli" for rows of these
            that give Sobol indices: (variables + 2) designs times the largest power of two within `samples`.
        seed: the same gives the same numbers.
        workers: processes on this machine; of an executor, how many it has.
        executor: computes it, as one of `concurrent.futures` or of Dask.
        progress: is told how many parts are done, and of how many.

    Returns:
        `.bands` of each column, in the units that people quote, `.failures` by number of the design.

    Raises:
        PrecomputeError: a name is unknown, a number is none, or the mechanism itself cannot be led through a case.
    """
    path = Path(output)
    check_writable(path, *ENDINGS)
    check_ending(path)
    own = tolerances(given, mechanism) if isinstance(given, Mapping) else read_tolerances(Path(given), mechanism)
    made = Study(mechanism, own, samples, sampler, seed)
    start: Start | None = None if workers is None else partial(processes, workers)
    if executor is not None:
        start = running(executor)
    tell = progress or (lambda done, of: None)
    return completed(made, path, start, workers or os.cpu_count() or 1, lambda done, of: nullcontext(tell))
