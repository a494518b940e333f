"""How much the tables err: what their Taylor polynomials leave out, and what their splines do.

To leading order the remainder of a polynomial of order p is homogeneous of degree p + 1 in the deflections, with
coefficients that change along the axes,

    r(z, u) = sum_b sum_a c_ba P_b(z) u^a,   u = (d - about)/radius,   |a| = p + 1                                (1)

P_b are products of one function of each axis: Chebyshev polynomials over its range, or cosines and sines of a full
turn.  The rows of an error model are the remainders of some numbers of the tables, so many that none of those left out
has a much larger one; with the errors of the splines, without deflection and what deflections add, the estimate is

    e(z, u) = max_rows |r| + e_0 + sum_i e_i |u_i|                                                                   (2)

of three kinds: of anything, over what is natural for it; of lengths and positions [m]; of angles and rotations [rad].
Beyond the end of an axis it is taken at the end.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations_with_replacement, product

import numpy as np

from .reduced_model import Array, Axis, ErrorModel, IntArray, ReducedModel

ANYTHING, LENGTHS, ANGLES = range(3)


def monomials(ns: int, degree: int) -> IntArray:
    """(nm, degree) the factors of all products of so many of ns numbers."""
    return np.array(list(combinations_with_replacement(range(ns), degree)), dtype=np.int64).reshape(-1, degree)


def products(u: Array, factors: IntArray) -> Array:
    """(..., nm) monomials of u (..., ns)."""
    return np.asarray(u[..., factors].prod(axis=-1))


def functions(axes: int, degree: int) -> IntArray:
    """(nb, axes) which function of each axis P_b of (1) has, up to a total degree; 0 is the constant.

    Of a turn, numbers 2 n - 1 and 2 n are the cosine and sine of n times the angle.
    """
    found = [n for n in product(range(degree + 1), repeat=axes) if sum(n) <= degree]
    return np.array(found, dtype=np.int64).reshape(-1, axes)


def function_values(axes: Sequence[Axis], numbers: IntArray, z: Array) -> Array:
    """P_b (n, nb) of (1) at z (n, nf or more)."""
    found = np.ones((len(z), len(numbers)))
    for k, axis in enumerate(axes):
        most = int(numbers[:, k].max(initial=0))
        share = (z[:, k] - axis.lower) / (axis.upper - axis.lower)
        if axis.periodic:
            turn = 2.0 * np.pi * share
            own = [np.ones_like(turn), *((np.cos, np.sin)[n % 2]((n // 2 + 1) * turn) for n in range(most))]
        else:
            x = np.clip(2.0 * share - 1.0, -1.0, 1.0)
            own = [np.ones_like(x), x]
            for _ in range(most - 1):
                own.append(2.0 * x * own[-1] - own[-2])
        found *= np.stack(own, axis=-1)[:, numbers[:, k]]
    return found


def deflection_shares(model: ReducedModel, z: Array) -> Array:
    """u (n, ns) of (1) at states z (n, nz)."""
    about, radius = np.array([(stiff.about, stiff.radius) for stiff in model.stiff]).reshape(-1, 2).T
    return np.asarray((z[:, z.shape[1] - len(model.stiff) :] - about) / radius)


def strain(model: ReducedModel, z: Array) -> Array:
    """(n,) how near states z (n, nz) are to where the tables err by more than is allowed; above 1 they do.

    Deflections within their radii are fine; beyond one, the estimated error decides, which grows with their square or
    faster.
    """
    u = deflection_shares(model, z)
    largest = np.abs(u).max(axis=1, initial=0.0)
    if model.errors is None or not model.stiff:
        return np.asarray(largest)
    axes = model.charts[0].axes
    error = error_estimate(model.errors, axes, z[:, : len(axes)], u)[:, ANYTHING]
    return np.minimum(largest, np.sqrt(error / min(stiff.tolerance for stiff in model.stiff)))


def error_estimate(model: ErrorModel, axes: Sequence[Axis], z: Array, u: Array) -> Array:
    """(n, 3) the estimate (2) of each kind, at axes z (n, nf) and deflections over their radii u (n, ns)."""
    found = np.zeros((len(z), 3))
    P = function_values(axes, model.functions, z)
    for rows in model.rows:
        m = products(u, monomials(u.shape[1], rows.degree))
        r = np.abs(np.einsum("rba,nb,na->nr", rows.coefficients, P, m, optimize=True))
        found[:, rows.kind] = np.maximum(found[:, rows.kind], r.max(axis=1, initial=0.0))
    return found + np.array(model.splines) + np.abs(u) @ model.spline_slopes.T
