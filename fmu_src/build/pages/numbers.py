"""Numbers in SI with the same in the units of the file below them."""

from __future__ import annotations

from ...model.units import DisplayUnit
from .html import Html


def doubled(own: str, told: str) -> Html:
    """What is in SI, and below it what is in the unit of the file."""
    return Html(f"{own}<small>{told}</small>" if told else own)


def unit(name: str, told: DisplayUnit) -> Html:
    """The name of a unit; one that is as large is no other unit."""
    return doubled(spelled(name), spelled(told.name) if other(told) else "")


def value(x: float | None, told: DisplayUnit) -> Html:
    """A number."""
    return Html("") if x is None else doubled(short(x), short(told.factor * x) if other(told) else "")


def ends(lower: float | None, upper: float | None, told: DisplayUnit) -> Html:
    """A range, which may be open on either side."""
    if lower is None and upper is None:
        return Html("")
    return doubled(between(lower, upper, 1.0), between(lower, upper, told.factor) if other(told) else "")


def between(lower: float | None, upper: float | None, factor: float) -> str:
    """The same in one unit."""
    low, high = (None if x is None else short(factor * x) for x in (lower, upper))
    if low is None or high is None:
        return f"≥ {low}" if high is None else f"≤ {high}"
    return f"{low} … {high}"


def short(x: float) -> str:
    """With six digits, and no minus before a zero."""
    return f"{x + 0.0:.6g}"


def spelled(name: str) -> str:
    """A unit as people write it: with a space between factors; "1" has no name."""
    return "" if name == "1" else name.replace(".", " ")


def other(told: DisplayUnit) -> bool:
    """Whether it is another unit than that of SI."""
    return told.factor != 1.0
