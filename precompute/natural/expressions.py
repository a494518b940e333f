"""Polynomials of degree two at most in the coordinates, and vectors of them: what constraint rows are written in.

    p1, p2 = coordinates.vector("p1", [...]), coordinates.vector("p2", [...])
    row = (p2 - p1).dot(p2 - p1) - length**2

Natural coordinates are components of points and of vectors, so every constraint between them is a sum of products of
two affine expressions.  A product of higher degree is a mistake of ours, and an assertion.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

import numpy as np
from numpy.typing import ArrayLike

from precompute.arrays import Array

MOST_FACTORS = 2


@dataclass(frozen=True, eq=False)
class Polynomial:
    """A scalar: a sum of coefficients times products of columns.

    Attributes:
        terms: ascending columns of a product -> coefficient; the empty product is the constant.
    """

    terms: Mapping[tuple[int, ...], float]

    def __post_init__(self) -> None:
        """Terms that are zero are left out."""
        assert all(len(key) <= MOST_FACTORS for key in self.terms), "a constraint row is quadratic at most"
        kept = {key: float(value) for key, value in self.terms.items() if value != 0.0}
        object.__setattr__(self, "terms", MappingProxyType(kept))

    def __add__(self, other: Polynomial | float) -> Polynomial:
        """Their sum."""
        terms = dict(self.terms)
        for key, value in polynomial(other).terms.items():
            terms[key] = terms.get(key, 0.0) + value
        return Polynomial(terms)

    def __mul__(self, other: Polynomial | float) -> Polynomial:
        """Their product."""
        terms: dict[tuple[int, ...], float] = {}
        for a, x in self.terms.items():
            for b, y in polynomial(other).terms.items():
                key = tuple(sorted(a + b))
                terms[key] = terms.get(key, 0.0) + x * y
        return Polynomial(terms)

    def __neg__(self) -> Polynomial:
        """Its negative."""
        return self * -1.0

    def __sub__(self, other: Polynomial | float) -> Polynomial:
        """Their difference."""
        return self + polynomial(other) * -1.0

    __radd__ = __add__
    __rmul__ = __mul__

    def at(self, x: Array) -> Array:
        """(...) its values at coordinates x (..., nx)."""
        parts = [value * np.prod(x[..., list(key)], axis=-1) for key, value in self.terms.items()]
        return np.asarray(sum(parts, np.zeros(x.shape[:-1], x.dtype)))


def polynomial(value: Polynomial | float) -> Polynomial:
    """A number as a polynomial."""
    return value if isinstance(value, Polynomial) else Polynomial({(): float(value)})


@dataclass(frozen=True, eq=False)
class Vector:
    """Two or three polynomials: a point, a difference of points, a direction."""

    components: tuple[Polynomial, ...]

    def __add__(self, other: Vector) -> Vector:
        """Their sum."""
        return Vector(tuple(a + b for a, b in zip(self.components, other.components, strict=True)))

    def __sub__(self, other: Vector) -> Vector:
        """Their difference."""
        return self + other * -1.0

    def __mul__(self, factor: Polynomial | float) -> Vector:
        """Scaled by a number or by a coordinate."""
        return Vector(tuple(a * factor for a in self.components))

    __rmul__ = __mul__

    def dot(self, other: Vector) -> Polynomial:
        """Their scalar product."""
        return total(a * b for a, b in zip(self.components, other.components, strict=True))

    def along(self, u: Array) -> Polynomial:
        """Its component along a direction that is fixed in the ground."""
        return total(a * b for a, b in zip(self.components, u.tolist(), strict=True))

    def cross(self, other: Vector) -> tuple[Polynomial, ...]:
        """The three components of their cross product; the one of vectors in a plane."""
        a, b = self.components, other.components
        pairs = [(0, 1)] if len(a) == 2 else [(1, 2), (2, 0), (0, 1)]
        return tuple(a[i] * b[j] - a[j] * b[i] for i, j in pairs)

    def at(self, x: Array) -> Array:
        """(..., d) its components at coordinates x (..., nx)."""
        return np.stack([a.at(x) for a in self.components], axis=-1)


def constant(value: ArrayLike) -> Vector:
    """A point or a direction that does not move."""
    return Vector(tuple(polynomial(a) for a in np.asarray(value, dtype=np.float64)))


def combination(factors: ArrayLike, vectors: Sequence[Vector]) -> Vector:
    """A sum of vectors times numbers: one that is fixed in a body, by those that carry the body."""
    parts = [vector * float(f) for f, vector in zip(np.asarray(factors), vectors, strict=True)]
    return Vector(tuple(total(column) for column in zip(*(p.components for p in parts), strict=True)))


def total(parts: Iterable[Polynomial]) -> Polynomial:
    """Their sum."""
    return sum(parts, Polynomial({}))


@dataclass
class Coordinates:
    """The columns of a system while it is being written down: a name and a start value each."""

    names: list[str] = field(default_factory=list)
    values: list[float] = field(default_factory=list)

    def scalar(self, name: str, value: float) -> Polynomial:
        """A mixed coordinate: a distance, the cosine or the sine of an angle."""
        self.names.append(name)
        self.values.append(float(value))
        return Polynomial({(len(self.names) - 1,): 1.0})

    def vector(self, name: str, value: ArrayLike) -> Vector:
        """The Cartesian components of a point or of a vector."""
        value = np.asarray(value, dtype=np.float64)
        return Vector(tuple(self.scalar(f"{name}.{axis}", a) for axis, a in zip("xyz", value, strict=False)))

    @property
    def start(self) -> Array:
        """(nx,) the start values."""
        return np.array(self.values)
