"""Prony series: a spring and n Maxwell branches beside it, as a function of frequency; and the series that fits data.

    K(w) = k0 + sum_i k_i  j w t_i / (1 + j w t_i)                                     (1)

is the complex stiffness at the circular frequency w; |K| is the dynamic stiffness and arg K the loss angle.

A fit minimises the sum of |K - K_data|^2 / |K_data|^2.  For given times t_i that is linear in the rates k, none of them
negative (a branch that gives energy away is none); the times themselves are found around that.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.optimize import least_squares, nnls

from precompute.arrays import Array

NOTHING = 1e-9
"""Of the static stiffness: a branch below has none."""


@dataclass(frozen=True)
class Series:
    """A Prony series, and how far it is from the data that it was made of."""

    stiffness: float  # k0 [N/m or N.m/rad]
    rates: tuple[float, ...]  # k_i
    times: tuple[float, ...]  # t_i [s]
    error: float = 0.0  # largest |K - K_data| / |K_data|

    def complex_stiffness(self, frequency: Array) -> Array:
        """K, (1).

        Args:
            frequency: (n,) [Hz].
        """
        branches = _branches(frequency, np.log(np.array(self.times)))
        return np.asarray(self.stiffness + branches @ np.array(self.rates))

    def dynamic_stiffness(self, frequency: Array) -> Array:
        """|K|."""
        return np.abs(self.complex_stiffness(frequency))

    def loss_angle(self, frequency: Array) -> Array:
        """arg K [deg]."""
        return np.degrees(np.angle(self.complex_stiffness(frequency)))


def _branches(frequency: Array, log_times: Array) -> Array:
    """(n, branches) complex stiffness of branches with the rate 1."""
    wt = 2j * np.pi * np.asarray(frequency)[:, None] * np.exp(log_times)
    return np.asarray(wt / (1.0 + wt))


def fitted(data: Array, branches: int, stiffness: float | None = None) -> Series:
    """The series that is nearest to data.

    Args:
        data: (n, 3) frequency [Hz], dynamic stiffness, loss angle [deg].
        branches: how many, at most: those that come out as zero are left out.
        stiffness: the static one, if it is given.
    """
    frequency, size, angle = np.asarray(data, dtype=float).T
    wanted = size * np.exp(1j * np.radians(angle))
    given = 0.0 if stiffness is None else stiffness
    ends = np.log(1.0 / (2.0 * np.pi * np.array([frequency.max(), frequency.min()])))
    start = np.linspace(ends[0], ends[1], branches + 2)[1:-1]

    def rates(log_times: Array) -> tuple[Array, Array]:
        """Rates, of the static stiffness first, and what is left of the data."""
        columns = _branches(frequency, log_times)
        if stiffness is None:
            columns = np.hstack((np.ones((len(frequency), 1)), columns))
        rows = columns / size[:, None]
        right = (wanted - given) / size
        matrix, vector = np.vstack((rows.real, rows.imag)), np.concatenate((right.real, right.imag))
        found, _ = nnls(matrix, vector)
        return found, matrix @ found - vector

    best = least_squares(lambda x: rates(x)[1], start, bounds=(ends[0] - 3.0, ends[1] + 3.0)).x
    found, _ = rates(best)
    k0 = given if stiffness is not None else float(found[0])
    own = found[len(found) - branches :]
    order = [i for i in np.argsort(best) if own[i] > NOTHING * size.max()]
    series = Series(k0, tuple(float(own[i]) for i in order), tuple(float(np.exp(best[i])) for i in order))
    error = np.abs(series.complex_stiffness(frequency) - wanted) / size
    return Series(series.stiffness, series.rates, series.times, float(error.max()))
