"""All designs of a finished study as one file: a row each, CSV or Parquet by the ending of its name."""

from __future__ import annotations

import csv
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from precompute.arrays import Array
from precompute.errors import PrecomputeError
from precompute.sheets.tables import number
from precompute.study.running import Parts
from precompute.study.summary import PERCENTILES, Summary, heads

ENDINGS = (".csv", ".parquet")

Block = tuple[list[str], Array, list[str]]
"""Headings, (n, columns) values and why designs failed, of a chunk."""


def check_ending(path: Path) -> None:
    """That a result of this name can be written.

    Raises:
        PrecomputeError: it cannot; with what to do.
    """
    if path.suffix.lower() == ".parquet":
        try:
            import pyarrow  # noqa: F401
        except ImportError:
            raise PrecomputeError(
                f"'{path}': Parquet needs pyarrow: pip install 'kinetab[study]', or name a .csv file"
            ) from None


def write_result(parts: Parts, path: Path) -> None:
    """The file, written whole; chunk by chunk, so that no more is in memory."""
    temporary = path.with_name(f".{path.name}.tmp")
    try:
        (_write_parquet if path.suffix.lower() == ".parquet" else _write_csv)(parts, temporary)
        os.replace(temporary, path)
    except OSError as error:
        raise PrecomputeError(f"cannot write '{path}': {(error.strerror or str(error)).lower()}") from None
    finally:
        temporary.unlink(missing_ok=True)


def blocks(parts: Parts) -> Iterator[Block]:
    """Chunk by chunk; changes in the units of the mechanism's file, metrics as people quote them."""
    study = parts.study
    variables = study.engines[0].design.chosen(study.names)
    names = [f"change of {v.name} [{v.unit}]" for v in variables]
    columns = heads(study)
    names += [head for *_, own in columns for head in own]
    for part in parts.chunks():
        changes = [v.scale.back(x) for v, x in zip(variables, part["changes"].T, strict=True)]
        values = [unit.factor * part[f"{k}/{name}"] for k, name, unit, _ in columns]
        told = json.loads(part["failures"].tobytes())
        yield (
            names,
            np.concatenate([np.stack(changes, axis=-1), *values], axis=1),
            [told.get(str(k), "") for k in range(len(part["changes"]))],
        )


def _write_csv(parts: Parts, path: Path) -> None:
    start = 0
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        for names, values, failures in blocks(parts):
            if not start:
                writer.writerow(["design", *names, "failure"])
            for k, (row, failure) in enumerate(zip(values.tolist(), failures, strict=True), start):
                writer.writerow([k, *map(number, row), failure])
            start += len(values)


def _write_parquet(parts: Parts, path: Path) -> None:
    import pyarrow as arrow
    import pyarrow.parquet as parquet

    writer, start = None, 0
    for names, values, failures in blocks(parts):
        columns: dict[str, Any] = {"design": np.arange(start, start + len(values))}
        columns |= dict(zip(names, values.T.copy(), strict=True)) | {"failure": failures}
        table = arrow.table(columns)
        writer = writer or parquet.ParquetWriter(path, table.schema)
        writer.write_table(table)
        start += len(values)
    if writer is not None:
        writer.close()


def as_dict(found: Summary) -> dict[str, Any]:
    """Bands, shares and failures."""
    study = found.study
    bands = [
        {
            "case": band.case,
            "column": band.column,
            "unit": band.unit,
            "input": {"unit": band.input_unit, "values": band.input.tolist()},
            "unchanged": band.unchanged,
            "mean": band.mean,
            "standard_deviation": band.deviation,
            "least": band.least,
            "largest": band.largest,
            "percentiles": {f"{p:g}": x for p, x in zip(PERCENTILES, band.percentiles, strict=True)},
            "shares": dict(band.shares),
            "explained": band.explained,
            **({"totals": dict(band.totals)} if band.totals else {}),
        }
        for band in found.bands
    ]
    head = {"mechanism": study.mechanism.name, "samples": study.count, "sampler": study.sampler, "seed": study.seed}
    failures = {str(k): text for k, text in found.failures.items()}
    return {**head, "bands": bands, "failures": failures}
