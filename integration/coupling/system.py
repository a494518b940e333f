"""What masters here make of a system of FMUs, `precompute.exporting.System`.

All masters here couple in the simplest way: all FMUs take a step with the inputs known at its beginning, then outputs
are copied to inputs.  Before the first step outputs are copied as often as there are FMUs, so that every start value
arrives everywhere.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from precompute.exporting import System
from precompute.exporting.system import split


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


def without(system: System, instance: str) -> System:
    """The system without one of its FMUs, and what that is connected with."""
    return replace(
        system,
        fmus={name: path for name, path in system.fmus.items() if name != instance},
        connections=tuple(pair for pair in system.connections if instance not in (split(end)[0] for end in pair)),
        starts={name: value for name, value in system.starts.items() if split(name)[0] != instance},
    )
