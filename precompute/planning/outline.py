"""A mechanism without its numbers: names, kinds, references and choices, as a list of places and what stands there."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np

from precompute.measures.measure import Measure
from precompute.model.mechanism import Mechanism

Outline = tuple[tuple[str, str], ...]
"""Places, such as joints.crank.kind, and what stands there, in the order of the mechanism."""

UNTOLD = ("name", "description", "text", "units", "allow_unphysical_inertia", "source")
"""What has no part in a plan; the name of a part is in its place."""

CALLED = {"devices": "elements", "designs": "design"}
"""What a file calls other than we do."""


def outline(mechanism: Mechanism) -> Outline:
    """All of it but numbers; of these how many there are.  What it is called and told does not count."""
    return tuple(_places(mechanism, ""))


def _places(value: Any, at: str) -> Iterator[tuple[str, str]]:
    if isinstance(value, Measure):
        yield at, value.name
    elif is_dataclass(value):
        for field in fields(value):
            if field.name not in UNTOLD:
                called = CALLED.get(field.name, field.name)
                yield from _places(getattr(value, field.name), f"{at}.{called}".lstrip("."))
    elif isinstance(value, tuple):
        for number, item in enumerate(value):
            if isinstance(item, tuple) and len(item) == 2 and isinstance(item[0], str):  # a name and what it stands for
                yield from _places(item[1], f"{at}.{item[0]}")
            else:
                yield from _places(item, f"{at}.{getattr(item, 'name', number + 1)}")
    elif isinstance(value, np.ndarray):
        yield at, f"{' x '.join(map(str, value.shape))} numbers"
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield at, "a number"
    elif value is not None:
        yield at, str(value)


def differences(planned: Outline, found: Outline) -> list[str]:
    """What is gone, what is new and what is something else, in words."""
    old, new = dict(planned), dict(found)
    gone = [f"{place} is gone" for place in _only(old, new)]
    added = [f"{place} is new" for place in _only(new, old)]
    other = [f"{at} is {new[at]}, planned: {old[at]}" for at in old if at in new and old[at] != new[at]]
    if not gone + added + other and planned != found:
        return ["its parts come in another order"]
    return gone + added + other


def _only(here: dict[str, str], there: dict[str, str]) -> list[str]:
    """The largest parts that are here and not there."""
    known = {part for place in there for part in _prefixes(place)}
    missing = [place for place in here if place not in known]
    return list(dict.fromkeys(next(part for part in _prefixes(place) if part not in known) for place in missing))


def _prefixes(place: str) -> list[str]:
    words = place.split(".")
    return [".".join(words[: n + 1]) for n in range(len(words))]
