"""What to say beside a name that is not known."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches

MOST_NAMES = 40
"""More are not listed in a hint."""


def closest(name: str, known: Iterable[str]) -> str | None:
    """The known name that an unknown one may stand for; None if all are too far from it."""
    return next(iter(get_close_matches(name, sorted(known), n=1, cutoff=0.6)), None)


def nearest(name: str, known: Iterable[str]) -> str:
    """The hint that belongs to an unknown name: the nearest known one, or all of them if they are not too many."""
    known = sorted(known)
    if close := closest(name, known):
        return f"did you mean '{close}'?"
    more = f" and {len(known) - MOST_NAMES} more" if len(known) > MOST_NAMES else ""
    return f"known: {', '.join(known[:MOST_NAMES]) or 'none'}{more}"
