"""The motion of all bodies along the independent coordinates, as measures ask for it."""

from __future__ import annotations

from dataclasses import dataclass

from precompute.arrays import Array
from precompute.kinematics.poses import Poses


@dataclass(frozen=True, eq=False)
class Motion:
    """Velocities per unit zdot and their derivatives along z, at a batch of configurations."""

    places: Poses
    W: Array  # (..., nb + 1, 6, nz) spatial velocities of the bodies
    dW: Array  # (..., nb + 1, 6, nz, nz) their derivatives, or the part of them without dB
    dB: Array  # (..., nv, nz, nz) derivatives of the velocity coefficients; zero if dW is without them

    def velocity(self, body: str) -> Array:
        """(..., 6, nz) of a body."""
        return self.W[..., self.places.number(body), :, :]

    def acceleration(self, body: str) -> Array:
        """(..., 6, nz, nz) of a body."""
        return self.dW[..., self.places.number(body), :, :, :]

    def coordinate_second(self, joint: str, index: int) -> Array:
        """(..., nz, nz) of a scalar joint coordinate."""
        return self.dB[..., self.places.topology.scalars[joint, index][1], :, :]
