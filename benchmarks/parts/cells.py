"""Tables and numbers in Markdown."""

from __future__ import annotations

import math
from collections.abc import Iterable


def table(names: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """A table in Markdown."""
    names = list(names)
    lines = [names, ["---"] * len(names), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def digits(number: float) -> str:
    """A number with three digits."""
    if not math.isfinite(number):
        return "unstable"
    places = 2 - math.floor(math.log10(abs(number))) if number else 2
    return f"{number:.{max(0, places)}f}"


def small(error: float) -> str:
    """An error."""
    return f"{error:.1e}" if math.isfinite(error) else "unstable"


def times(ratio: float) -> str:
    """A ratio."""
    return "not measured" if not math.isfinite(ratio) else f"{ratio:.0f} x" if ratio >= 10 else f"{ratio:.1f} x"


def yes(met: bool) -> str:
    """In words."""
    return "yes" if met else "no"
