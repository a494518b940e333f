"""Products and quotients of functions of time that are known with their first derivatives.

A jet is a tuple of arrays: value, first, second, ... derivative.  Products follow the rule of Leibniz,

    (f g)^(k) = sum_j binomial(k, j) f^(j) g^(k - j)                                                   (1)
"""

from __future__ import annotations

from collections.abc import Callable
from math import comb

import numpy as np

from precompute.arrays import Array

Jet = tuple[Array, ...]


def product(f: Jet, g: Jet, times: Callable[[Array, Array], Array] = np.multiply) -> Jet:
    """By (1), for any product."""
    return tuple(
        np.sum([comb(k, j) * times(f[j], g[k - j]) for j in range(k + 1)], axis=0) for k in range(min(len(f), len(g)))
    )


def dot(f: Jet, g: Jet) -> Jet:
    """Scalar products of vectors (n, 3) -> (n,)."""
    return product(f, g, lambda a, b: np.einsum("...c,...c->...", a, b))


def cross(f: Jet, g: Jet) -> Jet:
    """Vector products (n, 3)."""
    return product(f, g, np.cross)


def matrix(f: Jet, g: Jet) -> Jet:
    """Matrix products."""
    return product(f, g, np.matmul)


def plus(f: Jet, g: Jet, factor: float = 1.0) -> Jet:
    """f + factor g."""
    return tuple(a + factor * b for a, b in zip(f, g, strict=True))


def linear(f: Jet, change: Callable[[Array], Array]) -> Jet:
    """A linear function of each."""
    return tuple(change(a) for a in f)


def quotient(f: Jet, g: Jet) -> Jet:
    """f/g of scalars: from f = h g, by (1)."""
    h: list[Array] = []
    for k in range(len(f)):
        known = sum((comb(k, j) * h[j] * g[k - j] for j in range(k)), np.zeros_like(f[0]))
        h.append((f[k] - known) / g[0])
    return tuple(h)


def root(f: Jet) -> Jet:
    """The square root of scalars: from f = h h, by (1)."""
    h = [np.sqrt(f[0])]
    for k in range(1, len(f)):
        known = sum((comb(k, j) * h[j] * h[k - j] for j in range(1, k)), np.zeros_like(f[0]))
        h.append((f[k] - known) / (2.0 * h[0]))
    return tuple(h)


def angle(sine: Jet, cosine: Jet) -> Jet:
    """atan2(S, C) of scalars: its rate is (C S' - S C')/(S^2 + C^2)."""
    value = np.arctan2(sine[0], cosine[0])
    if len(sine) == 1:
        return (value,)
    rising = product(cosine[:-1], sine[1:])
    rate = quotient(plus(rising, product(sine[:-1], cosine[1:]), -1.0), squares(sine[:-1], cosine[:-1]))
    return (value, *rate)


def squares(f: Jet, g: Jet) -> Jet:
    """f^2 + g^2."""
    return plus(product(f, f), product(g, g))
