"""Solved positions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from precompute.arrays import Array


@dataclass(frozen=True, eq=False)
class Places:
    """Solved positions of a mechanism at n values of its independent coordinates.

    Places know which coordinates they were solved for (`names`); any others can start from them.
    """

    names: tuple[str, ...]  # the independent coordinates, in the order of `values`
    values: Array  # (n, nz) [m or rad]; angles count their laps
    q: Array  # (n, nq) natural coordinates

    def __len__(self) -> int:
        return len(self.q)

    def __getitem__(self, which: Any) -> Places:
        """Some of them: by a number (one place, n = 1), a slice, an array of numbers or truths."""
        picked = np.atleast_1d(np.arange(len(self.q))[which])
        return Places(self.names, self.values[picked], self.q[picked])
