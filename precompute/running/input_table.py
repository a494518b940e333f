"""Inputs over time from a CSV file, as spreadsheets of any country write it; all problems at once, with places."""

from __future__ import annotations

import csv
import io
import math
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from precompute.files import other_kind
from precompute.model.mechanism import nearest
from precompute.running.simulation import SimulationError, read_description, real_variables

SEPARATORS = {";": "semicolons", "\t": "tabs", ",": "commas"}
"""Of columns; no name of an input holds one of them."""

NUMBER = re.compile(r"[+-]?(\d+[.,]?\d*|[.,]\d+)(e[+-]?\d+)?", re.IGNORECASE)
THOUSANDS = re.compile(r"[+-]?\d{1,3}([., '\u00a0\u202f]\d{3})+([.,]\d*)?")
MOST_PROBLEMS = 10


def read_inputs(path: Path, fmu: Path) -> NDArray[Any]:
    """A structured array of a CSV file: a column `time` and one per input, first row the names.

    Columns are separated by commas, semicolons or tabs.  Where commas do not separate them, numbers may have decimal
    commas; then all have.

    Raises:
        SimulationError: it cannot be read; names line and column of each problem.
    """
    known = real_variables(read_description(fmu), "input")
    return read_columns(path, lambda table: unknown_problems(table, f"input of {fmu.name}", list(known)))


def read_columns(path: Path, problems_of: Callable[[Table], Iterable[str]]) -> NDArray[Any]:
    """The same of columns of any kind; `problems_of` says what is wrong with their names."""
    table = read_table(path)
    problems = [*time_problems(table)] or [*problems_of(table), *head_problems(table)] or [*row_problems(table)]
    if problems:
        raise SimulationError(told(path, problems))
    data = np.empty(len(table.rows), dtype=[(name, float) for name in table.names])
    for i, row in enumerate(table.rows):
        data[i] = tuple(number(cell) for cell in row.cells)
    return data


def told(path: Path, problems: Sequence[str]) -> str:
    """One problem in a line, several in one each."""
    if len(problems) == 1:
        return f"'{path}', {problems[0]}"
    more = len(problems) - MOST_PROBLEMS
    lines = [*problems[:MOST_PROBLEMS], *([f"and {more} more"] if more > 0 else [])]
    return "\n  ".join([f"'{path}' has {len(problems)} problems:", *lines])


@dataclass(frozen=True)
class Row:
    """A line of the file."""

    line: int
    cells: tuple[str, ...]


@dataclass(frozen=True)
class Table:
    """The file as text."""

    separator: str
    names: tuple[str, ...]
    rows: tuple[Row, ...]

    def place(self, row: Row, column: int) -> str:
        """Where a cell stands."""
        return f"line {row.line}, column {column + 1} ({self.names[column]})"


def read_table(path: Path) -> Table:
    """The cells of the file, without empty lines, and without empty cells at the end of lines that have no name."""
    try:
        data = path.read_bytes()
        if kind := other_kind(path, data, wanted="table"):
            raise SimulationError(f"'{path}' {kind}")
        text = data.decode("utf-8-sig")  # spreadsheets put a byte order mark first
        head = next((line for line in text.splitlines() if line.strip()), "")
        separator = next((s for s in SEPARATORS if s in head), ",")
        reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator)
        rows = [Row(reader.line_num, tuple(cell.strip() for cell in cells)) for cells in reader]
    except UnicodeDecodeError:
        raise SimulationError(f"'{path}' cannot be read: it is no text in UTF-8; save it as 'CSV UTF-8'") from None
    except (OSError, csv.Error) as error:
        raise SimulationError(f"'{path}' cannot be read: {getattr(error, 'strerror', None) or error}") from None
    rows = [row for row in rows if any(row.cells)]
    names = trimmed(rows[0].cells, 0) if rows else ()
    return Table(separator, names, tuple(Row(row.line, trimmed(row.cells, len(names))) for row in rows[1:]))


def trimmed(cells: tuple[str, ...], least: int) -> tuple[str, ...]:
    """Without empty cells at the end, down to a number of cells."""
    while len(cells) > least and not cells[-1]:
        cells = cells[:-1]
    return cells


def time_problems(table: Table) -> Iterator[str]:
    """A first row that does not begin with the time."""
    if not table.names or table.names[0] != "time":
        found = f"; it begins with '{table.names[0][:40]}'" if table.names else "; there is none"
        yield f"line 1: the first row must be names, beginning with 'time'{found}"


def head_problems(table: Table) -> Iterator[str]:
    """Names that stand twice, and names without numbers."""
    for i, name in enumerate(table.names[1:], 2):
        if name in table.names[: i - 1]:
            yield f"line 1, column {i}: the name '{name}' stands twice in the first row"
    if not table.rows:
        yield "line 2: there are names, but no row of numbers"


def unknown_problems(table: Table, what: str, known: Sequence[str]) -> Iterator[str]:
    """Names that are not known: `what` they should be of."""
    for i, name in enumerate(table.names[1:], 2):
        if name not in known and name not in table.names[: i - 1]:
            yield f"line 1, column {i}: '{name}' is no {what}; {nearest(name, known)}"


def row_problems(table: Table) -> Iterator[str]:
    """Of the numbers."""
    broken = False
    for row in table.rows:
        if len(row.cells) != len(table.names):
            broken = True
            yield shape_problem(table, row)
            continue
        for column, cell in enumerate(row.cells):
            if problem := cell_problem(table, cell):
                broken = True
                yield f"{table.place(row, column)}: {problem}"
    if not broken:
        yield from mark_problems(table)
        yield from order_problems(table)


def shape_problem(table: Table, row: Row) -> str:
    """A row with too few or too many cells."""
    expected, found = len(table.names), len(row.cells)
    text = f"line {row.line}: expected {expected} numbers separated by {SEPARATORS[table.separator]}, found {found}"
    if table.separator == "," and found == 2 * expected:
        return f"{text}; are these decimal commas? Then separate the columns by semicolons, or write points"
    if found < expected:
        return f"{text}; column {found + 1} ({table.names[found]}) is missing"
    return f"{text}: {table.separator.join(row.cells)[:60]}"


def cell_problem(table: Table, cell: str) -> str:
    """What is wrong with a number by itself."""
    if NUMBER.fullmatch(cell):
        if "," in cell and table.separator == ",":
            return f"'{cell}' has a comma, which separates columns; separate these by semicolons, or write a point"
        return "" if math.isfinite(number(cell)) else f"'{cell}' is not finite"
    if not cell:
        return "there is no number"
    if THOUSANDS.fullmatch(cell):
        return f"'{cell}' has separators of thousands; leave them out"
    if re.fullmatch(r"[+-]?(nan|inf|infinity)", cell, re.IGNORECASE):
        return f"'{cell}' is not finite"
    return f"'{cell[:40]}' is no number"


def mark_problems(table: Table) -> Iterator[str]:
    """Decimal points and commas in one file: then one of them may separate thousands, and nobody can tell."""
    cells = [(row, i) for row in table.rows for i in range(len(row.cells))]
    point = next(((row, i) for row, i in cells if "." in row.cells[i]), None)
    comma = next(((row, i) for row, i in cells if "," in row.cells[i]), None)
    if point and comma:
        (a, i), (b, j) = comma, point
        yield (
            f"{table.place(a, i)}: '{a.cells[i]}' has a comma, but '{b.cells[j]}' in {table.place(b, j)} a point; "
            "write all numbers in one way, without separators of thousands"
        )


def order_problems(table: Table) -> Iterator[str]:
    """Times that go back."""
    for before, row in zip(table.rows, table.rows[1:], strict=False):
        if number(row.cells[0]) < number(before.cells[0]):
            yield f"{table.place(row, 0)}: {row.cells[0]} follows {before.cells[0]}; it needs ascending time"


def number(cell: str) -> float:
    """A number with a decimal point or comma."""
    return float(cell.replace(",", "."))
