"""Curves of other origin, read from a CSV file, to be laid over ours."""

from __future__ import annotations

import csv
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from precompute.arrays import Array
from precompute.errors import PrecomputeError
from precompute.kc.registry import METRICS

HEAD = re.compile(r"\s*([\w.]+)\s*(?:\[(.*)\])?\s*")
"""A name, and perhaps a unit in brackets."""


@dataclass(frozen=True, eq=False)
class Measured:
    """Curves of another origin: by case, columns over an input, in the units of our tables."""

    name: str
    cases: Mapping[str, Mapping[str, tuple[Array, Array]]]  # case -> column -> (input, values)

    def curve(self, case: str, column: str, side: str) -> tuple[Array, Array] | None:
        """A column, also where only its metric is named."""
        found = self.cases.get(case, {})
        metric, _, rest = column.rpartition(".")
        if column in found:
            return found[column]
        return found.get(metric) if rest == side and metric else None


def read_measured(path: str | Path) -> Measured:
    """Curves from a CSV file: as `--csv` writes it, or with the input of a case in its first column.

    A header names columns as our tables do, `travel`, `toe`, `camber.left`, with a unit in brackets or without; a
    column `case` may say which case a row is of, otherwise it is bump. Lines that begin with '#' are not read.

    Raises:
        PrecomputeError: the file cannot be read, or a line of it.
    """
    path = Path(path)
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise PrecomputeError(
            f"'{path}' cannot be read: {error.strerror if isinstance(error, OSError) else error}"
        ) from None
    numbered = [(k + 1, line) for k, line in enumerate(lines) if line.strip() and not line.lstrip().startswith("#")]
    if len(numbered) < 2:
        raise PrecomputeError(f"'{path}' has no table: a line of names and lines of numbers are expected")
    rows = list(csv.reader([line for _, line in numbered]))
    names = [head_name(word, path) for word in rows[0]]
    found: dict[str, dict[str, list[tuple[float, float]]]] = {}
    for (line, _), row in zip(numbered[1:], rows[1:], strict=True):
        add_row(found, names, row, f"'{path}', line {line}")
    made = {
        case: {
            name: (np.array([x for x, _ in points]), np.array([y for _, y in points])) for name, points in own.items()
        }
        for case, own in found.items()
    }
    if not any(metric in METRICS for own in made.values() for metric in (name.partition(".")[0] for name in own)):
        raise PrecomputeError(
            f"'{path}' has no column that is a metric, but {', '.join(names)}; name columns as `kinetab kc --list` does"
        )
    return Measured(path.name, made)


def head_name(word: str, path: Path) -> str:
    """The name of a column, without its unit."""
    found = HEAD.fullmatch(word)
    if found is None:
        raise PrecomputeError(f"'{path}': a column is called '{word}'; write name or name [unit]")
    return found[1]


def add_row(
    found: dict[str, dict[str, list[tuple[float, float]]]], names: list[str], row: list[str], where: str
) -> None:
    """Sort the numbers of a row into cases and columns."""
    if len(row) != len(names):
        raise PrecomputeError(f"{where}: {len(row)} entries, but {len(names)} names above")
    entries = dict(zip(names, row, strict=True))
    case = entries.pop("case", "bump").strip() or "bump"
    entries.pop("input_unit", None)
    values: dict[str, float] = {}
    for name, word in entries.items():
        try:
            values[name] = float(word) if word.strip() else math.nan
        except ValueError:
            raise PrecomputeError(f"{where}: '{word}' in column '{name}' is no number") from None
    first, *rest = values.items()
    own = found.setdefault(case, {})
    for name, value in rest:
        if math.isfinite(value):
            own.setdefault(name, []).append((first[1], value))
