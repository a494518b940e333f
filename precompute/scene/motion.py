"""How the bodies of a scene move: poses over sliders, as cubic splines whose error is measured.

A pose is a unit quaternion and an origin, seven numbers that are smooth over a slider.  On n equal steps a spline has
n + 2 coefficients per axis, of the basis that is the same in every cell,

    p(x) = sum_i c_i b(x - i),   b = [t^3, ..]/6 of the cell                                (1)

interpolates at the nodes, and has no knot at the first and last but one of them.  Between the nodes it is compared with
configurations solved there.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from precompute.arrays import Array
from precompute.coordinates.independent import Coordinates, choose_coordinates
from precompute.errors import PrecomputeError
from precompute.geometry.spatial import Transform, quaternion_rotation, rotation_quaternion
from precompute.kinematics.assembly import Configuration, close_loops
from precompute.kinematics.coefficients import Closure
from precompute.kinematics.continuation import follow
from precompute.kinematics.topology import spanning_tree
from precompute.model.mechanism import Mechanism
from precompute.rig.cases import CASES, acting, left_out
from precompute.rig.curves import bounds
from precompute.rig.march import march
from precompute.rig.quantities import INPUTS
from precompute.rig.ranges import roll_range, usual_ranges
from precompute.rig.stand import Stand
from precompute.scene.overlays import Overlay, overlays

NODES = {1: 129, 2: 25, 3: 11}
"""Per axis, by number of axes."""

CASE_NODES = 41
"""Of cases: the points of `kinetab kc`, where poses are exact then; between them stops may have kinks."""

WHEEL_CASES = ("bump", "roll", "steering")


@dataclass(frozen=True)
class Axis:
    """A slider."""

    name: str
    unit: str  # as people read it
    first: float  # in that unit
    last: float
    design: float
    nodes: int
    factor: float = 1.0  # how much of the unit is one of SI


@dataclass(frozen=True, eq=False)
class Motion:
    """Poses over one slider or a few together."""

    name: str
    title: str
    axes: tuple[Axis, ...]
    coefficients: Array  # (n_1 + 2, ..., nb + 1, 7) of (1): quaternion, origin [m]
    error: float  # [m] the largest found between nodes, of the points that are looked at
    overlays: tuple[Overlay, ...] = ()  # at its nodes


def free_motion(
    mechanism: Mechanism, look: Sequence[tuple[int, Array]], nodes: Mapping[int, int] = NODES
) -> Motion | None:
    """Of the free coordinates, stiff directions held; None where there are more than three.

    Args:
        mechanism: any that can be assembled.
        look: body numbers and points (n, 3) of them, whose error is measured.
        nodes: of the grid, per axis, by number of axes.
    """
    topology = spanning_tree(mechanism)
    design = close_loops(mechanism, topology)
    coordinates = choose_coordinates(mechanism, topology, design)
    if len(coordinates.free) not in nodes or any(c.lower is None for c in coordinates.free):
        return None
    n = nodes[len(coordinates.free)]
    ends = [(float(c.lower or 0.0), float(c.upper or 0.0)) for c in coordinates.free]
    axes = tuple(axis_of(coordinates, k, *ends[k], n) for k in range(len(ends)))
    q = grid(coordinates, design, [np.linspace(*own, n) for own in ends])
    poses = continuous(pose_numbers(coordinates.closure, q), len(axes))
    c = spline(poses, len(axes))
    middle = [np.linspace(*own, n)[:-1] + 0.5 * (own[1] - own[0]) / (n - 1) for own in ends]
    picked = np.random.default_rng(1).integers(0, n - 1, size=(32, len(axes)))
    at = np.array([[middle[k][i] for k, i in enumerate(some)] for some in picked])
    near = q[tuple(picked.T)]
    z = np.stack([np.linspace(*own, n)[picked[:, k]] for k, own in enumerate(ends)], axis=-1)
    there = follow(coordinates.closure, near, z, at)
    exact = pose_numbers(coordinates.closure, there.q[there.reached])
    found = np.array([evaluated(c, some + 0.5) for some in picked[there.reached]])
    return Motion("coordinates", "Coordinates", axes, c, largest_error(found, exact, look))


def axis_of(coordinates: Coordinates, k: int, first: float, last: float, nodes: int) -> Axis:
    """A slider over a free coordinate, in the units of the file."""
    mechanism, of = coordinates.closure.mechanism, coordinates.free[k].of
    scale = mechanism.units.measure(of.is_angle(mechanism))
    unit = mechanism.units.angle if of.is_angle(mechanism) else mechanism.units.length
    low, high, design = (scale.back(x) for x in (first, last, float(coordinates.design[k])))
    return Axis(coordinates.free[k].name, unit, low, high, design, nodes, scale.back(1.0))


def grid(coordinates: Coordinates, design: Configuration, axes: Sequence[Array]) -> Array:
    """Closed configurations on a tensor grid (n_1, ..., nq), walked from the design, axis after axis.

    Raises:
        PrecomputeError: a corner of the ranges cannot be reached.
    """
    closure, q, z = coordinates.closure, design.q[None], coordinates.design[None]
    for k, axis in enumerate(axes):
        nearest = int(np.argmin(np.abs(axis - coordinates.design[k])))
        rows: dict[int, tuple[Array, Array]] = {}
        for numbers in (range(nearest, len(axis)), range(nearest - 1, -1, -1)):
            here = rows.get(nearest, (q, z))
            for i in numbers:
                to = here[1].copy()
                to[:, k] = axis[i]
                done = follow(closure, *here, to)
                if not done.reached.all():
                    raise PrecomputeError(
                        f"{coordinates.range_in_words(k)} cannot be reached; 'kinetab check' says why"
                    )
                here = rows[i] = (done.q, to)
        q = np.stack([rows[i][0] for i in range(len(axis))], axis=1).reshape(-1, q.shape[-1])
        z = np.stack([rows[i][1] for i in range(len(axis))], axis=1).reshape(-1, z.shape[-1])
    return q.reshape(*(len(axis) for axis in axes), -1)


def case_motions(stand: Stand, look: Sequence[tuple[int, Array]]) -> tuple[Motion, ...]:
    """Bump, roll and steering of an axle, in equilibrium on its bushings, as `kinetab kc` has them."""
    ranges = usual_ranges(stand)
    ranges.setdefault("roll", roll_range(stand, ranges["travel"]))
    cases = [acting(c, stand) for c in CASES if c.name in WHEEL_CASES and left_out(stand, c) is None]
    n = 2 * CASE_NODES - 1
    courses = march(stand, cases, [np.linspace(*bounds(case, ranges), n) for case in cases])
    found = []
    for case, course in zip(cases, courses, strict=True):
        if len(course.values) < 9:
            continue
        values, q = course.values, course.rest.q[:, 0]
        if len(values) % 2 == 0:
            values, q = values[:-1], q[:-1]
        poses = continuous(pose_numbers(stand.rig.bench.closure, q), 1)
        c = spline(poses[::2], 1)
        between = np.array([evaluated(c, np.array([i + 0.5])) for i in range(len(poses) // 2)])
        unit = INPUTS[case.unit]
        first, last = unit.factor * float(values[0]), unit.factor * float(values[-1])
        axis = Axis(case.input, unit.unit, first, last, 0.0, len(poses[::2]))
        shown = overlays(stand, course.some(np.arange(0, len(poses), 2)))
        error = largest_error(between, poses[1::2], look)
        found.append(Motion(case.name, case.title, (axis,), c, error, shown))
    return tuple(found)


def pose_numbers(closure: Closure, q: Array) -> Array:
    """Poses (..., nb + 1, 7) of all bodies at configurations (..., nq)."""
    X = closure.poses(q).X
    flat = [np.concatenate([rotation_quaternion(own.R), own.p], axis=-1) for own in X]
    return np.stack(np.broadcast_arrays(*flat), axis=-2)


def continuous(poses: Array, axes: int) -> Array:
    """The same with signs of quaternions that do not jump from node to node of a grid over some axes."""
    poses = poses.copy()
    for k in reversed(range(axes)):  # along the last axis first; then whole rows by their first nodes
        a = np.moveaxis(poses, k, 0)
        for i in range(1, len(a)):
            turned = np.einsum("...q,...q->...", a[i, ..., :4], a[i - 1, ..., :4]) < 0.0
            a[i, ..., :4] = np.where(turned[..., None], -a[i, ..., :4], a[i, ..., :4])
    return poses


def spline(values: Array, axes: int) -> Array:
    """Coefficients of (1) along the first axes of values (n_1, ..., k)."""
    for k in range(axes):
        a = np.moveaxis(values, k, 0)
        n = len(a)
        A = np.zeros((n + 2, n + 2))
        for i in range(n):
            A[i, i : i + 3] = np.array([1.0, 4.0, 1.0]) / 6.0
        A[n, :5], A[n + 1, -5:] = ([1.0, -4.0, 6.0, -4.0, 1.0],) * 2  # no jump of the third derivative
        rhs = np.concatenate([a.reshape(n, -1), np.zeros((2, a[0].size))])
        values = np.moveaxis(np.linalg.solve(A, rhs).reshape(n + 2, *a.shape[1:]), 0, k)
    return values


def evaluated(c: Array, x: Array) -> Array:
    """(1) at a place x (axes,), counted in nodes."""
    for place in np.asarray(x, dtype=float):
        cell = int(np.clip(np.floor(place), 0, len(c) - 4))
        t = place - cell
        b = np.array([(1 - t) ** 3, 3 * t**3 - 6 * t**2 + 4, -3 * t**3 + 3 * t**2 + 3 * t + 1, t**3]) / 6.0
        c = np.tensordot(b, c[cell : cell + 4], axes=1)
    return c


def largest_error(found: Array, exact: Array, look: Sequence[tuple[int, Array]]) -> float:
    """The largest distance [m] between points by two sets of poses (n, nb + 1, 7)."""
    worst = 0.0
    for body, points in look:
        one, other = (transform(poses[:, body]) for poses in (found, exact))
        for p in points:
            worst = max(worst, float(np.linalg.norm(one.point(p) - other.point(p), axis=-1).max(initial=0.0)))
    return worst


def transform(pose: Array) -> Transform:
    """Of numbers (..., 7)."""
    size = np.linalg.norm(pose[..., :4], axis=-1, keepdims=True)
    return Transform(quaternion_rotation(pose[..., :4] / size), pose[..., 4:])
