"""Whether samples tell an acceleration: the spline through all of them against the splines through every second one.

Where a motion is smooth and its samples are close enough, the two agree: at n samples per period of a sine they differ
by 0.7 % of what the acceleration spans for n = 10, by 7 % for n = 6.  At a step, a kink, and where there is noise, they
differ by 44 % and more, since the acceleration grows with the inverse of the distance of samples there; at a jump of
the acceleration, as a cosine bump has at its ends, by a tenth to a third.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.interpolate import make_interp_spline

from precompute.arrays import Array
from precompute.solving.prescribed import DEGREE

REFUSED = 0.38
"""Of what accelerations span: samples that leave more than this open do not tell them."""

DOUBTED = 0.05
"""Of the same: what they leave open is worth a warning."""

ENDS = 3
"""Samples of the coarser splines at each end that are left out: splines are less accurate there."""

FEWEST = 4 * ENDS + 4
"""Samples below which nothing can be said."""

NATURAL = 0.05
"""Of the span over its duration (squared): accelerations below this are those of a motion that has none."""

ROUNDING = 1e-14
"""Of values over the distance of samples (squared): what rounding makes of a constant."""


@dataclass(frozen=True)
class Doubt:
    """Where samples tell least what a derivative is."""

    time: float
    all_rows: float  # the derivative by all samples
    every_second: float  # by half of them
    share: float  # of its span that is left open

    @property
    def refused(self) -> bool:
        """Whether it is no derivative at all."""
        return self.share > REFUSED


def doubt(t: Array, values: Array, order: int) -> Doubt | None:
    """What is doubtful in a derivative of the spline through samples (n,); None if nothing is."""
    if len(t) < FEWEST:
        return None
    full = np.asarray(make_interp_spline(t, values, k=DEGREE).derivative(order)(t))
    inside = (t >= t[2 * ENDS + 1]) & (t <= t[-2 * ENDS - 2])
    halves = [
        np.asarray(make_interp_spline(t[first::2], values[first::2], k=DEGREE).derivative(order)(t[inside]))
        for first in (0, 1)
    ]
    worst = halves[int(np.abs(halves[1] - full[inside]).max() > np.abs(halves[0] - full[inside]).max())]
    difference, size = np.abs(worst - full[inside]), float(np.ptp([0.0, full[inside].min(), full[inside].max()]))
    k = int(np.argmax(difference))
    rounding = ROUNDING * float(np.abs(values).max()) / float(np.diff(t).min()) ** order
    natural = NATURAL * float(np.ptp(values)) / float(t[-1] - t[0]) ** order
    if difference[k] <= max(DOUBTED * size, natural, rounding):
        return None
    at = np.flatnonzero(inside)[k]
    return Doubt(float(t[at]), float(full[at]), float(worst[k]), float(difference[k]) / size)
