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
    BushingDeflection,
    Distance,
    JointCoordinate,
    MarkerCoordinate,
    Measure,
    Mechanism,
)
from precompute.natural.drawing import Drawing, Drawn
from precompute.natural.expressions import Polynomial
from precompute.natural.joints import Links, Travel, Turn
from precompute.natural.rows import Row, along, angle, distance


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


@dataclass(frozen=True, eq=False)
class Sketch:
    """A driver whose features are drawn: its columns and rows can be made when all others are drawn too."""

    name: str
    of: Measure
    start: tuple[float, ...]  # of its columns: two of an angle
    rows: Callable[..., tuple[Row, ...]]  # of what is drawn, and its columns

    def made(self, drawn: Drawn, length: float) -> Driver:
        """Add its columns and its rows."""
        first = len(drawn.coordinates.names)
        columns = [drawn.coordinates.scalar(self.name, value) for value in self.start]
        drawn.add(self.rows(drawn, *columns))
        return Driver(self.name, self.of, len(columns) == 2, tuple(range(first, first + len(columns))), length)


def sketched(drawing: Drawing, mechanism: Mechanism, links: Links, name: str, of: Measure) -> Sketch:
    """Draw the features that a measure needs.

    Raises:
        PrecomputeError: it has no rows of degree two.
    """
    if type(of) not in SKETCHES:
        raise not_given(name, of.name)
    return SKETCHES[type(of)](drawing, mechanism, links, name, of)


def not_given(name: str, what: str) -> PrecomputeError:
    """The error for a measure that has no rows of degree two."""
    return PrecomputeError(
        f"'{name}', the {what}, cannot be given in natural coordinates; give a joint coordinate, a marker coordinate "
        "or a distance"
    )


def joint_sketch(drawing: Drawing, mechanism: Mechanism, links: Links, name: str, of: JointCoordinate) -> Sketch:
    """A travel, or an angle by (1)."""
    link = links[of.joint, of.index]
    if isinstance(link, Travel):
        return travel_sketch(drawing, link, name, of)
    return turn_sketch(drawing, link, name, of)


def travel_sketch(drawing: Drawing, link: Travel, name: str, of: Measure) -> Sketch:
    """Along a vector of the frame before."""
    b = drawing.own(link.frame, name, link.along, False)
    return Sketch(name, of, (0.0,), lambda drawn, d: along(name, link.gap(drawn), drawn.at(b), d))


def turn_sketch(drawing: Drawing, link: Turn, name: str, of: Measure) -> Sketch:
    """Seen from the frame that has the axis: there u, across the axis, and what is across both are fixed."""
    first = link.on == link.before
    across = link.seen - (link.seen @ link.axis) * link.axis
    size = float(np.linalg.norm(across))
    u = drawing.own(link.on, name, across / size, False)
    turned = drawing.own(link.on, name, np.cross(link.axis, across / size), False)
    v = drawing.own(link.after if first else link.before, name, link.seen, False)
    sign = 1.0 if first else -1.0  # seen from the frame after, that before turns the other way

    def rows(drawn: Drawn, cosine: Polynomial, sine: Polynomial) -> tuple[Row, ...]:
        return angle(name, drawn.at(u), drawn.at(turned), drawn.at(v), cosine, sign * sine, size)

    return Sketch(name, of, (1.0, 0.0), rows)


def marker_sketch(drawing: Drawing, mechanism: Mechanism, links: Links, name: str, of: MarkerCoordinate) -> Sketch:
    """One component of its point, from the origin or from design."""
    marker, i = mechanism.marker(of.marker), "xyz".index(of.axis)
    point = drawing.own(marker.body, name, marker.p, True)
    here = float(marker.p[i]) / drawing.length
    zero = here if of.relative else 0.0
    return Sketch(name, of, (here - zero,), lambda drawn, d: (Row(name, drawn.at(point).components[i] - d - zero),))


def distance_sketch(drawing: Drawing, mechanism: Mechanism, links: Links, name: str, of: Distance) -> Sketch:
    """Squared."""
    a, b = drawing.own(of.body_a, name, of.p_a, True), drawing.own(of.body_b, name, of.p_b, True)
    start = float(np.linalg.norm(of.p_a - of.p_b)) / drawing.length
    return Sketch(name, of, (start,), lambda drawn, d: distance(name, drawn.at(a) - drawn.at(b), d))


def bushing_sketch(drawing: Drawing, mechanism: Mechanism, links: Links, name: str, of: BushingDeflection) -> Sketch:
    """Along an axis of its parent; a rotation vector has no rows of degree two."""
    if of.index >= 3:
        raise not_given(name, of.name)
    b = mechanism.bushing(of.bushing)
    axis = drawing.own(b.parent, name, b.R[:, of.index], False)
    end, foot = (drawing.own(body, name, b.p, True) for body in (b.child, b.parent))
    return Sketch(name, of, (0.0,), lambda drawn, d: along(name, drawn.at(end) - drawn.at(foot), drawn.at(axis), d))


SKETCHES: dict[type[Measure], Callable[[Drawing, Mechanism, Links, str, Any], Sketch]] = {
    JointCoordinate: joint_sketch,
    MarkerCoordinate: marker_sketch,
    Distance: distance_sketch,
    BushingDeflection: bushing_sketch,
}
"""How each kind of measure is given."""
