"""Independent coordinates over time, with three derivatives each.

Rates that are not given come from a spline of degree 5 through the samples (not-a-knot at its ends), which makes the
jerk continuous, with an error of order 3 in the distance of samples; with five samples or fewer, from the polynomial
through all of them.  Given ones are taken as they are, and those above them come from a spline through the highest that
is given.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.interpolate import make_interp_spline

from precompute.arrays import Array, frozen_array
from precompute.errors import PrecomputeError
from precompute.hints import nearest
from precompute.running.input_table import Table, number, read_columns

DEGREE = 5
DERIVATIVES = ("", ".rate", ".acceleration", ".jerk")
"""What stands behind a coordinate's name in a column of the file: nothing, or which of its derivatives it is."""


@dataclass(frozen=True, eq=False)
class Prescribed:
    """Coordinates over time.

    Attributes:
        time: (n,) ascending [s].
        motions: coordinate -> (4, n) value, rate, acceleration and jerk; SI.
    """

    time: Array
    motions: Mapping[str, Array]

    def __getitem__(self, which: slice) -> Prescribed:
        """Some of the samples."""
        return Prescribed(self.time[which], {name: motion[:, which] for name, motion in self.motions.items()})

    def at(self, sample: int) -> dict[str, float]:
        """Coordinate -> its value at a sample."""
        return {name: float(motion[0, sample]) for name, motion in self.motions.items()}

    def derivative(self, order: int) -> dict[str, Array]:
        """Coordinate -> (n,) its values, rates, accelerations or jerks."""
        return {name: motion[order] for name, motion in self.motions.items()}


def prescribed(time: ArrayLike, given: Mapping[str, ArrayLike | Sequence[ArrayLike | None]]) -> Prescribed:
    """Coordinates at times (n,), with what is missing of their derivatives filled in.

    Args:
        time: (n,) ascending [s].
        given: coordinate -> its values (n,), or a sequence of these, its rates, accelerations and jerks, of which
            those that are None or missing at the end come from a spline.

    Raises:
        PrecomputeError: the times do not ascend, or shapes do not fit.
    """
    t = np.atleast_1d(np.asarray(time, dtype=np.float64))
    if t.ndim != 1 or not t.size or not np.isfinite(t).all() or not (np.diff(t) > 0.0).all():
        raise PrecomputeError("the times of a motion must be finite and ascend, none of them twice")
    motions = {}
    for name, entry in given.items():
        try:
            columns: list[Any] = [entry] if is_column(entry) else list(entry)  # type: ignore[arg-type]
            if len(columns) > len(DERIVATIVES):
                raise ValueError(f"has {len(columns)} columns; value, rate, acceleration and jerk are the most")
            columns += [None] * (len(DERIVATIVES) - len(columns))
            values = [None if c is None else frozen_array(c, t.shape, name) for c in columns]
        except ValueError as error:
            raise PrecomputeError(f"the motion of '{name}': {error}") from None
        motions[name] = frozen_array(filled(t, values))
    return Prescribed(frozen_array(t), motions)


def is_column(entry: Any) -> bool:
    """Whether this is (n,) values, and no sequence of such."""
    return (
        np.ndim(entry) < 2 if isinstance(entry, np.ndarray) else all(np.ndim(e) == 0 and e is not None for e in entry)
    )


def filled(t: Array, columns: Sequence[Array | None]) -> Array:
    """(4, n) with derivatives that are missing taken from a spline through the last one before them that is given."""
    assert columns[0] is not None
    known, last = [columns[0]], 0
    for k, column in enumerate(columns[1:], 1):
        if column is not None:
            known.append(column)
            last = k
        else:
            known.append(derived(t, known[last], k - last))
    return np.stack(known)


def derived(t: Array, values: Array, order: int) -> Array:
    """(n,) a derivative of the spline through samples."""
    degree = min(DEGREE, len(t) - 1)
    if order > degree:
        return np.zeros_like(values)
    return np.asarray(make_interp_spline(t, values, k=degree).derivative(order)(t))


def read_prescribed(path: Path, file: str, known: Sequence[str]) -> Prescribed:
    """The motion in a CSV file: a column `time` and one per coordinate, in SI; `NAME.rate` and so on if they are known.

    Args:
        path: of the CSV file.
        file: what the mechanism is called in messages.
        known: names of coordinates that may be given.

    Raises:
        PrecomputeError: names line and column of each problem.
    """
    data = read_columns(path, lambda table: [*column_problems(table, file, known), *time_problems(table)])
    found = data.dtype.names or ()
    columns = {n: [data[n + d] if n + d in found else None for d in DERIVATIVES] for n in found if n in known}
    return prescribed(data["time"], columns)


def column_problems(table: Table, file: str, known: Sequence[str]) -> Iterator[str]:
    """Columns that are no coordinate and no rate of one that is there."""
    for i, name in enumerate(table.names[1:], 2):
        owner = next((name.removesuffix(d) for d in DERIVATIVES[1:] if name.endswith(d)), "")
        if name in known or name in table.names[: i - 1]:
            continue
        if owner not in known:
            yield f"line 1, column {i}: '{name}' is no coordinate of {file}; {nearest(owner or name, known)}"
        elif owner not in table.names:
            yield f"line 1, column {i}: '{name}' needs a column '{owner}' with the values themselves"


def time_problems(table: Table) -> Iterator[str]:
    """A time that stands twice: where a motion jumps it has no velocity."""
    try:
        times = [number(row.cells[0]) for row in table.rows]
    except (ValueError, IndexError):
        return  # told as a cell that is no number
    for before, now, row in zip(times, times[1:], table.rows[1:], strict=False):
        if now == before:
            yield f"{table.place(row, 0)}: {row.cells[0]} stands twice; a motion cannot jump"
