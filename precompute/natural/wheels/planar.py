"""A wheel in a plane, with its centre O and a point A.

P is where it touches the track; it moves along the track as the foot of the normal through O, with O' the centre of
curvature of the track there:

    (O - P) . Od = 0,   (A - P) . Ad = 0        (3.53), (3.54)       sliding: the first one alone
    Pd = (O'P / O'O) Od                         (3.57)

For velocity and acceleration it is a four-bar linkage O' O A A' with A' the centre of curvature of the path of A, on
the line through A and P, by Euler and Savary, with Psi the angle between PA and the common tangent:

    (1/PA + 1/PA') sin Psi = 1/PO + 1/PO'       (3.58)

Reference: Garcia de Jalon and Bayo, Kinematic and Dynamic Simulation of Multibody Systems, 3.6.1 and 3.6.2.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from precompute.arrays import Array
from precompute.natural.wheels.rows import Columns


@dataclass(frozen=True, eq=False)
class PlanarWheel:
    """A wheel on a circle, or on what has such a circle of curvature where it touches.

    Attributes:
        O: columns of its centre.
        A: columns of another point.
        centre: (2,) O'.
        radius: of the track about O', positive; the wheel is outside of it, or inside.
        rolling: False: it slides.
    """

    O: Columns  # noqa: E741
    A: Columns
    centre: Array
    radius: float
    rolling: bool = True

    def contact(self, x: Array) -> Array:
        """(n, 2) P."""
        arm = x[:, self.O] - self.centre
        return np.asarray(self.centre + self.radius * arm / np.linalg.norm(arm, axis=1, keepdims=True))

    def pole_velocity(self, x: Array, xd: Array) -> Array:
        """(n, 2) (3.57), of a centre that keeps its distance from the track."""
        arm = np.linalg.norm(x[:, self.O] - self.centre, axis=1, keepdims=True)
        return np.asarray(self.radius / arm * xd[:, self.O])

    def _points(self) -> tuple[Columns, ...]:
        return (self.O, self.A) if self.rolling else (self.O,)

    def matrix(self, x: Array) -> Array:
        """(3.53), (3.54)."""
        P, points = self.contact(x), self._points()
        rows = np.zeros((len(x), len(points), x.shape[1]))
        for k, columns in enumerate(points):
            rows[:, k, columns] = x[:, columns] - P
        return rows

    def drift(self, x: Array, xd: Array) -> Array:
        """What (3.55), (3.56) have besides accelerations."""
        Pd = self.pole_velocity(x, xd)
        return np.stack([((xd[:, c] - Pd) * xd[:, c]).sum(axis=1) for c in self._points()], axis=1)


def conjugate_distance(PA: float, PO: float, PO_track: float, psi: float) -> float:
    """PA' of (3.58), of an A' on the other side of P than A.

    Args:
        PA: distance of A from P.
        PO: of the wheel's centre from P.
        PO_track: of the track's centre of curvature, positive on the other side of P than O; infinite: straight.
        psi: between PA and the common tangent [rad].
    """
    curvature = 1.0 / PO + (0.0 if np.isinf(PO_track) else 1.0 / PO_track)
    return float(1.0 / (curvature / np.sin(psi) - 1.0 / PA))
