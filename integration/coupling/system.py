"""A system of FMUs as data: which there are, what is connected with what, start values.  Every master reads this.

All masters here couple in the simplest way: all FMUs take a step with the inputs known at its beginning, then outputs
are copied to inputs.  Before the first step outputs are copied as often as there are FMUs, so that every start value
arrives everywhere.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class System:
    """FMUs by instance name; connections and start values by `instance.variable`."""

    fmus: Mapping[str, Path]
    connections: tuple[tuple[str, str], ...]  # (output, input)
    starts: Mapping[str, float]

    def __post_init__(self) -> None:
        names = [name for pair in self.connections for name in pair]
        for name in (*names, *self.starts):
            if split(name)[0] not in self.fmus:
                raise ValueError(f"'{name}' names no FMU of the system; these are {', '.join(self.fmus)}")
        inputs = [to for _, to in self.connections]
        if twice := {name for name in inputs if inputs.count(name) > 1}:
            raise ValueError(f"connected twice: {', '.join(sorted(twice))}")


@dataclass(frozen=True, eq=False)
class Record:
    """What was recorded at communication points."""

    time: NDArray[np.floating]  # (nt,) [s]
    values: Mapping[str, NDArray[np.floating]]  # (nt,) each
    seconds: float = 0.0  # processor time of the steps, all calls included

    def __getitem__(self, name: str) -> NDArray[np.floating]:
        return self.values[name]

    @property
    def speed(self) -> float:
        """How many times faster than real time."""
        return float(self.time[-1]) / self.seconds


def difference(one: Record, two: Record, small: float = 1e-3) -> float:
    """Largest over all variables and the times that both have, relative to the variable's range.

    A variable that moves by less than `small` [m, rad, N ...] counts as if it moved so much.
    """
    n = min(one.time.size, two.time.size)
    gaps = (np.abs(one[x][-n:] - two[x][-n:]).max() / max(float(np.ptp(one[x])), small) for x in one.values)
    return float(max(gaps))


def split(name: str) -> tuple[str, str]:
    """Instance and variable of `instance.variable`."""
    instance, _, variable = name.partition(".")
    return instance, variable


def vector(source: str, target: str, n: int = 3) -> list[tuple[str, str]]:
    """Connections of all components of a vector."""
    return [(f"{source}[{i + 1}]", f"{target}[{i + 1}]") for i in range(n)]
