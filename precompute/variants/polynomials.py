"""Polynomials of second order through designs: at -1, 0 and 1 along each parameter, and where two change together.

    T_i = (T(+i) - T(-i))/2,   T_ii = (T(+i) + T(-i))/2 - T,   T_ij = (T(+i+j) + T(-i-j))/2 - T_ii - T_jj - T     (1)

so that the polynomial is exact at all of these but the last, of whose two it takes the mean.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations

import numpy as np

from fmu_src.model.designs import product_values, products
from precompute.arrays import Array

Signs = tuple[int, ...]
"""A design: of each parameter -1, 0 or 1 times its range."""

BETWEEN = 3.0**-0.5
"""Where the error of a polynomial through -1, 0 and 1 is largest, to third order."""


def designs(count: int) -> list[Signs]:
    """Those of (1) but the first, in which nothing changes: along one parameter, then along two."""
    alone = [_signs(count, {i: sign}) for i in range(count) for sign in (-1, 1)]
    return alone + [_signs(count, {i: s, j: s}) for i, j in combinations(range(count), 2) for s in (-1, 1)]


def probes(count: int) -> list[tuple[float, ...]]:
    """Designs at which the polynomial is compared: between those along one parameter; all parameters together."""
    alone = [tuple(BETWEEN * x for x in _signs(count, {i: s})) for i in range(count) for s in (-1, 1)]
    corners = [tuple(float(s * t**i) for i in range(count)) for s in (-1, 1) for t in (-1, 1)] if count > 1 else []
    return alone + corners


def _signs(count: int, chosen: Mapping[int, int]) -> Signs:
    return tuple(chosen.get(i, 0) for i in range(count))


def coefficients(count: int, values: Mapping[Signs, Array]) -> Array:
    """T_i and T_ij (products, ...) of (1), from values at all designs and at none changed."""
    middle = values[_signs(count, {})]
    found = []
    for factors in products(count):
        i, j = factors[0], factors[-1]
        upper, lower = (values[_signs(count, {i: s, j: s})] for s in (1, -1))
        if len(factors) == 1:
            found.append((upper - lower) / 2.0)
        else:
            found.append((upper + lower) / 2.0 - middle)
    number = {factors: k for k, factors in enumerate(products(count))}
    for (i, *others), k in number.items():
        if others and i != others[0]:
            found[k] = found[k] - found[number[i, i]] - found[number[others[0], others[0]]]
    return np.array(found)


def at(parts: Array, u: tuple[float, ...]) -> Array:
    """What the polynomial is more at u than in the middle."""
    return np.asarray(np.tensordot(product_values(u), parts, 1))
