"""How curves of another origin differ, in words."""

from __future__ import annotations

import math

import numpy as np

from precompute.arrays import Array
from precompute.errors import PrecomputeError
from precompute.sheets.columns import Column, Sheet
from precompute.sheets.measured import Measured
from precompute.sheets.text import chosen, told

Curve = tuple[Array, Array]


def check_signs(kc: Sheet, name: str, other: Sheet | Measured) -> None:
    """Curves must be of one convention.

    Raises:
        PrecomputeError: they are not.
    """
    if other.convention is not None and other.convention != kc.convention:
        raise PrecomputeError(
            f"'{name}' has the signs of '{other.convention}', and this table those of '{kc.convention}'; ask for "
            "both in one convention"
        )


def overlay(other: Sheet | Measured, case: str, column: str, side: str) -> Curve | None:
    """The same curve of another origin: input and values, both in our units."""
    if isinstance(other, Measured):
        return other.curve(case, column, side)
    found = other.cases[case].columns.get(column) if case in other.cases else None
    return None if found is None else (found.input, found.values)


def comparison(kc: Sheet, name: str, other: Sheet | Measured) -> str:
    """The largest difference of every curve that people look at first, over the range that both have."""
    check_signs(kc, name, other)
    lines = []
    for case in kc.cases.values():
        for column in chosen(kc, case, names=None if isinstance(other, Sheet) else measured_names(other, case.name)):
            over = overlay(other, case.name, column.name, kc.own_side)
            if over is not None and (line := difference(column, *over)):
                lines.append(f"  {case.name:<17}{column.name:<32} {line}")
    if not lines:
        return f"{name} has no curve that could be compared"
    return "\n".join([f"{name}, its largest difference from {kc.name}", *lines])


def measured_names(other: Measured, case: str) -> list[str]:
    """Metrics that were measured in a case."""
    return list(dict.fromkeys(column.partition(".")[0] for column in other.cases.get(case, {})))


def difference(column: Column, x: Array, y: Array) -> str:
    """Of one curve; empty where the two have no range in common."""
    order = np.argsort(x)
    x, y = x[order], y[order]
    inside = (column.input >= x[0] - 1e-9) & (column.input <= x[-1] + 1e-9) & np.isfinite(column.values)
    if not inside.any() or not np.isfinite(y).any():
        return ""
    gap = np.interp(column.input[inside], x, y) - column.values[inside]
    if not np.isfinite(gap).any():
        return ""
    worst = int(np.nanargmax(np.abs(gap)))
    mean = math.sqrt(float(np.nanmean(gap**2)))
    at = column.input[inside][worst]
    return f"{told(float(gap[worst])):>10} {column.unit} at {at:.4g} {column.input_unit}, root mean square {told(mean)}"
