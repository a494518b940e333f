"""Constraint rows between points and vectors, in two or three dimensions.

Rows may repeat what others say, as the three of a cross product do: the system is solved by least squares, and rows
that agree do no harm.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from precompute.arrays import Array
from precompute.natural.expressions import Polynomial, Vector


@dataclass(frozen=True, eq=False)
class Bent:
    """A function of one column.

    Attributes:
        column: of x.
        function: its value, or the derivative of an order up to 3, at any x (...).
    """

    column: int
    function: Callable[[Array, int], Array]


@dataclass(frozen=True, eq=False)
class Row:
    """A constraint, polynomial + functions = 0.

    Attributes:
        label: whose it is, for messages.
        polynomial: quadratic at most.
        bent: functions of single columns; most rows have none.
    """

    label: str
    polynomial: Polynomial
    bent: tuple[Bent, ...] = ()


def held_dot(label: str, a: Vector, b: Vector, value: Polynomial | float) -> tuple[Row, ...]:
    """a . b = value: a length squared, an angle, or a part of a body's shape."""
    return (Row(label, a.dot(b) - value),)


def equal(label: str, a: Vector, b: Vector) -> tuple[Row, ...]:
    """a = b: a shared point, or a vector that is a combination of those that carry the body."""
    return tuple(Row(label, component) for component in (a - b).components)


def parallel(label: str, a: Vector, b: Vector) -> tuple[Row, ...]:
    """A x b = 0: a point on an axis, with a = p2 - p1 and b = u.  Three rows of rank two; one row in a plane."""
    return tuple(Row(label, component) for component in a.cross(b))


def angle(
    label: str, u: Vector, turned: Vector, v: Vector, cosine: Polynomial, sine: Polynomial, product: float = 1.0
) -> tuple[Row, ...]:
    """The angle from u to v by its cosine and its sine, which are regular everywhere together and never apart.

        u . v = |u| |v| cos,   turned . v = |u| |v| sin

    Args:
        label: whose it is.
        u: at right angles to the axis.
        turned: u turned by +90 deg about the axis, fixed in the body of u.
        v: at right angles to the axis as well.
        cosine: a coordinate.
        sine: a coordinate.
        product: |u| |v|.
    """
    return (*held_dot(label, u, v, product * cosine), *held_dot(label, turned, v, product * sine))


def quarter_turn(u: Vector) -> Vector:
    """A vector of the plane turned by +90 deg."""
    x, y = u.components
    return Vector((-y, x))


def distance(label: str, a: Vector, length: Polynomial | float) -> tuple[Row, ...]:
    """|a| = length, squared; the length is a number or a coordinate."""
    return (Row(label, a.dot(a) - length * length),)


def along(label: str, a: Vector, u: Vector, travel: Polynomial | float) -> tuple[Row, ...]:
    """a . u = travel along a unit vector u; the travel is a number or a coordinate."""
    return held_dot(label, a, u, travel)
