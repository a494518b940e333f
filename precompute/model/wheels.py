"""Axes of the vehicle, wheels, axles and the vehicle around them, at the design position in G, in SI units and radians.

What metrics of suspensions need beyond the mechanism itself; none of it changes a motion.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from precompute.arrays import Array, frozen_array, unit_vector
from precompute.measures.measure import Measure
from precompute.units import Units

Side = Literal["left", "right"]
End = Literal["front", "rear"]
Reaction = Literal["inboard", "outboard"]
"""Who holds the torque of a brake or drive: the chassis, at the other end of a shaft, or the wheel carrier."""

SQUARE = 1e-9
"""How far the axes of the vehicle may be from perpendicular unit vectors."""

ACROSS = 0.1
"""Least share of a wheel's spin axis across the vehicle, 84 deg from it: beyond, no end of the axis is its left one."""


@dataclass(frozen=True, eq=False)
class Axes:
    """Where forward, left and up are, as unit vectors in G; right-handed as in ISO 8855, where they are x, y and z."""

    forward: Array = field(default_factory=lambda: np.eye(3)[0])  # (3,)
    left: Array = field(default_factory=lambda: np.eye(3)[1])  # (3,)
    up: Array = field(default_factory=lambda: np.eye(3)[2])  # (3,)

    def __post_init__(self) -> None:
        for what in ("forward", "left", "up"):
            object.__setattr__(self, what, frozen_array(getattr(self, what), (3,), what))
        if np.abs(self.R @ self.R.T - np.eye(3)).max() > SQUARE:
            raise ValueError("forward, left and up are not perpendicular unit vectors")
        if np.linalg.det(self.R) < 0.0:
            raise ValueError("forward, left and up are left-handed; turn one of them round")

    @property
    def R(self) -> Array:
        """(3, 3) rows forward, left, up: R @ v has the components of v in axes of ISO 8855."""
        return np.stack([self.forward, self.left, self.up])


@dataclass(frozen=True, eq=False)
class Wheel:
    """A wheel on its carrier."""

    name: str
    body: str  # the carrier
    centre: Array  # (3,) at design in G [m]
    spin_axis: Array  # (3,) unit at design in G; points to the left of the vehicle, on both sides of it
    side: Side
    radius: float  # [m] loaded: from the centre to the road along the wheel plane, at design
    unloaded_radius: float | None = None  # [m]
    tyre_rate: float | None = None  # [N/m] vertical

    def __post_init__(self) -> None:
        object.__setattr__(self, "centre", frozen_array(self.centre, (3,), "centre"))
        axis = frozen_array(self.spin_axis, (3,), "spin_axis")
        if float(np.linalg.norm(axis)) == 0.0:
            raise ValueError("spin_axis has zero length")
        object.__setattr__(self, "spin_axis", unit_vector(axis))
        for what, least in (("radius", 0.0), ("unloaded_radius", 0.0), ("tyre_rate", 0.0)):
            value = getattr(self, what)
            if value is not None and not (math.isfinite(value) and value > least):
                raise ValueError(f"{what} is {value:g}; it must be positive")
        if self.unloaded_radius is not None and self.unloaded_radius < self.radius:
            raise ValueError(
                f"unloaded_radius is {self.unloaded_radius:g} m, less than the loaded one, {self.radius:g} m"
            )

    @property
    def outboard(self) -> Array:
        """(3,) the spin axis, pointing away from the vehicle."""
        return self.spin_axis if self.side == "left" else -self.spin_axis

    def toe_and_camber(self, axes: Axes) -> tuple[float, float]:
        """Static angles at design [rad]: toe is positive in, camber with the top outward."""
        forward, left, up = (axes.R @ self.spin_axis).tolist()
        outward = 1.0 if self.side == "left" else -1.0
        return outward * math.atan2(forward, left), -outward * math.asin(max(-1.0, min(1.0, up)))

    def contact(self, axes: Axes) -> Array:
        """(3,) the lowest point of the disc of the loaded radius, at design in G [m]."""
        across = axes.up - (axes.up @ self.spin_axis) * self.spin_axis
        return self.centre - self.radius * unit_vector(across)


@dataclass(frozen=True, eq=False)
class Axle:
    """Two wheels, or one of them: a corner, whose other side is its mirror image."""

    name: str
    left: str | None = None  # wheels by name
    right: str | None = None
    steering: Measure | None = None  # what steers them; None of an axle that is not steered
    end: End | None = None  # of the vehicle; None where the file has no other axle and does not say it

    def __post_init__(self) -> None:
        if self.left is None and self.right is None:
            raise ValueError("has no wheel; give it a left or a right one, or both")
        if self.left == self.right:
            raise ValueError(f"has '{self.left}' on both sides")

    @property
    def wheels(self) -> tuple[str, ...]:
        """Those that it has, left first."""
        return tuple(wheel for wheel in (self.left, self.right) if wheel is not None)


Shares = tuple[tuple[str, float], ...]
"""Numbers by axle."""


@dataclass(frozen=True)
class Vehicle:
    """The vehicle around the mechanism; what is None was not said."""

    wheelbase: float | None = None  # [m]
    mass: float | None = None  # [kg] of all of it
    cg_height: float | None = None  # [m] of the centre of gravity of all of it above the road, at design
    cg_position: float | None = None  # [m] the same, behind the front axle
    unsprung_mass: Shares = ()  # [kg] by axle, of both wheels and what moves with them
    brake_share: Shares = ()  # 0 to 1 of all braking force, by axle
    drive_share: Shares = ()  # 0 to 1 of all driving force, by axle
    brake_torque: Reaction = "outboard"
    drive_torque: Reaction = "inboard"

    def __post_init__(self) -> None:
        for what in ("wheelbase", "mass", "cg_height"):
            value = getattr(self, what)
            if value is not None and not (math.isfinite(value) and value > 0.0):
                raise ValueError(f"{what} is {value:g}; it must be positive")
        if self.cg_position is not None and not math.isfinite(self.cg_position):
            raise ValueError(f"cg_position is {self.cg_position:g}; it must be finite")
        for what in ("brake_share", "drive_share"):
            shares = [share for _, share in getattr(self, what)]
            if not all(0.0 <= share <= 1.0 for share in shares) or sum(shares) > 1.0 + SQUARE:
                raise ValueError(f"{what} must be from 0 to 1, of all axles together at most 1")
        if not all(math.isfinite(mass) and mass >= 0.0 for _, mass in self.unsprung_mass):
            raise ValueError("unsprung_mass must be zero or positive")


def spin_problem(spin_axis: Array, axes: Axes) -> str | None:
    """Why a direction (3,) cannot be the axis of a wheel; None if it can."""
    forward, left, up = np.abs(axes.R @ unit_vector(spin_axis)).tolist()
    if left >= ACROSS:
        return None
    along = "up, as the wheel travels" if up >= forward else "forward, as the vehicle travels"
    angle = math.degrees(math.acos(min(left, 1.0)))
    return (
        f"points {along}; a wheel spins about an axis across the vehicle, and this one is {angle:.3g} deg from left "
        "and right; see 'axes', which says where forward, left and up are"
    )


def sided(units: Units, across: float) -> str:
    """A distance from the middle plane [m], positive to the left, in words."""
    return f"{units.shown(abs(across))} to the {'left' if across > 0.0 else 'right'}"
