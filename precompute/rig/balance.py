"""States of rest on the rig, by Newton's method with the exact tangent.

A sample is one axle: one copy of the mechanism, or two where it has one corner only, of which the second is looked at
in a mirror.  Unknown are, copy by copy, the coordinates z, the vertical forces F of the pads and the reactions T of
what is held.  With u the heights of all wheels (of centre and patch, and the lengths of their springs: `HEIGHTS`),

    Q(z) + Q_loads(z) + H(z) F + E T = 0                         balance                    (1)
    A_u u(z) + A_F F = b                                         what the pads do           (2)
    E^T z = h                                                    what is held               (3)

A_u sets heights, A_F sets loads; both together roll an axle at a constant sum of its loads.  Their tangent,

    [ K      -H   -E ] [dz]   [dQ]
    [ A_u U  A_F   0 ] [dF] = [db]                                                          (4)
    [ E^T     0    0 ] [dT]   [dh]

with K of `mechanics` (that of loads included) also gives every derivative of a state of rest: along travels, along what
is held, and along loads, which are compliances.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from precompute.arrays import Array
from precompute.kinematics.continuation import follow
from precompute.kinematics.correcting import correct
from precompute.reduction.rest_laws import Laws
from precompute.rig.bench import Bench
from precompute.rig.mechanics import Contact, Mechanics, WheelLoads, load_forces, mechanics, pad_directions

HEIGHTS = ("centre", "patch", "spring")
"""What of a wheel can be set: travel of its centre, of its contact; length of its first spring (or travel, without)."""

ITERATIONS = 15
"""Of Newton's method; four are usual."""

MOVED = 1e-6
"""Least change of a spring's length per travel of a wheel, for it to be a spring of that wheel."""

AT_REST = 1e-9
"""The last step of Newton's method, over the reference length: its square is the error that is left."""

GROWTH = 1.0
"""A step of Newton's method must be below this share of the first one: beyond it the branch may have been left."""


@dataclass(frozen=True, eq=False)
class Setting:
    """What the rig does to n samples of c copies with w = c nw wheels."""

    A_u: Array  # (n, w, c, 3, nw) over copies, `HEIGHTS` and wheels
    A_F: Array  # (n, w, w)
    b: Array  # (n, w) [m or N]
    held: Array  # (n, c, nh) [m or rad]
    loads: WheelLoads  # each (n, c, nw, 3)
    road: Array  # (n, c, 3) unit, its normal, in G axes

    def some(self, numbers: NDArray[np.int64]) -> Setting:
        """Of some samples."""
        loads = WheelLoads(*(x[numbers] for x in (self.loads.patch, self.loads.centre, self.loads.moment)))
        parts = [x[numbers] for x in (self.A_u, self.A_F, self.b, self.held)]
        return Setting(parts[0], parts[1], parts[2], parts[3], loads, self.road[numbers])

    def between(self, other: Setting, share: float) -> Setting:
        """On the way to another with the same A_u and A_F."""
        mine, its = self.loads, other.loads
        loads = WheelLoads(
            *(
                mix(a, b, share)
                for a, b in ((mine.patch, its.patch), (mine.centre, its.centre), (mine.moment, its.moment))
            )
        )
        road = mix(self.road, other.road, share)
        road = road / np.linalg.norm(road, axis=-1, keepdims=True)
        b, held = mix(self.b, other.b, share), mix(self.held, other.held, share)
        return replace(self, b=b, held=held, loads=loads, road=road)


def mix(a: Array, b: Array, share: float) -> Array:
    """A share of the way from a to b."""
    return a + share * (b - a)


@dataclass(frozen=True, eq=False)
class Rest:
    """States of rest of n samples of c copies."""

    q: Array  # (n, c, nq)
    z: Array  # (n, c, nz)
    pads: Array  # (n, c, nw) [N] vertical forces on the wheels
    reactions: Array  # (n, c, nh) of what is held [N or N m]

    def some(self, numbers: NDArray[np.int64]) -> Rest:
        """Of some samples."""
        return Rest(self.q[numbers], self.z[numbers], self.pads[numbers], self.reactions[numbers])

    def put(self, numbers: NDArray[np.int64], other: Rest) -> None:
        """Write over some samples."""
        for name in ("q", "z", "pads", "reactions"):
            getattr(self, name)[numbers] = getattr(other, name)

    def copy(self) -> Rest:
        """To be written to."""
        return Rest(self.q.copy(), self.z.copy(), self.pads.copy(), self.reactions.copy())


@dataclass(frozen=True, eq=False)
class Rig:
    """A bench with its force laws; what the states of rest are functions of."""

    bench: Bench
    laws: Laws
    contact: Contact = "lowest"

    def at(self, q: Array, road: Array | None = None) -> Mechanics:
        """Mechanics at q (n, c, nq), over a road with normals (n, c, 3), level by default; copies one after another."""
        normals = None if road is None else flattened(road)
        return mechanics(self.bench, self.laws, flattened(q), self.contact, normals)

    @cached_property
    def slopes_at_design(self) -> Array:
        """(nm, nw) what travels of the wheels change of what laws act on."""
        return self.at(self.bench.q[None, None]).ds[0, :, : len(self.bench.wheels)]

    @cached_property
    def main_springs(self) -> tuple[int | None, ...]:
        """For each wheel the measure of its first spring: the first that its travel moves most."""
        ds = self.slopes_at_design
        springs = [
            self.laws.acts_on[i] for i, spring in enumerate(self.bench.mechanism.springs) if spring.role == "spring"
        ]
        return tuple(
            next((k for k in springs if abs(ds[k, w]) > MOVED and abs(ds[k, w]) >= np.abs(ds[k]).max()), None)
            for w in range(len(self.bench.wheels))
        )

    def heights(self, at: Mechanics) -> tuple[Array, Array]:
        """u (n, 3, nw) of `HEIGHTS` and its derivatives along z (n, 3, nw, nz), one copy each."""
        nw, nz, axes = len(at.corners), at.K.shape[-1], self.bench.mechanism.axes
        u, U = np.zeros((len(at.K), 3, nw)), np.zeros((len(at.K), 3, nw, nz))
        for w, (corner, wheel) in enumerate(zip(at.corners, self.bench.wheels, strict=True)):
            u[:, 0, w], U[:, 0, w, w] = self.bench.closure.coordinates[w].value(at.motion.places), 1.0
            u[:, 1, w], U[:, 1, w] = corner.height - float(wheel.contact(axes) @ axes.up), corner.rise
            k = self.main_springs[w]
            u[:, 2, w], U[:, 2, w] = (u[:, 0, w], U[:, 0, w]) if k is None else (at.s[:, k], at.ds[:, k])
        return u, U


@dataclass(frozen=True, eq=False)
class Tangent:
    """(4) at n samples: the matrix, scaled, and how x is laid out."""

    matrix: Array  # (n, m, m)
    rows: Array  # (n, m) scales
    columns: Array  # (n, m)
    copies: int
    nz: int
    nw: int
    nh: int

    def solve(self, rhs: Array) -> Array:
        """Of (n, m) or (n, m, k)."""
        vector = rhs.ndim == 2
        right = (rhs[..., None] if vector else rhs) * self.rows[..., None]
        x = np.linalg.solve(self.matrix, right) * self.columns[..., None]
        return np.asarray(x[..., 0] if vector else x)

    def split(self, x: Array) -> tuple[Array, Array, Array]:
        """Dz (n, c, nz, ...), dF (n, c, nw, ...), dT (n, c, nh, ...) of x (n, m, ...)."""
        c, ends = self.copies, np.cumsum([self.copies * k for k in (self.nz, self.nw, self.nh)])
        shape, rest = (len(x), c), x.shape[2:]
        return (
            x[:, : ends[0]].reshape(*shape, self.nz, *rest),
            x[:, ends[0] : ends[1]].reshape(*shape, self.nw, *rest),
            x[:, ends[1] :].reshape(*shape, self.nh, *rest),
        )


def tangent(rig: Rig, at: Mechanics, K: Array, A_u: Array, A_F: Array) -> Tangent:
    """(4) of n samples, from mechanics and K (n c, nz, nz) of their copies."""
    n, w = A_u.shape[:2]
    _, U = rig.heights(at)
    nz, nw, held = K.shape[-1], len(at.corners), list(rig.bench.held)
    c, nh = w // nw, len(held)
    H = pad_directions(at).reshape(n, c, nz, nw)
    K = K.reshape(n, c, nz, nz)
    set_by = np.einsum("nwckj,nckjz->nwcz", A_u, U.reshape(n, c, 3, nw, nz))
    M = np.zeros((n, c * (nz + nw + nh), c * (nz + nw + nh)))
    first_F, first_T = c * nz, c * (nz + nw)
    for i in range(c):
        zs, Fs = slice(i * nz, (i + 1) * nz), slice(first_F + i * nw, first_F + (i + 1) * nw)
        M[:, zs, zs], M[:, zs, Fs] = K[:, i], -H[:, i]
        M[:, first_F:first_T, zs] = set_by[:, :, i]
        for k, number in enumerate(held):
            at_T, at_z = first_T + i * nh + k, i * nz + number
            M[:, at_z, at_T], M[:, at_T, at_z] = -1.0, 1.0
    M[:, first_F:first_T, first_F:first_T] = A_F
    columns = 1.0 / largest(M, axis=-2)
    M = M * columns[:, None, :]
    rows = 1.0 / largest(M, axis=-1)
    return Tangent(M * rows[..., None], rows, columns, c, nz, nw, nh)


def largest(M: Array, axis: int) -> Array:
    """Of each row or column; one where all is zero."""
    size = np.abs(M).max(axis=axis)
    return np.where(size > 0.0, size, 1.0)


def missing(rig: Rig, at: Mechanics, Q: Array, state: Rest, setting: Setting) -> Array:
    """What is missing in (1) to (3), with the signs of (4).  Q (n c, nz) of all but reactions.  -> (n, m)."""
    n, held = len(state.z), list(rig.bench.held)
    force = Q.reshape(state.z.shape).copy()
    force[..., held] += state.reactions
    u, _ = rig.heights(at)
    pads = np.einsum("nwckj,nckj->nw", setting.A_u, u.reshape(*state.z.shape[:2], *u.shape[1:]))
    pads = pads + (setting.A_F @ state.pads.reshape(n, -1, 1))[..., 0]
    kept = setting.held - state.z[..., held]
    return np.concatenate([force.reshape(n, -1), setting.b - pads, kept.reshape(n, -1)], axis=-1)


def flat(loads: WheelLoads) -> WheelLoads:
    """Copies one after the other."""
    return WheelLoads(*(x.reshape(-1, *x.shape[2:]) for x in (loads.patch, loads.centre, loads.moment)))


def flattened(x: Array) -> Array:
    """Copies (n, c, k) one after the other (n c, k)."""
    return x.reshape(-1, x.shape[-1])


def newton(rig: Rig, start: Rest, setting: Setting) -> tuple[Rest, NDArray[np.bool_]]:
    """From states of rest to those under another setting, and which were found; the others are as they were."""
    closure, weight = rig.bench.closure, rig.bench.closure.coordinate_weight
    state, found = start.copy(), np.zeros(len(start.z), dtype=bool)
    left, first = np.arange(len(start.z)), np.full(len(start.z), np.inf)
    for iteration in range(ITERATIONS):
        here, now = state.some(left), setting.some(left)
        at = rig.at(here.q, now.road)
        Q, K = load_forces(at, flat(now.loads), flattened(here.pads))
        solved = tangent(rig, at, at.K + K, now.A_u, now.A_F)
        try:
            dz, dF, dT = solved.split(solved.solve(missing(rig, at, at.Q + Q, here, now)))
        except np.linalg.LinAlgError:
            break
        size = np.abs(dz * weight).max(axis=(1, 2))
        z = here.z + dz
        if iteration == 0:
            step = follow(closure, flattened(here.q), flattened(here.z), flattened(z), halvings=0)
            q, good = step.q, step.reached
        else:
            along = (at.B @ flattened(dz)[..., None])[..., 0]
            moved = closure.move(flattened(here.q), along)
            corrected = correct(closure, moved, flattened(z))
            q, good = corrected.q, corrected.converged.astype(bool)
        good = good.reshape(here.z.shape[:2]).all(axis=1) & np.isfinite(size) & (size <= GROWTH * first[left])
        first[left] = np.minimum(first[left], np.maximum(size, AT_REST * closure.length))
        state.put(left, Rest(q.reshape(here.q.shape), z, here.pads + dF, here.reactions + dT))
        done = good & (size < AT_REST * closure.length)
        found[left[done]] = True
        left = left[good & ~done]
        if not left.size:
            break
    failed = np.flatnonzero(~found)
    state.put(failed, start.some(failed))
    return state, found
