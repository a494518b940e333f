"""Problems of a mechanism file as texts for the user."""

from __future__ import annotations

from collections.abc import Mapping

from precompute.mechanism_file.schema.toml_text import Path

Problem = tuple[Path, str]
"""Place in the document, message."""


def told(problems: list[Problem], lines: Mapping[Path, int]) -> list[str]:
    """Each problem with its place, in the order of the file, none twice."""
    by_line = sorted(dict.fromkeys(problems), key=lambda problem: line_of(problem[0], lines))
    return [text_of(place, message, line_of(place, lines)) for place, message in by_line]


def line_of(place: Path, lines: Mapping[Path, int]) -> int:
    """Line of the place or of the nearest table around it; 0 if there is none."""
    return next((lines[place[:n]] for n in range(len(place), 0, -1) if place[:n] in lines), 0)


def text_of(place: Path, message: str, line: int) -> str:
    """The problem in one line: where, what."""
    path = "".join(f"[{part + 1}]" if isinstance(part, int) else f".{part}" for part in place).removeprefix(".")
    where = ", ".join(filter(None, [f"line {line}" if line else "", path]))
    return f"{where}: {message}" if where else message
