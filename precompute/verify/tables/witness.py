"""What natural coordinates say of the same configurations and motions; with the masses of the bodies, inertia too.

    J_ij = sum_b m v_i . v_j + w_i . I w_j                                                                         (1)
    N_i  = sum_b [c x m v_i + I w_i; m v_i],   S = sum_b m c,   I_O = sum_b I + m (c.c 1 - c c^T)                    (2)
    F_i  = sum_b m v_i . a + w_i . (I alpha + w x I w)  =  (J zdd + c)_i                                           (3)

with v_i and w_i the velocities of a body per unit rate of coordinate i, c its centre of mass and I its inertia there.
A body of revolution between two balls has no angular momentum about their line, so it has no inertia about it here.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from precompute.arrays import Array
from precompute.kinematics.topology import spanning_tree
from precompute.model.mechanism import Marker, Measure, Mechanism
from precompute.natural import BodyMotion, Columns, Moved, NaturalModel, Places


@dataclass(frozen=True, eq=False)
class Witness:
    """A motion at n places, and the velocities per unit rate of its nz coordinates."""

    mechanism: Mechanism
    moved: Moved
    columns: Columns

    def position(self, marker: Marker) -> tuple[Array, Array, Array]:
        """Of a marker: position (n, 3), slopes (n, 3, nz), acceleration (n, 3)."""
        at = self.moved.point(marker.body, marker.p)
        return at.p, self.columns.point(marker.body, marker.p), at.a

    def rotation(self, marker: Marker) -> tuple[Array, Array, Array]:
        """Of a marker: rotation (n, 3, 3), angular Jacobian (n, 3, nz), angular acceleration (n, 3)."""
        at = self.moved.body(marker.body)
        return at.R @ marker.R, self.columns.body(marker.body)[1], at.alpha

    def measure(self, measure: Measure) -> tuple[Array, Array, Array]:
        """Value (n, 1), slopes (n, 1, nz), second derivative over time (n, 1)."""
        at = self.moved.measure(measure)
        return at.value[:, None], self.columns.measure(measure)[:, None, :], at.acceleration[:, None]

    @cached_property
    def bodies(self) -> list[tuple[float, BodyMotion, Array, Array, Array]]:
        """Of each body: mass, motion, v and w per unit rate (n, 3, nz), inertia in G axes (n, 3, 3)."""
        found = []
        for body, inertia in zip(self.mechanism.bodies, inertias(self.mechanism), strict=True):
            at = self.moved.body(body.name)
            found.append((body.mass, at, *self.columns.body(body.name), at.R @ inertia @ np.swapaxes(at.R, 1, 2)))
        return found

    def first_moment(self) -> tuple[Array, Array, Array]:
        """S (n, 3), slopes (n, 3, nz), second derivative over time (n, 3)."""
        parts = [(m * at.p, m * v, m * at.a) for m, at, v, _, _ in self.bodies]
        p, v, a = (sum(part) for part in zip(*parts, strict=True))
        return np.asarray(p), np.asarray(v), np.asarray(a)

    def inertia(self) -> Array:
        """J (n, nz, nz), by (1)."""
        parts = [m * np.swapaxes(v, 1, 2) @ v + np.swapaxes(w, 1, 2) @ tensor @ w for m, _, v, w, tensor in self.bodies]
        return np.sum(parts, axis=0)

    def momentum(self) -> Array:
        """N (n, 6, nz), by (2)."""
        parts = [
            np.concatenate([np.cross(at.p[:, :, None], m * v, axis=1) + tensor @ w, m * v], axis=1)
            for m, at, v, w, tensor in self.bodies
        ]
        return np.sum(parts, axis=0)

    def tensor(self) -> Array:
        """I_O (n, 3, 3), by (2)."""
        parts = [
            tensor + m * ((at.p**2).sum(1)[:, None, None] * np.eye(3) - at.p[:, :, None] * at.p[:, None, :])
            for m, at, _, _, tensor in self.bodies
        ]
        return np.sum(parts, axis=0)

    def inertia_force(self) -> Array:
        """(n, nz), by (3)."""
        parts = []
        for m, at, v, w, tensor in self.bodies:
            spun = (tensor @ at.alpha[:, :, None])[..., 0] + np.cross(at.w, (tensor @ at.w[:, :, None])[..., 0])
            parts.append(np.einsum("nck,nc->nk", v, m * at.a) + np.einsum("nck,nc->nk", w, spun))
        return np.sum(parts, axis=0)


def witness(model: NaturalModel, places: Places, zd: Array, zdd: Array) -> Witness:
    """The motion with rates and accelerations (n, nz) at some places, whose coordinates are in the same order."""
    names = places.names
    rates, accelerations = (dict(zip(names, of.T, strict=True)) for of in (zd, zdd))
    return Witness(model.mechanism, model.motion(places, rates, accelerations), model.partials(places))


def conditions(model: NaturalModel, places: Places) -> Array:
    """(n,) condition numbers of the equations: how near they are to losing rank."""
    driven = model.system(places.names).driven
    s = np.linalg.svd(driven.system.jacobian(places.x)[:, :, driven.unknown], compute_uv=False)
    found: Array = s[:, 0] / s[:, -1]
    return found


def inertias(mechanism: Mechanism) -> Array:
    """(nb, 3, 3) about the centres of mass at design; without that about the line between two balls."""
    topology = spanning_tree(mechanism)
    found = np.array([body.inertia for body in mechanism.bodies])
    for spin in (s for s in topology.spins if s.ideal):
        for number in spin.group:
            found[number - 1] -= (spin.axis @ found[number - 1] @ spin.axis) * np.outer(spin.axis, spin.axis)
    return found
