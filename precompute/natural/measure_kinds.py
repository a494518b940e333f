"""The kinds of measure: how each is read off frames, and how it is given; by formulas that are none of `measures`.

    travel of a joint       along . (p' - p)
    angle of a joint        see `measuring`; given by its cosine and its sine, two rows that agree
    marker coordinate       a component of its point
    roll, pitch, yaw        of directions of a frame, seen along those of the vehicle
    distance                |p_a - p_b|, given by its square
    wheel travel            up . (p - p at design)
    angle of two bodies     of a direction of the one, seen along an axis of the other; without a joint
    sums                    of any of these, term by term
    bushing                 E^T (p_C - p_P);  theta = h(c) vee(M - M^T)/2, M = E^T R_C R_b              (1)
    of the law "cardan"     M = R_2(theta_2) R_3(theta_3) R_1(theta_1)                                  (4)

with c = (trace M - 1)/2 = cos |theta| and h = |theta|/sin |theta|, a smooth function of c:

    (1 - c^2) h' = c h - 1,   h = sum_k a_k (1 - c)^k,  a_0 = 1,  a_k = a_{k-1} k/(2 k + 1)             (2)
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from precompute.errors import PrecomputeError
from precompute.measures.cam_measure import CamMeasure
from precompute.model.mechanism import (
    BushingDeflection,
    Distance,
    JointCoordinate,
    MarkerAngle,
    MarkerCoordinate,
    Measure,
    Mechanism,
    RelativeAngle,
    WheelTravel,
)
from precompute.natural import jets
from precompute.natural.cams.kinds import cam_value
from precompute.natural.drawing import Drawing, Drawn
from precompute.natural.drivers import Sketch, travel_sketch, turn_sketch
from precompute.natural.expressions import Polynomial, total
from precompute.natural.jets import Jet
from precompute.natural.joints import Links, Travel
from precompute.natural.measuring import Poses, direction, link_value, point
from precompute.natural.rows import Row, along, distance

SERIES = 0.5
"""Below this 1 - c, (2) is summed; 40 terms leave less than 1e-17 of it."""


@dataclass(frozen=True)
class Kind:
    """How a kind of measure is read, and how it is given, if it can be: by rows of degree two."""

    read: Callable[[Mechanism, Links, Poses, Any], Jet]  # (n,) value and derivatives
    sketch: Callable[[Drawing, Mechanism, Links, str, Any], Sketch] | None = None  # with the driver's name


def measured(mechanism: Mechanism, links: Links, poses: Poses, measure: Measure) -> Jet:
    """(n,) value and derivatives of any measure that is no sum; angles of joints between -pi and pi."""
    if type(measure) not in KINDS:
        raise PrecomputeError(f"natural coordinates do not know how to measure the {measure.name}")
    return KINDS[type(measure)].read(mechanism, links, poses, measure)


def sketched(drawing: Drawing, mechanism: Mechanism, links: Links, name: str, of: Measure) -> Sketch:
    """Draw the features that a driver of a measure needs.

    Raises:
        PrecomputeError: it cannot be given.
    """
    if len(of.terms) > 1:
        return sum_sketch(drawing, mechanism, links, name, of)
    kind = KINDS.get(type(of))
    if kind is None or kind.sketch is None:
        raise not_given(name, of.name)
    return kind.sketch(drawing, mechanism, links, name, of)


def not_given(name: str, what: str) -> PrecomputeError:
    """The error for a measure that has no rows of degree two."""
    return PrecomputeError(
        f"'{name}', the {what}, cannot be given in natural coordinates; give a joint coordinate, a marker coordinate "
        "or a distance"
    )


def joint_value(mechanism: Mechanism, links: Links, poses: Poses, of: JointCoordinate) -> Jet:
    """A travel or an angle."""
    return link_value(links[of.joint, of.index], poses)


def joint_sketch(drawing: Drawing, mechanism: Mechanism, links: Links, name: str, of: JointCoordinate) -> Sketch:
    """A travel, or an angle."""
    link = links[of.joint, of.index]
    if isinstance(link, Travel):
        return travel_sketch(drawing, link, name, of)
    return turn_sketch(drawing, link, name, of)


def marker_value(mechanism: Mechanism, links: Links, poses: Poses, of: MarkerCoordinate) -> Jet:
    """One component, from the origin or from design."""
    marker, i = mechanism.marker(of.marker), "xyz".index(of.axis)
    value, *rates = jets.linear(point(poses, marker.body, marker.p), lambda d: d[:, i])
    return (value - marker.p[i] if of.relative else value, *rates)


def marker_sketch(drawing: Drawing, mechanism: Mechanism, links: Links, name: str, of: MarkerCoordinate) -> Sketch:
    """One component of its point, from the origin or from design."""
    marker, i = mechanism.marker(of.marker), "xyz".index(of.axis)
    point = drawing.own(marker.body, name, marker.p, True)
    here = float(marker.p[i]) / drawing.length
    zero = here if of.relative else 0.0
    return Sketch(name, of, (here - zero,), lambda drawn, d: (Row(name, drawn.at(point).components[i] - d - zero),))


def distance_value(mechanism: Mechanism, links: Links, poses: Poses, of: Distance) -> Jet:
    """The root of a square."""
    gap = jets.plus(point(poses, of.body_a, of.p_a), point(poses, of.body_b, of.p_b), -1.0)
    return jets.root(jets.dot(gap, gap))


def distance_sketch(drawing: Drawing, mechanism: Mechanism, links: Links, name: str, of: Distance) -> Sketch:
    """Squared."""
    a, b = drawing.own(of.body_a, name, of.p_a, True), drawing.own(of.body_b, name, of.p_b, True)
    start = float(np.linalg.norm(of.p_a - of.p_b)) / drawing.length
    return Sketch(name, of, (start,), lambda drawn, d: distance(name, drawn.at(a) - drawn.at(b), d))


def attitude_value(mechanism: Mechanism, links: Links, poses: Poses, of: MarkerAngle) -> Jet:
    """By two components of directions of the frame; of a pitch the cosine is how long its forward is from above."""
    axes, body = mechanism.axes, mechanism.marker(of.marker).body

    front = direction(poses, body, axes.forward)
    ahead, aside, above = (jets.linear(front, lambda d, u=u: d @ u) for u in axes.R)  # type: ignore[misc]
    if of.angle == "yaw":
        return jets.angle(aside, ahead)
    if of.angle == "pitch":
        return jets.angle(jets.linear(above, np.negative), jets.root(jets.squares(ahead, aside)))
    sides = (direction(poses, body, carried) for carried in (axes.left, axes.up))
    return jets.angle(*(jets.linear(side, lambda d: d @ axes.up) for side in sides))


def attitude_sketch(drawing: Drawing, mechanism: Mechanism, links: Links, name: str, of: MarkerAngle) -> Sketch:
    """Seen as a relative angle is; a pitch by its sine alone, which is that of the frame's forward downward."""
    axes, body = mechanism.axes, mechanism.marker(of.marker).body
    carried, to_cos, to_sin = {
        "yaw": ((axes.forward,), axes.forward, axes.left),
        "roll": ((axes.up, axes.left), axes.up, axes.up),
        "pitch": ((axes.forward,), axes.forward, -axes.up),
    }[of.angle]
    first, *others = (drawing.own(body, name, vector, False) for vector in carried)
    second = others[0] if others else first

    def rows(drawn: Drawn, cosine: Polynomial, sine: Polynomial) -> tuple[Row, ...]:
        one = Row(name, cosine * cosine + sine * sine - 1.0)
        if of.angle == "pitch":
            return Row(name, drawn.at(first).along(to_sin) - sine), one
        p = drawn.coordinates.scalar(f"{name}.seen", 1.0)
        ahead, aside = drawn.at(first).along(to_cos), drawn.at(second).along(to_sin)
        return Row(name, ahead - p * cosine), Row(name, aside - p * sine), one

    return Sketch(name, of, (1.0, 0.0), rows, more=True)


def bushing_value(mechanism: Mechanism, links: Links, poses: Poses, of: BushingDeflection) -> Jet:
    """By (1)."""
    b = mechanism.bushing(of.bushing)
    if of.index < 3:
        gap = jets.plus(point(poses, b.child, b.p), point(poses, b.parent, b.p), -1.0)
        return jets.dot(direction(poses, b.parent, b.R[:, of.index]), gap)
    E, F = (jets.linear(poses[body][1], lambda r: r @ b.R) for body in (b.parent, b.child))
    M = jets.matrix(jets.linear(E, lambda e: np.swapaxes(e, 1, 2)), F)
    if b.law == "cardan":
        return cardan_angle(M, of.index - 3)
    i, j = ((2, 1), (0, 2), (1, 0))[of.index - 3]
    half = jets.linear(M, lambda m: 0.5 * (m[:, i, j] - m[:, j, i]))
    c = jets.linear(M, lambda m: 0.5 * np.trace(m, axis1=1, axis2=2))
    return jets.product(stretch((c[0] - 0.5, *c[1:])), half)


def cardan_angle(M: Jet, index: int) -> Jet:
    """An angle of (4) from rotations (n, 3, 3): its second row and its first column have them."""
    along, up, side = (jets.linear(M, lambda m, i=i: m[:, 1, i]) for i in range(3))  # type: ignore[misc]
    if index == 0:
        return jets.angle(jets.linear(side, np.negative), up)
    if index == 1:
        return jets.angle(jets.linear(M, lambda m: -m[:, 2, 0]), jets.linear(M, lambda m: m[:, 0, 0]))
    return jets.angle(along, jets.root(jets.squares(up, side)))


def bushing_sketch(drawing: Drawing, mechanism: Mechanism, links: Links, name: str, of: BushingDeflection) -> Sketch:
    """Along an axis of its parent; rotations have no rows of degree two."""
    if of.index >= 3:
        raise not_given(name, of.name)
    b = mechanism.bushing(of.bushing)
    axis = drawing.own(b.parent, name, b.R[:, of.index], False)
    end, foot = (drawing.own(body, name, b.p, True) for body in (b.child, b.parent))
    return Sketch(name, of, (0.0,), lambda drawn, d: along(name, drawn.at(end) - drawn.at(foot), drawn.at(axis), d))


def travel_value(mechanism: Mechanism, links: Links, poses: Poses, of: WheelTravel) -> Jet:
    """Along up, from where the wheel's centre is at design."""
    wheel, up = mechanism.wheel(of.wheel), mechanism.axes.up
    value, *rates = jets.linear(point(poses, wheel.body, wheel.centre), lambda d: d @ up)
    return (value - wheel.centre @ up, *rates)


def wheel_sketch(drawing: Drawing, mechanism: Mechanism, links: Links, name: str, of: WheelTravel) -> Sketch:
    """A component of its centre, along up."""
    wheel, up = mechanism.wheel(of.wheel), mechanism.axes.up
    centre = drawing.own(wheel.body, name, wheel.centre, True)
    zero = float(wheel.centre @ mechanism.axes.up) / drawing.length

    def rows(drawn: Drawn, d: Polynomial) -> tuple[Row, ...]:
        return (Row(name, drawn.at(centre).along(up) - d - zero),)

    return Sketch(name, of, (0.0,), rows)


def relative_value(mechanism: Mechanism, links: Links, poses: Poses, of: RelativeAngle) -> Jet:
    """As the angle of a joint, without one: seen along an axis of the one, of a direction of the other."""
    x, y = (direction(poses, body, of.across) for body in (of.body_a, of.body_b))
    z = direction(poses, of.body_a, np.cross(of.axis, of.across))
    return jets.angle(jets.dot(z, y), jets.dot(x, y))


def relative_sketch(drawing: Drawing, mechanism: Mechanism, links: Links, name: str, of: RelativeAngle) -> Sketch:
    """x . y = p cos, z . y = p sin, cos^2 + sin^2 = 1, with p, how long y is seen along the axis, a coordinate more."""
    x = drawing.own(of.body_a, name, of.across, False)
    z = drawing.own(of.body_a, name, np.cross(of.axis, of.across), False)
    y = drawing.own(of.body_b, name, of.across, False)

    def rows(drawn: Drawn, cosine: Polynomial, sine: Polynomial) -> tuple[Row, ...]:
        p = drawn.coordinates.scalar(f"{name}.seen", 1.0)
        seen = drawn.at(y)
        one = Row(name, cosine * cosine + sine * sine - 1.0)
        return Row(name, drawn.at(x).dot(seen) - p * cosine), Row(name, drawn.at(z).dot(seen) - p * sine), one

    return Sketch(name, of, (1.0, 0.0), rows, more=True)


def sum_sketch(drawing: Drawing, mechanism: Mechanism, links: Links, name: str, of: Measure) -> Sketch:
    """Its terms are coordinates more.  Lengths add up in one row, angles with factors 1 or -1 by cosines and sines.

    cos(a + b) = cos a cos b - sin a sin b,   sin(a + b) = sin a cos b + cos a sin b                     (3)
    """
    factors = [factor for factor, _ in of.terms]
    parts = [sketched(drawing, mechanism, links, f"{name}[{i + 1}]", term) for i, (_, term) in enumerate(of.terms)]
    turning = len(parts[0].start) == 2
    if turning and any(abs(factor) != 1.0 for factor in factors):
        raise not_given(name, of.name)
    start = (1.0, 0.0) if turning else (sum(f * part.start[0] for f, part in zip(factors, parts, strict=True)),)

    def rows(drawn: Drawn, *given: Polynomial) -> tuple[Row, ...]:
        made: list[Row] = []
        columns = []
        for part in parts:
            columns.append([drawn.coordinates.scalar(part.name, value) for value in part.start])
            made += part.rows(drawn, *columns[-1])
        if not turning:
            added = total(column * factor for (column,), factor in zip(columns, factors, strict=True))
            return (*made, Row(name, added - given[0]))
        c, s = columns[0][0], columns[0][1] * factors[0]
        for (cosine, sine), factor, last in zip(columns[1:], factors[1:], range(len(columns) - 2, -1, -1), strict=True):
            b = sine * factor
            new = given if last == 0 else [drawn.coordinates.scalar(name, value) for value in start]
            made += [Row(name, c * cosine - s * b - new[0]), Row(name, s * cosine + c * b - new[1])]
            c, s = new[0], new[1]
        return tuple(made)

    return Sketch(name, of, start, rows, more=True)


def stretch(c: Jet) -> Jet:
    """h of (2), with derivatives."""
    y = 1.0 - c[0]
    h = np.zeros((4, len(y)))
    near = y < SERIES
    factors = np.cumprod([1.0, *(k / (2.0 * k + 1.0) for k in range(1, 40))])
    for k in range(4):  # derivatives along c
        series = np.polynomial.Polynomial(factors).deriv(k) if k else np.polynomial.Polynomial(factors)
        h[k] = (-1.0) ** k * series(np.where(near, y, 0.0))
    far_c = np.where(near, 0.0, c[0])
    below = 1.0 - far_c**2
    far = [np.arccos(far_c) / np.sqrt(below)]
    far.append((far_c * far[0] - 1.0) / below)
    far.append((3.0 * far_c * far[1] + far[0]) / below)
    far.append((5.0 * far_c * far[2] + 4.0 * far[1]) / below)
    h = np.where(near, h, np.array(far))
    out = [h[0]]  # chain rule
    if len(c) > 1:
        out.append(h[1] * c[1])
    if len(c) > 2:
        out.append(h[2] * c[1] ** 2 + h[1] * c[2])
    if len(c) > 3:
        out.append(h[3] * c[1] ** 3 + 3.0 * h[2] * c[1] * c[2] + h[1] * c[3])
    return tuple(out)


KINDS: dict[type[Measure], Kind] = {
    JointCoordinate: Kind(joint_value, joint_sketch),
    MarkerCoordinate: Kind(marker_value, marker_sketch),
    Distance: Kind(distance_value, distance_sketch),
    BushingDeflection: Kind(bushing_value, bushing_sketch),
    WheelTravel: Kind(travel_value, wheel_sketch),
    RelativeAngle: Kind(relative_value, relative_sketch),
    CamMeasure: Kind(cam_value),
    MarkerAngle: Kind(attitude_value, attitude_sketch),
}
"""Class of a measure -> its kind."""
