"""The motion of all bodies along the independent coordinates, as measures ask for it."""

from __future__ import annotations

from dataclasses import dataclass, field

from precompute.arrays import Array
from precompute.kinematics.poses import Poses

Along = slice | list[int]
"""Coordinates along which derivatives are taken: all of them, or their numbers."""


@dataclass(frozen=True, eq=False)
class Motion:
    """Velocities per unit zdot and their derivatives along nd of the nz coordinates, at a batch of configurations."""

    places: Poses
    B: Array  # (..., nv, nz) rates of all joints
    W: Array  # (..., nb + 1, 6, nz) spatial velocities of the bodies
    dW: Array  # (..., nb + 1, 6, nz, nd) their derivatives, or the part of them without dB
    dB: Array  # (..., nv, nz, nd) derivatives of the velocity coefficients; zero if dW is without them
    along: Along = field(default_factory=lambda: slice(None))  # the nd coordinates

    def velocity(self, body: str) -> Array:
        """(..., 6, nz) of a body."""
        return self.W[..., self.places.number(body), :, :]

    def velocity_along(self, body: str) -> Array:
        """(..., 6, nd) of a body."""
        return self.velocity(body)[..., self.along]

    def acceleration(self, body: str) -> Array:
        """(..., 6, nz, nd) of a body."""
        return self.dW[..., self.places.number(body), :, :, :]

    def slopes(self, row: Array) -> tuple[Array, Array]:
        """Derivatives (..., nz), and (..., nd) of them, of what has this row (..., nv) over the joint rates."""
        slopes = (row[..., None, :] @ self.B)[..., 0, :]
        return slopes, slopes[..., self.along]

    def coordinate_second(self, joint: str, index: int) -> Array:
        """(..., nz, nd) of a scalar joint coordinate."""
        return self.dB[..., self.places.topology.scalars[joint, index][1], :, :]
