"""Exact values, gradients and second derivatives of the fields at closed configurations."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations_with_replacement

import numpy as np

from fmu_src.model.rows import ROTATION, TURNING
from precompute.arrays import Array
from precompute.geometry.spatial import point_acceleration, point_velocity, seen_at, skew
from precompute.kinematics.coefficients import Closure, coefficient_derivatives, factorize, velocity_coefficients
from precompute.kinematics.continuation import follow
from precompute.kinematics.inertia import reduced_inertia, reduced_inertia_derivatives, spatial_inertias
from precompute.kinematics.motion import Motion
from precompute.model.mechanism import Marker
from precompute.tables.fields import TENSOR, Fields, MarkerFields

DIFFERENCE = 2e-4
"""Step of the differences along stiff coordinates [rad], or as a share of the reference length."""


@dataclass(frozen=True, eq=False)
class FieldData:
    """All fields at a batch of configurations.  Derivatives are along all nz coordinates, stiff ones too."""

    value: Array  # (n, number of fields)
    gradient: Array  # (n, number of fields, nz)
    second: dict[int, Array]  # (n, nz, nz) by field, where it is known: not of A, nor of inertia of order 1
    condition: Array  # (n,)


def evaluate_fields(closure: Closure, fields: Fields, q: Array) -> FieldData:
    """All fields at closed configurations q (n, nq); the closure has all nz coordinates, stiff ones last."""
    data = exact_fields(closure, fields, q)
    if any(fields.items[f].order == 2 for f in fields.inertial):
        data.second.update(inertia_differences(closure, fields, q))
    return data


def inertia_differences(closure: Closure, fields: Fields, q: Array) -> dict[int, Array]:
    """Second derivatives of inertia and momentum, (n, nz, nz) by field: differences of exact slopes.

    Only those along two stiff coordinates are filled in.
    """
    z, nf, index = closure.values(closure.poses(q)), fields.nf, list(fields.inertial)
    second = np.zeros((len(q), len(index), nf + fields.ns, nf + fields.ns))
    for k in range(nf, nf + fields.ns):
        h = DIFFERENCE * closure.length / closure.coordinate_weight[k]
        sides = []
        for step in (h, -h):
            to = z.copy()
            to[:, k] += step
            sides.append(exact_fields(closure, fields, follow(closure, q, z, to).q).gradient[:, index, nf:])
        second[:, :, nf:, k] = (sides[0] - sides[1]) / (2.0 * h)
    second = 0.5 * (second + np.swapaxes(second, -1, -2))
    return {f: second[:, i] for i, f in enumerate(index)}


def exact_fields(closure: Closure, fields: Fields, q: Array) -> FieldData:
    """The same, without second derivatives of inertia and momentum."""
    P = closure.poses(q)
    factor = factorize(closure, closure.matrix(P))
    B = velocity_coefficients(closure, factor)
    dB, W, dW = coefficient_derivatives(closure, P, factor, B)
    motion = Motion(P, W, dW, dB)
    count, nz = len(fields.items), len(closure.coordinates)
    data = FieldData(np.zeros((len(q), count)), np.zeros((len(q), count, nz)), {}, factor.condition)
    fill_bodies(motion, fields, data)
    for measure, field in fields.measures:
        data.value[:, field] = measure.value(P)
        data.gradient[:, field] = (measure.row(P)[:, None, :] @ B)[:, 0]
        data.second[field] = measure.second(motion)
    for measure, index in fields.slopes:
        field = fields.find(measure)
        data.value[:, index] = data.gradient[:, field]
        data.gradient[:, index] = data.second[field]
    for marker, own in zip(closure.mechanism.markers, fields.markers, strict=True):
        fill_marker(motion, marker, own, data)
    return data


Entries = list[tuple[tuple[int, ...], int, int]]  # fields, one per group, and their row and column of M


def fill_bodies(motion: Motion, fields: Fields, data: FieldData) -> None:
    """Inertia, momentum and first moment of each group of bodies."""
    nz = motion.W.shape[-1]
    relative = [(fields.inertia[i][j], 6 + i, 6 + j) for i, j in combinations_with_replacement(range(nz), 2)]
    of_ground = [(part, i, 6 + k) for i, row in enumerate(fields.momentum) for k, part in enumerate(row)]
    of_ground += [(part, i, j) for part, (i, j) in zip(fields.tensor, TENSOR, strict=False)]
    # far from the origin J would be a small difference of large numbers
    fill_inertia(motion, fields, relative, np.mean([b.com for b in motion.places.mechanism.bodies], axis=0), data)
    if of_ground:
        fill_inertia(motion, fields, of_ground, np.zeros(3), data)
    for number in range(len(fields.groups)):
        fill_moment(motion, fields, number, data)


def fill_inertia(motion: Motion, fields: Fields, entries: Entries, about: Array, data: FieldData) -> None:
    """Some entries of M of each group of bodies, with velocities at a point (3,) of G."""
    P = motion.places
    M_b = spatial_inertias(P.mechanism, P.topology, P, about)
    W, dW = seen_at(motion.W, about), seen_at(motion.dW, about)
    for number, group in enumerate(fields.groups):
        some = [0, *(b + 1 for b in group.bodies)]
        M = reduced_inertia(M_b[:, group.bodies], W[:, some])
        dM = reduced_inertia_derivatives(M_b[:, group.bodies], W[:, some], dW[:, some])
        for part, i, j in entries:
            for field in (f for f in part if fields.items[f].group == number):
                data.value[:, field], data.gradient[:, field] = M[:, i, j], dM[:, i, j]


def fill_moment(motion: Motion, fields: Fields, group: int, data: FieldData) -> None:
    """First moment of the masses of a group, with its second derivatives."""
    index = [part[group] for part in fields.moment]
    P, nz = motion.places, motion.W.shape[-1]
    second = np.zeros((len(P.q), 3, nz, nz))
    for b in fields.groups[group].bodies:
        body = P.mechanism.bodies[b]
        com = P.X[b + 1].point(body.com)
        data.value[:, index] += body.mass * com
        data.gradient[:, index] += body.mass * point_velocity(motion.W[:, b + 1], com)
        second += body.mass * point_acceleration(motion.W[:, b + 1], motion.dW[:, b + 1], com)
    data.second.update({field: second[:, i] for i, field in enumerate(index)})


def fill_marker(motion: Motion, marker: Marker, own: MarkerFields, data: FieldData) -> None:
    """Position, rotation and angular Jacobian of a marker.

    R_i = [w_i] R,   R_ij = ([dw_i/dz_j] + [w_i][w_j]) R
    """
    W, dW, X = motion.velocity(marker.body), motion.acceleration(marker.body), motion.places.pose(marker.body)
    nz = W.shape[-1]
    p, R, w = X.point(marker.p), X.R @ marker.R, W[:, :3]
    s = skew(np.swapaxes(w, -1, -2))  # (n, nz, 3, 3)
    ds = skew(np.moveaxis(dW[:, :3], 1, -1))  # (n, nz, nz, 3, 3)
    data.value[:, own.r], data.gradient[:, own.r] = p, point_velocity(W, p)
    data.value[:, own.R] = R.reshape(-1, ROTATION)
    data.gradient[:, own.R] = np.moveaxis((s @ R[:, None]).reshape(-1, nz, ROTATION), 1, 2)
    data.value[:, own.A] = w.reshape(-1, TURNING * nz)
    data.gradient[:, own.A] = dW[:, :3].reshape(-1, TURNING * nz, nz)
    position = point_acceleration(W, dW, p)
    rotation = ((ds + s[:, :, None] @ s[:, None]) @ R[:, None, None]).reshape(-1, nz, nz, ROTATION)
    data.second.update({field: position[:, i] for i, field in enumerate(own.r)})
    data.second.update({field: rotation[..., i] for i, field in enumerate(own.R)})


def total_inertia(fields: Fields, value: Array) -> Array:
    """J from values of the fields (n, number of fields): the sum over groups.  -> (n, nz, nz)."""
    return np.stack([np.stack([value[:, list(f)].sum(-1) for f in row], -1) for row in fields.inertia], -2)
