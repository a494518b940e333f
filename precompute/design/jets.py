"""Scalars, vectors and matrices as functions of n design variables: value, first and second derivatives at one design.

With n = 0 they are values alone, and these may be of many designs at once, the first of them the one of the mechanism.

(f o g)_k = f_k o g + f o g_k                                                                      (1)
(f o g)_kl = f_kl o g + f_k o g_l + f_l o g_k + f o g_kl         for any product o                 (2)
h(x)_k = h' x_k,   h(x)_kl = h' x_kl + h'' x_k x_l                                                 (3)
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from precompute.arrays import Array
from precompute.geometry.spatial import quaternion_exp, quaternion_rotation, skew


@dataclass(frozen=True, eq=False)
class Jet:
    """A quantity of any shape s and its derivatives."""

    value: Array  # (*s), of many designs (m, *s)
    first: Array  # (n, *s)
    second: Array  # (n, n, *s)

    @classmethod
    def constant(cls, value: Array, n: int) -> Jet:
        """What depends on none of n variables."""
        value = np.asarray(value, dtype=float)
        return cls(value, np.zeros((n, *value.shape)), np.zeros((n, n, *value.shape)))

    def fixed(self, value: Array, rank: int = 1) -> Jet:
        """A value that no variable changes, beside this jet of a vector or a matrix: of rank 1 or 2."""
        value = np.asarray(value, dtype=float)
        return Jet.constant(value.reshape((1,) * (self.value.ndim - rank) + value.shape), self.n)

    def here(self, rank: int = 1) -> Array:
        """Its value (*s), of that rank, at the design of the mechanism."""
        s = self.value.shape[self.value.ndim - rank :]
        return self.value.reshape(-1, *s)[0]

    @property
    def n(self) -> int:
        """How many variables there are."""
        return len(self.first)

    @property
    def varies(self) -> bool:
        """Whether it depends on any of them."""
        return bool(self.first.any() or self.second.any())

    def linear(self, change: Callable[[Array], Array]) -> Jet:
        """A linear function of it, which takes leading axes."""
        return Jet(change(self.value), change(self.first), change(self.second))

    def __add__(self, other: Jet) -> Jet:
        return Jet(self.value + other.value, self.first + other.first, self.second + other.second)

    def __sub__(self, other: Jet) -> Jet:
        return self + -other

    def __neg__(self) -> Jet:
        return self.linear(np.negative)

    def __getitem__(self, index: int) -> Jet:
        """A component, along the last axis."""
        return self.linear(lambda x: x[..., index])

    @property
    def change(self) -> Jet:
        """How it differs from its value."""
        return Jet(np.zeros_like(self.value), self.first, self.second)


def product(f: Jet, g: Jet, times: Callable[[Array, Array], Array]) -> Jet:
    """By (1) and (2), for a product that takes leading axes."""
    fk, gk = f.first, g.first
    first = times(fk, g.value) + times(f.value, gk)
    mixed = times(fk[:, None], gk[None, :])
    second = times(f.second, g.value) + mixed + np.swapaxes(mixed, 0, 1) + times(f.value, g.second)
    return Jet(times(f.value, g.value), first, second)


def cross(f: Jet, g: Jet) -> Jet:
    """Of vectors (3,)."""
    return product(f, g, np.cross)


def dot(f: Jet, g: Jet) -> Jet:
    """Of vectors (3,)."""
    return product(f, g, lambda a, b: np.einsum("...c,...c->...", a, b))


def scaled(f: Jet, factor: Jet) -> Jet:
    """A vector (3,) times a scalar."""
    return product(f, factor, lambda a, b: a * b[..., None])


def turned(R: Jet, f: Jet) -> Jet:
    """A matrix (3, 3) times a vector (3,)."""
    return product(R, f, lambda a, b: (a @ b[..., None])[..., 0])


def function(x: Jet, h: Array, slope: Array, curvature: Array) -> Jet:
    """By (3), of a scalar, with h and its derivatives there."""
    square = x.first[:, None] * x.first[None, :]
    return Jet(np.asarray(h), slope * x.first, slope * x.second + curvature * square)


def sine_and_cosine(x: Jet, at: float) -> tuple[Jet, Jet]:
    """Of a scalar, added to an angle."""
    s, c = np.sin(x.value + at), np.cos(x.value + at)
    return function(x, s, c, -s), function(x, c, -s, -c)


def norm(f: Jet) -> Jet:
    """The length of a vector (3,)."""
    square = dot(f, f)
    h = np.sqrt(square.value)
    return function(square, h, 0.5 / h, -0.25 / h**3)


def quotient(f: Jet, g: Jet) -> Jet:
    """Of scalars."""
    h = g.value
    return product(f, function(g, 1.0 / h, -1.0 / h**2, 2.0 / h**3), np.multiply)


def unit(f: Jet) -> Jet:
    """A vector (3,) over its length."""
    square = dot(f, f)
    h = square.value**-0.5
    return scaled(f, function(square, h, -0.5 * h**3, 0.75 * h**5))


def columns(*axes: Jet) -> Jet:
    """A matrix (3, m) of vectors (3,)."""

    def stacked(*parts: Array) -> Array:
        return np.stack(np.broadcast_arrays(*parts), axis=-1)

    every = ([getattr(axis, what) for axis in axes] for what in ("value", "first", "second"))
    return Jet(*(stacked(*parts) for parts in every))


def rotation(vector: Jet) -> Jet:
    """The rotation (3, 3) of a rotation vector v (3,); derivatives where it is zero: 1 + v~ + v~ v~/2."""
    V = skew(vector.first)
    square = 0.5 * (V[:, None] @ V[None, :] + V[None, :] @ V[:, None])
    return Jet(quaternion_rotation(quaternion_exp(vector.value)), V, skew(vector.second) + square)


def rotation_of_axis(axis: Jet) -> Jet:
    """The rotation vector (3,) without spin that leads from a unit vector to where it is: a0 x a, to second order."""
    return Jet(np.zeros(3), np.cross(axis.value, axis.first), np.cross(axis.value, axis.second))


def rotation_of_frame(R: Jet) -> Jet:
    """The same of three axes (3, 3): the antisymmetric part of R R0^T, to second order."""
    relative = R.linear(lambda M: M @ R.value.T)

    def vector(M: Array) -> Array:
        A = 0.5 * (M - np.swapaxes(M, -1, -2))
        return np.stack([A[..., 2, 1], A[..., 0, 2], A[..., 1, 0]], axis=-1)

    return Jet(np.zeros(3), vector(relative.first), vector(relative.second))
