"""Points in a file of their own, name,x,y,z in each row: the rows become points of the document.

The file is named by `points = "hardpoints.csv"`, or beside other points by `file = "hardpoints.csv"` in the table, from
the folder of the mechanism file.  Commas, semicolons or tabs separate; a header, empty rows and what begins with # are
passed over.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from precompute.mechanism_file.bounds import MOST_BYTES, MOST_ENTRIES
from precompute.mechanism_file.schema.checks import Faults, Scope, check_name, check_number, shown
from precompute.mechanism_file.telling import Problem

HEADER = ["name", "x", "y", "z"]


def file_of_points(document: dict[str, Any]) -> str | None:
    """The file that a document takes points from; None if it has them all."""
    points = document.get("points")
    named = points.get("file") if isinstance(points, dict) else points
    return named if isinstance(named, str) else None


def with_points(document: dict[str, Any], folder: Path | None, problems: list[Problem]) -> dict[str, Any]:
    """The document with the points of its file among its own; as it is if it has none.

    Args:
        document: as TOML or JSON gives it.
        folder: of the mechanism file; None of a text without one, which can take nothing from files.
        problems: gets what is wrong with the file, each with the line.
    """
    name = file_of_points(document)
    if name is None:
        return document
    points = document["points"]
    own = {key: value for key, value in points.items() if key != "file"} if isinstance(points, dict) else {}
    place = ("points", "file") if isinstance(points, dict) else ("points",)
    read: dict[str, list[float]] = {}
    lines: dict[str, int] = {}
    for line, told in _rows(name, folder):
        if isinstance(told, str):
            problems.append((place, told))
            continue
        point, position = told
        if point in lines or point in own:
            also = f"line {lines[point]}" if point in lines else "the mechanism file"
            problems.append((place, f"{name}, line {line}: the point '{point}' is also in {also}; keep one of them"))
        lines[point] = line
        read[point] = position
    return {**document, "points": read | own}


def _rows(name: str, folder: Path | None) -> Iterator[tuple[int, tuple[str, list[float]] | str]]:
    """Line and point, or what is wrong."""
    if folder is None:
        yield 0, f"is the file '{name}', but a text is in no folder; load the mechanism from a file, or write [points]"
        return
    try:
        with (folder / name).open("rb") as file:
            text = file.read(MOST_BYTES + 1).decode("utf-8-sig")
    except UnicodeDecodeError:
        yield 0, f"'{name}' is not UTF-8 text; export it as CSV"
        return
    except (OSError, ValueError) as error:
        missing = isinstance(error, FileNotFoundError)
        reason = "there is no such file" if missing else (getattr(error, "strerror", None) or str(error)).lower()
        beside = sorted(path.name for path in folder.glob("*.csv"))
        yield (
            0,
            f"'{name}' cannot be read: {reason}; {'there is ' + ', '.join(beside[:9]) if beside else 'no .csv'} beside",
        )
        return
    lines = text.splitlines()
    told = [
        (number, line) for number, line in enumerate(lines, 1) if line.strip() and not line.lstrip().startswith("#")
    ]
    if len(told) > MOST_ENTRIES or len(text) > MOST_BYTES:
        yield 0, f"'{name}' has {len(told)} rows; at most {MOST_ENTRIES} are taken"
        return
    separator = next((mark for mark in ";\t" if told and mark in told[0][1]), ",")
    for number, line in told:
        cells = [cell.strip() for cell in next(csv.reader([line], delimiter=separator))]
        if number == told[0][0] and [cell.casefold() for cell in cells] == HEADER:
            continue
        try:
            yield number, _point(cells)
        except Faults as faults:
            yield number, f"{name}, line {number}: {faults}"


def _point(cells: list[str]) -> tuple[str, list[float]]:
    """Name and position."""
    while len(cells) > 4 and not cells[-1]:
        cells.pop()
    if len(cells) != 4:
        raise Faults(((), f"has {len(cells)} cells, {shown(cells)}; a row is name,x,y,z"))
    name = check_name(cells[0], Scope())
    return name, [_number(axis, cell) for axis, cell in zip("xyz", cells[1:], strict=True)]


def _number(axis: str, cell: str) -> float:
    try:
        return check_number(float(cell), Scope())
    except ValueError:
        hint = "; decimals take a point" if "," in cell else ""
        raise Faults(((), f"{axis} is {shown(cell) if cell else 'empty'}; it must be a number{hint}")) from None
    except Faults as faults:
        raise Faults(((), f"{axis} {faults}")) from None
