"""Where the forces on a list of unknowns vanish, within bounds, found by going along with them.

    r(x) = 0,   K = -dr/dx                                                                            (1)

Unknowns are counted in units of their reach, the farthest that each may go in one step, and forces as the work that
they do over it, so all of r and K is in joules, whatever the unknowns are.  K comes from differences.  A step

    (K + shift) s = r                                                                                 (2)

is Newton's, but where K is not positive: the shift, twice its most negative eigenvalue, makes every step one along
which the forces do work, r.s > 0, so the way leads downhill, to equilibria that are stable.  The length of the step is
such that the force along it is halved, or it ends at the reach of an unknown or at a bound,

    |r(x + t s).s| <= 1/2 r(x).s                                                                      (3)

which Newton's method fulfils by itself, with t = 1, where forces are smooth, and which leads over the corners of stops.
An unknown at its bound that the step would lead out is held there.  Where forces vanish but on such ones there is no
equilibrium.

A search ends where work r.s is small and does not become smaller: what is left then is rounding.  Directions without
stiffness stay where they are as long as nothing pulls along them, and so does what is in equilibrium, stable or not.

Reference: H. Matthies, G. Strang, The solution of nonlinear finite element equations, 1979, for (3).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..model.reduced_model import Array

ITERATIONS = 100
"""An ordinary suspension needs five; one that is pushed through its whole range by quarters of it, ten."""

TRIALS, FEW_TRIALS = 40, 8
"""Of the length of a step; of one that may be the last."""

DIFFERENCE = 1e-6
"""Step of the differences, of the reach;"""

FINE_DIFFERENCE, OF_A_STEP = 1e-9, 0.1
"""down to the former, but not more than this share of the last step: so that they do not go over corners nearby."""

HALF = 0.5
"""Of the force along a step: how much of it may be left at its end, or against it; see (3)."""

LONGER = 4.0
"""A step that leaves more is tried so many times as long."""

FLAT = 1e-8
"""Of the largest stiffness: less is none."""

SMALL = 1e-20
"""Of the largest stiffness: the work of a step that may be the last."""

PROGRESS = 0.9
"""It is if its work is more than this share of the smallest so far."""

UNSTABLE = 1e-6
"""Of the largest stiffness: more than this below zero is a direction that leads away."""

ON_BORDER = 1e-12
"""Of the reach: nearer than this to its bound an unknown is on it."""

Flags = NDArray[np.bool_]

Force = Callable[[Array], Array]
"""(n,) unknowns -> (n,) forces on them; a positive one makes its unknown grow."""


class Unknown(NamedTuple):
    """What an equilibrium is sought for."""

    reach: float  # how far it may go in one step
    lower: float  # infinite where it has no bound
    upper: float


class Rest(NamedTuple):
    """Where a search has ended."""

    x: Array  # (n,)
    force: Array  # (n,) that is left
    found: bool
    worst: int  # if it is not: the unknown that is pushed against its bound, or on which most is left
    held: bool  # if it is not: whether it is the bound that is in the way
    stable: bool  # if it is


class _Place(NamedTuple):
    """Forces and stiffness at one place, in joules."""

    r: Array  # (n,)
    K: Array  # (n, n)
    most: float  # the largest of all these numbers


def settle(force: Force, x: Array, unknowns: Sequence[Unknown]) -> Rest:
    """The equilibrium to which the forces lead from x (n,), if there is one."""
    bounds = _Bounds(*np.array(unknowns, dtype=float).reshape(-1, 3).T)
    x, least, best, difference = bounds.inside(x), math.inf, None, DIFFERENCE
    for _ in range(ITERATIONS):
        here = _place(force, x, bounds, difference)
        if not math.isfinite(here.most):
            break
        step, shifted = _step(here, *bounds.reached(x))
        work, most, trials = float(here.r @ step), bounds.way(x, step), TRIALS
        if work <= SMALL * here.most:
            if not work < PROGRESS * least:
                break
            least, best, most, trials = work, x, min(most, 1.0) if shifted else most, FEW_TRIALS
        t = _length(partial(_along, force, x, step, bounds), work, most, trials) if work > 0.0 else 0.0
        x = bounds.inside(x + t * step * bounds.reach)
        moved = t * float(np.abs(step).max(initial=0.0))
        difference = min(max(OF_A_STEP * moved, FINE_DIFFERENCE), DIFFERENCE)
    x = x if best is None else best
    return _judged(force(x), x, here, bounds, best is not None)


class _Bounds(NamedTuple):
    """Of all unknowns, (n,) each."""

    reach: Array
    lower: Array
    upper: Array

    def inside(self, x: Array) -> Array:
        """The nearest place within the bounds."""
        return np.clip(x, self.lower, self.upper)

    def reached(self, x: Array) -> tuple[Flags, Flags]:
        """Which unknowns are on their lower, and on their upper bounds."""
        return x - self.lower <= ON_BORDER * self.reach, self.upper - x <= ON_BORDER * self.reach

    def way(self, x: Array, step: Array) -> float:
        """How many times a step (n,) may be gone: no unknown goes farther than its reach, or over its bound."""
        moved = step != 0.0
        room = np.where(step > 0.0, self.upper - x, x - self.lower)[moved] / self.reach[moved]
        return float((np.minimum(room, 1.0) / np.abs(step[moved])).min(initial=math.inf))


def _place(force: Force, x: Array, bounds: _Bounds, difference: float) -> _Place:
    """Forces and their differences."""
    r = force(x) * bounds.reach
    K = np.empty((x.size, x.size))
    for i, reach in enumerate(bounds.reach):
        h = difference * reach
        there = x.copy()
        there[i] += h if x[i] + h <= bounds.upper[i] else -h
        K[:, i] = (r - force(there) * bounds.reach) * reach / (there[i] - x[i])
    return _Place(r, K, float(np.abs(np.concatenate((r, K.ravel()))).max(initial=0.0)))


def _step(here: _Place, below: Flags, above: Flags) -> tuple[Array, bool]:
    """The step (2), (n,), of unknowns that it does not lead out of bounds which they are on; whether it is shifted."""
    own = ~(below & (here.r < 0.0)) & ~(above & (here.r > 0.0))
    while True:
        step, shift = np.zeros(here.r.size), 0.0
        if own.any() and here.most:
            K, least = here.K[np.ix_(own, own)], smallest(here.K[np.ix_(own, own)])
            shift = 0.0 if least >= FLAT * here.most else max(FLAT * here.most, -2.0 * least)
            step[own] = np.linalg.solve(K + shift * np.eye(len(K)), here.r[own])
        out = own & ((below & (step < 0.0)) | (above & (step > 0.0)))
        if not out.any():
            return step, shift > 0.0
        own &= ~out


def smallest(K: Array) -> float:
    """Smallest eigenvalue of the symmetric part."""
    return float(np.linalg.eigvalsh(0.5 * (K + K.T))[0])


def _along(force: Force, x: Array, step: Array, bounds: _Bounds, t: float) -> float:
    """Force along a step, at a part t of it [J]."""
    return float(force(bounds.inside(x + t * step * bounds.reach)) * bounds.reach @ step)


def _length(along: Callable[[float], float], work: float, most: float, trials: int) -> float:
    """The length t of a step, up to `most`, by (3); `work` is the force along it at its start."""
    low, at_low, high, at_high = 0.0, work, math.inf, 0.0
    t = min(1.0, most)
    for _ in range(trials):
        found = along(t)
        if abs(found) <= HALF * work or (found > 0.0 and t == most):
            break
        if found > 0.0:
            low, at_low = t, found
        else:
            high, at_high = t, found
        if high < math.inf:
            t = low + min(max(at_low / (at_low - at_high), 0.1), 0.9) * (high - low)
        else:
            t = min(LONGER * t, most)
    return t


def _judged(force: Array, x: Array, here: _Place, bounds: _Bounds, settled: bool) -> Rest:
    """What the end of a search is worth; `here` is next to it."""
    r, (below, above) = force * bounds.reach, bounds.reached(x)
    out = np.where(below, -r, np.where(above, r, 0.0))
    held = bool((out > FLAT * here.most).any())
    found = settled and not held
    stable = not found or not x.size or smallest(here.K) >= -UNSTABLE * here.most
    return Rest(x, force, found, int(np.argmax(out if held else np.abs(r))) if x.size else -1, held, stable)
