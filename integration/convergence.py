"""How the result of a coupled system depends on the communication step.

All inputs are held over a step, so the error is of first order, |x(h) - x| ~ h.  Exact is what a finer step gives.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from coupling.fmpy_master import run
from numpy.typing import NDArray

from precompute.exporting import System

STEPS = (4e-3, 2e-3, 1e-3, 5e-4)  # [s]
FINE = 6.25e-5  # [s]


@dataclass(frozen=True, eq=False)
class Convergence:
    """Errors by step."""

    steps: NDArray[np.floating]  # (n,) [s], falling
    errors: NDArray[np.floating]  # (n,) largest, relative to the range of their variable

    @property
    def orders(self) -> NDArray[np.floating]:
        """(n - 1,) observed from each step to the next."""
        return np.log(self.errors[:-1] / self.errors[1:]) / np.log(self.steps[:-1] / self.steps[1:])


def convergence(system: System, stop: float, names: Sequence[str]) -> Convergence:
    """Largest error of some variables at the points that all steps have in common."""
    exact = run(system, stop, FINE, names)
    errors = []
    for step in STEPS:
        found, every, among = run(system, stop, step, names), round(STEPS[0] / step), round(STEPS[0] / FINE)
        gaps = (np.abs(found[n][::every] - exact[n][::among]).max() / np.ptp(exact[n]) for n in names)
        errors.append(max(gaps))
    return Convergence(np.array(STEPS), np.array(errors))
