"""Bodies of the full model in maximal coordinates: six coordinates each, whatever the joints allow.

`Mechanism` -> `Bodies`, and for a `FullState` the motion of body-fixed points and directions (`Features`).

A body has the position r of its centre of mass, a unit quaternion, the velocity v in G and the angular velocity w in
body axes.  At design every body frame has G's axes.  The ground is body number nb: last, and moving as prescribed
(`ChassisState`), if at all; G is then the inertial frame.
Rates of all bodies are stacked as u = [w_1; v_1; w_2; v_2; ...], angular part first.

A joint given as a sequence gets a massless body between two consecutive primitives, and so does one with stiff
directions.  Where all six directions of a joint are free or stiff and nothing measures the stiff ones, there is no
joint at all.

Notation as in Haug, Computer Aided Kinematics and Dynamics of Mechanical Systems.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from precompute.arrays import Array, frozen_array
from precompute.model.mechanism import GROUND, Joint, Mechanism
from precompute.reference.chassis import ChassisState

IntArray = NDArray[np.int64]
BoolArray = NDArray[np.bool_]

ZERO = 0  # number of the feature that is the zero vector, in every `Features`
AXES = (1, 2, 3)  # numbers of the features that are the axes of the ground


@dataclass(frozen=True, eq=False)
class Bodies:
    """All bodies with their inertia, the massless ones inside sequence joints included."""

    names: tuple[str, ...]  # (nb) without the ground
    com: Array  # (nb, 3) centre of mass at design, in G [m]
    mass: Array  # (nb,) [kg]
    inertia: Array  # (nb, 3, 3) about the centre of mass, body axes [kg m2]
    chains: Mapping[str, tuple[int, ...]]  # per joint: parent, massless bodies between its primitives, child

    loose: frozenset[str] = frozenset()  # joints that constrain nothing

    def is_chain(self, joint: Joint) -> bool:
        """Whether the joint is a chain of primitives with massless bodies between them."""
        return joint.kind == "sequence" or (bool(joint.stiff) and joint.name not in self.loose)

    def index(self, name: str) -> int:
        """Number of a body; the ground is the last."""
        return len(self.names) if name == GROUND else self.names.index(name)

    def inertia_matrix(self) -> Array:
        """(6 nb, 6 nb) constant mass matrix of u: blocks I (body axes) and m [kg m2, kg]."""
        nb = len(self.names)
        M = np.zeros((nb, 6, nb, 6))
        every = np.arange(nb)
        M[every, :3, every, :3] = self.inertia
        M[every, 3:, every, 3:] = self.mass[:, None, None] * np.eye(3)
        return M.reshape(6 * nb, 6 * nb)


def all_bodies(mechanism: Mechanism) -> Bodies:
    """Number the bodies and insert the massless ones that link the primitives of sequence joints."""
    names = [b.name for b in mechanism.bodies]
    com = [b.com for b in mechanism.bodies]
    number = {GROUND: -1, **{name: i for i, name in enumerate(names)}}
    chains: dict[str, tuple[int, ...]] = {}
    loose = frozenset(joint.name for joint in mechanism.joints if is_loose(mechanism, joint))
    for joint in mechanism.joints:
        chain = joint.kind == "sequence" or (joint.stiff and joint.name not in loose)
        between = range(1, len(joint.primitives)) if chain else ()
        chains[joint.name] = (number[joint.parent], *(len(names) + k - 1 for k in between), number[joint.child])
        names += [f"{joint.name}[{k}|{k + 1}]" for k in between]
        com += [joint.p_P for _ in between]
    nb, extra = len(names), len(names) - len(mechanism.bodies)
    return Bodies(
        names=tuple(names),
        com=frozen_array(com, (nb, 3), "com"),
        mass=frozen_array([b.mass for b in mechanism.bodies] + [0.0] * extra, (nb,), "mass"),
        inertia=frozen_array([b.inertia for b in mechanism.bodies] + [np.zeros((3, 3))] * extra, (nb, 3, 3), "inertia"),
        chains={name: tuple(nb if i < 0 else i for i in bodies) for name, bodies in chains.items()},
        loose=loose,
    )


def is_loose(mechanism: Mechanism, joint: Joint) -> bool:
    """Whether a joint constrains nothing and its stiff coordinates are of no interest to anyone.

    The angle of a joint that is free in nothing else can be measured without the joint; no other coordinate.
    """
    freedom = sum(p.rates for p in joint.primitives)
    if joint.kind == "sequence" or not joint.stiff or freedom < 6:
        return False
    of = [element.on for element in mechanism.elements] + [read.of for read in mechanism.measures]
    of += [coordinate.of for coordinate in mechanism.coordinates or ()]
    measured = {term.primitive_of(joint.name) for on in of for _, term in on.terms} - {None}
    return measured <= ({0} if joint.type.kinds == ["rotation"] else set())


CHAINS = (("angles", None), ("devices", None), ("guess", None))
"""What of a state is of any length."""


@dataclass(frozen=True, eq=False)
class FullState:
    """Position and velocity of every body, the angles that must be counted over several turns, states of elements."""

    r: Array  # (nb, 3) centres of mass, in G [m]
    quaternion: Array  # (nb, 4) scalar first, of unit length
    v: Array  # (nb, 3) velocities of the centres of mass, in G [m/s]
    w: Array  # (nb, 3) angular velocities, body axes [rad/s]
    angles: Array  # (na,) unwrapped values of the model's angle measures [rad]
    chassis: ChassisState = field(default_factory=ChassisState)
    devices: Array = field(default_factory=lambda: np.zeros(0))  # (nx,) states of elements with formulas
    guess: Array = field(default_factory=lambda: np.zeros(0))  # (nu,) where to look for their unknowns

    def __post_init__(self) -> None:
        nb = len(self.r)
        for what, shape in (("r", (nb, 3)), ("quaternion", (nb, 4)), ("v", (nb, 3)), ("w", (nb, 3)), *CHAINS):
            object.__setattr__(self, what, frozen_array(getattr(self, what), shape, f"state, {what}"))

    @cached_property
    def R(self) -> Array:
        """(nb + 1, 3, 3) R_GB of all bodies, the ground last."""
        return np.concatenate([rotations(self.quaternion), self.chassis.R[None]])

    @property
    def u(self) -> Array:
        """(6 nb,) rates [w_1; v_1; w_2; ...]."""
        return np.hstack([self.w, self.v]).ravel()


def split_rates(u: Array) -> tuple[Array, Array]:
    """Angular (nb, 3) and linear (nb, 3) part of stacked rates, or of their time derivative."""
    blocks = u.reshape(-1, 6)
    return blocks[:, :3], blocks[:, 3:]


# -- rotations --------------------------------------------------------------------------------------------------------


def cross(a: Array, b: Array) -> Array:
    """(..., 3) vector product; without the overhead of the library's for short arrays."""
    a0, a1, a2 = a[..., 0], a[..., 1], a[..., 2]
    b0, b1, b2 = b[..., 0], b[..., 1], b[..., 2]
    return np.stack([a1 * b2 - a2 * b1, a2 * b0 - a0 * b2, a0 * b1 - a1 * b0], axis=-1)


def rotations(quaternion: Array) -> Array:
    """(n, 3, 3) rotation matrices R_GB of (n, 4) quaternions, which need not have unit length."""
    e0, e1, e2, e3 = (quaternion / np.linalg.norm(quaternion, axis=1, keepdims=True)).T
    R = np.array(
        [
            [e0 * e0 + e1 * e1 - 0.5, e1 * e2 - e0 * e3, e1 * e3 + e0 * e2],
            [e1 * e2 + e0 * e3, e0 * e0 + e2 * e2 - 0.5, e2 * e3 - e0 * e1],
            [e1 * e3 - e0 * e2, e2 * e3 + e0 * e1, e0 * e0 + e3 * e3 - 0.5],
        ]
    )
    return 2.0 * np.moveaxis(R, -1, 0)


def quaternion_product(a: Array, b: Array) -> Array:
    """(n, 4) product a b."""
    scalar = a[:, :1] * b[:, :1] - (a[:, 1:] * b[:, 1:]).sum(axis=1, keepdims=True)
    return np.hstack([scalar, a[:, :1] * b[:, 1:] + b[:, :1] * a[:, 1:] + cross(a[:, 1:], b[:, 1:])])


def quaternion_rate(quaternion: Array, w: Array) -> Array:
    """(n, 4) time derivative 1/2 q (0, w) for angular velocities w (n, 3) in body axes."""
    return 0.5 * quaternion_product(quaternion, np.hstack([np.zeros((len(w), 1)), w]))


def turned(quaternion: Array, rotation: Array) -> Array:
    """(n, 4) quaternions after the further rotation vectors (n, 3), in body axes [rad]; of unit length."""
    half = 0.5 * np.linalg.norm(rotation, axis=1, keepdims=True)
    step = np.hstack([np.cos(half), 0.5 * np.sinc(half / np.pi) * rotation])
    product = quaternion_product(quaternion, step)
    return product / np.linalg.norm(product, axis=1, keepdims=True)


# -- points and directions fixed in bodies ----------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Features:
    """Vectors x that move with bodies: x = r + R s of a point, x = R s of a direction."""

    body: IntArray  # (nf,) number of the body, nb for the ground
    s: Array  # (nf, 3) body axes; from the centre of mass for a point [m], else a unit vector
    is_point: Array  # (nf,) 1 for a point, 0 for a direction


class FeatureList:
    """Collects features while a model is built; each method returns the feature's number."""

    def __init__(self, bodies: Bodies):
        """Start with the zero vector and the axes of the ground."""
        self.bodies = bodies
        ground = len(bodies.names)
        self.items: list[tuple[int, Array, float]] = [(ground, s, 0.0) for s in (np.zeros(3), *np.eye(3))]

    def point(self, body: int, p: Array) -> int:
        """A point of a body, given by its position p (3,) at design in G."""
        ground = len(self.bodies.names)
        self.items.append((body, p if body == ground else p - self.bodies.com[body], 1.0))
        return len(self.items) - 1

    def direction(self, body: int, a: Array) -> int:
        """A direction of a body, given by its components a (3,) at design in G."""
        self.items.append((body, a, 0.0))
        return len(self.items) - 1

    def features(self) -> Features:
        """All of them, as arrays."""
        body, s, is_point = zip(*self.items, strict=True)
        return Features(np.array(body, dtype=np.int64), frozen_array(s), frozen_array(is_point))


@dataclass(frozen=True, eq=False)
class FeatureMotion:
    """Where features are, how they move, and their acceleration if the bodies' own were zero."""

    R: Array  # (nf, 3, 3) R_GB of each feature's body
    x: Array  # (nf, 3) in G
    xd: Array  # (nf, 3) first time derivative
    xdd: Array  # (nf, 3) second time derivative at vdot = wdot = 0 of all bodies but the ground


def feature_motion(features: Features, state: FullState) -> FeatureMotion:
    """Positions and derivatives of all features.

    x = r + R s,   xd = v + R (w x s),   xdd = R (w x (w x s))      (directions: without r and v)

    The acceleration of the ground is prescribed: features on it have all of theirs,
    xdd = a + R (dw/dt x s + w x (w x s)).
    """
    chassis, ground = state.chassis, features.body == len(state.r)
    R = state.R[features.body]
    r = np.concatenate([state.r, chassis.p[None]])[features.body]
    v = np.concatenate([state.v, chassis.velocity[None]])[features.body]
    w = np.concatenate([state.w, chassis.twist[None, :3]])[features.body]
    ws = cross(w, features.s)
    turning = cross(w, ws) + ground[:, None] * cross(np.broadcast_to(chassis.rate[:3], w.shape), features.s)
    rotated = R @ np.stack([features.s, ws, turning], axis=-1)  # (nf, 3, 3), one column per derivative
    keep = features.is_point[:, None]
    xdd = rotated[..., 2] + keep * ground[:, None] * chassis.acceleration
    return FeatureMotion(R, keep * r + rotated[..., 0], keep * v + rotated[..., 1], xdd)


def body_row(features: Features, motion: FeatureMotion, number: IntArray, g: Array) -> Array:
    """(m, 6) coefficients of [w; v] in g . xd, for each of m features and vectors g (m, 3) in G.

        g . (v + R (w x s)) = (s x R^T g) . w + g . v

    The same numbers are the generalized force of a force g that acts at the feature.
    """
    g_B = (g[:, None, :] @ motion.R[number])[:, 0, :]
    return np.hstack([cross(features.s[number], g_B), features.is_point[number, None] * g])
