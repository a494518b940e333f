"""Sensitivities as files: CSV, JSON."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import Any, get_args

from precompute.files import write_file
from precompute.plain import json_text
from precompute.sensitivity.effects import Effect, Effects
from precompute.sensitivity.variables import Kind
from precompute.sheets.tables import number


def csv_text(found: Effects) -> str:
    """A line for each variable and point, the largest effects first; the metric itself under the name 'value'."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    unit = found.unit
    writer.writerow(
        ["variable", "per", f"{found.case.input} [{found.input_unit}]", f"{found.column} [{unit}]", "method", "error",
         f"slope [{found.slope_unit}]", "slope_error"]
    )  # fmt: skip
    for x, value in zip(found.input.tolist(), found.metric.tolist(), strict=True):
        writer.writerow(["value", "", number(x), number(value), "", "", "", ""])
    for effect in ordered(found):
        columns = (found.input, effect.values, effect.slopes, effect.slope_errors)
        for x, value, slope, error in zip(*(column.tolist() for column in columns), strict=True):
            writer.writerow([effect.name, effect.per.unit, number(x), number(value), effect.method,
                             number(effect.error), number(slope), number(error)])  # fmt: skip
    return out.getvalue()


def ordered(found: Effects) -> list[Effect]:
    """Kind by kind, the largest first; then those without an effect."""
    first = [effect for kind in get_args(Kind) for effect in found.ranked(kind)]
    known = {effect.name for effect in first}
    return first + [effect for effect in found.effects.values() if effect.name not in known]


def as_dict(found: Effects) -> dict[str, Any]:
    """What `--json` prints."""
    return {
        "mechanism": found.mechanism,
        "axle": found.axle,
        "metric": found.column,
        "unit": found.unit,
        "slope_unit": found.slope_unit,
        "case": found.case.name,
        "input": {"name": found.case.input, "unit": found.input_unit, "values": found.input.tolist()},
        "values": found.metric,
        "variables": [
            {
                "name": effect.name,
                "value": effect.variable.scale.back(effect.variable.value),
                "value_unit": effect.variable.unit,
                "per": effect.per.unit,
                "per_si": effect.per.amount,
                "method": effect.method,
                "derivative": effect.values,
                "error": effect.error,
                "slope": effect.slopes,
                "slope_error": effect.slope_errors,
            }
            for effect in ordered(found)
        ],
        "unfollowed": list(found.unfollowed),
        "remarks": list(found.remarks),
    }


def write_csv(found: Effects, path: Path) -> Path:
    """As a file."""
    write_file(path, csv_text(found).encode())
    return path


def write_json(found: Effects, path: Path) -> Path:
    """The same as JSON."""
    write_file(path, (json_text(as_dict(found)) + "\n").encode())
    return path
