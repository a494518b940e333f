"""Problems of a mechanism file as texts for the user."""

from __future__ import annotations

from precompute.mechanism_file.schema.toml_text import Path, TextPlaces

Problem = tuple[Path, str]
"""Place in the document, message."""


class Column(int):
    """At the end of a place that is a text: the column in it, from 1."""


def told(problems: list[Problem], places: TextPlaces | None) -> list[str]:
    """Each problem with its place, in the order of the file, none twice."""
    by_place = sorted(dict.fromkeys(problems), key=lambda problem: position(problem[0], places))
    return [text_of(place, message, places) for place, message in by_place]


def position(place: Path, places: TextPlaces | None) -> tuple[int, int]:
    """Line of the place or of the nearest table around it, 0 if there is none; and the column, 0 if it is not told."""
    if places is None:
        return 0, 0
    if place and isinstance(place[-1], Column) and (inside := places.inside(place[:-1], place[-1])):
        return inside
    return next((places.lines[place[:n]] for n in range(len(place), 0, -1) if place[:n] in places.lines), 0), 0


def text_of(place: Path, message: str, places: TextPlaces | None) -> str:
    """The problem in one line: where, what."""
    line, column = position(place, places)
    keys = [part for part in place if not isinstance(part, Column)]
    path = "".join(f"[{part + 1}]" if isinstance(part, int) else f".{part}" for part in keys).removeprefix(".")
    where = [f"line {line}" if line else "", f"column {column}" if column else "", path]
    if len(keys) < len(place) and not column:
        message += f" (at column {place[-1]} of the formula)"
    told = ", ".join(filter(None, where[:2]))
    told = f"{told}: {path}" if column else ", ".join(filter(None, (told, path)))
    return f"{told}: {message}" if told else message


def with_line(problem: str, places: TextPlaces) -> str:
    """A problem that begins with its place, with the line of it or of the table of its part; others as they are."""
    keys = tuple(problem.partition(": ")[0].split("."))
    line = next((places.lines[keys[:n]] for n in range(len(keys), 1, -1) if keys[:n] in places.lines), 0)
    return f"line {line}, {problem}" if line else problem
