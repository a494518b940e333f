"""The state of a motion: all that a later step needs to know of the past."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .reduced_model import Array


@dataclass(frozen=True, eq=False)
class State:
    """Where a motion is; as numbers one contiguous block [t, chart, lap, z, zd, zdd], so saving it is a copy."""

    time: float  # [s]
    chart: int
    lap: int  # how often it has gone all round
    z: Array  # (nz,)
    zd: Array  # (nz,)
    zdd: Array | None = None  # (nz,) over the last step, where `midpoint` made it; otherwise zero or None

    def numbers(self) -> list[float]:
        """As one block, (3 + 3 nz)."""
        zdd = np.zeros(self.z.size) if self.zdd is None else self.zdd
        return [self.time, float(self.chart), float(self.lap), *self.z.tolist(), *self.zd.tolist(), *zdd.tolist()]


def from_numbers(block: Array) -> State:
    """The state that a block (3 + 3 nz,) stands for."""
    return State(float(block[0]), int(block[1]), int(block[2]), *np.split(block[3:], 3))
