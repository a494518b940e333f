"""A place of a whole mechanism: turned and moved, or mirrored.

With the orthogonal matrix T (det T = -1 where it mirrors) points go to T p + offset, directions of translations to T a,
and axes of rotations, which are axial vectors, to det(T) T a.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from precompute.arrays import Array


@dataclass(frozen=True, eq=False)
class Placement:
    """p -> T p + offset."""

    T: Array  # (3, 3) orthogonal
    offset: Array = field(default_factory=lambda: np.zeros(3))  # (3,) [m]

    @property
    def sign(self) -> float:
        """det T: -1 where it mirrors."""
        return float(np.sign(np.linalg.det(self.T)))

    def point(self, p: Array) -> Array:
        """Where a point (3,) comes to lie."""
        return self.T @ p + self.offset

    def direction(self, a: Array) -> Array:
        """Where a direction (3,) comes to point."""
        return self.T @ a

    def axial(self, a: Array) -> Array:
        """The same of the axis of a rotation, or of a moment."""
        return self.sign * (self.T @ a)


def mirror(axis: int) -> Placement:
    """The mirror image in the plane through the origin across the global axis 0, 1 or 2."""
    T = np.eye(3)
    T[axis, axis] = -1.0
    return Placement(T)
