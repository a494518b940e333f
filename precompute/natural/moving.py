"""How bodies, points and measures move at solved positions."""

from __future__ import annotations

from dataclasses import dataclass

from precompute.arrays import Array
from precompute.measures.measure import Measure


@dataclass(frozen=True, eq=False)
class BodyMotion:
    """Of one body, in ground axes."""

    p: Array  # (n, 3) centre of mass [m]; of the ground its origin
    R: Array  # (n, 3, 3) rotation since design
    v: Array  # (n, 3) [m/s]
    w: Array  # (n, 3) angular velocity [rad/s]
    a: Array  # (n, 3) [m/s2]
    alpha: Array  # (n, 3) angular acceleration [rad/s2]
    jerk: Array  # (n, 3) of the centre of mass [m/s3]


@dataclass(frozen=True, eq=False)
class PointMotion:
    """Of one point of a body, in ground axes."""

    p: Array  # (n, 3) [m]
    v: Array  # (n, 3)
    a: Array  # (n, 3)
    jerk: Array  # (n, 3)


@dataclass(frozen=True, eq=False)
class Scalars:
    """Of one measure."""

    value: Array  # (n,) [m or rad]
    rate: Array  # (n,)
    acceleration: Array  # (n,)


class Moved:
    """Bodies and points in motion at n places."""

    def body(self, name: str) -> BodyMotion:
        """Motion of a body by its centre of mass; a link between two balls turns by the least rotation from design."""
        raise NotImplementedError

    def point(self, body: str, p: Array) -> PointMotion:
        """Motion of the point of a body that is at p (3,) at design, in G."""
        raise NotImplementedError

    def measure(self, measure: Measure) -> Scalars:
        """Value, rate and acceleration of any measure, by formulas of its own."""
        raise NotImplementedError


class Columns:
    """Velocities per unit rate of each independent coordinate, in the order of `names`."""

    names: tuple[str, ...]

    def body(self, name: str) -> tuple[Array, Array]:
        """v (n, 3, nz) of the centre of mass and w (n, 3, nz)."""
        raise NotImplementedError

    def point(self, body: str, p: Array) -> Array:
        """(n, 3, nz) of the point of a body that is at p (3,) at design."""
        raise NotImplementedError

    def measure(self, measure: Measure) -> Array:
        """(n, nz) gradient of a measure."""
        raise NotImplementedError
