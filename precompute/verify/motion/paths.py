"""Smooth paths of one coordinate, along which an FMU is led through its range."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

Motion = tuple[float, float, float]
"""Value, rate and acceleration."""

PEAK = 1.875
"""Largest rate of a segment over its mean rate."""


@dataclass(frozen=True)
class Waypoints:
    """From value to value, at rest at each but perhaps the first; smooth up to the acceleration.

    With s the share of a segment's time, from p to p + D in the time T and from the rate v,

        x = p + D (10 s^3 - 15 s^4 + 6 s^5) + v T (s - 6 s^3 + 8 s^4 - 3 s^5)                   (1)
    """

    times: tuple[float, ...]  # [s] ascending
    values: tuple[float, ...]
    rate: float = 0.0  # at the first

    def at(self, t: float) -> Motion:
        """Where it is at time t; at rest after the last."""
        if t >= self.times[-1]:
            return self.values[-1], 0.0, 0.0
        k = max(0, int(np.searchsorted(self.times, t, side="right")) - 1)
        T = self.times[k + 1] - self.times[k]
        s, D = (t - self.times[k]) / T, self.values[k + 1] - self.values[k]
        v = self.rate * T if k == 0 else 0.0
        x = self.values[k] + D * s**3 * (10 - 15 * s + 6 * s**2) + v * s * (1 - 6 * s**2 + 8 * s**3 - 3 * s**4)
        xd = D * 30 * s**2 * (1 - s) ** 2 + v * (1 - 18 * s**2 + 32 * s**3 - 15 * s**4)
        xdd = D * 60 * s * (1 - 3 * s + 2 * s**2) + v * (-36 * s + 96 * s**2 - 60 * s**3)
        return x, xd / T, xdd / T**2


@dataclass(frozen=True)
class Turning:
    """On and on at one rate."""

    start: float
    rate: float

    def at(self, t: float) -> Motion:
        """Where it is at time t."""
        return self.start + self.rate * t, self.rate, 0.0


Path = Waypoints | Turning


def to_and_fro(start: float, rate: float, lower: float, upper: float, cycles: int, first_up: bool) -> tuple[float, ...]:
    """Values to go to: from the start to both ends in turn, as often as `cycles` says, and back.

    A coordinate that moves already goes on that way first.
    """
    ends = (upper, lower) if (first_up if rate == 0.0 else rate > 0.0) else (lower, upper)
    return (start, *(ends * cycles), start)


def timed(values: Sequence[float], rate: float, duration: Callable[[float], float]) -> Waypoints:
    """A path whose segments last as long as a function says of their length."""
    lengths = [abs(b - a) for a, b in zip(values, values[1:], strict=False)]
    times = np.concatenate([[0.0], np.cumsum([duration(length) for length in lengths])])
    return Waypoints(tuple(times.tolist()), tuple(values), rate)


def stretched(path: Path, stop: float) -> Path:
    """The same path in the time `stop` [s]; one that turns, or begins with a rate, keeps its pace there."""
    if isinstance(path, Turning):
        return path
    times = np.array(path.times)
    kept = times[1] if path.rate else 0.0
    scaled = kept + (times - kept) * (stop - kept) / max(times[-1] - kept, 1e-300)
    return Waypoints(tuple(np.where(times <= kept, times, scaled).tolist()), path.values, path.rate)
