"""The state of a motion: all that a later step needs to know of the past."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .reduced_model import Array


@dataclass(frozen=True, eq=False)
class State:
    """Where a motion is; as numbers one contiguous block [t, chart, lap, z, zd], so saving it is a copy."""

    time: float  # [s]
    chart: int
    lap: int  # how often it has gone all round
    z: Array  # (nz,)
    zd: Array  # (nz,)

    def numbers(self) -> list[float]:
        """As one block, (3 + 2 nz)."""
        return [self.time, float(self.chart), float(self.lap), *self.z.tolist(), *self.zd.tolist()]


def from_numbers(block: Array) -> State:
    """The state that a block (3 + 2 nz,) stands for."""
    z, zd = np.split(block[3:], 2)
    return State(float(block[0]), int(block[1]), int(block[2]), z, zd)
