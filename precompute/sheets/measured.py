"""Curves of other origin, read from a CSV file, to be laid over ours."""

from __future__ import annotations

import csv
import math
import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from precompute.arrays import Array
from precompute.errors import PrecomputeError
from precompute.kc.conventions import Convention
from precompute.kc.display import SHOWN_ANGULAR, shown
from precompute.kc.footer import AXES_TOLD
from precompute.kc.registry import METRICS
from precompute.model.mechanism import nearest
from precompute.quantities import parsed
from precompute.rig.cases import CASES
from precompute.rig.quantities import INPUTS

HEAD = re.compile(r"\s*([\w.]+)\s*(?:\[(.*)\])?\s*")
"""A name, and perhaps a unit in brackets."""

INPUT_UNITS = {case.name: (INPUTS[case.unit].unit,) for case in CASES} | {
    "steering": (INPUTS["m"].unit, INPUTS["rad"].unit)
}
"""By case, the units in which our tables have its input: that of a rack, and that of a column."""


@dataclass(frozen=True, eq=False)
class Measured:
    """Curves of another origin: by case, columns over an input, in the units of our tables."""

    name: str
    cases: Mapping[str, Mapping[str, tuple[Array, Array]]]  # case -> column -> (input, values)
    convention: Convention | None = None  # of its signs, where it says so, as our own files do
    rows: Mapping[str, int] = field(default_factory=dict)  # of each case, also those in which numbers are missing

    def curve(self, case: str, column: str, side: str) -> tuple[Array, Array] | None:
        """A column, also where only its metric is named."""
        found = self.cases.get(case, {})
        metric, _, rest = column.rpartition(".")
        if column in found:
            return found[column]
        return found.get(metric) if rest == side and metric else None


@dataclass(frozen=True)
class Head:
    """A column of the file."""

    name: str
    unit: str | None  # as it is written


def read_measured(path: str | Path) -> Measured:
    """Curves from a CSV file: as `--csv` writes it, or with the input of a case in its first column.

    A header names columns as our tables do, `travel`, `toe`, `camber.left`, with a unit in brackets, or without in that
    of our tables; a column `case` may say which case a row is of, otherwise it is bump. Lines that begin with '#' are
    not read.

    Raises:
        PrecomputeError: the file cannot be read, or a line of it; a unit or a case is none.
    """
    path = Path(path)
    lines = text_of(path).splitlines()
    numbered = [(k + 1, line) for k, line in enumerate(lines) if line.strip() and not line.lstrip().startswith("#")]
    if len(numbered) < 2:
        raise PrecomputeError(f"'{path}' has no table: a line of names and lines of numbers are expected")
    separator = max(",;\t", key=numbered[0][1].count)
    rows = list(csv.reader([line for _, line in numbered], delimiter=separator))
    heads = [head(word, path) for word in rows[0]]
    found: dict[str, dict[str, list[tuple[float, float]]]] = {}
    count: Counter[str] = Counter()
    for (line, _), row in zip(numbered[1:], rows[1:], strict=True):
        count[add_row(found, heads, row, f"'{path}', line {line}")] += 1
    made = {
        case: {name: (np.array(points)[:, 0], np.array(points)[:, 1]) for name, points in own.items()}
        for case, own in found.items()
    }
    if not any(metric in METRICS for own in made.values() for metric in (name.partition(".")[0] for name in own)):
        names = ", ".join(h.name for h in heads)
        raise PrecomputeError(
            f"'{path}' has no column that is a metric with numbers in it, but {names}; name columns as "
            "`kinetab kc --list` does"
        )
    return Measured(path.name, made, convention_of(lines), count)


def text_of(path: Path) -> str:
    """All of a file."""
    try:
        return path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise PrecomputeError(f"'{path}' cannot be read: {(error.strerror or str(error)).lower()}") from None
    except UnicodeDecodeError as error:
        raise PrecomputeError(
            f"'{path}' is not UTF-8 text (byte 0x{error.object[error.start]:02x}); save it as CSV in UTF-8"
        ) from None


def convention_of(lines: list[str]) -> Convention | None:
    """What the foot of a file of ours says."""
    for convention, told in AXES_TOLD.items():
        if any(line.startswith(f"# Axes: {told}") for line in lines):
            return convention
    return None


def head(word: str, path: Path) -> Head:
    """A column by its name, and its unit if it is given."""
    found = HEAD.fullmatch(word)
    if found is None:
        raise PrecomputeError(f"'{path}': a column is called '{word}'; write name or name [unit]")
    return Head(found[1], found[2].strip() if found[2] else None)


def factor(unit: str | None, ours: tuple[str, ...], what: str) -> float:
    """What leads from a unit to the one of ours that measures the same."""
    if unit is None or unit in ours:
        return 1.0
    for own in ours:
        try:
            (scale, dimension), (to, wanted) = parsed(unit), parsed(own)
        except PrecomputeError:
            continue
        if dimension == wanted:
            return scale(1.0) / to(1.0)
    raise PrecomputeError(f"{what} is in [{unit}]; it must be in {' or '.join(ours)}, or in a unit of the same kind")


def column_units(name: str) -> tuple[str, ...] | None:
    """In which our tables have a column; None if it is no metric."""
    metric = METRICS.get(name.partition(".")[0])
    if metric is None:
        return None
    return tuple({shown(metric).unit: 0, shown(metric, metric.unit in SHOWN_ANGULAR).unit: 0})


def add_row(
    found: dict[str, dict[str, list[tuple[float, float]]]], heads: list[Head], row: list[str], where: str
) -> str:
    """Sort the numbers of a row into cases and columns, in our units; which case it is of."""
    if len(row) != len(heads):
        raise PrecomputeError(f"{where}: {len(row)} entries, but {len(heads)} names above")
    words = {h.name: word.strip() for h, word in zip(heads, row, strict=True)}
    case, given = words.get("case") or "bump", words.get("input_unit")
    if case not in INPUT_UNITS:
        raise PrecomputeError(f"{where}: there is no case '{case}'; {nearest(case, list(INPUT_UNITS))}")
    first, *rest = [h for h in heads if h.name not in ("case", "input_unit")]
    x = number(words[first.name], f"{where}: '{first.name}'")
    x *= factor(given or first.unit, INPUT_UNITS[case], f"{where}: '{first.name}' of {case}")
    own = found.setdefault(case, {})
    for h in rest:
        value, units = number(words[h.name], f"{where}: '{h.name}'"), column_units(h.name)
        if units is not None:
            value *= factor(h.unit, units, f"{where}: '{h.name}'")
        if math.isfinite(value) and math.isfinite(x):
            own.setdefault(h.name, []).append((x, value))
    return case


def number(word: str, what: str) -> float:
    """A number; nan where there is none."""
    try:
        return float(word) if word else math.nan
    except ValueError:
        hint = "; write a decimal point" if re.fullmatch(r"[+-]?\d+,\d+", word) else ""
        raise PrecomputeError(f"{what} is '{word}', which is no number{hint}") from None
