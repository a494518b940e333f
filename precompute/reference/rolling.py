"""A disc that rolls on the floor: rows between velocities alone, and the mechanism that they are rows of.

A mechanism with a disc on the floor is given as seen from the track of the disc (`model.contacts`).  Here the track is
a body without mass that moves in the floor's plane, its travels and its angle the place and the heading.  That is all
for a disc that slides.  One that rolls has v_P = 0 besides, for the point of the disc that touches,

    a . (v_O - R w x d) = 0,   d = h/|h|,   h = n - (n . u) u                                         (1)

along two directions a of the floor, with the centre O, the spin axis u and the floor's normal n.  No position gives
these rows; for accelerations,

    a . dv_O/dt - R a . (dw/dt x d) = R a . (w x dd/dt)                                               (2)

A wheel in a plane that rolls on a circle about O' has the same rows with another direction d from P to O:

    d = (O - O') / |O - O'|                                                                           (3)

Reference: Garcia de Jalon and Bayo, Kinematic and Dynamic Simulation of Multibody Systems, (3.53) to (3.57), (3.61)
and (3.62).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from precompute.arrays import Array
from precompute.model.mechanism import (
    GROUND,
    Body,
    Coordinate,
    Joint,
    JointCoordinate,
    Mechanism,
    WheelContact,
    joint_primitives,
)
from precompute.reference.bodies import Bodies, FullState, cross

VELOCITY_ROWS = 2
"""Of a disc that rolls."""


def track_name(contact: WheelContact) -> str:
    """Of the body and the joint that the full model adds."""
    return f"{contact.name}_track"


def on_floor(mechanism: Mechanism) -> Mechanism:
    """The mechanism seen from the ground, with the track as a body; unchanged where no disc is on the floor.

    Heading, x and y are three more coordinates, counted from design; their start values are those on the ground.  Where
    the disc rolls, x and y follow from the others in their rates, and in their values from the whole motion.
    """
    contact = mechanism.contact
    if contact is None:
        return mechanism
    name, P = track_name(contact), contact.point
    track = Joint(name, "planar", GROUND, name, P, P, joint_primitives("planar", [contact.normal]))
    joints = [replace(joint, parent=name) if joint.name == contact.lean else joint for joint in mechanism.joints]
    s, there = contact.start, places_of(contact)
    x, y = (there[word] if given is None else given for word, given in (("x", s.x), ("y", s.y)))
    starts = (("heading", 2, s.heading, s.heading_rate), ("x", 0, x, s.x_rate), ("y", 1, y, s.y_rate))
    more = [Coordinate(word, JointCoordinate(name, i), start=at, start_rate=rate) for word, i, at, rate in starts]
    return replace(
        mechanism,
        bodies=(Body(name, 0.0, P, np.zeros((3, 3))), *mechanism.bodies),
        joints=(track, *joints),
        coordinates=(*(mechanism.coordinates or ()), *more),
        chassis="fixed",
        contact=None,
    )


def places_of(contact: WheelContact | None) -> dict[str, float]:
    """Where x and y of a disc are at design [m]."""
    if contact is None:
        return {}
    return {word: float(along @ contact.point) for word, along in zip(("x", "y"), contact.floor, strict=True)}


@dataclass(frozen=True, eq=False)
class Rolling:
    """Rows (1) of one disc on a floor, or on a circle in its plane."""

    body: int
    s: Array  # (3,) its centre from the centre of mass, body axes [m]
    u: Array  # (3,) spin axis, body axes
    radius: float
    normal: Array  # (3,)
    along: tuple[Array, Array]  # a
    centre: Array | None = None  # (3,) O' of a circle, in the plane of the wheel's centre; None: a floor

    @property
    def leads(self) -> int:
        """How many of the last coordinates have their rates from these rows: on a floor x and y."""
        return VELOCITY_ROWS if self.centre is None else 0

    def rows(self, state: FullState) -> Array:
        """(2, 6 nb + 6) coefficients of all rates [m/s]; those of the ground are of its point that is touched."""
        R, nb = state.R[self.body], len(state.r)
        d = self._arm(state)[0]
        P = state.r[self.body] + R @ self.s - self.radius * d
        rows = np.zeros((2, nb + 1, 6))
        for row, a in zip(rows, self.along, strict=True):
            row[self.body, :3] = cross(self.s, R.T @ a) - self.radius * (R.T @ cross(d, a))
            row[self.body, 3:] = a
            row[nb] = -np.concatenate([cross(P, a), a])
        return rows.reshape(2, -1)

    def gamma(self, state: FullState) -> Array:
        """(2,) right-hand side of accelerations: what (2) has besides du/dt, R a . (w x dd/dt) - a . dv_O/dt [m/s2]."""
        R, w = state.R[self.body], state.w[self.body]
        left = self.radius * cross(R @ w, self._arm(state)[1]) - R @ cross(w, cross(w, self.s))
        return np.array([a @ left for a in self.along])

    def _arm(self, state: FullState) -> tuple[Array, Array]:
        """D of (1) or (3), and its rate."""
        R, w = state.R[self.body], state.w[self.body]
        if self.centre is None:
            u, ud = R @ self.u, R @ cross(w, self.u)
            h, hd = self.normal - (self.normal @ u) * u, -(self.normal @ ud) * u - (self.normal @ u) * ud
        else:
            h = state.r[self.body] + R @ self.s - self.centre
            hd = state.v[self.body] + R @ cross(w, self.s)
        d, size = h / np.linalg.norm(h), float(np.linalg.norm(h))
        return d, (hd - (hd @ d) * d) / size


def rolling_of(contact: WheelContact | None, bodies: Bodies) -> Rolling | None:
    """The rows of a disc, if it rolls."""
    if contact is None or contact.kind != "rolling":
        return None
    body = bodies.index(contact.body)
    s = contact.centre - bodies.com[body]
    return Rolling(body, s, contact.axis, contact.radius, contact.normal, contact.floor)
