"""What the Taylor polynomials of the fields leave out, as polynomials themselves: (1) of `fmu_src.model.remainder`.

Measured at configurations that are spread over the range, by exact solutions with random deflections and least squares,
with the slopes of a field where these are exact too.  What is left then, of higher degree, is about a hundredth.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations_with_replacement

import numpy as np
import scipy.linalg
from numpy.typing import NDArray

from fmu_src.model.reduced_model import Axis, IntArray
from fmu_src.model.remainder import function_values, functions, monomials, products
from precompute.arrays import Array
from precompute.coordinates.independent import Coordinates
from precompute.kinematics.continuation import follow
from precompute.tables.columns import natural_field_scales
from precompute.tables.field_data import Asked, FieldData, evaluate_fields
from precompute.tables.fields import Fields, Numbers

MORE = 1.2
"""Equations per unknown of the least squares."""

SPREAD = 1.3
"""Configurations per function of the axes."""

RIDGE = 1e-12
"""Of the normal equations: solves them too where deflections that cannot be assembled leave too few."""

DEGREES = (0, 6, 3, 2)
"""Total degree of these functions, by number of axes; more axes have that of three."""


@dataclass(frozen=True, eq=False)
class Explored:
    """Configurations of the whole range that are expanded about, at which deflections are tried."""

    coordinates: Coordinates
    fields: Fields
    axes: tuple[Axis, ...]
    q: Array  # (n, nq)
    z: Array  # (n, nz)
    data: FieldData
    scale: Array  # (number of fields) what is natural

    @cached_property
    def sloped(self) -> NDArray[np.bool_]:
        """(number of fields) whose slopes need no second derivatives."""
        found = np.zeros(len(self.fields.items), dtype=bool)
        found[[f for part in self.fields.moment for f in part] + [f for _, f in self.fields.measures]] = True
        found[[f for marker in self.fields.markers for f in (*marker.r, *marker.R)]] = True
        return found

    def remainders(self, numbers: IntArray, d: Array) -> tuple[Array, Array, NDArray[np.bool_]]:
        """Exact fields less their polynomials, with deflections d (k, m, ns) at configurations (k,), by number.

        Returns:
            Values (k, m, number of fields), slopes along deflections (k, m, number of fields, ns) of `sloped` ones, and
            whether a deflection could be assembled (k, m).
        """
        full, nf, (k, m, ns) = self.coordinates.full, self.fields.nf, d.shape
        q, z = np.repeat(self.q[numbers], m, axis=0), np.repeat(self.z[numbers], m, axis=0)
        to = z.copy()
        to[:, nf:] += d.reshape(k * m, ns)
        there = follow(full, q, z, to)
        exact = evaluate_fields(full, self.fields, there.q, Asked.all(self.fields, ()))
        value, slope = polynomials(self.fields, self.data, numbers, d)
        found = exact.value.reshape(k, m, -1) - value, exact.gradient[..., nf:].reshape(k, m, -1, ns) - slope
        return *found, there.reached.reshape(k, m)


def explored(coordinates: Coordinates, fields: Fields, axes: tuple[Axis, ...], samples: Array) -> Explored:
    """At samples (n, nq) of the range of the axes."""
    full = coordinates.full
    stiff = tuple(range(fields.nf, fields.nf + fields.ns))
    terms = ((f, factors) for factors, some in polynomial_terms(fields).items() for f in some)
    beyond = frozenset((f, factors) for f, factors in terms if len(factors) > fields.items[f].exact)
    data = evaluate_fields(full, fields, samples, replace(Asked.all(fields, stiff), beyond=beyond))
    z = full.values(full.poses(samples))
    return Explored(coordinates, fields, axes, samples, z, data, natural_field_scales(full, fields, data.value))


def polynomial_terms(fields: Fields) -> dict[Numbers, list[int]]:
    """Fields in whose Taylor polynomials a product of deflections is, by its factors."""
    found = defaultdict[Numbers, list[int]](list)
    for f, field in enumerate(fields.items):
        for n in range(1, field.order + 1):
            for factors in combinations_with_replacement(field.stiff, n):
                found[factors].append(f)
    return found


def polynomials(fields: Fields, data: FieldData, numbers: IntArray, d: Array) -> tuple[Array, Array]:
    """The Taylor polynomials (k, m, number of fields) and their slopes (..., ns), as in `Explored.remainders`."""
    value = np.repeat(data.value[numbers, None], d.shape[1], axis=1)
    slope = np.zeros((*value.shape, d.shape[-1]))
    for factors, some in polynomial_terms(fields).items():
        c = np.stack([data.coefficient(f, factors) for f in some], axis=-1)[numbers, None]  # (k, 1, fields)
        value[..., some] += c * d[..., factors].prod(axis=-1)[..., None]
        for place, i in enumerate(factors):
            others = factors[:place] + factors[place + 1 :]
            slope[..., some, i] += c * d[..., others].prod(axis=-1)[..., None]
    return value, slope


@dataclass(frozen=True, eq=False)
class Remainders:
    """Of nr fields whose remainders have one degree, over what is natural for each."""

    fields: IntArray  # (nr,)
    degree: int
    coefficients: Array  # (nr, nb, nm)

    def at(self, P: Array, u: Array) -> Array:
        """(n, m, nr) at functions of the axes (n, nb), with each of some deflections over their reach (m, ns)."""
        here = np.tensordot(P, self.coefficients, axes=(1, 1))  # (n, nr, nm)
        return np.asarray(products(u, monomials(u.shape[-1], self.degree)) @ np.swapaxes(here, 1, 2))


def axis_functions(own: Explored) -> IntArray:
    """(nb, nf) those of the error model."""
    return functions(own.fields.nf, DEGREES[min(own.fields.nf, len(DEGREES) - 1)])


def measured_remainders(own: Explored, reach: Array, rng: np.random.Generator) -> tuple[Remainders, ...]:
    """Of all fields that depend on deflections, from deflections within the simplex of `reach` (ns,)."""
    fields, ns = own.fields, own.fields.ns
    P = function_values(own.axes, axis_functions(own), own.z)
    numbers = spread(P)
    degree = np.array([field.order + 1 if field.stiff else 0 for field in fields.items])
    groups = [(n, known) for n in sorted(set(degree.tolist()) - {0}) for known in (True, False)]
    groups = [(n, known) for n, known in groups if ((degree == n) & (own.sloped == known)).any()]
    unknown = [len(monomials(ns, n)) / (1 + ns if known else 1) for n, known in groups]
    u = simplex(rng, (len(numbers), int(MORE * max(unknown)) + 2), ns)
    value, slope, reached = own.remainders(numbers, u * reach)
    found = []
    for n, known in groups:
        some = np.flatnonzero((degree == n) & (own.sloped == known))
        at = np.stack(
            [
                fitted(u[k][ok], n, value[k][ok][:, some], slope[k][ok][:, some] * reach if known else None)
                for k, ok in enumerate(reached)
            ]
        )  # (k, nm, nr)
        over = np.linalg.lstsq(P[numbers], at.reshape(len(numbers), -1), rcond=None)[0]
        coefficients = over.reshape(P.shape[1], *at.shape[1:]).transpose(2, 0, 1) / own.scale[some, None, None]
        found.append(Remainders(some, n, coefficients))
    return tuple(found)


def spread(P: Array) -> IntArray:
    """Numbers of configurations at which functions P (n, nb) tell themselves apart best."""
    left, chosen = np.arange(len(P)), list[int]()
    wanted = min(int(np.ceil(SPREAD * P.shape[1])), len(P))
    while len(chosen) < wanted:
        order = scipy.linalg.qr(P[left].T, pivoting=True, mode="r")[1]
        new = left[order[: min(P.shape[1], wanted - len(chosen))]]
        chosen += new.tolist()
        left = np.setdiff1d(left, new)
    return np.array(sorted(chosen), dtype=np.int64)


def simplex(rng: np.random.Generator, shape: tuple[int, ...], ns: int) -> Array:
    """(..., ns) random, with sum |u_i| = 1."""
    return rng.dirichlet(np.ones(ns), shape) * rng.choice([-1.0, 1.0], (*shape, ns))


def fitted(u: Array, degree: int, value: Array, slope: Array | None) -> Array:
    """(nm, nr) coefficients of the monomials of a degree from values (m, nr), and slopes (m, nr, ns), at u (m, ns)."""
    factors, ns = monomials(u.shape[1], degree), u.shape[1]
    A, right = products(u, factors), value
    if slope is not None:
        along = np.zeros((len(u), ns, len(factors)))
        for place in range(degree):
            others = np.delete(factors, place, axis=1)
            for i in range(ns):
                own = factors[:, place] == i
                along[:, i, own] += products(u, others[own])
        A = np.concatenate([A, along.reshape(-1, len(factors))])
        right = np.concatenate([right, np.swapaxes(slope, 1, 2).reshape(-1, value.shape[1])])
    normal = A.T @ A  # well conditioned, and much faster than an orthogonal factorization
    normal[np.diag_indices_from(normal)] *= 1.0 + RIDGE
    return np.asarray(np.linalg.solve(normal, A.T @ right))
