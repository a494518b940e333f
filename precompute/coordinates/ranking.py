"""Sets of coordinates in order, the one to take first, with the reason in plain words.

    score = sqrt(worst ||B|| * worst condition / smallest worst condition of all sets)      (1)

where a set that meets a dead centre counts MAX_AMPLIFICATION over the share of the motion that it serves as its ||B||.

The answer must satisfy:
  1. without preference a set that serves the whole sampled motion comes before one that meets a dead centre, and among
     equals the smaller score comes first: that is the best;
  2. what an engineer would choose (`Candidate.rank`, summed over the set) comes before the best while its score is at
     most PREFERENCE times the best's and it serves at least SERVES of what the best serves;
  3. of those that are preferred alike, and whose scores are within TIE of the best of them, the first in the file is
     taken: a pitman arm rather than the idler arm that moves with it.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite

from precompute.coordinates.exploration import Path

PREFERENCE = 3.0
"""What an engineer would choose is taken while its score is within this factor of the best."""

SERVES = 0.75
"""And while it serves at least this share of the sampled motion that the best serves."""

TIE = 1.1
"""Scores within this factor count as equal."""


@dataclass(frozen=True)
class Ranked:
    """A set of coordinates and how it does over the sampled motion."""

    labels: tuple[str, ...]
    amplification: float  # worst ||B||; infinite if it meets a dead centre
    condition: float  # worst where it serves
    weight: tuple[float, float]  # smallest and largest 1/||B||
    coverage: float  # share of the sampled motion that it serves, from design to its first dead centre
    score: float  # (1), small is good; infinite if it is singular at design
    rank: int  # what an engineer would choose first has the smallest
    why: str  # why an engineer would choose it, or ""

    @property
    def label(self) -> str:
        """The set in one word."""
        return " + ".join(self.labels)


def best_of(ranking: tuple[Ranked, ...]) -> Ranked:
    """The first without preference."""
    return min(ranking, key=without_preference)


def without_preference(r: Ranked) -> tuple[bool, float]:
    """Sorts sets that serve all before others, then by score."""
    return not isfinite(r.amplification), r.score


def preferred_order(ranking: list[Ranked]) -> list[int]:
    """Positions of the sets, given in the order of the file, by the three rules."""
    best = best_of(tuple(ranking))

    def key(i: int) -> tuple[bool, int, bool, float]:
        r = ranking[i]
        near = acceptable(r.score, r.coverage, best.score, best.coverage)
        return not near, r.rank if near else 0, *without_preference(r)

    order = sorted(range(len(ranking)), key=key)
    top = key(order[0])
    tied = [i for i in order if key(i)[:3] == top[:3] and ranking[i].score <= TIE * top[3]]
    return sorted(order, key=lambda i: i != min(tied))


def acceptable(score: float, coverage: float, best_score: float, best_coverage: float) -> bool:
    """Whether a set is near enough to the best for a preference to count."""
    return score <= PREFERENCE * best_score and coverage >= SERVES * best_coverage


def reason(ranking: tuple[Ranked, ...], paths: tuple[Path, ...]) -> str:
    """Why the first one was chosen, in plain words."""
    first, best = ranking[0], best_of(ranking)
    ends = ", ".join(dict.fromkeys(p.end for p in paths))
    whole = f"over the whole motion from design ({sum(len(p.s) for p in paths)} positions, {ends})"
    if isfinite(first.amplification):
        text = f"errors grow at most {first.amplification:.3g} times {whole}"
    else:
        text = f"serves {100 * first.coverage:.0f} % of the motion from design before a dead centre ({ends})"
    if first.why:
        text += f"; preferred, as {first.why}"
    if first is not best:
        text += (
            f", to {best.label}: its score is {first.score / best.score:.2g} times worse, {PREFERENCE:g} is accepted"
        )
    return f"chosen automatically: {text}"


def table(ranking: tuple[Ranked, ...], rows: int, chosen: tuple[str, ...] = ()) -> tuple[str, ...]:
    """The ranking as lines: the first rows, and the chosen set wherever it is, marked with a star."""
    shown = [r for i, r in enumerate(ranking) if (i < rows and isfinite(r.score)) or set(r.labels) == set(chosen)]
    width = max((len(r.label) for r in shown), default=0) + 2
    head = f"  {'':{width}}{'worst ||B||':>12}{'worst condition':>17}{'weight':>15}{'serves':>9}{'score':>8}"
    lines = [
        f"{'*' if set(r.labels) == set(chosen) else ' '} {r.label:{width}}"
        f"{f'{r.amplification:.3g}' if isfinite(r.amplification) else 'dead centre':>12}"
        f"{r.condition:>17.3g}{f'{r.weight[0]:.3f}-{r.weight[1]:.3f}':>15}{100 * r.coverage:>7.0f} %{r.score:>8.3g}"
        for r in shown
    ]
    return (head, *lines)
