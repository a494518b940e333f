"""A disc that rolls or slides on the floor, at the design position in G, in SI units and radians.

The track of the disc is a frame that the disc carries along the floor: its origin is where disc and floor touch, it
turns with the heading of the disc, and seen from it the disc can only lean and spin.  With the floor's normal n and
the spin axis u the track has the axes

    forward f = (u x n)/|u x n|,   left l = n x f,   n                                                (1)

and the disc leans about -f and spins about u, both positive, so that with positive rates the axis u tips towards the
floor and a rolling disc goes forward: v_P = R phi_dot f for the point P that touches.                (2)

The bodies of a mechanism with such a contact are seen from the track: the mechanism's ground is the track.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np

from precompute.arrays import Array, frozen_array, unit_vector
from precompute.model.joints import plane_axes
from precompute.model.parts import Body

ContactKind = Literal["rolling", "sliding"]

STEEP = 0.02
"""Least |u x n|: nearer to lying flat a disc has no heading."""


ROUND = 1e-9
"""How far a body may be from one of revolution, relative to its radius and inertia."""


@dataclass(frozen=True)
class TrackStart:
    """Where the track is at the start, and how it moves."""

    x: float | None = None  # [m] of the point that touches, in ground axes of the floor; None: as drawn
    y: float | None = None
    heading: float = 0.0  # [rad] since design
    heading_rate: float = 0.0  # [rad/s]
    x_rate: float = 0.0  # [m/s] of the point that touches; follows from the spin of a disc that rolls
    y_rate: float = 0.0

    def __post_init__(self) -> None:
        for what, value in vars(self).items():
            if value is not None and not math.isfinite(value):
                raise ValueError(f"{what} is not finite")


@dataclass(frozen=True, eq=False)
class WheelContact:
    """A disc on the floor."""

    name: str
    kind: ContactKind
    body: str
    centre: Array  # (3,) of the disc, at design in G [m]
    axis: Array  # (3,) unit, u at design in G
    radius: float  # [m]
    normal: Array  # (3,) unit, n in G
    start: TrackStart = TrackStart()

    def __post_init__(self) -> None:
        object.__setattr__(self, "centre", frozen_array(self.centre, (3,), "at"))
        for what in ("axis", "normal"):
            given = frozen_array(getattr(self, what), (3,), what)
            if float(np.linalg.norm(given)) < 1e-12:
                raise ValueError(f"{what} has zero length")
            object.__setattr__(self, what, unit_vector(given))
        if self.kind not in ("rolling", "sliding"):
            raise ValueError(f"contact is '{self.kind}'; choose 'rolling' or 'sliding'")
        if not (math.isfinite(self.radius) and self.radius > 0.0):
            raise ValueError(f"radius is {self.radius:g} m; it must be positive")
        if float(np.linalg.norm(np.cross(self.axis, self.normal))) < STEEP:
            raise ValueError("the axis is normal to the floor at design: a disc that lies flat has no heading")
        if self.kind == "rolling" and (self.start.x_rate or self.start.y_rate):
            raise ValueError("a disc that rolls goes as fast as it spins; leave out the rates of x and y")

    @property
    def forward(self) -> Array:
        """(3,) f of (1) at design."""
        return unit_vector(np.cross(self.axis, self.normal))

    @property
    def left(self) -> Array:
        """(3,) l of (1) at design."""
        return np.cross(self.normal, self.forward)

    @property
    def point(self) -> Array:
        """(3,) where the disc touches the floor at design."""
        up = self.normal - (self.normal @ self.axis) * self.axis
        return np.asarray(self.centre - self.radius * up / np.linalg.norm(up))

    @property
    def floor(self) -> tuple[Array, Array]:
        """Two unit vectors in G along which x and y of the floor are counted, from the origin."""
        return plane_axes(self.normal)

    def is_round(self, body: Body) -> bool:
        """Whether a body has the mass of one of revolution about the spin axis."""
        u, across = self.axis, np.eye(3) - np.outer(self.axis, self.axis)
        off = float(np.linalg.norm(np.cross(u, body.com - self.centre)))
        inertia = across @ body.inertia @ across
        even = np.abs(inertia - 0.5 * np.trace(inertia) * across).max() + np.abs(across @ body.inertia @ u).max()
        return bool(off <= ROUND * self.radius and even <= ROUND * np.abs(body.inertia).max())

    @property
    def fork(self) -> str:
        """The body without mass between track and disc: it leans and does not spin."""
        return f"{self.name}_fork"

    @property
    def lean(self) -> str:
        """The joint between track and fork."""
        return f"{self.name}_lean"

    @property
    def spin(self) -> str:
        """The joint between fork and disc."""
        return f"{self.name}_spin"
