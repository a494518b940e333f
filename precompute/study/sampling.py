"""Designs of a study as points of the unit cube, any stretch of them without the others.

montecarlo  at random, each chunk with a seed of its own
sobol       scrambled Sobol points, which fill the space more evenly
saltelli    rows of d + 2 designs for d variables: with A and B the two halves of a Sobol point of 2 d numbers,

                A,  B,  A with its number i from B (i = 1 .. d)                                            (1)

            from which Sobol indices of first order and total ones follow without any model (Saltelli et al. 2010)
"""

from __future__ import annotations

from typing import Literal

import numpy as np
from scipy.stats import qmc

from precompute.arrays import Array
from precompute.errors import PrecomputeError

Sampler = Literal["montecarlo", "sobol", "saltelli"]

BITS = 30
"""Of Sobol points: they are multiples of 2^-30, and stand for the middles of such cells."""

ROWS = 64
"""Of Saltelli's designs at least: with fewer, indices are noise."""


def count(sampler: Sampler, samples: int, variables: int) -> int:
    """How many designs there are of those asked for: of Saltelli's, rows in a power of two.

    Raises:
        PrecomputeError: they are too few.
    """
    if sampler != "saltelli":
        return samples
    row = variables + 2
    if samples < ROWS * row:
        raise PrecomputeError(
            f"samples is {samples}; saltelli takes {row} designs, two more than variables, at least {ROWS} times: give "
            f"{ROWS * row} or more"
        )
    rows: int = 1 << ((samples // row).bit_length() - 1)
    return rows * row


def evenly(dimensions: int, seed: int, start: int, n: int) -> Array:
    """(n, dimensions) Sobol points from number `start` on, of the open unit cube."""
    points = qmc.Sobol(dimensions, scramble=True, bits=BITS, seed=np.random.default_rng(seed))
    if start:  # SciPy cannot skip no point
        points.fast_forward(start)
    return np.asarray(points.random(1 << (n - 1).bit_length())[:n] + 0.5 ** (BITS + 1))  # a power of two, for balance


def saltelli(variables: int, seed: int, start: int, n: int) -> Array:
    """(n, variables) of (1), row after row."""
    row = variables + 2
    first, last = start // row, (start + n - 1) // row
    A, B = np.split(evenly(2 * variables, seed, first, last - first + 1), 2, axis=1)
    mixed = np.repeat(A[:, None], variables, axis=1)
    own = np.arange(variables)
    mixed[:, own, own] = B
    designs = np.concatenate([A[:, None], B[:, None], mixed], axis=1).reshape(-1, variables)
    return designs[start - first * row :][:n]
