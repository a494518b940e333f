"""Where a few equations vanish: Newton's method, with slopes by complex steps.

g_u du = -g,   halved until g becomes smaller                                           (1)
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from scipy.linalg import qr, solve_triangular

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

RANK = 1e-10
"""Of slopes: what is below this share of the largest is none."""

Equations = Callable[[Sequence[Value]], Sequence[Value]]

Solve = Callable[[Array, Array], Array]
"""A matrix and a right-hand side -> the solution of the linear system."""


class NoRootError(Exception):
    """There is none, or it was not found."""


def newton(equations: Equations, start: Sequence[float], usual: Sequence[float], solve: Solve) -> Array:
    """(n,) where n equations vanish, near a start.

    Args:
        equations: (n,) unknowns, floats or complex numbers -> (n,) what is to vanish.
        start: (n,) where to begin.
        usual: (n,) how large each unknown usually is.
        solve: for the linear system (1), per usual size and with its rows scaled.

    Raises:
        NoRootError: with words that complete "the unknowns ...".
    """
    u, unit = np.array(start, dtype=float), np.array(usual, dtype=float)
    for _ in range(ITERATIONS):
        g = np.array(equations(u.tolist()), dtype=float)
        slope = _slopes(equations, u, unit)
        size = np.abs(slope).max(axis=1)
        size[size == 0.0] = 1.0
        step = unit * solve(slope / size[:, None], -g / size)
        small = float(np.abs(step / (np.abs(u) + unit)).max())
        if small < EXACT:
            return np.asarray(u + step)
        better = _downhill(equations, u, step, size)
        if better is None and small < ROUGH:
            return u
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


def regular(matrix: Array, right: Array) -> Array:
    """The solution of a system that has one.

    Raises:
        NoRootError: it has not.
    """
    try:
        return np.asarray(np.linalg.solve(matrix, right))
    except np.linalg.LinAlgError:
        raise NoRootError("are not determined by their residuals") from None


def basic(matrix: Array, right: Array) -> Array:
    """The same of one of any rank: columns that are not needed, by pivoting, stay at zero."""
    Q, R, order = qr(matrix, pivoting=True)
    pivots = np.abs(np.diag(R))
    rank = int((pivots > RANK * max(float(pivots.max(initial=0.0)), np.finfo(float).tiny)).sum())
    found = np.zeros(matrix.shape[1])
    found[order[:rank]] = solve_triangular(R[:rank, :rank], (Q.T @ right)[:rank])
    return found
