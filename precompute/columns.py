"""The columns of the tables: which scalar functions of z are tabulated, and their exact values and gradients.

    inertia.a*b.J[a,b]   reduced inertia of the bodies that depend on the coordinates a and b
    moment.a*b[i]        first moment of their masses (its gradient times gravity is the generalized weight)
    measure.*            lengths and joint coordinates that springs and dampers act on, or that are watched
    measure.*/a          slope of a watched measure along a
    marker.M.r[i]        position;   marker.M.R[i,j] rotation;   marker.M.A[i,a] angular velocity per unit rate of a

Columns are sorted into blocks by the coordinates that they depend on; J and the first moment are sums over blocks.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations_with_replacement

import numpy as np
from numpy.typing import NDArray

from precompute import measures
from precompute.arrays import Array
from precompute.candidates import describe
from precompute.coefficients import Closure, coefficient_derivatives, factorize, velocity_coefficients
from precompute.decouple import Axes, Dependence, same_measure
from precompute.inertia import reduced_inertia, reduced_inertia_derivatives, spatial_inertias
from precompute.kinematics import Poses, point_velocity
from precompute.mechanism import JointCoordinate, Marker, Measure, Mechanism
from precompute.spatial import skew

SCALE_FLOOR = 1e-4
"""A column's errors are relative to its range, but never to less than this fraction of what is natural for its kind:
a coordinate that moves by a micrometre in a metre is not asked for twelve digits of that micrometre."""


@dataclass(frozen=True)
class Columns:
    """Names and layout of the columns.  Index fields are column numbers, running through all blocks in order."""

    names: tuple[str, ...]
    blocks: tuple[Axes, ...]  # coordinates of each block
    block_of: tuple[int, ...]  # per column
    groups: tuple[tuple[int, ...], ...]  # per block: bodies whose inertia it holds, numbered from 0
    inertia: tuple[tuple[tuple[int, ...], ...], ...]  # (nz, nz): columns whose sum is J_ij
    moment: tuple[tuple[int, ...], ...]  # (3,): columns whose sum is S_i
    measures: tuple[tuple[Measure, int], ...]
    slopes: tuple[tuple[Measure, tuple[int, ...]], ...]  # of watched measures: their nz slopes
    markers: tuple[tuple[int, ...], ...]  # per marker: 3 of r, 9 of R, 3 nz of A row by row
    winding: tuple[bool, ...]  # may grow by whole turns per turn of a periodic axis

    def of_block(self, block: int) -> NDArray[np.intp]:
        """Numbers of the columns of a block; they are consecutive."""
        return np.flatnonzero(np.array(self.block_of) == block)


@dataclass(frozen=True, eq=False)
class ColumnData:
    """Exact values of all columns at a batch of configurations."""

    value: Array  # (n, nc)
    gradient: Array  # (n, nc, nz)
    condition: Array  # (n,)
    J_smallest: Array  # (n,) smallest eigenvalue of J per squared metre of motion, over the total mass


def plan_columns(
    mechanism: Mechanism, names: tuple[str, ...], dependence: Dependence, watched: tuple[Measure, ...] = ()
) -> Columns:
    """Lay out the columns, block after block.

    Args:
        mechanism: whose springs, dampers and markers are tabulated.
        names: of the nz coordinates; columns are named after them.
        dependence: which coordinates each body and measure depends on.
        watched: measures whose slopes are tabulated too.
    """
    nz = len(names)
    wanted: list[tuple[Axes, str]] = []  # block and name of each column, in the order of planning

    def add(axes: Axes, name: str) -> int:
        wanted.append((axes, name))
        return len(wanted) - 1

    groups = {axes: [i for i, a in enumerate(dependence.bodies) if a == axes] for axes in dependence.bodies if axes}
    title = {axes: "*".join(names[k] for k in axes) for axes in groups}
    upper = {
        (i, j): [add(d, f"inertia.{title[d]}.J[{names[i]},{names[j]}]") for d in groups if {i, j} <= set(d)]
        for i, j in combinations_with_replacement(range(nz), 2)
    }
    moment = [[add(axes, f"moment.{title[axes]}[{i + 1}]") for axes in groups] for i in range(3)]
    acting = [(on, add(axes, f"measure.{measure_name(mechanism, on)}")) for on, axes in dependence.measures]
    slopes = [
        (on, [add(axes, f"measure.{measure_name(mechanism, on)}/{name}") for name in names])
        for on, axes in dependence.measures
        if any(same_measure(on, other) for other in watched)
    ]
    markers = []
    for m in mechanism.markers:
        axes = dependence.body(mechanism, m.body)
        r = [add(axes, f"marker.{m.name}.r[{i + 1}]") for i in range(3)]
        R = [add(axes, f"marker.{m.name}.R[{i + 1},{j + 1}]") for i in range(3) for j in range(3)]
        A = [add(axes, f"marker.{m.name}.A[{i + 1},{name}]") for i in range(3) for name in names]
        markers.append([*r, *R, *A])
    blocks = sorted({axes for axes, _ in wanted}, key=lambda axes: (len(axes), axes))
    order = sorted(range(len(wanted)), key=lambda c: (blocks.index(wanted[c][0]), c))
    number = {c: i for i, c in enumerate(order)}
    angles = {number[c] for on, c in acting if measures.is_angle(mechanism, on)}

    def numbers(columns: list[int]) -> tuple[int, ...]:
        return tuple(number[c] for c in columns)

    return Columns(
        names=tuple(wanted[c][1] for c in order),
        blocks=tuple(blocks),
        block_of=tuple(blocks.index(wanted[c][0]) for c in order),
        groups=tuple(tuple(groups.get(axes, ())) for axes in blocks),
        inertia=tuple(tuple(numbers(upper[min(i, j), max(i, j)]) for j in range(nz)) for i in range(nz)),
        moment=tuple(numbers(columns) for columns in moment),
        measures=tuple((on, number[c]) for on, c in acting),
        slopes=tuple((on, numbers(columns)) for on, columns in slopes),
        markers=tuple(numbers(columns) for columns in markers),
        winding=tuple(i in angles for i in range(len(order))),
    )


def measure_name(mechanism: Mechanism, on: Measure) -> str:
    """Name of the first spring or damper on a measure; or what it measures."""
    springs = [f"spring.{s.name}" for s in mechanism.springs if same_measure(s.on, on)]
    dampers = [f"damper.{d.name}" for d in mechanism.dampers if same_measure(d.on, on)]
    return (*springs, *dampers, describe(on).replace(" ", "_"))[0]


def find_measure(columns: Columns, measure: Measure) -> int:
    """Column of a measure."""
    return next(column for known, column in columns.measures if same_measure(known, measure))


def find_slopes(columns: Columns, measure: Measure) -> tuple[int, ...]:
    """Columns of the nz slopes of a watched measure."""
    return next(found for known, found in columns.slopes if same_measure(known, measure))


def evaluate(closure: Closure, columns: Columns, q: Array) -> ColumnData:
    """All columns at closed configurations q (n, nq)."""
    m, t = closure.mechanism, closure.topology
    P = closure.poses(q)
    factor = factorize(closure, closure.matrix(P))
    B = velocity_coefficients(closure, factor)
    dB, W, dW = coefficient_derivatives(closure, P, factor, B)
    data = ColumnData(
        value=np.zeros((len(q), len(columns.names))),
        gradient=np.zeros((len(q), len(columns.names), len(closure.coordinates))),
        condition=factor.condition,
        J_smallest=np.zeros(len(q)),
    )
    fill_bodies(closure, columns, P, W, dW, data)
    for measure, column in columns.measures:
        data.value[:, column] = measures.value(m, t, P, q, measure)
        data.gradient[:, column] = (measures.row(m, t, P, measure)[:, None, :] @ B)[:, 0]
    for measure, index in columns.slopes:
        data.value[:, index] = data.gradient[:, find_measure(columns, measure)]
        data.gradient[:, index] = second_derivatives(closure, P, W, dW, dB, measure)
    for marker, index in zip(m.markers, columns.markers, strict=True):
        fill_marker(closure, marker, index, P, W, dW, data)
    return data


def second_derivatives(closure: Closure, P: Poses, W: Array, dW: Array, dB: Array, measure: Measure) -> Array:
    """Second derivatives of a measure along z.  -> (n, nz, nz)."""
    m, t = closure.mechanism, closure.topology
    if isinstance(measure, JointCoordinate):
        return dB[:, measures.joint_coordinate_indices(m, t, measure)[1]]
    return measures.second(m, t, P, W, dW, measure)


def fill_bodies(closure: Closure, columns: Columns, P: Poses, W: Array, dW: Array, data: ColumnData) -> None:
    """Inertia and first moment of the bodies of each block."""
    bodies = closure.mechanism.bodies
    M_b = spatial_inertias(closure.mechanism, closure.topology, P)
    total = np.zeros((len(W), W.shape[-1], W.shape[-1]))
    for block, group in enumerate(columns.groups):
        if not group:
            continue
        some = [0, *(b + 1 for b in group)]
        J = reduced_inertia(M_b[:, group], W[:, some])[:, 6:, 6:]
        dJ = reduced_inertia_derivatives(M_b[:, group], W[:, some], dW[:, some])[:, 6:, 6:]
        fill_inertia(columns, block, J, dJ, data)
        total += J
        index = [next(c for c in part if columns.block_of[c] == block) for part in columns.moment]
        for b in group:
            com = P.X[b + 1].point(bodies[b].com)
            data.value[:, index] += bodies[b].mass * com
            data.gradient[:, index] += bodies[b].mass * point_velocity(W[:, b + 1], com)
    data.J_smallest[:] = smallest_inertia(closure, total)


def fill_inertia(columns: Columns, block: int, J: Array, dJ: Array, data: ColumnData) -> None:
    """Put the inertia (n, nz, nz) of a block's bodies, and its derivatives, into the block's columns."""
    for i, j in combinations_with_replacement(range(J.shape[-1]), 2):
        for c in columns.inertia[i][j]:
            if columns.block_of[c] == block:
                data.value[:, c], data.gradient[:, c] = J[:, i, j], dJ[:, i, j]


def fill_marker(
    closure: Closure, marker: Marker, index: tuple[int, ...], P: Poses, W: Array, dW: Array, data: ColumnData
) -> None:
    """Position, rotation and angular Jacobian of a marker."""
    nz = W.shape[-1]
    b = closure.topology.bodies.index(marker.body)
    p, R, w = P.X[b].point(marker.p), P.X[b].R @ marker.R, W[:, b, :3]
    dR = skew(np.swapaxes(w, -1, -2)) @ R[:, None]  # (n, nz, 3, 3)
    data.value[:, index[:3]], data.gradient[:, index[:3]] = p, point_velocity(W[:, b], p)
    data.value[:, index[3:12]] = R.reshape(-1, 9)
    data.gradient[:, index[3:12]] = np.moveaxis(dR.reshape(-1, nz, 9), 1, 2)
    data.value[:, index[12:]] = w.reshape(-1, 3 * nz)
    data.gradient[:, index[12:]] = dW[:, b, :3].reshape(-1, 3 * nz, nz)


def total_inertia(columns: Columns, value: Array) -> Array:
    """J from column values (n, nc): the sum over blocks.  -> (n, nz, nz)."""
    return np.stack([np.stack([value[:, list(c)].sum(-1) for c in row], -1) for row in columns.inertia], -2)


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
    J_max = np.abs(np.diagonal(total_inertia(columns, data.value), axis1=1, axis2=2)).max(axis=0)
    for i in range(nz):
        for j in range(i, nz):
            scale[list(columns.inertia[i][j])] = np.sqrt(J_max[i] * J_max[j])
    scale[[c for part in columns.moment for c in part]] = closure.length * sum(b.mass for b in m.bodies)
    for measure, column in columns.measures:
        scale[column] = 1.0 if measures.is_angle(m, measure) else closure.length
    for measure, index in columns.slopes:
        unit = 1.0 if measures.is_angle(m, measure) else closure.length
        scale[list(index)] = unit * closure.coordinate_weight / closure.length
    for index in columns.markers:
        scale[list(index[:3])] = closure.length
        scale[list(index[12:])] = np.tile(closure.coordinate_weight / closure.length, 3)  # 1, or 1/length
    return np.maximum(SCALE_FLOOR * scale, np.finfo(float).tiny ** 0.5)
