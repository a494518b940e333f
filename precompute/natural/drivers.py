"""Mixed coordinates: what is given, by columns and rows of its own.

A column is a length in units of the mechanism's size; an angle has two, its cosine and its sine,

    u . v = |u| |v| c,   turned . v = |u| |v| s                                                         (1)

which repeat each other and agree: each alone loses rank somewhere.  Their derivatives are

    c' = -s z',   c'' = -s z'' - c z'^2,   c''' = -s z''' - 3 c z' z'' + s z'^3                         (2)

and the same of the sine.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from precompute.arrays import Array
from precompute.model.mechanism import (
    Measure,
)
from precompute.natural.drawing import Drawing, Drawn
from precompute.natural.expressions import Polynomial
from precompute.natural.joints import Travel, Turn
from precompute.natural.rows import Row, along, angle


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
    more: bool = False  # its rows have columns of their own besides

    def made(self, drawn: Drawn, length: float) -> Driver:
        """Add its columns and its rows."""
        first = len(drawn.coordinates.names)
        columns = [drawn.coordinates.scalar(self.name, value) for value in self.start]
        drawn.add(self.rows(drawn, *columns))
        return Driver(self.name, self.of, len(columns) == 2, tuple(range(first, first + len(columns))), length)


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
