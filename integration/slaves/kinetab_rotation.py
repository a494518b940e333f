"""Rotations by unit quaternions, in plain Python."""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt

Vector = Sequence[float]


def rotation(a: float, b: float, c: float, d: float) -> tuple[Vector, Vector, Vector]:
    """Rows of the matrix of the unit quaternion a + b i + c j + d k."""
    return (
        (1.0 - 2.0 * (c * c + d * d), 2.0 * (b * c - a * d), 2.0 * (b * d + a * c)),
        (2.0 * (b * c + a * d), 1.0 - 2.0 * (b * b + d * d), 2.0 * (c * d - a * b)),
        (2.0 * (b * d - a * c), 2.0 * (c * d + a * b), 1.0 - 2.0 * (b * b + c * c)),
    )


def turned(R: Sequence[Vector], u: Vector) -> list[float]:
    """R u."""
    x, y, z = u
    return [row[0] * x + row[1] * y + row[2] * z for row in R]


def turned_back(R: Sequence[Vector], u: Vector) -> list[float]:
    """R^T u."""
    return [R[0][i] * u[0] + R[1][i] * u[1] + R[2][i] * u[2] for i in range(3)]


def cross(a: Vector, b: Vector) -> list[float]:
    """a x b."""
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def plus(a: Vector, factor: float, b: Vector) -> list[float]:
    """a + factor b."""
    return [x + factor * y for x, y in zip(a, b, strict=True)]


def turning(e: Vector, w: Vector) -> list[float]:
    """Rate of the quaternion of a body that turns with w in its own axes, e' = e (0, w) / 2."""
    a, b, c, d = e
    x, y, z = w
    return [
        -0.5 * (b * x + c * y + d * z),
        0.5 * (a * x + c * z - d * y),
        0.5 * (a * y + d * x - b * z),
        0.5 * (a * z + b * y - c * x),
    ]


def unit(e: Vector) -> list[float]:
    """The same direction with length one."""
    length = sqrt(sum(x * x for x in e))
    return [x / length for x in e]
