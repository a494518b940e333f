"""Solved positions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from precompute.arrays import Array


@dataclass(frozen=True, eq=False)
class Places:
    """Solved positions of a mechanism at n values of its independent coordinates.

    Places know which coordinates they were solved for; continuation to values of any others can start from them.
    """

    names: tuple[str, ...]  # the independent coordinates, free ones first, then all stiff ones
    values: Array  # (n, nz) [m or rad]; angles count their laps
    x: Array  # (n, nx) natural coordinates of the system with these coordinates, unknown and given
    angles: Array  # (n, na) of all rotations of joints, counted along the way from design [rad]

    def __len__(self) -> int:
        return len(self.x)

    def __getitem__(self, which: Any) -> Places:
        """Some of them: by a number (one place, n = 1), a slice, an array of numbers or truths."""
        picked = np.atleast_1d(np.arange(len(self.x))[which])
        return Places(self.names, self.values[picked], self.x[picked], self.angles[picked])
