"""Hardpoints as a table: name, x, y, z in each row, as CSV or as the first sheet of an XLSX workbook.

Commas, semicolons or tabs separate.  A header is passed over; it may have units, `x [m]`.  So are empty rows and what
begins with #.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import numpy as np

from precompute.arrays import Array
from precompute.errors import MechanismError, PrecomputeError
from precompute.importing.fields import shortened, usable

LENGTHS = {"mm": 1.0, "cm": 10.0, "m": 1000.0, "in": 25.4, "inch": 25.4, "ft": 304.8}
"""[mm]"""

UNIT = re.compile(r"\s*x\s*[\[(]\s*(\w+)\s*[\])]\s*", re.I)

Row = tuple[int, list[str]]

MOST_ROWS, MOST_COLUMNS, MOST_UNPACKED = 10_000, 1000, 50 * 2**20
"""Of a sheet, and [bytes] of a workbook."""


def csv_rows(text: str) -> Iterator[Row]:
    """Lines and their cells."""
    lines = [
        (n, line) for n, line in enumerate(text.splitlines(), 1) if line.strip() and not line.lstrip().startswith("#")
    ]
    separator = max("\t;,", key=lambda sign: sum(line.count(sign) >= 3 for _, line in lines))  # commas may be decimal
    for number, line in lines:
        try:
            cells = next(csv.reader([line], delimiter=separator))
        except csv.Error as error:
            raise MechanismError([f"line {number}: {error}"], "the table") from None
        yield (
            number,
            [
                cell.strip().replace(",", ".") if separator != "," and i else cell.strip()
                for i, cell in enumerate(cells)
            ],
        )


def xlsx_rows(path: Path) -> Iterator[Row]:
    """Rows of the first sheet.

    Raises:
        PrecomputeError: it is no workbook, or openpyxl is not there.
    """
    try:
        from openpyxl import load_workbook
    except ImportError:
        raise PrecomputeError(
            "workbooks need openpyxl: pip install 'kinetab[import]', or save the sheet as CSV"
        ) from None
    try:
        _check_size(path)
        with path.open("rb") as file:  # openpyxl leaves it open where it fails
            sheet = load_workbook(file, read_only=True, data_only=True).worksheets[0]
            rows = [[_cell(cell) for cell in row] for row in _first(sheet.iter_rows(values_only=True))]
    except PrecomputeError:
        raise
    except Exception as error:  # whatever a damaged workbook makes of openpyxl, and of the parsers behind it
        raise PrecomputeError(f"'{path}' is no workbook that openpyxl can read: {shortened(str(error))}") from None
    for number, cells in enumerate(rows, 1):
        if any(cells) and not cells[0].startswith("#"):
            yield number, cells


def _first(rows: Iterable[Sequence[Any]]) -> Iterator[Sequence[Any]]:
    """Rows of a table of points.

    Raises:
        PrecomputeError: there are more.
    """
    for number, row in enumerate(rows, 1):
        if number > MOST_ROWS or len(row) > MOST_COLUMNS:
            raise PrecomputeError(f"the first sheet has more than {MOST_ROWS} rows or {MOST_COLUMNS} columns")
        yield row


def _check_size(path: Path) -> None:
    """Small files may unpack to very large ones."""
    with ZipFile(path) as archive:
        size = sum(entry.file_size for entry in archive.infolist())
    if size > MOST_UNPACKED:
        raise PrecomputeError(f"'{path}' unpacks to {size / 2**20:.0f} MiB: that is no table of hardpoints")


def _cell(value: Any) -> str:
    if value is None:
        return ""
    return repr(value) if isinstance(value, (int, float)) else str(value).strip()


def points_of(rows: Iterable[Row], unit: str | None) -> tuple[dict[str, Array], str | None]:
    """Points, and the unit that they were in as far as it is known.

    Args:
        rows: of the table.
        unit: of lengths; None takes that of the header, or mm.

    Returns:
        By name (3,) [mm] in the table's axes; the unit that was given or is in the header, None if neither is so.

    Raises:
        MechanismError: rows are not what they should be, all of them.
    """
    faults: list[str] = []
    found: dict[str, Array] = {}
    for number, cells in rows:
        values = _numbers(cells[1:4])
        if values is None and not found and not faults and _is_header(cells):
            if match := UNIT.fullmatch(cells[1]):
                unit = unit or match[1].lower()
        elif values is None or any(cells[4:]):
            faults.append(f"row {number}: {shortened(', '.join(cells)) or 'nothing'} is not name, x, y, z")
        elif not cells[0]:
            faults.append(f"row {number}: the point has no name")
        elif cells[0] in found:
            faults.append(f"row {number}: the point '{cells[0]}' is there already; keep one of them")
        else:
            found[cells[0]] = np.array(values)
    if unit is not None and unit not in LENGTHS:
        faults.append(f"the unit '{unit}' of its lengths is not known; --unit gives one of {', '.join(LENGTHS)}")
    if not found and not faults:
        faults.append("it has no row name, x, y, z")
    if faults:
        raise MechanismError(faults, "the table")
    return {name: LENGTHS[unit or "mm"] * place for name, place in found.items()}, unit


def _is_header(cells: Sequence[str]) -> bool:
    return len(cells) >= 4 and [cell[:1].lower() for cell in cells[1:4]] == ["x", "y", "z"]


def _numbers(cells: Sequence[str]) -> list[float] | None:
    try:
        values = [float(cell) for cell in cells]
    except ValueError:
        return None
    return values if len(values) == 3 and all(map(usable, values)) else None
