"""The state of a motion: all that a later step needs to know of the past."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..model.reduced_model import Array
from .devices import NOTHING, Memory

HEAD = 6
"""Numbers before the vectors."""

VECTORS = 6
"""Of nz numbers each."""


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
    error: float = -1.0  # of the last communication step, see `step_error`; -1 if it was not measured
    pace: float = 0.0  # [1/s] of the fastest motion while it is
    memory: Memory = NOTHING  # of devices

    def numbers(self) -> list[float]:
        """As one block, (6 + 6 nz + 2 nx + nu).

        t, chart, lap, age, error, pace, z, zd, zdd, zdd_before, z_then, zd_then, memory.
        """
        vectors = (self.z, self.zd, self.zdd, self.zdd_before, self.z_then, self.zd_then)
        full = [np.zeros(self.z.size) if x is None else x for x in vectors]
        rest = np.concatenate((*full, *self.memory)).tolist()
        return [self.time, float(self.chart), float(self.lap), float(self.age), self.error, self.pace, *rest]


def from_numbers(block: Array, like: Memory = NOTHING) -> State:
    """The state that a block (6 + 6 nz + 2 nx + nu,) stands for, with a memory of the sizes of another."""
    ends = np.cumsum([0, *(part.size for part in like)]) + block.size - sum(part.size for part in like)
    vectors, *memory, _ = np.split(block[HEAD:], ends - HEAD)
    z, zd, zdd, before, z_then, zd_then = np.split(vectors, VECTORS)
    time, chart, lap, age = float(block[0]), int(block[1]), int(block[2]), int(block[3])
    error, pace = float(block[4]), float(block[5])
    return State(time, chart, lap, z, zd, zdd, before, age, z_then, zd_then, error, pace, Memory(*memory))
