"""The chassis of the full model: the ground as a body whose motion is prescribed.

The bodies live in the inertial frame; the frame of the ground coincides with it as long as the chassis stays at rest.
The twist V = [w; v] is that of the chassis' origin, in chassis axes, angular part first:

    dR/dt = R skew(w),   dp/dt = R v,   acceleration of the origin = R (dv/dt + w x v)          (1)
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from precompute.arrays import Array, frozen_array

TwistHistory = Callable[[float], tuple[Array, Array]]
"""Time -> twist (6,) [rad/s, m/s] and its derivative (6,) [rad/s2, m/s2], both in chassis axes."""


@dataclass(frozen=True, eq=False)
class ChassisState:
    """Where the chassis is and how it moves at one instant."""

    p: Array = field(default_factory=lambda: np.zeros(3))  # (3,) origin, in the inertial frame [m]
    quaternion: Array = field(default_factory=lambda: np.array([1.0, 0.0, 0.0, 0.0]))  # (4,) scalar first
    twist: Array = field(default_factory=lambda: np.zeros(6))  # (6,) [w; v] in chassis axes
    rate: Array = field(default_factory=lambda: np.zeros(6))  # (6,) time derivative of the twist's components

    def __post_init__(self) -> None:
        for what, size in (("p", 3), ("quaternion", 4), ("twist", 6), ("rate", 6)):
            object.__setattr__(self, what, frozen_array(getattr(self, what), (size,), f"chassis, {what}"))

    @cached_property
    def R(self) -> Array:
        """(3, 3) chassis axes in the inertial frame."""
        e0, e = self.quaternion[0], self.quaternion[1:]
        K = np.array([[0.0, -e[2], e[1]], [e[2], 0.0, -e[0]], [-e[1], e[0], 0.0]])
        return np.eye(3) + 2.0 * (e0 * K + K @ K) / float(self.quaternion @ self.quaternion)

    @cached_property
    def velocity(self) -> Array:
        """(3,) of the origin, in the inertial frame [m/s]."""
        return self.R @ self.twist[3:]

    @cached_property
    def acceleration(self) -> Array:
        """(3,) of the origin, in the inertial frame, by (1) [m/s2]."""
        return self.R @ (self.rate[3:] + np.cross(self.twist[:3], self.twist[3:]))

    @property
    def u(self) -> Array:
        """(6,) rates as those of a body: angular velocity in chassis axes, velocity in the inertial frame."""
        return np.concatenate([self.twist[:3], self.velocity])
