"""The state of a motion: all that a later step needs to know of the past."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..model.reduced_model import Array

HEAD = 4
"""Numbers before the vectors."""


@dataclass(frozen=True, eq=False)
class State:
    """Where a motion is; as numbers one contiguous block, so saving it is a copy.

    What `midpoint` leaves behind is zero or None with other methods.
    """

    time: float  # [s]
    chart: int
    lap: int  # how often it has gone all round
    z: Array  # (nz,)
    zd: Array  # (nz,)
    zdd: Array | None = None  # (nz,) over the last step
    zdd_before: Array | None = None  # (nz,) over the one before
    age: int = 0  # how many steps its matrices have served
    z_then: Array | None = None  # (nz,) where they were found
    zd_then: Array | None = None  # (nz,)

    def numbers(self) -> list[float]:
        """As one block, (4 + 6 nz): t, chart, lap, age, z, zd, zdd, zdd_before, z_then, zd_then."""
        vectors = (self.z, self.zd, self.zdd, self.zdd_before, self.z_then, self.zd_then)
        full = [np.zeros(self.z.size) if x is None else x for x in vectors]
        return [self.time, float(self.chart), float(self.lap), float(self.age), *np.concatenate(full).tolist()]


def from_numbers(block: Array) -> State:
    """The state that a block (4 + 6 nz,) stands for."""
    z, zd, zdd, before, z_then, zd_then = np.split(block[HEAD:], 6)
    return State(float(block[0]), int(block[1]), int(block[2]), z, zd, zdd, before, int(block[3]), z_then, zd_then)
