"""Extremes and range pairs of a load over time.

Range pairs are counted by the rainflow method of ASTM E1049-85, 5.4.4 (package `rainflow`): a closed loop counts one, a
range that is left open a half.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import rainflow

from precompute.arrays import Array

CLASSES = 32
"""Of equal width, of ranges up to the largest of a load."""

HISTOGRAM = ("range_from", "range_to", "mean", "cycles")
"""What a row of a histogram has."""

RIPPLE = 1e-6
"""Ranges below this share of the largest are rounding."""

LARGE = 0.1
"""Ranges above this share of the largest are counted in summaries."""


class Extremes(NamedTuple):
    """Smallest and largest value, with the times at which they are first reached [s]."""

    smallest: float
    smallest_at: float
    largest: float
    largest_at: float


def extremes(time: Array, values: Array) -> Extremes:
    """Of a load (n,) over time (n,)."""
    low, high = int(np.argmin(values)), int(np.argmax(values))
    return Extremes(float(values[low]), float(time[low]), float(values[high]), float(time[high]))


def cycles(values: Array) -> Array:
    """Range pairs (number, 3) of a load (n,): range, mean, and 1 or 0.5 for a half; those of rounding left out."""
    found = np.array([cycle[:3] for cycle in rainflow.extract_cycles(values.tolist())], dtype=float).reshape(-1, 3)
    least = max(RIPPLE * float(np.ptp(values)), 1e-14 * float(np.abs(values).max(initial=0.0)))
    return np.asarray(found[found[:, 0] > least])


def large_cycles(values: Array) -> float:
    """How many range pairs are above `LARGE` of the largest range."""
    found = cycles(values)
    return float(found[found[:, 0] > LARGE * found[:, 0].max(initial=0.0), 2].sum())


def histogram(values: Array) -> Iterator[list[float]]:
    """Classes of ranges that occur: from, to, mean of the cycles in it, number of cycles."""
    found = cycles(values)
    width = float(found[:, 0].max(initial=0.0)) / CLASSES
    number = np.clip(np.ceil(found[:, 0] / width) if width else found[:, 0], 1, CLASSES)
    for k in np.unique(number).astype(int).tolist():
        own = found[number == k]
        count = float(own[:, 2].sum())
        yield [(k - 1) * width, k * width, float(own[:, 1] @ own[:, 2]) / count, count]
