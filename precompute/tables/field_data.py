"""Values and derivatives of the fields at closed configurations: exact up to the first or second order.

What is beyond, third derivatives of positions and second ones of inertia, are differences of the highest exact ones:
an exact recursion would need the next derivative of every joint and measure.  With a step h their error is of the order
h^2, next to nothing against the four digits that such coefficients need.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations_with_replacement
from math import factorial, prod

import numpy as np

from fmu_src.model.rows import ROTATION, TURNING
from precompute.arrays import Array
from precompute.geometry.spatial import point_acceleration, point_velocity, seen_at, skew
from precompute.kinematics.coefficients import Closure, coefficient_derivatives, solver, velocity_coefficients
from precompute.kinematics.continuation import follow
from precompute.kinematics.inertia import reduced_inertia, reduced_inertia_derivatives, spatial_inertias
from precompute.kinematics.motion import Motion
from precompute.model.mechanism import Marker
from precompute.tables.fields import TENSOR, Fields, MarkerFields, Numbers
from precompute.tables.loads.load_data import LoadData, fill_loads

DIFFERENCE = 2e-4
"""Step of the differences along stiff coordinates [rad], or as a share of the reference length."""


Term = tuple[int, Numbers]
"""A field, and the stiff coordinates, ascending, along which it is differentiated."""


@dataclass(frozen=True)
class Asked:
    """What is to be evaluated: little more than that is computed."""

    fields: frozenset[int]  # numbers of fields
    second: frozenset[int]  # those of them whose second derivatives are needed
    along: tuple[int, ...]  # nd coordinates: second derivatives are along one of these and any other
    beyond: frozenset[Term] = frozenset()  # derivatives of any field that are differences

    @classmethod
    def all(cls, fields: Fields, along: tuple[int, ...]) -> Asked:
        """All fields but those that are read on request, with what is exact of them."""
        numbers = frozenset(f for f, field in enumerate(fields.items) if not field.request)
        return cls(numbers, numbers if along else frozenset(), along)

    def some(self, numbers: Numbers) -> bool:
        """Whether some of these fields are asked for."""
        return not self.fields.isdisjoint(numbers)

    def some_second(self, numbers: Numbers) -> bool:
        """Whether second derivatives of some of them are."""
        return not self.second.isdisjoint(numbers)


@dataclass(frozen=True, eq=False)
class FieldData:
    """The fields that are asked for, at a batch of configurations.

    Gradients are along all nz coordinates, stiff ones too; but those of inertia, of A and of slopes, which are made of
    second derivatives, only along those asked for.
    """

    value: Array  # (n, number of fields)
    gradient: Array  # (n, number of fields, nz)
    second: dict[int, Array]  # (n, nz, nd) by field, where it is known: not of A, nor of inertia
    nf: int
    along: tuple[int, ...]  # the nd coordinates
    beyond: dict[Term, Array]  # (n,) each, what differences give

    def derivative(self, f: int, factors: Numbers) -> Array:
        """(n,) of a field along some stiff coordinates, ascending."""
        if (f, factors) in self.beyond:
            return self.beyond[f, factors]
        match factors:
            case ():
                return self.value[:, f]
            case (i,):
                return self.gradient[:, f, self.nf + i]
            case (i, j):
                return self.second[f][:, self.nf + i, self.along.index(self.nf + j)]
        raise KeyError(f"the derivative of field {f} along {factors} was not asked for")

    def coefficient(self, f: int, factors: Numbers) -> Array:
        """(n,) of the Taylor polynomial: the derivative over the factorials of how often each factor comes."""
        return self.derivative(f, factors) / prod(factorial(factors.count(i)) for i in set(factors))

    def slopes(self, f: int, factors: Numbers, axes: tuple[int, ...]) -> Array:
        """(n, number of axes) of the field, or of its slope along one stiff coordinate."""
        if not factors:
            return self.gradient[:, f, axes]
        return self.second[f][:, self.nf + factors[0], [self.along.index(k) for k in axes]]


def evaluate_fields(closure: Closure, fields: Fields, q: Array, asked: Asked | None = None) -> FieldData:
    """Fields at closed configurations q (n, nq), all unless asked; the closure has all nz coordinates, stiff too."""
    asked = asked or Asked.all(fields, tuple(range(fields.nf + fields.ns)))
    data = exact_fields(closure, fields, q, asked)
    if asked.beyond:
        data.beyond.update(differences(closure, fields, q, asked.beyond))
    return data


def differences(closure: Closure, fields: Fields, q: Array, wanted: frozenset[Term]) -> dict[Term, Array]:
    """Derivatives (n,) one order beyond the exact ones: differences of these along the last of their factors.

    A derivative is the same whichever of its factors comes last, so each is taken once.
    """
    z, nf = closure.values(closure.poses(q)), fields.nf
    found: dict[Term, Array] = {}
    for k in sorted({factors[-1] for _, factors in wanted}):
        own = [(f, factors) for f, factors in wanted if factors[-1] == k]
        some = frozenset(f for f, _ in own)
        second = frozenset(f for f in some if fields.items[f].exact == 2)
        asked = Asked(some, second, tuple(range(nf, nf + fields.ns)))
        h = DIFFERENCE * closure.length / closure.coordinate_weight[nf + k]
        sides = []
        for step in (h, -h):
            to = z.copy()
            to[:, nf + k] += step
            sides.append(exact_fields(closure, fields, follow(closure, q, z, to).q, asked))
        for f, factors in own:
            above, below = (side.derivative(f, factors[:-1]) for side in sides)
            found[f, factors] = (above - below) / (2.0 * h)
    return found


def exact_fields(closure: Closure, fields: Fields, q: Array, asked: Asked) -> FieldData:
    """The same, without what differences give."""
    P, along = closure.poses(q), list(asked.along)
    factor = solver(closure, closure.matrix(P))
    B = velocity_coefficients(closure, factor)
    dB, W, dW = coefficient_derivatives(closure, P, factor, B, along)
    motion = Motion(P, B, W, dW, dB, along)
    count, nz = len(fields.items), len(closure.coordinates)
    data = FieldData(np.zeros((len(q), count)), np.zeros((len(q), count, nz)), {}, fields.nf, asked.along, {})
    fill_bodies(motion, fields, asked, data)
    sloping = {fields.find(measure): index for measure, index in fields.slopes if asked.some(index)}
    for measure, field in fields.measures:
        if field in asked.fields or field in sloping:
            data.value[:, field] = measure.value(P)
            data.gradient[:, field] = (measure.row(P)[:, None, :] @ B)[:, 0]
        if field in asked.second or field in sloping:
            data.second[field] = measure.second(motion)
    for field, index in sloping.items():
        data.value[:, index] = data.gradient[:, field]
        data.gradient[:, np.array(index)[:, None], along] = data.second[field]
    for marker, own in zip(closure.mechanism.frames, fields.markers, strict=True):
        if asked.some((*own.r, *own.R, *own.A)):
            fill_marker(motion, marker, own, asked, data)
    loads = [load for load in fields.loads if asked.some(load.numbers)]
    accelerations = [own for own in fields.accelerations if asked.some(own.numbers)]
    if loads or accelerations:
        into = LoadData(data.value, data.gradient, list(range(fields.nf, nz)))
        fill_loads(closure, P, factor, B, loads, accelerations, asked.fields, into)
    return data


Entries = list[tuple[tuple[int, ...], int, int]]  # fields, one per group, and their row and column of M


def fill_bodies(motion: Motion, fields: Fields, asked: Asked, data: FieldData) -> None:
    """Inertia, momentum and first moment of each group of bodies."""
    nz = motion.W.shape[-1]
    relative = [(fields.inertia[i][j], 6 + i, 6 + j) for i, j in combinations_with_replacement(range(nz), 2)]
    of_ground = [(part, i, 6 + k) for i, row in enumerate(fields.momentum) for k, part in enumerate(row)]
    of_ground += [(part, i, j) for part, (i, j) in zip(fields.tensor, TENSOR, strict=False)]
    # far from the origin J would be a small difference of large numbers
    middle = np.mean([b.com for b in motion.places.mechanism.bodies], axis=0)
    for entries, about in ((relative, middle), (of_ground, np.zeros(3))):
        if some := [entry for entry in entries if asked.some(entry[0])]:
            fill_inertia(motion, fields, some, about, data)
    for number in range(len(fields.groups)):
        fill_moment(motion, fields, number, asked, data)


def fill_inertia(motion: Motion, fields: Fields, entries: Entries, about: Array, data: FieldData) -> None:
    """Some entries of M of each group of bodies, with velocities at a point (3,) of G."""
    P = motion.places
    M_b = spatial_inertias(P.mechanism, P.topology, P, about)
    W, dW = seen_at(motion.W, about), seen_at(motion.dW, about)
    for number, group in enumerate(fields.groups):
        own = [(f, i, j) for part, i, j in entries for f in part if fields.items[f].group == number]
        if not own:
            continue
        some = [0, *(b + 1 for b in group.bodies)]
        M = reduced_inertia(M_b[:, group.bodies], W[:, some])
        dM = reduced_inertia_derivatives(M_b[:, group.bodies], W[:, some], dW[:, some], motion.along)
        for field, i, j in own:
            data.value[:, field] = M[:, i, j]
            data.gradient[:, field, motion.along] = dM[:, i, j]


def fill_moment(motion: Motion, fields: Fields, group: int, asked: Asked, data: FieldData) -> None:
    """First moment of the masses of a group, with its second derivatives."""
    index = tuple(part[group] for part in fields.moment)
    if not asked.some(index):
        return
    P = motion.places
    second = np.zeros((len(P.q), 3, *motion.dW.shape[-2:]))
    for b in fields.groups[group].bodies:
        body = P.mechanism.bodies[b]
        com = P.X[b + 1].point(body.com)
        v = point_velocity(motion.W[:, b + 1], com)
        data.value[:, index] += body.mass * com
        data.gradient[:, index] += body.mass * v
        if asked.some_second(index):
            dW = motion.dW[:, b + 1]
            second += body.mass * point_acceleration(motion.W[:, b + 1], dW, com, v[..., motion.along])
    data.second.update({field: second[:, i] for i, field in enumerate(index)})


def fill_marker(motion: Motion, marker: Marker, own: MarkerFields, asked: Asked, data: FieldData) -> None:
    """Position, rotation and angular Jacobian of a marker.

    R_i = [w_i] R,   R_ij = ([dw_i/dz_j] + [w_i][w_j]) R
    """
    W, dW, X = motion.velocity(marker.body), motion.acceleration(marker.body), motion.places.pose(marker.body)
    n, _, nz, nd = dW.shape
    p, R, w = X.point(marker.p), X.R @ marker.R, W[:, :3]
    v, s = point_velocity(W, p), skew(np.swapaxes(w, -1, -2))  # (n, 3, nz), (n, nz, 3, 3)
    data.value[:, own.r], data.gradient[:, own.r] = p, v
    data.value[:, own.R] = R.reshape(n, ROTATION)
    data.gradient[:, own.R] = np.moveaxis((s @ R[:, None]).reshape(n, nz, ROTATION), 1, 2)
    data.value[:, own.A] = w.reshape(n, TURNING * nz)
    data.gradient[:, np.array(own.A)[:, None], motion.along] = dW[:, :3].reshape(n, TURNING * nz, nd)
    if asked.some_second(own.r):
        position = point_acceleration(W, dW, p, v[..., motion.along])
        data.second.update({field: position[:, i] for i, field in enumerate(own.r)})
    if asked.some_second(own.R):
        ds = skew(np.moveaxis(dW[:, :3], 1, -1))  # (n, nz, nd, 3, 3)
        turned = (ds + s[:, :, None] @ s[:, None, motion.along]) @ R[:, None, None]
        rotation = turned.reshape(n, nz, nd, ROTATION)
        data.second.update({field: rotation[..., i] for i, field in enumerate(own.R)})


def total_inertia(fields: Fields, value: Array) -> Array:
    """J from values of the fields (n, number of fields): the sum over groups.  -> (n, nz, nz)."""
    return np.stack([np.stack([value[:, list(f)].sum(-1) for f in row], -1) for row in fields.inertia], -2)
