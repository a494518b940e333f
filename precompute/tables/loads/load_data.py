"""Exact values of the fields of loads and accelerations at closed configurations, with slopes along stiff coordinates.

With W_k the motion of the bodies along an opening (see `openings`), the load is by virtual work

    R_k = sum_b W_k^T (M_b (W zdd + dW zd zd) - ad(W zd)^T M_b W zd) - the power of all forces along W_k      (1)

so that of second derivatives those along the coordinates do, and none along the opening:

    J_kj  = sum_b W_k^T M_b W_j                                                                               (2)
    C_kij = sum_b W_k^T M_b d_j W_i + (ad_k W_i)^T M_b W_j,  made symmetric in i and j                        (3)
    h_k   = sum_b M_b W_k                                                                                     (4)
    D_kj  = d_j h_k - d_k h_j = sum_b -ad_j^T M_b W_k + ad_k^T M_b W_j + M_b ad_k W_j                         (5)
    I_k   = sum_b -ad_k^T M_b - M_b ad_k                                                                      (6)

(5) holds since d_k W_j - d_j W_k = ad_k W_j.  A moving ground needs the angular parts of (4) to (6); the linear part of
h_k is the slope of the first moment, that of D_kj is zero.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import combinations_with_replacement

import numpy as np
from numpy.typing import NDArray

from precompute.arrays import Array
from precompute.coordinates.load_dependence import is_across
from precompute.geometry.spatial import cross_motion_matrix, point_acceleration, point_velocity, seen_at
from precompute.kinematics.coefficients import Closure, Factor, Triangular, coefficient_derivatives
from precompute.kinematics.inertia import spatial_inertias
from precompute.kinematics.motion import Motion
from precompute.kinematics.openings import Opened, Opening, opened
from precompute.kinematics.poses import Poses
from precompute.model.mechanism import Marker, Measure
from precompute.tables.loads.load_fields import TENSOR, AccelerationFields, LoadFields, LoadGroup, Numbers


@dataclass(frozen=True, eq=False)
class LoadData:
    """Where what is found is filled in."""

    value: Array  # (n, number of fields)
    gradient: Array  # (n, number of fields, nz): along stiff coordinates alone
    stiff: list[int]  # numbers of these

    def fill(self, numbers: Numbers, value: Array, slope: Array | None = None) -> None:
        """Values (n, m), and slopes along stiff coordinates (n, m, ns), of m fields; -1 for none."""
        there: NDArray[np.intp] = np.flatnonzero(np.array(numbers, dtype=np.intp) >= 0)
        fields = np.array(numbers, dtype=np.intp)[there]
        self.value[:, fields] = value[:, there]
        if slope is not None and self.stiff:
            self.gradient[:, fields[:, None], self.stiff] = slope[:, there]


@dataclass(frozen=True, eq=False)
class Moving:
    """All bodies but the ground, with velocities at one point and their derivatives along the nz coordinates."""

    M: Array  # (n, nb, 6, 6)
    W: Array  # (n, nb, 6, nz + nk)
    dW: Array  # (n, nb, 6, nz + nk, nz)

    @classmethod
    def of(cls, motion: Motion, about: Array) -> Moving:
        """Velocities at a point (3,) of the ground."""
        P = motion.places
        M = spatial_inertias(P.mechanism, P.topology, P, about)
        return cls(M, seen_at(motion.W, about)[:, 1:], seen_at(motion.dW, about)[:, 1:])

    def some(self, bodies: Numbers) -> Moving:
        """Some bodies."""
        own = list(bodies)
        return Moving(self.M[:, own], self.W[:, own], self.dW[:, own])


def fill_loads(
    closure: Closure,
    P: Poses,
    factor: Factor | Triangular,
    B: Array,
    loads: list[LoadFields],
    accelerations: list[AccelerationFields],
    asked: frozenset[int],
    data: LoadData,
) -> None:
    """Fill in the fields of some loads and accelerations: all, or only (3), (5), (6) if no others are asked for."""
    some = tuple(load.opening for load in loads)
    linear = {*(n for load in loads for n in load.linear), *(n for of in accelerations for n in of.linear)}
    if asked.isdisjoint(linear):
        fill_quadratic(closure, P, factor, B, loads, accelerations, asked, data)
        return
    along = opened(closure, P, factor, B, some)
    motion, nz = along.motion(closure, factor, some), B.shape[-1]
    middle = np.mean([b.com for b in closure.mechanism.bodies], axis=0)  # as in `field_data`
    near, far = Moving.of(motion, middle), Moving.of(motion, np.zeros(3))
    forces = ForceMotion(along, motion, some, data.stiff)
    for k, load in enumerate(loads):
        for group in load.groups:
            fill_inertia(near.some(group.bodies), group, nz, nz + k, data)
            fill_momentum(far.some(group.bodies), group, nz, nz + k, data)
        forces.fill(load, k, data)
    for own in accelerations:
        fill_acceleration(motion, closure.mechanism.frames[own.frame], own, nz, data)


def fill_inertia(b: Moving, group: LoadGroup, nz: int, k: int, data: LoadData) -> None:
    """(2) with its slopes, and (3)."""
    W, dW = b.W[..., :nz], b.dW[..., :nz, :]
    W_k, M_k = b.W[..., k], (b.M @ b.W[..., k, None])[..., 0]
    MW = b.M @ W
    data.fill(group.C, quadratic(b, nz, k))
    slopes = []
    for s in data.stiff:
        ad = cross_motion_matrix(W[..., s])
        of_k = (b.dW[..., k, s, None] - ad @ W_k[..., None])[..., 0]
        slopes.append(np.einsum("nbc,nbcj->nj", of_k, MW) + np.einsum("nbc,nbcj->nj", M_k, dW[..., s] - ad @ W))
    data.fill(group.J, np.einsum("nbc,nbcj->nj", M_k, W), np.stack(slopes, axis=-1) if slopes else None)


def quadratic(b: Moving, nz: int, k: int) -> Array:
    """(3) of all pairs of coordinates, (n, nz (nz + 1) / 2)."""
    W, dW, W_k = b.W[..., :nz], b.dW[..., :nz, :], b.W[..., k]
    turned = cross_motion_matrix(W_k) @ W  # ad_k W_i
    M_k = (b.M @ W_k[..., None])[..., 0]
    return paired(np.einsum("nbc,nbcij->nij", M_k, dW) + np.einsum("nbci,nbcj->nij", turned, b.M @ W))


def paired(C: Array) -> Array:
    """What products of rates are multiplied by (n, nz (nz + 1) / 2), from the same with both orders (n, nz, nz)."""
    i, j = np.triu_indices(C.shape[-1])
    return np.asarray(0.5 * (C[:, i, j] + C[:, j, i]))


def fill_quadratic(
    closure: Closure,
    P: Poses,
    factor: Factor | Triangular,
    B: Array,
    loads: list[LoadFields],
    accelerations: list[AccelerationFields],
    asked: frozenset[int],
    data: LoadData,
) -> None:
    """(3), (5) and (6) of what is asked for, without what other coordinates or slopes along openings would take."""
    nz, groups = B.shape[-1], [group for load in loads for group in load.groups]
    pairs = list(combinations_with_replacement(range(nz), 2))
    turned = [(j,) for _ in range(3) for j in range(nz)]
    named = [pair for group in groups for pair in zip((*group.C, *group.D), (*pairs, *turned), strict=False)]
    named += [pair for of in accelerations for C in of.C for pair in zip(C, pairs, strict=True)]
    own = sorted({i for number, some in named if number in asked for i in some}) or [0]
    chosen = [pairs.index(pair) for pair in combinations_with_replacement(own, 2)]
    along = opened(closure, P, factor, B[..., own], tuple(load.opening for load in loads))
    dB, W, dW = coefficient_derivatives(closure, P, factor, B[..., own])
    middle = np.mean([b.com for b in closure.mechanism.bodies], axis=0)
    near, far = (
        Moving(
            spatial_inertias(P.mechanism, P.topology, P, about),
            seen_at(along.W, about)[:, 1:],
            seen_at(dW, about)[:, 1:],
        )
        for about in (middle, np.zeros(3))
    )
    for k, load in enumerate(loads):
        for group in load.groups:
            found = quadratic(near.some(group.bodies), len(own), len(own) + k)
            data.fill(tuple(group.C[p] for p in chosen), found)
            if group.D:
                columns = tuple(group.D[nz * i + j] for i in range(3) for j in own)
                fill_turning(far.some(group.bodies), columns, group.I, len(own), len(own) + k, data)
    for of in accelerations:
        _, second = frame_motion(Motion(P, B[..., own], W, dW, dB), closure.mechanism.frames[of.frame], len(own))
        for c, C in enumerate(of.C):
            data.fill(tuple(C[p] for p in chosen), paired(second[:, c]))


def fill_momentum(b: Moving, group: LoadGroup, nz: int, k: int, data: LoadData) -> None:
    """The linear part of (4), and where the ground moves the angular ones of (4) to (6)."""
    W, W_k = b.W[..., :nz], b.W[..., k, None]
    h = (b.M @ W_k)[..., 0]
    slopes = []
    for s in data.stiff:
        ad = cross_motion_matrix(W[..., s])
        changed = b.M @ (b.dW[..., k, s, None] - ad @ W_k) - np.swapaxes(ad, -1, -2) @ h[..., None]
        slopes.append(changed[..., 0].sum(axis=1))
    slope = np.stack(slopes, axis=-1) if slopes else None
    data.fill(group.S, h.sum(axis=1)[:, 3:], None if slope is None else slope[:, 3:])
    if not group.h:
        return
    data.fill(group.h, h.sum(axis=1)[:, :3], None if slope is None else slope[:, :3])
    fill_turning(b, group.D, group.I, nz, k, data)


def fill_turning(b: Moving, D: Numbers, I: Numbers, nz: int, k: int, data: LoadData) -> None:  # noqa: E741
    """The angular parts of (5) and (6)."""
    W, h = b.W[..., :nz], (b.M @ b.W[..., k, None])[..., 0]
    ad_k = cross_motion_matrix(b.W[..., k])
    ad_j = cross_motion_matrix(np.moveaxis(W, -1, 1))  # (n, nz, nb, 6, 6)
    found = np.swapaxes(ad_k, -1, -2) @ (b.M @ W) + b.M @ (ad_k @ W)
    found = found.sum(axis=1) - np.einsum("njbdc,nbd->ncj", ad_j, h)
    data.fill(D, found[:, :3].reshape(len(found), 3 * nz))
    half = b.M @ ad_k
    changed = -(half + np.swapaxes(half, -1, -2)).sum(axis=1)
    data.fill(I, np.stack([changed[:, i, j] for i, j in TENSOR], axis=-1))


class ForceMotion:
    """What measures and markers move by along openings: each is looked at once, for all."""

    def __init__(self, along: Opened, motion: Motion, some: tuple[Opening, ...], stiff: list[int]) -> None:
        self.along, self.motion, self.openings, self.stiff = along, motion, some, stiff
        self.measures: list[tuple[Measure, Array, Array]] = []
        self.frames: dict[int, tuple[Array, Array]] = {}

    @cached_property
    def followed(self) -> Motion:
        """Without what opens."""
        return self.along.followed(self.motion, self.openings)

    def fill(self, load: LoadFields, k: int, data: LoadData) -> None:
        """Fill in the k-th opening."""
        for measure, field in load.measures:
            value, slope = self.measure(measure)
            data.fill((field,), value[:, None, k], slope[:, None, k])
        for number, numbers in load.frames:
            value, slope = self.frame(number)
            data.fill(numbers, value[..., k], slope[..., k, :])

    def measure(self, measure: Measure) -> tuple[Array, Array]:
        """Of a measure along all openings (n, nk), and its slopes along stiff coordinates (n, nk, ns)."""
        for known, *found in self.measures:
            if known is measure:
                return found[0], found[1]
        nz, mechanism = self.along.nz, self.motion.places.mechanism
        own = np.array([is_across(mechanism, opening, measure) for opening in self.openings])
        B = self.along.B[..., nz:].copy()
        B[:, B.shape[1] - self.along.P.screws.shape[-1] :] *= ~own
        value = (measure.row(self.along.P)[:, None] @ B)[:, 0]
        slope = np.zeros((*value.shape, 0))
        if self.stiff:
            slope = measure.second(self.motion)[:, nz:][..., self.stiff]
            if own.any():
                slope[:, own] = measure.second(self.followed)[:, nz:][:, own][..., self.stiff]
        self.measures.append((measure, value, slope))
        return value, slope

    def frame(self, number: int) -> tuple[Array, Array]:
        """Of a marker along all openings (n, 6, nk), and its slopes along stiff coordinates (n, 6, nk, ns)."""
        if number not in self.frames:
            nz = self.along.nz
            J, second = frame_motion(self.motion, self.motion.places.mechanism.frames[number], nz)
            self.frames[number] = J[..., nz:], second[..., nz:, :][..., self.stiff]
        return self.frames[number]


def frame_motion(motion: Motion, marker: Marker, nz: int) -> tuple[Array, Array]:
    """Velocity of a marker's point and angular velocity (n, 6, nz + nk), and derivatives along the nz coordinates."""
    W, dW = motion.velocity(marker.body), motion.acceleration(marker.body)
    p = motion.places.pose(marker.body).point(marker.p)
    v = point_velocity(W, p)
    J = np.concatenate([v, W[:, :3]], axis=1)
    return J, np.concatenate([point_acceleration(W, dW, p, v[..., :nz]), dW[:, :3]], axis=1)


def fill_acceleration(motion: Motion, marker: Marker, own: AccelerationFields, nz: int, data: LoadData) -> None:
    """Slopes of position and rotation of a marker, and theirs."""
    J, second = frame_motion(motion, marker, nz)
    for c in range(len(own.J)):
        data.fill(own.J[c], J[:, c, :nz], second[:, c, :nz][..., data.stiff])
        data.fill(own.C[c], paired(second[:, c, :nz]))
