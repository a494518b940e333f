"""What the rig measured as tables: CSV, JSON, pandas."""

from __future__ import annotations

import csv
import io
import math
from pathlib import Path
from typing import TYPE_CHECKING, Any

from precompute.errors import PrecomputeError
from precompute.files import write_file
from precompute.kc.registry import METRICS
from precompute.plain import json_text
from precompute.sheets.columns import Sheet

if TYPE_CHECKING:
    from pandas import DataFrame


def frame(kc: Sheet, case: str) -> DataFrame:
    """A case as a table of pandas; `frame.attrs` has units and what stands at the foot."""
    try:
        import pandas
    except ImportError:
        raise PrecomputeError(
            "to_pandas needs pandas, which is not installed; `pip install pandas` or `pip install kinetab[pandas]`"
        ) from None
    if case not in kc.cases:
        raise PrecomputeError(f"there is no case '{case}'; there are {', '.join(kc.cases)}")
    found = kc.cases[case]
    index = pandas.Index(found.input, name=f"{found.input_name} [{found.input_unit}]")
    table = pandas.DataFrame({f"{c.name} [{c.unit}]": c.values for c in found.columns.values()}, index=index)
    table.attrs = {"units": {c.name: c.unit for c in found.columns.values()}, "foot": list(kc.foot)}
    return table


def csv_text(kc: Sheet) -> str:
    """All cases in one table: case, input, then every column with its unit; what is said at the foot after a '#'."""
    units = {c.name: c.unit for case in kc.cases.values() for c in case.columns.values()}
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["case", "input", "input_unit", *(f"{name} [{unit}]" for name, unit in units.items())])
    for case in kc.cases.values():
        for k, value in enumerate(case.input):
            row = [number(case.columns[name].values[k]) if name in case.columns else "" for name in units]
            writer.writerow([case.name, number(value), case.input_unit, *row])
    for line in (*kc.remarks, *kc.foot):
        out.write(f"# {line}\n")
    return out.getvalue()


def number(value: float) -> str:
    """All digits; nothing where there is no number."""
    return "" if math.isnan(value) else repr(float(value))


def as_dict(kc: Sheet) -> dict[str, Any]:
    """What `--json` prints."""
    cases = {
        case.name: {
            "title": case.title,
            "input": {
                "name": case.input_name,
                "unit": case.input_unit,
                "positive": case.positive,
                "values": case.input.tolist(),
            },
            "columns": {
                c.name: {
                    "unit": c.unit,
                    "values": c.values,
                    "design": c.design,
                    "gradient": c.gradient,
                    "gradient_unit": c.gradient_unit,
                }
                for c in case.columns.values()
            },
            "remarks": list(case.remarks),
        }
        for case in kc.cases.values()
    }
    matrices = {
        name: kc.at_design(name).tolist()
        for name in kc.curves.design
        if METRICS[name.partition(".")[0]].unit == "matrix"
    }
    return {
        "mechanism": kc.name,
        "axle": kc.axle,
        "convention": kc.convention,
        "cases": cases,
        "matrices_si": matrices,
        "missing": dict(kc.missing),
        "remarks": list(kc.remarks),
        "foot": list(kc.foot),
    }


def write_csv(kc: Sheet, path: Path) -> None:
    """All of it as a file."""
    write_file(path, csv_text(kc).encode())


def write_json(kc: Sheet, path: Path) -> None:
    """The same as JSON."""
    write_file(path, (json_text(as_dict(kc)) + "\n").encode())
