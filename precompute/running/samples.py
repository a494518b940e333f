"""Quantities over time: what a run of an FMU and a solved motion have in common, and as a CSV file."""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from precompute.arrays import Array
from precompute.files import write_file


@dataclass(frozen=True, eq=False)
class Samples:
    """Outputs and inputs at nt times, by the names that an FMU gives them."""

    name: str
    time: Array  # (nt,) [s]
    outputs: dict[str, Array]  # each (nt,), SI
    inputs: dict[str, Array]  # the same of all inputs, constant ones too
    units: dict[str, str]  # of outputs and inputs

    @property
    def values(self) -> dict[str, Array]:
        """Outputs, then inputs."""
        return self.outputs | self.inputs


def write_csv(samples: Samples, path: Path) -> None:
    """Time, all outputs and all inputs, names in the first row."""
    table = np.column_stack([samples.time, *samples.values.values()])
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(["time", *samples.values])
    writer.writerows([[repr(float(x)) for x in row] for row in table])
    write_file(path, buffer.getvalue().encode())
