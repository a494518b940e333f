"""The forces of `rest_forces` on a bench, and its wheels with what acts on them, at a batch of closed configurations.

The contact point moves over the disc of its wheel: its force acts through the material point that is there, and what
the contact moves on adds to d_j v_i.  Heights, the lowest point and forces of pads are along the normal of the road;
where that tilts against the body, weights turn with it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from precompute.arrays import Array
from precompute.geometry.spatial import cross, point_acceleration, point_velocity
from precompute.kinematics.motion import Motion
from precompute.model.mechanism import Wheel
from precompute.reduction.rest_forces import RestForces, rest_forces
from precompute.reduction.rest_laws import Laws
from precompute.rig.bench import Bench

Contact = Literal["lowest", "fixed"]
"""Of a wheel: the lowest point of its disc, which moves over it, or the carrier's point that is there at design."""


@dataclass(frozen=True, eq=False)
class Corner:
    """A wheel at n configurations: its places, velocities along z and their derivatives."""

    centre: Array  # (n, 3) in G [m]
    spin: Array  # (n, 3) unit, to the left
    contact: Array  # (n, 3)
    twist: Array  # (n, 6, nz) spatial velocity of the carrier
    second: Array  # (n, 6, nz, nz) its derivatives
    slide: Array  # (n, 3, nz) what the contact moves relative to the carrier, along z
    up: Array  # (n, 3) unit, normal of the road
    shift: Array  # (n, 3, 3) what the contact moves where the normal changes

    @property
    def height(self) -> Array:
        """(n,) of the contact along the normal [m]."""
        return np.einsum("nc,nc->n", self.contact, self.up)

    @property
    def rise(self) -> Array:
        """(n, nz) its derivatives along z: the lowest point slides level, so the material point rises as it does."""
        return np.einsum("nc,nci->ni", self.up, point_velocity(self.twist, self.contact))


@dataclass(frozen=True, eq=False)
class Mechanics(RestForces):
    """A bench at n configurations."""

    corners: tuple[Corner, ...]  # nw


def mechanics(bench: Bench, laws: Laws, q: Array, contact: Contact = "lowest", road: Array | None = None) -> Mechanics:
    """All of it at closed configurations q (n, nq), over a road with normals (n, 3), up by default."""
    mechanism = bench.mechanism
    road = np.broadcast_to(mechanism.axes.up, (len(q), 3)) if road is None else road
    gravity = turned(mechanism.gravity, mechanism.axes.up, road)
    at = rest_forces(bench.closure, laws, bench.ports, q, gravity)
    corners = tuple(corner(at.motion, wheel, road, contact) for wheel in bench.wheels)
    return Mechanics(**vars(at), corners=corners)


def turned(vector: Array, a: Array, b: Array) -> Array:
    """A vector (3,) turned as the shortest rotation turns the unit vector a (3,) to b (n, 3); analytic in b."""
    axis = cross(np.broadcast_to(a, b.shape), b)
    once = cross(axis, np.broadcast_to(vector, b.shape))
    return np.asarray(vector + once + cross(axis, once) / (1.0 + b @ a)[:, None])


def corner(motion: Motion, wheel: Wheel, up: Array, contact: Contact) -> Corner:
    """A wheel of it, over a road with normals (n, 3).

    With a = up - (up . s) s across the spin axis s, the lowest point is -R a/|a| from the centre.
    """
    X = motion.places.pose(wheel.body)
    V, dV = motion.velocity(wheel.body), motion.acceleration(wheel.body)
    centre, spin = X.point(wheel.centre), X.R @ wheel.spin_axis
    if contact == "fixed":
        point = X.point(wheel.contact(motion.places.mechanism.axes))
        return Corner(centre, spin, point, V, dV, np.zeros((*centre.shape, V.shape[-1])), up, np.zeros((len(up), 3, 3)))
    tilt = np.einsum("nc,nc->n", spin, up)
    across = up - tilt[:, None] * spin
    size = np.linalg.norm(across, axis=-1)
    m = across / size[:, None]
    arm = -wheel.radius * m
    w = V[:, :3]
    ds = cross(w, spin[..., None], axis=-2)
    da = -np.einsum("nc,ncj->nj", up, ds)[:, None, :] * spin[..., None] - tilt[:, None, None] * ds
    dm = (da - m[..., None] * np.einsum("nc,ncj->nj", m, da)[:, None, :]) / size[:, None, None]
    slide = -wheel.radius * dm - cross(w, arm[..., None], axis=-2)
    forward = cross(spin, m)
    shift = -wheel.radius * forward[:, :, None] * forward[:, None, :] / size[:, None, None]
    return Corner(centre, spin, centre + arm, V, dV, slide, up, shift)


@dataclass(frozen=True, eq=False)
class WheelLoads:
    """What acts on the wheels of n samples besides their pads' vertical forces, in G axes, on the carriers."""

    patch: Array  # (n, nw, 3) forces at the contact [N]
    centre: Array  # (n, nw, 3) forces at the centre [N]
    moment: Array  # (n, nw, 3) [N m]


def pad_directions(at: Mechanics) -> Array:
    """Generalized forces (n, nz, nw) of unit vertical forces of the pads."""
    return np.stack([c.rise for c in at.corners], axis=-1)


def load_forces(at: Mechanics, loads: WheelLoads, pads: Array) -> tuple[Array, Array]:
    """Generalized forces (n, nz) of loads and of vertical forces of pads (n, nw), and their K (n, nz, nz)."""
    Q, K = np.zeros(at.Q.shape), np.zeros(at.K.shape)
    for k, c in enumerate(at.corners):
        patch, centre, moment = loads.patch[:, k] + pads[:, k, None] * c.up, loads.centre[:, k], loads.moment[:, k]
        Q += np.einsum("nc,nci->ni", patch, point_velocity(c.twist, c.contact))
        Q += np.einsum("nc,nci->ni", centre, point_velocity(c.twist, c.centre))
        Q += np.einsum("nc,nci->ni", moment, c.twist[:, :3])
        moved = cross(c.twist[:, :3, :, None], c.slide[:, :, None, :], axis=-3)
        K -= np.einsum("nc,ncij->nij", patch, point_acceleration(c.twist, c.second, c.contact) + moved)
        K -= np.einsum("nc,ncij->nij", centre, point_acceleration(c.twist, c.second, c.centre))
        K -= np.einsum("nc,ncij->nij", moment, c.second[:, :3])
    return Q, K


def tilt_forces(bench: Bench, at: Mechanics, loads: WheelLoads, pads: Array, rate: Array) -> tuple[Array, Array]:
    """What changes where the normal of the road changes at a rate (n, 3), and nothing moves.

    Returns:
        Generalized forces (n, nz) of pads, loads and weights; heights (n, nw) of the contacts.
    """
    road, mechanism = at.corners[0].up, bench.mechanism
    step = 1e-30  # of a complex step
    weight = turned(mechanism.gravity, mechanism.axes.up, road + 1j * step * rate).imag / step
    Q, heights = np.einsum("nc,nci->ni", weight, at.first_moments), []
    for k, c in enumerate(at.corners):
        moved = np.einsum("ncd,nd->nc", c.shift, rate)
        Q += pads[:, k, None] * np.einsum("nc,nci->ni", rate, point_velocity(c.twist, c.contact))
        patch = loads.patch[:, k] + pads[:, k, None] * c.up
        Q += np.einsum("nc,nci->ni", patch, cross(c.twist[:, :3], moved[..., None], axis=-2))
        heights.append(np.einsum("nc,nc->n", rate, c.contact) + np.einsum("nc,nc->n", c.up, moved))
    return Q, np.stack(heights, axis=-1)
