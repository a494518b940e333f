"""Where a few equations vanish: Newton's method, with slopes by complex steps.

    (g_u - 1/T) du = -g,   halved until g becomes smaller                                   (1)

where g is the rate of u, T is a long time: such a step is then one of Euler's implicit method, which goes where u goes
by itself and leaves alone what does not change.  Of other equations 1/T is zero.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from precompute.arrays import Array
from precompute.errors import PrecomputeError
from precompute.reference.devices.formulas import Value

STEP = 1e-30
"""Of complex steps, over what is usual for an unknown."""

ITERATIONS = 100
HALVINGS = 30

EXACT = 1e-13
"""A step that is smaller, over the unknown and what is usual for it, is the last."""

ROUGH = 1e-9
"""So is one that is smaller than this and makes nothing better: what is left then is rounding."""

Equations = Callable[[Sequence[Value]], Sequence[Value]]


class NoRootError(Exception):
    """There is none, or it was not found."""


def newton(equations: Equations, start: Sequence[float], usual: Sequence[float], slow: Sequence[float] = ()) -> Array:
    """(n,) where n equations vanish, near a start.

    Args:
        equations: (n,) unknowns, floats or complex numbers -> (n,) what is to vanish.
        start: (n,) where to begin.
        usual: (n,) how large each unknown usually is.
        slow: (n,) 1/T of (1), or nothing where that is zero for all.

    Raises:
        NoRootError: with words that complete "the unknowns ...".
    """
    u, unit = np.array(start, dtype=float), np.array(usual, dtype=float)
    damped = np.diag(unit * np.array(slow or np.zeros(u.size)))
    for _ in range(ITERATIONS):
        g = np.array(equations(u.tolist()), dtype=float)
        own = _slopes(equations, u, unit)
        slope = own - damped
        size = np.abs(slope).max(axis=1)
        size[size == 0.0] = 1.0
        try:
            step = unit * np.linalg.solve(slope / size[:, None], -g / size)
        except np.linalg.LinAlgError:
            raise NoRootError("are not determined by their residuals") from None
        small = float(np.abs(step / (np.abs(u) + unit)).max())
        if small < EXACT:
            return np.asarray(u + step)
        better = _downhill(equations, u, step, size)
        if better is None and small < ROUGH:
            return u
        if better is None and slow and (~own.any(axis=1) & (g != 0.0)).any():
            raise NoRootError("have rates that nothing stops")
        if better is None:
            break
        u = better
    raise NoRootError(f"were not found: the search came to {', '.join(f'{x:.6g}' for x in u)}")


def _slopes(equations: Equations, u: Array, unit: Array) -> Array:
    """(n, n) per usual size of each unknown."""
    columns = []
    for k in range(len(u)):
        at: list[Value] = u.tolist()
        at[k] += 1j * STEP * unit[k]
        columns.append([found.imag / STEP for found in equations(at)])
    return np.array(columns).T


def _downhill(equations: Equations, u: Array, step: Array, size: Array) -> Array | None:
    """The first of u + step, u + step/2, ... where equations, over `size`, have become smaller; None if none is."""
    before = float(np.abs(np.array(equations(u.tolist())) / size).max())
    for share in 0.5 ** np.arange(HALVINGS):
        there = u + share * step
        try:
            if float(np.abs(np.array(equations(there.tolist())) / size).max()) < before:
                return np.asarray(there)
        except PrecomputeError:
            continue
    return None
