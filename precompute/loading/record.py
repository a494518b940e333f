"""The loads of all joints along a motion, as samples; in one file, or in one for each joint."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from precompute.arrays import Array
from precompute.files import check_writable, write_file
from precompute.loading.counting import HISTOGRAM, Extremes, cycles, extremes, histogram
from precompute.model.bushings import bushings_across
from precompute.model.mechanism import DIRECTIONS, Mechanism
from precompute.running.samples import Samples, write_csv

COMPONENTS = tuple(f"{symbol}[{i}]" for symbol in "FM" for i in (1, 2, 3))
"""Of a load, as `DIRECTIONS` are of a joint."""

HEADS = tuple(f"{symbol}{axis}" for symbol in "FM" for axis in "xyz")
"""The same in files of one joint."""

Part = tuple[str, Array]
"""A column of a file: its head with its unit, and values (n,)."""


@dataclass(frozen=True, eq=False)
class JointLoads(Samples):
    """Loads, forces of drives, accelerations of markers and deflections over time; the motion and what acts, as inputs.

    Outputs have the names that an FMU gives them.
    """

    axes: str  # of the loads, in words
    idle: Mapping[str, tuple[str, ...]]  # joint -> components that it does not carry, as a ball carries no moment
    undefined: tuple[str, ...] = ()  # loads that are left out and why, in words
    warnings: tuple[str, ...] = ()  # what is doubtful in the motion
    notes: tuple[str, ...] = ()  # what was made of it

    @property
    def loads(self) -> tuple[str, ...]:
        """Names of the loads, those of drives included."""
        return tuple(name for name in self.outputs if name.startswith(("joint.", "rod.", "drive.")))

    def cycles(self, name: str) -> Array:
        """Range pairs of a load by rainflow counting, (number, 3): range, mean, and 1 or 0.5 for a half."""
        return cycles(self.outputs[name])

    def extremes(self, name: str) -> Extremes:
        """Smallest and largest value of a load, with their times."""
        return extremes(self.time, self.outputs[name])

    def to_csv(self, path: str | Path) -> None:
        """All in one table: time, outputs, inputs, in SI."""
        write_csv(self, Path(path))

    def to_folder(self, folder: str | Path, apart_from: tuple[Path | None, ...] = ()) -> tuple[Path, ...]:
        """A file per joint, rod and drive, which is made if need be; the files.

        Raises:
            PrecomputeError: it cannot be written to, or would overwrite one of `apart_from`.
        """
        Path(folder).mkdir(exist_ok=True)
        files = {Path(folder) / f"{name}.csv": parts for name, parts in self.parts()}
        for path in files:
            check_writable(path, ".csv", apart_from=apart_from)
        for path, parts in files.items():
            heads, columns = zip(("time [s]", self.time), *parts, strict=True)
            write_file(path, table(heads, np.column_stack(columns).tolist()))
        return tuple(files)

    def to_rainflow(self, path: str | Path) -> None:
        """Histograms of the range pairs of all loads, a row for each class of ranges that occurs."""
        rows = [[name, self.units[name], *row] for name in self.loads for row in histogram(self.outputs[name])]
        write_file(Path(path), table(("load", "unit", *HISTOGRAM), rows))

    def parts(self) -> Iterator[tuple[str, list[Part]]]:
        """Each joint, rod and drive, with its columns.

        What a joint does not carry is zero; a component that is not defined, or not asked for, has no column.
        """
        for joint in dict.fromkeys(name.split(".")[1] for name in self.outputs if name.startswith("joint.")):
            own = [(f"joint.{joint}.{c}", c, head) for c, head in zip(COMPONENTS, HEADS, strict=True)]
            yield joint, list(self._columns(own, self.idle.get(joint, ())))
        for rod in dict.fromkeys(name.split(".")[1] for name in self.outputs if name.startswith("rod.")):
            own = [(f"rod.{rod}.force", "", "force")]
            own += [(f"rod.{rod}.{c}", c, head) for c, head in zip(COMPONENTS[:3], HEADS[:3], strict=True)]
            yield rod, list(self._columns(own, ()))
        for name in (name for name in self.outputs if name.startswith("drive.")):
            yield name.removesuffix(".force"), list(self._columns([(name, "", "force")], ()))

    def _columns(self, own: list[tuple[str, str, str]], idle: tuple[str, ...]) -> Iterator[Part]:
        for name, component, head in own:
            if name in self.outputs:
                unit = self.units[name].replace(".", " ")
                yield f"{'moment' if head == 'force' and unit == 'N m' else head} [{unit}]", self.outputs[name]
            elif component in idle:
                yield f"{head} [{'N' if head.startswith('F') else 'N m'}]", np.zeros(len(self.time))


def idle_components(mechanism: Mechanism) -> dict[str, tuple[str, ...]]:
    """Joint -> components of its load that it does not carry in the axes it is asked for in.

    Rubber around a joint carries something along its free directions too, which these axes do not show.
    """
    return {
        joint.name: tuple(c for c, d in zip(COMPONENTS, DIRECTIONS, strict=True) if d not in joint.loadable)
        for joint in mechanism.joints
        if joint.loads and not bushings_across(joint, mechanism.bushings)
    }


def table(head: tuple[str, ...], rows: list[list[object]]) -> bytes:
    """A CSV file."""
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(head)
    writer.writerows([[repr(float(x)) if isinstance(x, float) else x for x in row] for row in rows])
    return buffer.getvalue().encode()
