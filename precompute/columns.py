"""The columns of the tables: which scalar functions of z are tabulated, and their exact values and gradients.

inertia.J[i,j]      reduced inertia, i <= j
moment[i]           first moment of all masses (its gradient times gravity is the generalized weight)
measure.*           lengths and joint coordinates that springs and dampers act on
marker.M.r[i]       position;   marker.M.R[i,j] rotation;   marker.M.A[i,j] angular velocity per unit zdot_j
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from precompute import measures
from precompute.arrays import Array
from precompute.coefficients import Closure, coefficient_derivatives, factorize, velocity_coefficients
from precompute.inertia import reduced_inertia, reduced_inertia_derivatives, spatial_inertias
from precompute.kinematics import point_velocity
from precompute.mechanism import Distance, JointCoordinate, Mechanism
from precompute.spatial import skew

SCALE_FLOOR = 1e-4
"""A column's errors are relative to its range, but never to less than this fraction of what is natural for its kind:
a coordinate that moves by a micrometre in a metre is not asked for twelve digits of that micrometre."""


@dataclass(frozen=True)
class Columns:
    """Names and layout of the columns.  Index fields are column numbers."""

    names: tuple[str, ...]
    inertia: tuple[tuple[int, ...], ...]  # (nz, nz)
    moment: tuple[int, int, int]
    measures: tuple[tuple[Distance | JointCoordinate, int], ...]
    markers: tuple[tuple[int, ...], ...]  # per marker: 3 of r, 9 of R, 3 nz of A row by row
    winding: tuple[bool, ...]  # may grow by whole turns per turn of a periodic axis


@dataclass(frozen=True, eq=False)
class ColumnData:
    """Exact values of all columns at a batch of configurations."""

    value: Array  # (n, nc)
    gradient: Array  # (n, nc, nz)
    condition: Array  # (n,)
    J_smallest: Array  # (n,) smallest eigenvalue of J per squared metre of motion, over the total mass


def plan_columns(mechanism: Mechanism, nz: int) -> Columns:
    """Lay out the columns."""
    names: list[str] = []

    def add(name: str) -> int:
        names.append(name)
        return len(names) - 1

    upper = {(i, j): add(f"inertia.J[{i + 1},{j + 1}]") for i in range(nz) for j in range(i, nz)}
    moment = tuple(add(f"moment[{i + 1}]") for i in range(3))
    acting: list[tuple[Distance | JointCoordinate, int]] = []
    for kind, items in (("spring", mechanism.springs), ("damper", mechanism.dampers)):
        for item in items:
            if find_measure(acting, item.on) is None:
                acting.append((item.on, add(f"measure.{kind}.{item.name}")))
    markers = []
    for marker in mechanism.markers:
        r = [add(f"marker.{marker.name}.r[{i + 1}]") for i in range(3)]
        R = [add(f"marker.{marker.name}.R[{i + 1},{j + 1}]") for i in range(3) for j in range(3)]
        A = [add(f"marker.{marker.name}.A[{i + 1},{j + 1}]") for i in range(3) for j in range(nz)]
        markers.append(tuple(r + R + A))
    angles = {column for measure, column in acting if measures.is_angle(mechanism, measure)}
    return Columns(
        names=tuple(names),
        inertia=tuple(tuple(upper[min(i, j), max(i, j)] for j in range(nz)) for i in range(nz)),
        moment=(moment[0], moment[1], moment[2]),
        measures=tuple(acting),
        markers=tuple(markers),
        winding=tuple(i in angles for i in range(len(names))),
    )


def find_measure(
    acting: list[tuple[Distance | JointCoordinate, int]] | tuple[tuple[Distance | JointCoordinate, int], ...],
    measure: Distance | JointCoordinate,
) -> int | None:
    """Column of an equal measure, if there is one: a spring and damper on the same two points share it."""
    for known, column in acting:
        if isinstance(known, JointCoordinate) and known == measure:
            return column
        if isinstance(known, Distance) and isinstance(measure, Distance):
            same_bodies = (known.body_a, known.body_b) == (measure.body_a, measure.body_b)
            if same_bodies and (known.p_a == measure.p_a).all() and (known.p_b == measure.p_b).all():
                return column
    return None


def evaluate(closure: Closure, columns: Columns, q: Array) -> ColumnData:
    """All columns at closed configurations q (n, nq)."""
    m, t, nz = closure.mechanism, closure.topology, len(closure.coordinates)
    P = closure.poses(q)
    factor = factorize(closure, closure.matrix(P))
    B = velocity_coefficients(closure, factor)
    _, W, dW = coefficient_derivatives(closure, P, factor, B)
    value = np.zeros((len(q), len(columns.names)))
    gradient = np.zeros((len(q), len(columns.names), nz))

    M_b = spatial_inertias(m, t, P)
    J = reduced_inertia(M_b, W)[:, 6:, 6:]
    dJ = reduced_inertia_derivatives(M_b, W, dW)[:, 6:, 6:]
    for i in range(nz):
        for j in range(i, nz):
            value[:, columns.inertia[i][j]], gradient[:, columns.inertia[i][j]] = J[:, i, j], dJ[:, i, j]
    for body, X, w in zip(m.bodies, P.X[1:], np.moveaxis(W[:, 1:], 1, 0), strict=True):
        c = X.point(body.com)
        value[:, columns.moment] += body.mass * c
        gradient[:, columns.moment] += body.mass * point_velocity(w, c)
    for measure, column in columns.measures:
        value[:, column] = measures.value(m, t, P, q, measure)
        gradient[:, column] = (measures.row(m, t, P, measure)[:, None, :] @ B)[:, 0]
    for marker, index in zip(m.markers, columns.markers, strict=True):
        b = t.bodies.index(marker.body)
        p, R, w = P.X[b].point(marker.p), P.X[b].R @ marker.R, W[:, b, :3]
        value[:, index[:3]], gradient[:, index[:3]] = p, point_velocity(W[:, b], p)
        dR = skew(np.swapaxes(w, -1, -2)) @ R[:, None]  # (n, nz, 3, 3)
        value[:, index[3:12]] = R.reshape(-1, 9)
        gradient[:, index[3:12]] = np.moveaxis(dR.reshape(-1, nz, 9), 1, 2)
        value[:, index[12:]] = w.reshape(-1, 3 * nz)
        gradient[:, index[12:]] = dW[:, b, :3].reshape(-1, 3 * nz, nz)
    smallest = smallest_inertia(closure, J)
    return ColumnData(value, gradient, factor.condition, smallest)


def smallest_inertia(closure: Closure, J: Array) -> Array:
    """Smallest eigenvalue of J with all motions in metres, over the total mass.  (..., nz, nz) -> (...)."""
    bodies = closure.mechanism.bodies
    mass = sum(b.mass + np.trace(b.inertia) / closure.length**2 for b in bodies)
    scaled = J / (closure.coordinate_weight[:, None] * closure.coordinate_weight)
    return np.linalg.eigvalsh(scaled)[..., 0] / max(mass, np.finfo(float).tiny)


def natural_scales(closure: Closure, columns: Columns, data: ColumnData) -> Array:
    """What is natural for each column's kind, times SCALE_FLOOR.  -> (nc,)."""
    m, nz = closure.mechanism, len(closure.coordinates)
    scale = np.ones(len(columns.names))
    J_max = [np.abs(data.value[:, columns.inertia[i][i]]).max() for i in range(nz)]
    for i in range(nz):
        for j in range(i, nz):
            scale[columns.inertia[i][j]] = np.sqrt(J_max[i] * J_max[j])
    scale[list(columns.moment)] = closure.length * max(sum(b.mass for b in m.bodies), np.finfo(float).tiny)
    for measure, column in columns.measures:
        scale[column] = 1.0 if measures.is_angle(m, measure) else closure.length
    for index in columns.markers:
        scale[list(index[:3])] = closure.length
        scale[list(index[12:])] = np.tile(closure.coordinate_weight / closure.length, 3)  # 1, or 1/length
    return np.maximum(SCALE_FLOOR * scale, np.finfo(float).tiny ** 0.5)
