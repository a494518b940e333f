"""Tables as factors, as small as their certificate allows; `fmu_src.model.factors` says what of.

Along an axis, columns by the thousand are nearly sums of a dozen functions.  These are the singular vectors of the
columns, each divided by what it may err; seen along them, numbers fall so fast that most hardly matter.  So they are
rounded to multiples of what their column can spare.  That leaves zeros, of which whole slices are dropped, and short
numbers, which the archive of an FMU packs well.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from fmu_src.model.factors import Array, times_along
from precompute.tables.blocks import TableBlock
from precompute.tables.certificate import DERIVATIVE_FACTOR, Scales

SHARE = 0.1
"""Of the error that a column may have: what its factors take of it at most."""


def factorized(block: TableBlock, scales: Scales, tolerance: float) -> TableBlock:
    """The block as factors, if these take less than it does; its certificate is measured afterwards.

    Args:
        block: with coefficients.
        scales: of its columns.
        tolerance: what their errors may be, relative to these.
    """
    if not block.core.size:
        return block
    tabulated = block.stored >= 0
    value = SHARE * tolerance * scales.value[tabulated]
    slope = SHARE * tolerance * DERIVATIVE_FACTOR * scales.gradient[tabulated]
    core, bases = factors(block.coefficients, block.knots, value, slope)
    if core.size + sum(basis.size for basis in bases) >= block.core.size:
        return block
    return replace(block, core=core, bases=bases)


def factors(
    coefficients: Array, knots: tuple[Array, ...], value: Array, slope: Array
) -> tuple[Array, tuple[Array, ...]]:
    """Core and bases of splines.

    Args:
        coefficients: (n_1, ..., n_nb, nc).
        knots: nb arrays.
        value: (nc,) what values may err.
        slope: (nc, nb) what first derivatives may err.
    """
    bases = []
    core = coefficients / value
    for k in range(len(knots)):
        basis = singular_vectors(np.moveaxis(core, k, 0).reshape(core.shape[k], -1))
        core = times_along(core, basis.T, k)
        bases.append(basis)
    step = steps(bases, knots, value, slope)
    core = np.rint(core * (value / step)) * step
    for k, basis in enumerate(bases):
        kept = np.moveaxis(core, k, 0).reshape(core.shape[k], -1).any(axis=1)
        core, bases[k] = core.compress(kept, axis=k), np.ascontiguousarray(basis[:, kept])
    return core, tuple(bases)


def steps(bases: list[Array], knots: tuple[Array, ...], value: Array, slope: Array) -> Array:
    """(nc,) powers of two: a core that is rounded to multiples of them errs by no more than this.

    A spline lies between its smallest and its largest coefficient, and so does its derivative, which is a spline too.
    A coefficient is a sum of the numbers of the core, and thus errs by half a step times the sum of its factors.
    """
    sums = [largest_sum(basis) for basis in bases]
    allowed = value / math.prod(sums)
    for k, (basis, t) in enumerate(zip(bases, knots, strict=True)):
        n = len(basis)
        degree = t.size - n - 1
        over = (t[degree + 1 : n + degree] - t[1:n])[:, None]
        derivative = degree * np.divide(
            np.diff(basis, axis=0), over, out=np.zeros((n - 1, basis.shape[1])), where=over > 0.0
        )
        others = math.prod(sums[:k] + sums[k + 1 :])
        allowed = np.minimum(allowed, slope[:, k] / (largest_sum(derivative) * others))
    return 2.0 ** np.floor(np.log2(2.0 * allowed))


def largest_sum(basis: Array) -> float:
    """Of the sizes of the numbers in a row."""
    return float(np.abs(basis).sum(axis=1).max())


def singular_vectors(matrix: Array) -> Array:
    """Left ones (n, r), largest first, each with its largest number positive."""
    vectors = np.linalg.svd(matrix, full_matrices=False)[0]
    return vectors * np.sign(np.take_along_axis(vectors, np.abs(vectors).argmax(axis=0)[None], axis=0))
