"""How far a long job is.

A stage tells what it does and which share of itself is done; whoever calls it knows where it lies in the whole job, and
gives it its part:

    first, second = stages(progress, [1.0, 3.0])     # the second takes about three times as long
    find(..., first)
    second("from the cache", 1.0)                    # a stage that need not be done is done at once
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import accumulate, pairwise

Progress = Callable[[str, float], None]
"""Called with what is being done, and how much of it is done, from 0 to 1."""


def unheard(what: str, share: float) -> None:
    """Progress that nobody wants to know."""


def part(whole: Progress, low: float, high: float) -> Progress:
    """The progress of what takes a job from one share of it to another."""

    def told(what: str, share: float) -> None:
        whole(what, low + (high - low) * share)

    return told


def stages(whole: Progress, weights: Sequence[float]) -> list[Progress]:
    """The progress of each of the stages of a job, one after the other, by estimates of how long they take."""
    total = sum(weights) or 1.0
    ends = [end / total for end in accumulate(weights, initial=0.0)]
    return [part(whole, low, high) for low, high in pairwise(ends)]
