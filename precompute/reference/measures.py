"""Measures of the full model: distances, coordinates of joints and markers, angles, with gradients and rates.

`Measure` -> `Measures`, arrays over all measures of a model, computed from body-fixed points and directions:

    translation, marker coordinate   a_i . (p_j - p_i)                                          a row, form (1)
    distance                         |p_j - p_i|                                                root of a row
    pitch                            asin(-f . Z)                                               arcsine of a row
    angle about n from x to y        atan2(n . (x x y), x . y - (n . x)(n . y))                 (4)
    combination                      sum of factors times any of these

An angle is known up to whole turns only.  `FullState.angles` counts them: the value returned is the one nearest to
the count, and whoever moves the state keeps the count near.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from precompute.arrays import Array, frozen_array
from precompute.errors import PrecomputeError
from precompute.model.mechanism import (
    DirectionCosine,
    Distance,
    Joint,
    JointCoordinate,
    MarkerAngle,
    MarkerCoordinate,
    Measure,
    Mechanism,
    PlaneDistance,
    RelativeAngle,
    WheelTravel,
    plane_axes,
)
from precompute.reference.bodies import (
    AXES,
    ZERO,
    Bodies,
    BoolArray,
    FeatureList,
    FeatureMotion,
    FullState,
    IntArray,
    body_row,
    cross,
    feature_motion,
)
from precompute.reference.constraints import (
    FeatureRows,
    RowList,
    full_jacobian,
    row_gamma,
    row_values,
    sequence_ends,
)

TURN = 2.0 * np.pi
Shape = Literal["row", "root", "arcsine"]


@dataclass(frozen=True, eq=False)
class Measures:
    """nm measures in the order given, made of terms: first come all rows, then all angles; `sums` adds them up."""

    rows: FeatureRows  # of translations and marker coordinates; of distances, the square
    is_distance: BoolArray  # (nr,)
    is_sine: BoolArray  # (nr,)
    angles: IntArray  # (3, na) features n, x, y of (4); features as in `rows`
    order: IntArray  # (nt,) position of each term among [rows; angles]
    first: IntArray  # (nm,) the first term of each measure
    factors: Array  # (nt,) of the terms; most measures are one term with the factor one
    is_angle: BoolArray  # (nm,)

    def sums(self, terms: Array) -> Array:
        """(nm, ...) from what all rows, then all angles have, (nr + na, ...)."""
        found = terms[self.order]
        if len(self.first) == len(self.order):
            return found * self.factors.reshape(-1, *(1,) * (found.ndim - 1))
        return np.add.reduceat(found * self.factors.reshape(-1, *(1,) * (found.ndim - 1)), self.first, axis=0)


@dataclass(frozen=True, eq=False)
class MeasureMotion:
    """Values and gradients of all measures at a state."""

    values: Array  # (nm,) [m or rad]
    gradients: Array  # (nm, 6 nb) rate = gradient @ u, if the ground rests
    ground: Array  # (nm, 6) the same for the rates of the ground
    rates: Array  # (nm,) [m/s or rad/s]
    angles: Array  # (na,) of all angles, nearest to those that were counted [rad]
    angle_rates: Array  # (na,) [rad/s]


# -- construction -----------------------------------------------------------------------------------------------------


def all_measures(mechanism: Mechanism, bodies: Bodies, measures: Sequence[Measure]) -> Measures:
    """The features that each measure needs."""
    rows = RowList(bodies)
    shapes: list[Shape] = []
    angles: list[tuple[int, int, int]] = []
    place: list[int] = []  # n-th row as n, n-th angle as -1 - n
    factors: list[float] = []
    first: list[int] = []
    for measure in measures:
        first.append(len(place))
        for factor, term in measure.terms:
            form = form_of(mechanism, rows.features, term)
            factors.append(factor)
            if isinstance(form, AngleForm):
                place.append(-1 - len(angles))
                angles.append(form.features)
                continue
            place.append(len(rows.items))
            shapes.append(form.shape)
            rows.add(form.features, length=True)
    where = np.array(place, dtype=np.int64)
    return Measures(
        rows=rows.rows(),
        is_distance=np.array([shape == "root" for shape in shapes], dtype=bool),
        is_sine=np.array([shape == "arcsine" for shape in shapes], dtype=bool),
        angles=np.array(angles, dtype=np.int64).reshape(-1, 3).T,
        order=np.where(where < 0, len(rows.items) - 1 - where, where),
        first=np.array(first, dtype=np.int64),
        factors=frozen_array(factors),
        is_angle=np.array([measure.is_angle(mechanism) for measure in measures], dtype=bool),
    )


@dataclass(frozen=True)
class RowForm:
    """A measure that is a row, or a function of it."""

    features: tuple[int, int, int, int]
    shape: Shape = "row"


@dataclass(frozen=True)
class AngleForm:
    """A measure that is an angle."""

    features: tuple[int, int, int]  # n, x, y of (4)


Form = RowForm | AngleForm


def has_form(measure: Measure) -> bool:
    """Whether the full model has a gradient of it; else it is a metric."""
    return all(type(term) in FORMS for _, term in measure.terms)


def form_of(mechanism: Mechanism, features: FeatureList, measure: Measure) -> Form:
    """How a term of a measure is computed, by its class."""
    if type(measure) not in FORMS:
        raise PrecomputeError(f"the full model has no gradient of the {measure.name}, so that nothing can act on it")
    return FORMS[type(measure)](mechanism, features, measure)


def distance_form(mechanism: Mechanism, features: FeatureList, measure: Distance) -> Form:
    """The root of a square."""
    index = features.bodies.index
    p_a = features.point(index(measure.body_a), measure.p_a)
    p_b = features.point(index(measure.body_b), measure.p_b)
    return RowForm((p_b, p_a, p_b, p_a), "root")


def marker_form(mechanism: Mechanism, features: FeatureList, measure: MarkerCoordinate) -> Form:
    """From the ground's origin, or from where the marker is at design, along one of the ground's axes."""
    marker = mechanism.marker(measure.marker)
    origin = features.point(len(features.bodies.names), marker.p if measure.relative else np.zeros(3))
    point = features.point(features.bodies.index(marker.body), marker.p)
    return RowForm((AXES["xyz".index(measure.axis)], ZERO, point, origin))


def joint_form(mechanism: Mechanism, features: FeatureList, measure: JointCoordinate) -> Form:
    """A travel along an axis of one body, or an angle."""
    joint = mechanism.joint(measure.joint)
    if joint.primitives[measure.index].kind == "rotation":
        return AngleForm(angle_features(features, joint, measure.index))
    axis = joint.primitives[measure.index].axis
    assert axis is not None, "a ball has no scalar coordinate"
    (i, p_i), (j, p_j) = joint_ends(features.bodies, joint, measure.index)
    return RowForm((features.direction(i, axis), ZERO, features.point(j, p_j), features.point(i, p_i)))


def attitude_form(mechanism: Mechanism, features: FeatureList, measure: MarkerAngle) -> Form:
    """Yaw turns about up, roll about where forward has gone; the sine of a pitch is how far that points down."""
    axes, ground = mechanism.axes, len(features.bodies.names)
    body = features.bodies.index(mechanism.marker(measure.marker).body)
    carried = features.direction(body, axes.forward)
    if measure.angle == "pitch":
        return RowForm((carried, ZERO, features.direction(ground, -axes.up), ZERO), "arcsine")
    up = features.direction(ground, axes.up)
    if measure.angle == "yaw":
        return AngleForm((up, features.direction(ground, axes.forward), carried))
    return AngleForm((carried, up, features.direction(body, axes.up)))


def travel_form(mechanism: Mechanism, features: FeatureList, measure: WheelTravel) -> Form:
    """From where the wheel's centre is at design, along a direction of the ground."""
    wheel, ground = mechanism.wheel(measure.wheel), len(features.bodies.names)
    origin, centre = (features.point(body, wheel.centre) for body in (ground, features.bodies.index(wheel.body)))
    return RowForm((features.direction(ground, mechanism.axes.up), ZERO, centre, origin))


def relative_form(mechanism: Mechanism, features: FeatureList, measure: RelativeAngle) -> Form:
    """About an axis of the one, from a direction of it across that to the same of the other."""
    a, b = (features.bodies.index(body) for body in (measure.body_a, measure.body_b))
    across = measure.across
    return AngleForm(
        (features.direction(a, measure.axis), features.direction(a, across), features.direction(b, across))
    )


def plane_form(mechanism: Mechanism, features: FeatureList, measure: PlaneDistance) -> Form:
    """Of a point of the one body, along a direction of the other, from a point of that."""
    a, b = (features.bodies.index(body) for body in (measure.body_a, measure.body_b))
    normal = features.direction(b, measure.normal)
    return RowForm((normal, ZERO, features.point(a, measure.p), features.point(b, measure.foot)))


def cosine_form(mechanism: Mechanism, features: FeatureList, measure: DirectionCosine) -> Form:
    """A scalar product."""
    a, b = (features.bodies.index(body) for body in (measure.body_a, measure.body_b))
    return RowForm((features.direction(a, measure.a), ZERO, features.direction(b, measure.b), ZERO))


FORMS: dict[type[Measure], Callable[[Mechanism, FeatureList, Any], Form]] = {
    Distance: distance_form,
    MarkerCoordinate: marker_form,
    JointCoordinate: joint_form,
    WheelTravel: travel_form,
    RelativeAngle: relative_form,
    MarkerAngle: attitude_form,
    PlaneDistance: plane_form,
    DirectionCosine: cosine_form,
}
"""How the full model computes each kind of measure that something may act on; see `metrics` for others."""


def joint_ends(bodies: Bodies, joint: Joint, index: int) -> tuple[tuple[int, Array], tuple[int, Array]]:
    """The two bodies, with the joint's origin on each, between which a primitive is measured."""
    chain = bodies.chains[joint.name]
    if bodies.is_chain(joint):
        ends, at = sequence_ends(joint, chain), joint.walk.index(index)
        return ends[at], ends[at + 1]
    if joint.name in bodies.loose and index > 0:
        raise PrecomputeError(
            f"joint '{joint.name}' is not there in the full model, so that its coordinate [{index + 1}] has no value; "
            "measure the deflection of its bushings"
        )
    return (chain[0], joint.p_P), (chain[1], joint.p_C)


def angle_features(features: FeatureList, joint: Joint, index: int) -> tuple[int, int, int]:
    """The three features n, x, y of (4) for a rotation of a joint.

    A joint of two rotations turns first about a, which is fixed in the parent, and then about b, fixed in the child:
    the first angle shows in where b has gone, the second in where a of the child is now.
    """
    turning = [p.axis for p in joint.primitives if p.kind == "rotation" and p.axis is not None]
    axis = joint.primitives[index].axis
    assert axis is not None
    (i, _), (j, _) = joint_ends(features.bodies, joint, index)
    chain = features.bodies.is_chain(joint)
    if joint.name in features.bodies.loose:  # R = R_stiff R_free shows about the child's axis, or R_free R_stiff
        first = joint.stiff_axes == "parent"
        n, on, seen = joint.R[:, 0], j if first else i, joint.R[:, 1 if first else 2]
    elif len(turning) == 2 and not chain:
        first = axis is turning[0]
        n, on, seen = axis, i if first else j, turning[1 if first else 0]
    else:
        n, on, seen = axis, i, plane_axes(axis)[0]
    return features.direction(on, n), features.direction(i, seen), features.direction(j, seen)


# -- evaluation -------------------------------------------------------------------------------------------------------


def measure_motion(measures: Measures, state: FullState) -> MeasureMotion:
    """Values (angles nearest to state.angles) and gradients of all measures."""
    motion = feature_motion(measures.rows.features, state)
    angles = angle_measures(measures, motion, state)
    parts = zip(row_measures(measures, motion, state), angles, strict=True)
    values, full = (measures.sums(np.concatenate(part)) for part in parts)
    gradients, ground = full[:, :-6], full[:, -6:]
    rates = gradients @ state.u + ground @ state.chassis.u
    turning = angles[1][:, :-6] @ state.u + angles[1][:, -6:] @ state.chassis.u
    return MeasureMotion(values, gradients, ground, rates, angles[0], turning)


def measure_curvature(measures: Measures, state: FullState) -> Array:
    """(nm,) second time derivative of all measures at du/dt = 0 [m/s2 or rad/s2]."""
    motion = feature_motion(measures.rows.features, state)
    parts = [row_curvature(measures, motion), angle_curvature(measures, motion)]
    return measures.sums(np.concatenate(parts))


def row_measures(measures: Measures, motion: FeatureMotion, state: FullState) -> tuple[Array, Array]:
    """Values (nr,) and gradients (nr, 6 nb + 6) of translations, marker coordinates and distances.

    s = sqrt(phi),   ds = d phi/(2 s)                       for a distance                  (5)
    s = asin phi,    ds = d phi/cos s                       for a pitch                     (7)
    """
    value = row_values(measures.rows, motion)
    gradient = full_jacobian(measures.rows, motion, len(state.r))
    root = measures.is_distance
    value[root] = np.sqrt(value[root])
    gradient[root] /= 2.0 * value[root, None]
    sine = measures.is_sine
    value[sine] = np.arcsin(value[sine])
    gradient[sine] /= np.cos(value[sine, None])
    return value, gradient


def row_curvature(measures: Measures, motion: FeatureMotion) -> Array:
    """(nr,) second time derivative of the rows at du/dt = 0, (5) and (7) differentiated [m/s2 or rad/s2].

    sdd = (phidd/2 - sd^2)/s for a distance,   sdd = (phidd + sin s sd^2)/cos s for a pitch
    """
    second = -row_gamma(measures.rows, motion)
    root = measures.is_distance
    i, j = measures.rows.number[:2, root]
    d, dd = motion.x[j] - motion.x[i], motion.xd[j] - motion.xd[i]
    s = np.sqrt(dot(d, d))
    second[root] = (0.5 * second[root] - (dot(d, dd) / s) ** 2) / s
    sine = measures.is_sine
    a, _, b, _ = measures.rows.number[:, sine]
    phi, phid = dot(motion.x[a], motion.x[b]), dot(motion.xd[a], motion.x[b]) + dot(motion.x[a], motion.xd[b])
    square = 1.0 - phi**2
    second[sine] = (second[sine] + phi * phid**2 / square) / np.sqrt(square)
    return second


def angle_measures(measures: Measures, motion: FeatureMotion, state: FullState) -> tuple[Array, Array]:
    """Values (na,) and gradients (na, 6 nb + 6) of the angles, Eq. (4).

    With S = n . (x x y) and C = x . y - (n . x)(n . y):

        d angle = (C dS - S dC)/(S^2 + C^2)                                                     (6)
    """
    n, x, y = motion.x[measures.angles]
    p, q = dot(n, x)[:, None], dot(n, y)[:, None]
    S, C = dot(n, cross(x, y))[:, None], dot(x, y)[:, None] - p * q
    principal = np.arctan2(S, C)[:, 0]
    value = principal + TURN * np.round((state.angles - principal) / TURN)

    by_n = C * cross(x, y) + S * (q * x + p * y)  # (6) sorted by dn, dx, dy
    by_x = C * cross(y, n) - S * (y - q * n)
    by_y = C * cross(n, x) - S * (x - p * n)
    gradient = np.zeros((len(principal), len(state.r) + 1, 6))
    every = np.arange(len(principal))
    for number, g in zip(measures.angles, (by_n, by_x, by_y), strict=True):
        term = body_row(measures.rows.features, motion, number, g / (S**2 + C**2))
        gradient[every, measures.rows.features.body[number]] += term
    return value, gradient.reshape(len(principal), 6 * len(state.r) + 6)


def angle_curvature(measures: Measures, motion: FeatureMotion) -> Array:
    """(na,) second time derivative of the angles at du/dt = 0: (6), differentiated [rad/s2]."""
    n, x, y = motion.x[measures.angles]
    nd, xd, yd = motion.xd[measures.angles]
    ndd, xdd, ydd = motion.xdd[measures.angles]
    p, pd, pdd = dot(n, x), dot(nd, x) + dot(n, xd), dot(ndd, x) + 2.0 * dot(nd, xd) + dot(n, xdd)
    q, qd, qdd = dot(n, y), dot(nd, y) + dot(n, yd), dot(ndd, y) + 2.0 * dot(nd, yd) + dot(n, ydd)
    z, zd = cross(x, y), cross(xd, y) + cross(x, yd)
    zdd = cross(xdd, y) + 2.0 * cross(xd, yd) + cross(x, ydd)

    S, Sd, Sdd = dot(n, z), dot(nd, z) + dot(n, zd), dot(ndd, z) + 2.0 * dot(nd, zd) + dot(n, zdd)
    C, Cd = dot(x, y) - p * q, dot(xd, y) + dot(x, yd) - pd * q - p * qd
    Cdd = dot(xdd, y) + 2.0 * dot(xd, yd) + dot(x, ydd) - pdd * q - 2.0 * pd * qd - p * qdd
    square = S**2 + C**2
    rate = (C * Sd - S * Cd) / square
    return (C * Sdd - S * Cdd - 2.0 * rate * (S * Sd + C * Cd)) / square


def dot(a: Array, b: Array) -> Array:
    """(n,) scalar products of the rows of a and b."""
    return (a * b).sum(axis=1)
