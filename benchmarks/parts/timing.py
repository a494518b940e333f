"""Interleaved repetitions: every candidate is timed once per round, so that all meet the same machine."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from statistics import median
from typing import TypeVar

Key = TypeVar("Key")


@dataclass(frozen=True)
class Timing:
    """Processor times of one candidate [us]."""

    median: float
    shortest: float
    repetitions: int


def interleaved(
    candidates: Mapping[Key, Callable[[], float]], repetitions: int, once: frozenset[Key] | None = None
) -> dict[Key, Timing]:
    """Time all candidates in rounds.

    Args:
        candidates: functions that return a time [us].
        repetitions: number of rounds.
        once: those which are timed in the first round only.
    """
    times: dict[Key, list[float]] = {key: [] for key in candidates}
    for k in range(repetitions):
        for key, time_once in candidates.items():
            if k == 0 or not once or key not in once:
                times[key].append(time_once())
    return {key: Timing(median(found), min(found), len(found)) for key, found in times.items()}
