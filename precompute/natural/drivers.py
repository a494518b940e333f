"""Mixed coordinates: measures that are given, each by rows of its own.

    travel of a joint      along . (p' - p) = d
    angle of a joint       its cosine and its sine, two rows that agree                             (1)
    coordinate of a marker linear
    distance               (p_a - p_b) . (p_a - p_b) = d^2
    deflection of a bushing along one of its axes, as a travel

What is given is columns: a length in units of the mechanism's size, or cosine and sine of an angle, with derivatives

    c' = -s z',   c'' = -s z'' - c z'^2,   c''' = -s z''' - 3 c z' z'' + s z'^3                        (2)

and the same of the sine.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from precompute.arrays import Array
from precompute.errors import PrecomputeError
from precompute.model.mechanism import (
    GROUND,
    BushingDeflection,
    Distance,
    JointCoordinate,
    MarkerCoordinate,
    Measure,
    Mechanism,
)
from precompute.natural.drawing import Drawing, Drawn
from precompute.natural.expressions import Vector
from precompute.natural.joints import Links, Travel, Turn
from precompute.natural.rows import Row, along, angle, distance, held_dot


@dataclass(frozen=True, eq=False)
class Driver:
    """A coordinate that can be given: its columns and its rows."""

    name: str
    of: Measure
    is_angle: bool
    columns: tuple[int, ...]  # cosine and sine, or a length
    length: float  # [m], the unit of lengths

    def given(self, z: Array) -> Array:
        """(n, 1 or 2) values of its columns at z (n,)."""
        return np.stack([np.cos(z), np.sin(z)] if self.is_angle else [z / self.length], axis=-1)

    def rates(self, z: Array, first: Array, second: Array, third: Array) -> tuple[Array, Array, Array]:
        """Derivatives of its columns, (n, 1 or 2) each, by (2)."""
        if not self.is_angle:
            return tuple(d[:, None] / self.length for d in (first, second, third))  # type: ignore[return-value]
        turned = np.exp(1j * z)
        derivatives = (
            1j * first * turned,
            (1j * second - first**2) * turned,
            (1j * third - 3.0 * first * second - 1j * first**3) * turned,
        )
        return tuple(np.stack([d.real, d.imag], axis=-1) for d in derivatives)  # type: ignore[return-value]


Draw = Callable[[Drawn], Driver]
"""Adds the rows of a driver, when all features are drawn."""


def draw_driver(drawing: Drawing, mechanism: Mechanism, links: Links, name: str, of: Measure) -> Draw:
    """The features that a measure needs, now; its columns and rows, later."""
    if type(of) not in DRAWERS:
        raise PrecomputeError(
            f"'{name}' is a {of.name}, which cannot be given in natural coordinates; give a joint coordinate, a marker "
            "coordinate or a distance"
        )
    return DRAWERS[type(of)](drawing, mechanism, links, name, of)


def added(drawn: Drawn, name: str, of: Measure, start: tuple[float, ...], rows: Any, length: float) -> Driver:
    """A driver with columns that start there, and its rows, made from these columns."""
    columns = [drawn.coordinates.scalar(name, value) for value in start]
    drawn.add(rows(*columns))
    numbers = range(len(drawn.coordinates.names) - len(start), len(drawn.coordinates.names))
    return Driver(name, of, len(start) == 2, tuple(numbers), length)


def draw_joint(drawing: Drawing, mechanism: Mechanism, links: Links, name: str, of: JointCoordinate) -> Draw:
    """A travel, or an angle by (1)."""
    link = links[of.joint, of.index]
    if isinstance(link, Travel):
        return draw_travel(drawing, link, name, of)
    return draw_turn(drawing, link, name, of)


def draw_travel(drawing: Drawing, link: Travel, name: str, of: Measure) -> Draw:
    """Along a vector of the frame before."""
    b = drawing.own(link.frame, name, link.along, False)

    def rows(drawn: Drawn) -> Driver:
        gap = link.after.at(drawn) - link.before.at(drawn)
        make = lambda d: along(name, gap, drawn.at(b), d)  # noqa: E731
        return added(drawn, name, of, (0.0,), make, drawing.length)

    return rows


def draw_turn(drawing: Drawing, link: Turn, name: str, of: Measure) -> Draw:
    """Seen from the frame that has the axis, in which u and the vector across it and the axis are fixed."""
    other = link.after if link.on == link.before else link.before
    across = link.seen - (link.seen @ link.axis) * link.axis
    size = float(np.linalg.norm(across))
    u = drawing.own(link.on, name, across / size, False)
    turned = drawing.own(link.on, name, np.cross(link.axis, across / size), False)
    v = drawing.own(other, name, link.seen, False)
    sign = 1.0 if link.on == link.before else -1.0

    def rows(drawn: Drawn) -> Driver:
        make = lambda c, s: angle(name, drawn.at(u), drawn.at(turned), drawn.at(v), c, sign * s, size)  # noqa: E731
        return added(drawn, name, of, (1.0, 0.0), make, drawing.length)

    return rows


def draw_marker(drawing: Drawing, mechanism: Mechanism, links: Links, name: str, of: MarkerCoordinate) -> Draw:
    """One component of its point, from the origin or from design."""
    marker, i = mechanism.marker(of.marker), "xyz".index(of.axis)
    point = drawing.own(marker.body, name, marker.p, True)
    zero = marker.p[i] / drawing.length if of.relative else 0.0

    def rows(drawn: Drawn) -> Driver:
        make = lambda d: (Row(name, drawn.at(point).components[i] - d - zero),)  # noqa: E731
        return added(drawn, name, of, (marker.p[i] / drawing.length - zero,), make, drawing.length)

    return rows


def draw_distance(drawing: Drawing, mechanism: Mechanism, links: Links, name: str, of: Distance) -> Draw:
    """Squared."""
    a, b = drawing.own(of.body_a, name, of.p_a, True), drawing.own(of.body_b, name, of.p_b, True)
    start = float(np.linalg.norm(of.p_a - of.p_b)) / drawing.length

    def rows(drawn: Drawn) -> Driver:
        make = lambda d: distance(name, drawn.at(a) - drawn.at(b), d)  # noqa: E731
        return added(drawn, name, of, (start,), make, drawing.length)

    return rows


def draw_bushing(drawing: Drawing, mechanism: Mechanism, links: Links, name: str, of: BushingDeflection) -> Draw:
    """Along an axis of its parent."""
    b = mechanism.bushing(of.bushing)
    if of.index >= 3:
        raise PrecomputeError(
            f"'{name}' is a turn of bushing '{of.bushing}', which cannot be given in natural coordinates; give the angle "
            "of a joint"
        )
    axis = drawing.own(b.parent, name, b.R[:, of.index], False)
    ends = [drawing.own(body, name, b.p, True) for body in (b.child, b.parent)]

    def rows(drawn: Drawn) -> Driver:
        make = lambda d: along(name, drawn.at(ends[0]) - drawn.at(ends[1]), drawn.at(axis), d)  # noqa: E731
        return added(drawn, name, of, (0.0,), make, drawing.length)

    return rows


DRAWERS: dict[type[Measure], Callable[[Drawing, Mechanism, Links, str, Any], Draw]] = {
    JointCoordinate: draw_joint,
    MarkerCoordinate: draw_marker,
    Distance: draw_distance,
    BushingDeflection: draw_bushing,
}
"""How each kind of measure is given."""
