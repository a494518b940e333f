"""What a measure may ask: of the mechanism, of a batch of configurations, of the motion there.

The model and the kinematics come later in the line and provide these; so a measure depends on neither.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, Protocol

from precompute.arrays import Array
from precompute.geometry.placement import Placement
from precompute.geometry.spatial import Transform
from precompute.units import Units

Kind = Literal["body", "joint", "marker", "bushing", "wheel", "element"]
Point = tuple[str, Array]
"""A body and a point of it at design, (3,) in G [m]."""


class PrimitivePart(Protocol):
    """One elementary motion of a joint."""

    @property
    def kind(self) -> str:
        """Rotation, translation or ball."""

    @property
    def rates(self) -> int:
        """How many rates it has: three of a ball, else one."""


class JointPart(Protocol):
    """A joint."""

    @property
    def name(self) -> str:
        """Its name."""

    @property
    def kind(self) -> str:
        """Revolute, universal, ..."""

    @property
    def parent(self) -> str:
        """The body it is on."""

    @property
    def child(self) -> str:
        """The body it carries."""

    @property
    def primitives(self) -> Sequence[PrimitivePart]:
        """Its elementary motions."""


class MarkerPart(Protocol):
    """A point of a body."""

    @property
    def body(self) -> str:
        """The body."""

    @property
    def p(self) -> Array:
        """(3,) at design in G [m]."""


class BushingPart(Protocol):
    """A bushing between two bodies."""

    @property
    def parent(self) -> str:
        """The body that carries its axes."""

    @property
    def child(self) -> str:
        """The other body."""

    @property
    def p(self) -> Array:
        """(3,) at design in G [m]."""

    @property
    def R(self) -> Array:
        """(3, 3) its axes at design, as columns in G."""

    @property
    def law(self) -> str:
        """Which angles it has: "rotation_vector" or "cardan"."""


class WheelPart(Protocol):
    """A wheel on its carrier."""

    @property
    def body(self) -> str:
        """The carrier."""

    @property
    def centre(self) -> Array:
        """(3,) at design in G [m]."""


class VehicleAxes(Protocol):
    """Where forward, left and up are."""

    @property
    def forward(self) -> Array:
        """(3,) unit in G."""

    @property
    def left(self) -> Array:
        """(3,) unit in G."""

    @property
    def up(self) -> Array:
        """(3,) unit in G."""


class Parts(Protocol):
    """The mechanism: its parts by name."""

    @property
    def units(self) -> Units:
        """In which its user thinks."""

    def joint(self, name: str) -> JointPart:
        """The joint of that name."""

    def marker(self, name: str) -> MarkerPart:
        """The marker of that name."""

    def bushing(self, name: str) -> BushingPart:
        """The bushing of that name."""

    @property
    def axes(self) -> VehicleAxes:
        """Of the vehicle."""

    def wheel(self, name: str) -> WheelPart:
        """The wheel of that name."""


class Images(Protocol):
    """A mechanism placed elsewhere: where things are, what they are called, which way they count."""

    @property
    def at(self) -> Placement:
        """The place."""

    @property
    def up_sign(self) -> float:
        """-1 where what was up is down, else 1."""

    def turn_sign(self, angle: Literal["roll", "pitch", "yaw"]) -> float:
        """Whether turns about the vehicle's forward, left or up count the same way there, 1, or the other way, -1."""

    def name(self, kind: Kind, name: str) -> str:
        """What the image of a part is called."""

    def joint_sign(self, joint: str, index: int) -> float:
        """Whether a coordinate of the image of a joint counts the same way, 1, or the other way, -1."""

    def bushing_sign(self, index: int) -> float:
        """The same of one of the six deflections of bushings."""


class Places(Protocol):
    """Where everything is, for a batch of configurations with nv joint rates."""

    @property
    def mechanism(self) -> Parts:
        """Whose places these are."""

    def pose(self, body: str) -> Transform:
        """X_GB of a body."""

    def quaternion(self, body: str) -> Array:
        """(..., 4) of a body's rotation since design."""

    def row(self, body: str, wrench: Array) -> Array:
        """The power of a wrench (..., 6) on a body, as a row over the joint rates (..., nv)."""

    def relative_row(self, body: str, other: str, wrench: Array) -> Array:
        """The same for a wrench on one body and its opposite on another."""

    def turning_row(self, body: str, moment: Array) -> Array:
        """The same for a moment (..., 3) on a body."""

    def coordinate(self, joint: str, index: int) -> Array:
        """(...) the coordinate of a scalar primitive of a joint [rad or m]."""

    def coordinate_row(self, joint: str, index: int) -> Array:
        """(..., nv) one at its rate, zero elsewhere."""


class Motion(Protocol):
    """How everything moves along nz independent coordinates, and how that changes along nd of them, for a batch."""

    @property
    def places(self) -> Places:
        """The configurations."""

    def velocity(self, body: str) -> Array:
        """(..., 6, nz) spatial velocity of a body per unit zdot."""

    def velocity_along(self, body: str) -> Array:
        """(..., 6, nd) the same for the coordinates along which derivatives are taken."""

    def acceleration(self, body: str) -> Array:
        """(..., 6, nz, nd) its derivatives along these, or the part of them without dB."""

    def slopes(self, row: Array) -> tuple[Array, Array]:
        """Derivatives (..., nz), and (..., nd) of them, of what has this row (..., nv) over the joint rates."""

    def coordinate_second(self, joint: str, index: int) -> Array:
        """(..., nz, nd) second derivatives of a scalar joint coordinate: its rows of dB, or zero without dB."""
